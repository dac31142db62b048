"""A gold case put behind the last one of a suite, and nothing else of the file touched (R180)."""

from __future__ import annotations

import codecs
import hashlib
import re
import stat
import threading
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

import yaml

from fonds.contract.failures import MisauthoredInput, Misconfigured
from fonds.contract.sealed import sealed
from fonds.evaluation.gold import GoldCase, GoldSuite, gold_suite
from fonds.evaluation.suite_file import suite_bytes
from fonds.ingestion.private_file import write_private_file

_Node: TypeAlias = Any  # yaml types none of its nodes
MOST_ID_WORDS: Final = 6
_WRITING: Final = threading.Lock()


@sealed
@dataclass(frozen=True, slots=True)
class NewCase:
    """A case as it would stand in the file: `text` is what is added, `line` the line it begins on,
    `before` a digest of the file it was laid on.
    """

    case: GoldCase = field(repr=False)
    text: str = field(repr=False)
    line: int
    before: str
    whole: str = field(repr=False)


def spelled_case(case: GoldCase, indent: int = 2) -> str:
    """The case as an item of `queries`, in the form `read_gold` reads."""
    written: dict[str, object] = {
        "id": case.case_id,
        "query": case.query,
        "expectAnswerMode": case.expect_mode,
    }
    if case.expect_sources:
        written["expectSources"] = list(case.expect_sources)
    if case.note is not None:
        written["note"] = case.note
    dumped = yaml.safe_dump([written], sort_keys=False, allow_unicode=True, width=inf)
    return re.sub(r"^(?=.)", " " * indent, str(dumped), flags=re.MULTILINE)


def suggested_id(question: str, suite: GoldSuite | None) -> str:
    """The first words of a question, or a digest where it has none in Latin letters; one that no
    case of the suite has.
    """
    words = re.findall(r"[a-z0-9]+", question.lower())[:MOST_ID_WORDS]
    digest = hashlib.sha256(question.encode()).hexdigest()[:8]
    first = "-".join(words)[:80].rstrip("-") or f"case-{digest}"
    taken = {case.case_id for case in (() if suite is None else suite.cases)}
    numbered = (f"{first}-{number}" for number in range(2, len(taken) + 3))
    return first if first not in taken else next(one for one in numbered if one not in taken)


def laid_case(file: Path, case: GoldCase, *, author: str) -> NewCase:
    """The file with the case behind its last one; nothing is written.

    Raises what `read_gold` raises of the file as it stands, and of the file with the case in it;
    MisauthoredInput where another suite than that one would be read from it.
    """
    content = suite_bytes(file, "gold")
    suite = gold_suite(content, file.name, author=author)
    text = content.decode("utf-8-sig")
    at, indent = _place(text, file.name)
    newline = "\r\n" if "\r\n" in text else "\n"
    added = spelled_case(case, indent).replace("\n", newline)
    added = newline * _blank_lines(text[:at]) + added
    mark = "\ufeff" if content.startswith(codecs.BOM_UTF8) else ""
    whole = f"{mark}{text[:at]}{added}{text[at:]}"
    wanted = GoldSuite((*suite.cases, case), suite.canaries)
    if gold_suite(whole.encode(), file.name, author=author) != wanted:
        raise MisauthoredInput(f"{file.name}: the case would be read otherwise: add it by hand")
    line = text[:at].count("\n") + 1
    return NewCase(case, added, line, _digest(content), whole)


def keep_case(file: Path, case: GoldCase, before: str, *, author: str) -> None:
    """Puts the file with the case in the place of the one whose digest is `before`.

    Raises what `laid_case` raises, and MisauthoredInput for a file that was changed since: nothing
    is written then. Another process that writes in the instant between is not noticed.
    """
    with _WRITING:
        laid = laid_case(file, case, author=author)
        if laid.before != before:
            raise MisauthoredInput(f"{file.name} was changed meanwhile: look at the case again")
        write_private_file(file, laid.whole, stat.S_IMODE(file.stat().st_mode))


def own_suite_file(file: Path, folder: Path) -> Path:
    """The file itself, behind any link; raises Misconfigured where it lies outside the folder."""
    try:
        found = file.resolve(strict=True)
        inside = found.is_relative_to(folder.resolve(strict=True)) and found.is_file()
    except OSError:
        inside, found = False, file
    if not inside:
        raise Misconfigured(
            f"{file.name} lies outside the archive's folder: a case is added there by hand"
        )
    return found


def _place(text: str, name: str) -> tuple[int, int]:
    """Where the next case begins, and how far the cases are indented."""
    root: _Node = cast("Any", yaml).compose(text, Loader=yaml.SafeLoader)
    keys: list[tuple[_Node, _Node]] = root.value
    position = next(at for at, (key, _) in enumerate(keys) if key.value == "queries")
    queries = keys[position][1]
    if root.flow_style or queries.flow_style:
        raise MisauthoredInput(f"{name}: queries is written in brackets: add the case by hand")
    indent = int(queries.start_mark.column)
    if position + 1 == len(keys):
        return len(text), indent
    lines = text[: int(keys[position + 1][0].start_mark.index)].splitlines(keepends=True)
    while lines and (not lines[-1].strip() or lines[-1].startswith("#")):
        lines.pop()  # it belongs to the next key
    return sum(map(len, lines)), indent


def _blank_lines(above: str) -> int:
    """Line ends that are lacking for one blank line above the case."""
    if not above.endswith("\n"):
        return 2
    return 0 if re.search(r"\n\r?\n\Z", above) else 1


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
