"""The example archive shows every cell of the policy, and its suite watches what it holds
(R050-R069, R180-R182).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

from fonds.answering.coverage import coverage
from fonds.boundary.canaries import canary_sweep
from fonds.boundary.runs import PrivateRuns
from fonds.contract.entity import LintWindow
from fonds.contract.normalised_text import has_unspaced_script, normalised_text
from fonds.contract.search_request import SearchRequest
from fonds.contract.swept_string import SweptString
from fonds.evaluation.gold import check_sources_exist
from tests.evaluation.example import ROOT, Example, read_example, served_strings

COVERAGE_FLOOR = 0.5

# Every fragment that is not quoted, by its cell after resolution.
CELLS = {
    "essay:the-pilots-handshake#whole": ("public", "semantic"),
    "essay:letters-to-the-harbour-board#whole": ("public", "locator"),
    "essay:an-unfinished-index#whole": ("public", "none"),
    "note:unsent-letter#letter-book-leaf-12": ("private", "semantic"),
    "note:autumn-inspection#grey-notebook-p-31": ("private", "locator"),
    "note:instructions-for-the-instruments#blue-notebook-last-page": ("private", "locator"),
    "note:pages-from-japan#red-notebook-p-7": ("private", "locator"),
    "note:spring-week#blue-notebook-pp-40-46": ("private", "none"),
    "book:the-drowned-ledger#sfront": ("private", "locator"),
    "book:the-drowned-ledger#ch1": ("private", "locator"),
    "book:the-drowned-ledger#ch2": ("private", "semantic"),
    "book:the-drowned-ledger#s3": ("private", "locator"),
    "book:the-drowned-ledger#part2.ch3": ("private", "locator"),
    "book:the-drowned-ledger#part2.ch4": ("private", "none"),
    "transcript:the-frozen-week#t3-57": ("private", "locator"),
    "transcript:the-frozen-week#t61-115": ("private", "locator"),
    "transcript:the-frozen-week#t122-176": ("private", "semantic"),
    "transcript:the-frozen-week#t184-238": ("private", "locator"),
}


@pytest.fixture(scope="module")
def example() -> Example:
    return read_example()


def test_every_file_is_read_and_nothing_of_it_is_refused(example: Example) -> None:
    """R020-R025, R065: the adapters and the metadata lint accept the whole example."""
    assert len(example.stored) == len(list(content_files()))
    assert example.checked.findings == []


def content_files() -> Iterable[Path]:
    """One an entity; the fields beside a recording are part of it."""
    found = (ROOT / "example_content").glob("*/*")
    return (file for file in found if file.suffix in {".md", ".vtt"})


def test_all_seven_cells_of_the_policy_occur(example: Example) -> None:
    """R001, R050: each fragment stands in the cell that the example says it shows."""
    quoted = {one for one, cell in example.cells.items() if cell == ("public", "text")}
    assert quoted == {one for one in example.texts("public") if one not in CELLS}, (
        "a public fragment is quoted unless the list says otherwise"
    )
    assert {one: cell for one, cell in example.cells.items() if one not in quoted} == CELLS
    assert set(example.cells.values()) == {
        ("public", "text"),
        ("public", "semantic"),
        ("public", "locator"),
        ("public", "none"),
        ("private", "semantic"),
        ("private", "locator"),
        ("private", "none"),
    }


def test_gists_are_served_vetoed_and_waiting_for_review(example: Example) -> None:
    """R050, R083, R084: an imported gist passes the lint, and two are held back for a reason."""
    assert example.imported.refused == ()
    assert example.imported.written == 6
    assert {one.fragment_id for one in example.checked.gists} == {
        one for one, (_, exposure) in example.cells.items() if exposure == "semantic"
    }
    assert {one.fragment_id: one.reason for one in example.checked.downgrades} == {
        "book:the-drowned-ledger#part2.ch3": "vetoed",
        "note:instructions-for-the-instruments#blue-notebook-last-page": "waits for review",
    }


def test_the_example_holds_a_script_without_word_spacing_on_both_layers(example: Example) -> None:
    """R062."""
    for raw in ("public", "private"):
        assert any(has_unspaced_script(text) for text in example.texts(raw).values())


def test_a_guide_is_cut_and_a_recording_shares_its_page(example: Example) -> None:
    """R026, R033, R034: sections by their headings; minutes that name only who may be named."""
    read = {one.entity.entity_id: one for one in example.stored}
    sections = [part.fragment for part in read["guide:a-guide-to-the-harbour"].fragments]
    assert len(sections) == 14
    charges = next(one for one in sections if one.fragment_id.endswith("#charges"))
    assert charges.text.count(" | ") == 5 * 2, "the header and every row of the one table"
    spoken, page = read["transcript:the-frozen-week"], read["episode:the-frozen-week"]
    assert spoken.entity.parent == page.entity.entity_id
    assert spoken.entity.attribution == page.entity.attribution
    assert spoken.entity.policy.public_title
    assert {one.fragment.source_review for one in spoken.fragments} == {"reviewed"}
    heard = {who.name for one in spoken.fragments for who in one.fragment.attribution}
    assert heard == {"Josune Tarrel", "Marit Ostrevan", "Other"}


def test_no_public_string_repeats_a_run_of_private_text(example: Example) -> None:
    """R061, R062: the lint's own comparison, over more strings than the lint is asked about."""
    found: list[tuple[str, str, str]] = []
    for private_id, text in example.texts("private").items():
        private = PrivateRuns(text, LintWindow())
        for string in served_strings(example):
            run = private.shared_run(string.text)
            # Twelve letters of two English texts are alike by chance: there words are compared.
            if run and (run.unit == "words" or has_unspaced_script(string.text)):
                found.append((private_id, string.owner_id, str(run)))
    assert found == []


