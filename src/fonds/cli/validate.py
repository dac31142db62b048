"""`fonds validate`: every stored verdict earned again, and the proof of the serving role's
weakness.
"""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import say, show_json
from fonds.settings import read_settings
from fonds.wiring.opening import opened


def validate_command(
    *,
    role: Annotated[
        Literal["reader", "host", "queue"] | None,
        typer.Option("--role", help="Prove one role only: what it may do, and nothing else."),
    ] = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check private rows, served rows and the reader's role; exit 4 names what breaks a rule.

    With a role, that login alone is proved to have no power beyond its duty, premise by premise.
    """
    with opened(read_settings(), archive) as house:
        proof = house.prove(role or "reader")
        checked = None if role else house.validate()
    if as_json:
        premises = {premise.name: premise.holds for premise in proof.premises}
        build = checked.as_json() if checked else None
        show_json({"role": proof.role, "premises": premises, "build": build})
        return
    say(*(f"{proof.role}: {one.name} holds: {one.sentence}" for one in proof.premises))
    if checked:
        say(f"private and served rows: sound ({checked.fragments} fragments may be served)")
