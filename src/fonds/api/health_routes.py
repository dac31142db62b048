"""Whether the service is alive, and whether it can answer; for whoever keeps it running."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future

from fastapi import APIRouter, Request, Response

from fonds.api.asking import json_response
from fonds.api.declared import ALIVE, READY
from fonds.api.problems import Problem, problem_response
from fonds.api.workers import Executor
from fonds.contract.outcomes import RETRY_SECONDS
from fonds.wiring.readiness import Ready


class Looking:
    """One look at a time: whoever asks while it lasts is told what it finds, so that no number of
    askers piles up looks, or holds the database with them.
    """

    def __init__(self, look: Callable[[], Ready], worker: Executor) -> None:
        self._look = look
        self._worker = worker
        self._current: Future[Ready] | None = None

    async def found(self) -> Ready:
        """What a look finds that had not ended when this was asked; on one event loop."""
        if self._current is None or self._current.done():
            self._current = self._worker.submit(self._look)
        # One who leaves takes the look away from nobody else.
        return await asyncio.shield(asyncio.wrap_future(self._current))


def health_routes(look: Callable[[], Ready], worker: Executor) -> APIRouter:
    """`look` runs on `worker`, a thread of its own: nothing asked of archives holds it up."""
    router = APIRouter(tags=["health"])
    looking = Looking(look, worker)

    async def livez() -> Response:
        """Whether the process answers. Asks nothing of database or model."""
        return json_response({"status": "alive"})

    async def readyz(request: Request) -> Response:
        """Whether archives can be answered for: database, revision, the serving role's proof, and
        embedding spaces.
        """
        found = await looking.found()
        if found.holds:
            return json_response({"status": "ready"})
        checks = {
            "database": found.database,
            "revision": found.revision,
            "roleProof": found.role_proof,
            "spaces": found.spaces,
        }
        problem = Problem("not-ready", 503, retry_after=RETRY_SECONDS, more={"checks": checks})
        return problem_response(problem, request.state.request_id)

    router.add_api_route("/livez", livez, response_model=None, responses=ALIVE)
    router.add_api_route("/readyz", readyz, response_model=None, responses=READY)
    return router
