"""Bounds a caller, an archive and everybody: events in an order, no thread and no clock (R187)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonds.api.crowd import CALLER_AT_WORK, CALLER_WAITING, Crowd, Ticket
from fonds.contract.failures import Overloaded


def test_a_caller_has_two_at_work_and_the_third_waits_for_one_of_them() -> None:
    crowd = Crowd(threads=8, waiting=8)
    first, second, third = (crowd.arrive("a", "one") for _ in range(3))
    assert [crowd.is_at_work(t) for t in (first, second, third)] == [True, True, False]
    assert crowd.leave(second) == (third,)
    assert crowd.is_at_work(third)


def test_an_archive_has_half_of_the_threads_rounded_up() -> None:
    crowd = Crowd(threads=5, waiting=8)
    slow = [crowd.arrive("slow", f"caller {n}") for n in range(4)]
    assert [crowd.is_at_work(t) for t in slow] == [True, True, True, False]
    assert crowd.is_at_work(crowd.arrive("other", "somebody"))


def test_one_thread_is_everybodys_in_turn() -> None:
    crowd = Crowd(threads=1, waiting=4)
    first, second, third = crowd.arrive("a", "x"), crowd.arrive("b", "y"), crowd.arrive("a", "z")
    assert crowd.leave(first) == (second,)
    assert crowd.leave(second) == (third,)


def test_who_waits_for_its_own_archive_is_passed_by() -> None:
    crowd = Crowd(threads=2, waiting=6)
    first, blocked = crowd.arrive("a", "x"), crowd.arrive("a", "y")
    second, third = crowd.arrive("b", "z"), crowd.arrive("c", "w")
    assert [crowd.is_at_work(t) for t in (first, blocked, second, third)] == [1, 0, 1, 0]
    assert crowd.leave(second) == (third,)
    assert crowd.leave(first) == (blocked,)


def test_a_full_line_is_an_overload_that_says_when_to_come_back() -> None:
    crowd = Crowd(threads=1, waiting=2)
    crowd.arrive("a", "x")
    crowd.arrive("a", "y")
    with pytest.raises(Overloaded):  # the archive's half of the line
        crowd.arrive("a", "z")
    crowd.arrive("b", "v")
    with pytest.raises(Overloaded) as full:
        crowd.arrive("c", "w")
    assert full.value.retry_after == 1
    assert (crowd.at_work, crowd.in_line) == (1, 2)


def test_a_caller_cannot_fill_the_line() -> None:
    crowd = Crowd(threads=8, waiting=100)
    for _ in range(CALLER_AT_WORK + CALLER_WAITING):
        crowd.arrive("a", "busy")
    with pytest.raises(Overloaded):
        crowd.arrive("a", "busy")
    assert crowd.is_at_work(crowd.arrive("a", "calm"))


def test_who_gives_up_waiting_leaves_no_trace() -> None:
    crowd = Crowd(threads=1, waiting=2)
    first, second = crowd.arrive("a", "x"), crowd.arrive("b", "y")
    assert crowd.leave(second) == ()
    assert crowd.leave(first) == ()
    assert (crowd.at_work, crowd.in_line) == (0, 0)


@given(
    threads=st.integers(1, 9),
    waiting=st.integers(0, 9),
    steps=st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.sampled_from("uvwxyz"),
            st.sampled_from(("home", "away", None)),
            st.booleans(),
        )
    ),
    pick=st.randoms(use_true_random=False),
)
def test_no_order_of_events_exceeds_a_bound_or_leaves_one_waiting_for_nothing(
    threads: int,
    waiting: int,
    steps: list[tuple[str, str, str | None, bool]],
    pick: random.Random,
) -> None:
    crowd = Crowd(threads, waiting)
    inside: list[Ticket] = []
    half = (threads + 1) // 2
    for archive, caller, origin, arrives in steps:
        if arrives or not inside:
            try:
                inside.append(crowd.arrive(archive, caller, origin))
            except Overloaded:
                continue
        else:
            crowd.leave(inside.pop(pick.randrange(len(inside))))
        at_work = [t for t in inside if crowd.is_at_work(t)]
        assert (len(at_work), len(inside) - len(at_work)) == (crowd.at_work, crowd.in_line)
        assert len(at_work) <= threads
        assert crowd.in_line <= waiting
        for ticket in inside:
            peers = [t for t in at_work if t.archive == ticket.archive]
            own = [t for t in at_work if t.caller == ticket.caller]
            near = [t for t in at_work if ticket.origin and t.origin == ticket.origin]
            assert len(peers) <= half
            assert len(near) <= half
            assert len(own) <= CALLER_AT_WORK
            if not crowd.is_at_work(ticket):
                assert (
                    len(at_work) == threads
                    or half in (len(peers), len(near))
                    or len(own) == CALLER_AT_WORK
                )
    for ticket in inside:
        crowd.leave(ticket)
    assert (crowd.at_work, crowd.in_line) == (0, 0)
