"""A file that is its owner's alone, or as open as it was, written whole or not at all."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from fonds.contract.failures import MisauthoredInput


def write_private_file(file: Path, text: str, mode: int = 0o600) -> None:
    """Put the text in the file's place, readable by its owner alone unless `mode` says otherwise.

    Raises MisauthoredInput where it cannot be written; what stood there before then still does.
    """
    partial = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        opened = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(opened, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
        partial.chmod(mode)
        partial.replace(file)
    except OSError as trouble:
        with suppress(OSError):
            partial.unlink(missing_ok=True)  # private words are not left lying about
        reason = type(trouble).__name__
        raise MisauthoredInput(f"{file.name}: cannot be written: {reason}") from None
