"""Which files changed, and which of them may be read: one id, one file (R020, R027)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from fonds.contract.entity import slug_of
from fonds.contract.failures import MisauthoredFile
from fonds.contract.stored_source import StoredSource
from fonds.ingestion.adapters.page_address import page_path
from fonds.ingestion.contents import Contents, read_contents
from fonds.ingestion.corpus import HTML, Corpus, FoundFile
from fonds.ingestion.episode import Episode, read_episode
from fonds.ingestion.fields import Fields
from fonds.ingestion.identity import entity_id

Progress: TypeAlias = Callable[[str, int, int], None]


_ONE_NAME = "their names look alike and are spelled with other code points: delete or rename one"
PROGRESS_STEP = 64  # files between two reports: hashing one costs less than drawing a bar


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file to read, with the ids it claims, and the public page it is the transcript of."""

    file: FoundFile
    entity_ids: tuple[str, ...]
    episode: Episode | None = None

    def digest_of(self, contents: Contents) -> str:
        """The hash that tells whether anything moved that the file's rows are made of."""
        return contents.digest(*([self.episode.shared] if self.episode else []))


@dataclass(frozen=True, slots=True)
class Inventory:
    """Every file of the corpus, sorted by what happens to it. Holds ids and no text."""

    candidates: tuple[Candidate, ...]
    unchanged: tuple[str, ...] = field(repr=False)
    drafts: tuple[str, ...] = field(repr=False)
    refused: tuple[MisauthoredFile, ...]


def taken_inventory(
    corpus: Corpus,
    stored: Mapping[str, StoredSource],
    lacking: frozenset[str],
    progress: Progress,
) -> Inventory:
    """Hash every file, identify those that changed or lack a vector, and settle who owns an id.

    Each file that claims an id another one claims, or the address of its page, is refused,
    whichever came first; so is one that claims the id of a stored version which stays because its
    file is refused.
    """
    taking = _Taking(stored, lacking)
    for refusal in corpus.refused:
        taking.refuse(refusal)
    # Transcripts last: the page that one belongs to has to be known.
    ordered = sorted(corpus.files, key=lambda file: file.root.kind == "transcript")
    for position, file in enumerate(ordered, start=1):
        try:
            taking.take(file)
        except MisauthoredFile as refusal:
            taking.refuse(refusal)
        if position % PROGRESS_STEP == 0 or position == len(corpus.files):
            progress("hash", position, len(corpus.files))
    return taking.settled({file.key: place for place, file in enumerate(corpus.files)})


class _Taking:
    def __init__(self, stored: Mapping[str, StoredSource], lacking: frozenset[str]) -> None:
        self._stored = stored
        self._lacking = lacking
        self._candidates: dict[str, Candidate] = {}
        self._unchanged: dict[str, tuple[str, ...]] = {}
        self._drafts: list[str] = []
        self._refused: dict[str, MisauthoredFile] = {}
        self._claims: dict[str, list[str]] = {}
        self._addresses: dict[str, list[str]] = {}
        self._pages: dict[str, FoundFile] = {}

    def refuse(self, refusal: MisauthoredFile) -> None:
        self._refused[refusal.path] = refusal
        stored = self._stored.get(refusal.path)
        self._claim(refusal.path, stored.entity_ids if stored else ())

    def take(self, file: FoundFile) -> None:
        contents = read_contents(file)
        episode = self._episode(file, contents)
        stored = self._stored.get(file.key)
        if (
            stored is not None
            and stored.settings_hash == file.root.settings_hash
            and stored.raw == file.root.raw
            and stored.file_hash == Candidate(file, (), episode).digest_of(contents)
        ):
            self._hold(file, stored.entity_ids)
            if file.key in self._lacking:
                self._candidates[file.key] = Candidate(file, stored.entity_ids, episode)
            else:
                self._unchanged[file.key] = stored.entity_ids
            return
        fields = Fields(file.key, contents.front())
        if fields.flag("draft"):
            self._drafts.append(file.key)
            return
        ids = (entity_id(file, fields),)
        self._hold(file, ids)
        self._candidates[file.key] = Candidate(file, ids, episode)

    def settled(self, places: Mapping[str, int]) -> Inventory:
        """What happens to each file; candidates in the order of `places`, private ones first."""
        # A page that two entities call theirs would be cited for either.
        for shared, claims in (("id", self._claims), ("address", self._addresses)):
            for claiming in claims.values():
                for key in claiming if len(claiming) > 1 else ():
                    others = [other for other in claiming if other != key]
                    self._refuse_duplicate(key, shared, others)
        return Inventory(
            tuple(sorted(self._candidates.values(), key=lambda one: places[one.file.key])),
            tuple(self._unchanged),
            tuple(self._drafts),
            tuple(self._refused.values()),
        )

    def _episode(self, file: FoundFile, contents: Contents) -> Episode | None:
        """The public page that a transcript names as its parent, if one file alone describes it."""
        if file.root.kind != "transcript":
            return None
        parent = Fields(file.key, contents.front()).text("parent")
        page = self._pages.get(parent or "")
        if page is None or len(self._claims[parent or ""]) > 1:
            return None
        return read_episode(page)

    def _hold(self, file: FoundFile, ids: tuple[str, ...]) -> None:
        self._claim(file.key, ids)
        if file.root.raw == "public":
            self._pages |= dict.fromkeys(ids, file)
            prefix = file.root.collection.url_prefix if file.root.collection else ""
            for claimed in ids:
                address = prefix + slug_of(claimed)
                if file.path.lower().endswith(HTML):
                    address = page_path(address)  # it may be cited as its folder's page
                self._addresses.setdefault(address, []).append(file.key)

    def _claim(self, key: str, ids: tuple[str, ...]) -> None:
        for claimed in ids:
            self._claims.setdefault(claimed, []).append(key)

    def _refuse_duplicate(self, key: str, shared: str, others: list[str]) -> None:
        self._candidates.pop(key, None)
        self._unchanged.pop(key, None)
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        remedy = "rename one" if _composed(key) != _composed(others[0]) else _ONE_NAME
        reason = f"the same {shared} as {others[0]}{more}: {remedy}"
        self._refused.setdefault(key, MisauthoredFile(key, "slug", reason))


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)
