"""Typed reading: dates in any zone, switches, lists; every refusal names its field (R012, C16)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Generator

import pytest

from fonds.contract.attribution import Attribution
from fonds.contract.entity import LintWindow
from fonds.contract.failures import MisauthoredFile
from fonds.contract.identifier import Identifier
from fonds.ingestion.fields import Fields
from fonds.ingestion.front_matter import read_text


def fields(front: str, fence: str = "---") -> Fields:
    text = f"{fence}\n{front}\n{fence}\n"
    return Fields("essays/a.md", read_text(text.encode(), "essays/a.md").front)


@pytest.fixture(params=["Asia/Tokyo", "America/La_Paz"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize(
    ("front", "fence", "day"),
    [
        ("date: 2019-03-14", "---", "2019-03-14"),
        ("date: 2019-03-14T23:30:00-05:00", "---", "2019-03-14"),
        ('date: "2019-03-14 23:30 -0500"', "---", "2019-03-14"),
        ("date: 2019-03-14 9:05:00 -4", "---", "2019-03-14"),
        ("date: 2019-03-14T00:10:00.123Z", "---", "2019-03-14"),
        ("date: 2019-03", "---", "2019-03"),
        ("date: 2019", "---", "2019"),
        ("date:", "---", None),
        ("date: null", "---", None),
        ("title: x", "---", None),
        ('path = "2019/03/14/x"', "+++", None),
        ("date = 2019-03-14T23:30:00-05:00", "+++", "2019-03-14"),
        ("date = 2019", "+++", "2019"),
    ],
)
def test_a_date_is_the_day_as_written_in_every_zone(
    front: str, fence: str, day: str | None
) -> None:
    """C16: neither the machine's zone nor the author's moves the day; precision is kept."""
    assert fields(front, fence).date() == day


@pytest.mark.usefixtures("zone")
@pytest.mark.parametrize(
    "written",
    [
        "2019/03/14",
        "March 14, 2019",
        "2023-02-30",
        "0000-00-00",
        "2019-13",
        "2019-3-14",
        "spring 2019",
        "2019-02-30T10:00:00Z",
        "2019-03-14T25:00:00Z",
        "2019-03-14 zebra",
        "٢٠١٩",
        "[2019]",
    ],
)
def test_any_other_date_is_refused_by_file_and_field(written: str) -> None:
    with pytest.raises(MisauthoredFile) as refusal:
        fields(f"title: x\ndate: {written}").date()
    assert (refusal.value.field, refusal.value.line) == ("date", 3)
    assert refusal.value.disclosure_known
    assert written not in str(refusal.value)


def test_a_switch_is_true_or_false_without_quotes() -> None:
    """R023: booleans must be booleans."""
    found = fields("a: true\nb: False")
    assert (found.flag("a"), found.flag("b"), found.flag("c")) == (True, False, False)
    for written in ("yes please", "yes", '"true"', "", "1", "[true]"):
        with pytest.raises(MisauthoredFile, match="publicTitle: true or false"):
            fields(f"publicTitle: {written}").flag("publicTitle")


def test_a_count_is_a_positive_whole_number() -> None:
    found = fields("a: 12\nb:")
    assert (found.count("a", 1), found.count("b", 7), found.count("c", 7)) == (12, 7, 7)
    for written in ("0", "-1", "1.5", '"3"', "many", "1" * 10, "٣", "[1]"):
        with pytest.raises(MisauthoredFile, match="firstPage: a positive whole number"):
            fields(f"firstPage: {written}").count("firstPage", 1)


def test_themes_are_the_first_list_of_three_fields() -> None:
    """R021: a string is no list, and only strings are themes."""
    assert fields("themes: kites\nkeywords: [wind, {a: b}, ' two  words ', '', wind]").themes() == (
        "wind",
        "two words",
    )
    assert fields("topics: [a]\nthemes: []").themes() == ()
    assert fields("title: x").themes() == ()
    with pytest.raises(MisauthoredFile, match="themes: a list of words"):
        fields("themes: zebra").strict_themes()
    with pytest.raises(MisauthoredFile, match="themes: a list of words"):
        fields("themes: [a, {b: c}]").strict_themes()


def test_creators_are_names_or_entries() -> None:
    """R023, R005: role default `author`; identifiers and placeholders are read."""
    front = (
        "creators:\n- A. Person\n"
        "- {name: B, role: composer, identifiers: [{scheme: isni, value: '1'}]}"
        "\n- {name: Somebody, placeholder: unverified}"
    )
    assert fields(front).creators(()) == (
        Attribution("A. Person", "author"),
        Attribution("B", "composer", (Identifier("isni", "1"),)),
        Attribution("Somebody", "author", (), "unverified"),
    )
    assert fields("title: x").creators(("P",)) == (Attribution("P", "author"),)
    assert fields("authors: []").creators(("P",)) == ()


@pytest.mark.parametrize(
    ("front", "field"),
    [
        ('authors: "A. Zebra"', "authors"),
        ("authors: [[zebra]]", "authors[0]"),
        ("authors: [{name: zebra, age: '3'}]", "authors[0]"),
        ("creators: [ok, {role: zebra}]", "creators[1]"),
        ("creators: [{name: zebra, role: [x]}]", "creators[0].role"),
        ("creators: [{name: zebra, placeholder: nobody}]", "creators[0].placeholder"),
        ("creators: [{name: zebra, identifiers: x}]", "creators[0].identifiers"),
        ("creators: ['']", "creators[0]"),
    ],
)
def test_a_wrong_creator_is_named_by_position(front: str, field: str) -> None:
    with pytest.raises(MisauthoredFile) as refusal:
        fields(front).creators(())
    assert refusal.value.field == field
    assert "zebra" not in str(refusal.value).lower()


def test_identifiers_are_scheme_and_value_and_nothing_else() -> None:
    assert fields("identifiers: [{scheme: doi, value: 10.1/x}]").identifiers() == (
        Identifier("doi", "10.1/x"),
    )
    for front in (
        "{a: b}",
        "[{scheme: doi}]",
        "[{scheme: doi, value: x, n: y}]",
        "[{scheme: '', value: x}]",
    ):
        with pytest.raises(MisauthoredFile, match="identifiers"):
            fields(f"identifiers: {front}").identifiers()


def test_an_exposure_is_one_of_its_layer() -> None:
    """R021, R022: `text` is no exposure of private material; an empty one is none at all."""
    assert fields("exposure: semantic").exposure("private", "locator") == "semantic"
    assert fields("title: x").exposure("private", "locator") == "locator"
    assert fields("exposure: text").exposure("public", "none") == "text"
    for written in ("text", "zebra", "", "[none]"):
        with pytest.raises(MisauthoredFile) as refusal:
            fields(f"exposure: {written}").exposure("private", "locator")
        assert str(refusal.value) == ("essays/a.md:2: exposure: one of semantic, locator, none")
        assert not refusal.value.disclosure_known


def test_exposures_are_fragment_keys_with_an_exposure() -> None:
    assert fields("exposures: {ch2: none}").exposures("private") == {"ch2": "none"}
    for front in ("none", "{ch2: text}"):
        with pytest.raises(MisauthoredFile, match="exposures"):
            fields(f"exposures: {front}").exposures("private")


def test_a_lint_window_overrides_the_archives_in_parts() -> None:
    """R068: what a file does not name is the archive's."""
    assert fields("lint: {ngramWords: 4}").lint(LintWindow(6, 13, 300)) == LintWindow(4, 13, 300)
    assert fields("title: x").lint(LintWindow(6)) == LintWindow(6)
    for front in ("{ngramWords: 0}", "{words: 4}", "4"):
        with pytest.raises(MisauthoredFile, match="lint"):
            fields(f"lint: {front}").lint(LintWindow())


