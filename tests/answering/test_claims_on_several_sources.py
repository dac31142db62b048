"""Sentences that cite several records, and sentences that only point (R152)."""

from __future__ import annotations

import pytest

from fonds.answering.claim_check import check_claims
from fonds.answering.rejection import AnswerRejected
from fonds.contract.answer_evidence import AnswerEvidence, AnswerHint, AnswerRecord
from fonds.contract.citation import Citation
from fonds.contract.writer_reply import WrittenSentence
from tests.answering.judging_claims import fault_of

TWO = AnswerEvidence(
    (
        AnswerRecord(
            "a#1", "essay", "a", "Mill", "https://a/", "Margaret oiled the wheel in 1931."
        ),
        AnswerRecord("b#1", "essay", "b", "Boat", "https://b/", "Isobel built the boat in 1952."),
    ),
    (AnswerHint("n#1", "Piano sale, spring 1988", "blue notebook, p. 4", "https://n/"),),
)
A, B = Citation("record", "a#1", "https://a/"), Citation("record", "b#1", "https://b/")
N = Citation("hint", "n#1", "https://n/")


@pytest.mark.parametrize(
    ("claim", "is_fair"),
    [
        ("Margaret oiled the wheel in 1931 and Isobel built the boat in 1952.", True),
        ("Margaret oiled the wheel in 1952 and Isobel built the boat in 1931.", False),
        ("Margaret oiled the wheel and built the boat in 1952.", False),
        ("Margaret built the boat in 1952.", False),
        ("Isobel oiled the wheel in 1931.", False),
    ],
)
def test_a_sentence_on_two_records_is_carried_clause_by_clause(claim: str, is_fair: bool) -> None:
    """R152: splicing two passages makes a claim that neither carries."""
    assert (fault_of(claim, TWO, A, B) is None) == is_fair


@pytest.mark.parametrize(
    ("claim", "is_fair"),
    [
        ("Piano sale, spring 1988: blue notebook, p. 4.", True),
        ("See the piano sale (https://n/).", False),
        ("Piano sale (https://n/).", True),
        ("Piano sale (https://m/).", False),
        ("The piano was sold to Hamish.", False),
        ("Not the piano sale.", False),
        ("Piano sale, p. 5.", False),
        ("Ein Verkauf.", False),
        ("ピアノを売った。", False),
    ],
)
def test_a_sentence_that_only_points_holds_only_title_and_label(claim: str, is_fair: bool) -> None:
    """R152: a hint is never described by a writer."""
    assert (fault_of(claim, TWO, N) is None) == is_fair


def test_a_record_that_was_not_cited_carries_nothing() -> None:
    """R152: checked against the passages the sentence cites."""
    assert fault_of("Margaret oiled the wheel in 1931.", TWO, B) is not None


def test_a_rejection_names_a_position_and_no_word() -> None:
    """R152: nothing of a reply is kept."""
    with pytest.raises(AnswerRejected, match=r"^unsupported_claim: sentence 1: name$"):
        check_claims((WrittenSentence("Rowena oiled the wheel.", (A,)),), TWO)
