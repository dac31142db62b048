"""Who may use the desk: whoever has its key, from a browser that was led nowhere else (R190)."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from starlette.requests import HTTPConnection

from fonds.pages.led_here import port_of

COOKIE: Final = "fonds_desk"
CSRF_FIELD: Final = "csrf"
CSRF_HEADER: Final = "x-csrf-token"
MOST_SESSIONS: Final = 32
IDLE_SECONDS: Final = 8 * 60 * 60  # a day's work apart from its breaks
MOST_WRONG: Final = 10
WRONG_SECONDS: Final = 600
CODE_SECONDS: Final = 60 * 60  # what is shown at the start may stay in a log for years


@dataclass(slots=True)
class WayIn:
    """The sessions of one desk, in memory: they end with the process, or IDLE_SECONDS after their
    last request.

    `key` is what a browser is let in with; `names` are the hosts it may have been reached by.
    """

    key: str = field(repr=False)
    names: tuple[str, ...]
    clock: Callable[[], float] = field(default=monotonic, repr=False)
    _secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    _sessions: dict[str, float] = field(default_factory=dict[str, float], repr=False)
    _codes: dict[str, float] = field(default_factory=dict[str, float], repr=False)
    _wrong: list[float] = field(default_factory=list[float], repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def entry_code(self) -> str:
        """A code that opens one session, once, within CODE_SECONDS: for the address shown at the
        start.
        """
        code = secrets.token_urlsafe(24)
        with self._lock:
            self._codes[_digest(code)] = self.clock()
        return code

    def by_code(self, code: str) -> str | None:
        """A new session for a code nobody used yet, while it holds."""
        with self._lock:
            shown = self._codes.pop(_digest(code), None)
            if shown is None or self.clock() - shown > CODE_SECONDS:
                return None
        return self._begun()

    def by_key(self, key: str) -> str | None:
        """A new session for the key; none for any while `closed_seconds` counts."""
        with self._lock:
            if self._closed_seconds() > 0:
                return None
            if not hmac.compare_digest(_digest(key), _digest(self.key)):
                self._wrong = [*self._wrong, self.clock()][-MOST_WRONG:]
                return None
        return self._begun()

    def closed_seconds(self) -> int:
        """How long no key is looked at, since MOST_WRONG wrong ones came within WRONG_SECONDS. Who
        is in stays in.
        """
        with self._lock:
            return self._closed_seconds()

    def session_of(self, request: HTTPConnection) -> str | None:
        """The session a request comes with, begun here and not ended."""
        for name in _cookie_names(request):
            session = request.cookies.get(name)
            if session is not None and self.knows(session):
                return session
        return None

    def knows(self, session: str) -> bool:
        """Whether a session was begun here and not ended; counts as a use of it."""
        digest, now = _digest(session), self.clock()
        with self._lock:
            used = self._sessions.pop(digest, None)
            if used is None or now - used > IDLE_SECONDS:
                return False
            self._sessions[digest] = now  # the one used longest ago stands first
            return True

    def end(self, session: str) -> None:
        """Forgets a session."""
        with self._lock:
            self._sessions.pop(_digest(session), None)

    def csrf(self, session: str) -> str:
        """What a form of this session has to bring."""
        return hmac.new(self._secret, session.encode(), hashlib.sha256).hexdigest()

    def brings_csrf(self, session: str, token: str) -> bool:
        """Whether a form was made for this session."""
        return hmac.compare_digest(self.csrf(session).encode(), token.encode())

    def _begun(self) -> str:
        session = secrets.token_urlsafe(32)
        with self._lock:
            while len(self._sessions) >= MOST_SESSIONS:
                self._sessions.pop(next(iter(self._sessions)))
            self._sessions[_digest(session)] = self.clock()
        return session

    def _closed_seconds(self) -> int:
        if len(self._wrong) < MOST_WRONG:
            return 0
        return max(0, round(self._wrong[0] + WRONG_SECONDS - self.clock() + 0.5))


@dataclass(frozen=True, slots=True)
class SessionCookie:
    """The cookie a session is kept in, as a reply sets it."""

    name: str
    secure: bool


def session_cookie(request: HTTPConnection) -> SessionCookie:
    """Named after the port, since a browser sends the cookies of a host to all of its ports: two
    desks of one machine keep apart. Over HTTPS it is bound to the host and goes nowhere else.
    """
    bare, bound = _cookie_names(request)
    secure = _is_secure(request)
    return SessionCookie(bound if secure else bare, secure)


def _cookie_names(request: HTTPConnection) -> tuple[str, str]:
    port = port_of(request.headers.get("host", ""))
    bare = f"{COOKIE}_{port}" if port else COOKIE
    return bare, f"__Host-{bare}"


def _is_secure(request: HTTPConnection) -> bool:
    """By the browser's own word where it gives one, else the proxy's. Whoever claims HTTPS without
    it gets a cookie that does not come back.
    """
    origin = request.headers.get("origin", "")
    forwarded = request.headers.get("x-forwarded-proto", request.url.scheme)
    return origin.startswith("https://") or (not origin and forwarded == "https")


def _digest(text: str) -> str:
    """What is kept and compared: as long for everything."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
