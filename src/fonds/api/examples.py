"""Replies as the documentation of the wire shows them; all of it fiction (R134)."""

from __future__ import annotations

from typing import Final

from fonds.api.wire_about import WireAbout, WireStanding
from fonds.api.wire_answer import WireAnswer
from fonds.retrieval.policy_copy import EXPOSURE_COPY, POLICY_NOTE
from fonds.retrieval.wire_response import WireResponse

QUESTION: Final = {"q": "Who taught her to fly kites?", "filters": {"type": ["essay"]}}
SEARCH: Final = QUESTION | {"limit": 5}

RESPONSE: Final[WireResponse] = {
    "contract": "archive-search/1",
    "query": "Who taught her to fly kites?",
    "hits": [
        {
            "fragmentId": "essay:on-kites#whole",
            "exposure": "text",
            "raw": "public",
            "entity": {
                "id": "essay:on-kites",
                "type": "essay",
                "title": "On Kites",
                "attribution": [{"name": "Imke Vaal"}],
                "date": "2019",
                "url": "https://vaal.example/essays/on-kites/",
                "identifiers": [],
            },
            "locator": [{"scheme": "whole", "value": ""}],
            "locatorLabel": "whole record",
            "date": "2019",
            "text": "My aunt taught me to fly kites on the dyke in the spring of 1974.",
            "summary": "Wind as a teacher.",
            "score": 0.61,
            "breakdown": {"cosine": 0.55, "lexical": 0.06},
        },
        {
            "fragmentId": "book:low-tide#ch4",
            "exposure": "semantic",
            "raw": "private",
            "entity": {
                "id": "book:low-tide",
                "type": "book",
                "title": "Low Tide",
                "attribution": [{"name": "Imke Vaal", "role": "author"}],
                "version": "manuscript",
                "url": "https://vaal.example/books/low-tide/",
                "identifiers": [],
            },
            "locator": [{"scheme": "chapter", "value": "4"}],
            "locatorLabel": "ch. 4",
            "gist": "Two siblings disagree over what to keep from a house being emptied.",
            "gistSource": "generated",
            "gistReview": "unreviewed",
            "score": 0.45,
        },
    ],
    "matched": 2,
    "excludedUndated": 0,
    "index": {"builtAt": "2026-03-01T06:00:00+00:00", "entityCount": 41, "fragmentCount": 187},
    "policy": {
        "exposure": {
            "text": EXPOSURE_COPY["text"],
            "semantic": EXPOSURE_COPY["semantic"],
            "locator": EXPOSURE_COPY["locator"],
        },
        "note": POLICY_NOTE,
    },
}

ANSWER: Final[WireAnswer] = {
    "contract": "archive-answer/1",
    "mode": "partial",
    "answer": "My aunt taught me to fly kites on the dyke in the spring of 1974.",
    "citations": [
        {
            "kind": "record",
            "id": "essay:on-kites#whole",
            "url": "https://vaal.example/essays/on-kites/",
            "title": "On Kites",
            "locatorLabel": "whole record",
        }
    ],
    "promptVersion": "answer.v1",
}

REFUSAL: Final[WireAnswer] = {
    "contract": "archive-answer/1",
    "mode": "not-found",
    "answer": "",
    "citations": [],
    "promptVersion": "answer.v1",
    "reason": "below_score_floor",
}

ABOUT: Final[WireAbout] = {
    "archive": "vaal",
    "name": "The Vaal Archive",
    "author": "Imke Vaal",
    "baseUrl": "https://vaal.example",
    "index": {"builtAt": "2026-03-01T06:00:00+00:00", "entityCount": 41, "fragmentCount": 187},
}

STANDING: Final[WireStanding] = {
    "archive": "vaal",
    "build": {
        "build": 12,
        "builtAt": "2026-03-01T06:00:00+00:00",
        "entityCount": 41,
        "fragmentCount": 187,
        "gate": "fitted",
    },
    "runs": [{"job": "ingest", "outcome": "done", "finishedAt": "2026-03-01T05:58:00+00:00"}],
    "refusals": {"days": 30, "byReason": {"below_score_floor": 9}},
    "limits": {
        "anonymous": False,
        "callerPerMinute": 60,
        "callerPerDay": 2000,
        "archivePerDay": 20000,
        "privatePerDay": None,
    },
}
