"""The YAML files of an archive's evaluation, opened and refused in one way (R180)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from pydantic import ValidationError

from fonds.contract.failures import MisauthoredFile, Misconfigured
from fonds.strict_yaml import ReadYaml, YamlPath, YamlTrouble, read_yaml

MAX_CHARS = 512 * 1024


def opened_document(
    file: Path, setting: str, *, look: Callable[[int], None] = lambda descriptor: None
) -> ReadYaml:
    """The plain values of a file that `[evaluation]` names under `setting`.

    `look` sees the opened file before a byte is read, and may refuse it. Raises Misconfigured where
    it cannot be read, MisauthoredFile for what stands in it.
    """
    return read_document(suite_bytes(file, setting, look=look), file.name)


def suite_bytes(
    file: Path, setting: str, *, look: Callable[[int], None] = lambda descriptor: None
) -> bytes:
    """What `read_document` is given of a file: all of it, or more than it takes."""
    try:
        with file.open("rb") as stream:
            look(stream.fileno())
            return stream.read(4 * MAX_CHARS + 1)
    except OSError:
        raise Misconfigured(
            f"cannot read {file.name}: check [evaluation] {setting} in the archive file"
        ) from None


def read_document(content: bytes, name: str) -> ReadYaml:
    """A suite's bytes as plain values; `name` stands for the file. Raises MisauthoredFile."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as trouble:
        line = content.count(b"\n", 0, trouble.start) + 1
        raise MisauthoredFile(name, "", "not UTF-8", line=line) from None
    if len(text) > MAX_CHARS:
        raise MisauthoredFile(name, "", f"longer than {MAX_CHARS} characters")
    try:
        read = read_yaml(text)
    except YamlTrouble as trouble:
        raise MisauthoredFile(name, "", trouble.reason, line=trouble.line) from None
    if read.root in (None, ""):
        raise MisauthoredFile(name, "", "the file is empty")
    return read


def refuse_first(
    name: str,
    read: ReadYaml,
    trouble: ValidationError,
    *,
    nearest: Callable[[str, YamlPath], str | None] = lambda written, around: None,
) -> NoReturn:
    """The first error; an unknown key before the missing one it was meant to be.

    `nearest` gives the key that was meant, by what was written and where.
    """
    errors = sorted(
        trouble.errors(include_url=False, include_input=False, include_context=False),
        key=lambda error: error["type"] != "extra_forbidden",
    )
    first = errors[0]
    place = first["loc"]
    match first["type"]:
        case "extra_forbidden":
            # The key itself may be a question or a canary that lost its dash: the line says where.
            near = nearest(str(place[-1]), place[:-1])
            remedy = f": did you mean {near}?" if near else ""
            refuse_at(name, read, place[:-1], f"unknown key{remedy}", at=place)
        case "missing":
            refuse_at(name, read, place, "a value is needed")
        case "string_type":
            refuse_at(name, read, place, "one text is needed")
        case "string_pattern_mismatch" if place[-1] == "id":
            refuse_at(name, read, place, "letters, digits, '.', '_' and '-', at most 100")
        case "string_pattern_mismatch" | "string_too_short":
            refuse_at(name, read, place, "not blank")
        case "too_short":
            refuse_at(name, read, place, "an empty list")
        case "list_type":
            refuse_at(name, read, place, "a list is needed")
        case "model_type" | "model_attributes_type":
            refuse_at(name, read, place, "`key: value` lines are needed")
        case _:
            refuse_at(name, read, place, str(first["msg"]).lower())


def refuse_at(
    name: str, read: ReadYaml, place: YamlPath, reason: str, *, at: YamlPath | None = None
) -> NoReturn:
    """Raises MisauthoredFile for one place of the file; `at` is where its line is looked up."""
    line = read.line_of(place if at is None else at)
    raise MisauthoredFile(name, _spelled(place), reason, line=line)


def _spelled(place: YamlPath) -> str:
    shown = ""
    for part in place:
        shown += f"[{part}]" if isinstance(part, int) else f".{part}" if shown else part
    return shown
