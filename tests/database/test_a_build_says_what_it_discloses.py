"""A build reports the difference a caller could see, and what widens waits (R191)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fonds.boundary.crossing import project
from fonds.build.acceptance import need_of
from fonds.build.build_report import BuildReport
from fonds.build.preview import Previewed
from fonds.contract.disclosure import STRICTNESS
from fonds.contract.evidence_hit import EvidenceHit
from fonds.contract.failures import Failure, NothingServed
from fonds.contract.scored_hit import ScoredHit
from fonds.ingestion.curating import edit_gist, veto_gists
from fonds.store.archives import open_archive
from fonds.store.served_store import PostgresServedStore
from fonds.wiring.house import House
from tests.archives import essay, house_of, ingested, note, published, written
from tests.database.ingesting import rows_of
from tests.servers import Database

ESSAY = "essay:kites#whole"
NOTE = "note:diary#p-4"
GISTS = ("A quarrel about a boat.", "An old debt, settled late.")


def all_hits(house: House) -> dict[str, EvidenceHit]:
    """Whatever the reader's role could be shown, by fragment id; empty before the first build."""
    pool = house.pool("fonds_reader")
    archive_id = open_archive(pool, house.config.slug)
    with suppress(NothingServed), PostgresServedStore(pool, archive_id).reading() as reader:
        content = reader.content([one for one in house.known_ids() if "#" in one])
        return {
            fragment_id: project(ScoredHit(fragment, entity, 0.5, 0.5, {"cosine": 0.5}))
            for fragment_id, (fragment, entity) in content.items()
        }
    return {}


def kind_of(was: EvidenceHit | None, becomes: EvidenceHit | None) -> str | None:
    """By the hits alone, without a look at how a build tells them apart."""
    if was == becomes:
        return None
    if becomes is None:
        return "withdrawn"
    if was is None:
        return "disclosed"
    before, after = STRICTNESS[was.exposure], STRICTNESS[becomes.exposure]
    if before == after:
        return "changed"
    return "disclosed" if after < before else "withdrawn"


def brute_force(
    before: Mapping[str, EvidenceHit], after: Mapping[str, EvidenceHit]
) -> dict[str, str]:
    kinds = {one: kind_of(before.get(one), after.get(one)) for one in {*before, *after}}
    return {one: kind for one, kind in kinds.items() if kind is not None}


def reported(report: BuildReport) -> dict[str, str]:
    assert len({change.fragment_id for change in report.changes}) == len(report.changes)
    return {change.fragment_id: change.kind for change in report.changes}


notes = st.fixed_dictionaries(
    {
        "exposure": st.sampled_from(["semantic", "locator", "none"]),
        "label": st.sampled_from(["Spring", "Autumn"]),
        "body": st.sampled_from(["She sold the boat.", "He kept the boat all his life."]),
        "gist": st.sampled_from([*GISTS, "veto", None]),
    }
)
essays = st.fixed_dictionaries(
    {
        "exposure": st.sampled_from(["text", "semantic", "locator", "none"]),
        "title": st.sampled_from(["Kites", "On Kites"]),
        "body": st.sampled_from(["Kites over the dyke.", "Kites and their strings."]),
        "gist": st.sampled_from([*GISTS, None]),
    }
)
states = st.fixed_dictionaries(
    {
        "notes": st.dictionaries(st.sampled_from(["diary", "ledger"]), notes),
        "essays": st.dictionaries(st.sampled_from(["kites", "tides"]), essays, min_size=1),
        "accepts": st.sampled_from(["yes", "no", "digest", "wrong"]),
    }
)


def put(folder: Path, slug: str, state: Mapping[str, Any]) -> None:
    """The files as this state has them."""
    for old in (*folder.glob("notes/*.md"), *folder.glob("essays/*.md")):
        old.unlink()
    files = {
        f"notes/{slug}.md": note(one["label"], one["body"], exposure=one["exposure"])
        for slug, one in state["notes"].items()
    } | {
        f"essays/{slug}.md": essay(one["title"], one["body"]).replace(
            "date:", f"exposure: {one['exposure']}\ndate:"
        )
        for slug, one in state["essays"].items()
    }
    written(folder, files, slug)


