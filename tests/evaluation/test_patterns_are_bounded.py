"""Patterns of the author on answers nobody has seen yet (R180)."""

from __future__ import annotations

import subprocess
import time
from typing import Any, cast

import pytest

from fonds.evaluation.patterns import matches, pattern_trouble


def test_case_is_ignored_in_any_script() -> None:
    """R180."""
    assert matches(["ÉTÉ", "二百", "^winter"], "L'été dure 二百 jours.") == (True, True, False)


def test_a_pattern_without_an_end_is_given_up_in_time() -> None:
    """R180 [H]: regexes run with a time bound."""
    began = time.monotonic()
    assert matches(["(a+)+$"], "a" * 40 + "b", seconds=0.5) == (None,)
    assert time.monotonic() - began < 20
    assert matches(["b"], "a" * 40 + "b") == (True,)


def test_what_breaks_the_matching_process_is_no_verdict() -> None:
    """An undecided pattern is never taken for one that did not match."""
    assert matches(["("], "a") == (None,)


def test_answer_and_pattern_stand_in_no_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """R097: what another user of the machine may list."""
    commands: list[list[str]] = []
    run = subprocess.run

    def watched(command: list[str], **options: Any) -> object:  # noqa: ANN401  passed through
        commands.append(command)
        return cast("object", run(command, **options))

    monkeypatch.setattr(subprocess, "run", watched)
    assert matches(["zebrawood"], "A zebrawood box.") == (True,)
    assert len(commands) == 1
    assert "zebrawood" not in " ".join(commands[0])


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "(?P<n>a)(?P<n>b)", "[[a]", "(" * 900])
def test_a_pattern_that_does_not_compile_is_told_without_its_text(pattern: str) -> None:
    """R180."""
    assert pattern_trouble(pattern) == "not a regular expression"


def test_a_usable_pattern_has_no_trouble() -> None:
    assert pattern_trouble(r"^\s*(yes|no)\b") is None
