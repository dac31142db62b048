"""R082, R084, R094: what the curator role stores of gists while others write beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from fonds.contract.embed_string import content_hash
from fonds.contract.failures import MisauthoredInput
from fonds.contract.projection import (
    FailedProjection,
    PassedProjection,
    ProjectionBase,
    SemanticProjection,
)
from fonds.ingestion.curating import window_trips
from fonds.store.archives import open_archive
from fonds.store.curator_store import PostgresCuratorStore
from fonds.store.pools import Pool
from tests.archives import essay, house_of, ingested, note, written
from tests.database.ingesting import rows_of
from tests.servers import Database

BODY = "The brindlewick account stood open for eleven winters before anybody asked about it."
TEXT = f"Zephyrine quillwort ledger\n\n{BODY}"  # a private title is searched with its note
ID = "note:open#p-1"
GIST = "A debt nobody mentions."


@pytest.fixture
def folder(tmp_path: Path, database: Database) -> Path:
    files = {
        "essays/on-kites.md": essay("On Kites", "Let the line out slowly."),
        "notes/open.md": note("An account", BODY, exposure="semantic", locator="p. 1"),
        "notes/shut.md": note("A box", "A box of marlinspikes.", locator="p. 2"),
    }
    made = written(tmp_path, files)
    with house_of(made, database) as house:
        ingested(house)
    return made


@pytest.fixture
def store(folder: Path, pool_of: Callable[..., Pool]) -> PostgresCuratorStore:
    pool = pool_of("fonds_curator")
    return PostgresCuratorStore(pool, open_archive(pool, "example"))


def a_gist(words: str = GIST, *, text: str = TEXT, **changes: object) -> SemanticProjection:
    base = ProjectionBase(ID, "edited", "unreviewed", content_hash(text))
    return PassedProjection(replace(base, **changes), words)


def stored(database: Database) -> list[tuple[object, ...]]:
    return rows_of(
        database,
        "SELECT source, review, vetoed, stale, coalesce(gist, draft) FROM private.projection",
    )


def test_what_asks_or_holds_is_listed_without_its_text(store: PostgresCuratorStore) -> None:
    """R084: a fragment that is only located is listed once it holds a gist."""
    assert [one.fragment_id for one in store.held_gists()] == [ID]
    other = a_gist(fragment_id="note:shut#p-2", text="Other words.")
    assert store.write_projections((a_gist(), other)) == 2
    held = store.held_gists()
    assert [(one.fragment_id, one.exposure, one.require_review) for one in held] == [
        (ID, "semantic", False),
        ("note:shut#p-2", "locator", False),
    ]
    assert held[0].projection == a_gist()
    assert store.held_gists((ID, "note:no#1")) == (held[0],)
    assert "brindlewick" not in repr(held)
    assert GIST not in repr(held)


def test_a_build_s_lint_can_be_tried_without_a_build(store: PostgresCuratorStore) -> None:
    """Private entities, and no public one that asks to be quoted."""
    found = [one.entity.entity_id for one in store.entities_to_lint()]
    assert found == ["note:open", "note:shut"]


def test_words_linted_against_another_text_are_stored_stale(
    store: PostgresCuratorStore, database: Database
) -> None:
    """R082: the text moved between the reading and the writing."""
    store.write_projections((a_gist(text="What stood there before."),))
    assert stored(database) == [("edited", "unreviewed", False, True, GIST)]
    store.write_projections((a_gist(),))
    assert stored(database) == [("edited", "unreviewed", False, False, GIST)]


def test_what_changed_is_noted_by_id_and_what_did_not_is_not(
    store: PostgresCuratorStore, database: Database
) -> None:
    """R192: who, what and which; no word."""
    assert store.write_noted((a_gist(),), "gist edit") == 1
    assert store.write_noted((a_gist(),), "gist edit") == 0
    assert store.write_noted((a_gist(vetoed=True),), "gist veto") == 1
    assert rows_of(
        database, "SELECT actor, action, subject FROM private.audit ORDER BY audit_id"
    ) == [("fonds_curator", "gist edit", ID), ("fonds_curator", "gist veto", ID)]


def test_a_draft_replaces_no_words_of_the_author(
    store: PostgresCuratorStore, database: Database
) -> None:
    """R082: they may have been written while a model was asked."""
    drafted = a_gist("Drafted.", source="generated")
    store.write_projections((a_gist(),))
    assert store.write_drafted(drafted) is False
    assert stored(database) == [("edited", "unreviewed", False, False, GIST)]


def test_a_draft_lifts_no_veto_that_came_meanwhile(
    store: PostgresCuratorStore, database: Database
) -> None:
    """R082: a veto is the author's, and a draft is made without knowing of it."""
    drafted = a_gist("Drafted.", source="generated", model="m", prompt_version="gist.v1")
    assert store.write_drafted(drafted) is True
    assert store.write_drafted(drafted) is False
    store.write_projections((replace(drafted, base=replace(drafted.base, vetoed=True)),))
    again = a_gist("Drafted again.", source="generated", model="m2")
    assert store.write_drafted(again) is True
    assert stored(database) == [("generated", "unreviewed", True, False, "Drafted again.")]


def test_a_draft_fills_words_that_were_erased(
    store: PostgresCuratorStore, database: Database
) -> None:
    """R191: a vetoed row outlives its text; what comes back is drafted and still vetoed."""
    erased = FailedProjection(replace(a_gist().base, vetoed=True), "")
    store.write_projections((erased,))
    assert store.write_drafted(a_gist("Drafted.", source="generated")) is True
    assert stored(database) == [("generated", "unreviewed", True, False, "Drafted.")]


def test_words_about_a_text_that_was_erased_are_not_stored(
    store: PostgresCuratorStore, folder: Path, database: Database
) -> None:
    """R191: the source was removed while a model was asked; nothing of it may come back."""
    (folder / "notes/open.md").unlink()
    with house_of(folder, database) as house:
        ingested(house)
    assert store.write_drafted(a_gist(source="generated")) is False
    assert store.write_projections((a_gist(),)) == 0
    assert stored(database) == []


def test_a_window_of_no_words_is_refused(store: PostgresCuratorStore) -> None:
    """R068."""
    with pytest.raises(MisauthoredInput, match="words: a positive integer"):
        window_trips(store, 0)


def test_another_model_moves_a_row_though_its_words_are_the_same(
    store: PostgresCuratorStore, database: Database
) -> None:
    """R082: else the same gist were drafted again by every run."""
    store.write_drafted(a_gist(source="generated", model="m"))
    assert store.write_drafted(a_gist(source="generated", model="m2")) is True
    assert rows_of(database, "SELECT model FROM private.projection") == [("m2",)]


def test_another_archive_s_gists_are_neither_listed_nor_touched(
    store: PostgresCuratorStore, database: Database, archive: Callable[[str], int]
) -> None:
    """R094."""
    store.write_projections((a_gist(),))
    other = replace(store, archive_id=archive("another"))
    assert other.held_gists() == ()
    assert list(other.entities_to_lint()) == []
    assert list(other.entities_of((ID,))) == []
    assert stored(database) == [("edited", "unreviewed", False, False, GIST)]


def test_the_audit_takes_rows_and_gives_none_back(database: Database, folder: Path) -> None:
    """R192: append-only, for the curator too."""
    with psycopg.connect(database.url("fonds_curator")) as session:
        for statement in ("UPDATE private.audit SET action = 'x'", "DELETE FROM private.audit"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                session.execute(statement)
            session.rollback()
