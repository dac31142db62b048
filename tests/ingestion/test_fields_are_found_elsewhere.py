"""A collection may keep its fields under other names, in file names or in headings (R021, C16)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.archive_file import read_archive_file
from fonds.contract.failures import MisauthoredFile, Misconfigured
from fonds.ingestion.contents import read_contents
from fonds.ingestion.corpus import found_corpus
from fonds.ingestion.inventory import taken_inventory
from fonds.ingestion.reading import describe
from fonds.ingestion.roots import checked_roots
from tests.ingestion.corpora import (
    ARCHIVE_TOML,
    described,
    found_file,
    silent,
    written_archive,
)

MAPPED = ARCHIVE_TOML + 'fields = { title = "post_title", date = "published", slug = "at" }\n'


def dated(folder: Path, name: str, front: str, rule: str) -> str | None:
    page = f"---\ntitle: T\n{front}---\nBody.\n"
    entity, _ = described(folder, f"essays/{name}", page, f'{ARCHIVE_TOML}date_from = "{rule}"\n')
    return entity.date


def test_other_names_are_read_where_ours_are_missing(tmp_path: Path) -> None:
    front = "post_title: Kites\npublished: 2019-03-14T23:30:00-05:00\nat: /wind/kites/\n"
    page = f"---\n{front}---\nBody.\n"
    entity, _ = described(tmp_path, "essays/a.md", page, MAPPED)
    assert (entity.title, entity.date, entity.entity_id) == (
        "Kites",
        "2019-03-14",
        "essay:wind/kites",
    )
    assert entity.url == "https://example.org/essays/wind/kites/"
    page = "---\ntitle: Ours\npost_title: Kites\ndate:\npublished: 2019\n---\nBody.\n"
    entity, _ = described(tmp_path, "essays/a.md", page, MAPPED)
    assert (entity.title, entity.date) == ("Ours", "2019")


def test_a_mapped_field_is_checked_like_any_and_named_by_its_line(tmp_path: Path) -> None:
    page = "---\ntitle: T\npublished: zebra\n---\nBody.\n"
    with pytest.raises(MisauthoredFile) as refusal:
        described(tmp_path, "essays/a.md", page, MAPPED)
    assert (refusal.value.field, refusal.value.line) == ("date", 3)
    assert "zebra" not in str(refusal.value)


def test_the_inventory_knows_a_mapped_slug(tmp_path: Path) -> None:
    """One id, one file: it is claimed under the id it will have."""
    page = "---\ntitle: T\nat: same\n---\nBody.\n"
    file = written_archive(tmp_path, {"essays/a.md": page, "essays/b.md": page}, MAPPED)
    corpus = found_corpus(checked_roots(read_archive_file(file)))
    found = taken_inventory(corpus, {}, frozenset(), silent)
    assert sorted(one.path for one in found.refused) == ["essays/a.md", "essays/b.md"]


@pytest.mark.parametrize(
    ("name", "front", "rule", "date"),
    [
        ("2019-03-14-kites.md", "", "name", "2019-03-14"),
        ("2019-03-14.md", "date:\n", "name", "2019-03-14"),
        ("2019-03-14-kites.md", "date: 2018\n", "name", "2018"),
        ("sub/2019-03-14-kites.md", "", "name", "2019-03-14"),
        ("kites-2019-03-14.md", "", "name", None),
        ("2019-03-140.md", "", "name", None),
        ("2019/kites.md", "", "name", None),
        ("2019/03/14/kites.md", "", "path", "2019-03-14"),
        ("2019/03/kites.md", "", "path", "2019-03"),
        ("2019/kites.md", "", "path", "2019"),
        ("log/2019/03/14-kites.md", "", "path", "2019-03-14"),
        ("2019/03-spring/14.md", "", "path", "2019-03"),
        ("log/2019-03-14/kites.md", "", "path", "2019-03-14"),
        ("kites/9999/a.md", "", "path", None),
        ("kites.md", 'path: "2019/03/14/x"\n', "path", "2019-03-14"),
    ],
)
def test_a_date_is_taken_from_where_the_collection_keeps_it(
    tmp_path: Path, name: str, front: str, rule: str, date: str | None
) -> None:
    assert dated(tmp_path, name, front, rule) == date


@pytest.mark.parametrize("name", ["2023-02-30-x.md", "0000-00-00.md"])
def test_an_impossible_day_in_a_name_is_refused(tmp_path: Path, name: str) -> None:
    """C16: never guessed."""
    with pytest.raises(MisauthoredFile) as refusal:
        dated(tmp_path, name, "", "name")
    assert refusal.value.field == "date"


def test_the_first_heading_is_the_title_of_a_page_that_names_none(tmp_path: Path) -> None:
    toml = f'{ARCHIVE_TOML}title_from = "heading"\n'
    page = "```\n# no heading\n```\n\n## Before\n\n# On *Kites*\n\nLet go.\n"
    assert described(tmp_path, "essays/a.md", page, toml)[0].title == "On Kites"
    page = f"---\ntitle: Ours\n---\n{page}"
    assert described(tmp_path, "essays/a.md", page, toml)[0].title == "Ours"
    with pytest.raises(MisauthoredFile, match="a title is needed"):
        described(tmp_path, "essays/a.md", "## Only this\n\nBody.\n", toml)


def test_the_name_of_the_file_is_the_title_of_a_page_that_names_none(tmp_path: Path) -> None:
    """As it is: a note's name may be a sentence, and its first heading a part of it."""
    toml = f'{ARCHIVE_TOML}title_from = "name"\n'
    entity, _ = described(tmp_path, "essays/log/On Kites.md", "# Part\n\nLet go.\n", toml)
    assert (entity.title, entity.entity_id) == ("On Kites", "essay:log/On Kites")
    page = "---\ntitle: Ours\n---\nLet go.\n"
    assert described(tmp_path, "essays/a.md", page, toml)[0].title == "Ours"


