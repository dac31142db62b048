"""The gate of an archive is fitted with each build, on the build itself (R168, R169)."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import psycopg
import pytest

from fonds.answering.refusal import Answered, Refused
from fonds.contract.calibration import Calibration
from fonds.contract.failures import Misconfigured, ProviderUnavailable
from fonds.contract.ports import EmbedOutcome, Vector
from fonds.contract.search_request import SearchRequest
from fonds.providers.hashing_embedder import HashingEmbedder
from fonds.wiring.gates import GateDesk
from fonds.wiring.house import House
from tests.archives import essay, house_of, ingested, note, published, written
from tests.servers import Database

KITES = "My aunt Ilse taught me to fly kites on the dyke at Norden in the spring of 1974."
ASKED = SearchRequest("Who taught me to fly kites on the dyke at Norden?")
ABSENT = "zeppelin hangar number"
HELD = """\
questions:
  - {id: held-1, kind: answerable, question: "Where did aunt Ilse fly kites in spring?"}
  - {id: held-2, kind: answerable, question: "What did Ilse teach on the dyke at Norden?"}
"""


def own(absent: int) -> str:
    """A calibration file with so many questions that have no answer."""
    return HELD + "".join(
        f'  - {{id: absent-{number}, kind: out-of-archive, question: "Which {ABSENT} {number}?"}}\n'
        for number in range(absent)
    )


OWN = own(absent=30)


class CountingEmbedder(HashingEmbedder):
    """Counts questions, and fails when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.fails = False

    def embed_query(self, text: str) -> Vector:
        if self.fails:
            raise ProviderUnavailable("the embedder is away")
        self.asked += 1
        return super().embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        return super().embed_passages(texts)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One essay and one note, with calibration questions of the archive's own."""
    made = archive(tmp_path)
    (made / "calibration.yaml").write_text(OWN, encoding="utf-8")
    return made


def archive(tmp_path: Path, gate: str = '[evaluation]\ncalibration = "calibration.yaml"\n') -> Path:
    files = {
        "essays/on-kites.md": essay("On Kites", KITES),
        "notes/ilse.md": note("A note about Ilse", "She owed the pawnbroker forty crowns."),
    }
    return written(tmp_path / "archive", files, gate=gate)


@contextmanager
def built(folder: Path, database: Database) -> Generator[tuple[House, CountingEmbedder]]:
    embedder = CountingEmbedder()
    with house_of(folder, database, embedder) as house:
        published(house)
        yield house, embedder


def served(house: House) -> Calibration:
    found = house.live_build().calibration
    assert found is not None
    return found


def rewritten(folder: Path, old: str, new: str) -> None:
    file = folder / "archive.toml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_a_first_build_is_fitted_on_the_archives_own_questions(
    folder: Path, database: Database
) -> None:
    """R168: state, count and price are with the build, and the answerable question is answered."""
    with built(folder, database) as (house, _):
        made = served(house)
        assert (made.source, made.counted, made.near_misses) == ("own", 19, 0)
        assert made.price is not None
        assert made.price.answerable == 2
        assert GateDesk(house).shown()[0] == "fitted"
        assert isinstance(house.ask(ASKED), Answered)


def test_an_archive_without_questions_is_calibrated_provisionally(
    tmp_path: Path, database: Database
) -> None:
    """R168: by the bundled bank, and every report says that it is that."""
    with built(archive(tmp_path, gate=""), database) as (house, _):
        assert served(house).source == "bank"
        assert served(house).price is None
        state, _calibration = GateDesk(house).shown()
        assert state == "provisional"
        assert isinstance(house.ask(ASKED), Answered)


def test_a_changed_archive_is_refitted_with_its_build_and_embeds_no_question_again(
    folder: Path, database: Database
) -> None:
    """R169: a nightly ingest and build never silence the archive, and call no embedder for it."""
    with built(folder, database) as (house, embedder):
        first = served(house)
        (folder / "essays" / "tides.md").write_text(essay("Tides", "High water is at noon."))
        ingested(house)
        before = embedder.asked
        report = house.build()
        assert report.switched
        assert embedder.asked == before
        assert report.gate["state"] == "fitted"
        assert served(house).questions == first.questions
        assert isinstance(house.ask(ASKED), Answered)


def test_a_build_that_cannot_be_calibrated_does_not_go_live(
    folder: Path, database: Database
) -> None:
    """R169, R191: provider failure leaves the old build served, with its own calibration."""
    with built(folder, database) as (house, embedder):
        live = house.live_build()
        (folder / "essays" / "tides.md").write_text(essay("Tides", "High water is at noon."))
        text = OWN + '  - {id: later, kind: near-miss, question: "What was the aunt paid?"}\n'
        (folder / "calibration.yaml").write_text(text, encoding="utf-8")
        ingested(house)
        embedder.fails = True
        with pytest.raises(ProviderUnavailable):
            house.build()
        assert house.live_build() == live
        assert [one.build_id for one in house.builds()] == [live.build_id]


