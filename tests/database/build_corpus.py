"""An archive of so many entities to build, and a build's session that leaves nothing."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress

from fonds.build.checking import check_entities
from fonds.build.words import normalised_words
from fonds.contract.attribution import Attribution
from fonds.contract.build_store import BuildTerms
from fonds.contract.embed_string import content_hash, embed_string
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.entity import Entity
from fonds.contract.fragment import Fragment
from fonds.contract.ports import VectorRow
from fonds.contract.stored_source import ReadSource
from fonds.store.build_session import PostgresBuildSession
from fonds.store.build_store import PostgresBuildStore
from fonds.store.curator_store import PostgresCuratorStore
from fonds.store.pools import Pool
from fonds.store.private_store import PostgresPrivateStore
from tests.factories import a_fragment, a_projection, a_projection_base, an_entity, chapter

SPACE = EmbeddingSpace("given", "one vector for all", 3)
TERMS = BuildTerms(SPACE, 0.2, 0.5, 1)
PARTS = 3  # fragments an entity
PUBLIC_WORD, PRIVATE_WORD = b"kitestring", b"quillfeather"
PoolOf = Callable[..., Pool]


def sources(entities: int) -> Iterator[ReadSource]:
    """As many public essays as private notes, each with themes, a creator and speakers."""
    for number in range(entities):
        for raw in ("public", "private"):
            entity = an_entity(
                entity_id=f"{'essay' if raw == 'public' else 'note'}:{number}",
                raw=raw,
                exposure="text" if raw == "public" else "semantic",
                title=f"Title {number}",
                attribution=(Attribution(f"Creator {number}"),),
                themes=(f"theme {number}", "tides"),
                parent=f"essay:{number - 1}" if number else None,
            )
            fragments = tuple(fragment(entity, part) for part in range(PARTS))
            yield ReadSource(entity.entity_id, raw, "0", "0", ((entity, fragments),))


def fragment(entity: Entity, part: int) -> Fragment:
    public = entity.disclosure.raw == "public"
    return a_fragment(
        entity_id=entity.entity_id,
        raw=entity.disclosure.raw,
        exposure=entity.disclosure.exposure,
        place=chapter(part + 1),
        text=f"{(PUBLIC_WORD if public else PRIVATE_WORD).decode()} {part} of {entity.entity_id}",
        attribution=(Attribution(f"Speaker {entity.entity_id}"),),
        themes=(f"subject {entity.entity_id}",) if part else (),
    )


def stored(pool_of: PoolOf, archive_id: int, made: Sequence[ReadSource]) -> None:
    private = PostgresPrivateStore(pool_of("fonds_ingest"), archive_id)
    private.write_sources(made)
    pairs = [(e, f) for source in made for e, fragments in source.pairs for f in fragments]
    private.write_vectors(
        SPACE,
        [
            VectorRow(f.fragment_id, content_hash(embed_string(e, f)), (1.0, 0.0, 0.0))
            for e, f in pairs
        ],
    )
    projections = [
        a_projection(base=a_projection_base(fragment_id=f.fragment_id, text=f.text))
        for _, f in pairs
        if f.disclosure.exposure == "semantic"
    ]
    PostgresCuratorStore(pool_of("fonds_curator"), archive_id).write_projections(projections)


class _TakenBack(Exception):
    """Ends a session whose build is not to be kept."""


@contextmanager
def session_of(pool_of: PoolOf, archive_id: int) -> Generator[PostgresBuildSession]:
    """A build's session, taken back at its end."""
    store = PostgresBuildStore(pool_of("fonds_build"), archive_id)
    with suppress(_TakenBack), store.session(TERMS) as session:
        assert isinstance(session, PostgresBuildSession)
        yield session
        raise _TakenBack


@contextmanager
def materialised(
    pool_of: PoolOf, archive_id: int, entities: int
) -> Generator[PostgresBuildSession]:
    """A session in which a build of so many entities a layer is written, and then taken back."""
    stored(pool_of, archive_id, list(sources(entities)))
    with session_of(pool_of, archive_id) as session:
        session.serve(check_entities(session.entities_to_check()).gists, normalised_words(session))
        session.finish(())
        yield session
