"""Whether archives that differ in what nobody may be told of are told apart, by word, size or time.

    python -m eval.trials.twins [--fragments 400] [--rounds 400] [--seconds 90] [--json FILE]

Twin archives are made from files on a temporary server and served by a `fonds serve` of their own
(`eval.trials.twins_archives` says what each holds). One caller asks all of them the same over HTTP,
in an order that is drawn anew each round: a search, a question that is answered, one on nothing
there is, and one on what is hidden in a twin. `bare` is compared with `none` without filters, with
`full` where private layers are filtered out, with `again`, which holds the same and shows what the
machine's own noise looks like, and with `loud`, which shows that a difference would be seen.
Replies are compared byte by byte but for what names archive, moment and request, and in the public
layers but for how much the index holds. Figures of time are explained in
`eval.trials.twins_figures`; `togetherOf` the kinds compares differences of all four. What the
server's processor was asked for is no figure of a caller's: it shows what a quieter one might see.

Prints a table; --json writes all. Exits with 1 where a twin is told otherwise than `bare`. No round
begins when so many seconds of asking are over, and the whole takes half a minute more; more rounds
see smaller differences.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from eval.trials.twins_archives import published, service
from eval.trials.twins_asked import CASES, KINDS, LAYERS, Layers, Told, asked_in_turn
from eval.trials.twins_figures import many, separation, tells, work
from fonds.store.embedded import running

_HEAD = (
    "layers",
    "kind",
    "bare with",
    "ms",
    "",
    "more, ms",
    "server's more",
    "auc",
    "best guess",
    "of 100",
)


def main() -> None:
    """Tries, prints a table, and leaves with 1 where a reply told twins apart."""
    parser = argparse.ArgumentParser(prog="python -m eval.trials.twins")
    parser.add_argument("--fragments", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--seconds", type=float, default=90)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    report = tried(asked.fragments, asked.rounds, asked.seconds)
    if asked.json is not None:
        asked.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(table(report))
    sys.exit(1 if any(report["replies"]["differ"].values()) else 0)


def tried(fragments: int, rounds: int, seconds: float) -> dict[str, Any]:
    """The whole report; server, service and archives are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="fonds-twins-") as made:
        folder = Path(made)
        with running(folder / "home") as server:
            published(server, folder / "archives", fragments)
            with service(server.home, folder / "archives") as port:
                told = asked_in_turn(port, server, fragments, rounds, seconds)
    return {"fragments": fragments, "rounds": told.rounds, **reported(told)}


def reported(told: Told) -> dict[str, Any]:
    """What was told and how long it took, of each case and each archive beside `bare`."""
    return {
        "replies": {
            "compared": dict(told.compared),
            "differ": dict(told.differ),
            "sizesDiffer": dict(told.sizes_differ),
            "modes": {name: dict(counts) for name, counts in told.modes.items()},
        },
        "times": {
            layers: {name: _beside_bare(told, layers, name) for name in names if name != "bare"}
            for layers, names in LAYERS.items()
        },
    }


def _beside_bare(told: Told, layers: Layers, name: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        kind: separation(told.seconds[layers, kind, "bare"], told.seconds[layers, kind, name])
        | work(told.worked[layers, kind, "bare"], told.worked[layers, kind, name])
        for kind in KINDS
    }
    bare, other = (
        np.concatenate([told.seconds[layers, kind, one] for kind in KINDS])
        for one in ("bare", name)
    )
    figures = [figure for kind in KINDS for figure in _chances(found[kind])]
    return found | {
        "togetherOf": many(bare, other)["paired"],
        "leaveAGuessOut": sum(tells(figure) for figure in figures),
        "ofFigures": len(figures),
    }


def _chances(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from (found["auc"], found["ofMany"]["median"], found["ofMany"]["tenth"], found["paired"])


def table(report: dict[str, Any]) -> str:
    """A line an archive and kind, and what all figures of an archive come to."""
    lines = ["  ".join(_HEAD)]
    for layers, kind in CASES:
        for name, found in report["times"][layers].items():
            lines.append("  ".join((layers, kind, name, *_cells(found[kind]))))
    lines.append("")
    for layers, others in report["times"].items():
        for name, found in others.items():
            together = found["togetherOf"]
            told = f"{found['leaveAGuessOut']} of {found['ofFigures']} intervals leave a guess out"
            paired = f"100 paired differences of all kinds {_spelled(together)}"
            lines.append(f"{layers} {name}: {told}; {paired}")
    replies = report["replies"]
    lines.append(f"{report['rounds']} rounds over {report['fragments']} public fragments")
    for name, count in replies["compared"].items():
        differ, sizes = replies["differ"][name], replies["sizesDiffer"][name]
        lines.append(f"{name}: {differ} of {count} replies differ, {sizes} in size")
    return "\n".join(lines) + "\n"


def _cells(found: dict[str, Any]) -> Iterator[str]:
    bare, other = found["medianMs"]
    yield f"{bare:.2f}  {other:.2f}"
    yield _spelled(found["differenceMs"])
    yield _spelled(found["serverDifferenceMs"])
    yield _spelled(found["auc"])
    yield f"{found['accuracy']:.3f}"
    yield " ".join(
        f"{name} {_spelled(figure)}"
        for name, figure in (*found["ofMany"].items(), ("paired", found["paired"]))
    )


def _spelled(figure: dict[str, Any]) -> str:
    low, high = figure["interval"]
    return f"{figure['value']:.2f} [{low:.2f}, {high:.2f}]"


if __name__ == "__main__":
    main()
