"""Everything ends as one table says, for a command and over HTTP (R196)."""

from __future__ import annotations

import ast
import importlib
from typing import get_args

import pytest

from fonds.contract import failures, outcomes
from fonds.contract.failures import Failure, NotAdmitted, TooMany
from fonds.contract.outcomes import FAILURES, NOT_ADMITTED, REFUSALS, kind_outcome, outcome_of
from fonds.contract.refusal_reason import RefusalReason
from tests.house.tree import ROOT, python_files, relative

CODES = {name: code for name, code in vars(outcomes).items() if name.startswith("EXIT_")}


def _kinds(kind: type[Failure]) -> set[type[Failure]]:
    return {kind}.union(*(_kinds(below) for below in kind.__subclasses__()))


def test_every_reason_of_a_refusal_has_its_row() -> None:
    assert set(REFUSALS) == set(get_args(RefusalReason))


def test_every_way_of_not_being_admitted_has_its_row() -> None:
    ways = (NotAdmitted("no-key"), NotAdmitted("no-archive"), NotAdmitted("no-scope"))
    assert [outcome_of(way).status for way in ways] == [401, 404, 403]
    assert set(NOT_ADMITTED) == {way.why for way in ways}


def test_every_failure_of_the_contract_has_a_row_of_its_own() -> None:
    """Those of a stage or an adapter end as their ancestor does."""
    named = {kind for kind in _kinds(Failure) if kind.__module__ == "fonds.contract.failures"}
    assert set(FAILURES) == named


def test_what_an_author_wrote_wrong_is_a_defect_to_callers_alone() -> None:
    """At the desk it is the author's to mend; every other failure ends there as it does here."""
    told = {kind: (ends.status, ends.at_desk) for kind, ends in FAILURES.items()}
    apart = {kind: both for kind, both in told.items() if both[0] != both[1]}
    assert apart == {
        failures.MisauthoredInput: (500, 422),
        failures.MisauthoredFile: (500, 422),
        failures.PublicSafeLintError: (500, 422),
        failures.IllegalDisclosure: (500, 422),
        failures.AcceptanceNeeded: (500, 409),
    }


def test_no_failure_brings_a_code_of_its_own() -> None:
    """A code written into a class would be a second table."""
    written = [
        f"{relative(file)}:{node.lineno}"
        for file in python_files("src", "ingest_jobs")
        for owner in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(owner, ast.ClassDef)
        for node in owner.body
        if isinstance(node, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == "exit_code" for t in node.targets)
    ]
    assert written == []


@pytest.mark.parametrize("module", ["fonds.ingestion.report", "fonds.store.revision"])
def test_a_failure_of_a_stage_ends_as_its_ancestor(module: str) -> None:
    importlib.import_module(module)
    below = {kind for kind in _kinds(Failure) if kind.__module__ == module}
    assert below
    for kind in below:
        assert kind_outcome(kind) == FAILURES[next(k for k in kind.__mro__ if k in FAILURES)]
        assert kind.exit_code == kind_outcome(kind).exit_code


def test_a_failure_knows_the_code_of_its_row() -> None:
    assert (TooMany("day", 1).exit_code, TooMany.exit_code, Failure("x").exit_code) == (69, 69, 1)


def test_every_code_is_explained_on_the_page_of_commands_and_no_other() -> None:
    page = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip() for line in page.split("\n\n")[2].splitlines()[2:]]
    assert [int(row) for row in rows] == sorted(CODES.values())
