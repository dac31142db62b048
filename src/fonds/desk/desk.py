"""What every page of the desk has: the archive, the run under way, and the layout around it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Final, TypeAlias

from fastapi import Depends, Request, Response
from starlette.requests import HTTPConnection

from fonds.contract.failures import Busy, Failure, Misconfigured, QueryRefused
from fonds.contract.outcomes import outcome_of
from fonds.desk.runs import Run, RunName, Runs, Tell
from fonds.desk.way_in import CSRF_FIELD, CSRF_HEADER, WayIn
from fonds.pages.forms import Form, parsed_form
from fonds.pages.rendering import page
from fonds.wiring.house import House
from fonds.wiring.known_entity import KnownEntity
from fonds.wiring.rereading import FileWatch, reread

SECTIONS: Final = (
    ("/", "Overview"),
    ("/intake", "Intake"),
    ("/gists", "Gists"),
    ("/travel", "What may travel"),
    ("/ask", "Ask as a reader"),
    ("/refusals", "Refusals"),
    ("/evaluation", "Evaluation"),
)

Work: TypeAlias = Callable[[House], Callable[[Tell], object]]
"""What a run does, by the archive it is begun for."""


@dataclass(slots=True, eq=False)
class Desk:
    """One archive, opened, and who may sit at it. Safe to share between threads.

    `house` is replaced when the archive file is read again: a request takes it once and keeps it.
    """

    house: House = field(repr=False)
    way_in: WayIn = field(repr=False)
    runs: Runs = field(default_factory=Runs, repr=False)
    watch: FileWatch = field(default_factory=FileWatch, repr=False)
    entity: KnownEntity = field(default_factory=KnownEntity, repr=False)
    _changing: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def page(
        self, request: Request, template: str, *, status: int = 200, **values: object
    ) -> Response:
        """A page of the desk for the session of a request, or a part of one where htmx asks."""
        session = self.way_in.session_of(request)
        return page(
            f"desk/{template}",
            status=status,
            root="",
            archive=self.house.config.name,
            sections=SECTIONS,
            here=_section(request.url.path),
            csrf="" if session is None else self.way_in.csrf(session),
            path=request.url.path,
            run=self.runs.told_at(request.url.path),
            file_differs=self.watch.differs(self.house),
            **values,
        )

    def begin(self, name: RunName, work: Work) -> Run:
        """Begins a run over the archive as its file stands; raises Busy while another is at work,
        Misconfigured where the file says something else than this desk knows.

        The only way a page begins one: a model the file no longer names is sent nothing.
        """
        with self._changing:
            house = self.house
            if self.watch.differs(house):
                raise Misconfigured("archive.toml has changed: have it read again, then begin")
            return self.runs.begin(name, work(house))

    def read_file_again(self) -> None:
        """Goes on with the archive file as it is now; raises Misconfigured, and Busy at work."""
        with self._changing:
            run = self.runs.current
            if run is not None and run.state == "at work":
                raise Busy(f"a run is at work ({run.name}): wait for its end")
            self.house = reread(self.house)

    def failed(self, request: Request, failure: Failure) -> Response:
        """The page of a failure: its one line, under the status the one table has for the desk."""
        return self.told(request, str(failure), outcome_of(failure).at_desk)

    def told(self, request: Request, line: str, status: int) -> Response:
        """A line for whoever asked: in a page of the desk, in the place of the part htmx asked for,
        or at the door, where nothing else is told.
        """
        if self.way_in.session_of(request) is None:
            return entering(line, status=status)
        if is_part(request):
            return page("desk/failed_part.html", status=status, line=line)
        return self.page(request, "failed.html", status=status, line=line)


def is_part(request: HTTPConnection) -> bool:
    """Whether htmx asks, for a part of the page it stands in."""
    return request.headers.get("hx-request") == "true"


def entering(line: str, *, status: int = 200) -> Response:
    """The page at the door, with a line of why nobody was let in."""
    return page("desk/enter.html", status=status, root="", line=line)


def _section(path: str) -> str:
    """The section an address belongs to."""
    return "/" + path.removeprefix("/").split("/", 1)[0]


async def _form(request: Request) -> Form:
    """The form of a request, once it is known to be of this session; raises QueryRefused."""
    form = parsed_form(request.headers.get("content-type", ""), await request.body())
    way_in: WayIn = request.app.state.way_in
    token = request.headers.get(CSRF_HEADER) or form.first(CSRF_FIELD)
    session = way_in.session_of(request)
    if session is None or not way_in.brings_csrf(session, token):
        raise QueryRefused(CSRF_FIELD, "send the form from a page of this desk; reload it first")
    return form


SentForm: TypeAlias = Annotated[Form, Depends(_form)]
"""The parameter of every route that changes something."""
