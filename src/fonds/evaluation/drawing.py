"""How plots of ours are drawn: SVG to stand inside a page, the same bytes for the same figures.

Drawn by matplotlib, which the extra `eval` brings. Text is drawn as outlines, so that no font of
the reader's is needed; what is neither data nor label takes the colour of the page around it.
"""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, TypeAlias

Drawing: TypeAlias = Any  # matplotlib types itself in part, which a strict checker cannot use

INK = "#010203"  # becomes the page's own colour
BLUE = "#2a78d0"  # both are readable on light and dark
ORANGE = "#d9622b"
_RULING = threading.Lock()  # the settings of matplotlib are the whole process's
_HASH_SALT = "fonds"  # else the ids inside an SVG differ from run to run
_SIZE = (6.4, 3.0)
_RULES: Mapping[str, object] = {
    "svg.hashsalt": _HASH_SALT,
    "svg.fonttype": "path",
    "font.family": ["DejaVu Sans"],  # it comes with matplotlib
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}


def can_plot() -> bool:
    return find_spec("matplotlib") is not None


@contextmanager
def ruled() -> Generator[None]:
    """No setting of the user's matplotlib reaches a plot of ours."""
    # It takes a second to load, and most runs draw nothing.
    import matplotlib

    drawing: Drawing = matplotlib
    with _RULING, drawing.rc_context():
        drawing.rcdefaults()
        drawing.rcParams.update(_RULES)
        yield


def blank_figure(size: tuple[float, float] = _SIZE) -> tuple[Drawing, Drawing]:
    from matplotlib.figure import Figure

    figure: Drawing = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots()


def svg_of(figure: Drawing, name: str, said: str) -> str:
    """The drawing as an element without prologue, comments, styles or metadata; ids are its own.

    `said` is what it shows, for whoever does not see it.
    """
    written = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(written, format="svg", metadata=nothing, transparent=True)
    element = written.getvalue()
    element = element[element.index("<svg") :].rstrip()
    for left_out in (r"<!--.*?-->", r"<metadata>.*?</metadata>", r"<style.*?</style>"):
        element = re.sub(left_out, "", element, flags=re.DOTALL)
    element = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{name}-", element)
    element = re.sub(r' style="([^"]*)"', _presented, element)
    named = f'<svg role="img" aria-label="{said}" '
    return element.replace("<svg ", named, 1).replace(INK, "currentColor")


def _presented(style: re.Match[str]) -> str:
    """A style as attributes, which a page may hold whose policy forbids styles in it."""
    rules = (rule.split(":", 1) for rule in style[1].split(";") if rule.strip())
    return "".join(f' {name.strip()}="{value.strip()}"' for name, value in rules)
