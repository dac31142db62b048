"""The file of a hosted archive decides for that archive alone, whatever stands in its place (R192).

Every attack stands in a folder of its own beside a good one, which goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fonds.contract.allowances import Allowances
from fonds.contract.failures import Misconfigured
from fonds.ingestion.roots import checked_roots
from fonds.settings import Settings
from fonds.wiring.archives import config_of, hosted_archive, hosted_archives, hosted_config
from fonds.wiring.hosted_file import LARGEST, MOST_DOTS_A_LINE, hosted_file

SECRET = "zebra-in-the-attic"
SMALLEST = 'name = "N"\nauthor = "A"\nbase_url = "https://example.org"\n'
GOOD = SMALLEST + 'slug = "good"\nprivate_notes_dir = "notes"\n'
BAD = SMALLEST + 'slug = "bad"\n'
Attack = Callable[[Path], None]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """One good archive, and another's notes that nobody else may read."""
    made = tmp_path / "archives"
    for folder in ("good/notes", "victim/notes", "bad/notes"):
        (made / folder).mkdir(parents=True)
    (made / "good" / "archive.toml").write_text(GOOD, encoding="utf-8")
    (made / "victim" / "notes" / "n.md").write_text(SECRET, encoding="utf-8")
    return made


def says(text: str) -> Attack:
    return holds(text.encode())


def holds(content: bytes) -> Attack:
    def attack(folder: Path) -> None:
        (folder / "archive.toml").write_bytes(content)

    return attack


def is_a_pipe(folder: Path) -> None:
    os.mkfifo(folder / "archive.toml")


def is_a_folder(folder: Path) -> None:
    (folder / "archive.toml").mkdir()


def is_a_link(folder: Path) -> None:
    (folder / "archive.toml").symlink_to(folder.parent / "good" / "archive.toml")


def leads_round(folder: Path) -> None:
    (folder / "archive.toml").symlink_to("archive.toml")


def is_huge_and_empty(folder: Path) -> None:
    with (folder / "archive.toml").open("wb") as file:
        file.truncate(1 << 30)


def has_linked_notes(folder: Path) -> None:
    says(BAD + 'private_notes_dir = "n"\n')(folder)
    (folder / "n").symlink_to(folder.parent / "victim" / "notes")


def has_a_linked_parent(folder: Path) -> None:
    says(BAD + '[[collections]]\ndir = "l/notes"\nurl_prefix = "/e/"\ntype = "e"\n')(folder)
    (folder / "l").symlink_to("../victim")


def has_linked_gold(folder: Path) -> None:
    says(BAD + '[evaluation]\ngold = "gold.yaml"\n')(folder)
    (folder / "gold.yaml").symlink_to("/etc/hostname")


OUTSIDE = "leads out of the archive's folder"
ATTACKS: tuple[tuple[Attack, str], ...] = (
    (
        says(SMALLEST + 'slug = "victim"\n'),
        'slug: another than the folder\'s name: write slug = "bad"',
    ),
    (
        says(SMALLEST.replace('"N"', '"Victim"')),
        'slug: another than the folder\'s name: write slug = "bad"',
    ),
    (says(BAD + 'private_notes_dir = "../victim/notes"\n'), f"private_notes_dir: {OUTSIDE}"),
    (says(BAD + 'private_notes_dir = "notes/../../victim"\n'), f"private_notes_dir: {OUTSIDE}"),
    (says(BAD + 'private_books_dir = ".."\n'), f"private_books_dir: {OUTSIDE}"),
    (says(BAD + 'transcripts_dir = "/etc"\n'), f"transcripts_dir: {OUTSIDE}"),
    (says(BAD + '[gists]\nfile = "../victim/gists.json"\n'), f"gists.file: {OUTSIDE}"),
    (says(BAD + '[evaluation]\ncanaries = "/etc/passwd"\n'), f"evaluation.canaries: {OUTSIDE}"),
    (has_linked_notes, f"private_notes_dir: {OUTSIDE}"),
    (has_a_linked_parent, f"collections[0].dir: {OUTSIDE}"),
    (has_linked_gold, f"evaluation.gold: {OUTSIDE}"),
    (is_a_pipe, "archive.toml: not a regular file"),
    (is_a_folder, "archive.toml: not a regular file"),
    (is_a_link, "archive.toml: cannot be opened: a file, no link, is needed"),
    (leads_round, "archive.toml: cannot be opened: a file, no link, is needed"),
    (is_huge_and_empty, "archive.toml: larger than 128 KB"),
    (holds(b"name = '\xff'"), "not UTF-8"),
    (holds(b"\x00" * 100), "not TOML at line 1, column 1"),
    (says("name = 7\n" + BAD.partition("\n")[2]), "name: input should be a valid string"),
    (says(BAD + "[limits]\nper_day = true\n"), "limits.per_day: input should be a valid integer"),
    (says("name.x.y = 1\n" + BAD.partition("\n")[2]), "name: input should be a valid string"),
    (says(BAD + "a" + ".b" * 60_000 + " = 1\n"), "archive.toml: a line of more than 100 dots"),
    (says(BAD + '"a"' + '."b"' * 30_000 + " = 1\n"), "archive.toml: a line of more than 100 dots"),
    (says(BAD + "x = " + "[" * 50_000 + "\n"), "nested too deep"),
    (says(BAD + "x = " + "9" * 9_000 + "\n"), "not TOML: a number is too long"),
    (says(BAD + f'private_notes_dir = "{SECRET}\\u0000"\n'), "archive.toml cannot be read"),
    (says(BAD + f'"{SECRET}\\n{SECRET}" = 1\n'), "unknown key"),
    (lambda folder: None, "archive.toml: cannot be opened"),
)


