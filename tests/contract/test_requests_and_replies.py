"""Values that pass between stages: whole, comparable, and silent about what they hold (R013)."""

from __future__ import annotations

import pickle
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from fonds.contract.answer_evidence import (
    AnswerEvidence,
    AnswerHint,
    AnswerRecord,
    HintDescription,
)
from fonds.contract.citation import Citation
from fonds.contract.embedding_space import MAX_DIMENSIONS, EmbeddingSpace
from fonds.contract.failures import Misconfigured
from fonds.contract.near_query import LiveBuild, NearFilters, NearQuery, NearRow, NearRows
from fonds.contract.ports import EmbedOutcome, VectorRow
from fonds.contract.search_response import CONTRACT, SearchResponse, ServedIndex
from fonds.contract.stored_source import ReadSource, RowCounts, StoredSource
from fonds.contract.writer_reply import NotWritten, WriterTask, Written, WrittenSentence
from tests.factories import (
    PRIVATE_TEXT,
    PRIVATE_WORDS,
    a_fragment,
    a_semantic_hit,
    a_text_hit,
    an_entity,
)

SPACE = EmbeddingSpace("local", "a-model", 384, "query: ", "passage: ", "centred")
BUILT = datetime(2025, 12, 1, tzinfo=UTC)
RECORD = AnswerRecord(
    "essay:a#whole", "essay", "a", "A", "https://example.org/a/", PRIVATE_TEXT, PRIVATE_TEXT
)
HINT = AnswerHint("note:a#p-4", "A note", "p. 4", "https://example.org/a/")
CITATION = Citation("record", "essay:a#whole", "https://example.org/a/")


@pytest.mark.parametrize("dimensions", [0, -1, MAX_DIMENSIONS + 1])
def test_a_space_has_a_size_that_can_be_stored(dimensions: int) -> None:
    """R044."""
    with pytest.raises(Misconfigured, match=r"^embedding\.dimensions: "):
        replace(SPACE, dimensions=dimensions)


def test_two_spaces_are_one_only_when_all_of_them_is_equal() -> None:
    """R044: prefixes and centring too; the floor is measured in a space and no part of it."""
    others = [
        replace(SPACE, provider="openai"),
        replace(SPACE, model="b-model"),
        replace(SPACE, dimensions=383),
        replace(SPACE, query_prefix=""),
        replace(SPACE, passage_prefix=""),
        replace(SPACE, centring=""),
    ]

    assert len({SPACE.space_id, *(other.space_id for other in others)}) == 7
    assert replace(SPACE, default_floor=0.4).space_id == SPACE.space_id
    assert SPACE.space_id == "b545012c72f2956b"


def test_evidence_is_empty_without_a_record_and_without_a_hint() -> None:
    """R144."""
    assert AnswerEvidence().is_empty
    assert not AnswerEvidence(records=(RECORD,)).is_empty
    assert not AnswerEvidence(hints=(HINT,)).is_empty


def test_a_hint_has_no_room_for_text_or_a_gist() -> None:
    """R140."""
    for name in ("text", "gist", "summary", "body"):
        assert not hasattr(HINT, name)
        with pytest.raises((AttributeError, TypeError)):
            setattr(HINT, name, "zebra")


def test_row_counts_add_up() -> None:
    """R045: an unchanged corpus gives zeros."""
    assert RowCounts().total == 0
    assert RowCounts(1, 2, 3, 4) + RowCounts(1, 1, 1, 1) == RowCounts(2, 3, 4, 5)
    assert RowCounts(1, 2, 3, 4).total == 10


HOLDERS: list[object] = [
    RECORD,
    AnswerEvidence((RECORD,), (HINT,)),
    HintDescription("A", "p. 4", gist=PRIVATE_TEXT),
    WriterTask(PRIVATE_TEXT, PRIVATE_TEXT, PRIVATE_TEXT, AnswerEvidence((RECORD,))),
    Written("partial", (WrittenSentence(PRIVATE_TEXT, (CITATION,)),)),
    WrittenSentence(PRIVATE_TEXT, (CITATION,)),
    NearQuery((0.5,), (PRIVATE_TEXT,), 0.2, 8, 8, NearFilters(creator=PRIVATE_TEXT)),
    SearchResponse(
        PRIVATE_TEXT,
        (a_text_hit(text=PRIVATE_TEXT), a_semantic_hit(gist=PRIVATE_TEXT)),
        2,
        0,
        ServedIndex(BUILT, 1, 2),
    ),
    ReadSource("notes/a.md", "private", "1", "2", ((an_entity(), (a_fragment(),)),)),
]


@pytest.mark.parametrize("holder", HOLDERS, ids=lambda holder: type(holder).__name__)
def test_questions_texts_and_gists_do_not_show_in_a_repr(holder: object) -> None:
    """R013."""
    assert type(holder).__name__ in repr(holder)
    assert not any(word in f"{holder!r} {holder}" for word in PRIVATE_WORDS)


@pytest.mark.parametrize(
    "value",
    [
        *HOLDERS,
        NotWritten("model_unavailable", "Timeout"),
        StoredSource("notes/a.md", "private", "1", "2", ("note:a",), 1),
        LiveBuild(1, SPACE, 0.2, 0.5, BUILT, 1, 2, 1, (1, 2), (), 0),
        NearRows((NearRow("a:b#c", "public", None, 0.5, titled=True, themed=False),), 1, 0, 0.5),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_crosses_a_process_whole(value: object) -> None:
    """R013: through its constructor."""
    assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301


def test_vectors_do_not_show_in_a_repr() -> None:
    """R131: a vector is derived from private text."""
    assert "0.125" not in repr(VectorRow("a:b#c", "hash", (0.125,)))
    assert "0.125" not in repr(EmbedOutcome(((0.125,), None), ((1, "is empty"),)))


def test_the_wire_contract_has_a_name() -> None:
    """R133."""
    assert CONTRACT == "archive-search/1"
