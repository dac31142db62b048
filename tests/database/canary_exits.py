"""Every way out of a built archive, driven with questions; what each let out, as text."""

from __future__ import annotations

import io
import traceback
from collections.abc import Generator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

import httpx2
import psycopg
import pytest
from psycopg import sql
from starlette.testclient import TestClient

from fonds.cli.main import run
from fonds.contract.failures import Failure
from fonds.settings import Settings
from fonds.wiring.observing_process import observed_process
from tests.archives import house_of
from tests.database.canary_author import AuthorExits
from tests.hosts import client_of, host_of, minted
from tests.observing.planted import ServerLog
from tests.scopes import enter
from tests.servers import Database

PUBLIC = "How often did Ilse row the ferry over the river?"
MCP_HOST = {"host": "127.0.0.1:8010", "accept": "application/json"}
FILTERS: tuple[Mapping[str, object], ...] = (
    {"raw": "private"},
    {"exposure": ["semantic", "locator"]},
    {"type": ["note"], "dateFrom": "2019", "undated": "include"},
)


class OnlyReader(Database):
    """A database on which whoever connects is the login that serves."""

    def url(self, role: str) -> str:
        return self.server.url("fonds_reader", self.name)


@dataclass(frozen=True, slots=True)
class Exits:
    """One archive on a database, and the words that are asked for."""

    database: Database
    folder: Path
    slug: str
    words: Sequence[str]

    @property
    def questions(self) -> tuple[str, ...]:
        """One of public words, and some of private ones: half of them each."""
        return PUBLIC, *(f"Did {' '.join(self.words[n::2])} sell it?" for n in range(2))

    def driven(self) -> dict[str, str]:
        """What every exit let out, in lower case. A question that is said again is taken out."""
        log, stream = ServerLog(self.database), io.StringIO()
        let_out: dict[str, list[str]] = {}
        with observed_process("serve", Settings(), stream=stream) as process:
            key = minted(self.database, self.slug, "search", "ask", "admin")
            with host_of(self.database, {self.slug: self.folder}) as made:
                hosting = replace(made, observer=process.observer)
                with client_of(hosting) as client:
                    let_out |= self.over_http(client, key)
                    let_out["activity"] = [self.activity()]
            let_out |= self.by_command()
            author = AuthorExits(self.database, self.folder, self.questions, process.observer)
            let_out |= author.driven()
            let_out["another role"] = [self.by_another_role()]
            let_out["metrics"] = [process.measures.page().decode()]
        let_out["log"] = [stream.getvalue()]
        let_out["rows of a reader"] = [self.readers_rows()]
        let_out["log of the database"] = [log.since]
        return {name: self.told("\n".join(texts)) for name, texts in let_out.items()}

    def told(self, text: str) -> str:
        for question in self.questions:
            text = text.replace(question, "")
        return text.lower()

    def over_http(self, client: TestClient, key: str) -> dict[str, list[str]]:
        """Search with and without filters, twice; ask; MCP; the page; and what comes to nothing."""
        at = f"/v1/archives/{self.slug}"
        bodies: list[dict[str, object]] = [{"q": one, "limit": 20} for one in self.questions]
        bodies += [{**bodies[-1], "filters": filters} for filters in FILTERS]
        asked = [{"q": one} for one in self.questions]
        bearer = {"authorization": f"Bearer {key}"}
        replies = {
            "search": [client.post(f"{at}/search", json=one) for one in (*bodies, bodies[0])],
            "ask": [client.post(f"{at}/ask", json=one) for one in asked],
            "mcp": [client.post(f"{at}/mcp", json=call(one), headers=MCP_HOST) for one in bodies],
            "standing": [client.get(path, headers=bearer) for path in (at, f"{at}/standing")],
            "document": [client.get(path) for path in ("/openapi.json", "/livez", "/readyz")],
        }
        for name, got in replies.items():
            assert {one.status_code for one in got} == {200}, name
        replies["reader's page"] = self.pages(client)
        replies["problems"] = [*self.problems(client, at)]
        assert min(one.status_code for one in replies["problems"]) >= 400
        return {
            name: [f"{one.text} {dict(one.headers)}" for one in got]
            for name, got in replies.items()
        }

    def pages(self, client: TestClient) -> list[httpx2.Response]:
        """What whoever opens the archive in a browser is shown."""
        sent = [client.post(f"/{self.slug}/", data={"q": one}) for one in self.questions]
        return [*sent, *(client.get(f"/{self.slug}/{rest}") for rest in ("", "about"))]

    def problems(self, client: TestClient, at: str) -> Generator[httpx2.Response]:
        """Requests that say private words where none are taken: one, and every one."""
        for word in (self.words[0], "-".join(self.words)):
            yield from self.refused(client, at, word)

    def refused(self, client: TestClient, at: str, word: str) -> Generator[httpx2.Response]:
        yield client.post(f"{at}/search", json={"q": word, word: word})
        yield client.post(f"{at}/search", json={"q": {word: word}})
        yield client.post(f"{at}/ask", content=f'{{"q": "{word}'.encode())
        yield client.post(f"{at}/ask", json={"q": word, "filters": {"dateFrom": word}})
        yield client.post(f"/v1/archives/{word}/ask", json={"q": word})
        yield client.post(f"{at}/ask", json={"q": word}, headers={"authorization": word})
        yield client.get(f"/{word}")
        page = f"/{self.slug}/"
        person = {"accept": "text/html"}
        yield client.get(f"{page}?q={word}", headers=person)
        yield client.post(page, data={word: word}, headers=person)
        yield client.post(f"/{word}/", data={"q": word}, headers=person)

    def by_command(self) -> dict[str, list[str]]:
        """The commands a reader, an author and a host type, as JSON and as lines."""
        reports = self.folder / "told"
        archive = ("--archive", str(self.folder))
        let_out: dict[str, list[str]] = {}
        public, private, _ = self.questions
        wishes = (
            ("search", private, "--json"),
            ("ask", public, "--json"),
            ("ask", private, "--json"),
            ("preview", "--json"),
            ("preview",),
            ("validate", "--json"),
            ("index", "drop", "--json"),
            ("jobs", "list"),
            ("gate", "show"),
        )
        let_out["commands"] = [typed(*wish, *archive) for wish in wishes]
        suite = ("eval", "--full", "--report-to", str(reports / "run.json"), "--json")
        let_out["report"] = [typed(*suite, *archive, codes=(0, 1))]
        let_out["report"] += [one.read_text(encoding="utf-8") for one in sorted(reports.iterdir())]
        return let_out

    def by_another_role(self) -> str:
        """What a preview says of itself under the login that serves: no more than a refusal."""
        reader = OnlyReader(self.database.server, self.database.name)
        with house_of(self.folder, reader) as house, pytest.raises(Failure) as refused:
            house.preview()
        return "".join(traceback.format_exception(refused.value))

    def activity(self) -> str:
        """What the sessions of this database call themselves, and what each ran last."""
        with psycopg.connect(self.database.admin_url) as session:
            asked = "SELECT application_name, query FROM pg_stat_activity WHERE datname = %s"
            return str(session.execute(asked, (self.database.name,)).fetchall())

    def readers_rows(self) -> str:
        """Every row the serving login may read, whole."""
        rows: list[str] = []
        with psycopg.connect(self.database.url("fonds_reader")) as session:
            found = session.execute("SELECT api.open_archive(%s)", (self.slug,)).fetchone()
            assert found is not None
            enter(session, found[0])
            for table in ("live", "build", "calibration", "entity", "fragment"):
                query = sql.SQL("SELECT t::text FROM served.{} t").format(sql.Identifier(table))
                rows += [str(row) for row in session.execute(query)]
        return "\n".join(rows)


def call(arguments: Mapping[str, object]) -> dict[str, object]:
    """A call of the tool of MCP."""
    parameters = {"name": "search", "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}


def typed(*arguments: str, codes: tuple[int, ...] = (0, 3)) -> str:
    """What a command prints on both streams; it ends as it should."""
    out, trouble = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(trouble):
        code = run(arguments)
    assert code in codes, (arguments[0], code)
    return out.getvalue() + trouble.getvalue()
