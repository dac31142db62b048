"""A date is the author's day, from the file to the filter, wherever the machine stands (C16)."""

from __future__ import annotations

import time
from collections.abc import Generator
from pathlib import Path

import pytest

from fonds.contract.search_request import Filters, SearchRequest
from fonds.wiring.house import House
from tests.archives import house_of, published
from tests.ingestion.corpora import ARCHIVE_TOML, put
from tests.servers import Database

TOML = (
    ARCHIVE_TOML.partition("private_notes_dir")[0]
    + """
[[collections]]
dir = "essays"
url_prefix = "/essays/"
type = "essay"

[[collections]]
dir = "posts"
url_prefix = "/posts/"
type = "post"
date_from = "name"

[[collections]]
dir = "log"
url_prefix = "/log/"
type = "log"
date_from = "path"
"""
)
DAYS = {
    "essays/day.md": "---\ntitle: A\ndate: 2019-03-14\n---\n",
    "essays/late.md": "---\ntitle: B\ndate: 2019-03-14T23:30:00-05:00\n---\n",
    "essays/late-in-words.md": '---\ntitle: C\ndate: "2019-03-14 23:30 -0500"\n---\n',
    "posts/2019-03-14-x.md": "---\ntitle: D\n---\n",
    "log/x.md": '+++\ntitle = "E"\npath = "2019/03/14/x"\n+++\n',
}
MONTH = {"essays/month.md": "---\ntitle: F\ndate: 2019-03\n---\n"}
YEAR = {"essays/year.md": "---\ntitle: G\ndate: 2019\n---\n"}
REFUSED = {
    "essays/slashes.md": "---\ntitle: H\ndate: 2019/03/14\n---\n",
    "essays/words.md": '---\ntitle: I\ndate: "March 14, 2019"\n---\n',
}


@pytest.fixture(params=["Asia/Tokyo", "America/La_Paz"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    """The zone of the process, and of its sessions on the server."""
    monkeypatch.setenv("TZ", request.param)
    monkeypatch.setenv("PGTZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def found(house: House, first: str, last: str) -> set[str]:
    """The files found between two bounds, by their slugs."""
    request = SearchRequest(
        "kites in the wind", limit=20, filters=Filters(date_from=first, date_to=last)
    )
    hits = house.search(request).hits
    return {hit.provenance.entity.id.partition(":")[2] for hit in hits}


def slugs(files: dict[str, str]) -> set[str]:
    return {name.partition("/")[2].removesuffix(".md") for name in files}


@pytest.mark.usefixtures("zone")
def test_nine_ways_to_write_a_date_and_three_to_ask_for_it(
    tmp_path: Path, database: Database
) -> None:
    """C16: inclusive at both ends, precision kept, and what is no date refused by its field."""
    (tmp_path / "archive.toml").write_text(TOML, encoding="utf-8")
    for name, front in (DAYS | MONTH | YEAR | REFUSED).items():
        put(tmp_path, name, f"{front}Kites in the wind.\n")
    with house_of(tmp_path, database) as house:
        published(house)
        for asked in ("2019-03-14", "2019-03", "2019"):
            assert found(house, asked, asked) == slugs(DAYS | MONTH | YEAR), asked
        for asked in ("2019-03-13", "2019-03-15", "2019-03-01", "2019-03-31"):
            assert found(house, asked, asked) == slugs(MONTH | YEAR), asked
        for asked in ("2019-02", "2019-04", "2019-01-01", "2019-12-31"):
            assert found(house, asked, asked) == slugs(YEAR), asked
        for asked in ("2018", "2018-12-31", "2020-01-01"):
            assert found(house, asked, asked) == set(), asked
        assert found(house, "2019-03-14", "2019-03-15") == slugs(DAYS | MONTH | YEAR)
        assert found(house, "2019-03-13", "2019-03-14") == slugs(DAYS | MONTH | YEAR)


@pytest.mark.usefixtures("zone")
def test_what_is_no_date_is_refused_by_file_and_field(tmp_path: Path, database: Database) -> None:
    """C16: never guessed; the run goes on."""
    (tmp_path / "archive.toml").write_text(TOML, encoding="utf-8")
    impossible = {
        "essays/thirtieth.md": "---\ntitle: J\ndate: 2023-02-30\n---\n",
        "essays/zero.md": "---\ntitle: K\ndate: 0000-00-00\n---\n",
        "posts/2023-02-30-x.md": "---\ntitle: L\n---\n",
        "log/x.md": '+++\ntitle = "M"\npath = "2023/02/30/x"\n+++\n',
    }
    for name, front in (REFUSED | impossible | YEAR).items():
        put(tmp_path, name, f"{front}Kites in the wind.\n")
    with house_of(tmp_path, database) as house:
        report = house.ingest(progress=lambda step, done, total: None)
    assert {(one.file, one.field) for one in report.refused} == {
        (name, "date") for name in REFUSED | impossible
    }
    assert report.done == 1
