"""Lawful rows of the tables a gate is calibrated in."""

from __future__ import annotations

from typing import Any, TypeAlias

import psycopg

Row: TypeAlias = dict[str, object]


def calibration_question(archive_id: int, **changes: object) -> Row:
    return {
        "archive_id": archive_id,
        "question_key": "0" * 32,
        "name": "q1",
        "question": "Where does the heron sleep?",
        "kind": "near-miss",
        "source": "own",
        "passed": None,
    } | changes


def calibration_vector(archive_id: int, **changes: object) -> Row:
    return {
        "archive_id": archive_id,
        "question_key": "0" * 32,
        "space_id": "space",
        "dimensions": 3,
        "embedding": "[1,0,0]",
    } | changes


def served_calibration(archive_id: int, **changes: object) -> Row:
    return {
        "archive_id": archive_id,
        "build_id": 1,
        "source": "own",
        "rule": "plain",
        "alpha": 0.05,
        "counted": 40,
        "near_misses": 20,
        "threshold": 0.5,
        "hint_threshold": "Infinity",
        "public_hint_threshold": "Infinity",
        "signal": "fused/1",
        "means": [0.0] * 5,
        "deviations": [1.0] * 5,
        "weights": [1.0] * 5,
        "bias": 0.0,
        "fitted": False,
        "plugins": "p",
        "space_id": "space",
        "questions": "h",
        "price": None,
    } | changes


def plant(session: psycopg.Connection[Any], archive_id: int, canary: str) -> None:
    """The canary as a question, and in the calibration of every build but archive 1's first."""
    session.execute(
        "INSERT INTO private.calibration (archive_id, question_key, name, question, kind, source)"
        " VALUES (%(archive_id)s, %(question_key)s, %(name)s, %(question)s, %(kind)s, %(source)s)",
        calibration_question(archive_id, question=canary),
    )
    session.execute(
        "UPDATE served.calibration SET plugins = %s, questions = %s"
        " WHERE (archive_id, build_id) <> (1, 1)",
        [canary] * 2,
    )
