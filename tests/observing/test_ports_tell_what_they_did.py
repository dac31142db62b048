"""Embedder, writer, door, limiter and refusal log: told of, and otherwise as they are (R186)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from fonds.contract.admitted import Admitted
from fonds.contract.answer_evidence import AnswerEvidence
from fonds.contract.caller import Caller
from fonds.contract.failures import (
    Failure,
    NotAdmitted,
    ProviderUnavailable,
    StoreRefused,
    TooMany,
    Unavailable,
)
from fonds.contract.key_scope import KeyScope
from fonds.contract.ports import BatchEmbedder, Embedder, Vector
from fonds.contract.writer_reply import NotWritten, WriterReply, WriterTask, Written
from fonds.observing.checked import Event
from fonds.observing.events import (
    CallerAdmitted,
    LimitDecided,
    RefusalUnrecorded,
    TextsEmbedded,
    WriterReplied,
)
from fonds.observing.in_hand import RequestInHand, taken_in_hand
from fonds.observing.observer import SILENT, Observer
from fonds.providers.hashing_embedder import HashingEmbedder
from fonds.wiring.observed_ports import (
    ObservedDoor,
    ObservedLimiter,
    ObservedRefusalLog,
    ObservedWriter,
    observed_embedder,
)

CALLER = Caller("address", "zebrawood", "zebrawood/48")
TASK = WriterTask("", "zebrawood", "zebrawood", AnswerEvidence((), ()))


class Told(list[Event]):
    """Events, by an observer whose clock counts seconds."""

    def observer(self) -> Observer:
        ticks = iter(range(100))
        return Observer([self.append], clock=lambda: float(next(ticks)))


class Batch(HashingEmbedder):
    """One that takes many questions in a call."""

    def embed_queries(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return tuple(self.embed_query(text) for text in texts)


class Away(HashingEmbedder):
    """One whose provider is not there."""

    def embed_query(self, text: str) -> Vector:
        raise ProviderUnavailable("zebrawood")


class Door:
    """Opens, or says why not."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure

    def admit(self, slug: str, key: str | None, scope: KeyScope) -> Admitted:
        if self.failure:
            raise self.failure
        return Admitted(7, None if key is None else 3)


