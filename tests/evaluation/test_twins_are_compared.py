"""A comparison of twin archives that could not tell any two apart would be no evidence (R097)."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from eval.trials.twins import reported, table, tried
from eval.trials.twins_asked import CASES, KINDS, LAYERS, Asked, Reply, Told, compare
from eval.trials.twins_figures import accuracy, auc, separation, tells

RANDOM = np.random.default_rng(7)
QUIET = RANDOM.normal(10, 1, 300)


def test_times_of_one_kind_are_a_guess_and_longer_ones_are_told() -> None:
    """By one reply, by many, and by differences of two to the same question."""
    alike = separation(list(QUIET), list(QUIET))
    assert (alike["auc"]["value"], alike["accuracy"]) == (0.5, 0.5)
    assert alike["differenceMs"] == {"value": 0, "interval": [0, 0]}
    assert not any(map(tells, (alike["auc"], *alike["ofMany"].values(), alike["paired"])))
    slower = separation(list(QUIET), list(QUIET + 1))
    assert 0.7 < slower["auc"]["value"] < 0.85
    assert all(map(tells, (slower["auc"], *slower["ofMany"].values(), slower["paired"])))
    assert slower["ofMany"]["median"]["value"] > 0.99
    assert slower["paired"]["interval"] == [1, 1]
    assert slower["differenceMs"]["value"] == 1000


def test_quicker_replies_are_told_as_well() -> None:
    quicker = separation(list(QUIET), list(QUIET - 1))
    assert quicker["auc"]["interval"][1] < 0.5
    assert tells(quicker["auc"])
    assert quicker["accuracy"] > 0.6


def test_ties_are_half_and_apart_is_whole() -> None:
    one = np.array([1.0, 2.0])
    assert (auc(one, one), auc(one, one + 5), auc(one + 5, one)) == (0.5, 1.0, 0.0)
    assert (accuracy(one, one), accuracy(one, one + 5), accuracy(one + 5, one)) == (0.5, 1.0, 1.0)


@pytest.fixture
def replies() -> dict[Asked, Reply]:
    told = Reply("200 [] {}", 2, "hits")
    return {(layers, kind, name): told for layers, kind in CASES for name in LAYERS[layers]}


def test_a_reply_that_differs_is_counted_and_one_of_another_size_too(
    replies: dict[Asked, Reply],
) -> None:
    told = Told()
    compare(replies, told)
    assert (told.compared, told.differ.total(), told.sizes_differ.total()) == (
        {"again": 8, "none": 4, "full": 4},
        0,
        0,
    )
    same = replies["all", "ask", "none"]
    replies["all", "ask", "none"] = replace(same, said="200 [] []")
    replies["public", "ask", "full"] = replace(same, said="200 [] { }", sent=3)
    replies["public", "ask", "loud"] = replace(same, said="200 [] {  }", sent=4)
    compare(replies, told)
    assert (told.differ["none"], told.differ["full"], told.differ["again"]) == (1, 1, 0)
    assert (told.sizes_differ["none"], told.sizes_differ["full"]) == (0, 1)


def test_no_reply_is_shown_by_what_compares_them() -> None:
    assert "Reply(sent=2, mode='hits')" in repr(Reply("the passage", 2, "hits"))


def test_twins_on_a_real_service_are_told_the_same() -> None:
    """In small, over HTTP. What `none` and `full` hide answers nobody, and does where it is loud;
    how long anything took is not judged here.
    """
    report = tried(fragments=20, rounds=2, seconds=inf)
    assert report["rounds"] == 2
    replies = report["replies"]
    assert replies["compared"] == {"again": 16, "none": 8, "full": 8}
    assert not any((*replies["differ"].values(), *replies["sizesDiffer"].values()))
    modes = replies["modes"]
    for hidden in ("all nearMiss none", "public nearMiss full", "all nearMiss bare"):
        assert modes[hidden] == {"not-found": 2}
    for loud in ("all nearMiss loud", "public nearMiss loud", "all ask bare", "public ask full"):
        assert modes[loud] == {"partial": 2}
    assert {name for found in report["times"].values() for name in found} == {
        "again",
        "none",
        "full",
        "loud",
    }
    found = [
        figures[kind]
        for names in report["times"].values()
        for figures in names.values()
        for kind in KINDS
    ]
    assert all(min(one["serverMs"]) > 0 for one in found)
    assert "none: 0 of 8 replies differ, 0 in size" in table(report)


def test_a_table_has_a_line_a_case_and_archive() -> None:
    seconds: dict[Asked, list[float]] = {
        (layers, kind, name): list(QUIET) for layers, kind in CASES for name in LAYERS[layers]
    }
    report = reported(Told(300, seconds, seconds)) | {"rounds": 300, "fragments": 1}
    lines = table(report).splitlines()
    assert len([line for line in lines if line.startswith(("all", "public"))]) == 24 + 6
