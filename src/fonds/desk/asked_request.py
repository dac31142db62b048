"""A search request out of a form: the question and every filter there is (R104)."""

from __future__ import annotations

from typing import Final, cast

from fonds.contract.disclosure import Raw, ServedExposure
from fonds.contract.search_request import Filters, Recency, SearchRequest, Undated
from fonds.pages.forms import Form

FIELDS: Final = ("q", "types", "from", "to", "undated", "creator", "speaker", "raw", "recency")
"""What a form asks with, beside `exposure`, which may be sent more than once."""


def asked_request(form: Form) -> SearchRequest:
    """Raises QueryRefused for a value no request takes; one that is left empty asks for nothing.

    The question is one line, whatever line ends a browser sent: a case holds it as it was asked.
    """
    names = [name.strip() for name in form.first("types").split(",")]
    filters = Filters(
        types=tuple(name for name in names if name) or None,
        date_from=form.first("from").strip() or None,
        date_to=form.first("to").strip() or None,
        undated=cast("Undated", form.first("undated") or "exclude"),
        creator=form.first("creator").strip() or None,
        speaker=form.first("speaker").strip() or None,
        exposures=cast("tuple[ServedExposure, ...]", form.all("exposure")) or None,
        raw=cast("Raw", form.first("raw")) or None,
    )
    recency = cast("Recency", form.first("recency") or "auto")
    return SearchRequest(" ".join(form.one("q").split()), filters=filters, recency=recency)


def is_plain(request: SearchRequest) -> bool:
    """Whether it is asked as a gold case is: without a filter."""
    return request == SearchRequest(request.query)


def asked_fields(form: Form) -> dict[str, object]:
    """What the form held, to be shown in it again."""
    shown: dict[str, object] = {name: form.first(name) for name in FIELDS}
    return shown | {"exposure": form.all("exposure")}