def test_each_canary_stands_in_private_text(example: Example) -> None:
    """R182: the premise of the sweep; a canary that is nowhere watches nothing."""
    private = [
        SweptString(fragment_id, fragment_id, "gist", text)
        for fragment_id, text in example.texts("private").items()
    ]
    seen = {issue.canary for issue in canary_sweep(example.suite.canaries, private)}
    assert seen == set(range(len(example.suite.canaries)))


def test_no_canary_stands_in_anything_that_travels(example: Example) -> None:
    """R182."""
    assert canary_sweep(example.suite.canaries, served_strings(example)) == ()


def test_canaries_are_what_a_lint_of_runs_cannot_see(example: Example) -> None:
    """R182: short names, numbers, two-word phrases, and a script without word spacing."""
    read = [normalised_text(canary) for canary in example.suite.canaries]
    window = LintWindow()
    for canary in read:
        unspaced = has_unspaced_script(canary)
        assert (len(canary) < window.ngram_chars) if unspaced else len(canary.split()) <= 3
    assert any(has_unspaced_script(canary) for canary in read)
    assert any(canary.replace(" ", "").isdigit() for canary in read)
    assert any(len(canary.split()) == 2 and canary.replace(" ", "").isalpha() for canary in read)
    assert any(len(canary.split()) == 1 and canary.isascii() for canary in read)


def test_every_source_of_a_gold_case_is_in_the_archive(example: Example) -> None:
    """R180: all ids must exist in the corpus."""
    entities = {stored.entity.entity_id for stored in example.stored}
    check_sources_exist(example.suite, entities | set(example.cells))


def test_what_a_gold_case_expects_can_be_given(example: Example) -> None:
    """R143, R181: a quoted source for a record, a pointed one for a hint, never a withheld one."""
    for case in example.suite.cases:
        exposures = {example.cells[source][1] for source in case.expect_sources}
        match case.expect_mode:
            case "partial":
                assert exposures <= {"text"}, case.case_id
            case "related-material":
                assert exposures <= {"semantic", "locator"}, case.case_id
            case "supported":
                assert exposures <= {"text", "semantic", "locator"}, case.case_id
            case "not-found":
                assert not exposures, case.case_id


def test_the_suite_asks_every_kind_of_question(example: Example) -> None:
    """R185: direct, theme, mismatch, route, refusal, extraction, injection, compound."""
    kinds = ("direct", "japanese", "theme", "mismatch", "guide", "route", "withheld", "absent")
    for kind in (*kinds, "near-miss", "extract", "inject", "compound"):
        assert any(case.case_id.startswith(f"{kind}-") for case in example.suite.cases), kind
    undecided = [case.case_id for case in example.suite.cases if case.requires_model]
    assert 0 < len(undecided) < len(example.suite.cases) / 2


def test_the_demonstration_answers_routes_and_declines(example: Example) -> None:
    """R165, R172: one question of each kind, told apart by what the public words cover."""
    document = tomllib.loads((ROOT / "example_content" / "demo.toml").read_text("utf-8"))
    assert set(document) == {"questions"}
    questions = [one["question"] for one in document["questions"]]
    assert all(set(one) == {"question", "shows"} and one["shows"] for one in document["questions"])
    assert all(SearchRequest(question) for question in questions)
    answered, routed, declined = (best_coverage(example, one) for one in questions)
    assert answered >= COVERAGE_FLOOR > routed
    assert declined < COVERAGE_FLOOR


def best_coverage(example: Example, question: str) -> float:
    return max(
        coverage(question, f"{one.entity.title}\n\n{part.summary}\n\n{part.text}")
        for one in example.served
        for part in one.fragments
        if part.disclosure.exposure == "text"
    )
