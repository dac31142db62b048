"""A session may be shown every plan it causes, those inside functions of stronger rights among
them: what such a function looks up and passes on stands in none (R094, R192).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import LiteralString

import psycopg
import pytest

from tests.database.attacks.stage import attacking
from tests.database.rows import Session, column
from tests.servers import Database

SHOWN: tuple[LiteralString, ...] = (
    "SET client_min_messages = log",
    "SET plan_cache_mode = force_custom_plan",
    "SET debug_print_parse = on",
    "SET debug_print_rewritten = on",
    "SET debug_print_plan = on",
)
CALLS: Mapping[str, LiteralString] = {
    "fonds_ingest": (
        "UPDATE private.fragment SET file_exposure = file_exposure, text_hash = text_hash"
        " WHERE raw = 'private'"
    ),
    "fonds_build": "SELECT api.catch_up_narrowing(1)",
    "fonds_curator": "UPDATE private.projection SET vetoed = true",
    "fonds_reader": "SELECT api.charge_private('key', '1', NULL, sha256(''))",
    "fonds_host": "SELECT api.list_keys()",
}
SECRETS: LiteralString = (
    "SELECT ledger_key FROM private.archive"
    " UNION ALL SELECT day_key FROM private.limit_day"
    " UNION ALL SELECT inner_pad FROM seal.scope_key"
    " UNION ALL SELECT outer_pad FROM seal.scope_key"
    " UNION ALL SELECT key_hash FROM private.api_key"
    " UNION ALL SELECT convert_to(text, 'UTF8') FROM private.fragment WHERE raw = 'private'"
)


def printed(secret: bytes) -> str:
    """Bytes as a plan prints those of a constant."""
    return " ".join(str(byte - 256 if byte > 127 else byte) for byte in secret)


def told(session: Session, call: LiteralString) -> str:
    """All that the server says to the client beside the reply."""
    heard: list[str] = []
    session.add_notice_handler(lambda said: heard.append(str(said.message_detail)))
    for statement in SHOWN:
        session.execute(statement)
    for _ in range(3):
        session.execute(call)
    return " ".join(" ".join(heard).split())


@pytest.mark.parametrize("role", CALLS)
def test_what_a_function_looked_up_is_in_no_plan_it_shows(attacked: Database, role: str) -> None:
    with attacking(attacked, role) as session:
        shown = told(session, CALLS[role])
    assert "constvalue" in shown, "plans are shown at all"
    with psycopg.connect(attacked.admin_url) as session:
        secrets = [
            bytes(secret) for secret in column(session, SECRETS) if isinstance(secret, bytes)
        ]
    assert len(secrets) > 5
    assert [secret for secret in secrets if printed(secret) in shown] == []
