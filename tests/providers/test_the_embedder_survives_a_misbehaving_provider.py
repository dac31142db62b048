"""Cases C05 to C09 against a server on loopback, through the real client."""

from __future__ import annotations

import math

import pytest

from fonds.contract.failures import (
    Misconfigured,
    ProviderMisbehaved,
    ProviderUnavailable,
)
from fonds.providers.openai_embedder import IN_JOBS, OpenAIEmbedder
from tests.providers.stub_provider import (
    TEXTS,
    Answer,
    busy,
    cosine,
    embedded,
    embedding,
    failure_of,
    item,
    refused,
    reply,
)


def test_each_text_keeps_its_own_vector_when_the_reply_is_out_of_order() -> None:
    """C07: order [2, 0, 1] is paired by index."""

    def shuffled(_: int, inputs: list[str]) -> Answer:
        return Answer(200, reply([item(i, inputs[i]) for i in (2, 0, 1)]))

    with embedding(shuffled) as (embedder, _):
        outcome = embedder.embed_passages(TEXTS)
    assert outcome.refused == ()
    for text, found in zip(TEXTS, outcome.vectors, strict=True):
        assert cosine(found, text) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("indices", "counts"),
    [
        ([0, 1], "3 texts with 2 vectors of 2 distinct"),
        ([0, 1, 1], "3 texts with 3 vectors of 2 distinct"),
        ([0, 1, 2, 3], "3 texts with 4 vectors of 4 distinct"),
        ([1, 2, 3], "3 texts with 3 vectors of 3 distinct"),
        ([-1, 0, 1], "3 texts with 3 vectors of 3 distinct"),
        ([], "3 texts with 0 vectors"),
    ],
)
def test_a_reply_that_does_not_pair_with_the_texts_is_refused(
    indices: list[int], counts: str
) -> None:
    """R043, C07: missing, repeated, extra and foreign indices, named with both counts."""
    failure, stub = failure_of(
        lambda _number, _inputs: Answer(200, reply([item(i, "x") for i in indices]))
    )
    assert isinstance(failure, ProviderMisbehaved)
    assert counts in str(failure)
    assert len(stub.requests) == 1


def test_another_number_of_dimensions_is_refused_naming_both() -> None:
    """C05: nothing of the batch is kept."""
    short = {"index": 0, "embedding": [1.0, 2.0]}
    failure, _ = failure_of(
        lambda _number, _inputs: Answer(200, reply([short, item(1, "x"), item(2, "y")]))
    )
    assert isinstance(failure, ProviderMisbehaved)
    assert "2 dimensions, the space has 4" in str(failure)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([0.0] * 4, "its vector is zero in half precision"),
        ([1e-9] * 4, "its vector is zero in half precision"),
        ([math.nan, 1.0, 1.0, 1.0], "its vector holds a value that is not a finite number"),
        ([math.inf, 1.0, 1.0, 1.0], "its vector holds a value that is not a finite number"),
    ],
)
def test_one_unusable_vector_is_refused_by_position_and_its_neighbours_are_kept(
    values: list[float], reason: str
) -> None:
    """R044, C06: a zero or non-finite vector is not stored."""

    def one_bad(_: int, inputs: list[str]) -> Answer:
        items = [item(i, text) for i, text in enumerate(inputs)]
        items[1]["embedding"] = values
        return Answer(200, reply(items))

    with embedding(one_bad) as (embedder, _):
        outcome = embedder.embed_passages(TEXTS)
    assert outcome.refused == ((1, reason),)
    assert [found is None for found in outcome.vectors] == [False, True, False]


def test_a_zero_vector_for_the_question_is_refused() -> None:
    """R044, C06: it would let every row pass."""
    zeros = Answer(200, reply([{"index": 0, "embedding": [0.0] * 4}]))
    with (
        embedding(lambda _number, _inputs: zeros) as (embedder, _),
        pytest.raises(ProviderMisbehaved, match="zero in half precision"),
    ):
        embedder.embed_query("where is the mill")


