"""A load benchmark that could not find anything wrong would be no evidence: made-up calls are."""

from __future__ import annotations

import dataclasses

import pytest

from eval.benchmarks.load_calls import Call
from eval.benchmarks.load_verdict import Away, Faults, problems

FAULTS = Faults(
    changed="load-1",
    builds=(1, 2),
    switched=100.0,
    vetoed=200.0,
    vetoed_id="essay:000001#whole",
    database=Away(300.0, 305.0),
    killed={1: Away(400.0, 410.0)},
)


def call(began: float, *titles: str, slug: str = "load-1", **changes: object) -> Call:
    """A call of a tenth of a second, answered unless told otherwise."""
    made = Call(0, slug, began, began + 0.1, 200, tuple(titles), ("essay:000009#whole",))
    return dataclasses.replace(made, **changes)


def title(slug: str, build: int, number: int = 1) -> str:
    return f"{slug} build {build} reading {number}"


HARMLESS = [
    call(50.0, title("load-1", 1)),
    call(99.95, title("load-1", 1)),  # began before the switch and ended after it
    call(99.95, title("load-1", 2)),
    call(150.0, title("load-1", 2), fragment_ids=("essay:000001#whole",)),
    call(199.95, title("load-1", 2), fragment_ids=("essay:000001#whole",)),
    call(250.0, title("load-2", 1), slug="load-2", fragment_ids=("essay:000001#whole",)),
    call(299.95, status=503),
    call(306.9, status=503),
    call(405.0, status=0, worker=1),
    call(450.0, title("load-1", 2, 1), title("load-1", 2, 7)),
    call(450.0),
]


def test_nothing_is_wrong_with_what_was_promised() -> None:
    assert problems(HARMLESS, FAULTS) == {}


@pytest.mark.parametrize(
    ("wrong", "broken"),
    [
        (call(50.0, title("load-2", 1)), "a hit of another archive"),
        (call(50.0, title("load-1", 1), title("load-12", 1)), "a hit of another archive"),
        (call(450.0, title("load-1", 1), title("load-1", 2)), "hits of two builds in one reply"),
        (call(100.1, title("load-1", 1)), "the old build after the switch"),
        (call(50.0, title("load-1", 2)), "the new build before the switch"),
        (
            call(200.1, title("load-1", 2), fragment_ids=("essay:000001#whole",)),
            "what was vetoed in a reply that began after the veto",
        ),
        (call(50.0, status=503), "5xx later than two seconds after the database was back"),
        (call(307.1, status=503), "5xx later than two seconds after the database was back"),
        (call(405.0, status=0, worker=0), "unreached"),
        (call(411.0, status=0, worker=1), "unreached"),
        (call(50.0, status=429), "status 429"),
        (call(50.0, status=404), "status 404"),
    ],
)
def test_each_broken_promise_is_named(wrong: Call, broken: str) -> None:
    found = problems([*HARMLESS, wrong, wrong], FAULTS)

    assert found.pop(broken) == 2
    assert set(found) <= {"the old build after the switch"}
