"""`fonds refusals`: what the engine declined and the figures that decided it."""

from __future__ import annotations

from typing import Annotated

import typer

from fonds.cli.options import ArchiveOption, JsonOption
from fonds.cli.output import say, show_json
from fonds.contract.failures import MisauthoredInput
from fonds.contract.refusal_page import KeptRefusal, RefusalPage, RefusalWish
from fonds.settings import read_settings
from fonds.wiring.opening import opened
from fonds.wiring.refusals import refusal_store

MOST = 1_000  # records a page

refusals_app = typer.Typer(
    help="Refusals: every question that was declined, by its reason and figures.",
    no_args_is_help=True,
)


@refusals_app.command("list")
def refusals_list_command(
    *,
    since: Annotated[
        int | None, typer.Option(help="Only of the last days.", min=1, max=36_500)
    ] = None,
    reason: Annotated[str | None, typer.Option(help="Only of this reason.")] = None,
    before: Annotated[int | None, typer.Option(help="Only older than this record.")] = None,
    limit: Annotated[int, typer.Option(help="At most so many records.", min=1, max=MOST)] = 20,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """Refusals, the newest first, and how many there are of each reason."""
    with opened(read_settings(), archive) as house:
        page = refusal_store(house).page(RefusalWish(limit, reason, since, before))
    if as_json:
        show_json(
            {
                "counts": dict(page.counts),
                "refusals": [_shown(one) for one in page.refusals],
                "older": page.older,
            }
        )
    else:
        say(*_lines(page))
    return 0


@refusals_app.command("show")
def refusals_show_command(
    refusal: Annotated[int, typer.Argument(help="An id as `fonds refusals list` shows it.")],
    *,
    archive: ArchiveOption = None,
    as_json: JsonOption = False,
) -> int:
    """One refusal with all its figures, and its question where those are kept."""
    with opened(read_settings(), archive) as house:
        found = refusal_store(house).one(refusal)
    if found is None:
        raise MisauthoredInput("no refusal of this archive has that id")
    if as_json:
        show_json(_shown(found))
        return 0
    say(_line(found), *(f"  {name}: {_figure(value)}" for name, value in found.record.items()))
    if found.question is not None:
        say(f"  question, until {found.question_until:%Y-%m-%d}: {found.question}")
    return 0


def _lines(page: RefusalPage) -> list[str]:
    lines = [_line(one) for one in page.refusals]
    lines += [f"{times} {reason}" for reason, times in page.counts.items()]
    lines += [f"older: --before {page.older}"] if page.older is not None else []
    return lines or ["no refusal is recorded"]


def _line(one: KeptRefusal) -> str:
    figures = one.record
    said = [
        f"best {_figure(figures.get('bestScore'))} {figures.get('bestRaw', '')}".rstrip(),
        f"coverage {_figure(figures.get('coverage'))}",
    ]
    return f"{one.refusal_id}  {one.refused_at:%Y-%m-%d %H:%M}  {one.reason}  {', '.join(said)}"


def _figure(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"  # pyright: ignore[reportUnknownArgumentType]
    return "none" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def _shown(one: KeptRefusal) -> dict[str, object]:
    """No key stands for what is not kept."""
    shown: dict[str, object] = {
        "id": one.refusal_id,
        "refusedAt": one.refused_at.isoformat(),
        "reason": one.reason,
        "record": dict(one.record),
    }
    if one.question is not None and one.question_until is not None:
        shown |= {"question": one.question, "questionUntil": one.question_until.isoformat()}
    return shown
