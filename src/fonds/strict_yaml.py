"""A YAML text -> plain values, read strictly: what an author cannot see is refused (C17, R180).

Every scalar stays the text that was written. A repeated key, a tag, an anchor, an alias, deep
nesting or a second document is refused with its line; no reason repeats a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias, cast

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

MAX_DEPTH = 16

YamlPath: TypeAlias = tuple[str | int, ...]
YamlValue: TypeAlias = "str | list[YamlValue] | dict[str, YamlValue]"

# What both scanners refuse; asked first, because they say its place in different units.
_NOT_ALLOWED = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# libyaml reads ten times as much a second; a platform without it reads the same values.
_SCANNERS: dict[bool, Any] = {
    False: yaml.SafeLoader,
    True: getattr(yaml, "CSafeLoader", yaml.SafeLoader),
}
_UNKNOWN_ESCAPE = "an escape in double quotes is unknown"
_NO_ALIASES = "anchors and aliases are not read: quote a value that begins so"
_NO_TAGS = "tags are not read: quote a value that begins so"


class Quoted(str):
    """A scalar the author put in quotes, or a TOML string: text, never a boolean or a number."""

    __slots__ = ()


class YamlTrouble(Exception):
    """Why a text is not read, in words that hold nothing of it, and the line of it, from 1."""

    def __init__(self, reason: str, line: int) -> None:
        self.reason = reason
        self.line = line
        super().__init__(f"line {line}: {reason}")


@dataclass(frozen=True, slots=True)
class ReadYaml:
    """The values, None for a text of comments alone, and the line each stands in by its path."""

    root: YamlValue | None = field(repr=False)
    lines: Mapping[YamlPath, int] = field(repr=False)

    def line_of(self, path: YamlPath) -> int | None:
        """The line of a path, or of the nearest part around it."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return None


def read_yaml(text: str, *, libyaml: bool = True) -> ReadYaml:
    """The one document of a text, whose length the caller bounds. Raises YamlTrouble.

    Without `libyaml`, or on a platform that lacks it, Python scans the text.
    """
    if strange := _NOT_ALLOWED.search(text):
        line = text.count("\n", 0, strange.start()) + 1
        raise YamlTrouble("a character YAML does not allow", line)
    try:
        return _read(text, libyaml=libyaml)
    except YamlTrouble as trouble:
        # A pair of surrogates, as JSON spells a character, is unknown to libyaml alone.
        if trouble.reason != _UNKNOWN_ESCAPE or not libyaml:
            raise
    return _read(text, libyaml=False)


def _read(text: str, *, libyaml: bool) -> ReadYaml:
    tree = _Tree()
    loader = _SCANNERS[libyaml]
    try:
        for event in cast("Iterator[Event]", yaml.parse(text, Loader=loader)):  # pyright: ignore[reportUnknownMemberType]
            tree.take(event)
    except yaml.MarkedYAMLError as trouble:
        raise _translated(trouble, text) from None
    return ReadYaml(tree.root, tree.lines)


def _translated(trouble: yaml.MarkedYAMLError, text: str) -> YamlTrouble:
    mark = trouble.problem_mark or trouble.context_mark
    lines = text.split("\n")
    # What is never closed is noticed behind the last line.
    last = text.rstrip().count("\n")
    at = min(int(mark.line) if mark else 0, last)
    sign = lines[at][int(mark.column) : int(mark.column) + 1] if mark else ""
    return YamlTrouble(_kind_of_trouble(trouble.problem or "", sign), at + 1)


def _kind_of_trouble(said: str, sign: str) -> str:
    """What an error of either scanner is about, in words that hold nothing of the file."""
    if said.startswith("mapping values"):
        return "a value that holds a colon needs quotes"
    if sign == "\t" or "tab" in said:
        return "a tab stands where YAML wants spaces"
    if said.startswith("found character"):
        return "a value that begins with a sign such as @ or ` needs quotes"
    if "expected alphabetic" in said:
        return "a value that begins with * or & needs quotes"
    if "tag" in said:
        return _NO_TAGS
    if "escape" in said:
        return _UNKNOWN_ESCAPE
    return "indentation, quotes or brackets do not match"


class _Tree:
    """Builds plain values out of YAML events; refuses what is not plain."""

    def __init__(self) -> None:
        self.root: YamlValue | None = None
        self.lines: dict[YamlPath, int] = {}
        self._open: list[list[YamlValue] | dict[str, YamlValue]] = []
        self._keys: list[str | None] = []
        self._path: YamlPath = ()
        self._documents = 0

    def take(self, event: Event) -> None:
        line = int(event.start_mark.line) + 1
        if isinstance(event, DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                _refuse("a second document", line)
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None) is not None:
            _refuse(_NO_ALIASES, line)
        if getattr(event, "tag", None) is not None:
            _refuse(_NO_TAGS, line)
        if isinstance(event, ScalarEvent):
            self._scalar(event, line)
        elif isinstance(event, MappingStartEvent | SequenceStartEvent):
            self._begin({} if isinstance(event, MappingStartEvent) else [], line)
        elif isinstance(event, MappingEndEvent | SequenceEndEvent):
            self._open.pop()
            self._keys.pop()
            self._path = self._path[:-1]

    def _scalar(self, event: ScalarEvent, line: int) -> None:
        text = _clean(str(event.value), line)
        inside = self._open[-1] if self._open else None
        if isinstance(inside, dict) and self._keys[-1] is None:
            if text in inside:
                _refuse("a key stands twice", line)
            self._keys[-1] = text
            self.lines[(*self._path, text)] = line
            return
        self._place(Quoted(text) if event.style else text, line)

    def _begin(self, value: list[YamlValue] | dict[str, YamlValue], line: int) -> None:
        if len(self._open) >= MAX_DEPTH:
            _refuse("nested too deep", line)
        path = self._place(value, line)
        self._path = path
        self._open.append(value)
        self._keys.append(None)

    def _place(self, value: YamlValue, line: int) -> YamlPath:
        """Puts a value where it belongs; the path it has there."""
        inside = self._open[-1] if self._open else None
        if inside is None:
            self.root = value
            path: YamlPath = ()
        elif isinstance(inside, list):
            path = (*self._path, len(inside))
            inside.append(value)
        else:
            name = self._keys[-1]
            if name is None:
                _refuse("a value that begins with { needs quotes, or a key is no word", line)
            path = (*self._path, name)
            inside[name] = value
            self._keys[-1] = None
        self.lines.setdefault(path, line)
        return path


def _clean(text: str, line: int) -> str:
    """The text with escaped surrogate pairs joined; refuses NUL and lone surrogates (C04)."""
    try:
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        _refuse("half a surrogate pair", line)
    if "\x00" in joined:
        _refuse("a NUL character", line)
    return joined


def _refuse(reason: str, line: int) -> NoReturn:
    raise YamlTrouble(reason, line)
