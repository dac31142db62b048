"""A gold case put behind the last one of a suite: the rest stays byte for byte (R180)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.contract.failures import Failure, MisauthoredFile, MisauthoredInput, Misconfigured
from fonds.evaluation import new_case
from fonds.evaluation.gold import GoldCase, read_gold
from fonds.evaluation.new_case import keep_case, laid_case, own_suite_file, suggested_id

AUTHOR = "Person A"
PLAIN = """\
# What is asked of the archive.
queries:
  - id: kites   # the first
    query: Who taught her to fly kites?
    expectAnswerMode: partial
    # because of the dyke
"""
BARE = "queries:\n- id: kites\n  query: Who?\n  expectAnswerMode: partial"
MORE = PLAIN + "\n# Watched for.\ncanaries:\n  - pawnbroker Tolliver\n# the end\n"
CASE = GoldCase(
    "debts", "To whom did Ilse owe money?", "related-material", ("note:about-ilse#p-2",), note="new"
)
STRANGE = (
    '<script>alert("1")</script>',
    "yes",
    "# no comment",
    "- id: forged\n  query: x",
    "a: b 'c' \"d\" \\",
    "  spaces  ",
    "二百八十メートル 🪁 é",
    "{{ 1 }} &anchor *alias !tag %",
    "x" * 500,
)


def suite(folder: Path, text: str) -> Path:
    file = folder / "gold.yaml"
    file.write_bytes(text.encode())
    return file


def kept(file: Path, case: GoldCase) -> None:
    keep_case(file, case, laid_case(file, case, author=AUTHOR).before, author=AUTHOR)


@pytest.mark.parametrize(
    "text",
    [PLAIN, BARE, MORE, PLAIN + "\n\n# later\n", PLAIN.replace("\n", "\r\n"), "\ufeff" + MORE],
)
def test_a_case_stands_last_and_what_was_there_stays(tmp_path: Path, text: str) -> None:
    file = suite(tmp_path, text)
    before = read_gold(file, author=AUTHOR)
    laid = laid_case(file, CASE, author=AUTHOR)
    assert file.read_bytes() == text.encode(), "only shown so far"
    keep_case(file, CASE, laid.before, author=AUTHOR)
    after, written = read_gold(file, author=AUTHOR), file.read_bytes().decode()
    assert after.cases == (*before.cases, CASE)
    assert after.canaries == before.canaries
    assert written.replace(laid.text, "", 1) == text
    assert ("\r\n" in laid.text) == ("\r\n" in text)


def test_a_comment_stays_with_the_case_or_the_key_it_belongs_to(tmp_path: Path) -> None:
    file = suite(tmp_path, MORE)
    kept(file, CASE)
    order = ["# because of the dyke", "id: debts", "# Watched for.", "canaries:", "# the end"]
    written = file.read_text()
    assert sorted(order, key=written.index) == order


@pytest.mark.parametrize("question", STRANGE)
def test_whatever_a_question_holds_is_read_back_as_asked(tmp_path: Path, question: str) -> None:
    file = suite(tmp_path, MORE)
    kept(file, GoldCase("strange", question, "not-found"))
    assert read_gold(file, author=AUTHOR).cases[-1].query == question


def test_a_case_that_would_be_read_otherwise_is_not_written(tmp_path: Path) -> None:
    file = suite(tmp_path, PLAIN)
    with pytest.raises(MisauthoredInput, match="add it by hand"):
        laid_case(file, GoldCase("slot", "Who is {{author}}?", "partial"), author=AUTHOR)
    assert file.read_text() == PLAIN


@pytest.mark.parametrize(
    ("text", "case", "said"),
    [
        (PLAIN, GoldCase("kites", "Who?", "partial"), "another case has the same id"),
        (PLAIN, GoldCase("not an id", "Who?", "partial"), "letters, digits"),
        (PLAIN + "bogus: 1\n", CASE, "unknown key"),
        ("queries: [{id: a, query: b, expectAnswerMode: partial}]\n", CASE, "in brackets"),
        (PLAIN + "...\n", CASE, "gold.yaml"),
        ("", CASE, "the file is empty"),
    ],
)
def test_a_suite_that_would_not_read_is_left_alone(
    tmp_path: Path, text: str, case: GoldCase, said: str
) -> None:
    file = suite(tmp_path, text)
    with pytest.raises((MisauthoredFile, MisauthoredInput), match=said) as refused:
        kept(file, case)
    assert file.read_text() == text
    assert "Ilse" not in str(refused.value), "no question stands in a message"


def test_a_file_that_was_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    file = suite(tmp_path, PLAIN)
    laid = laid_case(file, CASE, author=AUTHOR)
    file.write_text(changed := PLAIN + "# another thought\n")
    with pytest.raises(MisauthoredInput, match="changed meanwhile"):
        keep_case(file, CASE, laid.before, author=AUTHOR)
    assert file.read_text() == changed
    kept(file, CASE)
    with pytest.raises(Failure):
        keep_case(file, CASE, laid.before, author=AUTHOR)
    assert file.read_text().count("id: debts") == 1, "sent twice, kept once"


def test_a_file_keeps_its_rights_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    file = suite(tmp_path, PLAIN)
    file.chmod(0o640)
    kept(file, CASE)
    assert file.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in tmp_path.iterdir()] == ["gold.yaml"]


def test_a_write_that_fails_leaves_the_file_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = suite(tmp_path, PLAIN)

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "no space")

    monkeypatch.setattr(new_case.Path, "replace", full)
    with pytest.raises(MisauthoredInput, match="cannot be written"):
        kept(file, CASE)
    assert file.read_text() == PLAIN
    assert [one.name for one in tmp_path.iterdir()] == ["gold.yaml"]


def test_only_a_file_inside_the_archive_is_written(tmp_path: Path) -> None:
    outside, inside = tmp_path / "else", tmp_path / "archive"
    outside.mkdir()
    inside.mkdir()
    file = suite(outside, PLAIN)
    (inside / "link.yaml").symlink_to(file)
    for refused in (file, inside / "link.yaml", inside / "absent.yaml", inside):
        with pytest.raises(Misconfigured, match="outside the archive's folder"):
            own_suite_file(refused, inside)
    own = suite(inside, PLAIN)
    (inside / "also.yaml").symlink_to(own)
    assert own_suite_file(inside / "also.yaml", inside) == own.resolve()


def test_an_id_is_made_of_the_words_and_is_free(tmp_path: Path) -> None:
    read = read_gold(suite(tmp_path, PLAIN), author=AUTHOR)
    assert suggested_id("Kites?", read) == "kites-2"
    assert suggested_id("Who taught her to fly kites, then?", None) == "who-taught-her-to-fly-kites"
    assert suggested_id("防波堤の長さは", read).startswith("case-")
    assert suggested_id("<script>", read) == "script"
