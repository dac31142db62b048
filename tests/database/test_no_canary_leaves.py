"""Archives drawn at random, with a word in every private field that stands nowhere else; then every
way out is driven, and none lets one of them go (C01, C21, R092, R120, R186).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from psycopg import sql
from starlette.responses import Response

from fonds.api import asking, problems, trouble_page
from fonds.boundary import crossing
from fonds.cli import preview
from fonds.contract.evidence_hit import HitEntity
from fonds.contract.failures import StoreRefused
from fonds.contract.served_fragment import ServedEntity
from fonds.desk import new_case_routes
from fonds.evaluation import page
from fonds.ingestion import draft_task
from fonds.ingestion.report import IngestReport
from fonds.observing import event_log, measuring
from fonds.store import errors
from tests.database.canary_archives import (
    FIELDS,
    GIST,
    CanaryArchive,
    canary_archives,
    published,
)
from tests.database.canary_exits import Exits
from tests.database.rows import cloned
from tests.observing.planted import ServerLog
from tests.servers import Database, TestServer

NUMBERS = count()
# A model that is asked to describe a fragment is sent its text, its title and its heading (R081).
SENT = {("requests to a drafter", name) for name in ("body", "title", "heading")}


@pytest.fixture(scope="module")
def shared(server: TestServer, template: str) -> Generator[Database]:
    """One database, on which each archive has a slug of its own. It logs every statement: what is
    said in one could be read in `pg_stat_activity`, and in the log of whoever turns that on.
    """
    with cloned(server, template) as database, pytest.MonkeyPatch.context() as patched:
        with psycopg.connect(database.admin_url, autocommit=True) as session:
            name = sql.Identifier(database.name)
            session.execute(sql.SQL("ALTER DATABASE {} SET log_statement = 'all'").format(name))
        for name, value in database.environment.items():
            patched.setenv(name, value)
        yield database


def exits_of(drawn: CanaryArchive, database: Database, folder: Path) -> Exits:
    slug = f"canary-{next(NUMBERS)}"
    published(drawn, folder / slug, slug, database)
    return Exits(database, folder / slug, slug, tuple(drawn.words.values()))


def found_in(let_out: Mapping[str, str], words: Mapping[str, str]) -> set[tuple[str, str]]:
    """Which exit let out the word of which field; never the word."""
    return {
        (name, field)
        for name, text in let_out.items()
        for field, word in words.items()
        if word in text
    }


@given(drawn=canary_archives())
@settings(
    max_examples=3,
    phases=[Phase.generate],  # field and exit say what leaked: no smaller archive is needed
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_no_exit_lets_a_private_word_go(
    drawn: CanaryArchive, shared: Database, tmp_path: Path
) -> None:
    exits = exits_of(drawn, shared, tmp_path)
    let_out = exits.driven()
    assert found_in(let_out, drawn.words) <= SENT
    check_the_premise(drawn, exits, let_out)


def check_the_premise(drawn: CanaryArchive, exits: Exits, let_out: Mapping[str, str]) -> None:
    """There was something to find, and each exit let out what it may."""
    with psycopg.connect(exits.database.admin_url) as session:
        held = "".join(
            str(session.execute(f"TABLE private.{table}".encode()).fetchall())
            for table in ("entity", "fragment", "projection")
        )
    stored = {"body", "title", "heading", "withheld", "draft", "vetoed", "tightened"}
    assert {name for name in stored if drawn.words[name] in held} == stored
    assert GIST.lower() in let_out["search"]
    assert GIST.lower() in let_out["mcp"]
    assert GIST.lower() in let_out["rows of a reader"]
    assert "ilse rowed the ferry" in let_out["ask"]
    assert "ilse rowed the ferry" in let_out["reader's page"]
    assert "ilse rowed the ferry" in let_out["requests to a writer"]
    assert "ilse rowed the ferry" in let_out["asked at the desk"]
    assert GIST.lower() in let_out["asked at the desk"]
    assert {field for _, field in found_in(let_out, drawn.words)} >= {"body"}
    assert "near_" in let_out["index"]
    if exits.database.server.source == "embedded":
        assert "insert into private." in let_out["log of the database"]
        assert "api.nearest_content" in let_out["log of the database"]
    for name in set(let_out) - {"log of the database"}:
        assert let_out[name], name


Leak = Callable[[pytest.MonkeyPatch, str], None]


def in_every_hit(patched: pytest.MonkeyPatch, word: str) -> None:
    entity_of = crossing._hit_entity  # pyright: ignore[reportPrivateUsage]

    def leaking(entity: ServedEntity) -> HitEntity:
        return replace(entity_of(entity), title=word)

    patched.setattr(crossing, "_hit_entity", leaking)


def in_every_problem(patched: pytest.MonkeyPatch, word: str) -> None:
    problem_of = problems.problem_response

    def leaking(problem: problems.Problem, request_id: str) -> Response:
        return problem_of(replace(problem, more={"detail": word}), request_id)

    for module in (problems, asking, trouble_page):
        patched.setattr(module, "problem_response", leaking, raising=False)


def in_every_page_of_trouble(patched: pytest.MonkeyPatch, word: str) -> None:
    def leaking(problem: problems.Problem) -> trouble_page.Trouble:
        return trouble_page.Trouble(word, problem.slug)

    patched.setattr(trouble_page, "trouble_of", leaking)


def in_every_event(patched: pytest.MonkeyPatch, word: str) -> None:
    patched.setattr(event_log, "_about_request", lambda: {"request": word})


def in_the_measures(patched: pytest.MonkeyPatch, word: str) -> None:
    page_of = measuring.Measures.page

    def leaking(measures: measuring.Measures) -> bytes:
        return page_of(measures) + word.encode()

    patched.setattr(measuring.Measures, "page", leaking)


def in_a_preview(patched: pytest.MonkeyPatch, word: str) -> None:
    def leaking(one: object) -> dict[str, object]:
        return {"text": word}

    patched.setattr(preview, "_described", leaking)


def in_the_page_of_a_run(patched: pytest.MonkeyPatch, word: str) -> None:
    def leaking(result: object) -> str:
        return word

    patched.setattr(page, "_came", leaking)


def in_a_refusal_of_the_store(patched: pytest.MonkeyPatch, word: str) -> None:
    def leaking(trouble: object) -> StoreRefused:
        return StoreRefused(word, None, None)

    patched.setattr(errors, "_refused", leaking)


def in_an_address_of_the_desk(patched: pytest.MonkeyPatch, word: str) -> None:
    def leaking(case_id: str) -> str:
        return word

    patched.setattr(new_case_routes, "mark_of", leaking)


def in_every_request_to_a_drafter(patched: pytest.MonkeyPatch, word: str) -> None:
    patched.setattr(draft_task, "prompt_text", lambda: word)


def in_a_repr(patched: pytest.MonkeyPatch, word: str) -> None:
    def leaking(report: IngestReport) -> str:
        return word

    patched.setattr(IngestReport, "__repr__", leaking)


LEAKS: Mapping[str, tuple[Leak, set[str]]] = {
    "hit": (
        in_every_hit,
        {
            *("search", "mcp", "ask", "reader's page", "commands"),
            *("asked at the desk", "requests to a writer"),
        },
    ),
    "problem": (in_every_problem, {"problems"}),
    "trouble": (in_every_page_of_trouble, {"problems"}),
    "event": (in_every_event, {"log"}),
    "measure": (in_the_measures, {"metrics"}),
    "preview": (in_a_preview, {"commands"}),
    "page": (in_the_page_of_a_run, {"report", "reports of the desk"}),
    "address": (in_an_address_of_the_desk, {"addresses of the desk"}),
    "drafter": (in_every_request_to_a_drafter, {"requests to a drafter"}),
    "repr": (in_a_repr, {"reprs"}),
    "refusal": (in_a_refusal_of_the_store, {"another role"}),
}


def word_of(leak: str) -> str:
    return f"quill{leak}feather"


@pytest.fixture(scope="module")
def leaking(shared: Database, tmp_path_factory: pytest.TempPathFactory) -> Exits:
    """One archive, to make leaks in."""
    words = {name: word_of(name) for name in FIELDS}
    drawn = CanaryArchive(words, 1, ("semantic",), "locator", rebuilt=False)
    return exits_of(drawn, shared, tmp_path_factory.mktemp("leaking"))


@pytest.fixture(scope="module")
def leaked(leaking: Exits) -> Mapping[str, str]:
    """What each exit lets out when every leak is made at once, each of a word of its own."""
    with pytest.MonkeyPatch.context() as patched:
        for leak, (plant, _) in LEAKS.items():
            plant(patched, word_of(leak))
        return leaking.driven()


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_that_is_made_is_found(leak: str, leaked: Mapping[str, str]) -> None:
    """What is looked for above would be found, at each exit and nowhere else."""
    assert {name for name, _ in found_in(leaked, {leak: word_of(leak)})} == LEAKS[leak][1]


def test_a_row_or_a_line_of_the_server_that_leaks_is_found(leaking: Exits) -> None:
    """A row changed by hand, as no build makes it, and a statement that is logged."""
    log = ServerLog(leaking.database)
    with psycopg.connect(leaking.database.admin_url) as session:
        session.execute("UPDATE served.fragment SET label = 'quillfeather' WHERE raw = 'private'")
        session.execute("DO $$ BEGIN RAISE LOG 'quillfeather'; END $$")
    assert "quillfeather" in leaking.readers_rows()
    assert leaking.database.server.source != "embedded" or "quillfeather" in log.since