def test_an_unchanged_archive_is_refitted_only_where_its_calibration_no_longer_fits(
    folder: Path, database: Database
) -> None:
    """R169: the same questions under other terms are another calibration."""
    with built(folder, database) as (house, embedder):
        made_at = served(house).made_at
        assert house.build().unchanged
        assert served(house).made_at == made_at
    rewritten(folder, "[evaluation]", "[gate]\nalpha = 0.2\n[evaluation]")
    with house_of(folder, database, embedder) as house:
        assert GateDesk(house).shown()[0] == "stale"
        refused = house.ask(ASKED)
        assert isinstance(refused, Refused)
        assert (refused.reason, refused.layer) == ("calibration_stale", "gate")
        assert house.build().unchanged
        assert served(house).alpha == 0.2
        assert isinstance(house.ask(ASKED), Answered)


def test_a_rollback_brings_back_the_calibration_of_its_build(
    folder: Path, database: Database
) -> None:
    """R169: thresholds belong to what they were measured on."""
    with built(folder, database) as (house, _):
        first = served(house)
        (folder / "essays" / "zeppelins.md").write_text(
            essay("Zeppelins", f"Which {ABSENT} 7? The {ABSENT} was 4.")
        )
        published(house)
        assert served(house).threshold != first.threshold
        house.rollback()
        assert served(house) == first


def test_a_question_that_an_archive_answers_of_late_is_named(
    folder: Path, database: Database
) -> None:
    """R168: by its id; the author decides whether it has an answer now."""
    (folder / "calibration.yaml").write_text(own(absent=80), encoding="utf-8")
    with built(folder, database) as (house, _):
        (folder / "essays" / "zeppelins.md").write_text(
            essay("Number 7", "Which zeppelin hangar number 7? Zeppelin hangar number 7 is it.")
        )
        ingested(house)
        report = house.build()
        assert "absent-7" in cast("list[str]", report.gate["rose"])


def test_too_few_questions_of_its_own_silence_an_archive_until_there_are_enough(
    folder: Path, database: Database
) -> None:
    """R168, R171: infinite, a reason of its own."""
    (folder / "calibration.yaml").write_text(own(absent=18), encoding="utf-8")
    with built(folder, database) as (house, _):
        assert GateDesk(house).shown()[0] == "infinite"
        refused = house.ask(ASKED)
        assert isinstance(refused, Refused)
        assert refused.reason == "calibration_infinite"


def test_a_calibration_question_may_not_be_a_gold_case(folder: Path, database: Database) -> None:
    """R168: the build is refused, both ids are named, nothing is published."""
    gold = (
        "queries:\n  - id: the-case\n    query: Which zeppelin hangar NUMBER 3\n"
        "    expectAnswerMode: not-found\n"
    )
    (folder / "gold.yaml").write_text(gold, encoding="utf-8")
    rewritten(folder, "[evaluation]\n", '[evaluation]\ngold = "gold.yaml"\n')
    with house_of(folder, database) as house:
        ingested(house)
        with pytest.raises(Misconfigured, match="absent-3 is gold case the-case"):
            house.build()
        assert house.builds() == ()


def test_an_archive_that_was_built_without_a_gate_says_so_when_it_is_turned_on(
    tmp_path: Path, database: Database
) -> None:
    """R171: missing, until the gate is fitted."""
    made = archive(tmp_path, gate="[gate]\nenabled = false\n")
    with built(made, database) as (house, embedder):
        assert GateDesk(house).shown()[0] == "off"
        assert isinstance(house.ask(ASKED), Answered)
        assert embedder.asked == 2  # the question and nothing of the bank
        with pytest.raises(Misconfigured, match="the gate is off"):
            GateDesk(house).fit()
    rewritten(made, "enabled = false", "enabled = true")
    with house_of(made, database) as house:
        refused = house.ask(ASKED)
        assert isinstance(refused, Refused)
        assert refused.reason == "calibration_missing"
        GateDesk(house).fit()
        assert isinstance(house.ask(ASKED), Answered)


def test_questions_stay_in_the_private_schema(folder: Path, database: Database) -> None:
    """R097, R168: no served row, run report or refusal record holds a question's words."""
    with built(folder, database) as (house, _):
        house.ask(SearchRequest(f"Which {ABSENT} 4?"))
        shown = repr((house.build().as_json(), GateDesk(house).shown()))
    assert "zeppelin" not in shown
    with psycopg.connect(database.admin_url) as admin:
        kept = admin.execute(
            "SELECT (SELECT count(*) FROM private.calibration WHERE question LIKE '%%zeppelin%%'),"
            " (SELECT count(*) FROM served.calibration c WHERE c::text LIKE '%%zeppelin%%')"
            " + (SELECT count(*) FROM private.run r WHERE r::text LIKE '%%zeppelin%%')"
            " + (SELECT count(*) FROM private.refusal r WHERE r::text LIKE '%%zeppelin%%')"
        ).fetchone()
    assert kept == (30, 0)
