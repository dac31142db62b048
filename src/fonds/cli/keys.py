"""`fonds key`: keys of an archive, minted, listed and revoked by its host (R192)."""

from __future__ import annotations

import re
import sys
from datetime import datetime
from typing import Annotated, Final, TypeAlias, get_args

import typer

from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import note, say, show_json
from fonds.contract.kept_key import KeptKey
from fonds.contract.key_scope import KeyScope
from fonds.settings import read_settings
from fonds.wiring.hosting_desk import hosting_desk, named_slug

LABEL_SHAPE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}")  # as the database has it
LONGEST_DAYS: Final = 3_650
LONGEST_LINE: Final = 4_096

SlugArgument: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="ARCHIVE",
        help="Its slug. Left out: the archive of the file, where FONDS_ARCHIVES is not set.",
    ),
]

key_app = typer.Typer(
    help="Keys that let a caller in at one archive: shown once, kept as a digest.",
    no_args_is_help=True,
)


@key_app.command("mint")
def key_mint_command(
    slug: SlugArgument = None,
    *,
    scope: Annotated[list[str], typer.Option(help="What it opens; may be given again.")],
    label: Annotated[str, typer.Option(help="Your word for whoever gets it.")] = "key",
    days: Annotated[
        int | None, typer.Option(help="It ends after so many.", min=1, max=LONGEST_DAYS)
    ] = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key. It is printed once, and kept by nobody here: pass it on, then forget it."""
    if not LABEL_SHAPE.fullmatch(label):
        raise typer.BadParameter("a label is 1 to 64 letters, digits, spaces, dots and hyphens")
    settings = read_settings()
    scopes = _scopes(scope)
    with hosting_desk(settings) as desk:
        key, kept = desk.mint(named_slug(settings, slug, archive), scopes, label, days)
    if as_json:
        show_json({"key": key.text} | _shown(kept))
        return
    say(key.text)
    note(f"key {kept.key_id}, {_ending(kept)}: it is not shown again")


def _scopes(written: list[str]) -> tuple[KeyScope, ...]:
    """The scopes named, once each; typer takes no list of literals."""
    known = get_args(KeyScope)
    if not set(written) <= set(known):
        raise typer.BadParameter(f"a scope is one of {', '.join(known)}")
    return tuple(scope for scope in known if scope in written)


@key_app.command("list")
def key_list_command(
    slug: SlugArgument = None, *, archive: ArchiveOption = None, as_json: JsonOption = False
) -> None:
    """Every key the archive ever had: what it opens, until when. No key and no digest."""
    settings = read_settings()
    with hosting_desk(settings) as desk:
        keys = desk.keys(named_slug(settings, slug, archive))
    if as_json:
        show_json({"keys": [_shown(one) for one in keys]})
        return
    say(
        *(
            f"{one.key_id}  {one.label}  {' '.join(one.scopes)}"
            f"  minted {one.minted_at:%Y-%m-%d}  {_ending(one)}"
            for one in keys
        )
        if keys
        else ("no key was ever minted for this archive",)
    )


@key_app.command("find")
def key_find_command(*, as_json: JsonOption = False) -> None:
    """Whose key this is: reads it from stdin, so that it stands in no list of commands."""
    if sys.stdin.isatty():
        note("the key, then Enter:")
    text = sys.stdin.readline(LONGEST_LINE).strip()
    with hosting_desk(read_settings()) as desk:
        slug, key_id = desk.find(text)
    if as_json:
        show_json({"archive": slug, "id": key_id})
    else:
        say(f"key {key_id} of {slug}: fonds key revoke {slug} {key_id}")


@key_app.command("revoke")
def key_revoke_command(
    words: Annotated[
        list[str],
        typer.Argument(metavar="[ARCHIVE] ID", help="An id as `fonds key list` shows it."),
    ],
    *,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> None:
    """From this moment on the key opens nothing, for good."""
    slug, written = (None, words[0]) if len(words) == 1 else (words[0], words[-1])
    if len(words) > 2 or not re.fullmatch(r"[0-9]{1,18}", written):
        raise typer.BadParameter("one id, after the archive's slug where many are hosted")
    settings = read_settings()
    with hosting_desk(settings) as desk:
        was_valid = desk.revoke(named_slug(settings, slug, archive), int(written))
    if as_json:
        show_json({"id": int(written), "revoked": True, "changed": was_valid})
    else:
        say(f"key {written} is revoked" if was_valid else f"key {written} was revoked before")


def _ending(key: KeptKey) -> str:
    if key.revoked_at is not None:
        return f"revoked {key.revoked_at:%Y-%m-%d}"
    return "no end" if key.expires_at is None else f"until {key.expires_at:%Y-%m-%d}"


def _shown(key: KeptKey) -> dict[str, object]:
    return {
        "id": key.key_id,
        "label": key.label,
        "scopes": list(key.scopes),
        "mintedAt": key.minted_at.isoformat(),
        "expiresAt": _at(key.expires_at),
        "revokedAt": _at(key.revoked_at),
    }


def _at(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
