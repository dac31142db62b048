"""What a form sends: names with values, read strictly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl

from fonds.contract.failures import QueryRefused

MEDIA_TYPE: Final = "application/x-www-form-urlencoded"
MOST_FIELDS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of one form, in the order they were sent; a value never shows in a repr."""

    fields: tuple[tuple[str, str], ...] = field(repr=False)

    def one(self, name: str) -> str:
        """The value of a field that is sent once; raises QueryRefused for none or more."""
        found = self.all(name)
        if len(found) != 1:
            raise QueryRefused(name, "one value is needed")
        return found[0]

    def first(self, name: str, default: str = "") -> str:
        """The first value of a field, or `default`."""
        return next(iter(self.all(name)), default)

    def all(self, name: str) -> tuple[str, ...]:
        """Every value of a field, none included."""
        return tuple(value for key, value in self.fields if key == name)


def parsed_form(content_type: str, body: bytes) -> Form:
    """The form in a body; raises QueryRefused for another media type, another encoding than UTF-8,
    or more than MOST_FIELDS fields.
    """
    media = content_type.split(";")[0].strip().lower()
    if media != MEDIA_TYPE:
        raise QueryRefused("body", f"a form is sent as {MEDIA_TYPE}")
    try:
        found = parse_qsl(
            body.decode("utf-8"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError:
        raise QueryRefused("body", "a form in UTF-8 of bounded length is needed") from None
    return Form(tuple(found))
