"""Bytes -> text: one encoding a file, told by its mark or by UTF-8, never guessed (C19)."""

from __future__ import annotations

import codecs
import re
import unicodedata

from fonds.contract.failures import MisauthoredFile

_CONTROL = re.compile("[\x80-\x84\x86-\x9f]")  # letters of one 8-bit encoding in another
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decoded(content: bytes, key: str, encoding: str | None = None) -> str:
    """The text in composed form (NFC), line ends as `\\n`, without a byte order mark.

    A byte order mark decides; without one the text is in `encoding`, or UTF-8 when None. Raises
    MisauthoredFile naming the line: no byte is skipped or replaced.
    """
    mark, used = marked_encoding(content) or (b"", encoding or "utf-8")
    try:
        text = content[len(mark) :].decode(used)
    except UnicodeDecodeError as trouble:
        before = content[len(mark) : len(mark) + trouble.start].decode(used, "ignore")
        shown = "UTF-8" if used == "utf-8" else used
        raise MisauthoredFile(
            key,
            "",
            f"the file is not {shown}: save it as UTF-8 or declare its encoding in archive.toml",
            line=before.count("\n") + 1,
            disclosure_known=False,
        ) from None
    if used != "utf-8" and _CONTROL.search(text):
        reason = f"holds control characters when read as {used}: another encoding is meant"
        raise MisauthoredFile(key, "", reason, disclosure_known=False)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", text)


def marked_encoding(content: bytes) -> tuple[bytes, str] | None:
    """The byte order mark a file begins with, and the encoding it stands for."""
    return next(((mark, name) for mark, name in _MARKS if content.startswith(mark)), None)
