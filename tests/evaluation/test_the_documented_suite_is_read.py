"""The examples of `docs/evaluation.md` are what the engine reads (R180)."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from fonds.archive_file import read_archive_file
from fonds.cli.main import run
from fonds.evaluation.calibration_file import read_calibration
from fonds.wiring.watching import suite_of

PAGE = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text("utf-8")
ARCHIVE = 'name = "A"\nauthor = "Person A"\nbase_url = "https://example.org"\n'


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_suite_the_canaries_and_the_terms_are_read_as_they_stand(tmp_path: Path) -> None:
    gold, canaries, calibration = blocks("yaml")
    (tmp_path / "gold.yaml").write_text(gold, encoding="utf-8")
    (tmp_path / "canaries.yaml").write_text(canaries, encoding="utf-8")
    (tmp_path / "canaries.yaml").chmod(0o600)
    *suite_terms, gate_terms = blocks("toml")
    (tmp_path / "archive.toml").write_text(ARCHIVE + "\n".join(suite_terms), encoding="utf-8")
    config = read_archive_file(tmp_path)
    suite = suite_of(config)
    assert suite is not None
    assert [case.case_id for case in suite.cases] == ["kites", "debts", "telescope"]
    assert (len(suite.canaries), config.question_days) == (2, 30)
    keys = set(re.findall(r"`([a-zA-Z]+)`", PAGE.partition("| key |")[2].partition("\n\n")[0]))
    assert {"expectAnswerMode", "forbidSources", "requiresModel"} <= keys
    (tmp_path / "calibration.yaml").write_text(calibration, encoding="utf-8")
    (tmp_path / "archive.toml").write_text(ARCHIVE + gate_terms, encoding="utf-8")
    config = read_archive_file(tmp_path)
    assert config.calibration is not None
    asked = read_calibration(config.calibration, author=config.author)
    assert [one.kind for one in asked] == ["answerable", "near-miss", "out-of-archive"]
    assert (config.gate.enabled, config.gate.alpha, config.gate.rule) == (True, 0.05, "plain")


def test_every_command_of_the_page_takes_its_options(
    capsys: pytest.CaptureFixture[str],
) -> None:
    commands = [line for block in blocks("sh") for line in block.splitlines()]
    ours = [shlex.split(line, comments=True)[1:] for line in commands if line.startswith("fonds")]
    assert len(ours) == 6
    for command in ours:
        named = [word for word in command if not word.startswith("-")]
        options = {word for word in command if word.startswith("-")}
        assert run([*named[: 2 if named[:1] == ["refusals"] else 1], "--help"]) == 0
        shown = capsys.readouterr().out
        assert all(option in shown for option in options)
