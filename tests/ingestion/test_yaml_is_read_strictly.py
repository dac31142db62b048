"""One reader for the author's YAML, with either scanner underneath (C17, R180)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.strict_yaml import MAX_DEPTH, Quoted, YamlTrouble, YamlValue, read_yaml

either_scanner = pytest.mark.parametrize("libyaml", [True, False])


def outcome(text: str, *, libyaml: bool) -> YamlValue | YamlTrouble | None:
    try:
        return read_yaml(text, libyaml=libyaml).root
    except YamlTrouble as trouble:
        return trouble


@either_scanner
def test_every_scalar_is_text_and_knows_whether_it_was_quoted(libyaml: bool) -> None:
    read = read_yaml("a: no\nb: 'no'\nc: |\n  12:30\nd: [0x10, ~]\n", libyaml=libyaml)
    assert read.root == {"a": "no", "b": "no", "c": "12:30\n", "d": ["0x10", "~"]}
    assert isinstance(read.root, dict)
    assert [isinstance(read.root[name], Quoted) for name in "abc"] == [False, True, True]


@either_scanner
def test_each_value_knows_its_line(libyaml: bool) -> None:
    read = read_yaml("a: 1\nb:\n  - x\n  - c: 2\n\n    d: {e: 3}\n", libyaml=libyaml)
    places = [("a",), ("b", 0), ("b", 1, "d", "e"), ("b", 1, "d", "gone"), ("gone",), ()]
    assert [read.line_of(place) for place in places] == [1, 3, 6, 6, 1, 1]


@either_scanner
@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("title: Part 1: zebra", 1, "holds a colon"),
        ("a: b\ntitle: @zebra", 2, "begins with a sign"),
        ("title: {{zebra}}", 1, "begins with {"),
        ("tags:\n  - zebra\n\t- b\n", 3, "a tab"),
        ("a: zebra\nb: 1\na: other", 3, "a key stands twice"),
        ("x: {zebra: 1, zebra: 2}", 1, "a key stands twice"),
        ("a: &zebra x", 1, "anchors and aliases"),
        ("a: *zebra", 1, "anchors and aliases"),
        ("<<: *zebra", 1, "anchors and aliases"),
        ("a: *zebra*", 1, "begins with * or &"),
        ("a: !!python/object:zebra.x y", 1, "tags are not read"),
        ("a: !zebra x", 1, "tags are not read"),
        ("a: [zebra", 1, "do not match"),
        ('a: "zebra\\q"', 1, "an escape"),
        ("a: 1\n--- {zebra: 2}", 2, "a second document"),
        ('a: "zebra\\u0000"', 1, "a NUL character"),
        ("a: 1\nb: zebra\x00", 2, "a character YAML does not allow"),
        ('b: 1\na: "\\ud800 zebra"', 2, "half a surrogate pair"),
        ("a: " + "[" * (MAX_DEPTH + 1), 1, "nested too deep"),
        ("a: " + "{b: " * 60_000, 1, "nested too deep"),
        ("- " * 60_000, 1, "nested too deep"),
    ],
)
def test_what_an_author_cannot_see_is_refused_by_line(
    libyaml: bool, text: str, line: int, said: str
) -> None:
    """C17: the kind of trouble and the line, and nothing of what stands there."""
    with pytest.raises(YamlTrouble) as trouble:
        read_yaml(text, libyaml=libyaml)
    assert trouble.value.line == line
    assert said in trouble.value.reason
    assert "zebra" not in repr(trouble.value)


@either_scanner
def test_an_escaped_pair_of_surrogates_is_the_character_it_spells(libyaml: bool) -> None:
    assert read_yaml('a: "\\ud83e\\udeb6"', libyaml=libyaml).root == {"a": "\U0001fab6"}


@either_scanner
def test_a_text_of_comments_has_no_value(libyaml: bool) -> None:
    assert read_yaml("# only\n", libyaml=libyaml).root in (None, "")


def test_deep_enough_is_read() -> None:
    inside = "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)
    assert read_yaml(f"a: {inside}").root is not None


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab: -[]{}&*!'\"\n#@|>%,?\x00\ud7ff", max_size=40))
def test_both_scanners_give_the_same_values(text: str) -> None:
    """A platform without libyaml reads the same: what both read, they read alike."""
    ours, theirs = (outcome(text, libyaml=libyaml) for libyaml in (True, False))
    assert isinstance(ours, YamlTrouble) or isinstance(theirs, YamlTrouble) or ours == theirs
