"""Templates made into HTML: every value is escaped, and one that is not given is an error."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import Response

from fonds.pages.static_files import static_path

POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""What a page of ours may load: its own files, from where it came."""

REFERRER: Final = "same-origin"
"""No other site learns where a reader came from. Nobody at all would be too strict: a browser then
hides from us as well that a form is our own.
"""


def rendered(template: str, **values: object) -> str:
    """The HTML of a template of `templates/`; a value is text, whatever it holds.

    `NAME | static` within one is the path of a file of `static/` below `root`, which every page is
    given; `AT | moment` a moment in UTC.
    """
    return _environment().get_template(template).render(values)


def page(template: str, *, status: int = 200, **values: object) -> Response:
    """A reply that is a page: HTML under `POLICY`, kept by nobody."""
    reply = Response(rendered(template, **values), status, media_type="text/html")
    reply.headers["content-security-policy"] = POLICY
    reply.headers["referrer-policy"] = REFERRER
    return reply


def moment(at: datetime) -> str:
    """A moment as every page and command shows it: to the minute, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%MZ}"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("fonds.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["static"] = static_path
    environment.filters["moment"] = moment
    return environment
