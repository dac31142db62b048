"""`fonds preview`: what would travel, shown to its author before it does."""

from __future__ import annotations

from typing import Annotated

import typer

from fonds.build.build_report import difference_json, difference_lines, waiting_lines
from fonds.build.preview import Previewed
from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import note, say, show_json
from fonds.settings import read_settings
from fonds.wiring.opening import opened


def preview_command(
    entities: Annotated[
        list[str] | None, typer.Argument(metavar="ENTITY", help="Only these entities.")
    ] = None,
    *,
    diff: Annotated[
        bool, typer.Option("--diff", help="Only what differs from the live build.")
    ] = False,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """What the next build would let travel of each fragment, and why not more; nothing is kept."""
    shown = _Shown(quiet=diff or as_json)
    with opened(read_settings(), archive) as house:
        difference = house.preview(
            entities or (),
            on_fragment=shown.take,
            progress=lambda step: note(f"preview: {step}"),
        )
    if as_json:
        fragments = {} if diff else {"fragments": [_described(one) for one in shown.seen]}
        show_json(fragments | difference_json(difference.changes, difference.waiting))
        return 0
    if diff:
        named = frozenset(entities or ())
        changes = tuple(one for one in difference.changes if not named or one.entity_id in named)
        say(*difference_lines(changes, most=None))
        say(*waiting_lines(difference.waiting, most=None))
    elif entities and not shown.seen_any:
        note("no such entity")
    return 0


class _Shown:
    """Prints fragments as they come, below their entity; holds them only where JSON is asked."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self.seen: list[Previewed] = []
        self.seen_any = False
        self._entity = ""

    def take(self, one: Previewed) -> None:
        self.seen_any = True
        if self.quiet:
            self.seen.append(one)
            return
        row = one.row
        if row.entity_id != self._entity:
            self._entity = row.entity_id
            say(f"{row.entity_id} ({row.raw}): {row.title} <{row.url}>")
        says = "nothing" if row.shows is None else row.shows.exposure
        because = "" if one.reason is None else f" ({one.reason})"
        say(f"  {row.fragment_id}: {says}{because}: {row.label}")
        if row.gist is not None:
            say(f"    {row.gist}")


def _described(one: Previewed) -> dict[str, object]:
    row = one.row
    return {
        "entity": row.entity_id,
        "raw": row.raw,
        "title": row.title,
        "url": row.url,
        "fragment": row.fragment_id,
        "label": row.label,
        "asks": row.asks,
        "shows": None if row.shows is None else row.shows.exposure,
        "gist": row.gist,
        "reason": one.reason,
    }
