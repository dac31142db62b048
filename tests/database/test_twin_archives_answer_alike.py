"""Archives that differ only in what nobody may be told of are told apart by no request (R097)."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import psycopg
import pytest

from tests.database.at_once import within_one_day
from tests.database.rows import cloned
from tests.database.twins import (
    FILTERS,
    GATES,
    HIDDEN_IN,
    QUESTIONS,
    Twin,
    built,
    calibration,
    differences,
    without_counts,
)
from tests.hosts import client_of, host_of, minted
from tests.servers import Database, TestServer

Twins = dict[tuple[str, str], Twin]
PAIRS = {
    (gate, hidden): f"twin-{at}-{on}"
    for at, gate in enumerate(GATES)
    for on, hidden in enumerate(HIDDEN_IN)
}


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    with cloned(server, template) as made:
        yield made


@pytest.fixture(scope="module")
def twins(shared: Database, tmp_path_factory: pytest.TempPathFactory) -> Generator[Twins]:
    """An archive a gate and a hidden lot, all served by one application."""
    root = tmp_path_factory.mktemp("twins")
    folders = {
        slug: built(root, slug, hidden, gate, shared) for (gate, hidden), slug in PAIRS.items()
    }
    with host_of(shared, folders) as hosting, client_of(hosting) as client:
        yield {
            pair: Twin(client, slug, minted(shared, slug, "search", "ask"))
            for pair, slug in PAIRS.items()
        }


def found(twin: Twin) -> dict[str, str]:
    """What whoever looks for passages is told: of each question once more, from what is kept."""
    said = {"about": twin.about(), "refused": twin.searched("kites", {"filters": {"raw": "none"}})}
    said["about page"] = twin.about_page()
    for query in QUESTIONS:
        for at, more in enumerate(FILTERS):
            said[f"search {query} {at}"] = twin.searched(query, more)
        said[f"again {query}"] = twin.searched(query, {})
        said[f"tool {query}"] = twin.called({"q": query})
    return said


def answered(twin: Twin, *filters: dict[str, object]) -> dict[str, str]:
    """What whoever asks is told; the gate stands between."""
    said = {
        f"ask {query} {more}": twin.asked(query, more) for query in QUESTIONS for more in filters
    }
    if {} in filters:
        said |= {f"page {query}": twin.asked_on_its_page(query) for query in QUESTIONS}
    return said


def of_public_layers(twin: Twin) -> dict[str, str]:
    """What is found where private layers are filtered out."""
    said = {"about": twin.about(), "about page": twin.about_page()}
    for query in QUESTIONS:
        for at, more in enumerate(FILTERS):
            filters = {"filters": {"undated": "include", "raw": "public"}}
            said[f"search {query} {at}"] = twin.searched(query, {**more, **filters})
        said[f"tool {query}"] = twin.called({"q": query, "filters": {"raw": "public"}})
    return {name: without_counts(text) for name, text in said.items()}


def test_what_is_exposed_as_none_changes_no_byte_of_what_is_found(twins: Twins) -> None:
    """Hits, order, sizes, counts, statuses, headers, kept or not."""
    one, other = (found(twins["provisional", hidden]) for hidden in ("bare", "none"))
    assert differences(one, other) == []


@pytest.mark.parametrize("gate", list(GATES))
def test_what_is_exposed_as_none_changes_no_answer_and_no_reason(twins: Twins, gate: str) -> None:
    one, other = (
        answered(twins[gate, hidden], {}, {"filters": {"raw": "private"}})
        for hidden in ("bare", "none")
    )
    assert differences(one, other) == []


def test_private_material_changes_nothing_that_is_found_in_public_layers(twins: Twins) -> None:
    """But for how much the index holds, which is said of all that is served."""
    one, other = (of_public_layers(twins["provisional", hidden]) for hidden in ("bare", "full"))
    assert differences(one, other) == []


@pytest.mark.parametrize("gate", list(GATES))
def test_private_material_changes_no_answer_from_public_layers(twins: Twins, gate: str) -> None:
    one, other = (
        answered(twins[gate, hidden], {"filters": {"raw": "public"}}) for hidden in ("bare", "full")
    )
    assert differences(one, other) == []


@pytest.mark.parametrize("gate", list(GATES))
def test_the_gate_of_a_twin_stands_where_the_others_does(
    shared: Database, twins: Twins, gate: str
) -> None:
    """Nothing of it moves with what is exposed as none, and nothing that public layers meet with
    what is private.
    """
    bare, none, full = (calibration(shared, twins[gate, hidden].slug) for hidden in HIDDEN_IN)
    assert bare["source"] == ("own" if gate == "fitted" else "bank")
    assert none == bare
    moved = {name for name in bare if full[name] != bare[name]}
    assert moved == {"hint_threshold"}


@pytest.fixture
def little_is_allowed(shared: Database) -> Generator[None]:
    """Every archive allows a caller six requests a day, and of those two private questions."""
    changed = "UPDATE private.access SET caller_per_day = %s, private_per_day = %s"
    with psycopg.connect(shared.admin_url, autocommit=True) as session:
        before = session.execute(
            "SELECT DISTINCT caller_per_day, private_per_day FROM private.access"
        ).fetchall()
        session.execute(changed, (6, 2))
        yield
        (kept,) = before
        session.execute(changed, kept)


@pytest.mark.usefixtures("little_is_allowed")
@pytest.mark.parametrize(
    ("hidden", "filters", "counted"),
    [
        ("none", {}, 3),
        ("none", {"filters": {"raw": "public"}}, 6),
        ("full", {"filters": {"raw": "public"}}, 6),
    ],
)
def test_what_is_hidden_uses_up_nothing_of_a_day(
    shared: Database, twins: Twins, hidden: str, filters: dict[str, object], counted: int
) -> None:
    """R187: requests and private questions end at the same question for both."""

    def spent(of: str) -> list[str]:
        twin = twins["provisional", of]
        key = minted(shared, twin.slug, "search")
        return [
            without_counts(replace(twin, key=key).searched(query, filters)) for query in QUESTIONS
        ]

    told = within_one_day(shared, lambda: [*spent("bare"), *spent(hidden)])
    one, other = told[: len(QUESTIONS)], told[len(QUESTIONS) :]
    assert one == other
    assert [said[:3] for said in one].count("200") == counted
