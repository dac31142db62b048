"""A file of another format -> Markdown, read by a process of its own.

That process may use a gigabyte and thirty seconds. Whatever a file makes of it, only this file is
refused; nothing it says but a reason of ours, or the text, is listened to, and no more of it than
a text may be long.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from time import monotonic
from typing import Annotated, BinaryIO, Literal, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fonds.contract.failures import MisauthoredFile
from fonds.ingestion.formats.trouble import REASONS

SECONDS = 30
MEMORY = 1024 * 1024 * 1024
MAX_SAID = 96 * 1024 * 1024  # bytes: 20 million characters of four, and what JSON adds to them
_STEP = 1024 * 1024

Kind: TypeAlias = Literal["epub", "docx", "pdf", "html"]


class _Heard(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    text: Annotated[str | None, Field(repr=False)] = None
    fields: Annotated[dict[str, str | list[str]], Field(repr=False)] = {}
    reason: Annotated[str | None, Field(repr=False)] = None


@dataclass(frozen=True, slots=True)
class ReadApart:
    """The text as Markdown; of a page also what its head says of it."""

    text: str = field(repr=False)
    fields: Mapping[str, str | list[str]] = field(repr=False)


def read_apart(
    content: bytes,
    kind: Kind,
    key: str,
    *,
    seconds: int = SECONDS,
    memory: int = MEMORY,
    most: int = MAX_SAID,
) -> ReadApart:
    """What an EPUB, a DOCX, a PDF or a page gives; raises MisauthoredFile with file and reason."""
    command = [sys.executable, "-I", "-B", "-m", "fonds.ingestion.formats", kind]
    said = _said([*command, str(seconds), str(memory)], content, seconds, most)
    if said is None:
        raise _refusal(key, f"it takes more than {seconds} seconds to read")
    try:
        heard = _Heard.model_validate_json(said)
    except ValidationError:
        raise _refusal(key, f"it cannot be read as {kind.upper()}") from None
    if heard.text is None:
        reason = heard.reason if heard.reason in REASONS else f"it cannot be read as {kind.upper()}"
        raise _refusal(key, str(reason))
    fields = {name: _clean_field(value) for name, value in heard.fields.items()}
    return ReadApart(_clean(heard.text), fields)


def _said(command: list[str], content: bytes, seconds: int, most: int) -> bytes | None:
    """What a process says, or None when it is late; then it is gone, and all it started."""
    with subprocess.Popen(  # noqa: S603 - our own module, and words of ours
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # a traceback holds words
        env={},  # nor does it get a key or an address of ours
        start_new_session=True,
    ) as child:
        try:
            return _exchanged(child, memoryview(content), seconds, most)
        finally:
            _end(child)


def _exchanged(
    child: subprocess.Popen[bytes], waiting: memoryview, seconds: int, most: int
) -> bytes | None:
    """Hands over what waits and takes what comes, a bound of it: neither end may block us."""
    hand, ear = cast("BinaryIO", child.stdin), cast("BinaryIO", child.stdout)
    os.set_blocking(hand.fileno(), False)
    said = bytearray()
    ends = monotonic() + seconds
    with DefaultSelector() as ready:
        ready.register(hand, EVENT_WRITE)
        ready.register(ear, EVENT_READ)
        while (left := ends - monotonic()) > 0:
            for key, _ in ready.select(left):
                if key.fileobj is ear:
                    part = os.read(key.fd, _STEP)
                    said += part
                    if not part:
                        return bytes(said)
                    if len(said) > most:
                        return b""
                    continue
                waiting = waiting[_handed(key.fd, waiting) :]
                if not waiting:
                    ready.unregister(hand)
                    hand.close()
    return None


def _handed(place: int, waiting: memoryview) -> int:
    try:
        return os.write(place, waiting[:_STEP])
    except BlockingIOError:
        return 0
    except OSError:
        return len(waiting)  # it does not listen any more


def _end(child: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)


def _clean(text: str) -> str:
    whole = text.encode("utf-8", "ignore").decode().replace("\x00", "")
    return unicodedata.normalize("NFC", whole)


def _clean_field(value: str | list[str]) -> str | list[str]:
    return _clean(value) if isinstance(value, str) else [_clean(part) for part in value]


def _refusal(key: str, reason: str) -> MisauthoredFile:
    return MisauthoredFile(key, "body", reason)
