"""A public file -> a record: one page, quoted whole or cut on its headings (R021, R033)."""

from __future__ import annotations

import difflib
from dataclasses import replace
from functools import lru_cache

from fonds.archive_config import ArchiveConfig, Collection
from fonds.contract.disclosure import disclosure
from fonds.contract.entity import Entity, Policy, slug_of
from fonds.contract.failures import MisauthoredFile
from fonds.contract.fragment import Fragment
from fonds.contract.locator import Locator
from fonds.ingestion.adapters.description import Description, described
from fonds.ingestion.adapters.guide import guide_fragments
from fonds.ingestion.adapters.page_address import own_spelling, page_address
from fonds.ingestion.corpus import HTML, FoundFile
from fonds.ingestion.fields import Fields
from fonds.ingestion.front_matter import FrontMatter, ReadText
from fonds.ingestion.identity import entity_id
from fonds.ingestion.page_fields import CANONICAL
from fonds.ingestion.plain_text import joined_blocks, plain_blocks

_LAYER_WORDS = ("raw", "private", "layer")
_TERMS = ("exposure", "exposures", "requireReview", "draft")


def read_record(
    file: FoundFile, text: ReadText, config: ArchiveConfig, collection: Collection
) -> Description | None:
    """The page a file describes; None when its body holds no words (C10)."""
    fields = Fields(file.key, text.front)
    for word in _LAYER_WORDS:
        if fields.has(word):
            fields.refuse(word, "a public folder holds public files: move it to a private folder")
    _refuse_lookalikes(file.key, text.front)
    entity = _page(file, fields, config, collection)
    blocks = plain_blocks(text.body, mdx=file.key.lower().endswith(".mdx"))
    if not blocks:
        return None
    if entity is None:
        fields.refuse(
            "title",
            "a title is needed: write title: between two --- lines on top, or set title_from "
            "or fields in archive.toml; to exclude it, begin its name with _ or set draft: true",
        )
    if collection.shape == "guide":
        fragments = guide_fragments(entity, blocks)
        if not fragments:
            return None  # headings over nothing
    else:
        place = (Locator("whole", ""),)
        whole = joined_blocks(blocks)
        fragments = [
            Fragment(entity.entity_id, place, entity.disclosure, whole, summary=_summary(fields))
        ]
    read = described(entity, fragments, fields, remedy='set shape = "guide" to cut on headings')
    canonical = _canonical(file, fields)
    if canonical is None or own_spelling(entity.url, canonical) is not None:
        return read
    remark = f"cited at {entity.url}: its canonical address is not that of this page"
    return replace(read, remark="; ".join(filter(None, (read.remark, remark))))


def _canonical(file: FoundFile, fields: Fields) -> str | None:
    """The address that the head of an HTML page gives; no front matter names one."""
    return fields.text(CANONICAL) if file.path.lower().endswith(HTML) else None


def _refuse_lookalikes(key: str, front: FrontMatter) -> None:
    """A public file holds any key, but `Draft: true` and `published: false` mean what they say."""
    for name, value in front.values.items():
        near = None if name in _TERMS else _meant_term(name.lower())
        reason = ""
        if near:
            reason = f"did you mean {near}?"
        elif name.lower() == "published" and str(value).lower() == "false":
            reason = "to keep the file out, set draft: true"
        if reason:
            raise MisauthoredFile(
                key, name, reason, line=front.lines.get(name), disclosure_known=False
            )


@lru_cache(maxsize=256)  # most files of a collection have the same keys
def _meant_term(lowered: str) -> str | None:
    spelled = {name.lower(): name for name in _TERMS}
    near = difflib.get_close_matches(lowered, spelled, n=1, cutoff=0.85)
    return spelled[near[0]] if near else None


def _page(
    file: FoundFile, fields: Fields, config: ArchiveConfig, collection: Collection
) -> Entity | None:
    """The entity, None without a title. Everything that governs disclosure is read before it."""
    exposure = fields.exposure("public", collection.exposure)
    policy = Policy(require_review=fields.flag("requireReview"), lint=config.lint)
    title = fields.text("title")
    if title is None:
        return None
    identity = entity_id(file, fields)
    address = page_address(config, collection, slug_of(identity))
    canonical = _canonical(file, fields)
    return Entity(
        entity_id=identity,
        type=collection.type,
        title=title,
        url=own_spelling(address, canonical) or address if canonical else address,
        disclosure=disclosure("public", exposure),
        attribution=fields.creators(config.default_creators),
        date=fields.date(),
        version=fields.text("version"),
        identifiers=fields.identifiers(),
        parent=fields.text("parent"),
        themes=fields.themes(),
        policy=policy,
    )


def _summary(fields: Fields) -> str | None:
    for name in ("description", "summary", "meaning"):
        if written := fields.text(name):
            return written
    return None
