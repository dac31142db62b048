"""The doubles of the failure table (R144, R161, R162)."""

from __future__ import annotations

import pytest

from fonds.contract.answer_evidence import AnswerEvidence
from fonds.contract.ports import AnswerWriter
from fonds.contract.writer_reply import NotWritten, WriterTask, Written
from fonds.providers.scripted_writer import BrokenWriter, NeverCalledWriter, ScriptedWriter

TASK = WriterTask("i", "p", "q", AnswerEvidence())


def test_replies_come_in_order_and_no_more_than_there_are() -> None:
    """A script that is asked too often is a failed test, not an empty answer."""
    replies = [NotWritten("model_declined"), Written("not-found", ())]
    writer = ScriptedWriter(replies)
    assert [writer.write(TASK), writer.write(TASK)] == replies
    assert writer.tasks == [TASK, TASK]
    with pytest.raises(AssertionError, match="asked 3 times"):
        writer.write(TASK)


def test_a_writer_that_must_not_be_called_fails_when_it_is() -> None:
    """R144."""
    with pytest.raises(AssertionError):
        NeverCalledWriter().write(TASK)


def test_a_broken_writer_raises_what_no_layer_contains() -> None:
    """R161."""
    with pytest.raises(TypeError):
        BrokenWriter().write(TASK)


def test_the_doubles_are_answer_writers_and_say_who_they_are() -> None:
    """They fit the port; the type checker reads this line."""
    writers: list[AnswerWriter] = [ScriptedWriter([]), NeverCalledWriter(), BrokenWriter()]
    assert [each.name for each in writers] == ["scripted", "never called", "broken"]
