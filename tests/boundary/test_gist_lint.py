"""A gist passes only when it repeats nothing (R060-R064, R068, R069)."""

from __future__ import annotations

from itertools import pairwise

import pytest

from fonds.boundary.lint import entity_text, gist_lint, gist_lint_against, traveling_string_lint
from fonds.boundary.runs import PrivateRuns
from fonds.contract.entity import LintWindow
from fonds.contract.failures import PublicSafeLintError
from tests.factories import a_fragment, chapter

PIANO = "We sold the piano in March because the stairs had started to sag under it."
GRANDMOTHER = "祖母は毎朝六時に起きて、庭の柿の木に水をやってから、誰にも言わずに手紙を書いていた。"
WINDOW = LintWindow()


def rule_of(gist: str, source: str = PIANO, window: LintWindow = WINDOW) -> str | None:
    """What the lint says of a gist, or None when it passes."""
    try:
        gist_lint(gist, fragment_text=source, entity_text=None, window=window, path="a:b#whole")
    except PublicSafeLintError as refusal:
        return refusal.rule
    return None


@pytest.mark.parametrize(
    ("gist", "position"),
    [
        ("Sold the piano in March, quietly", "words 1-5"),
        ("On why the stairs had started to creak", "words 3-7"),
        ("the pi\u00adano in March because it", "words 1-5"),
        ("the pia\u0301no in March because it", "words 1-5"),
        ("THE PIANO—IN (MARCH) BECAUSE", "words 1-5"),
        ("the\u00a0ｐｉａｎｏ in\u200b March because", "words 1-5"),
        ("the p\u20ddiano in March because", "words 1-5"),
    ],
)
def test_five_shared_words_trip_at_their_place(gist: str, position: str) -> None:
    """R060, R061."""
    assert rule_of(gist) == f"quotes private text at {position}"


@pytest.mark.parametrize(
    "gist",
    [
        "The piano in March ledger",
        "On parting with an instrument before the house gave way",
        "the piano in May because the stairs",
        "March in piano the sold we",
    ],
)
def test_four_shared_words_pass(gist: str) -> None:
    """R061."""
    assert rule_of(gist) is None


def test_marks_in_the_source_hide_nothing() -> None:
    """R060: marks are removed on both sides."""
    assert rule_of("a cafe deja vu creme brulee", "Un café déjà vu, crème brûlée") == (
        "quotes private text at words 2-6"
    )
    assert rule_of("cafe deja vu, creme caramel", "Un café déjà vu, crème brûlée") is None


def test_twelve_characters_trip_in_a_script_without_spaces() -> None:
    """R062."""
    quoting = "庭の柿の木に水をやってから手紙を書いた話"

    assert rule_of(quoting, GRANDMOTHER) == "quotes private text at characters 1-12"
    assert rule_of("柿の木の世話と秘密の手紙をめぐる回想", GRANDMOTHER) is None


def test_eleven_characters_pass() -> None:
    """R062: the boundary of the default window."""
    assert rule_of("話、柿の木に水をやってから", GRANDMOTHER) is None  # 11 shared
    assert rule_of("話、の柿の木に水をやってから", GRANDMOTHER) == (
        "quotes private text at characters 2-13"
    )


def test_separators_hide_no_characters() -> None:
    """R062: separators are removed before characters are compared."""
    assert rule_of("庭 の・柿 の 木 に 水 を や っ て、か ら", GRANDMOTHER) == (
        "quotes private text at characters 1-12"
    )


def test_latin_runs_count_inside_such_text() -> None:
    """R062: "postgresql16" is twelve characters."""
    assert rule_of("移行 PostgreSQL 16 記", "Moved it to PostgreSQL16 at night.") == (
        "quotes private text at characters 3-14"
    )
    assert rule_of("Moving to PostgreSQL 16", "移行はPostgreSQL16で") == (
        "quotes private text at characters 9-20"
    )
    assert rule_of("moved on to PostgreSQL 16", "Moved it to PostgreSQL16 at night.") is None


