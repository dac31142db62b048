"""Markdown to plain text: what stays, what goes, and that hostile text ends (R021, C10, C18)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.contract.failures import MisauthoredInput
from fonds.ingestion import markdown_parser
from fonds.ingestion.markdown_parser import MAX_LINES, MAX_NESTING
from fonds.ingestion.plain_text import holds_words, plain_blocks, plain_text


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("# Head *x* ##\n\nA **b** _c_ `d` ~~e~~", "Head x\n\nA b c d e"),
        ("a [link](http://x 'y') [ref] ![alt](i.png) b\n\n[ref]: http://z", "a link ref b"),
        ("<https://example.org>", "https://example.org"),
        ("one\ntwo  \nthree\\\nfour", "one two three four"),
        ("> quote\n> two\n\n> > deep", "quote two\n\ndeep"),
        ("- a\n- b\n\n1. c\n\n   d", "a\nb\n\nc\nd"),
        ("| a | b |\n|---|---|\n| 1 | *2* |\n\nafter", "a | b\n1 | 2\n\nafter"),
        ("x\n\n```py\n# not a heading\n---\n```\n\ny", "x\n\ny"),
        ("x\n\n~~~\n```\n# no\n~~~\n\ny", "x\n\ny"),
        ("x\n\n```\nunclosed\n# no", "x"),
        ("Title\n=====\n\n***\n\ntext", "Title\n\ntext"),
        ("a &amp; b &nbsp; c \\* d", "a & b c * d"),
        ("x <!-- hidden --> y<br>z", "x y z"),
        ("<!-- hidden\n\nstill -->\n\nx", "x"),
        ("<div>in <b>side</b> 1 < 2 &lt;</div>\n\nx", "in side 1 < 2 <\n\nx"),
        ("<SCRIPT>alert('x')\n\nmore</script>\n\nx", "x"),
        ("<style>b{}</style>\n\n<script>never closed", ""),
        ("    indented verse\n    two", "indented verse two"),
        ("soft\u00a0space\u2003wide\tab", "soft space wide ab"),
    ],
)
def test_the_words_stay_and_the_marks_go(markdown: str, plain: str) -> None:
    assert plain_text(markdown) == plain


def test_import_and_export_lines_of_mdx_are_no_text() -> None:
    code = "import X from 'y'\n\nimport \"z\";\n\nexport const a = 1\n\nexport { b }\n\n"
    text = "# Head\n\n<X prop>\nword\n</X>\n\nimport duties rose\n\nexport fell"
    assert plain_text(code + text, mdx=True) == "Head\n\nword\n\nimport duties rose\n\nexport fell"
    assert plain_text(code).startswith("import X from")


@pytest.mark.parametrize(
    "markdown",
    ["", " \n\t", "<!-- only -->", "![only](a.png)", "\u200b \n\n\ufeff", "```\ncode\n```", "***"],
)
def test_a_file_without_words_gives_no_block(markdown: str) -> None:
    """C10: each of these is "no text", not an entity nobody can find."""
    assert plain_blocks(markdown) == []
    assert not holds_words(plain_text(markdown))


def test_blocks_tell_headings_from_text_and_where_they_stand() -> None:
    """C18: a heading counts where nothing encloses it and no fence holds it."""
    blocks = plain_blocks("# A\n\n> ## B\n\n- # C\n\nD\n---\n\n```\n# E\n```\n\n### F")
    found = [(b.text, b.level, b.top, b.underlined) for b in blocks if b.kind == "heading"]
    assert found == [
        ("A", 1, True, False),
        ("B", 2, False, False),
        ("C", 1, False, False),
        ("D", 2, True, True),
        ("F", 3, True, False),
    ]


@pytest.mark.parametrize(
    "hostile",
    [
        "[" * 30_000,
        "![[" * 10_000,
        "[a](" * 10_000,
        "<!--" * 20_000,
        "<a " * 20_000,
        "*a **a " * 5_000,
        "`a" * 20_000,
        "> a\n" * 5_000,
        "- a\n\n" * 2_000,
        "<script" * 10_000,
        "[^1]: a\n\n" + "[^1]" * 5_000,
        "[a]({{" * 5_000,
    ],
)
def test_nested_and_repeated_marks_end_in_time_of_their_length(hostile: str) -> None:
    """Unbounded, 30,000 brackets take eight seconds and 20 MB of them years."""
    assert len(plain_text(hostile)) <= len(hostile)


@pytest.mark.parametrize(
    ("hostile", "reason"),
    [
        ("> " * 3_000 + "x", "body: lists and quotes stand deeper than 50 levels"),
        ("- " * 1_500 + "x", "body: lists and quotes stand deeper than 50 levels"),
        ("\n" * (MAX_LINES + 1), "body: more than 400000 lines: split the file"),
        ("|a|\n|-|\n" + "|x|\n" * 700, "body: holds too many blocks, cells or items"),
        ("> " * 40 + "a\n" + "b\n" * 400, "body: lists and quotes hold too many lines"),
        ("*a " * 2_001, "body: holds too many marks: split the file"),
        ("*a\n\n" * 1_500 + "<b>" * 502, "body: holds too many marks: split the file"),
    ],
)
def test_what_would_cost_too_much_is_refused_and_not_cut_short(
    hostile: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C04: the parser drops what stands too deep without a word, and never says it is too much."""
    monkeypatch.setattr(markdown_parser, "MAX_TOKENS", 3_000)
    monkeypatch.setattr(markdown_parser, "MAX_VISITS", 10_000)
    monkeypatch.setattr(markdown_parser, "MAX_MARKS", 2_000)
    with pytest.raises(MisauthoredInput, match=f"^{reason}"):
        plain_blocks(hostile)