def test_an_address_can_be_opened() -> None:
    assert fields("about: https://example.org/a").address("about") == "https://example.org/a"
    for written in (
        "",
        "example.org",
        "ftp://example.org",
        "https://",
        "'https://[zebra'",
        "https://a b",
    ):
        with pytest.raises(MisauthoredFile, match="about: "):
            fields(f"about: {written}").address("about")


def test_a_single_value_is_no_list() -> None:
    with pytest.raises(MisauthoredFile, match="title: a single value"):
        fields("title: [zebra]").text("title")
    assert fields("title: >\n  two\n  lines\n").text("title") == "two lines"


def test_an_unknown_key_of_a_private_file_is_refused_with_the_nearest() -> None:
    """R022: a mistyped exposure is never served; a line of prose read as a key is not printed."""
    known = {"exposure", "title"}
    fields("title: x\nmood: y").refuse_unknown(known, ("mood",))
    with pytest.raises(MisauthoredFile) as refusal:
        fields("title: x\nexposre: none").refuse_unknown(known, ())
    assert str(refusal.value) == "essays/a.md:3: exposre: unknown key: did you mean exposure?"
    assert not refusal.value.disclosure_known
    with pytest.raises(MisauthoredFile) as refusal:
        fields("we sold the zebra: in March").refuse_unknown(known, ())
    assert "zebra" not in str(refusal.value)


def test_a_file_that_asks_to_be_withheld_is_withdrawn_whatever_else_is_wrong() -> None:
    with pytest.raises(MisauthoredFile) as refusal:
        fields("exposure: none\ndate: zebra").date()
    assert not refusal.value.disclosure_known


def test_dates_do_not_depend_on_the_zone_a_process_starts_in() -> None:
    """C16, with a process of its own a zone."""
    program = (
        "from fonds.ingestion.fields import Fields;"
        "from fonds.ingestion.front_matter import read_text;"
        "t=b'---\\ndate: 2019-03-14T23:30:00-05:00\\n---\\n';"
        "import sys; sys.stdout.write(Fields('a', read_text(t, 'a').front).date())"
    )
    for name in ("Asia/Tokyo", "America/La_Paz"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"TZ": name},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == "2019-03-14"
