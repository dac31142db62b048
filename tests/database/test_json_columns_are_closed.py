"""JSON columns hold the declared keys with strings in them; a rule never answers NULL (R092)."""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import cast

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.database.rows import Session, cloned, one
from tests.servers import Database, TestServer

ADMITTED = {
    "is_identifier_list": [
        "[]",
        '[{"scheme": "doi", "value": "1"}, {"scheme": "isbn", "value": ""}]',
    ],
    "is_attribution_list": [
        "[]",
        '[{"name": "A"}]',
        '[{"name": "A", "role": "editor", "identifiers": [{"scheme": "orcid", "value": "1"}]}]',
        '[{"name": "A", "placeholder": "unnamed"}, {"name": "B", "placeholder": "unverified"}]',
    ],
    "is_place": [
        '[{"scheme": "page", "value": "4"}]',
        '[{"scheme": "book", "value": "1"}, {"scheme": "timecode", "value": "1", "end": "2"}]',
    ],
    "is_refusal_record": [
        "{}",
        '{"layer": "retrieval", "detail": "ProviderUnavailable"}',
        '{"bestScore": 0.412345, "bestRaw": "public", "coverage": 0.25, "failed": ["coverage"]}',
        '{"bestScore": 0.15, "bestRaw": "private", "failed": ["score"], "scoreFloor": 0.2}',
        '{"gate": {"state": "off", "signal": null, "threshold": null}, "coverageFloor": 0.5}',
        '{"bestRaw": "public", "gate": {"state": "fitted", "signal": -1.234, "threshold": 0.3}}',
        '{"bestRaw": "private", "gate": {"state": "fitted", "signal": 0.35, "threshold": 0.312}}',
    ],
}
REFUSED_BY_ALL = ["{}", "null", '"x"', "3", "true", "[1]", "[[]]", "[null]", "[{}]", '[{"x": "y"}]']
REFUSED = {
    "is_identifier_list": [
        '[{"scheme": "doi"}]',
        '[{"scheme": "doi", "value": null}]',
        '[{"scheme": "doi", "value": 1}]',
        '[{"scheme": "doi", "value": "1", "note": "private words"}]',
        '[{"scheme": "doi", "value": "1"}, {}]',
    ],
    "is_attribution_list": [
        '[{"role": "editor"}]',
        '[{"name": null}]',
        '[{"name": ["A"]}]',
        '[{"name": "A", "role": null}]',
        '[{"name": "A", "placeholder": null}]',
        '[{"name": "A", "placeholder": "maybe"}]',
        '[{"name": "A", "placeholder": {"unnamed": 1}}]',
        '[{"name": "A", "identifiers": null}]',
        '[{"name": "A", "identifiers": [{}]}]',
        '[{"name": "A", "biography": "private words"}]',
    ],
    "is_place": [
        "[]",
        '[{"scheme": "page"}]',
        '[{"scheme": "page", "value": 4}]',
        '[{"scheme": "page", "value": "4", "end": null}]',
        '[{"scheme": "page", "value": "4", "text": "private words"}]',
        '[{"scheme": "page", "value": "4"}, {"value": "5"}]',
    ],
    "is_refusal_record": [
        "[]",
        '{"question": "private words"}',
        '{"detail": null}',
        '{"detail": "\u79c1\u306e\u8a00\u8449"}',
        '{"detail": "two\\nlines"}',
        '{"detail": "' + "x" * 81 + '"}',
        '{"layer": "private words"}',
        '{"failed": ["private words"]}',
        '{"failed": "score"}',
        '{"bestScore": "0.4", "bestRaw": "public"}',
        '{"bestScore": 0.41}',
        '{"coverage": 0.5}',
        '{"bestRaw": null, "bestScore": 0.4}',
        '{"bestScore": 0.4123, "bestRaw": "private"}',
        '{"bestScore": 0.15, "bestRaw": "private", "coverage": 0.5}',
        '{"gate": 1}',
        '{"gate": {"state": "private words"}}',
        '{"gate": {"state": null}}',
        '{"gate": {"signal": "1"}}',
        '{"gate": {"question": "private words"}}',
        '{"bestRaw": "private", "gate": {"state": "fitted", "signal": 0.351}}',
    ],
}


@pytest.fixture(scope="module")
def session(server: TestServer, template: str) -> Generator[Session]:
    with (
        cloned(server, template) as made,
        psycopg.connect(Database(made.server, made.name).admin_url) as session,
    ):
        yield session
        session.rollback()


@pytest.mark.parametrize(
    ("rule", "given_json"), [(r, g) for r, all_of in ADMITTED.items() for g in all_of]
)
def test_a_declared_shape_is_admitted(session: Session, rule: str, given_json: str) -> None:
    assert _answer(session, rule, given_json) is True


@pytest.mark.parametrize(
    ("rule", "given_json"),
    [
        (rule, bad)
        for rule in REFUSED
        for bad in (*REFUSED_BY_ALL, *REFUSED[rule])
        if (rule, bad) != ("is_refusal_record", "{}")  # nothing is known of it
    ],
)
def test_any_other_shape_is_refused(session: Session, rule: str, given_json: str) -> None:
    """A CHECK passes on NULL, so False it is; nothing travels in a field nobody declared."""
    assert _answer(session, rule, given_json) is False


_KEYS = st.sampled_from(
    ["scheme", "value", "end", "name", "role", "placeholder", "identifiers", "text"]
)
_LEAVES = st.none() | st.booleans() | st.integers(0, 9) | st.sampled_from(["", "x", "unnamed"])
_SHAPES = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_KEYS, inner, max_size=3)
)


@settings(max_examples=80, deadline=None)
@given(shape=st.lists(st.dictionaries(_KEYS, _SHAPES, max_size=3), max_size=2) | _SHAPES)
def test_every_shape_gets_a_yes_or_a_no(session: Session, shape: object) -> None:
    """R092: and the answer is the one a plain reading of the shape gives."""
    for rule, reading in (
        ("is_identifier_list", _is_identifiers),
        ("is_attribution_list", _is_people),
        ("is_place", _is_place),
    ):
        assert _answer(session, rule, json.dumps(shape)) is reading(shape)


def _answer(session: Session, rule: str, given_json: str) -> object:
    return one(session, f"SELECT api.{rule}(%(given)s::jsonb)", given=given_json)


def _keys(item: object) -> dict[str, object]:
    return cast("dict[str, object]", item) if isinstance(item, dict) else {}


def _items(shape: object) -> list[object]:
    """What a list holds; something that is no item for what is no list."""
    return cast("list[object]", shape) if isinstance(shape, list) else [None]


def _holds_strings(item: object, needed: set[str], known: set[str]) -> bool:
    held = _keys(item)
    return needed <= held.keys() <= known and all(isinstance(value, str) for value in held.values())


def _is_identifiers(shape: object) -> bool:
    keys = {"scheme", "value"}
    return all(_holds_strings(item, keys, keys) for item in _items(shape))


def _is_place(shape: object) -> bool:
    keys = {"scheme", "value"}
    items = _items(shape)
    return items != [] and all(_holds_strings(item, keys, keys | {"end"}) for item in items)


def _is_people(shape: object) -> bool:
    return all(map(_is_person, _items(shape)))


def _is_person(item: object) -> bool:
    plain = {key: value for key, value in _keys(item).items() if key != "identifiers"}
    return (
        _holds_strings(plain, {"name"}, {"name", "role", "placeholder"})
        and plain.get("placeholder", "unnamed") in {"unnamed", "unverified"}
        and _is_identifiers(_keys(item).get("identifiers", []))
    )
