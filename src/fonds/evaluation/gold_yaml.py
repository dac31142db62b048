"""A YAML text -> plain values, read strictly: what an author cannot see is refused (R180).

Every scalar stays the text that was written. A repeated key, a tag, an anchor, an alias, deep
nesting or a second document is refused with its line; no message repeats a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias, cast

import yaml

from fonds.contract.failures import MisauthoredFile
from fonds.contract.search_request import is_clean_text

MAX_CHARS = 512 * 1024  # the scanner reads some 100 kB a second
MAX_DEPTH = 8

YamlPath: TypeAlias = tuple[str | int, ...]
YamlValue: TypeAlias = "str | list[YamlValue] | dict[str, YamlValue]"


@dataclass(frozen=True, slots=True)
class ReadYaml:
    """The values, and the line each of them stands in by its path."""

    root: YamlValue = field(repr=False)
    lines: Mapping[YamlPath, int]

    def line_of(self, path: YamlPath) -> int | None:
        """The line of a path, or of the nearest part around it."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return None


def read_yaml(content: bytes, name: str) -> ReadYaml:
    """Parse a file's bytes; `name` stands for the file in errors. Raises MisauthoredFile."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as trouble:
        _refuse(name, "not UTF-8", content.count(b"\n", 0, trouble.start) + 1)
    if len(text) > MAX_CHARS:
        _refuse(name, f"longer than {MAX_CHARS} characters", None)
    try:
        node = _StrictLoader(text, name).get_single_node()
    except yaml.reader.ReaderError as trouble:
        line = text.count("\n", 0, int(trouble.position)) + 1
        _refuse(name, "a character YAML does not allow", line)
    except yaml.MarkedYAMLError as trouble:
        mark = trouble.problem_mark or trouble.context_mark
        reason = "not readable as YAML: indentation, quotes, brackets or a second document"
        _refuse(name, reason, mark.line + 1 if mark else None)
    if node is None:
        _refuse(name, "the file is empty", None)
    lines: dict[YamlPath, int] = {}
    return ReadYaml(_value(node, (), lines, name), lines)


class _StrictLoader(yaml.SafeLoader):
    """Composes nodes; refuses what stands for something else than it says."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self._name = name
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = cast("yaml.Event", self.peek_event())  # pyright: ignore[reportUnknownMemberType]
        line = int(event.start_mark.line) + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            _refuse(self._name, "anchors and aliases are not read", line)
        if getattr(event, "tag", None) is not None:
            _refuse(self._name, "tags are not read", line)
        if self._depth >= MAX_DEPTH:
            _refuse(self._name, "nested too deep", line)
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1


def _value(node: yaml.Node, path: YamlPath, lines: dict[YamlPath, int], name: str) -> YamlValue:
    line = int(node.start_mark.line) + 1
    lines.setdefault(path, line)
    if isinstance(node, yaml.SequenceNode):
        return [_value(part, (*path, at), lines, name) for at, part in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, lines, name)
    return _clean(str(node.value), line, name)


def _mapping(
    node: yaml.MappingNode, path: YamlPath, lines: dict[YamlPath, int], name: str
) -> dict[str, YamlValue]:
    read: dict[str, YamlValue] = {}
    for key, value in node.value:
        line = int(key.start_mark.line) + 1
        if not isinstance(key, yaml.ScalarNode):
            _refuse(name, "a key that is no word", line)
        word = _clean(str(key.value), line, name)
        if word in read:
            _refuse(name, "a key stands twice", line)
        lines[(*path, word)] = line
        read[word] = _value(value, (*path, word), lines, name)
    return read


def _clean(text: str, line: int, name: str) -> str:
    if not is_clean_text(text):
        _refuse(name, "a NUL or half a surrogate pair", line)
    return text


def _refuse(name: str, reason: str, line: int | None) -> NoReturn:
    raise MisauthoredFile(name, "", reason, line=line)
