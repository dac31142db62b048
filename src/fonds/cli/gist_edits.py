"""`fonds gist edit|review|veto|unveto`: what changes a gist by the author's hand (R084)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import say, show_json
from fonds.contract.failures import Failure, MisauthoredInput, PublicSafeLintError
from fonds.ingestion.curating import NO_GIST, NOT_HELD
from fonds.ingestion.gist_changes import GistChanges
from fonds.settings import read_settings
from fonds.wiring.gists import GistDesk
from fonds.wiring.opening import opened

LONGEST_GIST_FILE = 64 * 1024

IdsArgument: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="FRAGMENT", help="Ids as `fonds gist list` shows them.")
]


def gist_edit_command(
    fragment: Annotated[str, typer.Argument(help="An id as `fonds preview` shows it.")],
    *,
    file: Annotated[Path | None, typer.Option("--file", help="A file that holds the gist.")] = None,
    text: Annotated[str | None, typer.Option("--text", help="The gist itself.")] = None,
    reviewed: Annotated[
        bool, typer.Option("--reviewed", help="Reviewed as well as edited.")
    ] = False,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Put your own words in the place of a gist; what fails the lint is kept as your draft."""
    words = _words(file, text)
    with opened(read_settings(), archive) as house:
        done = GistDesk(house).edit(fragment, words, reviewed=reviewed)
    return shown_changes(done, "edited", as_json=as_json)


def gist_review_command(
    fragments: IdsArgument, *, archive: ArchiveOption = None, as_json: JsonOption = False
) -> int:
    """Say that gists describe their texts as these stand; a stale one travels again."""
    with opened(read_settings(), archive) as house:
        done = GistDesk(house).review(tuple(fragments))
    return shown_changes(done, "reviewed", as_json=as_json)


def gist_veto_command(
    fragments: IdsArgument, *, archive: ArchiveOption = None, as_json: JsonOption = False
) -> int:
    """Withhold gists from this moment on, in every kept build."""
    with opened(read_settings(), archive) as house:
        done = GistDesk(house).veto(tuple(fragments), vetoed=True)
    return shown_changes(done, "vetoed", as_json=as_json)


def gist_unveto_command(
    fragments: IdsArgument, *, archive: ArchiveOption = None, as_json: JsonOption = False
) -> int:
    """Lift a veto; a build serves what passes once you accept it."""
    with opened(read_settings(), archive) as house:
        done = GistDesk(house).veto(tuple(fragments), vetoed=False)
    return shown_changes(done, "no longer vetoed", as_json=as_json)


def shown_changes(done: GistChanges, verb: str, *, as_json: bool) -> int:
    """Prints what was done; 4 where words broke the lint, 1 where an id held nothing."""
    if as_json:
        show_json(done.as_json())
    else:
        refused = len(done.refused)
        say(f"{done.written} gist(s) {verb}, {done.unchanged} unchanged, {refused} refused")
        say(*(f"  {fragment_id}: {reason}" for fragment_id, reason in done.refused))
    if any(reason not in (NOT_HELD, NO_GIST) for _, reason in done.refused):
        return PublicSafeLintError.exit_code
    return Failure.exit_code if done.refused else 0


def _words(file: Path | None, text: str | None) -> str:
    if (file is None) == (text is None):
        raise typer.BadParameter("one of --file and --text is needed")
    if text is not None:
        return text
    assert file is not None  # noqa: S101 - one of the two is given
    try:
        if file.stat().st_size > LONGEST_GIST_FILE:
            raise MisauthoredInput(f"{file.name}: larger than {LONGEST_GIST_FILE} bytes")
        # An editor ends a file with a line break, which no gist has.
        return file.read_text(encoding="utf-8-sig").rstrip("\r\n")
    except OSError:
        raise MisauthoredInput(f"{file.name}: cannot be read") from None
    except UnicodeDecodeError:
        raise MisauthoredInput(f"{file.name}: not UTF-8") from None
