"""What an index found too little in is searched by every row before it is refused (R114, R160)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fonds.answering.ask import AskSettings, ask
from fonds.answering.prompt import AboutArchive
from fonds.answering.refusal import Answered, Refused
from fonds.answering.search_outcome import SearchOutcome
from fonds.contract.search_request import SearchRequest
from tests.answering.asking import ASKED, said
from tests.answering.calibrations import TERMS, calibration, figures
from tests.answering.hits import KeptRefusals, SayingWriter, UntouchableWriter, outcome, text_hit

GATED = AskSettings(AboutArchive("The Tarn Papers", "Isobel Tarn"), gate=TERMS)
STRONG = outcome(text_hit(score=0.7), figures=figures(), calibration=calibration(threshold=0.0))
WEAK = replace(STRONG, calibration=calibration(threshold=0.99))


def by_index(found: SearchOutcome) -> SearchOutcome:
    return replace(found, by_index=True)


def given(
    first: SearchOutcome, second: SearchOutcome | None, writer: object
) -> tuple[Answered | Refused, int]:
    """What was said, and how often every row was compared."""
    exactly: list[SearchRequest] = []

    def exact(request: SearchRequest) -> SearchOutcome:
        exactly.append(request)
        assert second is not None
        return second

    log = KeptRefusals()
    answer = ask(
        ASKED,
        search=lambda _: first,
        search_exactly=exact,
        writer=writer,  # pyright: ignore[reportArgumentType]
        settings=GATED,
        log=log,
    )
    assert len(log.kept) == isinstance(answer, Refused)
    return answer, len(exactly)


def test_what_every_row_answers_is_answered() -> None:
    """The first refusal is never recorded: nobody was refused."""
    answer, compared = given(by_index(WEAK), STRONG, SayingWriter(said()))
    assert isinstance(answer, Answered)
    assert compared == 1


@pytest.mark.parametrize("first", [WEAK, outcome()])
def test_gate_and_floors_refuse_by_every_row(first: SearchOutcome) -> None:
    answer, compared = given(by_index(first), first, UntouchableWriter())
    assert isinstance(answer, Refused)
    assert compared == 1


def test_what_was_found_exactly_is_refused_at_once() -> None:
    answer, compared = given(WEAK, None, UntouchableWriter())
    assert isinstance(answer, Refused)
    assert compared == 0


def test_an_answer_costs_no_second_look() -> None:
    answer, compared = given(by_index(STRONG), None, SayingWriter(said()))
    assert isinstance(answer, Answered)
    assert compared == 0
