"""What a reader gets and what it was made from; a question made into a gold case (R164, R180)."""

from __future__ import annotations

import html
import re
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from fonds.answering.refusal import FIXED_SENTENCE, Answered, Refused
from fonds.contract.search_request import SearchRequest
from fonds.desk.way_in import CSRF_FIELD
from fonds.evaluation.gold import read_gold
from fonds.wiring.gold_cases import mark_of
from fonds.wiring.house import House
from fonds.wiring.refusals import refusal_store
from tests.desk.asked_archive import (
    ABSENT,
    MARKUP,
    QUESTION,
    SECRET,
    SUITE,
    asked_house,
    suite_file,
)
from tests.desks import Sitting
from tests.servers import Database


@pytest.fixture(scope="module")
def house(desk_database: Database, tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    with asked_house(tmp_path_factory.mktemp("asked"), desk_database) as opened:
        yield opened


@pytest.fixture
def suite(house: House) -> Generator[Path]:
    """The suite's file, put back as it was."""
    file = suite_file(house)
    yield file
    file.write_text(SUITE, encoding="utf-8")


def words(page: str) -> str:
    """What stands in a page for eyes."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def test_an_answer_is_what_a_reader_gets_with_all_that_made_it(
    house: House, sitting: Sitting
) -> None:
    page = sitting.post("/ask", {"q": QUESTION}, 200)
    said = words(page)
    given = house.ask_unrecorded(SearchRequest(QUESTION))
    assert isinstance(given, Answered)
    assert given.answer in said
    assert f'href="{given.citations[0].url}"' in page
    for hit in house.search(SearchRequest(QUESTION)).hits:
        assert f"{hit.provenance.score:.2f}" in said
        assert hit.provenance.fragment_id in said
    for told in ("Gate: provisional", "threshold", "top score", "lexical margin", "score floor"):
        assert told in said
    assert "On <b>Kites</b>" in said, "a title is text"
    assert "<b>Kites" not in page


def test_a_private_place_is_shown_with_its_released_score_and_none_of_its_words(
    house: House, sitting: Sitting
) -> None:
    """R122: here too no exact private figure is there to be shown."""
    asked = "the sextant of the pilot"
    page = sitting.post("/ask", {"q": asked, "raw": "private"}, 200)
    assert "What travelled: the place alone." in words(page)
    assert "pawned" not in page
    (score,) = re.findall(r"<strong>(\d\.\d\d)</strong> <span class=\"badge\">private", page)
    assert round(float(score) * 20) == pytest.approx(float(score) * 20)


def test_a_refusal_shows_layer_reason_and_record_and_leaves_none(
    house: House, sitting: Sitting
) -> None:
    said = words(sitting.post("/ask", {"q": ABSENT}, 200))
    given = house.ask_unrecorded(SearchRequest(ABSENT))
    assert isinstance(given, Refused)
    assert FIXED_SENTENCE in said
    assert f"layer {given.layer} reason {given.reason}" in said
    assert refusal_store(house).days(None, None) == ()


def test_filters_narrow_what_is_found(sitting: Sitting) -> None:
    both = sitting.post("/ask", {"q": QUESTION, "exposure": ["text", "locator"]}, 200)
    assert "essay:on-kites" in both
    assert 'value="locator" checked' in both
    for narrowed in ({"raw": "private"}, {"types": "song, letter"}, {"from": "2024"}):
        page = sitting.post("/ask", {"q": QUESTION, **narrowed}, 200)
        assert "essay:on-kites" not in page
        assert "<details open>" in page, "what narrows is seen"
        assert "Make a gold case" not in page, "a case asks without filters"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"q": "   "}, "q"),
        ({"q": "x" * 600}, "q"),
        ({"q": QUESTION, "from": "soon"}, "filters.dateFrom"),
        ({"q": QUESTION, "raw": "secret"}, "filters.raw"),
        ({"q": QUESTION, "exposure": "none"}, "filters.exposure"),
        ({"q": QUESTION, "recency": "yes"}, "recency"),
    ],
)
def test_what_no_request_takes_is_one_line_above_the_form(
    sitting: Sitting, fields: dict[str, str], said: str
) -> None:
    page = sitting.post("/ask", fields, 422)
    assert said in re.findall(r'role="alert"[^>]*>([^<]*)', page)[0]
    assert html.escape(fields["q"].strip()) in page


def test_markup_in_a_question_stays_text(sitting: Sitting) -> None:
    page = sitting.post("/ask", {"q": MARKUP}, 200)
    assert "<img" not in page
    assert MARKUP in words(page)
    assert "<img" not in sitting.post("/ask/case", {"q": MARKUP, "mode": "not-found"}, 200)


def test_a_question_is_sent_by_a_form_of_this_desk_alone(sitting: Sitting, suite: Path) -> None:
    for path in ("/ask", "/ask/case", "/ask/case/keep"):
        sitting.post(path, {CSRF_FIELD: "forged", "q": QUESTION}, 422)
    assert suite.read_text() == SUITE
    # A page that named no page at all would have its own forms say they come from nowhere.
    assert sitting.client.get("/ask").headers["referrer-policy"] == "same-origin"


def test_a_question_of_two_lines_is_asked_and_kept_as_one(sitting: Sitting) -> None:
    page = sitting.post("/ask", {"q": QUESTION.replace(" fly ", "\r\n fly ")}, 200)
    assert f'name="q" value="{QUESTION}"' in page


def looked(page: str) -> dict[str, str | list[str]]:
    """The fields of the form that keeps a case, as the page has them."""
    form = page.split('action="/ask/case/keep"')[1].split("</form>")[0]
    found = re.findall(r'name="(\w+)" value="([^"]*)"', form)
    fields = {name: html.unescape(value) for name, value in found if name not in ("source", "csrf")}
    return {**fields, "source": [html.unescape(value) for name, value in found if name == "source"]}


def test_a_case_is_shown_first_and_then_added_once(
    house: House, sitting: Sitting, suite: Path
) -> None:
    asked = sitting.post("/ask", {"q": QUESTION}, 200)
    sources = re.findall(r'name="source" value="([^"]*)"', asked)
    page = sitting.post("/ask/case", {"q": QUESTION, "mode": "partial", "source": sources}, 200)
    assert "- id: who-taught-her-to-fly-kites" in page
    assert suite.read_text() == SUITE, "only shown so far"
    led = sitting.post("/ask/case/keep", looked(page))
    assert not {"taught", "kites"} & set(re.findall("[a-z]+", led)), "no address holds a question"
    assert "who-taught-her-to-fly-kites</code> was added to the suite" in sitting.get(led)
    case = read_gold(suite, author=house.config.author).cases[-1]
    assert (case.query, case.expect_mode) == (QUESTION, "partial")
    assert case.expect_sources == tuple(sources) == ("essay:on-kites#whole",)
    assert suite.read_text().startswith(SUITE), "what stood there stands there"
    assert "another case has the same id" in sitting.post("/ask/case/keep", looked(page), 422)
    assert suite.read_text().count("who-taught-her-to-fly-kites") == 1


def test_a_suite_that_was_changed_meanwhile_is_left_alone(sitting: Sitting, suite: Path) -> None:
    page = sitting.post("/ask/case", {"q": ABSENT, "mode": "not-found", "note": "new"}, 200)
    suite.write_text(changed := SUITE + "# a thought of the author's\n")
    assert "changed meanwhile" in sitting.post("/ask/case/keep", looked(page), 422)
    assert suite.read_text() == changed


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"mode": "partial", "id": "kites"}, "another case has the same id"),
        ({"mode": "partial", "id": "no id"}, "letters, digits"),
        ({"mode": "partial", "source": "essay:unheard-of"}, "the archive holds no such id"),
    ],
)
def test_a_case_the_suite_cannot_hold_is_shown_with_its_reason_and_no_way_to_keep_it(
    sitting: Sitting, suite: Path, fields: dict[str, str | list[str]], said: str
) -> None:
    page = sitting.post("/ask/case", {"q": QUESTION, **fields}, 422)
    assert said in page
    assert "/ask/case/keep" not in page
    assert suite.read_text() == SUITE


def test_a_suite_outside_the_archive_is_never_written(
    house: House, sitting: Sitting, suite: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "gold.yaml"
    outside.write_text(SUITE)
    fields = {"q": ABSENT, "mode": "not-found"}
    kept = looked(sitting.post("/ask/case", fields, 200))
    own = house.config
    house.config = replace(own, gold=outside)
    try:
        page = sitting.post("/ask/case", fields, 422)
        assert "outside the archive" in page
        assert "- id: which-compiler-flags" in page, "to be added by hand"
        sitting.post("/ask/case/keep", kept, 503)
    finally:
        house.config = own
    assert (outside.read_text(), suite.read_text()) == (SUITE, SUITE)


def test_a_page_says_kept_only_of_a_case_that_is(sitting: Sitting) -> None:
    assert "was added" in sitting.get(f"/ask?kept={mark_of('kites')}")
    assert "was added" not in sitting.get(f"/ask?kept={mark_of('none')}")
    assert "was added" not in sitting.get("/ask?kept=%3Cb%3Enone")
    assert SECRET not in sitting.get("/ask")
