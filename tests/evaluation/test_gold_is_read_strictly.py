"""What `gold.yaml` may say, and how a mistake in it is named (R180)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.contract.failures import Failure, MisauthoredFile, MisauthoredInput, Misconfigured
from fonds.evaluation.gold import GoldCase, GoldSuite, check_sources_exist, read_gold
from tests.evaluation.doubles import a_case

SECRET = "quillfeather"
SMALLEST = """\
queries:
  - id: kites
    query: How is a kite let out?
    expectAnswerMode: partial
"""


def read(tmp_path: Path, text: str | bytes, *, author: str = "Person A") -> GoldSuite:
    file = tmp_path / "gold.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_gold(file, author=author)


def refusal(tmp_path: Path, text: str | bytes) -> str:
    with pytest.raises(MisauthoredFile) as refused:
        read(tmp_path, text)
    assert SECRET not in repr(refused.value)
    return str(refused.value)


def case_with(line: str) -> str:
    return f"{SMALLEST}    {line}\n"


def test_a_case_is_read_with_every_key(tmp_path: Path) -> None:
    """R180."""
    text = """\
queries:
  - id: boatyard.1
    query: What did {{author}} leave to her brother?
    expectAnswerMode: related-material
    expectSources: ["note:letter#leaf-2"]
    forbidSources: [note:week]
    forbidRecordCitations: true
    expectAnswerPatterns: ["private material"]
    forbidAnswerPatterns: ["\\\\bthimble\\\\b"]
    note: The letter is located.
    requiresModel: true
