"""`fonds index`: an approximate index for a large archive, used while it misses nothing (R114)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import note, say, show_json
from fonds.contract.near_index import IndexShape, NearIndex
from fonds.contract.outcomes import EXIT_DONE, EXIT_FAILED
from fonds.evaluation.index_check import IndexCheck, check_json, check_lines
from fonds.settings import read_settings
from fonds.wiring.index_desk import IndexDesk
from fonds.wiring.opening import opened

index_app = typer.Typer(
    help="An approximate index: faster searches of a large archive, once it is admitted.",
    no_args_is_help=True,
)
_SHAPE = IndexShape()


@index_app.command("create")
def index_create_command(
    *,
    links: Annotated[int, typer.Option(help="Links a vector has in the graph.")] = _SHAPE.links,
    width: Annotated[int, typer.Option(help="Of the search that makes it.")] = _SHAPE.width,
    breadth: Annotated[int, typer.Option(help="Vectors a question looks at.")] = _SHAPE.breadth,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Make an index for the live build and the builds after it; one that misses hits is dropped,
    and the one before it made again.
    """
    with opened(read_settings(), archive) as house:
        check, made = IndexDesk(house).create(IndexShape(links, width, breadth))
    if made is None:
        otherwise = "dropped again"
    elif made.admitted:
        otherwise = "dropped again, and the one before it made again"
    else:
        otherwise = "dropped again, and the next build makes the one before it"
    return _shown(check, made, as_json=as_json, otherwise=otherwise)


@index_app.command("check")
def index_check_command(*, archive: ArchiveOption = None, as_json: JsonOption = False) -> int:
    """Measure the live build's index against an exact search; use it, or stop using it."""
    with opened(read_settings(), archive) as house:
        check, made = IndexDesk(house).check()
    return _shown(check, made, as_json=as_json, otherwise="kept, and not used")


@index_app.command("drop")
def index_drop_command(*, archive: ArchiveOption = None, as_json: JsonOption = False) -> None:
    """Drop the index of every kept build; searches are exact from then on."""
    with opened(read_settings(), archive) as house:
        dropped = IndexDesk(house).drop()
    if as_json:
        show_json({"dropped": dropped})
    else:
        say(f"{dropped} dropped, searches are exact")


def _shown(check: IndexCheck, made: NearIndex | None, *, as_json: bool, otherwise: str) -> int:
    if as_json:
        in_use = made is not None and made.admitted
        show_json({**check_json(check), **_size(made), "inUse": in_use})
    else:
        if made is not None and made.size is not None and made.admitted == check.admitted:
            each = made.size / max(made.vectors, 1)
            say(f"{made.vectors} public vectors, {made.size} bytes, {each:.0f} a vector")
        say(*check_lines(check), "admitted" if check.admitted else f"not admitted: {otherwise}")
    if not check.admitted:
        exact = "" if made is not None and made.admitted else "searches are exact; "
        note(f"{exact}a larger --breadth or --width finds more")
    return EXIT_DONE if check.admitted else EXIT_FAILED


def _size(made: NearIndex | None) -> Mapping[str, object]:
    return {} if made is None else {"vectors": made.vectors, "bytes": made.size}
