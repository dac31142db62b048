"""R120, R191: what the desk shows beside a private text is what a caller then receives."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any, cast

import pytest

from fonds.contract.search_request import SearchRequest
from fonds.retrieval.wire_response import hit_json
from fonds.wiring.gists import GistDesk
from fonds.wiring.house import House
from tests.desk.conftest import SECRETS
from tests.desks import Sitting

ONE, TWO, THREE = (f"note:note-{place}#p-{place}" for place in (1, 2, 3))
WORDS = {ONE: "A loan against an instrument.", TWO: "Accounts that were put away."}


@pytest.fixture(scope="module")
def shown(house: House, sitting: Sitting) -> dict[str, dict[str, Any]]:
    """By id, what the desk shows of each; the second is vetoed, the third was never described."""
    gists = GistDesk(house)
    for one, words in WORDS.items():
        gists.edit(one, words, reviewed=True)
    gists.veto((TWO,), vetoed=True)
    found: dict[str, dict[str, Any]] = {}
    for one in (ONE, TWO, THREE):
        page = sitting.client.get("/gists", params={"pile": "all", "at": one}).text
        written = re.search(r"<pre class=\"mono\"[^>]*>(.*?)</pre>", page, re.DOTALL)
        assert written is not None
        found[one] = json.loads(unescape(written.group(1)))
    return found


@pytest.fixture(scope="module")
def received(house: House, shown: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """By id, what a caller receives of each once a build is live, but for its score."""
    house.build(yes=True)
    found: dict[str, dict[str, Any]] = {}
    for words in (*SECRETS, *WORDS.values()):
        for hit in house.search(SearchRequest(words)).response.hits:
            wire = cast("dict[str, Any]", hit_json(hit))
            del wire["score"]
            found[wire["fragmentId"]] = wire
    return found


@pytest.mark.parametrize(
    ("fragment_id", "exposure"), [(ONE, "semantic"), (TWO, "locator"), (THREE, "locator")]
)
def test_the_hit_is_the_one_that_was_shown(
    shown: dict[str, dict[str, Any]],
    received: dict[str, dict[str, Any]],
    fragment_id: str,
    exposure: str,
) -> None:
    assert shown[fragment_id] == received[fragment_id]
    assert shown[fragment_id]["exposure"] == exposure
    assert not any(secret in json.dumps(shown[fragment_id]) for secret in SECRETS)
