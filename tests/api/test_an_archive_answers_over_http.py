"""Search, ask and what there is to know of an archive, as a caller sees them (R131, R190)."""

from __future__ import annotations

import json

import jsonschema
import pytest
from starlette.testclient import TestClient

from tests.api.conftest import Hosted
from tests.hosts import PRIVATE, WORDS, minted
from tests.house.tree import ROOT

SCHEMA = json.loads((ROOT / "tests/retrieval/archive_search_1.schema.json").read_text())


@pytest.mark.parametrize("slug", sorted(WORDS))
def test_a_search_answers_the_wire_contract(client: TestClient, hosted: Hosted, slug: str) -> None:
    body = {"q": WORDS[slug], "limit": 5}
    reply = client.post(f"/v1/archives/{slug}/search", json=body, headers=hosted.bearer(slug))
    assert (reply.status_code, reply.headers["content-type"]) == (200, "application/json")
    jsonschema.validate(reply.json(), SCHEMA)
    assert reply.json()["hits"][0]["text"] == WORDS[slug]


def test_private_material_is_located_and_never_quoted(client: TestClient, hosted: Hosted) -> None:
    body = {"q": PRIVATE["mill"], "filters": {"raw": "private"}}
    reply = client.post("/v1/archives/mill/search", json=body, headers=hosted.bearer("mill"))
    (hit,) = reply.json()["hits"]
    assert (hit["exposure"], hit["entity"]["title"]) == ("locator", "Of the mill")
    assert "ledger" not in json.dumps(reply.json()["hits"])


def test_an_answer_is_cited(client: TestClient, hosted: Hosted) -> None:
    body = {"q": "How many barrels of herring did the crane Brunhilde lift?"}
    reply = client.post("/v1/archives/harbour/ask", json=body, headers=hosted.bearer("harbour"))
    given = reply.json()
    assert (reply.status_code, given["mode"], given["answer"]) == (200, "partial", WORDS["harbour"])
    assert [c["id"] for c in given["citations"]] == ["essay:on-work#whole"]
    assert set(given) == {"contract", "mode", "answer", "citations", "promptVersion"}


def test_a_refusal_is_a_reply_with_its_reason_and_no_figures(
    client: TestClient, hosted: Hosted
) -> None:
    body = {"q": "Which ferry crosses the strait of Magellan?"}
    reply = client.post("/v1/archives/harbour/ask", json=body, headers=hosted.bearer("harbour"))
    given = reply.json()
    assert (reply.status_code, given["mode"], given["answer"]) == (200, "not-found", "")
    assert given["reason"] in {"below_score_floor", "no_relevant_context", "below_coverage_floor"}
    assert "record" not in given


def test_an_archive_says_whose_it_is(client: TestClient, hosted: Hosted) -> None:
    told = client.get("/v1/archives/tide").json()
    assert told.pop("index").keys() == {"builtAt", "entityCount", "fragmentCount"}
    assert told == {
        "archive": "tide",
        "name": "Archive tide",
        "author": "Person A",
        "baseUrl": "https://example.org",
    }


def test_an_archive_says_how_it_stands_to_whoever_keeps_it(
    client: TestClient, hosted: Hosted
) -> None:
    """Figures of its own and no other's, and no word of what was asked or stored."""
    asked = {"q": "Which ferry crosses the strait of Magellan?"}
    client.post("/v1/archives/mill/ask", json=asked, headers=hosted.bearer("mill"))
    reply = client.get("/v1/archives/mill/standing", headers=hosted.bearer("mill"))
    told = reply.json()
    build = told["build"]
    assert (build["build"], build["fragmentCount"], build["gate"]) == (1, 2, "off")
    runs = [(run["job"], run["outcome"]) for run in told["runs"]]
    assert {("ingest", "done"), ("build", "done")} <= set(runs)
    assert sum(told["refusals"]["byReason"].values()) >= 1
    assert told["limits"]["callerPerMinute"] == 10_000
    assert "Magellan" not in reply.text
    key = {"Authorization": f"Bearer {minted(hosted.database, 'mill', 'search', 'ask')}"}
    assert client.get("/v1/archives/mill/standing", headers=key).status_code == 403
    assert client.get("/v1/archives/tide/standing").status_code == 401


def test_health_asks_for_no_key(client: TestClient) -> None:
    assert client.get("/livez").json() == {"status": "alive"}
    assert client.get("/readyz").json() == {"status": "ready"}
