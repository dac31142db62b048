"""An answer that only points is the engine's own prose around linted fields (R148)."""

from __future__ import annotations

from fonds.answering.evidence import gathered_evidence
from fonds.answering.related_material import description_in, related_material
from fonds.contract.answer_evidence import HintDescription
from fonds.contract.citation import Citation
from tests.answering.hits import locator_hit, semantic_hit

PIANO = Citation("hint", "note:piano#p4", "https://archive.example/notes/piano/")
LETTERS = Citation("hint", "note:letters#p4", "https://archive.example/notes/letters/")


def test_one_place_is_named_and_not_quoted() -> None:
    """R148: title, creators, version, label; no url."""
    prose = related_material((PIANO,), gathered_evidence((locator_hit(),)).descriptions)
    assert prose == (
        "Private material bears on this: On piano, R. Adeyemi, manuscript (p. 4). It is not"
        " quotable here; its citation leads to the public page it belongs to."
    )


def test_gists_follow_marked_as_descriptions() -> None:
    """R148: a gist of each cited described hint, and none of one that was not cited."""
    hits = (semantic_hit("piano", gist="About a sale."), semantic_hit("letters", gist="Of money."))
    descriptions = gathered_evidence(hits).descriptions
    prose = related_material((PIANO, LETTERS), descriptions)
    assert prose.splitlines()[2:] == [
        "Authorised description of On piano (p. 4), not a quotation: About a sale.",
        "",
        "Authorised description of On letters (p. 4), not a quotation: Of money.",
    ]
    assert "each citation leads" in prose
    assert "Of money." not in related_material((PIANO,), descriptions)


def test_a_description_is_told_from_the_prose_around_it() -> None:
    """R148: what a page marks as a description is the gist, and the place it is one of."""
    descriptions = gathered_evidence((semantic_hit("piano", gist="About a sale."),)).descriptions
    named, described = related_material((PIANO,), descriptions).split("\n\n")
    assert description_in(named) is None
    assert description_in(described) == ("On piano (p. 4)", "About a sale.")
    assert description_in("Authorised description of nothing that is given") is None


def test_empty_parts_are_left_out() -> None:
    """A10: a hint without creators and version is its title and label."""
    bare = {PIANO.id: HintDescription("Piano sale, spring", "blue notebook, p. 4")}
    assert related_material((PIANO,), bare).startswith(
        "Private material bears on this: Piano sale, spring (blue notebook, p. 4). It is not"
    )


def test_public_material_below_text_is_not_called_private() -> None:
    """R148: a published page the owner does not let travel is no private material."""
    described = {"essay:x#whole": HintDescription("Letters", "whole record", raw="public")}
    prose = related_material((Citation("hint", "essay:x#whole", "https://e.org/x/"),), described)
    assert prose.startswith("Material that is not quoted here bears on this: Letters")
