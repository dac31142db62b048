"""The sentences the centring is computed from, read from `sentences/xx.txt`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "sentences"


@dataclass(frozen=True, slots=True)
class Language:
    """Pairs of one language: `questions[i]` is answered by `passages[i]`, and by no other."""

    code: str
    passages: tuple[str, ...]
    questions: tuple[str, ...]


def languages(folder: Path = FOLDER) -> tuple[Language, ...]:
    """One language a file, by code. Lines alternate: a passage, then the question it answers."""
    return tuple(_language(path) for path in sorted(folder.glob("*.txt")))


def _language(path: Path) -> Language:
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if len(lines) % 2:
        raise ValueError(f"{path.name}: a passage has no question")
    return Language(path.stem, tuple(lines[0::2]), tuple(lines[1::2]))