canaries: [4817, no, 柚子色の傘]
"""
    suite = read(tmp_path, text, author="Marit O.")
    assert suite.cases == (
        GoldCase(
            "boatyard.1",
            "What did Marit O. leave to her brother?",
            "related-material",
            ("note:letter#leaf-2",),
            ("note:week",),
            True,
            ("private material",),
            (r"\bthimble\b",),
            "The letter is located.",
            True,
        ),
    )
    # A figure and a word that YAML would take for something else stay what was written.
    assert suite.canaries == ("4817", "no", "柚子色の傘")


def test_the_smallest_case_forbids_and_expects_nothing_else(tmp_path: Path) -> None:
    """R180."""
    assert read(tmp_path, SMALLEST).cases == (a_case(),)


def test_neither_patterns_nor_canaries_are_shown_by_a_repr(tmp_path: Path) -> None:
    """R180: canaries have the custody of private text."""
    text = case_with(f"forbidAnswerPatterns: [{SECRET}]") + f"canaries: [{SECRET}]\n"
    assert SECRET not in repr(read(tmp_path, text))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "forbidAnswerPattern: [quillfeather]",
            "gold.yaml:5: queries[0]: unknown key: did you mean forbidAnswerPatterns?",
        ),
        ("quillfeather: x", "gold.yaml:5: queries[0]: unknown key"),
        ("forbidAnswerPatterns: quillfeather", ":5: queries[0].forbidAnswerPatterns: a list"),
        ("forbidAnswerPatterns: []", ":5: queries[0].forbidAnswerPatterns: an empty list"),
        ("expectSources: [' ']", ":5: queries[0].expectSources[0]: not blank"),
        ("expectSources: [{quillfeather: a}]", ":5: queries[0].expectSources[0]: one text"),
        ("note:", ":5: queries[0].note: not blank"),
        ("requiresModel: quillfeather", ":5: queries[0].requiresModel: input should be"),
        ("forbidRecordCitations: yes", ":5: queries[0].forbidRecordCitations: input should be"),
        ("forbidRecordCitations: true", ":5: queries[0].forbidRecordCitations: this mode cites"),
        (
            "expectAnswerPatterns: ['fine', '(quillfeather']",
            ":5: queries[0].expectAnswerPatterns[1]: not a regular expression",
        ),
        (
            "forbidAnswerPatterns: ['[[quillfeather]']",
            ":5: queries[0].forbidAnswerPatterns[0]: not a regular expression",
        ),
        (
            f"forbidAnswerPatterns: ['{'quillfeather' * 90}']",
            ":5: queries[0].forbidAnswerPatterns[0]: longer than 1000 characters",
        ),
        ("query: twice quillfeather", "gold.yaml:5: a key stands twice"),
        ("note: &quillfeather a", "gold.yaml:5: anchors and aliases are not read"),
        ("note: !!str quillfeather", "gold.yaml:5: tags are not read"),
        ('note: "quillfeather \\0"', "gold.yaml:5: a NUL character"),
        ('note: "quillfeather \\uD800"', "gold.yaml:5: half a surrogate pair"),
        ("note: [quillfeather", "gold.yaml:5: indentation, quotes or brackets do not match"),
        (
            "? [quillfeather]\n    : a",
            "gold.yaml:5: a value that begins with { needs",
        ),
        (f"note: {'[' * 17}quillfeather{']' * 17}", "gold.yaml:5: nested too deep"),
    ],
)
def test_a_mistake_in_a_case_is_named_by_its_place(tmp_path: Path, line: str, said: str) -> None:
    """R180: an error with its position, never the pattern."""
    assert said in refusal(tmp_path, case_with(line))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "gold.yaml: the file is empty"),
        ("# nothing\n", "gold.yaml: the file is empty"),
        ("quillfeather", "`key: value` lines are needed"),
        ("- quillfeather", "`key: value` lines are needed"),
        ("queries: []", "gold.yaml:1: queries: an empty list"),
        ("canaries: [quillfeather]", "queries: a value is needed"),
        ("queries: [quillfeather]", "gold.yaml:1: queries[0]: `key: value` lines are needed"),
        (f"{SMALLEST}canaries: []", "gold.yaml:5: canaries: an empty list"),
        (f"{SMALLEST}canaries: [ok, '...']", "gold.yaml:5: canaries[1]: at least one letter"),
        (f"{SMALLEST}canaries:\n  - ok\n  - quillfeather: a\n", "gold.yaml:7: canaries[1]: one"),
        (f"{SMALLEST}canary: [quillfeather]", "gold.yaml:5: unknown key: did you mean canaries?"),
        (f"{SMALLEST}---\nquillfeather: a", "gold.yaml:5: a second document"),
        (f"{SMALLEST}  - id: kites\n", "queries[1].query: a value is needed"),
        (SMALLEST.replace("kites", "two, ids"), "queries[0].id: letters, digits"),
        (SMALLEST.replace("partial", "quillfeather"), "queries[0].expectAnswerMode: input should"),
        (SMALLEST.replace("How is", "quillfeather " * 60), "queries[0].query: at most 512"),
        (b"queries: \xff quillfeather", "gold.yaml:1: not UTF-8"),
        (b"# quillfeather\n\nqueries: \x07", "gold.yaml:3: a character YAML does not allow"),
        (f"{SMALLEST}# {SECRET * 50_000}", "gold.yaml: longer than 524288 characters"),
    ],
)
def test_a_mistake_around_the_cases_is_named_by_its_place(
    tmp_path: Path, text: str | bytes, said: str
) -> None:
    """R180."""
    assert said in refusal(tmp_path, text)


def test_two_cases_of_one_id_are_refused(tmp_path: Path) -> None:
    """R180: unique."""
    both = SMALLEST + SMALLEST.removeprefix("queries:\n")
    assert "gold.yaml:2: queries[0].id: another case has the same id" in refusal(tmp_path, both)


def test_a_case_that_nothing_could_pass_is_refused(tmp_path: Path) -> None:
    """A refusal has no text to match, and no source is wanted and unwanted at once."""
    absent = SMALLEST.replace("partial", "not-found") + "    expectAnswerPatterns: [a]\n"
    assert "not answered has no answer to match" in refusal(tmp_path, absent)
    torn = case_with("expectSources: [a:b, a:c]\n    forbidSources: [a:d, a:c]")
    assert "gold.yaml:6: queries[0].forbidSources: a source that is expected" in refusal(
        tmp_path, torn
    )


def test_a_file_that_is_not_there_is_a_matter_of_the_archive_file(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"gold\.yaml: check \[evaluation\] gold"):
        read_gold(tmp_path / "gold.yaml", author="Person A")


def test_a_source_the_archive_does_not_hold_is_named_by_case_and_position() -> None:
    """R180: all ids must exist in the corpus."""
    suite = GoldSuite((a_case(expect=("essay:kites",), forbid=("note:a", "note:b#p1")),))
    check_sources_exist(suite, {"essay:kites", "note:a", "note:b#p1"})
    with pytest.raises(MisauthoredInput) as refused:
        check_sources_exist(suite, {"essay:kites", "note:a", "note:b"})
    assert str(refused.value) == ("gold case kites: forbidSources[1]: the archive holds no such id")


def test_every_refusal_is_a_failure_the_command_line_can_print(tmp_path: Path) -> None:
    """R196: one line, no traceback."""
    with pytest.raises(Failure) as refused:
        read(tmp_path, "queries: [")
    assert "\n" not in str(refused.value)


def test_a_listed_case_shows_no_pattern() -> None:
    """R183: `--list` asks nothing and shows what may be seen."""
    listed = a_case(forbid_patterns=(SECRET,), expect_patterns=(SECRET,)).as_json()
    assert listed == {
        "id": "kites",
        "query": "How is a kite let out?",
        "expectAnswerMode": "partial",
        "requiresModel": False,
        "note": None,
    }
