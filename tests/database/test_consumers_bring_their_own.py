"""A package of somebody else's: its own shapes as pairs, its own source and its own boost (R113,
R120).
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from fonds import Entity, Fragment, Locator, PrivateDisclosure, PublicDisclosure, SearchRequest
from fonds.contract.attribution import Attribution
from fonds.contract.failures import Misconfigured
from fonds.ingestion.report import IngestReport
from fonds.wiring.house import House
from tests.archives import ARCHIVE, essay, house_of, ingested, published, written
from tests.servers import Database

SECRET = "Brindlewick paid the ferryman in unminted silver every second Tuesday."
PACKAGE = '''
from fonds import Entity, Fragment, Locator, PublicDisclosure


def letters(config):
    """A source: whatever a database of letters holds, as pairs."""
    quoted = PublicDisclosure("text")
    entity = Entity("letter:1", "letter", "A letter", config.base_url + "/letters/1/", quoted)
    yield entity, Fragment("letter:1", (Locator("whole", ""),), quoted, "Kites over Norden.")


class Longhand:
    """A boost: letters first."""

    name = "longhand"
    max_boost = 0.5

    def prepare(self, index, context):
        return None

    def score(self, fragment, entity, context, prepared):
        return 0.5 if entity.type == "letter" else 0.0
'''
POINTS = """\
[fonds.sources]
letters = letterbox:letters