class Limiter:
    """Allows, or says which limit is used up."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure

    def take(self, archive_id: int, caller: Caller) -> None:
        if self.failure:
            raise self.failure

    def charge_private(self, archive_id: int, caller: Caller, question: bytes) -> None:
        self.take(archive_id, caller)


class Writer:
    """Replies what it is told to."""

    name = "scripted"

    def __init__(self, reply: WriterReply | Exception) -> None:
        self.reply = reply

    def write(self, task: WriterTask) -> WriterReply:
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


class Unkept:
    """A log that takes nothing."""

    def note_refusal(self, reason: str, record: Mapping[str, object]) -> None:
        raise StoreRefused("zebrawood", None, None)


def test_an_embedder_embeds_as_it_did() -> None:
    told = Told()
    plain, observed = HashingEmbedder(), observed_embedder(HashingEmbedder(), told.observer())
    assert observed.space == plain.space
    with taken_in_hand(RequestInHand("0" * 32)) as request:
        assert observed.embed_query("a box") == plain.embed_query("a box")
        assert observed.embed_passages(["a", "b"]) == plain.embed_passages(["a", "b"])
    assert told == [TextsEmbedded(1, "done", 1000.0), TextsEmbedded(2, "done", 1000.0)]
    assert request.embedding_ms == 2000.0
    assert not isinstance(observed, BatchEmbedder)


def test_one_of_many_questions_stays_one() -> None:
    told = Told()
    observed: Embedder = observed_embedder(Batch(), told.observer())
    assert isinstance(observed, BatchEmbedder)
    assert len(observed.embed_queries(["a", "b", "c"])) == 3
    assert told == [TextsEmbedded(3, "done", 1000.0)]


def test_an_embedder_that_is_away_is_told_and_raised() -> None:
    told = Told()
    with pytest.raises(ProviderUnavailable):
        observed_embedder(Away(), told.observer()).embed_query("zebrawood")
    assert told == [TextsEmbedded(1, "failed", 1000.0)]


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Written("partial", ()), "written"),
        (NotWritten("model_declined", "zebrawood"), "model_declined"),
        (NotWritten("model_unavailable"), "model_unavailable"),
        (ValueError("zebrawood"), "failed"),
    ],
)
def test_a_writer_is_told_by_its_outcome(reply: WriterReply | Exception, outcome: str) -> None:
    told = Told()
    writer = ObservedWriter(Writer(reply), told.observer())
    assert writer.name == "scripted"
    if isinstance(reply, Exception):
        with pytest.raises(ValueError, match="zebrawood"):
            writer.write(TASK)
    else:
        assert writer.write(TASK) is reply
    assert told == [WriterReplied(outcome, 1000.0)]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("failure", "decision"),
    [
        (NotAdmitted("no-key"), "no-key"),
        (NotAdmitted("no-archive"), "no-archive"),
        (NotAdmitted("no-scope"), "no-scope"),
        (Unavailable("zebrawood"), "failed"),
    ],
)
def test_a_door_that_stays_shut_says_why(failure: Failure, decision: str) -> None:
    told = Told()
    with pytest.raises(type(failure)), taken_in_hand(RequestInHand("0" * 32)) as request:
        ObservedDoor(Door(failure), told.observer()).admit("zebrawood", "zebrawood", "ask")
    assert told == [CallerAdmitted(decision)]  # pyright: ignore[reportArgumentType]
    assert request.archive is None


@pytest.mark.parametrize(
    ("key", "kind", "key_id"), [("zebrawood", "key", 3), (None, "address", None)]
)
def test_a_door_that_opens_names_the_archive_of_the_request_and_the_key_by_its_number(
    key: str | None, kind: str, key_id: int | None
) -> None:
    told = Told()
    with taken_in_hand(RequestInHand("0" * 32)) as request:
        admitted = ObservedDoor(Door(), told.observer()).admit("zebrawood", key, "ask")
    assert (admitted.archive_id, request.archive) == (7, 7)
    assert told == [CallerAdmitted("admitted", kind, key_id)]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("failure", "decision"),
    [
        (None, "allowed"),
        (TooMany("minute", 3), "minute"),
        (TooMany("private", 3), "private"),
        (Unavailable("zebrawood"), "failed"),
    ],
)
@pytest.mark.parametrize("step", ["take", "charge"])
def test_a_limiter_is_told_by_its_decision(
    failure: Failure | None, decision: str, step: str
) -> None:
    told = Told()
    limiter = ObservedLimiter(Limiter(failure), told.observer())
    steps: dict[str, Callable[[], None]] = {
        "take": lambda: limiter.take(7, CALLER),
        "charge": lambda: limiter.charge_private(7, CALLER, b"zebrawood"),
    }
    if failure is None:
        steps[step]()
    else:
        with pytest.raises(type(failure)):
            steps[step]()
    assert told == [LimitDecided(7, step, decision, "address")]  # pyright: ignore[reportArgumentType]


def test_a_refusal_that_cannot_be_kept_is_told_and_raised() -> None:
    told = Told()
    with pytest.raises(StoreRefused):
        ObservedRefusalLog(Unkept(), told.observer(), 7).note_refusal("zebrawood", {"a": "b"})
    assert told == [RefusalUnrecorded(7, "StoreRefused")]


def test_nothing_of_a_caller_or_a_question_is_in_what_is_told() -> None:
    told = Told()
    observer = told.observer()
    with pytest.raises(Unavailable):
        ObservedDoor(Door(Unavailable("zebrawood")), observer).admit(
            "zebrawood", "zebrawood", "ask"
        )
    ObservedLimiter(Limiter(), observer).charge_private(7, CALLER, b"zebrawood")
    ObservedWriter(Writer(NotWritten("model_declined", "zebrawood")), observer).write(TASK)
    observed_embedder(HashingEmbedder(), observer).embed_query("zebrawood")
    assert len(told) == 4
    assert "zebrawood" not in repr(told)


def test_telling_nobody_costs_a_question_a_bounded_number_of_calls() -> None:
    """R186: counted, not timed: two looks at a clock, and no event goes anywhere."""
    looks: list[float] = []

    def clock() -> float:
        looks.append(0.0)
        return 0.0

    observed_embedder(HashingEmbedder(), Observer(clock=clock)).embed_query("a box")
    assert len(looks) == 2
    assert observed_embedder(HashingEmbedder(), SILENT).embed_query("a box")
