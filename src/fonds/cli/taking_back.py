"""`fonds expose`, `fonds forget`, `fonds audit`: what the author takes back, and what was noted."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Final, cast

import typer

from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import note, say, show_json
from fonds.contract.audit_entry import AuditEntry
from fonds.contract.failures import Failure
from fonds.contract.tightening import Tightening, TightExposure
from fonds.contract.tombstone import Tombstone
from fonds.settings import read_settings
from fonds.wiring.opening import opened
from fonds.wiring.taking_back import AuthorDesk, TakenBack

AS_FILE: Final = "as-file"
AS_ASKED: Final = "as the file asks, once a build serves it: fonds preview --diff"
TIGHT: Final = ("none", "locator")
WIDE: Final = ("text", "semantic")
MOST_SHOWN = 10_000


def expose_command(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FRAGMENT none|locator|as-file",
            help="Ids as `fonds preview` shows them, and what they are held to.",
        ),
    ] = None,
    *,
    listed: Annotated[
        bool, typer.Option("--list", help="What is held to less than its file may ask.")
    ] = False,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show less of a fragment than its file asks, from this moment on and in every kept build."""
    if listed:
        if words:
            raise typer.BadParameter("--list takes no fragment")
        return _list_tightenings(archive, as_json=as_json)
    ids, asked = _asked(words or [])
    with opened(read_settings(), archive) as house:
        desk = AuthorDesk(house)
        done = (
            desk.lift(ids) if asked == AS_FILE else desk.tighten(ids, cast("TightExposure", asked))
        )
    if as_json:
        show_json(done.as_json())
    else:
        verb = AS_ASKED if asked == AS_FILE else f"held to {asked}"
        say(f"{len(done.changed)} fragment(s) {verb}; {done.unchanged} unchanged")
        say(*(f"  {one}: {reason}" for one, reason in done.refused))
    return _exit_code(done)


def forget_command(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="FRAGMENT|ENTITY", help="As `fonds forget` lists them."),
    ] = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Erase without being asked.")] = False,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """List what is remembered of private fragments that are gone; with ids, erase it."""
    with opened(read_settings(), archive) as house:
        desk = AuthorDesk(house)
        if not ids:
            _show_tombstones(desk.tombstones(), as_json=as_json)
            return 0
        if not yes and not _is_confirmed(len(desk.tombstones(ids))):
            note("nothing was erased")
            return Failure.exit_code
        done = desk.forget(ids)
    if as_json:
        show_json(done.as_json())
    else:
        say(f"{len(done.changed)} tombstone(s) erased")
        say(*(f"  {one}: {reason}" for one, reason in done.refused))
    return _exit_code(done)


def audit_command(
    *,
    last: Annotated[
        int, typer.Option("--last", min=1, max=MOST_SHOWN, help="How many entries.")
    ] = 50,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> None:
    """Who vetoed, withdrew, published or forgot what, and when: ids, oldest of them first."""
    with opened(read_settings(), archive) as house:
        entries = AuthorDesk(house).audit(last)
    if as_json:
        show_json({"entries": [_entry_json(one) for one in entries]})
    else:
        say(*(f"{_at(e.noted_at)}  {e.actor}  {e.action}  {e.subject}" for e in entries))


def _asked(words: list[str]) -> tuple[list[str], str]:
    """The ids and the one word that says what becomes of them; an id always holds '#'."""
    said = [one for one in words if "#" not in one]
    if any(one in WIDE for one in said):
        raise typer.BadParameter(
            "only none and locator: what may show more is the file's to say, and as-file lets it"
        )
    if len(said) != 1 or said[0] not in (*TIGHT, AS_FILE) or len(words) == 1:
        raise typer.BadParameter("fragment ids, and one of none, locator and as-file")
    return [one for one in words if "#" in one], said[0]


def _is_confirmed(count: int) -> bool:
    if not sys.stdin.isatty():
        raise typer.BadParameter("erasing needs --yes where nobody can be asked")
    return typer.confirm(f"Erase {count} tombstone(s), vetoes included?", err=True)


def _list_tightenings(archive: ArchiveOption, *, as_json: bool) -> int:
    with opened(read_settings(), archive) as house:
        held = AuthorDesk(house).tightenings()
    if as_json:
        show_json({"held": [_tightening_json(one) for one in held]})
    else:
        say(*(_tightening_line(one) for one in held), f"{len(held)} fragment(s) held to less")
    return 0


def _show_tombstones(found: Sequence[Tombstone], *, as_json: bool) -> None:
    if as_json:
        show_json({"tombstones": [_tombstone_json(one) for one in found]})
    else:
        say(*(_tombstone_line(one) for one in found), f"{len(found)} tombstone(s)")


def _exit_code(done: TakenBack) -> int:
    return Failure.exit_code if done.refused else 0


def _tightening_line(held: Tightening) -> str:
    asks = "not stored" if held.file_exposure is None else f"its file asks {held.file_exposure}"
    return f"{held.fragment_id}: {held.exposure} since {_at(held.tightened_at)} ({asks})"


def _tightening_json(held: Tightening) -> dict[str, object]:
    return {
        "fragment": held.fragment_id,
        "exposure": held.exposure,
        "fileExposure": held.file_exposure,
        "since": held.tightened_at.astimezone(UTC).isoformat(),
    }


def _tombstone_line(one: Tombstone) -> str:
    veto = ", vetoed" if one.vetoed else ""
    return f"{one.fragment_id}: {one.exposure}{veto}, removed {_at(one.removed_at)}"


def _tombstone_json(one: Tombstone) -> dict[str, object]:
    return {
        "fragment": one.fragment_id,
        "entity": one.entity_id,
        "exposure": one.exposure,
        "vetoed": one.vetoed,
        "removedAt": one.removed_at.astimezone(UTC).isoformat(),
    }


def _entry_json(entry: AuditEntry) -> dict[str, object]:
    return {
        "at": entry.noted_at.astimezone(UTC).isoformat(),
        "actor": entry.actor,
        "action": entry.action,
        "subject": entry.subject,
    }


def _at(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%MZ}"
