"""R043, R044: what goes out in one request, through the real client over a mock transport."""

from __future__ import annotations

import base64
import json
from typing import Any

import httpx2
import numpy as np
import pytest

from fonds.contract.failures import Misconfigured, QueryRefused
from fonds.providers.openai_calls import OpenAIAccess
from fonds.providers.openai_embedder import OpenAIEmbedder, OpenAIEmbedding

DIMENSIONS = 3


class Recorder:
    """Answers every input with a vector in the asked encoding and keeps the requests."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.sizes: list[int] = []
        self.authorisations: list[str] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        asked = json.loads(request.content)
        self.bodies.append(asked)
        self.sizes.append(len(request.content))
        self.authorisations.append(request.headers["Authorization"])
        row = np.array([1.0, 2.0, 2.0], dtype="<f4")
        packed = base64.b64encode(row.tobytes()).decode()
        vector: object = packed if asked["encoding_format"] == "base64" else row.tolist()
        data = [{"index": i, "embedding": vector} for i in range(len(asked["input"]))]
        return httpx2.Response(200, json={"object": "list", "data": data})

    def embedder(self, **options: object) -> OpenAIEmbedder:
        chosen: dict[str, Any] = {"model": "made-up", "dimensions": DIMENSIONS, **options}
        return OpenAIEmbedder(
            OpenAIAccess(api_key="sk-made-up"),
            OpenAIEmbedding(**chosen),
            transport=httpx2.MockTransport(self),
        )


def test_a_request_holds_at_most_2048_inputs() -> None:
    """R043."""
    recorder = Recorder()
    outcome = recorder.embedder().embed_passages([f"t{i}" for i in range(4100)])
    assert [len(body["input"]) for body in recorder.bodies] == [2048, 2048, 4]
    assert None not in outcome.vectors


def test_questions_of_a_suite_go_out_together_with_their_prefix() -> None:
    """R183: one call, within the limits of any other; one without text refuses all of them."""
    recorder = Recorder()
    embedder = recorder.embedder(query_prefix="query: ", input_types=True)
    found = embedder.embed_queries([f"q{i}" for i in range(2050)])
    assert [len(body["input"]) for body in recorder.bodies] == [2048, 2]
    assert recorder.bodies[0]["input"][:2] == ["query: q0", "query: q1"]
    assert recorder.bodies[0]["input_type"] == "query"
    assert found == (embedder.embed_query("q0"),) * 2050
    sent = len(recorder.bodies)
    with pytest.raises(QueryRefused):
        embedder.embed_queries(["q", " "])
    assert (embedder.embed_queries([]), len(recorder.bodies)) == ((), sent)


@pytest.mark.parametrize("letter", ["a", "é", "\\", "\x01"])
def test_a_request_is_at_most_a_mebibyte_as_it_is_written(letter: str) -> None:
    """R043: escapes count, and nothing is lost between two requests."""
    recorder = Recorder()
    texts = [f"{i} {letter * 20_000}" for i in range(200)]
    recorder.embedder().embed_passages(texts)
    assert max(recorder.sizes) <= 2**20
    assert len(recorder.sizes) > 2
    firsts = [sent.split()[0] for body in recorder.bodies for sent in body["input"]]
    assert firsts == [str(i) for i in range(200)]


def test_an_input_is_cut_before_a_code_point_that_does_not_fit() -> None:
    """R043: 24 KiB less one byte, then a letter of two bytes."""
    recorder = Recorder()
    recorder.embedder().embed_passages(["a" * (24 * 1024 - 1) + "é"])
    assert recorder.bodies[0]["input"] == ["a" * (24 * 1024 - 1)]


@pytest.mark.parametrize("encoding", ["base64", "float"])
def test_both_encodings_give_the_same_unit_vector(encoding: str) -> None:
    """The space does not depend on how its numbers travelled."""
    vector = Recorder().embedder(encoding=encoding).embed_query("the weir")
    assert vector == pytest.approx((1 / 3, 2 / 3, 2 / 3))


def test_prefixes_go_in_front_of_the_text_and_into_the_space() -> None:
    """R044: another prefix is another space."""
    recorder = Recorder()
    embedder = recorder.embedder(query_prefix="query: ", passage_prefix="passage: ")
    embedder.embed_passages(["the weir"])
    embedder.embed_query("the weir")
    assert [body["input"] for body in recorder.bodies] == [
        ["passage: the weir"],
        ["query: the weir"],
    ]
    assert embedder.space.space_id != recorder.embedder().space.space_id


def test_the_input_type_is_sent_on_wish_and_is_part_of_the_space() -> None:
    """R044: a server that chooses by it gives other vectors."""
    recorder = Recorder()
    embedder = recorder.embedder(input_types=True)
    embedder.embed_passages(["the weir"])
    embedder.embed_query("the weir")
    assert [body["input_type"] for body in recorder.bodies] == ["passage", "query"]
    assert embedder.space.space_id != recorder.embedder().space.space_id


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        ({"model": "text-embedding-3-large"}, True),
        ({"model": "made-up"}, False),
        ({"model": "made-up", "ask_dimensions": True}, True),
        ({"model": "text-embedding-3-large", "ask_dimensions": False}, False),
    ],
)
def test_dimensions_are_asked_of_models_that_take_them(options: dict[str, Any], sent: bool) -> None:
    """Others refuse the parameter; the length is checked in any case."""
    recorder = Recorder()
    recorder.embedder(**options).embed_query("the weir")
    assert ("dimensions" in recorder.bodies[0]) is sent


def test_unusable_texts_never_leave_and_the_others_keep_their_places() -> None:
    """R044: blank, invisible, NUL and lone surrogate are refused by position."""
    recorder = Recorder()
    outcome = recorder.embedder().embed_passages(
        ["the weir", "", "\u200b \n", "a\x00b", "\ud800", "the mill"]
    )
    assert recorder.bodies[0]["input"] == ["the weir", "the mill"]
    assert [position for position, _ in outcome.refused] == [1, 2, 3, 4]
    assert [found is None for found in outcome.vectors] == [False, True, True, True, True, False]


def test_nothing_to_embed_makes_no_call_and_needs_no_key() -> None:
    """R045: an empty batch, and one of refused texts."""
    keyless = OpenAIEmbedder(OpenAIAccess())
    assert keyless.embed_passages([]).vectors == ()
    assert keyless.embed_passages([" "]).vectors == (None,)
    assert keyless.space.dimensions == 1536


def test_a_missing_key_is_named_when_it_is_needed() -> None:
    """R045: not before."""
    with pytest.raises(Misconfigured, match="OPENAI_API_KEY"):
        OpenAIEmbedder(OpenAIAccess()).embed_query("the weir")


def test_a_question_without_text_is_refused() -> None:
    """R130: before anything is sent."""
    recorder = Recorder()
    with pytest.raises(QueryRefused):
        recorder.embedder().embed_query("\u200b")
    assert recorder.bodies == []


def test_a_key_is_in_no_repr() -> None:
    """A log line of the access shows where, never with what."""
    assert "sk-made-up" not in repr(OpenAIAccess(api_key="sk-made-up"))


@pytest.mark.parametrize(
    "address",
    [
        "",
        "api.example.org/v1",
        "ftp://example.org",
        "https://",
        "https://someone:hollyhock@example.org/v1",
        "http://[::1",
        "http://example.org:99999/v1",
    ],
)
def test_an_address_that_is_none_is_refused_without_being_repeated(address: str) -> None:
    """R097: a password may stand in it."""
    with pytest.raises(Misconfigured, match="http or https") as raised:
        OpenAIAccess(base_url=address)
    assert "hollyhock" not in str(raised.value)


def test_a_key_with_a_character_no_key_has_is_refused_unseen() -> None:
    """The HTTP layer would quote it; the line end of a file is forgiven."""
    strange = OpenAIEmbedder(OpenAIAccess(api_key="sk-hollyhöck"))
    with pytest.raises(Misconfigured) as raised:
        strange.embed_query("the weir")
    assert "hollyh" not in str(raised.value)
    recorder = Recorder()
    ended = OpenAIEmbedder(
        OpenAIAccess(api_key="sk-made-up\n"),
        OpenAIEmbedding(model="made-up", dimensions=DIMENSIONS),
        transport=httpx2.MockTransport(recorder),
    )
    ended.embed_query("the weir")
    assert recorder.authorisations == ["Bearer sk-made-up"]
