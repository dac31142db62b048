"""A lawful row of every table, and the database they are lawful in."""

from __future__ import annotations

from tests.database import calibration_rows, index_rows, limit_rows, rows
from tests.database.rows import QUOTED, Row, Session, put

# A lawful row of each table, beside those of the fixture.
LAWFUL: dict[str, Row] = {
    "private.archive": {"slug": "second", "name": "N", "author": "A", "base_url": "https://e.org"},
    "private.job_lock": {"archive_id": 1, "job": "other"},
    "private.run": {"archive_id": 1, "job": "ingest", "outcome": "done", "report": "{}"},
    "private.source": rows.source(1, source_key="b.md"),
    "private.entity": rows.entity(1, entity_id="note:b"),
    "private.fragment": rows.fragment(1, fragment_id="note:a#9"),
    "private.embedding": rows.embedding(1, space_id="another"),
    "private.projection": rows.projection(1, fragment_id="note:a#9"),
    "private.tightening": {"archive_id": 1, "fragment_id": "x#1", "exposure": "locator"},
    "private.ledger": {
        "archive_id": 1,
        "fragment_id": "x#1",
        "entity_id": "x",
        "exposure": "none",
    },
    "private.ledger_text": {"archive_id": 1, "fragment_id": "note:a#1", "text_hash": "another"},
    "private.narrowing": {"archive_id": 1, "narrowing": 99, "fragment_id": "x#1", "target": "none"},
    "private.calibration": calibration_rows.calibration_question(
        1, question_key="1" * 32, name="q2"
    ),
    "private.calibration_vector": calibration_rows.calibration_vector(1, space_id="another"),
    "private.refusal": {"archive_id": 1, "reason": "below_score_floor", "record": "{}"},
    "private.audit": {"archive_id": 1, "action": "veto", "subject": "x#1"},
    # Archive 1 has its terms; the row of another stands for any.
    "private.access": {"archive_id": 2},
    "private.api_key": {"archive_id": 1, "key_hash": b"h" * 32, "scopes": ["search"]},
    "private.removal": {"archive_id": 404, "row_count": 0},
    "private.awaiting": {
        "archive_id": 1,
        "build_id": 1,
        "fragment_id": "x#1",
        "raw": "private",
        "exposure": "locator",
        "fields": [],
        "content": "digest",
    },
    **limit_rows.LAWFUL,
    **index_rows.LAWFUL,
    "served.build": rows.build(1, build_id=9),
    "served.live": {"archive_id": 1, "build_id": 1},
    "served.calibration": calibration_rows.served_calibration(1, build_id=2),
    "served.entity": rows.served_entity(1, entity_id="note:b"),
    "served.fragment": rows.served_fragment(1, fragment_id="note:a#9"),
    "served.embedding": rows.served_embedding(1, fragment_id="note:a#8"),
    "served.phrase": {
        "archive_id": 1,
        "build_id": 1,
        "phrase": "tide",
        "kind": "title",
        "fragment_id": "note:a#1",
        "document_frequency": 0,
    },
    "served.name": {
        "archive_id": 1,
        "build_id": 1,
        "kind": "creator",
        "name": "person a",
        "unspaced": False,
        "fragment_id": "note:a#1",
    },
    "served.word_list": {
        "archive_id": 1,
        "build_id": 1,
        "fragment_id": "essay:p#1",
        "raw": "public",
        "exposure": "text",
        "number": 1,
        "words": ["tide", "water"],
        "weights": [2, 1],
    },
    "served.posting": {"archive_id": 1, "build_id": 1, "word": "tide", "block": 9, "held": [9218]},
}


def lay_ground(session: Session) -> None:
    """Archive 1 with a private entity stored and served, build 2 being written, and a bare archive
    2: what the rows above refer to.
    """
    assert rows.registered(session, "first") == 1
    rows.stored(session, 1)
    rows.served(session, 1, 1)
    put(session, "served.fragment", rows.served_fragment(1, fragment_id="note:a#8"))
    put(session, "served.entity", rows.served_entity(1, entity_id="essay:p", raw="public"))
    quoted = QUOTED | {"fragment_id": "essay:p#1", "entity_id": "essay:p"}
    put(session, "served.fragment", rows.served_fragment(1, **quoted))
    put(session, "served.build", rows.build(1, build_id=2, state="building"))
    session.execute("RESET ROLE")
    put(session, "served.near_index", index_rows.LAWFUL["served.near_index"] | {"build_id": 1})
    put(session, "private.calibration", calibration_rows.calibration_question(1))
    bare = {"slug": "bare", "name": "N", "author": "A", "base_url": "https://e.org"}
    put(session, "private.archive", bare)