def gist_all(house: House, state: Mapping[str, Any]) -> None:
    store = house.curator_store()
    described = {f"note:{slug}#p-4": one["gist"] for slug, one in state["notes"].items()}
    described |= {f"essay:{slug}#whole": one["gist"] for slug, one in state["essays"].items()}
    for fragment_id, gist in described.items():
        if gist == "veto":
            veto_gists(store, (fragment_id,), vetoed=True)
        elif gist is not None:
            edit_gist(store, fragment_id, gist)
            veto_gists(store, (fragment_id,), vetoed=False)


def build(house: House, accepts: str) -> BuildReport | None:
    """None where nothing is to be served at all."""
    try:
        if accepts == "digest":
            waiting = house.preview().waiting
            digest = house.build(dry_run=True).accept if waiting else None
            report = house.build(accept=digest)
            assert report.waiting == ()
            return report
        return house.build(yes=accepts == "yes", accept="0" * 16 if accepts == "wrong" else None)
    except Failure as trouble:
        if "holds nothing to serve" not in str(trouble):
            raise
        return None


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(states, min_size=2, max_size=3))
def test_the_difference_is_that_of_all_hits(
    database: Database, tmp_path_factory: pytest.TempPathFactory, steps: list[dict[str, Any]]
) -> None:
    """R191: the report names exactly the hits that differ, and nothing goes out unaccepted."""
    folder = tmp_path_factory.mktemp("archive")
    with house_of(written(folder, {}, slug=folder.name.lower()), database) as house:
        for state in steps:
            put(folder, house.config.slug, state)
            ingested(house)
            gist_all(house, state)
            before = all_hits(house)
            report = build(house, state["accepts"])
            after = all_hits(house)
            if report is None:
                continue
            assert reported(report) == brute_force(before, after)
            needs = {need_of(change) for change in report.changes}
            if state["accepts"] in {"no", "wrong"}:
                assert needs <= {None, "public widening"}
            else:
                assert not report.waiting


def test_a_preview_is_what_the_next_build_does(database: Database, tmp_path: Path) -> None:
    """R191: the same difference, the same fragments, and nothing is kept."""
    files = {
        "essays/kites.md": essay("Kites", "Kites over the dyke."),
        "notes/diary.md": note("Diary", "She sold the boat.", exposure="semantic"),
        "notes/ledger.md": note("Ledger", "He owed forty crowns.", exposure="none"),
    }
    with house_of(written(tmp_path, files), database) as house:
        ingested(house)
        seen: list[Previewed] = []
        difference = house.preview(on_fragment=seen.append)
        assert rows_of(database, "SELECT count(*) FROM served.build") == [(0,)]
        assert [
            (
                one.row.fragment_id,
                one.row.asks,
                one.row.shows and one.row.shows.exposure,
                one.reason,
            )
            for one in seen
        ] == [
            (ESSAY, "text", "text", None),
            (NOTE, "semantic", "locator", "no gist"),
            ("note:ledger#p-4", "none", None, "withheld by its exposure"),
        ]
        assert [one.fragment_id for one in difference.waiting] == [NOTE]
        report = house.build(yes=True)
        assert report.changes == difference.changes
        assert house.preview().changes == ()
        only: list[Previewed] = []
        house.preview(("note:diary",), on_fragment=only.append)
        assert [one.row.fragment_id for one in only] == [NOTE]


def test_what_waits_is_served_once_it_is_accepted(database: Database, tmp_path: Path) -> None:
    """R191, R192: the rest is published, the digest serves what was shown, the audit notes ids."""
    files = {
        "essays/kites.md": essay("Kites", "Kites over the dyke."),
        "notes/diary.md": note("Diary", "She sold the boat."),
    }
    with house_of(written(tmp_path, files), database) as house:
        ingested(house)
        first = house.build()
        assert (first.switched, first.fragments, first.exit_code) == (True, 1, 4)
        assert set(all_hits(house)) == {ESSAY}
        assert rows_of(database, "SELECT count(*) FROM served.embedding") == [(1,)]
        again = house.build()
        assert (again.unchanged, again.waiting, again.exit_code) == (True, first.waiting, 4)
        assert house.build(accept="0" * 16).unchanged
        accepted = house.build(accept=first.accept)
        assert (accepted.switched, accepted.waiting, accepted.exit_code) == (True, (), 0)
        assert set(all_hits(house)) == {ESSAY, NOTE}
        assert rows_of(database, "SELECT action, subject FROM private.audit") == [("accept", NOTE)]
        assert house.build().unchanged


