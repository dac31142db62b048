"""What a drafter is sent: versioned instructions, and one passage as data (R081)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Final

from fonds.contract.build_store import StoredFragment
from fonds.contract.draft_reply import DraftTask
from fonds.contract.embed_string import cut_to_bytes
from fonds.contract.entity import Entity

PROMPT_VERSION: Final = "gist.v1"
"""Stored with every draft; another version drafts again. A test ties it to its file's bytes."""
MAX_PASSAGE_BYTES: Final = 96 * 1024  # a page of a book has 3; the rest of a longer one is not sent
_SLOT: Final = re.compile(r"\{\{(\w+)\}\}")
_NO_NAMES: Final = (
    "Use no proper name: no person, place, firm, work or brand. Say what they are instead."
)


@dataclass(frozen=True, slots=True)
class Refused:
    """A draft that failed the lint, with the rule it broke: positions, no words (R069)."""

    gist: str = field(repr=False)
    rule: str


def draft_task(
    entity: Entity,
    part: StoredFragment,
    *,
    allowed_names: Sequence[str] = (),
    refused: Refused | None = None,
) -> DraftTask:
    """The whole request about one fragment; nothing of its neighbours is in it."""
    said = {
        "type": entity.type,
        "title": entity.title,
        "locator": part.fragment.label,
        "passage": cut_to_bytes(part.fragment.text, MAX_PASSAGE_BYTES),
    }
    if refused is not None:
        said |= {"refused": refused.gist, "reason": refused.rule}
    return DraftTask(
        fragment_id=part.fragment_id,
        instructions=_instructions(entity, allowed_names),
        # A JSON string ends where JSON says, whatever the passage holds.
        prompt=json.dumps(said, ensure_ascii=False),
    )


def prompt_text() -> str:
    """The file of PROMPT_VERSION as it stands."""
    file = files("fonds.ingestion") / "prompts" / f"{PROMPT_VERSION}.md"
    return file.read_text(encoding="utf-8")


def _instructions(entity: Entity, allowed_names: Sequence[str]) -> str:
    window = entity.policy.lint
    listed = ", ".join(json.dumps(name, ensure_ascii=False) for name in allowed_names)
    slots = {
        "ngram_words": str(window.ngram_words),
        "ngram_chars": str(window.ngram_chars),
        "gist_max_chars": str(window.gist_max_chars),
        "names": f"The only proper names you may use: {listed}." if listed else _NO_NAMES,
    }
    return _SLOT.sub(lambda slot: slots[slot[1]], prompt_text())
