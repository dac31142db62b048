"""A consumer's own material: entities and fragments that no adapter of ours reads (R027, R120)."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from fonds.boundary.lint import metadata_lint_findings
from fonds.contract.entity import Entity
from fonds.contract.failures import MisauthoredFile, MisauthoredInput
from fonds.contract.fragment import Fragment
from fonds.contract.ports import Embedder, PrivateStore
from fonds.contract.search_request import is_clean_text
from fonds.contract.stored_source import ReadSource, StoredSource
from fonds.contract.value_parts import value_parts
from fonds.ingestion.embedding import VectorKeeper
from fonds.ingestion.inventory import Progress
from fonds.ingestion.kept_run import keep_run
from fonds.ingestion.report import EmbeddingStopped, IngestReport, RefusedFile, Standing

# Sources that are no file: `fonds ingest` leaves them alone, and they leave with their own pairs.
PAIRS_PREFIX = "pairs:"
BATCH_ENTITIES = 256


def ingest_pairs(
    source: str,
    pairs: Iterable[tuple[Entity, Fragment]],
    store: PrivateStore,
    embedder: Embedder,
    *,
    progress: Progress = lambda step, done, total: None,
    publish: frozenset[str] = frozenset(),
) -> IngestReport:
    """Make what `source` stands for exactly these pairs: write what moved, embed what lacks a
    vector,
    remove what is gone.

    An entity that breaks a rule is refused alone and named by its id: two descriptions that differ,
    a fragment under another entity's id, an id twice, a private entity whose metadata quotes.
    Raises EmbeddingStopped with the report when rows are stored and vectors wait.
    """
    known = store.sources()
    stored = {key for key in known if key.startswith(_prefix(source))}
    report = IngestReport()
    described = _grouped(pairs)
    report.found = len(described)
    accepted = list(_accepted(source, described, known, report))
    public = [one for one in accepted if one.raw == "public" and not _is_among(publish, one)]
    once_private: Mapping[str, str] = store.once_private(public) if public else {}
    for key, reason in once_private.items():
        report.note_refused(RefusedFile(key, "", None, reason, "not stored"))
    gone = sorted(stored - {f"{_prefix(source)}{entity_id}" for entity_id in described})
    if gone:
        report.rows += store.remove_sources(gone)
        report.removed += gone
    kept = [one for one in accepted if one.source_key not in once_private]
    return _kept(kept, store, embedder, report, progress, publish)


def is_pairs_key(source_key: str) -> bool:
    """Whether a stored source is no file of the author's but a consumer's pairs."""
    return source_key.startswith(PAIRS_PREFIX)


def _accepted(
    source: str,
    described: Mapping[str, list[tuple[Entity, Fragment]]],
    known: Mapping[str, StoredSource],
    report: IngestReport,
) -> Iterator[ReadSource]:
    own = _prefix(source)
    holders = {
        entity_id: key
        for key, one in known.items()
        if not key.startswith(own)
        for entity_id in one.entity_ids
    }
    for entity_id, pairs in described.items():
        key = f"{own}{entity_id}"
        try:
            yield _read(key, pairs, holders.get(entity_id))
        except MisauthoredFile as refusal:
            standing: Standing = "kept" if key in known else "not stored"
            report.note_refused(RefusedFile.of(refusal, standing))


def _kept(
    accepted: list[ReadSource],
    store: PrivateStore,
    embedder: Embedder,
    report: IngestReport,
    progress: Progress,
    publish: frozenset[str],
) -> IngestReport:
    keeper = VectorKeeper(store, embedder, report, progress)
    for start in range(0, len(accepted), BATCH_ENTITIES):
        batch = accepted[start : start + BATCH_ENTITIES]
        report.rows += store.write_sources(batch, publish=publish)
        report.note([one.source_key for one in batch], "done")
        keeper.keep_current(batch)
    keep_run(store, report)
    if keeper.trouble is not None:
        raise EmbeddingStopped(report, keeper.trouble) from None
    return report


def _is_among(publish: frozenset[str], source: ReadSource) -> bool:
    """Whether the owner said that this is to be public (R191)."""
    return any(entity.entity_id in publish for entity, _ in source.pairs)


def _grouped(
    pairs: Iterable[tuple[Entity, Fragment]],
) -> Mapping[str, list[tuple[Entity, Fragment]]]:
    grouped: defaultdict[str, list[tuple[Entity, Fragment]]] = defaultdict(list)
    for entity, fragment in pairs:
        grouped[entity.entity_id].append((entity, fragment))
    return grouped


def _read(key: str, described: list[tuple[Entity, Fragment]], holder: str | None) -> ReadSource:
    """One entity with its fragments as a source; raises MisauthoredFile naming the rule."""
    entity = described[0][0]
    if holder is not None:
        raise MisauthoredFile(key, "id", "another source of this archive has it")
    if any(other != entity for other, _ in described):
        raise MisauthoredFile(key, "entity", "described twice, and differently")
    fragments = tuple(fragment for _, fragment in described)
    ids = [fragment.fragment_id for fragment in fragments]
    if len(set(ids)) != len(ids):
        raise MisauthoredFile(key, "locator", "two fragments share one")
    for position, fragment in enumerate(fragments, start=1):
        if fragment.entity_id != entity.entity_id:
            raise MisauthoredFile(key, f"fragment {position}", "stands under another entity's id")
        if fragment.disclosure.raw != entity.disclosure.raw:
            raise MisauthoredFile(key, f"fragment {position}", "is of another layer")
        if not is_clean_text(fragment.text):
            raise MisauthoredFile(key, f"fragment {position}", "holds NUL or a lone surrogate")
    try:
        for found in metadata_lint_findings(entity, fragments):
            raise MisauthoredFile(key, found.field, found.rule)
    except MisauthoredInput as refusal:
        raise MisauthoredFile(key, "", str(refusal)) from None
    digest = hashlib.sha256(repr(value_parts((entity, ids))).encode()).hexdigest()
    return ReadSource(key, entity.disclosure.raw, digest, "", ((entity, fragments),))


def _prefix(source: str) -> str:
    if not source or ":" in source or not is_clean_text(source):
        raise MisauthoredInput("source: a name without a colon")
    return f"{PAIRS_PREFIX}{source}:"
