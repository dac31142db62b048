"""The stage: an archive's files -> its private rows and vectors, incrementally (R020, R191).

Streams: at any time the process holds ids and hashes of the corpus, and one batch of text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fonds.archive_config import ArchiveConfig
from fonds.contract.failures import MisauthoredFile, MisauthoredInput, StoreRefused
from fonds.contract.ports import Embedder, PrivateStore
from fonds.contract.stored_source import ReadSource, StoredSource
from fonds.ingestion.corpus import Corpus, found_corpus
from fonds.ingestion.embedding import VectorKeeper
from fonds.ingestion.ingest_pairs import is_pairs_key
from fonds.ingestion.inventory import Candidate, Inventory, Progress, taken_inventory
from fonds.ingestion.kept_run import keep_run
from fonds.ingestion.publishing import check_published
from fonds.ingestion.reading import read_file
from fonds.ingestion.report import (
    EmbeddingStopped,
    FileRemark,
    IngestReport,
    RefusedFile,
    Standing,
)
from fonds.ingestion.roots import checked_roots

BATCH_FILES = 512
BATCH_CHARS = 2_000_000


def ingest_archive(
    config: ArchiveConfig,
    store: PrivateStore,
    embedder: Embedder,
    *,
    progress: Progress,
    publish: frozenset[str] = frozenset(),
) -> IngestReport:
    """Bring the private rows up to the author's files; a second run writes and calls nothing.

    One bad file is refused alone and named in the report. Files that are gone are removed, and a
    file whose disclosure cannot be read is withdrawn, before anything else is read. `publish`
    names entity ids that were private and are meant to be public (R191).

    Raises Misconfigured before anything is written, EmbeddingStopped with the report when rows
    are stored and vectors wait, MisauthoredInput when no file at all holds text.
    """
    corpus = found_corpus(checked_roots(config))
    if not corpus.files and not corpus.refused:
        # An unmounted folder looks like this: nothing of what is stored may be taken for deleted.
        raise MisauthoredInput("the folders hold no file to read: nothing was changed")
    known = store.sources()
    stored = {key: one for key, one in known.items() if not is_pairs_key(key)}
    lacking = store.sources_lacking_vectors(embedder.space)
    inventory = taken_inventory(corpus, stored, lacking, progress)
    check_published(publish, known, [(c.file.root.raw, c.entity_ids) for c in inventory.candidates])
    run = _Run(config, store, stored, publish)
    run.note_found(corpus, inventory)
    for refusal in inventory.refused:
        run.refuse(refusal)
    gone, moved = _vanished(corpus, inventory, stored)
    run.remove(gone)
    keeper = VectorKeeper(store, embedder, run.report, progress)
    for batch in run.batches(inventory.candidates, progress):
        keeper.keep_current(run.write(batch))
    run.remove(moved)
    keep_run(store, run.report)
    return _finished(run.report, keeper)


def _finished(report: IngestReport, keeper: VectorKeeper) -> IngestReport:
    if keeper.trouble is not None:
        raise EmbeddingStopped(report, keeper.trouble) from None
    if not (report.done or report.unchanged or report.refused):
        raise MisauthoredInput("no file of this archive holds text")
    return report


def _vanished(
    corpus: Corpus, inventory: Inventory, stored: Mapping[str, StoredSource]
) -> tuple[list[str], list[str]]:
    """Stored files that are gone, and those whose entity another file of the same layer takes over.

    The latter go last: a renamed file keeps its vectors, gists and vetoes.
    """
    present = {file.key for file in corpus.files} | {refusal.path for refusal in corpus.refused}
    present -= set(inventory.drafts)
    claimed = {
        (identity, candidate.file.root.raw)
        for candidate in inventory.candidates
        for identity in candidate.entity_ids
    }
    gone: list[str] = []
    moved: list[str] = []
    for key, source in stored.items():
        if key not in present:
            taken = any((identity, source.raw) in claimed for identity in source.entity_ids)
            (moved if taken else gone).append(key)
    return gone, moved


class _Run:
    """One run over one archive: what it may do to the store, and the report it fills."""

    def __init__(
        self,
        config: ArchiveConfig,
        store: PrivateStore,
        stored: Mapping[str, StoredSource],
        publish: frozenset[str],
    ) -> None:
        self.report = IngestReport()
        self._config = config
        self._store = store
        self._stored = stored
        self._publish = publish

    def note_found(self, corpus: Corpus, inventory: Inventory) -> None:
        """Account for what is not read further; each other file gets its outcome when it is."""
        self.report.found = corpus.found
        self.report.note(corpus.left_out, "left out")
        self.report.note(inventory.unchanged, "unchanged")
        self.report.note(inventory.drafts, "draft")

    def refuse(self, refusal: MisauthoredFile) -> None:
        """Note a refused file; what it serves is withdrawn when its disclosure is not known."""
        standing: Standing = "not stored"
        if refusal.path in self._stored:
            standing = "kept" if refusal.disclosure_known else "withdrawn"
        if standing == "withdrawn":
            self._store.withdraw_sources([refusal.path])
        self.report.note_refused(RefusedFile.of(refusal, standing))

    def remove(self, keys: Sequence[str]) -> None:
        if keys:
            self.report.rows += self._store.remove_sources(keys)
            self.report.removed += keys

    def batches(
        self, candidates: Sequence[Candidate], progress: Progress
    ) -> Iterator[list[ReadSource]]:
        """What the candidates hold, in batches bounded by files and by text."""
        batch: list[ReadSource] = []
        size = 0
        for position, candidate in enumerate(candidates, start=1):
            source = self._read(candidate)
            progress("read", position, len(candidates))
            if source is None:
                continue
            length = sum(len(one.text) for _, fragments in source.pairs for one in fragments)
            if batch and (len(batch) >= BATCH_FILES or size + length > BATCH_CHARS):
                yield batch
                batch, size = [], 0
            batch.append(source)
            size += length
        if batch:
            yield batch

    def write(self, batch: Sequence[ReadSource]) -> list[ReadSource]:
        """Store a batch; returns what was stored, without the files that were refused."""
        allowed = list(self._allowed(batch))
        try:
            return self._stored_together(allowed)
        except StoreRefused:
            # One row the database does not take must not cost its neighbours.
            return [one for source in allowed for one in self._stored_alone(source)]

    def _read(self, candidate: Candidate) -> ReadSource | None:
        key = candidate.file.key
        try:
            read = read_file(candidate, self._config)
        except MisauthoredFile as refusal:
            self.refuse(refusal)
            return None
        if read.remark:
            self.report.remarks.append(FileRemark(key, read.remark))
        if read.source is None:
            self.report.note([key], "no text")
            self.remove([key] if key in self._stored else [])
        return read.source

    def _allowed(self, batch: Sequence[ReadSource]) -> Iterable[ReadSource]:
        asked = [
            source
            for source in batch
            if source.raw == "public"
            and not any(entity.entity_id in self._publish for entity, _ in source.pairs)
        ]
        reasons: Mapping[str, str] = self._store.once_private(asked) if asked else {}
        for source in batch:
            reason = reasons.get(source.source_key)
            if reason is None:
                yield source
            else:
                self.refuse(MisauthoredFile(source.source_key, "", reason))

    def _stored_together(self, batch: Sequence[ReadSource]) -> list[ReadSource]:
        if not batch:
            return []
        self.report.rows += self._store.write_sources(batch, publish=self._publish)
        for source in batch:
            known = self._stored.get(source.source_key)
            same = known is not None and (known.file_hash, known.settings_hash) == (
                source.file_hash,
                source.settings_hash,
            )
            # What did not change was read again for a vector it lacked.
            self.report.note([source.source_key], "unchanged" if same else "done")
        return list(batch)

    def _stored_alone(self, source: ReadSource) -> list[ReadSource]:
        try:
            return self._stored_together([source])
        except StoreRefused as refusal:
            self.refuse(MisauthoredFile(source.source_key, "", str(refusal)))
            return []
