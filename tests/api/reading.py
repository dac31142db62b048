"""An archive for the reader's page, in several scripts and with markup in every caption, and a
service over it for a browser.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from httpx2 import Response
from starlette.testclient import TestClient

from tests.archives import UNGATED, essay, house_of, ingested, written
from tests.hosts import OPEN, ROOM
from tests.servers import Database

SLUG: Final = "shelf"
BODY: Final = "The harbour crane Brunhilde lifted forty barrels of herring before noon."
PRIVATE: Final = "Grandmother pawned the brass sextant to pay the harbour pilot in winter."
GIST: Final = 'A debt, <script>alert("gist")</script> told in a few lines.'
MARKED: Final = '<img src=x onerror=alert("title")> of cranes'
HEBREW: Final = "על הגשר הישן"
JAPANESE: Final = "汐見ヶ浦の石を数える"
PRIVATE_THEME: Final = "pawnbroking"
ASKED: Final = "What did the harbour crane Brunhilde lift before noon?"
ASKED_PRIVATE: Final = PRIVATE
ASKED_HEBREW: Final = "מי בנה את הגשר הישן מעל הנהר"
ASKED_JAPANESE: Final = "汐見ヶ浦の防波堤の長さは何メートルですか"
ABSENT: Final = "Which zeppelin hangar burned in Lakehurst?"
CLOSED: Final = "vault"
PAGE: Final = f"/{SLUG}/"
BROWSER: Final = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}
NOTE: Final = """\
---
title: Zephyrine quillwort ledger
label: A <b>note</b> of a debt
about: https://example.org/essays/cranes/
locator: green notebook, p. 2
exposure: semantic
themes: [pawnbroking, debt]
---
{body}
"""
FILES: Final = {
    "essays/cranes.md": essay(f"'{MARKED}'", BODY, "1974"),
    "essays/bridge.md": essay(HEBREW, "יוסף בנה את הגשר הישן מעל הנהר לפני המלחמה.", "1931"),
    "essays/stones.md": essay(
        JAPANESE, "汐見ヶ浦の防波堤の長さは二百八十メートルである。", "2019-05"
    ),
    "notes/debt.md": NOTE.format(body=PRIVATE),
    "notes/hidden.md": NOTE.format(body="The forger kept nine keys.").replace("semantic", "none"),
}


def asked(reader: TestClient, question: str, **headers: str) -> Response:
    """A question, as the form sends it."""
    return reader.post(PAGE, data={"q": question}, headers=headers)


def without_id(reply: Response) -> tuple[int, dict[str, str], str]:
    """All of a reply but the request's own id."""
    request_id = reply.headers["x-request-id"]
    headers = {name: text.replace(request_id, "") for name, text in reply.headers.items()}
    return reply.status_code, headers, reply.text.replace(request_id, "")


def shelf(folder: Path, database: Database, *, slug: str = SLUG, terms: str = OPEN) -> Path:
    """The archive, written, described and built."""
    made = written(folder / slug, FILES, slug, gate=UNGATED + ROOM + terms)
    with house_of(made, database) as house:
        ingested(house)
        (note,) = (one for one in house.known_ids() if one.startswith("note:debt#"))
        file = made / "gists.json"
        told = {"version": 1, "gists": {note: {"gist": GIST}}}
        file.write_text(json.dumps(told), encoding="utf-8")
        house.import_gists(file)
        house.build(yes=True)
    return made
