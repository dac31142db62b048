"""A collection of HTML pages: what a page says, what it says of itself, what goes (R020, R021)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.archive_file import read_archive_file
from fonds.contract.failures import MisauthoredFile, Misconfigured
from fonds.ingestion.contents import read_contents
from fonds.ingestion.corpus import found_corpus
from fonds.ingestion.formats.html_page import html_page
from fonds.ingestion.inventory import taken_inventory
from fonds.ingestion.plain_text import plain_text
from fonds.ingestion.reading import describe
from fonds.ingestion.roots import checked_roots
from tests.ingestion.corpora import ARCHIVE_TOML, described, found_file, silent, written_archive

HTML_TOML = ARCHIVE_TOML + 'formats = ["md", "html"]\n'
PAGE = """<!DOCTYPE html>
<html><head>
<title>On Kites</title>
<meta name="description" content="Wind as  a teacher.">
<meta name="keywords" content="wind, patience ,">
<meta name="author" content="Person B">
<meta property="article:published_time" content="2019-03-14T23:30:00-05:00">
<link rel="canonical" href="https://example.org/essays/on-kites.html">
<style>zebra {}</style>
</head><body>
<header>zebra <nav>zebra</nav></header>
<main><h1>Kites</h1><p>Let the <em>line</em> out* &amp; wait.</p></main>
<footer>zebra</footer><script>zebra</script>
</body></html>
"""


def text_of(body: str) -> str:
    return plain_text(html_page(f"<body>{body}").markdown)


def remark_of(folder: Path, page: str) -> str | None:
    config = read_archive_file(written_archive(folder, {"essays/on-kites.html": page}, HTML_TOML))
    file = found_file(config, "essays/on-kites.html")
    read = describe(file, read_contents(file).text(), config)
    assert read is not None
    return read.remark


def test_a_page_is_its_main_part_with_what_its_head_says(tmp_path: Path) -> None:
    """R021: the fields of `meta` and `link` under the rules of front matter."""
    entity, fragments = described(tmp_path, "essays/on-kites.html", PAGE, HTML_TOML)
    assert (entity.entity_id, entity.title, entity.date, entity.themes) == (
        "essay:on-kites",
        "On Kites",
        "2019-03-14",
        ("wind", "patience"),
    )
    assert [person.name for person in entity.attribution] == ["Person B"]
    assert entity.url == "https://example.org/essays/on-kites.html"
    assert [(one.text, one.summary) for one in fragments] == [
        ("Kites\n\nLet the line out* & wait.", "Wind as a teacher.")
    ]


def test_front_matter_counts_before_what_the_page_says(tmp_path: Path) -> None:
    """R021: and alone governs what may travel."""
    front = "---\ntitle: Mine\nsummary: Own.\ntopics: [own]\nauthors: [C]\ndate: 2001\n"
    front += "canonical: https://example.org/else/\nexposure: locator\n---\n"
    entity, fragments = described(tmp_path, "essays/on-kites.htm", front + PAGE, HTML_TOML)
    assert (entity.title, entity.date, entity.themes) == ("Mine", "2001", ("own",))
    assert [person.name for person in entity.attribution] == ["C"]
    assert entity.url == "https://example.org/essays/on-kites.html"
    assert (fragments[0].summary, fragments[0].disclosure.exposure) == ("Own.", "locator")


def test_a_page_without_front_matter_never_governs_its_exposure(tmp_path: Path) -> None:
    metas = '<meta name="exposure" content="none"><meta name="draft" content="true">'
    entity, fragments = described(tmp_path, "essays/a.html", metas + PAGE, HTML_TOML)
    assert (entity.entity_id, fragments[0].disclosure.exposure) == ("essay:a", "text")


def test_a_title_is_taken_from_the_heading_where_there_is_none_or_it_is_preferred(
    tmp_path: Path,
) -> None:
    untitled = PAGE.replace("<title>On Kites</title>", "")
    assert described(tmp_path, "essays/a.html", untitled, HTML_TOML)[0].title == "Kites"
    preferred = HTML_TOML + 'title_from = "heading"\n'
    assert described(tmp_path / "b", "essays/a.html", PAGE, preferred)[0].title == "Kites"
    bare = untitled.replace("<h1>Kites</h1>", "")
    with pytest.raises(MisauthoredFile, match="title: a title is needed"):
        described(tmp_path / "c", "essays/a.html", bare, HTML_TOML)


@pytest.mark.parametrize(
    ("canonical", "url"),
    [
        ("/essays/on-kites.html", "https://example.org/essays/on-kites.html"),
        ("https://example.org/essays/on-kites", "https://example.org/essays/on-kites"),
        ("https://example.com/essays/on-kites.html", None),
        ("https://example.org/essays/off-kites.html", None),
        ("https://example.org/essays/on-kites.html?x=1", None),
        ("https://a@example.org/essays/on-kites.html", None),
        ("javascript:alert(1)", None),
        ("//[", None),
    ],
)
def test_a_canonical_address_spells_the_page_and_leads_nowhere_else(
    tmp_path: Path, canonical: str, url: str | None
) -> None:
    """R021: a citation names the page its words were read from; the author hears of another."""
    page = PAGE.replace("https://example.org/essays/on-kites.html", canonical)
    entity, _ = described(tmp_path, "essays/on-kites.html", page, HTML_TOML)
    assert entity.url == (url or "https://example.org/essays/on-kites/")
    remark = remark_of(tmp_path / "again", page)
    assert (remark is None) == (url is not None)
    assert canonical not in str(remark)


def test_the_page_of_a_folder_may_be_called_by_its_folder(tmp_path: Path) -> None:
    page = PAGE.replace("on-kites.html", "on-kites/")
    entity, _ = described(tmp_path, "essays/on-kites/index.html", page, HTML_TOML)
    assert entity.url == "https://example.org/essays/on-kites/"


def test_two_pages_that_may_have_one_address_are_both_refused(tmp_path: Path) -> None:
    """R027: or either would be cited for the other."""
    files: dict[str, str | bytes] = {
        "essays/kites.html": PAGE,
        "essays/kites/index.html": PAGE,
        "essays/other.html": PAGE,
    }
    config = read_archive_file(written_archive(tmp_path, files, HTML_TOML))
    corpus = found_corpus(checked_roots(config))
    taken = taken_inventory(corpus, {}, frozenset(), silent)
    assert [one.file.key for one in taken.candidates] == ["essays/other.html"]
    assert {one.path for one in taken.refused} == {"essays/kites.html", "essays/kites/index.html"}


def test_a_date_that_does_not_exist_is_refused_wherever_it_stands(tmp_path: Path) -> None:
    """R012."""
    page = PAGE.replace("2019-03-14T23:30:00-05:00", "2019-02-30")
    with pytest.raises(MisauthoredFile, match=r"a\.html: date: "):
        described(tmp_path, "essays/a.html", page, HTML_TOML)


@pytest.mark.parametrize(
    ("body", "date"),
    [
        ('<time datetime="2019-03-14" itemprop="datePublished">x</time>', "2019-03-14"),
        ('<time datetime="2019-03-14" pubdate>x</time>', "2019-03-14"),
        ('<time class="dt-published" datetime="2019">x</time>', "2019"),
        ('The flood of <time datetime="1911-02-03">then</time>.', None),
    ],
)
def test_a_day_the_text_speaks_of_is_not_the_page_s(body: str, date: str | None) -> None:
    """R012: absent is unknown, never guessed."""
    assert html_page(f"<body>{body}").fields.get("date") == date


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<nav>no</nav><article><header>no</header>yes<footer>no</footer></article>", "yes"),
        ("<article>one</article><article>two</article><aside>no</aside>", "one\n\ntwo"),
        ("<div role='main'>yes<aside>beside</aside></div>no", "yes\n\nbeside"),
        ("<main>a</main><main>b</main>", "a\n\nb"),
        ("a<p hidden>no</p><p style='Display : none'>no</p><i aria-hidden=true>no</i>", "a"),
        ("a<template>no</template><noscript>no</noscript><!-- no --><svg><title>no</svg>", "a"),
        ("a <button>no</button><select><option>no</select><textarea>no</textarea>b", "a b"),
        ("a<sup><a href='#n1'>1</a></sup> b<a role=doc-noteref href=#n2>2</a>", "a b"),
        ("<pre><code>no</code></pre><pre>one\ntwo</pre>", "one two"),
        ("<blockquote>a<footer>K</footer></blockquote>", "a\n\nK"),
        ("<ul><li>a<ul><li>b</ul><li><p>c<p>d</ul>e", "a\nb\nc\nd\n\ne"),
        ("<ul><li>a</ul><ol><li>b</ol>", "a\nb"),
        ("<p>a<br>b<img alt=no>c</p>", "a b c"),
        ("a &lt;b&gt; *c* [d](e) &#x26;amp;", "a <b> *c* [d](e) &amp;"),
        ("<ruby>窓<rp>(</rp><rt>まど</rt></ruby>", "窓"),
    ],
)
def test_what_a_visitor_reads_stays_and_the_rest_goes(body: str, text: str) -> None:
    assert text_of(body) == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<tr><th>a<th>b<tr><td>1<td>2", "a | b\n1 | 2"),
        ("<tr><td>1<tr><td>2<td>3|4", "1 |\n2 | 3|4"),
        ("<caption>C</caption><tbody><tr><td> <td>x<tr><td><td>", "C |\n| x"),
        ("<tr><td><h2>H</h2><p>one</p><td>two", "H\n\none\n\ntwo"),
        ("<tr><td><p>one</p><p>two</p>", "one\n\ntwo"),
        ("<tr><td>a<table><tr><td>b<tr><td>c</table>", "a\n\nb\nc"),
    ],
)
def test_a_table_of_data_is_rows_and_one_that_lays_a_page_out_is_text(body: str, text: str) -> None:
    """R033: no cell is lost where a row is longer than the first."""
    assert text_of(f"<table>{body}</table>") == text


def test_a_guide_is_cut_on_the_headings_of_a_page(tmp_path: Path) -> None:
    """R033: the trail is the label, and a table stays whole with its header row."""
    rows = "".join(f"<tr><td>item {n}<td>{'x' * 90}" for n in range(90))
    body = f"<h1>Borrowing</h1><h2>Holds</h2><p>Ask.<table><tr><th>item<th>note{rows}</table>"
    page = f"<title>T</title><main>Before.{body}<h2>Fees</h2>None.</main>"
    _, fragments = described(tmp_path, "essays/g.html", page, HTML_TOML + 'shape = "guide"\n')
    assert [(one.fragment_id, one.trail) for one in fragments] == [
        ("essay:g#sfront", ()),
        ("essay:g#holds.part1", ("Borrowing", "Holds")),
        ("essay:g#holds.part2", ("Borrowing", "Holds")),
        ("essay:g#fees", ("Borrowing", "Fees")),
    ]
    assert fragments[2].text.startswith("item | note\nitem 0 | x")
    assert fragments[2].text.count("\n") == 90


def test_html_is_read_where_a_collection_names_it(tmp_path: Path) -> None:
    """R020: a folder of Markdown is not published anew because a site was built into it."""
    files: dict[str, str | bytes] = {f"essays/{n}": "x" for n in ("a.html", "b.htm", "c.md")}
    for toml, keys in (
        (ARCHIVE_TOML, ["essays/c.md"]),
        (HTML_TOML, ["essays/a.html", "essays/b.htm", "essays/c.md"]),
        (ARCHIVE_TOML + 'formats = ["html"]\n', ["essays/a.html", "essays/b.htm"]),
    ):
        config = read_archive_file(written_archive(tmp_path, files, toml))
        assert [file.key for file in found_corpus(checked_roots(config)).files] == keys
    for wrong in ('formats = ["pdf"]', "formats = []"):
        written_archive(tmp_path, {}, f"{ARCHIVE_TOML}{wrong}\n")
        with pytest.raises(Misconfigured, match="formats"):
            read_archive_file(tmp_path)


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("<div>" * 5_000 + "zebra", "deeper than 512 levels"),
        ("<title>a</title>" + "".join(f"<b id={n}>" for n in range(9_000)) + "<p>x" * 9_000, ""),
    ],
)
def test_a_hostile_page_is_refused_by_name(tmp_path: Path, page: str, said: str) -> None:
    """C04: also one whose elements a browser would multiply."""
    with pytest.raises(MisauthoredFile) as refusal:
        described(tmp_path, "essays/a.html", page, HTML_TOML)
    assert (refusal.value.path, refusal.value.field) == ("essays/a.html", "body")
    assert said in refusal.value.reason
    assert "zebra" not in str(refusal.value)


def test_a_page_in_another_encoding_or_with_a_broken_fence_is_refused(tmp_path: Path) -> None:
    """C17, C19: like every other file."""
    with pytest.raises(MisauthoredFile, match=r"a\.html:1: the file is not UTF-8"):
        described(tmp_path, "essays/a.html", "<p>caf\xe9".encode("latin-1"), HTML_TOML)
    with pytest.raises(MisauthoredFile, match="never closed"):
        described(tmp_path / "b", "essays/a.html", "---\ntitle: a\n<p>x", HTML_TOML)
    with pytest.raises(MisauthoredFile, match="NUL"):
        described(tmp_path / "c", "essays/a.html", "<p>a\x00b", HTML_TOML)
