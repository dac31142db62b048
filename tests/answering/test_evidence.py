"""Hits become records that may be quoted and hints that only point (R140, R141, R151)."""

from __future__ import annotations

from dataclasses import fields

from fonds.answering.evidence import CUT_MARK, MAX_BODY_CHARS, gathered_evidence, shown_body
from fonds.answering.pruning import pruned_hits
from fonds.contract.answer_evidence import AnswerHint
from tests.answering.hits import GIST, locator_hit, semantic_hit, text_hit


def test_a_text_hit_is_a_record_and_the_others_are_hints() -> None:
    """R140: exposure decides; ids are fragment ids."""
    gathered = gathered_evidence((text_hit(), semantic_hit("piano"), locator_hit("letters")))
    assert [record.record_id for record in gathered.evidence.records] == ["essay:kites#whole"]
    assert [record.slug for record in gathered.evidence.records] == ["kites"]
    assert gathered.evidence.hints == (
        AnswerHint(
            "note:piano#p4", "On piano", "p. 4", "https://archive.example/notes/piano/", 0.6
        ),
        AnswerHint(
            "note:letters#p4", "On letters", "p. 4", "https://archive.example/notes/letters/", 0.6
        ),
    )


def test_a_gist_is_nowhere_in_the_evidence() -> None:
    """R140: gists travel beside, keyed by hint id."""
    gathered = gathered_evidence((semantic_hit(),))
    hint = gathered.evidence.hints[0]
    assert all(GIST not in str(getattr(hint, f.name)) for f in fields(hint))
    assert gathered.descriptions["note:piano#p4"].gist == GIST
    assert GIST not in repr(gathered)


def test_a_placeholder_is_no_creator() -> None:
    """R148: placeholders are not people."""
    gathered = gathered_evidence((locator_hit(),))
    assert gathered.descriptions["note:piano#p4"].creators == ("R. Adeyemi",)


def test_a_fragment_that_comes_twice_is_one_record() -> None:
    """R140: one fragment, one record."""
    assert len(gathered_evidence((text_hit(), text_hit())).evidence.records) == 1


def test_no_hits_give_no_evidence() -> None:
    """R144: empty evidence says so."""
    assert gathered_evidence(()).evidence.is_empty


def test_a_long_body_is_cut_where_it_can_be_seen() -> None:
    """R141: 6,000 characters and a visible mark."""
    cut = shown_body("kite " * 2_000)
    assert cut.endswith(CUT_MARK)
    assert len(cut) <= MAX_BODY_CHARS + len(CUT_MARK)
    assert shown_body("k" * MAX_BODY_CHARS) == "k" * MAX_BODY_CHARS


def test_a_cut_leaves_a_letter_its_marks() -> None:
    """R141: a cut never falls between a letter and its accent."""
    cut = shown_body("e\u0301" * 3_500 + "x")
    assert cut.removesuffix(CUT_MARK).endswith("\u0301")
    odd = shown_body("x" + "e\u0301" * 3_500)
    assert odd.removesuffix(CUT_MARK).endswith(("x", "\u0301"))


def test_pruning_keeps_one_fragment_an_entity_and_a_clear_winners_second() -> None:
    """R151: a corroborator only where the winner leads by the margin."""
    first, second = text_hit(key="s1", score=0.9), text_hit(key="s2", score=0.8)
    third, other = text_hit(key="s3", score=0.75), text_hit("mills", score=0.7)
    assert pruned_hits((first, second, third, other), 0.1) == (first, second, other)
    assert pruned_hits((first, second, third, other), 0.3) == (first, other)
    assert pruned_hits((first, second, third), 0.3) == (first, second)
    assert pruned_hits((first,), 0.3) == (first,)
    assert pruned_hits(()) == ()
