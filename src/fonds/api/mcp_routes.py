"""Where an archive is reached over MCP: let in as any other caller, then a search as any other
(R189, R192).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Final, TypeAlias, TypeVar

from fastapi import APIRouter, Path, Request, Response

from fonds.api.asking import UNKNOWN_MEDIA, Reception, check_no_query, hung_up, is_json
from fonds.api.bearer import bearer_key
from fonds.api.mcp_endpoint import McpEndpoint
from fonds.api.mcp_tool import Search
from fonds.api.problems import problem_of, problem_response
from fonds.api.turns import CallerGone
from fonds.contract.failures import Failure, Unavailable
from fonds.contract.search_request import SearchRequest
from fonds.contract.search_response import SearchResponse

T = TypeVar("T")
Slug: TypeAlias = Annotated[str, Path(description="The archive's slug.")]
PATH: Final = "/v1/archives/{archive}/mcp"


def mcp_routes(reception: Reception, endpoint: McpEndpoint) -> APIRouter:
    """The one address; a GET or a DELETE finds no session there, and no stream."""
    router = APIRouter()
    visitors = _Visitors(reception, endpoint)
    # Declared by its own protocol, not in the OpenAPI document.
    router.add_api_route(PATH, visitors.answer, methods=["POST"], include_in_schema=False)
    return router


@dataclass(frozen=True, slots=True)
class _Visitors:
    reception: Reception
    endpoint: McpEndpoint

    async def answer(self, request: Request, archive: Slug) -> Response:
        """One message of MCP; whoever is not let in is not even told of the tool."""
        request_id: str = request.state.request_id
        wrong = await self.endpoint.refused(request)
        if wrong is not None:
            return problem_response(wrong, request_id)
        if not is_json(request.headers):
            return problem_response(UNKNOWN_MEDIA, request_id)
        try:
            check_no_query(request)
            await request.body()
            search = await self._let_in(request, archive)
        except Failure as failure:
            return problem_response(problem_of(failure), request_id)
        except CallerGone:
            return Response(status_code=503)  # nobody is there to read it
        return await self.endpoint.answer(request, search)

    async def _let_in(self, request: Request, archive: str) -> Search:
        """The search of a caller who may search this archive; its every call takes its turn."""
        key, address = bearer_key(request.headers), self.reception.address_of(request)
        gone = hung_up(request)

        async def in_turn(work: Callable[[], T]) -> T:
            # Asked anew: by the time it searches, the key was let in.
            caller, origin = self.reception.line.names(archive, key, address)
            elsewhere = self.reception.hosting.asks_elsewhere(archive, writes=False)
            return await self.reception.turns.work(
                archive, caller, work, gone, origin, elsewhere=elsewhere
            )

        visit = await in_turn(partial(self.reception.admitted, archive, key, ("search",), address))

        async def search(asked: SearchRequest) -> SearchResponse:
            try:
                return await in_turn(partial(visit.search, asked))
            except CallerGone:  # no defect, and nobody is there to read it
                raise Unavailable("whoever asked has hung up") from None

        return search
