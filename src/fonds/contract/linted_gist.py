"""A gist that passed the lint in this process (R009)."""

from __future__ import annotations

from typing import Final, NoReturn, final

LINT_TOKEN: Final = object()
"""Held by the gist lint alone; a house test keeps it there."""


@final
class LintedGist:
    """Proof that the gist lint accepted a text. Built by the gist lint and nowhere else.

    It erases at JSON and at the database: a row read back is a plain string until the lint has
    run again.
    """

    __slots__ = ("_text",)
    _text: str

    def __new__(cls, text: str, token: object) -> LintedGist:
        if token is not LINT_TOKEN:
            raise TypeError("a LintedGist comes from the gist lint")
        self = super().__new__(cls)
        object.__setattr__(self, "_text", text)
        return self

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("a LintedGist has no other kinds")

    @property
    def text(self) -> str:
        return self._text

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a LintedGist does not change")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a LintedGist is not copied or pickled: run the lint again")

    def __repr__(self) -> str:
        return "LintedGist(...)"
