"""The files a page loads: named by their content, so that a browser may keep them for good."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final

from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response

PREFIX: Final = "/_static"  # no archive's slug begins with an underscore
MEDIA: Final = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
KEPT: Final = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file of `static/` and the name it is served under."""

    served_as: str
    media: str
    content: bytes = field(repr=False)


@cache
def static_files() -> dict[str, StaticFile]:
    """Every file a page may load, by its name in the folder; read once."""
    found: dict[str, StaticFile] = {}
    for entry in files("fonds.pages").joinpath("static").iterdir():
        stem, _, kind = entry.name.rpartition(".")
        if kind in MEDIA:
            content = entry.read_bytes()
            digest = hashlib.sha256(content).hexdigest()[:16]
            found[entry.name] = StaticFile(f"{stem}.{digest}.{kind}", MEDIA[kind], content)
    return found


def static_path(name: str) -> str:
    """Where a file of `static/` is served, below the application's root; KeyError for no file."""
    return f"{PREFIX}/{static_files()[name].served_as}"


def static_routes() -> list[APIRoute]:
    """The one address of all of them: 404 for a name that is not exactly one of theirs."""
    by_name = {file.served_as: file for file in static_files().values()}

    async def sent(file: str) -> Response:
        found = by_name.get(file)
        if found is None:
            raise HTTPException(404)
        return Response(found.content, media_type=found.media, headers={"cache-control": KEPT})

    # A route of the framework's own kind: requests are told of by the template of one.
    return [APIRoute(f"{PREFIX}/{{file}}", sent, response_model=None, include_in_schema=False)]
