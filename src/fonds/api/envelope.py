"""What is true of every request and reply, whatever answers: an id, bounded bodies, headers, and no
word of a defect. The outermost layer: nothing leaves past it.
"""

from __future__ import annotations

import uuid
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fonds.api.problems import Problem
from fonds.api.trouble_page import told
from fonds.observing.last_resort import defect_of
from fonds.observing.observer import Observer

REQUEST_ID: Final = "x-request-id"
HEADERS: Final = (
    ("cache-control", "no-store"),
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
)
_TOO_LARGE = Problem("body-too-large", 413, headers=(("connection", "close"),))
_DEFECT = Problem("defect", 500)


class HungUp(Exception):
    """The caller left before its request was whole."""


class Envelope:
    """Wraps an application. `body_bytes` bounds what is read of a request before anything else.

    It stands in `ObservedRequests`, which has taken the request in hand and given it its id. `root`
    is the path a proxy serves all of it below, whether or not it takes that off on the way.
    """

    def __init__(
        self, app: ASGIApp, body_bytes: int, observer: Observer, *, root: str = ""
    ) -> None:
        self._app = app
        self._root = root
        self._observer = observer
        self._body_bytes = body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method, request_id = scope["method"], request_id_of(scope)
        scope["state"]["request_id"] = request_id
        scope["state"]["head"] = method == "HEAD"  # what a GET does for good, this must not
        scope["root_path"] = self._root or scope.get("root_path", "")
        reply = _Reply(send, request_id, without_body=method == "HEAD")
        try:
            # Whatever the method: a route that reads a body takes one of a GET as well.
            receive = await self._whole_body(Headers(scope=scope), receive)
            if method == "HEAD":
                scope["method"] = "GET"  # answered like it, and sent without a body
            await self._app(scope, receive, reply.send)
        except _Refused as refused:
            await told(refused.problem, scope)(scope, receive, reply.send)
        except HungUp:
            return
        except Exception as defect:  # the last resort: it may hold anything, so little is told
            self._observer.note(defect_of(defect, "request"))
            if not reply.begun:
                await told(_DEFECT, scope)(scope, receive, reply.send)
        finally:
            scope["method"] = method

    async def _whole_body(self, headers: Headers, receive: Receive) -> Receive:
        """The body, read within its bound, to be received again as one message."""
        announced = headers.get("content-length", "0")
        if not announced.isdecimal() or int(announced) > self._body_bytes:
            raise _Refused(_TOO_LARGE)
        body, more = bytearray(), True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise HungUp
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self._body_bytes:
                raise _Refused(_TOO_LARGE)
        left: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def again() -> Message:
            return left.pop() if left else await receive()

        return again


class _Refused(Exception):
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.slug)


class _Reply:
    """The way out: puts the headers of every reply on it, and remembers whether it has begun."""

    def __init__(self, send: Send, request_id: str, *, without_body: bool) -> None:
        self._send = send
        self._request_id = request_id
        self.without_body = without_body
        self.begun = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            headers = MutableHeaders(scope=message)
            headers[REQUEST_ID] = self._request_id
            for name, value in HEADERS:
                headers.setdefault(name, value)  # a page has a policy of its own
        elif self.without_body and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await self._send(message)


def request_id_of(scope: Scope) -> str:
    """The id of a request that was taken in hand, as a UUID is written."""
    return str(uuid.UUID(scope["state"]["request_id"]))
