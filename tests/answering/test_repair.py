"""Slips are mended, nothing is invented, the mode follows from the rest (R143, R146, R147)."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.answering.evidence import gathered_evidence
from fonds.answering.grounding import check_grounding
from fonds.answering.mode import derived_mode
from fonds.answering.rejection import AnswerRejected
from fonds.answering.repair import repaired_sentences, union_of_citations
from fonds.contract.answer_evidence import AnswerEvidence
from fonds.contract.citation import AnswerMode, Citation, CitationKind
from fonds.contract.writer_reply import WrittenSentence
from tests.answering.hits import locator_hit, text_hit

KITES = Citation("record", "essay:kites#whole", "https://archive.example/kites/")
PIANO = Citation("hint", "note:piano#p4", "https://archive.example/notes/piano/")
EVIDENCE = gathered_evidence((text_hit(), locator_hit())).evidence


def repaired(*citations: Citation, evidence: AnswerEvidence = EVIDENCE) -> tuple[Citation, ...]:
    return repaired_sentences((WrittenSentence("Text.", citations),), evidence)[0].citations


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        (Citation("record", KITES.id, "https://archive.example/wrong/"), KITES),
        (Citation("record", f" {KITES.id} \n", f"{KITES.url} "), KITES),
        (Citation("record", "kites", KITES.url), KITES),
        (Citation("record", "", KITES.url), KITES),
        (Citation("record", "essay:kites", KITES.url), KITES),
        (Citation("hint", "wrong", PIANO.url), PIANO),
        (Citation("record", "wrong", PIANO.url), PIANO),
        (Citation("hint", "wrong", KITES.url), KITES),
        (Citation("hint", KITES.id, "wrong"), KITES),
        (Citation("record", PIANO.id, PIANO.url), PIANO),
    ],
)
def test_a_slip_is_mended_to_the_exact_pair(written: Citation, mended: Citation) -> None:
    """R146: id first, then url; of the other kind where it belongs; harmless blanks are nothing."""
    assert repaired(written) == (mended,)


@pytest.mark.parametrize(
    "written",
    [
        Citation("record", "essay:nowhere#whole", "https://archive.example/nowhere/"),
        Citation("record", "", ""),
        Citation("record", "ESSAY:KITES#WHOLE", KITES.url),
        Citation("record", "essay:kites#s9", KITES.url),
        Citation("record", "nowhere", "https://archive.example/KITES/"),
    ],
)
def test_what_cannot_be_told_stays_and_fails_grounding(written: Citation) -> None:
    """R146, R147, C12: never invents; other letter case and another fragment are not slips."""
    assert repaired(written) == (written,)
    with pytest.raises(AnswerRejected) as rejected:
        check_grounding(derived_mode([written]), (written,), EVIDENCE)
    assert rejected.value.reason == "fabricated_citation"
    assert str(rejected.value) == "fabricated_citation: citation 1"


def test_a_page_of_two_hints_names_neither() -> None:
    """R146: a hint's url is used only if it is unique among hints."""
    page = "https://archive.example/notes/"
    shared = gathered_evidence((locator_hit("piano", url=page), locator_hit("letters", url=page)))
    written = Citation("record", "wrong", page)
    assert repaired(written, evidence=shared.evidence) == (written,)


def test_a_page_of_two_records_names_neither() -> None:
    """R146: two fragments of one guide share its page; picking one would be inventing."""
    shared = gathered_evidence((text_hit(key="s1"), text_hit(key="s2"))).evidence
    written = Citation("record", "wrong", KITES.url)
    assert repaired(written, evidence=shared) == (written,)


def test_a_citation_made_twice_counts_once() -> None:
    """R146, C12: also when it is written in two ways."""
    again = Citation("record", KITES.id, "https://archive.example/wrong/")
    assert repaired(KITES, again, PIANO) == (KITES, PIANO)
    said = repaired_sentences(
        (WrittenSentence("One.", (PIANO, KITES)), WrittenSentence("Two.", (KITES,))), EVIDENCE
    )
    assert union_of_citations(said) == (PIANO, KITES)


@pytest.mark.parametrize(
    ("citations", "mode"),
    [
        ((KITES, PIANO), "supported"),
        ((KITES,), "partial"),
        ((PIANO,), "related-material"),
        ((), "not-found"),
    ],
)
def test_the_mode_follows_from_the_citations(
    citations: tuple[Citation, ...], mode: AnswerMode
) -> None:
    """R143: four modes partition the citations."""
    assert derived_mode(citations) == mode
    check_grounding(mode, citations, EVIDENCE)
    for other in set(get_args(AnswerMode)) - {mode}:
        with pytest.raises(ValueError, match="mode"):
            check_grounding(other, citations, EVIDENCE)


def test_a_real_fragment_of_another_request_is_refused_like_an_invented_one() -> None:
    """R147: only this request's evidence counts."""
    elsewhere = gathered_evidence((text_hit("mills"),)).evidence
    with pytest.raises(AnswerRejected):
        check_grounding("partial", (KITES,), elsewhere)


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(get_args(CitationKind)),
    st.one_of(st.text(max_size=20), st.sampled_from([KITES.id, PIANO.id, "essay:kites#s2"])),
    st.one_of(st.text(max_size=20), st.sampled_from([KITES.url, PIANO.url])),
)
def test_repair_gives_an_exact_pair_or_what_was_written(
    kind: CitationKind, written_id: str, url: str
) -> None:
    """R146: never a third thing, and a second repair changes nothing."""
    written = Citation(kind, written_id, url)
    once = repaired(written)
    assert once[0] in (KITES, PIANO, written)
    assert repaired(*once) == once
