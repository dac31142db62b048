"""A book of a binary format -> Markdown, read by a process of its own.

That process may use a gigabyte and thirty seconds. Whatever a file makes of it, only this book is
refused; and nothing it says but a reason of ours, or the text, is listened to.
"""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from typing import Any

from fonds.contract.failures import MisauthoredFile

SECONDS = 30
MEMORY = 1024 * 1024 * 1024


def read_apart(
    content: bytes, kind: str, key: str, *, seconds: int = SECONDS, memory: int = MEMORY
) -> str:
    """The text of an EPUB, a DOCX or a PDF; raises MisauthoredFile naming the file and a reason."""
    command = [sys.executable, "-I", "-m", "fonds.ingestion.formats", kind]
    try:
        done = subprocess.run(  # noqa: S603 - our own module, and words of ours
            [*command, str(seconds), str(memory)],
            input=content,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a traceback holds words
            env={},  # nor does it get a key or an address of ours
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _refusal(key, f"it takes more than {seconds} seconds to read") from None
    try:
        said: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise _refusal(key, f"it cannot be read as {kind.upper()}") from None
    if "text" not in said:
        raise _refusal(key, str(said["reason"]))
    text: str = said["text"].encode("utf-8", "ignore").decode()
    return unicodedata.normalize("NFC", text)


def _refusal(key: str, reason: str) -> MisauthoredFile:
    return MisauthoredFile(key, "body", reason)