@pytest.mark.parametrize(
    ("gist", "rule"),
    [
        ("", "is empty"),
        (" \u00a0 ", "is empty"),
        ("\u200b\u2060", "is empty"),
        *((f"a{brk}b", "holds a line break") for brk in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"),
        ("a\x00b", "holds a control character"),
        ("a\x1b[31mb", "holds a control character"),
        ("a\ud800b", "holds a control character"),
        ("é" * 401, "is longer than 400 characters"),
    ],
)
def test_a_gist_out_of_shape_is_a_lint_failure(gist: str, rule: str) -> None:
    """R063, R069."""
    assert rule_of(gist) == rule


@pytest.mark.parametrize("gist", ["é" * 400, "字" * 400, "🪁"])
def test_four_hundred_code_points_pass(gist: str) -> None:
    """R063."""
    assert rule_of(gist) is None


def test_a_passed_gist_is_returned_unchanged() -> None:
    """R063."""
    gist = "  On parting with a “piano” — and why.  "
    passed = gist_lint(gist, fragment_text=PIANO, entity_text=None, window=WINDOW, path="a:b#c")

    assert passed.text == gist


def test_the_words_of_another_page_trip_against_the_entity() -> None:
    """R063."""
    pages = [
        a_fragment(place=chapter(1), text=PIANO),
        a_fragment(place=chapter(2), text="The tuner came once more and wept."),
    ]
    gist = "On how the stairs had started to complain"

    gist_lint(gist, fragment_text=pages[1].text, entity_text=None, window=WINDOW, path="b#ch2")
    with pytest.raises(PublicSafeLintError) as refusal:
        gist_lint(
            gist,
            fragment_text=pages[1].text,
            entity_text=entity_text(pages),
            window=WINDOW,
            path="b#ch2",
        )
    assert str(refusal.value) == "b#ch2: gist quotes the entity's text at words 3-7"


def test_an_entity_s_text_is_its_fragments_by_id_and_blank_lines() -> None:
    """R063: in code point order, so chapter 10 stands before chapter 2."""
    fragments = [a_fragment(place=chapter(number), text=str(number)) for number in (2, 10, 1)]

    assert entity_text(fragments) == "1\n\n10\n\n2"
    assert entity_text([]) == ""


def test_the_window_of_the_entity_governs() -> None:
    """R068."""
    gist = "Why the piano in March was missed"

    assert rule_of(gist) is None
    assert rule_of(gist, window=LintWindow(ngram_words=4)) == "quotes private text at words 2-5"
    assert rule_of("Sold the piano in March", window=LintWindow(ngram_words=6)) is None
    assert rule_of("柿の木に水", GRANDMOTHER, LintWindow(ngram_chars=5)) == (
        "quotes private text at characters 1-5"
    )
    assert rule_of("too long", window=LintWindow(gist_max_chars=7)) == (
        "is longer than 7 characters"
    )


def test_a_window_of_one_word_finds_words_and_not_emptiness() -> None:
    """R068: a source without a word shares none."""
    one = LintWindow(ngram_words=1, ngram_chars=1)

    assert rule_of("a lone piano", window=one) == "quotes private text at words 3-3"
    assert rule_of("柿", "梨", one) is None
    assert rule_of("…", "—!", one) is None


@pytest.mark.parametrize(
    "gist",
    [PIANO, "Well, " + PIANO, "On why the stairs had started to creak", PIANO + "\n", PIANO * 9],
)
def test_no_failure_holds_two_words_of_the_private_text(gist: str) -> None:
    """R069."""
    with pytest.raises(PublicSafeLintError) as refusal:
        gist_lint(gist, fragment_text=PIANO, entity_text=PIANO, window=WINDOW, path="note:x#p-4")

    words = PIANO.lower().rstrip(".").split()
    shown = f"{refusal.value!r} {refusal.value} {refusal.value.__cause__}".lower()
    for pair in pairwise(words):
        assert " ".join(pair) not in shown


def test_a_travelling_string_is_one_line_of_a_hundred_and_twenty() -> None:
    """R064."""
    private = PrivateRuns(PIANO, WINDOW)

    def lint(string: str) -> None:
        traveling_string_lint(string, private=private, path="notes/piano.md", field="label")

    lint("x" * 120)
    lint("blue notebook, p. 4")
    for string, rule in (
        ("x" * 121, "is longer than 120 characters"),
        ("", "is empty"),
        ("one\ntwo", "holds a line break"),
        ("Why the stairs had started to sag", "quotes private text at words 2-6"),
    ):
        with pytest.raises(PublicSafeLintError) as refusal:
            lint(string)
        assert str(refusal.value) == f"notes/piano.md: label {rule}"


def test_prepared_runs_serve_many_gists_and_show_nothing() -> None:
    """R063, R013: a book's text is read once for all its gists."""
    runs = PrivateRuns(PIANO, WINDOW)

    for _ in range(2):
        with pytest.raises(PublicSafeLintError):
            gist_lint_against(PIANO, fragment=runs, entity=None, window=WINDOW, path="a:b#c")
    assert "piano" not in repr(runs).lower()