def test_a_rate_limit_is_waited_out_as_told() -> None:
    """C08: Retry-After twice, then the vectors."""
    waits: list[float] = []

    def busy_twice(number: int, inputs: list[str]) -> Answer:
        return busy("1") if number <= 2 else embedded(inputs)

    with embedding(busy_twice, waits.append) as (embedder, stub):
        outcome = embedder.embed_passages(TEXTS)
    assert None not in outcome.vectors
    assert waits == [1.0, 1.0]
    assert stub.seen == dict.fromkeys(TEXTS, 3)


def test_a_rate_limit_without_end_is_given_up_after_bounded_attempts() -> None:
    """C08: the failure says that the provider is busy."""
    failure, stub = failure_of(lambda _number, _inputs: busy("1"))
    assert isinstance(failure, ProviderUnavailable)
    assert "busy (429, asking for 1 s)" in str(failure)
    assert len(stub.requests) == IN_JOBS.attempts


def test_a_wait_longer_than_the_limit_is_not_begun() -> None:
    """A provider that asks for an hour does not hold a job for an hour."""
    waits: list[float] = []
    with (
        embedding(lambda _number, _inputs: busy("3600"), waits.append) as (embedder, stub),
        pytest.raises(ProviderUnavailable, match="asking for 3600 s"),
    ):
        embedder.embed_passages(TEXTS)
    assert waits == []
    assert len(stub.requests) == 1


def test_what_a_failed_run_finished_is_not_asked_for_again() -> None:
    """C08: a caller that hands over a request's worth at a time keeps what is done.

    Batch 3 is answered 429 for ever in the first run; the second run asks for batch 3 alone.
    """
    batches = [[f"text {batch}-{i}" for i in range(3)] for batch in range(3)]
    kept: dict[str, tuple[float, ...]] = {}
    ends: list[str] = []
    broken = True

    def third_fails(_: int, inputs: list[str]) -> Answer:
        return busy("1") if broken and inputs[0] == "text 2-0" else embedded(inputs)

    def run(embedder: OpenAIEmbedder) -> None:
        for batch in batches:
            lacking = [text for text in batch if text not in kept]
            if lacking:
                found = embedder.embed_passages(lacking).vectors
                kept.update({t: v for t, v in zip(lacking, found, strict=True) if v is not None})

    with embedding(third_fails) as (embedder, stub):
        with pytest.raises(ProviderUnavailable):
            run(embedder)
        ends.append("failed")
        broken = False
        run(embedder)
    assert len(kept) == 9
    assert {stub.seen[text] for text in batches[0] + batches[1]} == {1}
    assert {stub.seen[text] for text in batches[2]} == {IN_JOBS.attempts + 1}


def test_a_refused_text_is_named_and_its_ten_neighbours_are_embedded() -> None:
    """C09: a provider that refuses a batch for one over-long text."""
    texts = [f"short {i}" for i in range(10)]
    texts.insert(4, "cell | " * 3000)

    def limited(_: int, inputs: list[str]) -> Answer:
        return refused() if any(len(text) > 9000 for text in inputs) else embedded(inputs)

    with embedding(limited) as (embedder, stub):
        outcome = embedder.embed_passages(texts)
        again = embedder.embed_passages(["a later text"])
    assert outcome.refused == ((4, "the provider refuses this text (400)"),)
    assert sum(found is not None for found in outcome.vectors) == 10
    for position, text in enumerate(texts):
        if position != 4:
            assert cosine(outcome.vectors[position], text) == pytest.approx(1.0)
    assert again.refused == ()
    assert all(count <= 5 for text, count in stub.seen.items() if text.startswith("short"))


def test_settings_that_are_refused_are_not_taken_for_the_texts() -> None:
    """C08: a 400 is not retried, and a batch of 500 does not become a thousand requests."""
    failure, stub = failure_of(
        lambda _number, _inputs: refused(), [f"text {i}" for i in range(500)]
    )
    assert isinstance(failure, Misconfigured)
    assert "refuses any input (400)" in str(failure)
    assert len(stub.requests) == 2
