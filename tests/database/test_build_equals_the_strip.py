"""The build's SQL against its specification, `fonds.boundary.strip`, over every cell (R092)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product

import psycopg

from fonds.boundary.lint import gist_lint
from fonds.boundary.resolution import is_servable_gist, resolve_disclosure
from fonds.boundary.strip import ResolvedFragment, Stripped, strip, without_unserved_parents
from fonds.build.acceptance import Acceptance
from fonds.build.build_report import BuildReport
from fonds.build.build_served import build_served
from fonds.contract.attribution import Attribution
from fonds.contract.build_store import BuildTerms
from fonds.contract.disclosure import Exposure, Raw
from fonds.contract.embed_string import content_hash, embed_string
from fonds.contract.entity import Entity, Policy
from fonds.contract.fragment import Fragment
from fonds.contract.identifier import Identifier
from fonds.contract.locator import Locator
from fonds.contract.ports import VectorRow
from fonds.contract.projection import SemanticProjection
from fonds.contract.served_fragment import ServedEntity, ServedFragment
from fonds.contract.stored_source import ReadSource
from fonds.providers.hashing_embedder import HashingEmbedder
from fonds.store.build_store import PostgresBuildStore
from fonds.store.curator_store import PostgresCuratorStore
from fonds.store.pools import Pool
from fonds.store.private_store import PostgresPrivateStore
from fonds.store.served_store import PostgresServedStore
from tests.factories import (
    a_failed_projection,
    a_fragment,
    a_projection,
    a_projection_base,
    an_entity,
)
from tests.servers import Database

EMBEDDER = HashingEmbedder()
TERMS = BuildTerms(EMBEDDER.space, 0.2, 0.5, 1)
GISTS = ("none", "failed", "vetoed", "stale", "unreviewed", "reviewed")
ASKED: dict[Raw, tuple[Exposure, ...]] = {
    "public": ("text", "semantic", "locator", "none"),
    "private": ("semantic", "locator", "none"),
}
PEOPLE = (
    (),
    (Attribution("Ilse Brandt"),),
    (Attribution("a neighbour", "speaker", placeholder="unnamed"),),
    (Attribution("Ann Ode", "author", (Identifier("orcid", "0000"),)), Attribution("村上")),
)
THEMES = ((), ("wind",), ("tides and tables", "風"))

Pair = tuple[Entity, tuple[Fragment, ...]]
Projections = dict[str, SemanticProjection]


def corpus() -> tuple[list[Pair], Projections]:
    """Each layer with each policy: every exposure with every state of a gist, dates, people and
    themes in turn; and parents that are served, withheld and nowhere.
    """
    pairs: list[Pair] = []
    projections: Projections = {}
    parents = (None, "essay:all-none", "essay:nowhere", "essay:public-False")
    for number, (raw, needs_review) in enumerate(product(ASKED, (False, True))):
        entity = an_entity(
            entity_id=f"{'essay' if raw == 'public' else 'book'}:{raw}-{needs_review}",
            raw=raw,
            exposure="none",
            title=f"Title {number}",
            attribution=PEOPLE[number],
            date=(None, "1974", "1974-03", None)[number],
            version=(None, "second", None, "")[number] or None,
            identifiers=(Identifier("isbn", str(number)),) if number % 2 else (),
            parent=parents[number],
            themes=THEMES[number % 3],
            policy=Policy(require_review=needs_review),
        )
        pairs.append((entity, tuple(fragments_of(entity, projections))))
    withheld = an_entity(entity_id="essay:all-none", raw="public", exposure="none")
    pairs.append(
        (withheld, (a_fragment(entity_id="essay:all-none", raw="public", exposure="none"),))
    )
    return pairs, projections


def fragments_of(entity: Entity, projections: Projections) -> Iterator[Fragment]:
    raw = entity.disclosure.raw
    for number, (exposure, gist) in enumerate(product(ASKED[raw], GISTS)):
        public = raw == "public"
        fragment = a_fragment(
            entity_id=entity.entity_id,
            raw=raw,
            exposure=exposure,
            place=(
                Locator("chapter", str(number + 1)),
                Locator("page", "7", "9" if number % 2 else None),
            ),
            text=f"Passage {number} of {entity.entity_id} says what no other passage says.",
            attribution=PEOPLE[number % 4],
            date=("1981", None, "1981-02-03", None)[number % 4],
            summary="A summary." if public and number % 2 else None,
            themes=THEMES[number % 3],
            trail=("Part", "Chapter") if public and number % 3 else (),
            source_review="in-review" if number % 2 else None,
        )
        if gist != "none":
            projections[fragment.fragment_id] = projection_of(fragment, gist)
        yield fragment


def projection_of(fragment: Fragment, state: str) -> SemanticProjection:
    base = replace(
        a_projection_base(fragment_id=fragment.fragment_id, text=fragment.text),
        vetoed=state == "vetoed",
        stale=state == "stale",
        review="reviewed" if state == "reviewed" else "unreviewed",
        source="edited" if state == "reviewed" else "generated",
    )
    return a_failed_projection(base=base) if state == "failed" else a_projection(base=base)


def specified(pairs: Iterable[Pair], projections: Projections) -> tuple[Stripped, ...]:
    """What the pure functions let out of the corpus."""
    served = [
        stripped
        for entity, fragments in pairs
        if (stripped := strip(entity, [resolved(entity, one, projections) for one in fragments]))
    ]
    return without_unserved_parents(served)


def resolved(entity: Entity, fragment: Fragment, projections: Projections) -> ResolvedFragment:
    projection = projections.get(fragment.fragment_id)
    known = resolve_disclosure(
        fragment.disclosure.exposure, entity.disclosure, projection, entity.policy, "here"
    )
    if known.exposure != "semantic" or not is_servable_gist(projection, entity.policy):
        return ResolvedFragment(fragment, known, projection)
    linted = gist_lint(
        projection.gist,
        fragment_text=fragment.text,
        entity_text=None,
        window=entity.policy.lint,
        path="here",
    )
    return ResolvedFragment(fragment, known, projection, linted)


def stored(
    pairs: list[Pair], projections: Projections, pool_of: Callable[..., Pool], archive_id: int
) -> None:
    """The corpus as ingest and the curator leave it, with a vector for all that is served."""
    private = PostgresPrivateStore(pool_of("fonds_ingest"), archive_id)
    sources = [
        ReadSource(f"here/{e.entity_id}", e.disclosure.raw, "0", "0", ((e, fragments),))
        for e, fragments in pairs
    ]
    private.write_sources(sources, publish=frozenset())
    flat = [(e, f) for e, fragments in pairs for f in fragments if f.disclosure.exposure != "none"]
    texts = [embed_string(entity, fragment) for entity, fragment in flat]
    vectors = [vector for vector in EMBEDDER.embed_passages(texts).vectors if vector is not None]
    rows = [
        VectorRow(fragment.fragment_id, content_hash(text), vector)
        for (_, fragment), text, vector in zip(flat, texts, vectors, strict=True)
    ]
    private.write_vectors(EMBEDDER.space, rows)
    curator = PostgresCuratorStore(pool_of("fonds_curator"), archive_id)
    assert curator.write_projections(tuple(projections.values())) == len(projections)


def built(pool_of: Callable[..., Pool], archive_id: int) -> BuildReport:
    return build_served(
        PostgresBuildStore(pool_of("fonds_build"), archive_id),
        TERMS,
        lambda strings: (),
        acceptance=Acceptance("all"),
    )


def served(
    pool_of: Callable[..., Pool], archive_id: int, ids: Iterable[str]
) -> tuple[dict[str, ServedFragment], dict[str, ServedEntity]]:
    """All that the reader's role gets to see of these fragments."""
    with PostgresServedStore(pool_of("fonds_reader"), archive_id).reading() as reader:
        content = reader.content(list(ids))
    return (
        {fragment_id: fragment for fragment_id, (fragment, _) in content.items()},
        {entity.entity_id: entity for _, entity in content.values()},
    )


