"""A host goes on with what is usable: files that change, come, go or break, one beside the other
(R192).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fonds.contract.failures import Misconfigured
from fonds.observing.checked import Event
from fonds.observing.events import ArchiveUnusable
from fonds.observing.observer import Observer
from fonds.settings import Settings
from fonds.wiring.current_archives import (
    LOOKED_AFTER_SECONDS,
    CurrentArchives,
    folder_of_archives,
    one_archive,
)
from tests.archives import written


class Clock:
    """Stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def go_on(self) -> None:
        self.now += LOOKED_AFTER_SECONDS


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def host(tmp_path: Path, clock: Clock) -> tuple[Callable[[], dict[str, str]], list[Event]]:
    """The name each usable archive gives itself, as a host sees it; and what it was told."""
    for slug in ("harbour", "mill"):
        written(tmp_path / slug, {}, slug)
    told: list[Event] = []
    archives = CurrentArchives(folder_of_archives(tmp_path, Observer((told.append,))), clock)
    return lambda: {slug: one.name for slug, one in archives.current().items()}, told


def renamed(folder: Path, name: str) -> None:
    file = folder / "archive.toml"
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([f'name = "{name}"', *lines[1:]]), encoding="utf-8")


def test_nothing_is_read_again_before_its_time(
    host: tuple[Callable[[], dict[str, str]], list[Event]], tmp_path: Path, clock: Clock
) -> None:
    names, _ = host
    assert names() == {"harbour": "Archive harbour", "mill": "Archive mill"}
    renamed(tmp_path / "mill", "The Mill by the Weir")
    assert names()["mill"] == "Archive mill"
    clock.go_on()
    assert names() == {"harbour": "Archive harbour", "mill": "The Mill by the Weir"}


def test_archives_come_and_go(
    host: tuple[Callable[[], dict[str, str]], list[Event]], tmp_path: Path, clock: Clock
) -> None:
    names, _ = host
    names()
    (tmp_path / "mill").rename(tmp_path / ".mill")
    written(tmp_path / "tide", {}, "tide")
    clock.go_on()
    assert set(names()) == {"harbour", "tide"}


def test_a_file_that_breaks_takes_no_other_with_it_and_is_told_once(
    host: tuple[Callable[[], dict[str, str]], list[Event]], tmp_path: Path, clock: Clock
) -> None:
    names, told = host
    names()
    (tmp_path / "mill" / "archive.toml").write_text("name = 7\n", encoding="utf-8")
    written(tmp_path / "another", {}, "harbour")  # names another's slug
    for _ in range(3):
        clock.go_on()
        assert set(names()) == {"harbour"}
    assert told == [
        ArchiveUnusable("another", "misconfigured"),
        ArchiveUnusable("mill", "misconfigured"),
    ]
    written(tmp_path / "mill", {}, "mill")
    clock.go_on()
    assert set(names()) == {"harbour", "mill"}


def test_a_folder_that_is_away_for_a_while_takes_no_archive_away(
    host: tuple[Callable[[], dict[str, str]], list[Event]], tmp_path: Path, clock: Clock
) -> None:
    names, _ = host
    names()
    away = tmp_path.with_name(tmp_path.name + "-away")
    tmp_path.rename(away)
    clock.go_on()
    seen = names()
    away.rename(tmp_path)
    clock.go_on()
    assert seen.keys() <= names().keys() == {"harbour", "mill"}


def test_a_folder_that_is_not_there_to_begin_with_is_a_setting_to_mend(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="FONDS_ARCHIVES"):
        folder_of_archives(tmp_path / "nowhere")


def test_one_file_is_served_without_a_folder_of_them(tmp_path: Path, clock: Clock) -> None:
    archives = CurrentArchives(one_archive(Settings(), written(tmp_path, {}, "mill")), clock)
    assert set(archives.current()) == {"mill"}
    (tmp_path / "archive.toml").write_text("name = 7\n", encoding="utf-8")
    clock.go_on()
    assert archives.current() == {}
    written(tmp_path, {}, "mill")
    clock.go_on()
    assert set(archives.current()) == {"mill"}
    with pytest.raises(Misconfigured):
        one_archive(Settings(), tmp_path / "nowhere")


def test_a_file_behind_a_link_is_read_again_as_well(tmp_path: Path, clock: Clock) -> None:
    """As a mounted configuration is changed: one link is led elsewhere, one leads through it."""
    for name, called in (("first", "The Mill"), ("second", "The Weir")):
        written(tmp_path / name, {}, "mill")
        renamed(tmp_path / name, called)
    (tmp_path / "current").symlink_to("first")
    file = tmp_path / "archive.toml"
    file.symlink_to("current/archive.toml")
    archives = CurrentArchives(one_archive(Settings(), file), clock)
    names = [archives.current()["mill"].name]
    (tmp_path / "current").unlink()
    (tmp_path / "current").symlink_to("second")
    clock.go_on()
    names.append(archives.current()["mill"].name)
    renamed(tmp_path / "second", "The Third Weir")
    clock.go_on()
    assert [*names, archives.current()["mill"].name] == ["The Mill", "The Weir", "The Third Weir"]


def test_one_hosted_file_served_alone_takes_no_other_archives_name(
    tmp_path: Path, clock: Clock
) -> None:
    """R192: a file below FONDS_ARCHIVES decides its own folder's terms, however it is named to the
    service, and when it is read again.
    """
    host = Settings(archives=tmp_path)
    with pytest.raises(Misconfigured, match="another than the folder's name"):
        one_archive(host, written(tmp_path / "harbour", {}, "mill"))
    folder = written(tmp_path / "mill", {}, "mill")
    archives = CurrentArchives(one_archive(host, folder / "archive.toml"), clock)
    assert set(archives.current()) == {"mill"}
    written(folder, {}, "tide")
    clock.go_on()
    assert archives.current() == {}


def test_what_made_a_file_unusable_may_be_mended_beside_it(
    host: tuple[Callable[[], dict[str, str]], list[Event]], tmp_path: Path, clock: Clock
) -> None:
    """A link that led out of the folder is replaced; the file itself stays as it was."""
    names, told = host
    essays = tmp_path / "mill" / "essays"
    essays.parent.joinpath("archive.toml").write_text(
        'name = "Mill"\nauthor = "A"\nbase_url = "https://e.org"\nslug = "mill"\n'
        '[[collections]]\ndir = "essays"\nurl_prefix = "/e/"\ntype = "essay"\n',
        encoding="utf-8",
    )
    if essays.exists():
        essays.rmdir()
    essays.symlink_to(tmp_path / "harbour")
    for _ in range(2):
        clock.go_on()
        assert set(names()) == {"harbour"}
    essays.unlink()
    essays.mkdir()
    clock.go_on()
    assert set(names()) == {"harbour", "mill"}
    assert told == [ArchiveUnusable("mill", "misconfigured")]
