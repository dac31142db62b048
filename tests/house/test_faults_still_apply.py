"""The faults of `python -m eval.trials.mutations` are of code that is there; none is run here."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.trials.mutations import FOUNDATION, CodeFault, listed_faults, lost_places, tried
from tests.house.tree import ROOT

LEAST = 30


def test_each_fault_has_one_place_and_tests_that_are_there() -> None:
    faults = listed_faults()
    assert len(faults) >= LEAST
    assert {one.name: lost for one in faults if (lost := lost_places(one))} == {}
    assert [one.name for one in faults if one.find == one.replace or not one.tests] == []
    files = {test for one in faults for test in one.tests}
    assert sorted(file for file in files if not (ROOT / file).is_file()) == []


def test_a_fault_of_the_schema_is_made_in_what_migrates_as_well() -> None:
    """A test's database is migrated: a fault of `db/` alone would change nothing."""
    of_schema = [one for one in listed_faults() if one.file.startswith("db/")]
    assert of_schema
    assert {one.files[1:] for one in of_schema} == {(FOUNDATION,)}


@pytest.mark.parametrize(("text", "said"), [("", 0), ("once once", 2)])
def test_a_text_that_is_not_there_once_is_not_applied(text: str, said: int, tmp_path: Path) -> None:
    """And the file is left as it is."""
    file = tmp_path / "code.py"
    file.write_text(text, encoding="utf-8")
    fault = CodeFault("a fault", "code.py", "once", "never", ("tests/none.py",))
    assert text.count("once") == said
    assert lost_places(fault, tmp_path) == ("code.py",)
    assert tried(fault, tmp_path) == "not applied"
    assert file.read_text(encoding="utf-8") == text
