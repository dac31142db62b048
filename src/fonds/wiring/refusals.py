"""The refusal records of an opened archive, for its author's eyes (R164)."""

from __future__ import annotations

from fonds.store.refusal_store import PostgresRefusalStore, keep_questions
from fonds.wiring.house import House


def refusal_store(house: House) -> PostgresRefusalStore:
    """As the curator role, after erasing the questions whose time is over."""
    curator = house.curator_store()
    keep_questions(curator.pool, curator.archive_id, house.config.question_days)
    return PostgresRefusalStore(curator.pool, curator.archive_id)
