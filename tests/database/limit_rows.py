"""A lawful row of each table of counts, the rows that break a rule of one, and who writes them."""

from __future__ import annotations

from tests.database.rows import Row

HASH = b"h" * 32

LAWFUL: dict[str, Row] = {
    "private.limit_day": {"archive_id": 1, "day": "2031-05-06", "day_key": HASH, "requests": 3},
    "private.caller_day": {
        "archive_id": 1,
        "day": "2031-05-06",
        "who": HASH,
        "requests": 2,
        "questions": 1,
        "slot": 7,
        "slots": [0] * 13,
    },
    "private.charged_question": {
        "archive_id": 1,
        "day": "2031-05-06",
        "who": HASH,
        "question": HASH,
    },
}

BROKEN: tuple[tuple[str, str, Row], ...] = (
    ("private.limit_day", "a_key_has_its_length", {"day_key": b"short"}),
    ("private.limit_day", "a_key_has_its_length", {"key_before": b""}),
    ("private.limit_day", "strangers_are_counted_among_all", {"stranger_requests": 4}),
    ("private.limit_day", "a_question_was_a_request", {"stranger_questions": 1}),
    ("private.caller_day", "a_caller_is_a_hash", {"who": b"203.0.113.7"}),
    ("private.caller_day", "a_question_was_a_request", {"questions": 3}),
    ("private.caller_day", "a_minute_touches_thirteen_slots", {"slots": [1]}),
    ("private.charged_question", "a_question_is_a_hash", {"who": b"203.0.113.7"}),
    ("private.charged_question", "a_question_is_a_hash", {"question": b"words"}),
)

# What `fonds_limiter` may do, as the table of rights has it.
RIGHTS = """
call api: charge_private scope take
call private: caller_day_at charge_at check_caller day_is_young forget_days fresh_key keep_request
  keyed_hash limit_day_at limit_reached limit_terms seconds_to_midnight seconds_to_wait slot_of
  take_at was_charged
private.access: SELECT archive_id caller_per_minute caller_per_day archive_per_day private_per_day
private.caller_day: DELETE, INSERT, SELECT, UPDATE
private.charged_question: DELETE, INSERT, SELECT, UPDATE
private.limit_day: DELETE, INSERT, SELECT, UPDATE
schema api: USAGE
schema private: USAGE
schema served: USAGE
served.build: SELECT archive_id build_id dimensions
served.live: SELECT archive_id build_id
"""
