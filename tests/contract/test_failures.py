"""Failures say where, and never what (R013, R069, R097)."""

from __future__ import annotations

import copy
import pickle
import traceback
from collections.abc import Callable

import pytest

from fonds.contract.disclosure import disclosure
from fonds.contract.failures import (
    Failure,
    MisauthoredFile,
    PublicSafeLintError,
    QueryRefused,
    StoreRefused,
    Unavailable,
)
from fonds.contract.locator import place_of
from fonds.contract.search_request import Filters, SearchRequest
from tests.factories import (
    PRIVATE_TEXT,
    PRIVATE_WORDS,
    a_failed_projection,
    a_fragment,
    a_projection,
    a_served_fragment,
)


@pytest.mark.parametrize(
    "failure",
    [
        Failure("busy"),
        Unavailable("the database does not answer"),
        MisauthoredFile("notes/a.md", "label", "is needed", line=3, disclosure_known=False),
        PublicSafeLintError("note:a", "label", "quotes private text at words 3-7"),
        QueryRefused("limit", "integer from 1 to 20"),
        StoreRefused("23514", "fragment", "private_is_not_quoted"),
    ],
)
def test_a_failure_crosses_a_process_whole(failure: Failure) -> None:
    """A job's failure is raised again where it is reported."""
    for other in (pickle.loads(pickle.dumps(failure)), copy.copy(failure)):  # noqa: S301
        assert type(other) is type(failure)
        assert str(other) == str(failure)
        assert vars(other) == vars(failure)


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (MisauthoredFile("a.md", "label", "is needed", line=3), "a.md:3: label: is needed"),
        (MisauthoredFile("a.md", "", "is no UTF-8"), "a.md: is no UTF-8"),
        (
            PublicSafeLintError("note:a", "label", "quotes private text at words 3-7"),
            "note:a: label quotes private text at words 3-7",
        ),
        (QueryRefused("limit", "integer from 1 to 20"), "limit: integer from 1 to 20"),
        (
            StoreRefused("23514", "fragment", "private_is_not_quoted"),
            "the database refused a statement: "
            "SQLSTATE 23514, table fragment, constraint private_is_not_quoted",
        ),
        (StoreRefused(None, None, None), "the database refused a statement: SQLSTATE unknown"),
    ],
)
def test_a_failure_is_one_line_naming_places(failure: Failure, message: str) -> None:
    """R069, R097."""
    assert str(failure) == message


REFUSED: tuple[Callable[[], object], ...] = (
    lambda: a_fragment(date=PRIVATE_TEXT),
    lambda: a_fragment(source_review=PRIVATE_TEXT),  # pyright: ignore[reportArgumentType]
    lambda: a_fragment(summary=PRIVATE_TEXT),
    lambda: a_fragment(place=()),
    lambda: a_served_fragment(text=PRIVATE_TEXT),
    lambda: place_of([("timecode", PRIVATE_TEXT, None)]),
    lambda: disclosure("private", PRIVATE_TEXT),  # pyright: ignore[reportArgumentType]
    lambda: SearchRequest(PRIVATE_TEXT * 40),
    lambda: Filters(date_from=PRIVATE_TEXT),
    lambda: Filters(creator=PRIVATE_TEXT * 2),
    lambda: Filters(exposures=(PRIVATE_TEXT,)),  # pyright: ignore[reportArgumentType]
)


@pytest.mark.parametrize("build", REFUSED)
def test_a_refusal_never_repeats_the_value_it_refuses(build: Callable[[], object]) -> None:
    """R013: not in the message, the repr or a formatted traceback, causes included."""
    with pytest.raises(Failure) as refusal:
        build()

    shown = "".join(traceback.format_exception(refusal.value))
    assert refusal.type.__name__ in shown
    for text in (str(refusal.value), repr(refusal.value), repr(refusal.value.args), shown):
        assert not any(word in text for word in PRIVATE_WORDS)


def test_private_words_do_not_show_in_the_repr_of_what_holds_them() -> None:
    """R013."""
    holders = (
        a_fragment(),
        a_projection(gist=PRIVATE_TEXT),
        a_failed_projection(),
        SearchRequest(PRIVATE_TEXT),
        Filters(creator=PRIVATE_TEXT, speaker=PRIVATE_TEXT),
    )
    for holder in holders:
        assert not any(word in repr(holder) + str(holder) for word in PRIVATE_WORDS)
