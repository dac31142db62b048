"""Calls that come together, from threads begun at a barrier, and what each is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Barrier, Thread

import psycopg

from fonds.contract.failures import TooMany
from tests.servers import Database

CEILING = 60.0  # ends a test that hangs, and decides nothing


def told(call: Callable[[], object]) -> str:
    """The limit a call meets, or that it is counted."""
    try:
        call()
    except TooMany as refusal:
        return refusal.limit if refusal.retry_after >= 1 else "at once"
    return "counted"


def at_once(calls: Sequence[Sequence[Callable[[], object]]]) -> list[str]:
    """Runs each sequence in a thread of its own, all begun together; what every call was told."""
    barrier = Barrier(len(calls), timeout=CEILING)
    answers: list[str] = []

    def run(own: Sequence[Callable[[], object]]) -> None:
        barrier.wait()
        for call in own:
            try:
                answers.append(told(call))
            except Exception as trouble:
                answers.append(repr(trouble))

    threads = [Thread(target=run, args=(own,)) for own in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(CEILING)
    assert not any(thread.is_alive() for thread in threads)
    return answers


def within_one_day(shared: Database, attempt: Callable[[], list[str]]) -> list[str]:
    """What an attempt answers that midnight, which ends every count, does not fall into."""
    while True:
        with psycopg.connect(shared.admin_url, autocommit=True) as session:
            days = "SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date"
            before = session.execute(days).fetchone()
            answers = attempt()
            if session.execute(days).fetchone() == before:
                return answers


def uncounted(shared: Database) -> None:
    """Forgets what every caller asked today, for an attempt that is made again with the same."""
    with psycopg.connect(shared.admin_url, autocommit=True) as session:
        session.execute("DELETE FROM private.caller_day")
