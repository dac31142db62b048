"""One request at one archive: who asks, in turn, on a thread; what it comes to (R186, R192)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response

from fonds.api.bearer import bearer_key
from fonds.api.line_names import LineNames
from fonds.api.problems import Problem, problem_of, problem_response
from fonds.api.turns import CallerGone, Gone, Turns
from fonds.contract.client_address import Network, client_address
from fonds.contract.failures import Failure, NotAdmitted, QueryRefused
from fonds.contract.key_scope import KeyScope
from fonds.wiring.hosting import Hosting
from fonds.wiring.visit import Visit

T = TypeVar("T")
Work = Callable[[Visit], Mapping[str, object] | Problem]
"""What is done with a visit, on a thread: the document of the reply."""
UNKNOWN_MEDIA = Problem("media-type-unknown", 415)


@dataclass(frozen=True, slots=True)
class Reception:
    """Where every route of an archive sends its request to."""

    hosting: Hosting
    turns: Turns
    proxies: Sequence[Network] = ()
    line: LineNames = field(default_factory=LineNames, repr=False)

    async def answer(
        self,
        request: Request,
        archive: str,
        scopes: tuple[KeyScope, ...],
        asked: Callable[[bytes], Work],
    ) -> Response:
        """The reply to a visitor with any of these scopes, or the problem it met.

        `asked` makes the work out of the body, before anybody is admitted. None of the work is done
        on the event loop, its reply is written there neither, and a caller who hangs up in line
        costs nothing more.
        """
        request_id: str = request.state.request_id
        try:
            check_no_query(request)
            if request.method == "POST" and not is_json(request.headers):
                return problem_response(UNKNOWN_MEDIA, request_id)
            work = asked(await request.body())
            key, address = bearer_key(request.headers), self.address_of(request)

            def visited() -> Response:
                done = work(self.admitted(archive, key, scopes, address))
                if isinstance(done, Problem):
                    return problem_response(done, request_id)
                return json_response(done)

            return await self.in_turn(
                request, archive, key, address, visited, writes="ask" in scopes
            )
        except Failure as failure:
            return problem_response(problem_of(failure), request_id)
        except CallerGone:
            return Response(status_code=503)  # nobody is there to read it

    async def in_turn(
        self,
        request: Request,
        archive: str,
        key: str | None,
        address: str | None,
        work: Callable[[], T],
        *,
        writes: bool,
    ) -> T:
        """What `work` comes to on a thread, for a request whose body was read and that an archive's
        writer may have to be asked for; raises what it raises, Overloaded, and CallerGone.
        """
        caller, origin = self.line.names(archive, key, address)
        elsewhere = self.hosting.asks_elsewhere(archive, writes=writes)
        return await self.turns.work(
            archive, caller, work, hung_up(request), origin, elsewhere=elsewhere
        )

    def address_of(self, request: Request) -> str | None:
        """The client's, past the proxies that are trusted and no other (C24)."""
        peer = None if request.client is None else request.client.host
        return client_address(peer, request.headers.getlist("x-forwarded-for"), self.proxies)

    def admitted(
        self, archive: str, key: str | None, scopes: tuple[KeyScope, ...], address: str | None
    ) -> Visit:
        """A visitor with any of these scopes; raises what `Hosting.admit` raises."""
        first, *others = scopes
        try:
            visit = self.hosting.admit(archive, key, first, address)
        except NotAdmitted as refused:
            if refused.why != "no-scope":
                self.line.turned_away(archive, key)
                raise
            if not others:
                self._vouch(archive, key)
                raise
            return self.admitted(archive, key, tuple(others), address)
        self._vouch(archive, key)
        return visit

    def _vouch(self, archive: str, key: str | None) -> None:
        caller = None if key is None else self.line.let_in(archive, key)
        if caller is not None:
            self.turns.vouch(caller)


def json_response(document: Mapping[str, object]) -> Response:
    """JSON in the characters it is written in."""
    body = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(body.encode(), media_type="application/json")


def check_no_query(request: Request) -> None:
    """Raises QueryRefused for a query string: addresses are logged on their way, and neither a key
    nor a question belongs there.
    """
    if request.scope["query_string"] and request.url.query:
        raise QueryRefused("url", "no query string: send a question in the body, a key as a header")


def hung_up(request: Request) -> Gone:
    """Waits, when called, until the caller of a request whose body was read has hung up."""

    async def gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    return gone


def is_json(headers: Headers) -> bool:
    """Whether a body is announced as JSON in UTF-8, not compressed."""
    if headers.get("content-encoding", "identity").lower() != "identity":
        return False
    media, *parameters = headers.get("content-type", "").lower().split(";")
    charset = [one.strip() for one in parameters if one.strip()]
    return media.strip() == "application/json" and charset in ([], ["charset=utf-8"])
