"""`fonds archive`: which archives a host has, how one comes and how one leaves (R192)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from fonds.cli.options import JsonOption
from fonds.cli.output import note, one_line, progress_bar, say, show_json
from fonds.contract.failures import Busy, Failure, Misconfigured
from fonds.contract.outcomes import EXIT_DONE
from fonds.settings import read_settings
from fonds.wiring.hosting_desk import BEYOND_REACH, HostingDesk, ListedArchive, hosting_desk

archive_app = typer.Typer(
    help="Archives of a host: each a folder of FONDS_ARCHIVES, named by its slug.",
    no_args_is_help=True,
)


@archive_app.command("add")
def archive_add_command(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FOLDER...", help="Each archive's own folder, or its slug."),
    ],
    *,
    as_json: JsonOption = False,
) -> int:
    """Register archives with their names and terms, or renew them. Each file is checked first; one
    that cannot be used keeps no other out.
    """
    added: list[dict[str, object]] = []
    code = EXIT_DONE
    with hosting_desk(read_settings()) as desk:
        for path in paths:
            try:
                archive_id, config = desk.add(path)
            except (Misconfigured, Busy) as refused:
                note(f"fonds: {one_line(str(refused))}")
                code = code or refused.exit_code
                continue
            added.append({"id": archive_id, "slug": config.slug})
            if not as_json:
                say(f"{config.slug} is registered: fonds ingest, then fonds build")
    if as_json:
        show_json({"archives": added})
    return code


@archive_app.command("list")
def archive_list_command(*, as_json: JsonOption = False) -> None:
    """Every archive that is registered or has a folder: what is served, and what is amiss."""
    with hosting_desk(read_settings()) as desk:
        listed, removed = desk.archives(), desk.removals()
    if as_json:
        show_json(
            {
                "archives": [_shown(one) for one in listed],
                "removed": [
                    {
                        "id": one.archive_id,
                        "removedAt": one.removed_at.isoformat(),
                        "actor": one.actor,
                        "rows": one.row_count,
                    }
                    for one in removed
                ],
            }
        )
    else:
        say(*[_line(one) for one in listed] or ["no archive is registered"])


@archive_app.command("remove")
def archive_remove_command(
    slug: Annotated[str, typer.Argument(metavar="ARCHIVE", help="Its slug.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Erase without being asked.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Erase an archive: private and served rows, builds, keys, limits, jobs and records."""
    with hosting_desk(read_settings()) as desk:
        if not yes and not _is_confirmed(slug):
            note("nothing was removed")
            return Failure.exit_code
        gone = _removed(desk, slug)
    if as_json:
        show_json({"slug": slug, "rows": gone, "notReached": list(BEYOND_REACH)})
    else:
        say(f"{slug} is removed: {gone} rows", "not reached:")
        say(*(f"  {one}" for one in BEYOND_REACH))
    return 0


def _removed(desk: HostingDesk, slug: str) -> int:
    with progress_bar() as advance:
        return desk.remove(slug, on_portion=lambda gone: advance("erasing", gone, gone))


def _is_confirmed(slug: str) -> bool:
    """Asks for the name: what is removed does not come back."""
    if not sys.stdin.isatty():
        raise typer.BadParameter("nobody to ask: --yes erases without a question")
    return bool(typer.prompt("The archive's name, to erase it", err=True) == slug)


def _line(one: ListedArchive) -> str:
    known = one.standing
    if known is None:
        said = ["not registered: fonds archive add"]
    elif known.leaving_at is not None:
        said = ["being removed: fonds archive remove ends it"]
    else:
        built = "no build" if known.built_at is None else f"built {known.built_at:%Y-%m-%d %H:%M}"
        said = [
            built,
            f"{known.entity_count or 0} entities",
            f"{known.fragment_count or 0} fragments",
            f"{known.key_count} keys",
            "anonymous" if known.anonymous else "closed",
        ]
    if one.file is not None and one.file.reason is not None:
        said.append(f"not usable: {one.file.reason}")
    return one_line(one.slug) + "  " + ", ".join(said)


def _shown(one: ListedArchive) -> dict[str, object]:
    known, file = one.standing, one.file
    shown: dict[str, object] = {
        "slug": one.slug,
        "registered": known is not None,
        "usable": None if file is None else file.is_usable,
        "reason": None if file is None else file.reason,
    }
    if known is not None:
        shown |= {
            "id": known.archive_id,
            "leaving": known.leaving_at is not None,
            "anonymous": known.anonymous,
            "builtAt": None if known.built_at is None else known.built_at.isoformat(),
            "entityCount": known.entity_count,
            "fragmentCount": known.fragment_count,
            "keyCount": known.key_count,
        }
    return shown
