"""Archives alike but for what is hidden in some, and everything a caller is told of each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psycopg
from starlette.testclient import TestClient

from tests.archives import essay, house_of, ingested, note, written
from tests.servers import Database

OWN = "\n".join(
    [
        "questions:",
        '  - {id: held-1, kind: answerable, question: "Where did aunt Ilse fly kites in spring?"}',
        '  - {id: held-2, kind: answerable, question: "What lit the lamp of the ferry house?"}',
        *(
            f'  - {{id: absent-{n}, kind: out-of-archive, question: "Which ledger {n} is forged?"}}'
            for n in range(30)
        ),
        "",
    ]
)
ROOM = "[access]\nanonymous = true\n[limits]\nper_minute = 10_000\nper_day = 50_000\n"
GATES: Mapping[str, str] = {
    "provisional": "",
    "fitted": '[evaluation]\ncalibration = "calibration.yaml"\n',
}
HIDDEN = "Grandmother pawned the brass sextant to pay the harbour pilot in winter."
KEPT = "The ferryman Tjark hid eleven letters beneath the loose board of the stair."
MORE = "The organist Benedikta forged the parish ledger and burned the genuine one."

# What both of a pair hold.
COMMON: Mapping[str, str] = {
    "essays/on-kites.md": essay(
        "On Kites", "My aunt Ilse taught me to fly kites on the dyke at Norden in 1974.", "1974"
    ),
    "essays/on-lamps.md": essay(
        "On Lamps", "Rapeseed oil lit the lamp of the ferry house until the great frost.", "1981"
    ),
    "essays/on-bells.md": essay(
        "On Bells", "The bell founder Wessel cast nine bells for Norden and cracked one."
    ).replace("date:", "exposure: locator\ndate:", 1),
    "notes/kept.md": note("Of the ferry", KEPT),
    "notes/told.md": note("Of the stair", f"{KEPT} Nobody asked.", exposure="semantic"),
}


def withheld(text: str) -> str:
    """A file of the same words that is exposed as nothing."""
    return text.replace("date:", "exposure: none\ndate:", 1)


# What only one of them holds, and nobody may be told of: of every kind, before and after the common
# files in order, with words, themes, a date and a person that questions ask for.
NONE: Mapping[str, str] = {
    "notes/aaa.md": note("Of the sextant", HIDDEN, exposure="none"),
    "notes/zzz.md": note("Of the kites", COMMON["essays/on-kites.md"][-70:], exposure="none"),
    "essays/aaa.md": withheld(essay("On the sextant", f"{HIDDEN} {MORE}", "1930")),
    "essays/zzz.md": withheld(essay("On Kites again", "Ilse flew kites at Norden daily.", "1974")),
}
# What only one of them holds and is private, in each exposure that is served.
PRIVATE: Mapping[str, str] = {
    "notes/bbb.md": note("Of the organ", MORE),
    "notes/yyy.md": note("Of Ilse", "Aunt Ilse owed the pawnbroker of Norden forty crowns."),
    "notes/xxx.md": note("Of the ledger", f"{MORE} At night.", exposure="semantic"),
}
GISTS = {"note:told#p-4": "A hiding place in a house.", "note:xxx#p-4": "A forgery, confessed."}
HIDDEN_IN: Mapping[str, Mapping[str, str]] = {"bare": {}, "none": NONE, "full": PRIVATE}

QUESTIONS = (
    "Who taught me to fly kites on the dyke at Norden?",
    "What lit the lamp of the ferry house?",
    HIDDEN,
    KEPT,
    MORE,
    "On the sextant",
    "wind patience",
    "Aunt Ilse owed the pawnbroker of Norden forty crowns",
    "zebra",
    "The bell founder Wessel cast nine bells for Norden and cracked one.",
    "Wessel cast bells",
    "Which zeppelin hangar burned in Lakehurst?",
    "kites in 1930",
)
FILTERS: tuple[Mapping[str, object], ...] = (
    {},
    {"filters": {"raw": "public"}},
    {"filters": {"raw": "private"}},
    {"filters": {"exposure": ["locator", "semantic"]}, "limit": 1},
    {"filters": {"dateFrom": "1930", "dateTo": "1975", "undated": "include"}, "limit": 3},
    {"filters": {"creator": "Person A"}, "recency": "prefer-recent"},
    {"filters": {"type": ["essay"]}, "limit": 20},
)


def built(folder: Path, slug: str, hidden: str, gate: str, database: Database) -> Path:
    """An archive of what is common and what is hidden in it, live in its first build."""
    made = folder / slug
    (made / "gists").mkdir(parents=True)
    (made / "calibration.yaml").write_text(OWN, encoding="utf-8")
    written(made, {**COMMON, **HIDDEN_IN[hidden]}, slug, gate=ROOM + GATES[gate])
    with house_of(made, database) as house:
        ingested(house)
        known = {key: gist for key, gist in GISTS.items() if key in house.known_ids()}
        file = made / "gists.json"
        entries = {key: {"gist": gist} for key, gist in known.items()}
        file.write_text(json.dumps({"version": 1, "gists": entries}), encoding="utf-8")
        house.import_gists(file)
        house.build(yes=True)
    return made


@dataclass(frozen=True, slots=True)
class Twin:
    """One archive, asked as everybody asks."""

    client: TestClient
    slug: str
    key: str = ""

    def searched(self, query: str, more: Mapping[str, object]) -> str:
        return self.told(self._post("search", {"q": query, **more}))

    def asked(self, query: str, more: Mapping[str, object]) -> str:
        return self.told(self._post("ask", {"q": query, **more}))

    def about(self) -> str:
        return self.told(self.client.get(self._address(""), headers=self._headers()))

    def about_page(self) -> str:
        """What a person reads of the archive."""
        return self.told(self.client.get(f"/{self.slug}/about"))

    def asked_on_its_page(self, query: str) -> str:
        return self.told(self.client.post(f"/{self.slug}/", data={"q": query}))

    def called(self, arguments: Mapping[str, object]) -> str:
        """The tool of MCP."""
        call = {"name": "search", "arguments": arguments}
        return self.sent({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})

    def sent(self, message: dict[str, object]) -> str:
        """Any message of MCP."""
        return self.told(self._post("mcp", message))

    def told(self, reply: httpx2.Response) -> str:
        """All of a reply, with what names this archive, this moment and this request put alike."""
        headers = sorted((name, text) for name, text in reply.headers.multi_items())
        said = f"{reply.status_code} {headers} {reply.content.decode()}"
        alike = said.replace(self.slug, "X" * len(self.slug))
        alike = re.sub(r'((?:built|finished)At\\*": ?\\*")[^"\\]*', r"\1", alike)
        alike = re.sub(r"<time .*?</time>", "<time></time>", alike)
        alike = re.sub(r"\('retry-after', '\d+'\)", "('retry-after', '')", alike)
        return re.sub(r"urn:uuid:[0-9a-f-]{36}|(?<='x-request-id', ')[^']+", "", alike)

    def _post(self, where: str, body: Mapping[str, object]) -> httpx2.Response:
        return self.client.post(self._address(f"/{where}"), json=body, headers=self._headers())

    def _address(self, rest: str) -> str:
        return f"/v1/archives/{self.slug}{rest}"

    def _headers(self) -> dict[str, str]:
        named = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        return named | {"host": "127.0.0.1:8010", "accept": "application/json"}


def without_counts(said: str) -> str:
    """A reply without how much the index holds, and without what its length is."""
    said = re.sub(r"\('content-length', '\d+'\)", "", said)
    return re.sub(r'((?:entity|fragment)Count\\*": ?)\d+', r"\g<1>0", said)


def differences(one: Mapping[str, str], other: Mapping[str, str]) -> list[Any]:
    """The requests that two are told differently of, with what each was told."""
    assert one.keys() == other.keys()
    return [(name, one[name], other[name]) for name in one if one[name] != other[name]]


def calibration(database: Database, slug: str) -> dict[str, object]:
    """What the gate of an archive goes by, but for when it was made."""
    with psycopg.connect(database.admin_url) as session:
        found = session.execute(
            "SELECT to_jsonb(c) - ARRAY['archive_id', 'made_at'] FROM served.calibration c"
            " JOIN private.archive a USING (archive_id) WHERE a.slug = %s",
            (slug,),
        ).fetchone()
    assert found is not None
    return found[0]
