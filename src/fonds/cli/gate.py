"""`fonds gate`: the calibrated threshold below which no model is called (R168-R170)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast

import typer

from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import say, show_json
from fonds.evaluation.gate_report import calibration_json, gate_lines, price_json, price_lines
from fonds.settings import read_settings
from fonds.wiring.gates import GateDesk
from fonds.wiring.opening import opened

gate_app = typer.Typer(
    help="The gate: what has to stand in the archive before an answer is written.",
    no_args_is_help=True,
)


@gate_app.command("fit")
def gate_fit_command(*, archive: ArchiveOption = None, as_json: JsonOption = False) -> int:
    """Read the calibration questions, ask them of the live build and set its threshold."""
    with opened(read_settings(), archive) as house:
        desk = GateDesk(house)
        done = desk.fit()
        state, calibration = desk.shown()
    if as_json:
        show_json(done)
        return 0
    say(*gate_lines(state, calibration))
    for name in cast("list[str]", done["rose"]):
        say(f"  question {name} passes now: does the archive answer it?")
    return 0


@gate_app.command("measure")
def gate_measure_command(
    *,
    questions: Annotated[
        Path | None,
        typer.Option(help="Held-out questions; default: those the calibration left for this."),
    ] = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Count on held-out questions what the gate refuses and what it lets through, and store it."""
    with opened(read_settings(), archive) as house:
        price = GateDesk(house).measure(questions)
    if as_json:
        show_json(price_json(price))
    else:
        say(*price_lines(price))
    return 0


@gate_app.command("show")
def gate_show_command(*, archive: ArchiveOption = None, as_json: JsonOption = False) -> int:
    """State, rule, promise and price of the live build's gate."""
    with opened(read_settings(), archive) as house:
        state, calibration = GateDesk(house).shown()
    if as_json:
        show_json(calibration_json(state, calibration))
    else:
        say(*gate_lines(state, calibration))
    return 0