[fonds.boosts]
longhand = letterbox:Longhand
"""


@pytest.fixture
def letterbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """The package, installed as pip would leave it."""
    site = tmp_path / "site"
    info = site / "letterbox-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "letterbox.py").write_text(PACKAGE, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: letterbox\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    yield
    sys.modules.pop("letterbox", None)


def diary(text: str, day: str = "1", title: str = "A diary") -> tuple[Entity, Fragment]:
    """A private entity of a shape no adapter knows."""
    private = PrivateDisclosure("locator")
    entity = Entity("diary:1910", "diary", title, "https://example.org/diary/", private)
    return entity, Fragment("diary:1910", (Locator("day", day),), private, text)


def ids(house: House, query: str) -> list[str]:
    return [hit.provenance.fragment_id for hit in house.search(SearchRequest(query)).hits]


def test_pairs_are_served_by_their_policy(tmp_path: Path, database: Database) -> None:
    with house_of(written(tmp_path, {"essays/a.md": essay("A", "One page.")}), database) as house:
        ingested(house)
        report = house.ingest_pairs("diaries", [diary(SECRET), diary("Snow fell.", "2")])
        assert (report.done, report.rows.fragments, report.embedded) == (1, 2, 2)
        again = house.ingest_pairs("diaries", [diary(SECRET), diary("Snow fell.", "2")])
        assert (again.rows.fragments, again.embedded) == (0, 0)
        house.build(yes=True)
        assert ids(house, "Who paid the ferryman in silver?")[0] == "diary:1910#day-1"
        assert ingested(house).removed == []
        gone = house.ingest_pairs("diaries", [])
        assert gone.removed == ["pairs:diaries:diary:1910"]
        assert not any(one.startswith("diary") for one in ids(house, "ferryman silver"))


def test_pairs_that_are_described_otherwise_are_stored_anew(
    tmp_path: Path, database: Database
) -> None:
    """Titles, people and themes count, though no repr of an entity shows them."""
    entity, fragment = diary(SECRET)
    people = (Attribution("Person B"),)
    with house_of(written(tmp_path, {}), database) as house:
        for described in (
            entity,
            replace(entity, title="Another diary"),
            replace(entity, attribution=people),
            replace(entity, themes=("snow",)),
        ):
            assert house.ingest_pairs("diaries", [(described, fragment)]).rows.entities == 1
            assert house.ingest_pairs("diaries", [(described, fragment)]).rows.total == 0


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        ([diary(SECRET), diary("Snow.", "2", title="Another")], "described twice, and differently"),
        ([diary(SECRET), diary("Snow.")], "two fragments share one"),
        (
            [diary(SECRET, title="the ferryman in unminted silver")],
            "quotes private text at words 1-5",
        ),
        ([diary("a\x00b")], "holds NUL or a lone surrogate"),
    ],
)
def test_an_entity_that_breaks_a_rule_is_refused_alone(
    tmp_path: Path, database: Database, pairs: list[tuple[Entity, Fragment]], reason: str
) -> None:
    """R027: the others land, and nothing private is said."""
    other = Entity("page:1", "page", "P", "https://example.org/p/", PublicDisclosure("text"))
    page = Fragment("page:1", (Locator("whole", ""),), PublicDisclosure("text"), "A page.")
    with house_of(written(tmp_path, {}), database) as house:
        report = house.ingest_pairs("mixed", [*pairs, (other, page)])
    assert report.done == 1
    assert [one.reason for one in report.refused] == [reason]
    assert "Brindlewick" not in str(report.as_json())


def test_an_id_of_another_source_is_not_taken_over(tmp_path: Path, database: Database) -> None:
    entity = Entity("essay:a", "essay", "A", "https://example.org/a/", PublicDisclosure("text"))
    fragment = Fragment("essay:a", (Locator("whole", ""),), PublicDisclosure("text"), "Mine.")
    with house_of(written(tmp_path, {"essays/a.md": essay("A", "One page.")}), database) as house:
        published(house)
        report = house.ingest_pairs("mine", [(entity, fragment)])
        assert [one.reason for one in report.refused] == ["another source of this archive has it"]


def test_a_source_and_a_boost_come_by_entry_point(
    tmp_path: Path, database: Database, letterbox: None
) -> None:
    folder = written(
        tmp_path / "archive", {"essays/a.md": essay("Kites", "Kites over Norden, kites.")}
    )
    file = folder / "archive.toml"
    file.write_text(
        'sources = ["letters"]\n'
        + file.read_text()
        + '[retrieval]\nboosts = ["exactMatch", "longhand"]\n'
    )
    with house_of(folder, database) as house:
        published(house)
        found = house.search(SearchRequest("kites"))
    breakdowns = {hit.provenance.fragment_id: hit.provenance.breakdown for hit in found.hits}
    letter, page = breakdowns["letter:1#whole"], breakdowns["essay:a#whole"]
    assert letter is not None
    assert page is not None
    assert letter["longhand"] == 0.5
    assert "longhand" not in page
    assert page["exactMatch"] == 0.3


def test_a_name_nobody_offers_is_refused(tmp_path: Path, database: Database) -> None:
    folder = written(tmp_path, {"essays/a.md": essay("A", "One page.")})
    (folder / "archive.toml").write_text('sources = ["letters"]\n' + ARCHIVE.format(slug="example"))
    with (
        house_of(folder, database) as house,
        pytest.raises(Misconfigured, match="sources: no installed"),
    ):
        ingested(house)


def test_what_a_source_brings_stands_in_the_report(
    tmp_path: Path, database: Database, letterbox: None
) -> None:
    """An archive may hold no folder at all; its sources are then all there is."""
    folder = written(tmp_path / "archive", {})
    head = ARCHIVE.format(slug="example").split("private_notes_dir")[0]
    text = 'sources = ["letters"]\n' + head + '[embedding]\nprovider = "hashing"\n'
    (folder / "archive.toml").write_text(text, encoding="utf-8")
    with house_of(folder, database) as house:
        report = published(house)
        assert report.fragments == 1
        assert ingested(house).rows.total == 0


def test_what_a_source_published_is_asked_for_as_a_file_is(
    tmp_path: Path, database: Database, letterbox: None
) -> None:
    """R191: what was private under that id is refused until the owner says so; others are unknown.

    Every pair is accounted for as a file is.
    """
    folder = written(tmp_path / "archive", {})
    head = ARCHIVE.format(slug="example").split("private_notes_dir")[0]
    text = 'sources = ["letters"]\n' + head + '[embedding]\nprovider = "hashing"\n'
    (folder / "archive.toml").write_text(text, encoding="utf-8")
    private = PrivateDisclosure("locator")
    kept = Entity("letter:1", "letter", "A letter", "https://example.org/letters/1/", private)
    with house_of(folder, database) as house:
        house.ingest_pairs(
            "box", [(kept, Fragment("letter:1", (Locator("whole", ""),), private, SECRET))]
        )
        house.ingest_pairs("box", [])
        (refused,) = ingested(house).refused
        assert refused.reason == "was private before: fonds ingest --publish letter:1"
        with pytest.raises(Misconfigured, match="no public file has an id given"):
            _publishing(house, "letter:2")
        report = _publishing(house, "letter:1")
        assert (report.found, report.outcomes) == (1, {"pairs:letters:letter:1": "done"})
        assert ingested(house).refused == []


def _publishing(house: House, entity_id: str) -> IngestReport:
    return house.ingest(progress=lambda step, done, total: None, publish=frozenset({entity_id}))
