"""`fonds ask`: a cited answer, a pointer to private material, or the fixed refusal with its
figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, cast

import typer

from fonds.answering.refusal import FIXED_SENTENCE, Answered, Refused
from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import say, show_json
from fonds.cli.search import hit_lines
from fonds.contract.evidence_hit import EvidenceHit
from fonds.contract.outcomes import EXIT_DONE, REFUSALS
from fonds.contract.search_request import SearchRequest
from fonds.retrieval.wire_response import hit_json
from fonds.settings import read_settings
from fonds.wiring.opening import opened


def ask_command(
    question: Annotated[str, typer.Argument(help="The question, in any language.")],
    *,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also the hits the answer was made from.")
    ] = False,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Answer from what the author published and cite it, point at private material, or decline."""
    request = SearchRequest(question)
    hits: list[EvidenceHit] = []
    with opened(read_settings(), archive) as house:
        given = house.ask(
            request, on_found=lambda found: hits.extend(found.hits if explain else ())
        )
    if as_json:
        shown = {"hits": [hit_json(hit) for hit in hits], "gate": _gate(given)} if explain else {}
        show_json({**given.as_json(), **shown})
    else:
        gate = [f"  gate: {_figures(_gate(given))}"] if explain else []
        say(*answer_lines(given), *gate, *(line for hit in hits for line in hit_lines(hit)))
    return exit_code(given)


def exit_code(given: Answered | Refused) -> int:
    """0 answered or routed, 69 when a provider was not there, 3 for every other refusal (R196)."""
    return EXIT_DONE if isinstance(given, Answered) else REFUSALS[given.reason].exit_code


def answer_lines(given: Answered | Refused) -> list[str]:
    """What a person reads: mode, answer, final citations only; or the reason and its figures."""
    if isinstance(given, Refused):
        kept = {name: value for name, value in given.recorded.items() if value not in ([], "")}
        return [FIXED_SENTENCE, f"  reason: {given.reason} ({_figures(kept)})"]
    return [
        f"[{given.mode}]",
        given.answer,
        *(f"  {c.kind}: {c.title} ({c.locator_label})  {c.url}" for c in given.citations),
    ]


def _gate(given: Answered | Refused) -> dict[str, object]:
    """What the gate went by, coarse where a private hit decided; off without a gate."""
    figures = given.gate if isinstance(given, Answered) else given.record.gate
    return {"state": "off"} if figures is None else figures.as_json()


def _figures(record: Mapping[str, object]) -> str:
    return ", ".join(
        f"{name} {_figure(value)}" for name, value in record.items() if value is not None
    )


def _figure(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, dict):
        return f"[{_figures(cast('dict[str, object]', value))}]"
    return (
        "+".join(map(str, cast("list[object]", value))) if isinstance(value, list) else str(value)
    )
