"""The application: routes over one hosting, in the envelope every request passes (R186)."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from fonds.api.archive_routes import archive_routes
from fonds.api.asking import Reception
from fonds.api.crowd import Crowd
from fonds.api.envelope import Envelope
from fonds.api.health_routes import health_routes
from fonds.api.mcp_endpoint import McpEndpoint
from fonds.api.mcp_routes import mcp_routes
from fonds.api.openapi import openapi_document
from fonds.api.problems import Problem
from fonds.api.reader_routes import reader_routes
from fonds.api.trouble_page import told
from fonds.api.turns import Turns
from fonds.api.workers import Workers
from fonds.observing.requests import ObservedRequests
from fonds.pages.static_files import static_routes
from fonds.settings import Settings
from fonds.wiring.hosting import Hosting
from fonds.wiring.readiness import Readiness


def create_app(hosting: Hosting, settings: Settings) -> ASGIApp:
    """An ASGI application over `hosting`, which stays open for as long as it is served."""
    workers, prober = Workers(settings.serve_threads), Workers(1, "fonds-health")
    turns = Turns(Crowd(settings.serve_threads, settings.serve_waiting), workers)
    names = tuple(settings.serve_names.split(","))
    mcp = McpEndpoint(names, settings.serve_body_bytes)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        async with mcp.running():
            yield
        workers.close()
        prober.close()

    app = FastAPI(
        title="fonds",
        version=version("fonds"),
        docs_url=None,  # its pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    reception = Reception(hosting, turns, settings.proxy_networks)
    app.include_router(archive_routes(reception))
    app.include_router(mcp_routes(reception, mcp))
    app.include_router(health_routes(Readiness(hosting).look, prober))
    app.include_router(reader_routes(reception, names))
    app.router.routes.extend(static_routes())
    app.add_exception_handler(HTTPException, _http_problem)
    app.add_exception_handler(Exception, _defect)
    kept: dict[str, Any] = openapi_document(app)
    app.openapi = lambda: kept
    observer = hosting.observer
    enveloped = Envelope(app, settings.serve_body_bytes, observer, root=settings.serve_root_path)
    return ObservedRequests(enveloped, observer)


async def _defect(request: Request, raised: Exception) -> Response:
    """What is told of it; it is raised again behind this, for the envelope to note."""
    return told(Problem("defect", 500), request.scope)


async def _http_problem(request: Request, raised: Exception) -> Response:
    """What the router itself answers, as a problem: no such page, no such method."""
    assert isinstance(raised, HTTPException)  # noqa: S101 - what it is registered for
    if raised.status_code == 405:
        allowed = (raised.headers or {}).get("Allow", "")
        if "GET" in allowed.split(", "):
            allowed += ", HEAD"
        headers = (("allow", allowed),)
        return told(Problem("method-not-allowed", 405, headers=headers), request.scope)
    if raised.status_code == 404:
        return told(Problem("no-such-page", 404), request.scope)
    return told(Problem("malformed-request", 400), request.scope)
