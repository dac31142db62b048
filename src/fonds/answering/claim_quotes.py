"""Quoted runs of a sentence, and whether a source holds them word for word (R152)."""

from __future__ import annotations

import re
from typing import Final

from fonds.contract.normalised_text import contains_phrase, normalised_text

_QUOTED: Final = re.compile(
    r"“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|»([^«»]+)«|「([^「」]+)」|『([^『』]+)』|\"([^\"]+)\""
    r"|‹([^‹›]+)›|(?<!\w)‘([^‘’]*\s[^‘’]*)’(?!\w)|(?<!\w)'(?!s\b|\s)([^']*\s[^']*)(?<!\s)'(?!\w)|《([^《》]+)》"
)
_OMISSION: Final = re.compile(r"\[?(?:\.{3}|…)\]?")


def quoted_runs(text: str) -> tuple[str, ...]:
    """What stands between quotation marks, normalised; an omission cuts a run in two."""
    runs: list[str] = []
    for match in _QUOTED.finditer(text.replace("``", "“").replace("''", "”")):
        quoted = next(group for group in match.groups() if group is not None)
        runs.extend(normalised_text(part) for part in _OMISSION.split(quoted))
    return tuple(run for run in runs if run)


def is_quoted_from(run: str, normalised_source: str) -> bool:
    """Whether the run stands in the source; a single character may stand anywhere in it."""
    if len(run) == 1:
        return run in normalised_source
    return contains_phrase(normalised_source, run)
