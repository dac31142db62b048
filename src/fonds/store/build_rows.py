"""Rows of the private schema as contract values, for the build to check."""

from __future__ import annotations

from typing import cast

from fonds.contract.build_store import BuildSummary, PreviewRow, StoredFragment
from fonds.contract.disclosure import Disclosure, Exposure, Raw, ServedExposure, disclosure
from fonds.contract.entity import Entity, LintWindow, Policy
from fonds.contract.fragment import Fragment
from fonds.contract.fragment_change import FragmentChange, Shown
from fonds.contract.projection import (
    FailedProjection,
    PassedProjection,
    ProjectionBase,
    SemanticProjection,
)
from fonds.store.codecs import attribution_from, identifiers_from, place_from
from fonds.store.statements import Row


def entity_from(row: Row) -> Entity:
    """Raises MisauthoredInput or IllegalDisclosure naming the field when a row breaks the
    contract.
    """
    window = LintWindow(row["ngram_words"], row["ngram_chars"], row["gist_max_chars"])
    return Entity(
        entity_id=row["entity_id"],
        type=row["type"],
        title=row["title"],
        url=row["url"],
        disclosure=_disclosure(row),
        attribution=attribution_from(row["attribution"]),
        date=row["date"],
        version=row["version"],
        identifiers=identifiers_from(row["identifiers"]),
        parent=row["parent"],
        themes=tuple(row["themes"]),
        policy=Policy(row["require_review"], row["public_title"], window),
    )


def fragment_from(row: Row) -> StoredFragment:
    """The stored id comes along: that it is the one its place gives is for the build to check."""
    fragment = Fragment(
        entity_id=row["entity_id"],
        place=place_from(row["place"]),
        disclosure=_disclosure(row),
        text=row["text"],
        attribution=attribution_from(row["attribution"]),
        date=row["date"],
        summary=row["summary"],
        themes=tuple(row["themes"]),
        trail=tuple(row["trail"]),
        source_review=row["source_review"],
    )
    return StoredFragment(row["fragment_id"], fragment, row["text_hash"], projection_from(row))


def summary_from(row: Row) -> BuildSummary:
    return BuildSummary(
        build_id=row["build_id"],
        state=row["state"],
        live=row["live"],
        built_at=row["built_at"],
        entity_count=row["entity_count"],
        fragment_count=row["fragment_count"],
        fingerprint=row["fingerprint"],
    )


def change_from(row: Row) -> FragmentChange:
    return FragmentChange(
        fragment_id=row["fragment_id"],
        was=shown_from(row["was_raw"], row["was_exposure"]),
        becomes=shown_from(row["raw"], row["exposure"]),
        fields=tuple(row["fields"]),
        content=row["content"],
    )


def preview_row_from(row: Row) -> PreviewRow:
    return PreviewRow(
        entity_id=row["entity_id"],
        raw=row["raw"],
        title=row["title"],
        url=row["url"],
        fragment_id=row["fragment_id"],
        asks=row["asks"],
        shows=shown_from(row["shown_raw"], row["shown_exposure"]),
        label=row["label"],
        gist=row["gist"],
    )


def shown_from(raw: Raw | None, exposure: ServedExposure | None) -> Shown | None:
    """None where an outer join found nothing served."""
    return None if raw is None or exposure is None else Shown(raw, exposure)


def projection_from(row: Row) -> SemanticProjection | None:
    """The arm that the row's `lint` names; None where an outer join found no projection."""
    if row["source"] is None:
        return None
    base = ProjectionBase(
        fragment_id=row["fragment_id"],
        source=row["source"],
        review=row["review"],
        content_hash=row["content_hash"],
        vetoed=row["vetoed"],
        stale=row["stale"],
        model=row["model"],
        prompt_version=row["prompt_version"],
        generated_at=row["generated_at"],
    )
    if row["lint"] == "passed":
        return PassedProjection(base, row["gist"])
    return FailedProjection(base, row["draft"])


def _disclosure(row: Row) -> Disclosure:
    return disclosure(cast("Raw", row["raw"]), cast("Exposure", row["exposure"]))