@pytest.mark.parametrize(("attack", "said"), ATTACKS, ids=range(len(ATTACKS)))
def test_a_file_that_reaches_out_is_refused_and_the_others_go_on(
    root: Path, attack: Attack, said: str
) -> None:
    attack(root / "bad")
    found = {one.name: one for one in hosted_archives(root)}
    assert sorted(found) == ["bad", "good", "victim"]
    reason = found["bad"].reason
    assert reason is not None
    assert not found["bad"].is_usable
    assert reason.startswith(f"bad: {said}")
    assert len(reason.splitlines()) == 1
    assert str(root) not in reason
    assert found["good"].is_usable


def test_a_link_beside_the_archives_is_listed_and_not_followed(root: Path) -> None:
    (root / "twin").symlink_to("good")
    (root / "nowhere").symlink_to("gone")
    (root / "Not A Slug").mkdir()
    (root / ".hidden").mkdir()
    (root / "notes.txt").write_text("no archive", encoding="utf-8")
    unusable = {one.name: one.reason for one in hosted_archives(root) if not one.is_usable}
    assert unusable.keys() == {"twin", "nowhere", "Not A Slug", "victim", "bad"}
    assert unusable["twin"] == "twin: the folder is a link: it has to be the archive's own"
    assert str(unusable["Not A Slug"]).startswith("a folder's name is its archive's slug")


@pytest.mark.parametrize(
    "name", ["../beside", "good/inner", "good/../good", "/etc", "", ".", "..", "x\x00", "x" * 5_000]
)
def test_a_name_that_is_no_slug_opens_no_file(root: Path, name: str) -> None:
    """C22: whatever is asked for, a folder is only ever found by its slug."""
    for folder in (root.parent / "beside", root / "good" / "inner"):
        folder.mkdir()
        says(SMALLEST + f'slug = "{folder.name}"\n')(folder)
        assert hosted_file(folder).slug == folder.name
    assert hosted_archive(root, name).config is None
    with pytest.raises(Misconfigured):
        hosted_config(Settings(archives=root), name)


def test_the_keys_of_access_and_limits_are_the_archives_own(root: Path) -> None:
    terms = """
[access]
anonymous = true
[limits]
per_minute = 5
per_day = 50
archive_per_day = 500
private_per_day = 7
"""
    (root / "good" / "archive.toml").write_text(GOOD + terms, encoding="utf-8")
    assert hosted_file(root / "good").allowances == Allowances(5, 50, 500, 7, anonymous=True)
    (root / "good" / "archive.toml").write_text(GOOD, encoding="utf-8")
    assert hosted_file(root / "good").allowances == Allowances()


def test_the_largest_file_is_read(root: Path) -> None:
    """The premise of the bounds: what is within them is used."""
    dotted = "# " + "." * MOST_DOTS_A_LINE + "\n"
    filled = GOOD + dotted
    filled += "#" * (LARGEST - len(filled))
    (root / "good" / "archive.toml").write_text(filled, encoding="utf-8")
    assert hosted_file(root / "good").slug == "good"


def test_a_command_opens_what_is_hosted_as_its_host_must(root: Path, tmp_path: Path) -> None:
    """R192: a worker or a command given the file of one archive never works on another."""
    settings = Settings(archives=root)
    says(SMALLEST + 'slug = "victim"\n')(root / "bad")
    for path in (root / "bad", root / "bad" / "archive.toml"):
        with pytest.raises(Misconfigured, match="another than the folder's name"):
            config_of(settings, path)
    assert config_of(settings, root / "good").slug == "good"
    (root / "good" / "inner").mkdir()
    says(SMALLEST + 'slug = "inner"\n')(root / "good" / "inner")
    (root / "good" / "other.toml").write_text(SMALLEST, encoding="utf-8")
    way_in = tmp_path / "way-in"
    way_in.symlink_to(root / "good" / "inner")
    for path in (root / "good" / "inner", root / "good" / "other.toml", way_in):
        with pytest.raises(Misconfigured, match="below FONDS_ARCHIVES"):
            config_of(settings, path)
    own = tmp_path / "own"
    own.mkdir()
    says(SMALLEST + 'private_notes_dir = "../elsewhere"\n')(own)
    assert config_of(settings, own).private_notes is not None


def test_a_folder_swapped_for_a_link_after_the_check_is_not_read(root: Path) -> None:
    config = hosted_file(root / "good")
    assert [Path(one.path).name for one in checked_roots(config)] == ["notes"]
    (root / "good" / "notes").rmdir()
    (root / "good" / "notes").symlink_to(root / "victim" / "notes")
    with pytest.raises(Misconfigured, match="leads out of the archive's folder"):
        checked_roots(config)


def test_a_folder_of_archives_that_is_gone_is_no_empty_host(root: Path) -> None:
    with pytest.raises(Misconfigured, match="FONDS_ARCHIVES"):
        hosted_archives(root / "gone")
    with pytest.raises(Misconfigured, match="FONDS_ARCHIVES is not set"):
        hosted_config(Settings(), "good")
