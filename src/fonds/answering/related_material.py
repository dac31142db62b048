"""The prose of an answer that only points: the engine's own words around linted fields (R148)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fonds.contract.answer_evidence import HintDescription

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fonds.contract.citation import Citation

DESCRIBES: Final = "Authorised description of "
NO_QUOTATION: Final = ", not a quotation: "


def related_material(
    citations: tuple[Citation, ...], descriptions: Mapping[str, HintDescription]
) -> str:
    """Names each cited hint, says that it is not quoted here, and adds the gists as descriptions.

    Takes no word of a writer. A hint without a description is a defect and raises KeyError.
    """
    cited = [descriptions[citation.id] for citation in citations if citation.kind == "hint"]
    named = "; ".join(dict.fromkeys(_named(description) for description in cited))
    leads = "its citation leads" if len(cited) == 1 else "each citation leads"
    belongs = "the public page it belongs to"
    all_private = all(description.raw == "private" for description in cited)
    material = "Private material" if all_private else "Material that is not quoted here"
    opening = f"{material} bears on this: {named}."
    closing = f"It is not quotable here; {leads} to {belongs}."
    described = [_described(d.title, d.locator, d.gist) for d in cited if d.gist]
    return "\n\n".join([f"{opening} {closing}", *dict.fromkeys(described)])


def description_in(paragraph: str) -> tuple[str, str] | None:
    """What a paragraph of this prose describes and its gist; None where it describes nothing.

    Good for paragraphs of `related_material` alone: a writer's sentence may begin likewise.
    """
    place, parted, gist = paragraph.removeprefix(DESCRIBES).partition(NO_QUOTATION)
    return (place, gist) if paragraph.startswith(DESCRIBES) and parted else None


def _named(description: HintDescription) -> str:
    parts = [
        _one_line(part)
        for part in (description.title, ", ".join(description.creators), description.version or "")
        if part.strip()
    ]
    return f"{', '.join(parts)} ({_one_line(description.locator)})"


def _described(title: str, locator: str, gist: str) -> str:
    place = f"{_one_line(title)} ({_one_line(locator)})"
    return f"{DESCRIBES}{place}{NO_QUOTATION}{_one_line(gist)}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