def test_the_database_strips_as_the_specification_does(
    pool_of: Callable[..., Pool], archive_id: int, database: Database
) -> None:
    """R092, R026: every cell of the policy with every state of a gist, row by row.

    One difference is meant: a served fragment without a date shows and filters by its entity's.
    """
    pairs, projections = corpus()
    stored(pairs, projections, pool_of, archive_id)
    report = built(pool_of, archive_id)
    expected = specified(pairs, projections)
    dates = {one.entity.entity_id: one.entity.date for one in expected}
    every_id = [fragment.fragment_id for _, fragments in pairs for fragment in fragments]
    fragments, entities = served(pool_of, archive_id, every_id)
    assert entities == {one.entity.entity_id: one.entity for one in expected}
    assert fragments == {
        fragment.fragment_id: replace(fragment, date=fragment.date or dates[fragment.entity_id])
        for one in expected
        for fragment in one.fragments
    }
    assert (report.entities, report.fragments) == (len(entities), len(fragments))
    with psycopg.connect(database.admin_url) as session:
        counted = session.execute("SELECT count(*) FROM served.embedding").fetchone()
    assert counted == (len(fragments),)


def test_the_corpus_reaches_every_cell() -> None:
    """The premise: each outcome occurs, so that equal means something."""
    pairs, projections = corpus()
    cells = {
        (f.disclosure.raw, f.disclosure.exposure)
        for one in specified(pairs, projections)
        for f in one.fragments
    }
    assert cells == {
        ("public", "text"),
        ("public", "semantic"),
        ("public", "locator"),
        ("private", "semantic"),
        ("private", "locator"),
    }
    downgraded = [
        fragment.fragment_id
        for entity, fragments in pairs
        for fragment in fragments
        if fragment.disclosure.exposure == "semantic"
        and resolved(entity, fragment, projections).disclosure.exposure == "locator"
    ]
    assert len(downgraded) == 2 * (4 + 5)
    assert {one.entity.parent for one in specified(pairs, projections)} == {
        None,
        "essay:public-False",
    }


def test_names_and_themes_are_served_for_matching_and_placeholders_are_not(
    pool_of: Callable[..., Pool], archive_id: int, database: Database
) -> None:
    """R106: a placeholder is no person that could be asked for."""
    pairs, projections = corpus()
    stored(pairs, projections, pool_of, archive_id)
    built(pool_of, archive_id)
    with psycopg.connect(database.admin_url) as session:
        names = session.execute(
            "SELECT DISTINCT kind, name FROM served.name ORDER BY 1, 2"
        ).fetchall()
        themes = session.execute(
            "SELECT DISTINCT phrase FROM served.phrase WHERE kind = 'theme' ORDER BY 1"
        ).fetchall()
    assert names == [
        ("creator", "ann ode"),
        ("creator", "ilse brandt"),
        ("creator", "村上"),
        ("speaker", "ann ode"),
        ("speaker", "ilse brandt"),
        ("speaker", "村上"),
    ]
    assert themes == [("tides and tables",), ("wind",)]
