"""A file -> its front matter and its body, read strictly (R020, R012, C16, C17).

Every scalar stays the text the author wrote. A repeated key, a tag, an anchor, an alias, deep
nesting or a second document is refused with file and line; no message repeats a value.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import NoReturn, TypeAlias, cast

from fonds.contract.failures import MisauthoredFile
from fonds.ingestion.decoding import decoded
from fonds.strict_yaml import MAX_DEPTH, Quoted, YamlTrouble, YamlValue, read_yaml

MAX_FRONT_MATTER_CHARS = 64 * 1024
# An editor leaves them, or a second mark; behind an indented fence, nothing is front matter.
_BLANK_LINES = re.compile(r"(?:[\ufeff\s]*(?:\n\ufeff*|\ufeff))?")
_TERM = re.compile(r"\s*[\"']?(?:draft|exposures?|requireReview|publicTitle)[\"']?[ \t]*[:=]")
# A key of many parts: what they cost a reader of TOML grows with the square of their number.
_DEEP_KEY = re.compile(
    rf"(?<![\w-])(?:(?:[\w-]++|\"[^\"\n]*+\"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}"
)
_TOML_PLACE = re.compile(r"at line (\d+), column \d+")


FrontValue: TypeAlias = YamlValue  # TOML gives the same


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields of a file by key, and the line of the file each key stands in."""

    values: Mapping[str, FrontValue] = field(repr=False)
    lines: Mapping[str, int] = field(repr=False)

    @property
    def says_what_may_travel(self) -> bool:
        """Whether a stored version may go on being served, whatever is wrong with this one.

        A file that withholds something says less may travel, and one without any field may have
        lost the fence around them.
        """
        parts = self.values.get("exposures")
        withheld = [*parts.values()] if isinstance(parts, dict) else []
        withheld.append(self.values.get("exposure", ""))
        return bool(self.values) and "none" not in withheld


@dataclass(frozen=True, slots=True)
class ReadText:
    """A file after decoding: its front matter, and the rest."""

    front: FrontMatter
    body: str = field(repr=False)
    first_line: int = 1


def read_text(content: bytes, key: str, encoding: str | None = None) -> ReadText:
    """Split a file's bytes; `key` names it in errors.

    Line ends become `\\n` and a byte order mark goes. Raises MisauthoredFile; its disclosure is
    known only when the front matter itself could be read.
    """
    text = decoded(content, key, encoding)
    blank = _BLANK_LINES.match(text)
    lead = blank.end() if blank else 0
    fence = text[lead : text.find("\n", lead)].rstrip() if "\n" in text[lead:] else ""
    line = text.count("\n", 0, lead) + 1
    if fence not in ("---", "+++"):
        _refuse_stray_terms(text[lead : lead + MAX_FRONT_MATTER_CHARS], line, key)
        front, body = FrontMatter({}, {}), text
    else:
        written, body = _split(text[lead:], fence, line, key)
        read = _yaml if fence == "---" else _toml
        front = read(written, line + 1, key)
    first = text.count("\n") - body.count("\n") + 1
    return ReadText(front, _without_nul(body, key, first, front.says_what_may_travel), first)


def _refuse_stray_terms(beginning: str, line: int, key: str) -> None:
    """A fence with a slip in it may not turn what the author withholds into a text to quote."""
    for number, written in enumerate(beginning.partition("\n\n")[0].split("\n"), start=line):
        if _TERM.match(written):
            _refuse(key, "fields stand outside of front matter: put --- above and below", number)


def read_body(content: bytes, key: str, encoding: str | None = None) -> str:
    """The text of a file whose fields stand beside it; raises MisauthoredFile.

    Its disclosure is for the caller to look up in those fields.
    """
    return _without_nul(decoded(content, key, encoding), key, 1, True)