def test_an_archive_that_is_all_private_publishes_nothing_unasked(
    database: Database, tmp_path: Path
) -> None:
    files = {"notes/diary.md": note("Diary", "She sold the boat.")}
    with house_of(written(tmp_path, files), database) as house:
        ingested(house)
        report = house.build()
        assert (report.build_id, report.switched, report.exit_code) == (None, False, 4)
        assert rows_of(database, "SELECT count(*) FROM served.build") == [(0,)]
        assert house.build(accept=report.accept).fragments == 1


def test_words_that_change_after_they_were_accepted_wait_again(
    database: Database, tmp_path: Path
) -> None:
    files = {
        "essays/kites.md": essay("Kites", "Kites over the dyke."),
        "notes/diary.md": note("Diary", "She sold the boat.", exposure="semantic"),
    }
    with house_of(written(tmp_path, files), database) as house:
        published(house)
        edit_gist(house.curator_store(), NOTE, GISTS[0])
        shown = house.build(dry_run=True)
        assert [need_of(one) for one in shown.waiting] == ["gist first served"]
        edit_gist(house.curator_store(), NOTE, GISTS[1])
        report = house.build(accept=shown.accept)
        assert [one.fragment_id for one in report.waiting] == [NOTE]
        assert all_hits(house)[NOTE].exposure == "locator"
        assert house.build(accept=report.accept).switched
        served = "SELECT gist FROM served.fragment WHERE gist IS NOT NULL"
        assert rows_of(database, served) == [(GISTS[1],)]


def test_public_text_that_waits_keeps_the_words_it_travels_with(
    database: Database, tmp_path: Path
) -> None:
    """R191, `widen = "ask"`: what is to become text stays described until that is accepted."""
    described = essay("Kites", "Kites over the dyke.").replace("date:", "exposure: semantic\ndate:")
    folder = written(tmp_path, {"essays/kites.md": described})
    (folder / "archive.toml").write_text(
        (folder / "archive.toml").read_text(encoding="utf-8") + '[schedule]\nwiden = "ask"\n',
        encoding="utf-8",
    )
    with house_of(folder, database) as house:
        ingested(house)
        edit_gist(house.curator_store(), ESSAY, GISTS[0])
        assert house.build(yes=True).fragments == 1
        written_text = essay("Kites, again", "Kites over the dyke.")
        (folder / "essays/kites.md").write_text(written_text, encoding="utf-8")
        ingested(house)
        report = house.build()
        assert [need_of(one) for one in report.waiting] == ["public widening"]
        assert [(one.kind, one.fields) for one in report.changes] == [("changed", ("title",))]
        hit = all_hits(house)[ESSAY]
        assert (hit.exposure, hit.provenance.entity.title) == ("semantic", "Kites, again")
        assert house.build(yes=True).switched
        assert all_hits(house)[ESSAY].exposure == "text"


def test_a_parent_that_waits_or_was_withdrawn_is_not_named(
    database: Database, tmp_path: Path
) -> None:
    """R026: an id is a trace too, in what a build serves and in every kept build."""
    parent = note("Diary", "She sold the boat.")
    child = essay("Kites", "Kites over the dyke.").replace("date:", "parent: note:diary\ndate:")
    folder = written(tmp_path, {"essays/kites.md": child, "notes/diary.md": parent})
    with house_of(folder, database) as house:
        ingested(house)
        house.build()
        assert all_hits(house)[ESSAY].provenance.entity.parent is None
        house.build(yes=True)
        assert all_hits(house)[ESSAY].provenance.entity.parent == "note:diary"
        (folder / "notes/diary.md").unlink()
        ingested(house)
        assert all_hits(house)[ESSAY].provenance.entity.parent is None
