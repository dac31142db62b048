"""The example archive as the stages read it, with no database between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fonds.archive_config import ArchiveConfig
from fonds.archive_file import read_archive_file
from fonds.boundary.resolution import resolve_disclosure
from fonds.boundary.strip import ResolvedFragment, Stripped, strip, without_unserved_parents
from fonds.build.checking import Checked, check_entities
from fonds.contract.build_store import StoredEntity, StoredFragment
from fonds.contract.embed_string import content_hash
from fonds.contract.projection import SemanticProjection
from fonds.contract.swept_string import SweptString
from fonds.evaluation.gold import GoldSuite, read_gold
from fonds.ingestion.corpus import found_corpus
from fonds.ingestion.gist_changes import GistChanges
from fonds.ingestion.import_gists import import_gists
from fonds.ingestion.inventory import taken_inventory
from fonds.ingestion.reading import read_file
from fonds.ingestion.roots import checked_roots

ROOT = Path(__file__).parents[2]


@dataclass
class Gists:
    """The curator's store in memory: what was written over the entities that were read."""

    entities: list[StoredEntity]
    written: dict[str, SemanticProjection] = field(default_factory=dict[str, SemanticProjection])

    def entities_of(self, fragment_ids: Sequence[str]) -> Iterator[StoredEntity]:
        for stored in self.entities:
            if any(part.fragment_id in fragment_ids for part in stored.fragments):
                yield stored

    def write_projections(self, projections: Sequence[SemanticProjection]) -> int:
        self.written |= {one.base.fragment_id: one for one in projections}
        return len(projections)


@dataclass(frozen=True, repr=False)
class Example:
    """The example after ingest, import, check and strip, as the stages do them."""

    config: ArchiveConfig
    suite: GoldSuite
    imported: GistChanges
    stored: tuple[StoredEntity, ...]
    checked: Checked
    cells: dict[str, tuple[str, str]]
    served: tuple[Stripped, ...]

    def texts(self, raw: str) -> dict[str, str]:
        return {
            part.fragment_id: part.fragment.text
            for one in self.stored
            for part in one.fragments
            if one.entity.disclosure.raw == raw
        }


def read_example() -> Example:
    """Raises what any stage raises; a file that is refused fails by an assertion."""
    config = read_archive_file(ROOT / "example_content")
    assert config.gold is not None
    assert config.gists is not None
    gists = Gists(list(read_entities(config)))
    imported = import_gists(config.gists, gists)
    stored = tuple(with_gists(one, gists.written) for one in gists.entities)
    checked = check_entities(stored)
    resolved = [(one, tuple(resolved_fragments(one, checked))) for one in stored]
    return Example(
        config=config,
        suite=read_gold(config.gold, author=config.author),
        imported=imported,
        stored=stored,
        checked=checked,
        cells={
            part.fragment.fragment_id: (part.disclosure.raw, part.disclosure.exposure)
            for _, parts in resolved
            for part in parts
        },
        served=without_unserved_parents(
            [one for stored, parts in resolved if (one := strip(stored.entity, parts))]
        ),
    )


def read_entities(config: ArchiveConfig) -> Iterator[StoredEntity]:
    """Every file through the adapters; one that is refused fails the test with its reason."""
    corpus = found_corpus(checked_roots(config))
    inventory = taken_inventory(corpus, {}, frozenset(), lambda step, done, of: None)
    assert inventory.refused == ()
    for candidate in inventory.candidates:
        read = read_file(candidate, config)
        assert read.source is not None, f"{candidate.file.key} holds no text"
        for entity, fragments in read.source.pairs:
            yield StoredEntity(
                entity,
                tuple(
                    StoredFragment(one.fragment_id, one, content_hash(one.text), None)
                    for one in fragments
                ),
            )


def with_gists(stored: StoredEntity, written: dict[str, SemanticProjection]) -> StoredEntity:
    return StoredEntity(
        stored.entity,
        tuple(
            StoredFragment(
                part.fragment_id, part.fragment, part.text_hash, written.get(part.fragment_id)
            )
            for part in stored.fragments
        ),
    )


def resolved_fragments(stored: StoredEntity, checked: Checked) -> Iterator[ResolvedFragment]:
    linted = {gist.fragment_id: gist.gist for gist in checked.gists}
    for part in stored.fragments:
        disclosure = resolve_disclosure(
            part.fragment.disclosure.exposure,
            stored.entity.disclosure,
            part.projection,
            stored.entity.policy,
            part.fragment_id,
        )
        yield ResolvedFragment(
            part.fragment, disclosure, part.projection, linted.get(part.fragment_id)
        )


def served_strings(example: Example) -> Iterable[SweptString]:
    """All that travels of the example, public text and public metadata included."""
    for one in example.served:
        entity = one.entity
        shown = [entity.title, entity.url, entity.entity_id, entity.version or "", *entity.themes]
        shown += [person.name for person in entity.attribution]
        for part in one.fragments:
            shown += [part.fragment_id, part.label, part.text, part.summary, *part.themes]
            if part.gist is not None:
                yield SweptString(part.fragment_id, entity.entity_id, "gist", part.gist.gist)
        for text in shown:
            yield SweptString(entity.entity_id, entity.entity_id, "title", text)
