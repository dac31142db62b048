"""Sentences in any script (R172)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.answering.sentences import sentences_of


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ("One.", "Two!", "Three?")),
        ("Dr. Hale paid 3.5 pounds. He left.", ("Dr. Hale paid 3.5 pounds.", "He left.")),
        ("See no. 4 of the list. The answer was no. He left.", None),
        ("“Why?” she asked. He left.", ("“Why?” she asked.", "He left.")),
        ("J. R. Tarn sang.", ("J. R. Tarn sang.",)),
        ("Am 3. Mai kam er. Dann ging er.", ("Am 3. Mai kam er.", "Dann ging er.")),
        (
            "猫がいた。「たま。」といった。三匹！犬も？",
            ("猫がいた。", "「たま。」といった。", "三匹！", "犬も？"),
        ),
        ("वह गया। वह आया।", ("वह गया।", "वह आया।")),
        ("Title\n\nA line\nends here. So.", ("Title", "A line ends here.", "So.")),
        ("- one\n- two", ("- one", "- two")),
        ("", ()),
        (" \n\n ", ()),
    ],
)
def test_a_text_is_cut_into_whole_sentences(text: str, sentences: tuple[str, ...] | None) -> None:
    """R172: whole sentences; figures, initials and abbreviations are not ends."""
    expected = sentences or ()
    if sentences is None:
        expected = ("See no. 4 of the list.", "The answer was no.", "He left.")
    assert sentences_of(text) == expected


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_no_word_is_lost(text: str) -> None:
    """R172: joined again, the sentences are the text."""
    joined = "".join("".join(sentences_of(text)).split())
    assert joined == "".join(text.split())
