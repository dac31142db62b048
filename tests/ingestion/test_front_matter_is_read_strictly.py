"""Front matter: what is read, what is refused by line, and no quoting message (C17)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.contract.failures import MisauthoredFile
from fonds.ingestion.front_matter import MAX_FRONT_MATTER_CHARS, Quoted, ReadText, read_text


def read(text: str | bytes) -> ReadText:
    return read_text(text.encode() if isinstance(text, str) else text, "essays/a.md")


def refused(text: str | bytes) -> MisauthoredFile:
    with pytest.raises(MisauthoredFile) as refusal:
        read(text)
    assert "zebra" not in str(refusal.value)
    assert "zebra" not in repr(refusal.value)
    return refusal.value


def refusal_of(text: str) -> MisauthoredFile | None:
    try:
        read(text)
    except MisauthoredFile as refusal:
        return refusal
    return None


def test_every_scalar_stays_what_the_author_wrote() -> None:
    """R012: neither dates, nor 12:30, nor `no` become anything else; quoted text is marked."""
    found = read(
        '---\ndate: 1900\nat: 12:30\nx: no\nq: "true"\nl: [1, 0x10]\nm: {a: ~}\n---\nBody\n'
    )
    assert found.front.values == {
        "date": "1900",
        "at": "12:30",
        "x": "no",
        "q": "true",
        "l": ["1", "0x10"],
        "m": {"a": "~"},
    }
    assert isinstance(found.front.values["q"], Quoted)
    assert not isinstance(found.front.values["x"], Quoted)
    assert (found.body, found.front.lines["x"]) == ("Body\n", 4)


def test_a_byte_order_mark_crlf_and_lines_before_the_fence_do_no_harm() -> None:
    found = read(b"\xef\xbb\xbf---\r\ntitle: A\r\n---\r\nB\r\n")
    assert (found.front.values, found.body) == ({"title": "A"}, "B\n")
    later = read('\n\n+++\ntitle = "A"\n+++\nB')
    assert (later.front.values, later.front.lines, later.body) == (
        {"title": "A"},
        {"title": 4},
        "B",
    )


def test_blank_lines_and_a_second_mark_before_the_fence_do_no_harm() -> None:
    found = read("\ufeff\ufeff \t\n\n---\ntitle: A\n---\nB")
    assert (found.front.values, found.front.lines, found.body) == (
        {"title": "A"},
        {"title": 4},
        "B",
    )


def test_words_about_fields_are_no_fields() -> None:
    body = "On terms\n\nexposure: none\n"
    assert (read(body).front.values, read(body).body) == ({}, body)


def test_a_break_in_the_body_is_no_fence() -> None:
    assert read("---\ntitle: A\n---\nOne\n\n---\n\nTwo").body == "One\n\n---\n\nTwo"
    assert read("One\n\n---\n\nTwo").front.values == {}


def test_toml_gives_the_same_plain_values() -> None:
    found = read(
        '+++\ntitle = "A"\ndraft = true\nn = 3\nf = 1.50\nday = 2019-03-14\n'
        "at = 2019-03-14T23:30:00-05:00\nl = ['x', 1]\n[t]\nk = 'v'\n+++\nB"
    )
    assert found.front.values == {
        "title": "A",
        "draft": "true",
        "n": "3",
        "f": "1.50",
        "day": "2019-03-14",
        "at": "2019-03-14T23:30:00-05:00",
        "l": ["x", "1"],
        "t": {"k": "v"},
    }
    assert found.front.lines["t"] == 9


def test_empty_front_matter_is_no_field() -> None:
    assert read("---\n---\nB").front.values == {}
    assert read("---\n# nothing\n---\nB").front.values == {}
    assert read("").body == ""


@pytest.mark.parametrize(
    ("written", "line", "said"),
    [
        ("title: Part 1: The zebra", 2, "a value that holds a colon needs quotes"),
        ("a: b\ntitle: @zebra", 3, "a value that begins with a sign"),
        ("title: {{zebra}}", 2, "a value that begins with { needs quotes"),
        ("tags:\n  - zebra\n\t- b", 4, "a tab"),
        ("title: zebra\ntitle: other", 3, "a key stands twice"),
        ("m: {zebra: 1, zebra: 2}", 2, "a key stands twice"),
        ("a: &zebra x\nb: 1", 2, "anchors and aliases"),
        ("a: *zebra", 2, "anchors and aliases"),
        ("a: *zebra*", 2, "a value that begins with * or & needs quotes"),
        ("a: & zebra", 2, "a value that begins with * or & needs quotes"),
        ("a: !!python/object:zebra x", 2, "tags are not read"),
        ("a: !zebra x", 2, "tags are not read"),
        ('title = "zebra"', 2, "TOML stands between +++"),
        ("- zebra", 2, "no list of `key: value` lines"),
        ("a: [zebra", 2, "do not match"),
        ('a: "zebra\\q"', 2, "an escape in double quotes is unknown"),
        ("a: 1\n...\n--- {zebra: 2}", 4, "a second document"),
        ("? [zebra]\n: 1", 2, "a value that begins with {"),
        ("a: " + "[" * 40 + "]" * 40, 2, "nested too deep"),
        ('a: "zebra\\u0000"', 2, "a NUL character"),
        ("a: zebra\x00", 2, "a character YAML does not allow"),
        ('b: 1\na: "\\ud800 zebra"', 3, "half a surrogate pair"),
    ],
)
def test_broken_yaml_is_refused_by_line_and_serves_nothing(
    written: str, line: int, said: str
) -> None:
    """C17: file, line and the kind of trouble; a disclosure nobody can read is not known."""
    refusal = refused(f"---\n{written}\n---\nBody\n")
    assert (refusal.path, refusal.line, refusal.disclosure_known) == ("essays/a.md", line, False)
    assert said in refusal.reason


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("---\ntitle: zebra\nBody", 1, "never closed"),
        ("+++\ntitle = 'zebra'\n---\nBody", 1, "never closed"),
        ("+++\na = 1\na = 2\n+++\n", 3, "cannot be read as TOML"),
        ("+++\na = 'zebra\n+++\n", 2, "cannot be read as TOML"),
        ("+++\na = " + "[" * 40 + "]" * 40 + "\n+++\n", 2, "nested too deep"),
        ("+++\na = " + "[" * 9000 + "\n+++\n", 2, "nested too deep"),
        ('+++\na = "zebra\\u0000"\n+++\n', 2, "a NUL character"),
        ("---\n" + "a: zebra\n" * MAX_FRONT_MATTER_CHARS, 1, "longer than 64 KiB"),
        ("---\na: " + "z" * MAX_FRONT_MATTER_CHARS + "\n---\n", 1, "longer than 64 KiB"),
        (" ---\ntitle: zebra\nexposure: none\n ---\nB", 3, "outside of front matter"),
        ("----\ndraft: true\n----\nB", 2, "outside of front matter"),
        ("\n\ntitle: zebra\nexposures: {whole: none}\n\nB", 4, "outside of front matter"),
        ('{\n  "draft": true\n}\nB', 2, "outside of front matter"),
        (b"---\na: 1\n---\nzebra \x97\n", 4, "not UTF-8"),
        ("---\na: 1\n---\n".encode("utf-16")[:-1], 3, "not utf-16-le"),
    ],
)
def test_what_cannot_be_split_or_decoded_is_refused(
    text: str | bytes, line: int, said: str
) -> None:
    refusal = refused(text)
    assert (refusal.line, refusal.disclosure_known) == (line, False)
    assert said in refusal.reason


def test_a_nul_in_the_body_is_refused_and_the_terms_are_known() -> None:
    """C04: the disclosure of such a file can be read, so that its stored version may stay."""
    refusal = refused("---\ntitle: A\n---\nbefore\nzebra\x00after\n")
    assert (refusal.field, refusal.line, refusal.disclosure_known) == ("body", 5, True)
    for withheld in ("exposure: none", "exposures: {whole: none}"):
        assert not refused(f"---\ntitle: A\n{withheld}\n---\nzebra\x00").disclosure_known


def test_an_escaped_pair_of_surrogates_is_the_character_it_spells() -> None:
    assert read('---\na: "\\ud83e\\udeb6"\n---\n').front.values == {"a": "\U0001fab6"}


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet="ab: -[]{}&*!'\"\n\t#@|>%,?\x00\ud7ff", max_size=60))
def test_any_front_matter_is_read_or_refused_with_its_file(written: str) -> None:
    refusal = refusal_of(f"---\n{written}\n---\nbody")
    assert refusal is None or (refusal.path == "essays/a.md" and refusal.line is not None)