@pytest.mark.parametrize(
    ("order", "written", "date"),
    [
        ("ymd", "2019/03/14", "2019-03-14"),
        ("ymd", "2019/3/4", "2019-03-04"),
        ("ymd", "2019-03-14T23:30:00-05:00", "2019-03-14"),
        ("ymd", "2019", "2019"),
        ("dmy", "14.3.2019", "2019-03-14"),
        ("dmy", '"04/05/2019 09:30"', "2019-05-04"),
        ("dmy", "2019-03-14", "2019-03-14"),
        ("mdy", "04/05/2019", "2019-04-05"),
    ],
)
def test_figures_are_read_in_the_order_the_collection_names(
    tmp_path: Path, order: str, written: str, date: str
) -> None:
    """C16: said once by the owner, and guessed nowhere."""
    toml = f'{ARCHIVE_TOML}date_order = "{order}"\n'
    page = f"---\ntitle: T\ndate: {written}\n---\nBody.\n"
    assert described(tmp_path, "essays/a.md", page, toml)[0].date == date


@pytest.mark.parametrize(
    ("order", "written"),
    [
        ("ymd", "14/03/2019"),
        ("ymd", "2019/13/04"),
        ("ymd", "2019/02/30"),
        ("ymd", "2019/03-14"),
        ("ymd", "2019/03"),
        ("ymd", "2019/03/140"),
        ("dmy", "2019/03/14"),
        ("dmy", "14.3.19"),
        ("mdy", "14/03/2019"),
        ("mdy", "March 14, 2019"),
    ],
)
def test_figures_in_another_order_are_refused(tmp_path: Path, order: str, written: str) -> None:
    """C16: and days that do not exist."""
    toml = f'{ARCHIVE_TOML}date_order = "{order}"\n'
    page = f"---\ntitle: T\ndate: {written}\n---\nBody.\n"
    with pytest.raises(MisauthoredFile) as refusal:
        described(tmp_path, "essays/a.md", page, toml)
    assert (refusal.value.field, refusal.value.line) == ("date", 3)


@pytest.mark.parametrize("name", ["exposure", "requireReview", "draft", "zebra"])
def test_what_governs_disclosure_is_never_taken_from_elsewhere(tmp_path: Path, name: str) -> None:
    toml = ARCHIVE_TOML + f'fields = {{ {name} = "status" }}\n'
    with pytest.raises(Misconfigured, match=r"collections\[0\]\.fields"):
        read_archive_file(written_archive(tmp_path, {}, toml))


def test_a_mapping_reads_the_files_again(tmp_path: Path) -> None:
    """It decides the rows, and so is part of the settings' hash."""
    hashes = {
        checked_roots(read_archive_file(written_archive(tmp_path, {}, toml)))[-1].settings_hash
        for toml in (
            ARCHIVE_TOML,
            MAPPED,
            f'{ARCHIVE_TOML}date_from = "name"\n',
            f'{ARCHIVE_TOML}title_from = "heading"\n',
            f'{ARCHIVE_TOML}date_order = "dmy"\n',
        )
    }
    assert len(hashes) == 5


def test_a_guide_of_headings_alone_holds_no_text(tmp_path: Path) -> None:
    """C10: its title would be found, and nothing under it."""
    toml = f'{ARCHIVE_TOML}title_from = "heading"\nshape = "guide"\n'
    config = read_archive_file(written_archive(tmp_path, {"essays/a.md": "# On Kites\n"}, toml))
    file = found_file(config, "essays/a.md")
    assert describe(file, read_contents(file).text(), config) is None
