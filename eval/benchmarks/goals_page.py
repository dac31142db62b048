"""The report of a run of benchmarks as one page: no script, no request, light and dark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eval.benchmarks.judging import Judged, counts
from fonds.evaluation.drawing import BLUE, INK, ORANGE, blank_figure, can_plot, ruled, svg_of
from fonds.evaluation.markup import Markup, drawn, element, joined, table, whole_page

WITHOUT_PLOTS = "No plot: matplotlib is not installed. The extra `eval` brings it."
QUICK = (
    "A quick run: sizes are so small that no figure says anything of the goals. It shows that every"
    " way works."
)
HOW = (
    "Ratios compare what was interleaved in one run on one machine; carry them, and measure seconds"
    " again where you are."
)
_HEAD = ("what", "measured", "goal", "", "command")


def goals_page(rows: Sequence[Judged], terms: Mapping[str, object], *, quick: bool) -> str:
    """Every row with its command, missed ones marked, and under which terms they came about."""
    told = counts(rows)
    said = ", ".join(f"{number} {kind}" for kind, number in told.items())
    parts = (
        element("p", element("strong", f"{said}.")),
        element("p", QUICK, class_="bad") if quick else Markup(""),
        element("p", HOW, class_="quiet"),
        _plot(rows),
        *(_of_benchmark(name, rows) for name in dict.fromkeys(row.benchmark for row in rows)),
        element("h2", "Measured on"),
        table(("term", "value"), [(name, str(term)) for name, term in terms.items()]),
    )
    return whole_page("What fonds costs", *parts)


def _of_benchmark(name: str, rows: Sequence[Judged]) -> Markup:
    of_it = [row for row in rows if row.benchmark == name]
    written = [
        (
            row.goal.says,
            "" if row.value is None else f"{row.value:g}{row.goal.unit}",
            row.goal.spelled,
            _outcome(row),
            element("code", row.command),
        )
        for row in of_it
    ]
    return joined(element("h2", name), table(_HEAD, written))


def _outcome(row: Judged) -> str:
    if row.outcome == "shown":
        return ""
    said = f"{row.outcome}: {row.reason}" if row.reason else row.outcome
    return said if row.outcome == "met" else element("span", said, class_="bad")


def nearness(row: Judged) -> float | None:
    """How much of its goal a figure takes up: 1 is the goal itself, more has missed it. None
    without a goal, a figure, or a goal that is not zero.
    """
    limit, value = row.goal.limit, row.value
    if not limit or value is None or (row.goal.bound == "at least" and value <= 0):
        return None
    return value / limit if row.goal.bound == "at most" else limit / value


def _plot(rows: Sequence[Judged]) -> Markup:
    if not can_plot():
        return element("p", WITHOUT_PLOTS, class_="quiet")
    near = [(row, share) for row in rows if (share := nearness(row)) is not None][::-1]
    if not near:
        return Markup("")
    with ruled():
        figure, axes = blank_figure((9.0, 0.9 + 0.32 * len(near)))
        names = [row.goal.says for row, _ in near]
        places = range(len(near))
        colours = [ORANGE if row.outcome == "missed" else BLUE for row, _ in near]
        axes.barh(places, [share for _, share in near], color=colours, height=0.6)
        axes.set_yticks(places, names)
        axes.axvline(1, color=INK, linewidth=0.8, linestyle=":")
        axes.set_xlabel("share of the goal that is used up; right of the line it is missed")
        return drawn(svg_of(figure, "goals", "Each figure as a share of its goal"))
