"""`fonds gate fit|measure|show`, and what asking says of the gate (R164, R168-R170, R196)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.archives import essay, written
from tests.cli.conftest import Ran

Fonds = Callable[..., Ran]
SECRET = "zeppelin"
ASKED = "Who taught me to fly kites on the dyke at Norden?"
KITES = "My aunt Ilse taught me to fly kites on the dyke at Norden in the spring of 1974."
OWN = (
    "questions:\n"
    '  - {id: held-1, kind: answerable, question: "Where did aunt Ilse fly kites in spring?"}\n'
    '  - {id: near-1, kind: near-miss, question: "Which colour had the kites of aunt Ilse?"}\n'
) + "".join(
    f'  - {{id: absent-{n}, kind: out-of-archive, question: "Which {SECRET} hangar {n}?"}}\n'
    for n in range(40)
)
HELD_OUT = """\
questions:
  - {id: other-1, kind: answerable, question: "Who taught me about kites at Norden?"}
  - {id: other-2, kind: out-of-archive, question: "How deep is the canal of Corinth?"}
"""


@pytest.fixture
def folder(tmp_path: Path, fonds: Fonds) -> Path:
    """One essay, served, with calibration questions of its own."""
    made = written(
        tmp_path / "archive",
        {"essays/on-kites.md": essay("On Kites", KITES)},
        gate='[evaluation]\ncalibration = "calibration.yaml"\n',
    )
    (made / "calibration.yaml").write_text(OWN, encoding="utf-8")
    (made / "held-out.yaml").write_text(HELD_OUT, encoding="utf-8")
    assert fonds("ingest", "--archive", made).code == 0
    ran = fonds("build", "--archive", made)
    assert (ran.code, "  gate: fitted" in ran.out) == (0, True)
    return made


def test_show_says_state_rule_promise_and_price(folder: Path, fonds: Fonds) -> None:
    """R168, R170: both kinds of false answer side by side, each with its interval."""
    ran = fonds("gate", "show", "--archive", folder)
    assert ran.code == 0
    assert ran.out.startswith("gate: fitted\n  rule: plain at 0.05: on average")
    assert "answerable refused: 0 of 1 (0.0%, 95% interval 0.0% to" in ran.out
    assert "near misses let through" in ran.out
    assert "out of the archive let through: 0 of" in ran.out
    shown = json.loads(fonds("gate", "show", "--json", "--archive", folder).out)
    assert (shown["state"], shown["source"], shown["weights"]) == ("fitted", "own", "bundled")
    assert shown["price"]["refusedAnswerable"]["of"] == 1
    assert SECRET not in ran.out + json.dumps(shown)


def test_a_strict_calibration_promises_otherwise(folder: Path, fonds: Fonds) -> None:
    """R168, R169: a changed rule is stale until the gate is fitted; too few are infinite."""
    with (folder / "archive.toml").open("a", encoding="utf-8") as file:
        file.write('[gate]\nrule = "strict"\n')
    assert fonds("gate", "show", "--archive", folder).out.startswith("gate: stale\n")
    assert "calibration_stale" in fonds("ask", ASKED, "--archive", folder).out
    ran = fonds("gate", "fit", "--archive", folder)
    assert ran.out.startswith("gate: infinite\n")
    assert "59 unanswerable questions are needed" in ran.out
    assert "with 95% confidence in this calibration" in ran.out
    ran = fonds("ask", ASKED, "--archive", folder)
    assert (ran.code, "calibration_infinite" in ran.out) == (3, True)


def test_measure_counts_held_out_questions_and_refuses_what_was_fitted(
    folder: Path, fonds: Fonds
) -> None:
    """R170: the price is stored, and an overlap is named by ids alone."""
    held_out = folder / "held-out.yaml"
    ran = fonds("gate", "measure", "--questions", held_out, "--json", "--archive", folder)
    assert json.loads(ran.out)["absentAnswered"] == {
        "count": 0,
        "of": 1,
        "low": 0.0,
        "high": 0.7935,
    }
    shown = json.loads(fonds("gate", "show", "--json", "--archive", folder).out)
    assert shown["price"] == json.loads(ran.out)
    ran = fonds("gate", "measure", "--questions", folder / "calibration.yaml", "--archive", folder)
    assert (ran.code, ran.out) == (2, "")
    assert "calibration question held-1 is calibration held-1 as well" in ran.err
    assert fonds("gate", "measure", "--archive", folder).code == 0


def test_an_explanation_says_what_the_gate_went_by(folder: Path, fonds: Fonds) -> None:
    """R164: signal and threshold, in an answer as in a refusal."""
    ran = fonds("ask", ASKED, "--explain", "--archive", folder)
    assert (ran.code, "  gate: state fitted, signal " in ran.out) == (0, True)
    explained = json.loads(fonds("ask", ASKED, "--explain", "--json", "--archive", folder).out)
    assert explained["gate"]["signal"] > explained["gate"]["threshold"]
    assert "gate" not in json.loads(fonds("ask", ASKED, "--json", "--archive", folder).out)


def test_floors_answer_for_a_stale_gate_only_where_the_owner_says_so(
    folder: Path, fonds: Fonds
) -> None:
    """R169: and then the reply says that the gate is off."""
    with (folder / "archive.toml").open("a", encoding="utf-8") as file:
        file.write('[gate]\nalpha = 0.1\nwhen_stale = "floors"\n')
    ran = fonds("ask", ASKED, "--explain", "--archive", folder)
    assert (ran.code, "  gate: state off" in ran.out) == (0, True)


@pytest.mark.parametrize("line", ["alpha = 0.0", "alpha = 0.9", 'rule = "loose"', "alhpa = 0.1"])
def test_a_gate_that_cannot_be_is_refused_by_name(folder: Path, fonds: Fonds, line: str) -> None:
    """R195."""
    with (folder / "archive.toml").open("a", encoding="utf-8") as file:
        file.write(f"[gate]\n{line}\n")
    ran = fonds("gate", "show", "--archive", folder)
    assert ran.code == 2
    assert "gate" in ran.err


def test_a_report_holds_what_was_promised_against_what_passed_the_same_twice(
    folder: Path, fonds: Fonds
) -> None:
    """R170, R173: on the stored questions without an answer; no word of one is told."""
    gold = f"queries:\n- {{id: kites, query: {ASKED!r}, expectAnswerMode: partial}}\n"
    (folder / "gold.yaml").write_text(gold, encoding="utf-8")
    terms = (folder / "archive.toml").read_text(encoding="utf-8")
    named = terms.replace("[evaluation]", '[evaluation]\ngold = "gold.yaml"')
    (folder / "archive.toml").write_text(named, encoding="utf-8")
    kept: list[str] = []
    for name in ("first", "second"):
        file = folder / "reports" / f"{name}.json"
        assert fonds("eval", "--full", "--report-to", file, "--archive", folder).code == 0
        report = json.loads(file.read_text("utf-8"))
        curve = report.pop("calibrationCurve")
        page = file.with_suffix(".html").read_text("utf-8")
        kept.append(json.dumps(curve) + page[page.index("What the gate promises") :])
    assert kept[0] == kept[1]
    assert (curve["source"], curve["rule"], curve["alpha"]) == ("own", "plain", 0.05)
    assert {one["of"] for one in curve["points"]} == {41}
    assert 0.05 in [one["alpha"] for one in curve["points"]]
    assert SECRET not in kept[0]
