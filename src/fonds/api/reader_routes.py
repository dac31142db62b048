"""The pages of an archive that anybody may read: a question field, what it comes to, and what the
archive is (R149, R190).

A page takes no key and sets no cookie. Whoever opens one comes in by the same door as a caller of
the API without a key, in the same line and under the same limits; an archive that lets in nobody
without a key has no page, exactly as one that does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from fonds.answering.refusal import FIXED_SENTENCE, Answered
from fonds.api.archive_routes import answered
from fonds.api.asking import Reception, check_no_query
from fonds.api.problems import Problem, problem_of
from fonds.api.reader_view import reader_answer
from fonds.api.trouble_page import told, trouble_of, with_headers
from fonds.api.turns import CallerGone
from fonds.contract.failures import Failure, NotAdmitted, QueryRefused
from fonds.contract.search_request import MAX_QUERY_CHARS, MAX_QUERY_WORDS
from fonds.pages.forms import parsed_form
from fonds.pages.led_here import is_of_another_site
from fonds.pages.rendering import page
from fonds.retrieval.wire_request import parsed_ask
from fonds.wiring.visit import Visit

FIELD: Final = "q"
NO_PAGE: Final = Problem("no-such-page", 404)
FROM_ELSEWHERE: Final = Problem("sent-from-elsewhere", 403)
Shown = Callable[[Visit], Response]
"""What is done with a visit, on a thread: the page of the reply."""


def reader_routes(reception: Reception, names: Sequence[str] = ()) -> APIRouter:
    """Every page below the slug of an archive; no part of the API's document. `names` are hosts the
    service is reached by beside the one a request names.
    """
    router = APIRouter(include_in_schema=False)

    async def opened(request: Request, archive: str) -> Response:
        return await _shown(reception, request, archive, lambda visit: _page(request, visit))

    async def asked(request: Request, archive: str) -> Response:
        if is_of_another_site(request.headers, names):
            return told(FROM_ELSEWHERE, request.scope)
        sent = _Sent(request, await request.body())
        return await _shown(reception, request, archive, partial(_asked, sent))

    async def about(request: Request, archive: str) -> Response:
        return await _shown(reception, request, archive, partial(_about, request))

    async def led(request: Request, archive: str) -> Response:
        return await _shown(reception, request, archive, partial(_led, request))

    router.add_api_route("/{archive}/", opened, methods=["GET"], response_model=None)
    router.add_api_route("/{archive}/", asked, methods=["POST"], response_model=None)
    router.add_api_route("/{archive}/about", about, methods=["GET"], response_model=None)
    router.add_api_route("/{archive}", led, methods=["GET"], response_model=None)
    return router


@dataclass(frozen=True, slots=True)
class _Sent:
    """A form as it came, read once its sender was let in."""

    request: Request = field(repr=False)
    body: bytes = field(repr=False)

    def question(self) -> str:
        """The one field there is; raises QueryRefused."""
        form = parsed_form(self.request.headers.get("content-type", ""), self.body)
        if len(form.fields) != 1:
            raise QueryRefused("body", "one field, the question")
        return form.one(FIELD)


async def _shown(reception: Reception, request: Request, archive: str, shown: Shown) -> Response:
    """The page for a visitor without a key; for who is not let in, no page, whatever the reason."""
    try:
        _check_address(request)
        await request.body()
        address = reception.address_of(request)

        def visited() -> Response:
            return shown(reception.admitted(archive, None, ("ask",), address))

        return await reception.in_turn(request, archive, None, address, visited, writes=True)
    except NotAdmitted:
        return told(NO_PAGE, request.scope)
    except Failure as failure:
        return told(problem_of(failure), request.scope)
    except CallerGone:
        return Response(status_code=503)  # nobody is there to read it


def _check_address(request: Request) -> None:
    """Whatever a service adds to a link it passes on is nobody's here: a page opens with it. A
    question in an address is refused, and so is anything that a form was sent to.
    """
    if request.method == "POST" or FIELD in request.query_params:
        check_no_query(request)


def _asked(sent: _Sent, visit: Visit) -> Response:
    """A question, answered as the API answers it. What it came to is a page in any case, and the
    question stands in its field again.
    """
    question = ""
    try:
        question = sent.question()
        given = visit.ask(parsed_ask({FIELD: question}))
        problem = answered(given, shows_figures=False)
        if isinstance(problem, Problem):
            return _trouble(sent.request, visit, question, problem)
        if isinstance(given, Answered):
            return _page(sent.request, visit, question, answer=reader_answer(given))
        themes = visit.holdings().themes
        return _page(sent.request, visit, question, declined=FIXED_SENTENCE, themes=themes)
    except QueryRefused:
        return _page(sent.request, visit, question, wrong=True, status=422)
    except Failure as failure:
        return _trouble(sent.request, visit, question, problem_of(failure))


def _trouble(request: Request, visit: Visit, question: str, problem: Problem) -> Response:
    trouble = trouble_of(problem)
    reply = _page(request, visit, question, status=problem.status, trouble=trouble)
    return with_headers(reply, problem)


def _page(
    request: Request, visit: Visit, question: str = "", *, status: int = 200, **values: object
) -> Response:
    """The question field of an archive, with whatever came of a question below it."""
    shown = {
        **_named(request, visit),
        **{"question": question, "most": MAX_QUERY_CHARS, "most_words": MAX_QUERY_WORDS},
        **{"answer": None, "declined": "", "wrong": False, "trouble": None},
        **values,
    }
    return page("reader/ask.html", status=status, **shown)


def _about(request: Request, visit: Visit) -> Response:
    """What the archive holds and what it promises, from its build and from its file."""
    config = visit.house.config
    return page(
        "reader/about.html",
        status=200,
        **_named(request, visit),
        home=config.base_url,
        held=visit.holdings(),
        question_days=config.question_days,
        stays_here=visit.stays_here,
    )


def _led(request: Request, visit: Visit) -> Response:
    """To the page itself, for whoever left the stroke at the end out."""
    there = f"{request.scope.get('root_path', '')}/{visit.house.config.slug}/"
    return RedirectResponse(there, 308)


def _named(request: Request, visit: Visit) -> dict[str, object]:
    """What every page of an archive is given."""
    config = visit.house.config
    root: str = request.scope.get("root_path", "")
    return {
        "root": root,
        "here": f"{root}/{config.slug}/",
        "name": config.name,
        "author": config.author,
    }
