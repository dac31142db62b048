"""What the author's side of an archive lets out beside its own pages: addresses, what it logs and
keeps for others, what providers are sent, the queue, and the schema of indexes.
"""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx2
import psycopg
import pytest
from psycopg import sql

from fonds.contract.near_index import IndexShape
from fonds.contract.search_request import SearchRequest
from fonds.desk.desk import Desk
from fonds.evaluation.index_check import check_lines
from fonds.ingestion.drafting import DraftReport
from fonds.observing.observer import Observer
from fonds.providers.openai_calls import OpenAIAccess
from fonds.providers.openai_drafter import OpenAIDrafter
from fonds.settings import read_settings
from fonds.store.archives import open_archive
from fonds.store.index_store import PostgresIndexStore
from fonds.wiring.evaluating import reports_folder
from fonds.wiring.gists import GistDesk
from fonds.wiring.house import House
from fonds.wiring.index_desk import IndexDesk
from fonds.wiring.opening import opened
from tests.desks import Sitting, desk_over, sitting_at
from tests.providers.stub_model import ANSWER, response, text_part, writer
from tests.servers import Database

SMALL = IndexShape(links=8, width=64, breadth=20, least=1)
PAGES = (
    *("/", "/intake", "/gists?pile=all", "/travel", "/travel/entity?id=note:withheld"),
    *("/travel/entity?id=book:low-tide", "/travel/held", "/travel/next", "/travel/builds"),
    *("/refusals?days=all", "/evaluation", "/ask", "/run"),
)
RUNS: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("/intake", {}),
    ("/travel/next", {}),
    ("/evaluation/run", {"run": "answers"}),
    ("/evaluation/run", {"run": "scores"}),
    ("/travel/build", {}),
)
DESCRIBED = "note:described#p-4"


