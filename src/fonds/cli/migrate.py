"""`fonds migrate`: roles with an administrator's URL, then the schema to head."""

from __future__ import annotations

from typing import Annotated

import typer

from fonds.cli.options import JsonOption
from fonds.cli.output import note, say, show_json
from fonds.settings import read_settings
from fonds.wiring.migrations import QUEUE_REMEDY, migrate_server


def migrate_command(
    *,
    roles: Annotated[
        bool,
        typer.Option(
            "--roles", help="Create roles, database and extension with FONDS_ADMIN_URL first."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Bring the database to the revision this version needs. A second run changes nothing."""
    done = migrate_server(read_settings(), roles=roles)
    if done.queue is None:
        note(
            f"no job queue: its library is not installed ({QUEUE_REMEDY}, then fonds migrate again)"
        )
    if done.keyless:
        note(
            f"no scope key was given for {', '.join(done.keyless)}: they keep what they have, and"
            " read no archive without one (FONDS_SCOPE_KEY)"
        )
    if as_json:
        show_json(
            {
                "revision": done.revision,
                "queue": done.queue,
                "roles": roles,
                "embeddedHome": done.embedded_home,
                "withoutScopeKey": list(done.keyless),
            }
        )
        return
    where = f"embedded server in {done.embedded_home}" if done.embedded_home else "server by URL"
    say(f"{where}: at revision {done.revision}")
