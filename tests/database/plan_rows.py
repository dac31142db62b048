"""What a plan that was run has walked, whatever it took for it."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

import psycopg
from psycopg import sql

from fonds.store.pools import Pool, open_pool
from tests.servers import Database

_SHOWN = {
    "session_preload_libraries": "auto_explain",
    "client_min_messages": "notice",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_level": "notice",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_buffers": "on",
    "auto_explain.log_format": "json",
}


def nodes_rows(plan: dict[str, Any]) -> float:
    """All rows that a plan's nodes gave or looked at."""
    seen = sum(
        float(plan.get(key, 0))
        for key in ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter")
    )
    parts = cast("list[dict[str, Any]]", plan.get("Plans", []))
    return seen * float(plan["Actual Loops"]) + sum(nodes_rows(part) for part in parts)


class ShownPlans:
    """The plans of one connection's statements, those inside functions among them."""

    def __init__(self) -> None:
        self._plans: list[dict[str, Any]] = []

    def note(self, diagnostic: psycopg.errors.Diagnostic) -> None:
        said = diagnostic.message_primary or ""
        if "plan:" in said:
            self._plans.append(json.loads(said[said.index("{") :])["Plan"])

    def forget(self) -> None:
        self._plans = []

    def taken(self) -> tuple[int, int]:
        """Rows that were walked and pages that were looked at since it was asked last."""
        plans, self._plans = self._plans, []
        assert plans, "no plan was shown"
        pages = (plan["Shared Hit Blocks"] + plan["Shared Read Blocks"] for plan in plans)
        return round(sum(map(nodes_rows, plans))), max(pages)


@contextmanager
def shown_plans(database: Database, role: str) -> Generator[tuple[Pool, ShownPlans]]:
    """A pool of one connection of a role in this database, whose plans are told."""
    with psycopg.connect(database.admin_url, autocommit=True) as admin:
        for name, value in _SHOWN.items():
            admin.execute(
                sql.SQL("ALTER ROLE {role} IN DATABASE {name} SET {setting} = {value}").format(
                    role=sql.Identifier(role),
                    name=sql.Identifier(database.name),
                    setting=sql.SQL(".").join(map(sql.Identifier, name.split("."))),
                    value=sql.Literal(value),
                )
            )
    plans = ShownPlans()
    pool = open_pool(database.login(role), read_only=role == "fonds_reader", size=1)
    try:
        with pool.connection() as connection:
            connection.add_notice_handler(plans.note)
        yield pool, plans
    finally:
        pool.close()