@dataclass(frozen=True, slots=True)
class AuthorExits:
    """One archive, and whoever keeps it at work."""

    database: Database
    folder: Path
    questions: Sequence[str]
    observer: Observer = field(repr=False)

    def driven(self) -> dict[str, list[str]]:
        """What each exit let out; the archive is left as it was but for drafts that failed."""
        with opened(read_settings(), self.folder, self.observer) as house:
            return {
                **self.at_the_desk(house),
                "requests to a drafter": self.drafted(house),
                "requests to a writer": self.worded(house),
                "index": self.indexed(house),
                "queue": self.queued(),
            }

    def at_the_desk(self, house: House) -> dict[str, list[str]]:
        """Every page and form. An author's own page may show anything, but to nobody else: no
        address, no header, no report that is kept and no repr does, nor what a reader is shown.
        """
        desk, gold = desk_over(house), self.folder / "gold.yaml"
        suite = gold.read_bytes()
        with sitting_at(desk, self.observer) as sitting:
            replies = [sitting.client.get(path) for path in PAGES]
            asked = [self.sent(sitting, "/ask", {"q": one}) for one in self.questions]
            forms = [self.ran(desk, sitting, path, fields) for path, fields in self.forms()]
            kept = [self.kept_case(sitting)]
            gold.write_bytes(suite)
            runs = [self.ran(desk, sitting, path, fields) for path, fields in RUNS]
            replies += [sitting.client.get(path) for path in PAGES]
        assert {one.status_code for one in (*replies, *asked)} == {200}
        last = [desk.runs.last(name) for name in ("ingest", "preview", "evaluation", "build")]
        assert {one.state for one in last if one is not None} == {"done"}
        outcomes = [one.outcome for one in last if one is not None]
        return {
            "addresses of the desk": [led(one) for one in (*replies, *asked, *forms, *kept, *runs)],
            "asked at the desk": [one.text for one in asked],
            "reports of the desk": [
                one.read_text(encoding="utf-8") for one in reports_folder(house.config).iterdir()
            ],
            "reprs": [repr(one) for one in (desk, house, *last, *outcomes)],
        }

    def forms(self) -> list[tuple[str, dict[str, str]]]:
        """Forms that are taken, and forms that are refused for their words."""
        said = self.questions[-1]
        gist = {"id": DESCRIBED, "imprint": "0" * 64, "pile": "all", "words": said}
        return [
            ("/gists/check", gist),
            ("/gists/approve", gist),
            ("/gists/veto", gist),
            ("/gists/draft", {"pile": said}),
            ("/travel/expose", {"fragment": said, "exposure": "none"}),
            ("/travel/build", {"accept": said}),
            ("/intake/publish", {"ids": "note:withheld"}),
            ("/ask/case", {"q": said, "mode": "not-found", "source": said}),
            ("/enter", {"key": said}),
            ("/evaluation/run", {"run": said}),
        ]

    def sent(self, sitting: Sitting, path: str, fields: Mapping[str, str]) -> httpx2.Response:
        reply = sitting.client.post(
            path, data={"csrf": sitting.csrf, **fields}, follow_redirects=False
        )
        assert reply.status_code < 500, (path, reply.status_code)
        return reply

    def kept_case(self, sitting: Sitting) -> httpx2.Response:
        """A question of private words, made into a gold case by two clicks."""
        asked = {"q": self.questions[-1], "mode": "not-found"}
        shown = self.sent(sitting, "/ask/case", asked).text
        form = shown.split('action="/ask/case/keep"')[1].split("</form>")[0]
        found = re.findall(r'name="(\w+)" value="([^"]*)"', form)
        fields = {name: html.unescape(value) for name, value in found}
        reply = self.sent(sitting, "/ask/case/keep", fields)
        assert reply.headers["location"].startswith("/ask?kept=")
        return reply

    def ran(
        self, desk: Desk, sitting: Sitting, path: str, fields: Mapping[str, str]
    ) -> httpx2.Response:
        reply = self.sent(sitting, path, fields)
        desk.runs.wait()
        return reply

    def drafted(self, house: House) -> list[str]:
        """What a model is sent that describes: one fragment a request, and of no other one."""
        sent: list[str] = []

        def quoting(request: httpx2.Request) -> httpx2.Response:
            asked = json.loads(request.content)
            sent.append(f"{json.dumps(asked, ensure_ascii=False)} {dict(request.headers)}")
            said = json.dumps({"gist": json.loads(asked["input"])["passage"]})
            return httpx2.Response(200, json=response([text_part(said)]))

        access = OpenAIAccess(api_key="sk-made-up")
        drafter = OpenAIDrafter(access, transport=httpx2.MockTransport(quoting))

        def chosen(_: House) -> OpenAIDrafter:
            return drafter

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("fonds.wiring.gists.chosen_drafter", chosen)
            report: DraftReport = GistDesk(house).draft(
                (), redraft=True, progress=lambda step, done, total: None
            )
        drafter.close()
        assert report.drafted == 0, "what quotes is not kept as a gist"
        return [*sent, repr(report), json.dumps(report.as_json())]

    def worded(self, house: House) -> list[str]:
        """What a model is sent that words an answer."""
        sent: list[str] = []

        def answering(request: httpx2.Request) -> httpx2.Response:
            sent.append(f"{request.content.decode()} {dict(request.headers)}")
            return httpx2.Response(200, json=response([text_part(json.dumps(ANSWER))]))

        asking = replace(house, writer=writer(answering))
        given = [asking.ask_unrecorded(SearchRequest(one)) for one in self.questions]
        return [*sent, *(json.dumps(one.as_json()) for one in given)]

    def indexed(self, house: House) -> list[str]:
        """The tables of the schema `indexes` while a build has one, and what is said of it."""
        pool = house.pool("fonds_build")
        indexes = PostgresIndexStore(pool, open_archive(pool, house.config.slug))
        build_id = indexes.live_build_id() or 0
        assert indexes.make(build_id, SMALL) > 0
        check, made = IndexDesk(house).check()
        with psycopg.connect(self.database.admin_url) as session:
            held = everything_in(session, "indexes")
        indexes.drop(build_id)
        return [*check_lines(check), repr(check), repr(made), held]

    def queued(self) -> list[str]:
        """Jobs as a worker's child runs them, with both streams, and the rows of the queue."""
        archive = ("--archive", str(self.folder))
        said = [
            subprocess.run(
                [Path(sys.executable).parent / "fonds", "jobs", *wish, *archive],
                capture_output=True,
                text=True,
                check=False,
            )
            for wish in (("run", "ingest"), ("run", "build", "--queue"), ("list", "--json"))
        ]
        assert [one.returncode for one in said] == [1, 0, 0], "a file of the archive is refused"
        with psycopg.connect(self.database.admin_url) as session:
            return [*(one.stdout + one.stderr for one in said), everything_in(session, "jobs")]


def led(reply: httpx2.Response) -> str:
    """Where a reply was asked for and leads, and its headers; of a page, every address in it."""
    told = re.findall(r'(?:href|action|src|hx-get|hx-post)="([^"]*)"', reply.text)
    return f"{reply.request.url} {dict(reply.headers)} {told}"


def everything_in(session: psycopg.Connection, schema: str) -> str:
    """Every row of every table of a schema."""
    tables = session.execute(
        "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = %s", (schema,)
    ).fetchall()
    rows = [
        str(session.execute(sql.SQL("TABLE {}").format(sql.Identifier(schema, one))).fetchall())
        for (one,) in tables
    ]
    return f"{tables} {rows}"
