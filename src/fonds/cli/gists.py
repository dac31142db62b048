"""`fonds gist`: descriptions the author authorises."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fonds.cli.gist_draft import gist_draft_command
from fonds.cli.gist_edits import (
    gist_edit_command,
    gist_review_command,
    gist_unveto_command,
    gist_veto_command,
)
from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import say, show_json
from fonds.contract.curator_store import HeldGist
from fonds.contract.failures import PublicSafeLintError
from fonds.ingestion.projections import standing_of, words_of
from fonds.settings import read_settings
from fonds.wiring.gists import GistDesk
from fonds.wiring.opening import opened

gist_app = typer.Typer(
    help="Gists: descriptions that may travel in place of a text.", no_args_is_help=True
)
gist_app.command("draft")(gist_draft_command)
gist_app.command("edit")(gist_edit_command)
gist_app.command("review")(gist_review_command)
gist_app.command("veto")(gist_veto_command)
gist_app.command("unveto")(gist_unveto_command)


@gist_app.command("list")
def gist_list_command(*, archive: ArchiveOption = None, as_json: JsonOption = False) -> int:
    """Every fragment that asks to be described or holds a gist, and what is served of it."""
    with opened(read_settings(), archive) as house:
        held = GistDesk(house).held()
    if as_json:
        show_json({"gists": [_described(one) for one in held]})
        return 0
    say(*(_line(one) for one in held))
    servable = sum(standing_of(one) == "servable" for one in held)
    say(f"{len(held)} fragment(s), {servable} servable")
    return 0


@gist_app.command("show")
def gist_show_command(
    fragment: Annotated[str, typer.Argument(help="An id as `fonds gist list` shows it.")],
    *,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """One gist with its words, or the draft that failed, for the author's eyes."""
    with opened(read_settings(), archive) as house:
        held = GistDesk(house).one(fragment)
    words = None if held.projection is None else words_of(held.projection)
    if as_json:
        passed = held.projection is not None and held.projection.lint == "passed"
        show_json(_described(held) | {"gist" if passed else "draft": words})
    else:
        say(_line(held), *([words] if words else []))
    return 0


@gist_app.command("lint")
def gist_lint_command(
    *,
    words: Annotated[int, typer.Option("--words", min=1, help="The window to try.")],
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Try the lint at another window and count what it would catch; nothing is changed."""
    with opened(read_settings(), archive) as house:
        trips = GistDesk(house).trips(words)
    gists = sum(len(one.tripped) for one in trips)
    metadata = sum(one.metadata for one in trips)
    if as_json:
        entities = [one.as_json() for one in trips]
        totals = {"words": words, "gistTrips": gists, "metadataTrips": metadata}
        show_json(totals | {"entities": entities})
        return 0
    for one in trips:
        if one.tripped or one.metadata:
            say(
                f"{one.entity_id}: {len(one.tripped)} of {one.gists} gist(s),"
                f" {one.metadata} string(s) of the metadata"
            )
            say(*(f"  {fragment_id}: {reason}" for fragment_id, reason in one.tripped))
    say(f"at {words} words {gists} gist(s) and {metadata} other string(s) would be refused")
    return 0


@gist_app.command("export")
def gist_export_command(
    file: Annotated[Path, typer.Argument(help="Where to; private material, yours alone to read.")],
    *,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Write every gist and draft to a file that `fonds gist import` takes."""
    with opened(read_settings(), archive) as house:
        count = GistDesk(house).export(file)
    if as_json:
        show_json({"exported": count})
    else:
        say(f"{count} gist(s) exported; the file is private material")
    return 0


@gist_app.command("import")
def gist_import_command(
    *,
    file: Annotated[
        Path | None, typer.Argument(help="Gist file; default: what the archive file names.")
    ] = None,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Lint and store hand-written gists; a build serves those that pass once you accept them."""
    with opened(read_settings(), archive) as house:
        done = house.import_gists(file)
    if as_json:
        show_json(done.as_json())
    else:
        refused = len(done.refused)
        say(f"{done.written} gist(s) stored, {done.unchanged} unchanged, {refused} refused")
        say(*(f"  {fragment_id}: {reason}" for fragment_id, reason in done.refused))
    return PublicSafeLintError.exit_code if done.refused else 0


def _line(held: HeldGist) -> str:
    base = None if held.projection is None else held.projection.base
    made = "" if base is None else f" ({base.source}, {base.review})"
    return f"{held.fragment_id}: {standing_of(held)}{made}"


def _described(held: HeldGist) -> dict[str, object]:
    """Everything about a gist but its words."""
    described: dict[str, object] = {
        "fragment": held.fragment_id,
        "exposure": held.exposure,
        "standing": standing_of(held),
    }
    if held.projection is None:
        return described
    base = held.projection.base
    return described | {
        "source": base.source,
        "review": base.review,
        "lint": held.projection.lint,
        "vetoed": base.vetoed,
        "stale": base.stale,
        "model": base.model,
        "promptVersion": base.prompt_version,
        "generatedAt": base.generated_at,
    }
