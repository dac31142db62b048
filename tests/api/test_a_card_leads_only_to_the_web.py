"""What a reader follows from a card is an address of the web, or the card leads nowhere (R149)."""

from __future__ import annotations

import pytest

from fonds.answering.refusal import Answered, CitedSource
from fonds.api.reader_view import reader_answer

QUOTED = "A kite needs a tail."


def answered(url: str) -> Answered:
    """An answer that cites one passage at an address."""
    cited = CitedSource("record", "essay:kites#whole", url, "On kites", "whole record")
    return Answered("partial", QUOTED, (cited,), "v1", "extractive", "1")


@pytest.mark.parametrize("url", ["https://example.org/a/", "HTTP://example.org/", "https://x/?q=1"])
def test_a_card_leads_to_an_address_of_the_web(url: str) -> None:
    (card,) = reader_answer(answered(url)).cards
    assert card.address == url


@pytest.mark.parametrize(
    "url",
    [
        *(
            "",
            "javascript:alert(1)",
            "JavaScript://https://example.org/%0aalert(1)",
            "data:text/html,a",
        ),
        *(
            "//elsewhere.example/",
            "/v1/archives/tide",
            "file:///etc/passwd",
            " https://example.org/",
        ),
    ],
)
def test_no_card_leads_anywhere_else(url: str) -> None:
    """The passage is shown all the same, with its title and place."""
    given = reader_answer(answered(url))
    (card,) = given.cards
    assert (card.address, card.title, card.quoted) == ("", "On kites", True)
    assert [one.words for one in given.paragraphs] == [QUOTED]
