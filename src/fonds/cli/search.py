"""`fonds search`: retrieval only, the wire response with --json."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from fonds.cli.filter_options import (
    DateOption,
    ExposureOption,
    NameOption,
    RawOption,
    RecencyOption,
    TypeOption,
    UndatedOption,
)
from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import say, show_json
from fonds.contract.disclosure import ServedExposure
from fonds.contract.evidence_hit import EvidenceHit, LocatorHit, SemanticHit, TextHit
from fonds.contract.search_request import Filters, SearchRequest
from fonds.retrieval.wire_response import search_response_json
from fonds.settings import read_settings
from fonds.wiring.opening import opened

SHOWN_CHARS = 240


def search_command(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    *,
    limit: Annotated[int | None, typer.Option(min=1, max=20, help="Hits in one list.")] = None,
    kind: TypeOption = None,
    date_from: DateOption = None,
    date_to: DateOption = None,
    undated: UndatedOption = "exclude",
    creator: NameOption = None,
    speaker: NameOption = None,
    exposure: ExposureOption = None,
    raw: RawOption = None,
    recency: RecencyOption = "none",
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find passages: public ones verbatim, private ones by place or description."""
    filters = Filters(
        types=tuple(kind) if kind else None,
        date_from=date_from,
        date_to=date_to,
        undated=undated,
        creator=creator,
        speaker=speaker,
        exposures=cast("tuple[ServedExposure, ...]", tuple(exposure)) if exposure else None,
        raw=raw,
    )
    request = SearchRequest(query, limit=limit, filters=filters, recency=recency)
    with opened(read_settings(), archive) as house:
        response = house.search(request).response
    if as_json:
        show_json(search_response_json(response))
        return
    say(f"{response.matched} matched, {len(response.hits)} shown")
    say(*(line for hit in response.hits for line in hit_lines(hit)))


def hit_lines(hit: EvidenceHit) -> list[str]:
    """What a person reads of a hit; its type holds no more than its policy allows."""
    seen = hit.provenance
    head = f"{seen.score:.2f}  {seen.fragment_id}  {seen.entity.title} ({seen.locator_label})"
    match hit:
        case TextHit():
            return [head, f"      {_shortened(hit.text)}", f"      {seen.entity.url}"]
        case SemanticHit():
            return [head, f"      described: {hit.gist}", f"      {seen.entity.url}"]
        case LocatorHit():
            return [head, f"      located, not quotable: {seen.entity.url}"]


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARS else line[:SHOWN_CHARS].rstrip() + "…"