def test_what_stands_just_deep_enough_is_read() -> None:
    assert plain_text("> " * (MAX_NESTING - 1) + "x") == "x"
    assert plain_text("- " * ((MAX_NESTING - 1) // 2) + "x") == "x"


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("Kites[^1] rise.\n\n[^1]: In wind.", "Kites rise.\n\nIn wind."),
        ("[^a]: Once.\n[^b]: Twice.\n\nx[^b]: y", "Once. Twice.\n\nx: y"),
        ("[^n]: https://example.org", "https://example.org"),
        ("a[^1] and `[^1]` and [^2]\n\n[^1]: b", "a and [^1] and [^2]\n\nb"),
    ],
)
def test_the_marks_of_footnotes_go_and_their_words_stay(markdown: str, plain: str) -> None:
    """R021: a mark is no word of the text; code, and a mark that no note answers, stay."""
    assert plain_text(markdown) == plain


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ('a [b]({{ "/c/" | url }}) d', "a b d"),
        ('a [b](/x/{% page "/c/" %}#y "t") d', "a b d"),
        ('a [b]({{< ref "c.md" >}}) ![e]({{ "/f.png" | url }})', "a b"),
        ('a [b][c]\n\n[c]: {{ "/d/" | url }}', "a b"),
        ("a [b](c d) {{ e }}", "a [b](c d) {{ e }}"),
    ],
)
def test_an_address_that_a_site_generator_fills_in_is_an_address(markdown: str, plain: str) -> None:
    """R021: the link's text stays and the template goes, as it does from the published page."""
    assert plain_text(markdown) == plain


@pytest.mark.parametrize(
    "heading",
    ["Holds {#holds}", "Holds {: .no_toc }", "Holds {.wide #x} ##", "Holds {/*holds*/}", "Holds"],
)
def test_a_heading_is_its_words_without_the_id_written_behind_them(heading: str) -> None:
    """R033: a label and a key are made of the heading, and ids are no words."""
    assert [block.text for block in plain_blocks(f"## {heading}\n\nx")] == ["Holds", "x"]


def test_braces_that_are_words_stay_in_a_heading_and_in_text() -> None:
    assert plain_text("## The set {a, b}\n\nx {#y}") == "The set {a, b}\n\nx {#y}"
    assert plain_text("## {#y}") == "{#y}"


def test_a_picture_written_into_the_text_is_dropped_whole() -> None:
    """R021: exported pages hold pictures longer than the slices a text is read in."""
    picture = "data:image/png;base64," + "iVBORw0KGgo/" * 20_000
    assert plain_text(f"a ![b]({picture}) c <img src='{picture}'> d") == "a c d"


def test_a_paragraph_longer_than_a_slice_loses_no_word() -> None:
    words = [f"w{number}" for number in range(9000)]
    assert plain_text(" ".join(words)).split() == words
    assert plain_text("\n".join(words)).split() == words
    assert plain_text("x" * 40_000) == "x" * 40_000


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_plain_text_is_collapsed_and_clean_whatever_comes(markdown: str) -> None:
    plain = plain_text(markdown)
    for paragraph in plain.split("\n\n"):
        for line in paragraph.split("\n"):
            assert line == " ".join(line.split())
    assert "\x00" not in plain
