"""`docs/jobs.md` and the units of `deploy/systemd` against the code (R191, R197)."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from fonds.archive_file import read_archive_file
from fonds.cli.main import app
from fonds.contract.job_queue import AttemptOutcome
from fonds.jobs.ending import BACKOFF_SECONDS, MOST_ATTEMPTS
from fonds.jobs.job_modules import job_modules
from fonds.jobs.worker import WorkerTerms
from fonds.settings import Settings
from tests.house.tree import ROOT

PAGE = (ROOT / "docs/jobs.md").read_text(encoding="utf-8")
UNITS = sorted((ROOT / "deploy/systemd").iterdir())
BIN = "/opt/fonds/bin/"
WORDS = {2: "two", 5: "five", 4: "four"}


def test_the_schedule_of_the_page_is_read(tmp_path: Path) -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    head = 'name = "A"\nauthor = "B"\nbase_url = "https://example.org"\n'
    (tmp_path / "archive.toml").write_text(head + block, encoding="utf-8")
    assert [job for job, _ in read_archive_file(tmp_path).schedule] == ["ingest", "build"]


def test_every_command_and_setting_of_the_page_exists() -> None:
    groups = {group.name: group.typer_instance for group in app.registered_groups}
    known = {f"fonds {command.name}" for command in app.registered_commands}
    for name, group in groups.items():
        assert group is not None
        known |= {f"fonds {name} {command.name}" for command in group.registered_commands}
    written = re.findall(r"`(fonds [^`]+)`", PAGE)
    named = [" ".join(re.findall(r"^fonds(?: [a-z]+)+", one)[0].split()) for one in written]
    assert len(named) > 10
    assert [name for name in named if not any(name.startswith(one) for one in known)] == []
    settings = {f"FONDS_{name.upper()}" for name in Settings.model_fields}
    assert set(re.findall(r"FONDS_[A-Z_]+", PAGE)) <= settings


def test_the_figures_of_the_page_are_those_of_the_code() -> None:
    minutes = [seconds // 60 for seconds in BACKOFF_SECONDS]
    assert f"after {minutes[0]}, {minutes[1]}, {minutes[2]} and {minutes[3]} minutes" in PAGE
    assert f"{WORDS[MOST_ATTEMPTS]} attempts, then a job has failed" in PAGE
    assert f"after {WORDS[WorkerTerms().stalled_after // 60]} minutes another worker" in PAGE
    assert (WorkerTerms().look, WorkerTerms().outage_longest) == (30.0, 60.0)


def test_every_outcome_of_the_page_is_one() -> None:
    told = set(re.findall(r'"outcome": "([a-z-]+)"', PAGE))
    assert told == {*get_args(AttemptOutcome)} - {"done", "given-back"}


def test_the_outcomes_of_the_code_are_those_of_the_database() -> None:
    """Two copies of one list, tied."""
    schema = (ROOT / "db/jobs.sql").read_text(encoding="utf-8")
    listed = schema.partition("an_outcome_is_known CHECK")[2].partition("exit_code")[0]
    assert set(re.findall(r"'([a-z-]+)'", listed)) == {*get_args(AttemptOutcome)}


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_starts_what_there_is(unit: Path) -> None:
    text = unit.read_text(encoding="utf-8")
    for line in re.findall(rf"^ExecStart={BIN}(.+)$", text, re.MULTILINE):
        program, *arguments = line.split()
        if program == "python":
            assert arguments[:2] == ["-P", "-m"]
            assert arguments[2] in job_modules().values()
            assert importlib.util.find_spec(arguments[2]) is not None
        else:
            assert (program, arguments) == ("fonds", ["jobs", "worker"])
    secrets = set(re.findall(r"LoadCredential=(\w+):", text))
    assert secrets <= {*Settings.model_fields, *(f"fonds_{name}" for name in Settings.model_fields)}
    assert unit.suffix == ".timer" or "NoNewPrivileges=yes" in text


def verified(folder: Path) -> str:
    """What systemd says of the units of a folder, with the programs of this installation."""
    for unit in folder.iterdir():
        programs = unit.read_text(encoding="utf-8").replace(BIN, f"{Path(sys.executable).parent}/")
        unit.write_text(programs, encoding="utf-8")
    named = [re.sub("@", "@example", str(unit)) for unit in sorted(folder.iterdir())]
    for template in list(folder.glob("*@.*")):
        shutil.copy(template, str(template).replace("@", "@example"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *named],
        capture_output=True,
        text=True,
        check=False,
    )
    return "\n".join(line for line in done.stderr.splitlines() if "fonds-" in line)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here")
def test_systemd_reads_the_units_and_would_see_a_slip(tmp_path: Path) -> None:
    right, wrong = tmp_path / "right", tmp_path / "wrong"
    for folder in (right, wrong):
        shutil.copytree(ROOT / "deploy/systemd", folder)
    assert verified(right) == ""
    slipped = wrong / "fonds-worker.service"
    slipped.write_text(slipped.read_text().replace("KillMode=", "KillMod="), encoding="utf-8")
    assert "KillMod" in verified(wrong)