def read_fields(content: bytes, key: str, *, toml: bool) -> FrontMatter:
    """The fields of a file that holds nothing else; raises MisauthoredFile.

    It is UTF-8, as TOML and YAML are, whatever the book beside it is in. Lines are of that file,
    and so are not kept.
    """
    written = decoded(content, key)
    if len(written) > MAX_FRONT_MATTER_CHARS:
        _refuse(key, "longer than 64 KiB", 1)
    return FrontMatter((_toml if toml else _yaml)(written, 1, key).values, {})


def _without_nul(body: str, key: str, first_line: int, known: bool) -> str:
    if "\x00" in body:
        line = body.count("\n", 0, body.index("\x00")) + first_line
        reason = "holds a NUL character"
        raise MisauthoredFile(key, "body", reason, line=line, disclosure_known=known)
    return body


def _split(text: str, fence: str, line: int, key: str) -> tuple[str, str]:
    start = text.index("\n") + 1
    position = start
    while position <= len(text):
        end = text.find("\n", position)
        end = len(text) if end == -1 else end
        if position - start > MAX_FRONT_MATTER_CHARS:
            _refuse(key, f"front matter is longer than 64 KiB, or {fence} never closes it", line)
        if text[position:end].rstrip() == fence:
            return text[start:position], text[end + 1 :]
        position = end + 1
    return _refuse(key, f"front matter is never closed: {fence} is missing", line)


def _yaml(written: str, first_line: int, key: str) -> FrontMatter:
    try:
        read = read_yaml(written)
    except YamlTrouble as trouble:
        _refuse(key, f"front matter: {trouble.reason}", first_line + trouble.line - 1)
    if not isinstance(read.root, dict):
        if read.root in (None, ""):
            return FrontMatter({}, {})
        _refuse(
            key,
            "front matter is no list of `key: value` lines (TOML stands between +++)",
            first_line,
        )
    lines = {name: first_line + read.lines[(name,)] - 1 for name in read.root}
    return FrontMatter(read.root, lines)


def _toml(written: str, first_line: int, key: str) -> FrontMatter:
    if deep := _DEEP_KEY.search(written):
        line = first_line + written.count("\n", 0, deep.start())
        _refuse(key, "front matter: nested too deep", line)
    try:
        document = tomllib.loads(written, parse_float=str)
    except tomllib.TOMLDecodeError as trouble:
        place = _TOML_PLACE.search(str(trouble))
        line = first_line + (int(place.group(1)) - 1 if place else 0)
        _refuse(key, "front matter cannot be read as TOML", line)
    except RecursionError:
        _refuse(key, "front matter: nested too deep", first_line)
    values = {name: _toml_value(value, 1, key, first_line) for name, value in document.items()}
    return FrontMatter(values, _toml_lines(written, document, first_line))


def _toml_value(value: object, depth: int, key: str, line: int) -> FrontValue:
    if depth > MAX_DEPTH:
        _refuse(key, "front matter: nested too deep", line)
    if isinstance(value, dict):
        table = cast("dict[str, object]", value)
        return {name: _toml_value(part, depth + 1, key, line) for name, part in table.items()}
    if isinstance(value, list):
        parts = cast("list[object]", value)
        return [_toml_value(part, depth + 1, key, line) for part in parts]
    if isinstance(value, str):
        if "\x00" in value:
            _refuse(key, "front matter: a NUL character", line)
        return Quoted(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return str(value).lower() if isinstance(value, bool) else str(value)


def _toml_lines(written: str, document: Mapping[str, object], first_line: int) -> dict[str, int]:
    """Where each top-level key stands; a key written in an unusual way has no line."""
    lines: dict[str, int] = {}
    for number, line in enumerate(written.split("\n"), start=first_line):
        name = line.partition("=")[0].strip(" []\"'\t")
        if name in document and name not in lines:
            lines[name] = number
    return lines


def _refuse(key: str, reason: str, line: int) -> NoReturn:
    raise MisauthoredFile(key, "", reason, line=line, disclosure_known=False)
