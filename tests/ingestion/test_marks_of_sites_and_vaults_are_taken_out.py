"""What a site generator fills in, and a vault's links, are no words of a page (R021)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonds.archive_file import read_archive_file
from fonds.ingestion.contents import read_contents
from fonds.ingestion.reading import describe
from fonds.ingestion.roots import checked_roots
from fonds.ingestion.site_marks import without_templates, without_wikilinks
from tests.ingestion.corpora import ARCHIVE_TOML, described, found_file, written_archive

PAGE = "---\ntitle: On Kites\n---\n{body}\n"


def text_of(folder: Path, body: str, annotations: str) -> str:
    toml = f'{ARCHIVE_TOML}annotations = "{annotations}"\n'
    _, fragments = described(folder, "essays/a.md", PAGE.format(body=body), toml)
    return fragments[0].text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("Let {{ page.line }} out.", "Let out."),
        ('{% image "kite.png" "A kite" %}\n\nLet go.', "Let go."),
        ("{% note %}\nLet go.\n{% endnote %}", "Let go."),
        ('{{< figure src="kite.png" >}}\n\nLet go.', "Let go."),
        ('Let <img src="{{ "/kite.png" | url }}" alt="a kite"> go.', "Let go."),
        ('Ask [the school]({% page "/school" %}).', "Ask the school."),
        ("Write `{{ title }}` or `{% raw %}` there.", "Write {{ title }} or {% raw %} there."),
        ("A set {1, 2} and 100% of {it}.", "A set {1, 2} and 100% of {it}."),
        ('Let {% image "kite.png"\n  "A kite" %} go.', "Let go."),
        ("An open {{ mark\n\nand }} its end.", "An open {{ mark\n\nand }} its end."),
        ("See [[kites]].", "See [[kites]]."),
    ],
)
def test_what_a_site_generator_fills_in_goes(tmp_path: Path, body: str, text: str) -> None:
    """R021: its words are of the machine; what it encloses is of the page."""
    assert text_of(tmp_path, body, "templates") == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("See [[Kites]].", "See Kites."),
        ("See [[On Kites|the school]].", "See the school."),
        ("See [[Kites#Line]] and [[#Line]].", "See Kites > Line and Line."),
        ("![[kite.png]]\n\nLet go.", "Let go."),
        ("| a |\n|---|\n| [[Kites\\|school]] |", "a\nschool"),
        ("Write `[[Kites]]` there.", "Write [[Kites]] there."),
        ("See [[Kites] and [[]].", "See [[Kites] and [[]]."),
        ("Let {{ line }} out.", "Let {{ line }} out."),
    ],
)
def test_links_of_a_vault_are_their_words(tmp_path: Path, body: str, text: str) -> None:
    """R021: as a reader of the vault sees them."""
    assert text_of(tmp_path, body, "wikilinks") == text


@pytest.mark.parametrize(
    ("annotations", "body"),
    [("templates", '{% image "kite.png" "A kite" %}'), ("wikilinks", "![[Kites.base]]")],
)
def test_a_page_of_marks_alone_holds_no_text(tmp_path: Path, annotations: str, body: str) -> None:
    """C10: it would be found by its title, with nothing under it."""
    toml = f'{ARCHIVE_TOML}annotations = "{annotations}"\n'
    files = {"essays/a.md": PAGE.format(body=body)}
    config = read_archive_file(written_archive(tmp_path, files, toml))
    file = found_file(config, "essays/a.md")
    assert describe(file, read_contents(file).text(), config) is None


def test_marks_stay_where_the_owner_says_nothing(tmp_path: Path) -> None:
    """A page may be about braces and brackets; saying so reads the files again."""
    body = "The [[Prototype]] of {{ it }} stays."
    _, fragments = described(tmp_path, "essays/a.md", PAGE.format(body=body))
    assert fragments[0].text == body
    hashes = {
        checked_roots(read_archive_file(written_archive(tmp_path, {}, toml)))[-1].settings_hash
        for toml in (
            ARCHIVE_TOML,
            f'{ARCHIVE_TOML}annotations = "templates"\n',
            f'{ARCHIVE_TOML}annotations = "wikilinks"\n',
        )
    }
    assert len(hashes) == 3


@given(st.text("ab `{}%[]|!#<>\n", max_size=120))
def test_no_line_is_lost_and_none_is_added(text: str) -> None:
    """A refusal names a line of the file as it was written."""
    for without in (without_templates, without_wikilinks):
        read = without(text)
        assert read.count("\n") == text.count("\n")
        assert len(read) <= len(text) + 2 * text.count("#")


def test_hostile_marks_are_read_in_one_pass() -> None:
    """A mark holds no brace or bracket of another, so that no beginning is looked at for long."""
    for hostile in (
        "{{" + "a" * 400_000,
        "{%" + " %" * 200_000,
        *("{% a" * 100_000, "{{ a\n" * 100_000, "[[a" * 100_000, "`a" * 100_000 + "\n"),
    ):
        assert without_templates(hostile) == hostile
        assert without_wikilinks(hostile) == hostile
    for hostile in ("{{" * 200_000, "{%" * 200_000, "[[" * 200_000, "`{{" * 100_000):
        assert without_templates(hostile) == hostile
        assert without_wikilinks(hostile) == hostile
