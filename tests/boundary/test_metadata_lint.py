"""Nothing that travels with private text may quote it (R022, R064-R069)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from fonds.boundary.lint import metadata_lint, metadata_lint_findings
from fonds.contract.attribution import Attribution
from fonds.contract.entity import Entity, LintWindow, Policy
from fonds.contract.failures import MisauthoredInput, PublicSafeLintError
from fonds.contract.fragment import Fragment
from fonds.contract.identifier import Identifier
from fonds.contract.locator import Locator
from tests.factories import a_fragment, an_entity, chapter

PIANO = "We sold the piano in March because the stairs had started to sag under it."
QUOTE = "Sold the piano in March"
BOOK = an_entity(title="House and Home")
PAGE = a_fragment(place=chapter(1), text=PIANO)


def found(entity: Entity, *fragments: Fragment) -> list[tuple[str, str, str]]:
    findings = metadata_lint_findings(entity, fragments or (PAGE,))
    return [(one.path, one.field, one.rule) for one in findings]


def quotes(path: str, field: str, position: str = "words 1-5") -> tuple[str, str, str]:
    return path, field, f"quotes private text at {position}"


def test_metadata_that_quotes_nothing_passes() -> None:
    """R065."""
    entity = replace(
        BOOK,
        version="manuscript",
        attribution=(Attribution("R. Adeyemi", "author"),),
        themes=("moving house",),
    )
    metadata_lint(entity, [PAGE])

    assert found(entity) == []


@pytest.mark.parametrize(
    ("entity", "field"),
    [
        (replace(BOOK, title=QUOTE), "title"),
        (replace(BOOK, version=QUOTE), "version"),
        (replace(BOOK, attribution=(Attribution("A"), Attribution(QUOTE))), "attribution[1].name"),
        (replace(BOOK, attribution=(Attribution("A", QUOTE),)), "attribution[0].role"),
        (replace(BOOK, themes=("sea", QUOTE)), "themes[1]"),
    ],
)
def test_each_string_of_an_entity_is_compared(entity: Entity, field: str) -> None:
    """R065."""
    assert found(entity) == [quotes("book:low-tide", field)]


@pytest.mark.parametrize(
    ("fragment", "field"),
    [
        (replace(PAGE, attribution=(Attribution(QUOTE),)), "attribution[0].name"),
        (replace(PAGE, attribution=(Attribution("Other", QUOTE),)), "attribution[0].role"),
        (replace(PAGE, themes=(QUOTE,)), "themes[0]"),
    ],
)
def test_each_string_of_a_fragment_is_compared(fragment: Fragment, field: str) -> None:
    """R065."""
    assert found(BOOK, fragment) == [quotes("book:low-tide#ch1", field)]


def test_every_part_of_a_place_and_its_label_are_compared() -> None:
    """R065: a label can quote though none of its steps does."""
    whole = a_fragment(place=(Locator("verse", QUOTE, QUOTE),), text=PIANO)
    halves = a_fragment(
        place=(Locator("note", "we sold the"), Locator("note", "piano in March")), text=PIANO
    )

    name = "book:low-tide, fragment 1 by id"
    assert found(BOOK, whole) == [
        quotes(name, "locator[0].value"),
        quotes(name, "locator[0].end"),
        quotes(name, "label", "words 2-6"),
    ]
    assert found(BOOK, halves) == [quotes(name, "label")]


def test_a_note_s_label_is_reported_once() -> None:
    """R022, R065: a note's label is its locator's value."""
    fragment = a_fragment(place=(Locator("note", QUOTE),), text=PIANO)

    assert [field for _, field, _ in found(BOOK, fragment)] == ["locator[0].value"]


def test_what_is_not_linted_may_repeat_the_text() -> None:
    """R065: ids of other kinds than notes, type, url, identifiers, dates, parent."""
    slug = "we-sold-the-piano-in-march"
    entity = an_entity(
        entity_id=f"book:{slug}",
        title="House and Home",
        url=f"https://example.org/{slug}/",
        identifiers=(Identifier("doi", QUOTE),),
        parent=f"episode:{slug}",
        date="1999",
    )

    assert found(entity, a_fragment(entity_id=f"book:{slug}", text=PIANO + " 1999")) == []


def test_the_whole_record_label_is_our_own_wording() -> None:
    """R065: the empty value of `whole` is not linted; one that is written is."""
    entity = replace(BOOK, policy=Policy(lint=LintWindow(ngram_words=2)))

    assert found(entity, a_fragment(text="The whole record was scratched.")) == []
    written = a_fragment(text=PIANO, place=(Locator("whole", QUOTE),))
    assert [field for _, field, _ in found(BOOK, written)] == ["locator[0].value"]


def test_the_text_of_a_withheld_fragment_counts() -> None:
    """R065: all fragments, `none` included."""
    withheld = a_fragment(place=chapter(2), exposure="none", text=PIANO)
    shown = a_fragment(place=chapter(1), text="The tuner came once more.")

    assert found(replace(BOOK, title=QUOTE), shown, withheld) == [quotes("book:low-tide", "title")]


def test_a_public_entity_is_not_linted() -> None:
    """R065."""
    entity = an_entity(raw="public", title=PIANO)
    fragment = a_fragment(raw="public", exposure="text", text=PIANO, themes=(QUOTE,))

    assert found(entity, fragment) == []


def test_every_travelling_string_is_one_line_of_a_hundred_and_twenty() -> None:
    """R064."""
    entity = replace(BOOK, title="x" * 121, version=" ", themes=("a\nb", "y" * 120))

    assert found(entity) == [
        ("book:low-tide", "title", "is longer than 120 characters"),
        ("book:low-tide", "version", "is empty"),
        ("book:low-tide", "themes[0]", "holds a line break"),
    ]


HEADING = "Six quiet words about the piano"


def test_a_heading_that_is_the_title_is_no_quotation() -> None:
    """R066."""
    entity = replace(BOOK, title=HEADING)

    assert found(entity, a_fragment(text=f"{HEADING}\n\n{PIANO}")) == []
    assert found(entity, a_fragment(text=HEADING)) == []


@pytest.mark.parametrize(
    "text",
    [
        f"{HEADING.lower()}\n\n{PIANO}",
        f"{HEADING}\n{PIANO}",
        f"{HEADING} too\n\n{PIANO}",
        f"{PIANO}\n\n{HEADING}\n\nIt was loud.",
        f"{HEADING}\n\n{HEADING}, I wrote.",
    ],
)
def test_only_the_exact_first_paragraph_is_taken_for_the_heading(text: str) -> None:
    """R066: case-sensitive, a paragraph of its own, once."""
    entity = replace(BOOK, title=HEADING)

    assert found(entity, a_fragment(text=text)) == [quotes("book:low-tide", "title")]


def test_a_title_cut_from_a_longer_private_title_fails() -> None:
    """R066."""
    label = "Letter about the piano, the night we left"
    note = an_entity(entity_id="note:piano-sale", title=label)
    text = f"Letter about the piano, the night we left town\n\n{PIANO}"

    assert found(note, a_fragment(entity_id="note:piano-sale", text=text)) == [
        quotes("note:piano-sale", "title")
    ]


def test_a_public_title_keeps_its_shape_and_is_not_compared() -> None:
    """R067, A25."""
    public = Policy(public_title=True)

    assert found(replace(BOOK, title=QUOTE, policy=public)) == []
    assert found(replace(BOOK, title="x" * 121, policy=public)) == [
        ("book:low-tide", "title", "is longer than 120 characters")
    ]
    assert found(replace(BOOK, title="\u200b", policy=public)) == [
        ("book:low-tide", "title", "is empty")
    ]
    assert found(replace(BOOK, version=QUOTE, policy=public)) == [
        quotes("book:low-tide", "version")
    ]


def test_the_entity_s_window_governs_its_metadata() -> None:
    """R068."""
    entity = replace(BOOK, title="The piano in March")

    assert found(entity) == []
    assert found(replace(entity, policy=Policy(lint=LintWindow(ngram_words=4)))) == [
        quotes("book:low-tide", "title", "words 1-4")
    ]


@pytest.mark.parametrize("slug", ["letters/we-sold-the-piano-in-march", "WeSoldThePianoInMarch"])
def test_the_stem_of_a_note_is_compared_and_not_repeated(slug: str) -> None:
    """R022, R069: it is in the id, so neither id is named."""
    note = an_entity(entity_id=f"note:{slug}", title="Piano sale", themes=(QUOTE,))
    fragment = a_fragment(
        entity_id=note.entity_id, place=(Locator("note", "p. 4"),), text=PIANO, themes=(QUOTE,)
    )

    name = "a note about https://example.org/low-tide/"
    position = "words 2-6" if "/" in slug else "words 1-5"
    assert found(note, fragment) == [
        quotes(name, "id", position),
        quotes(name, "themes[0]"),
        quotes(f"{name}, fragment 1 by id", "themes[0]"),
    ]


def test_no_finding_holds_two_words_of_the_private_text() -> None:
    """R069: wherever the quotation stands, ids included."""
    slug = "we-sold-the-piano-in-march"
    person = (Attribution(QUOTE, QUOTE),)
    note = replace(
        an_entity(entity_id=f"note:{slug}", title=QUOTE, themes=(QUOTE,), version=QUOTE),
        attribution=person,
    )
    place = (Locator("note", QUOTE), Locator("verse", QUOTE, QUOTE))
    fragment = a_fragment(
        entity_id=note.entity_id, place=place, text=PIANO, themes=(QUOTE,), attribution=person
    )

    findings = metadata_lint_findings(note, [fragment])

    assert len(findings) == 13
    words = PIANO.lower().rstrip(".").split()
    for finding in findings:
        shown = f"{finding!r} {finding}".lower().replace("-", " ")
        assert not any(" ".join(pair) in shown for pair in pairwise(words))


def test_the_first_finding_is_raised_and_all_are_collected() -> None:
    """R065."""
    entity = replace(BOOK, title=QUOTE, version=QUOTE)

    assert len(found(entity)) == 2
    with pytest.raises(PublicSafeLintError) as refusal:
        metadata_lint(entity, [PAGE])
    assert str(refusal.value) == "book:low-tide: title quotes private text at words 1-5"


def test_a_fragment_of_another_entity_is_no_part_of_the_comparison() -> None:
    """R027."""
    with pytest.raises(MisauthoredInput, match=r"^fragments: one is of another entity$"):
        metadata_lint(BOOK, [PAGE, a_fragment(entity_id="book:other")])
