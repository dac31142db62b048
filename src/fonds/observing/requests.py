"""The access log of a service, around the whole application: route, status, time, and no address
(R186).
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final, TypeAlias, cast

from fonds.observing.events import RequestServed
from fonds.observing.in_hand import RequestInHand, taken_in_hand
from fonds.observing.last_resort import defect_of
from fonds.observing.observer import Observer
from fonds.observing.traceparent import traceparent
from fonds.observing.vocabulary import RequestId, method_name, route_name

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Message, Receive, Send], Awaitable[None]]
NOBODY_WAITED: Final = 499  # the caller had gone before anything was sent
_UUID: Final = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE
)


def request_id(header: str | None) -> RequestId:
    """A caller's id when it is a UUID, without its hyphens; else one of 128 random bits."""
    if header is not None and _UUID.fullmatch(header):
        return header.replace("-", "").lower()
    return secrets.token_hex(16)


class ObservedRequests:
    """An ASGI application around another: takes each request in hand, and tells how it was served.

    `scope["state"]["request_id"]` is its id for those inside. What the application raises is told
    as a defect and passed on.
    """

    def __init__(self, app: Application, observer: Observer) -> None:
        self._app = app
        self._observer = observer

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = cast("Iterable[tuple[bytes, bytes]]", scope["headers"])
        given = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}
        request = RequestInHand(request_id(given.get("x-request-id")))
        scope.setdefault("state", {})["request_id"] = request.request_id
        parent = traceparent(given.get("traceparent"))
        spent = self._observer.stopwatch()
        sent = _Sent(send)
        with taken_in_hand(request), self._observer.span("request", parent=parent):
            try:
                await self._app(scope, receive, sent)
            except Exception as error:
                sent.status = sent.status or 500
                self._observer.note(defect_of(error, "request"))
                raise
            finally:
                self._observer.note(
                    RequestServed(
                        route=route_name(getattr(scope.get("route"), "path", None)),
                        method=method_name(str(scope["method"])),
                        status=sent.status or NOBODY_WAITED,
                        milliseconds=spent(),
                    )
                )


class _Sent:
    """Passes a reply on and remembers its status."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status: int | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = int(message["status"])
        await self._send(message)
