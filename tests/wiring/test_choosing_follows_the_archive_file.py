"""Which provider stands behind a port: what the archive's file says, and what it may not say."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from pydantic import SecretStr

from fonds.answering.extractive import ExtractiveWriter
from fonds.archive_config import AnswerChoice, ArchiveConfig, EmbeddingChoice, RetrievalChoice
from fonds.contract.failures import Misconfigured
from fonds.providers.hashing_embedder import HashingEmbedder
from fonds.providers.openai_embedder import OpenAIEmbedder
from fonds.providers.openai_writer import OpenAIWriter
from fonds.retrieval.boosts import DEFAULT_BOOSTS, RecencyBoost, Theme
from fonds.settings import Settings
from fonds.wiring.choosing import chosen_embedder, chosen_retrieval, chosen_writer
from fonds.wiring.plugins import consumer_boost, consumer_source

CONFIG = ArchiveConfig(
    file=Path("archive.toml"),
    name="An Archive",
    author="Person A",
    base_url="https://example.org",
    slug="example",
)
KEYLESS = Settings()
KEYED = Settings().model_copy(update={"openai_api_key": SecretStr("sesame")})


def embedding(choice: EmbeddingChoice) -> ArchiveConfig:
    return replace(CONFIG, embedding=choice)


def test_the_hashing_space_may_be_spelled_out() -> None:
    space = HashingEmbedder().space
    spelled = EmbeddingChoice(
        "hashing", space.model, space.dimensions, space.query_prefix, space.passage_prefix
    )
    assert chosen_embedder(KEYLESS, embedding(spelled)).space == space


def test_the_local_space_is_the_default() -> None:
    chosen = chosen_embedder(KEYLESS, CONFIG)
    assert chosen.space.provider == "local"


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        (EmbeddingChoice("hashing", model="sesame"), "embedding.model"),
        (EmbeddingChoice("hashing", dimensions=7), "embedding.dimensions"),
        (EmbeddingChoice("hashing", query_prefix="sesame"), "embedding.query_prefix"),
        (EmbeddingChoice("hashing", passage_prefix="sesame"), "embedding.passage_prefix"),
        (EmbeddingChoice("local", model="sesame"), "embedding.model"),
    ],
)
def test_a_provider_of_one_model_takes_no_other(choice: EmbeddingChoice, field: str) -> None:
    """R045: another model is another space; to ignore the wish would mix them."""
    with pytest.raises(Misconfigured, match=f"^{field}: ") as refused:
        chosen_embedder(KEYLESS, embedding(choice))
    assert "sesame" not in str(refused.value)


def test_an_openai_space_is_named_by_what_the_file_says() -> None:
    choice = EmbeddingChoice("openai", "a-model", 256, "query: ", "passage: ")
    chosen = chosen_embedder(KEYED, embedding(choice))
    assert isinstance(chosen, OpenAIEmbedder)
    space = chosen.space
    assert (space.model, space.dimensions) == ("a-model", 256)
    assert (space.query_prefix, space.passage_prefix) == ("query: ", "passage: ")
    assert "sesame" not in repr(chosen)


def test_a_key_decides_between_the_writers_when_the_file_names_none() -> None:
    embedder = HashingEmbedder()
    assert isinstance(chosen_writer(KEYLESS, CONFIG, embedder), ExtractiveWriter)
    assert isinstance(chosen_writer(KEYED, CONFIG, embedder), OpenAIWriter)
    blank = KEYLESS.model_copy(update={"openai_api_key": SecretStr("")})
    assert isinstance(chosen_writer(blank, CONFIG, embedder), ExtractiveWriter)


def test_the_file_stands_above_the_key() -> None:
    embedder = HashingEmbedder()
    extractive = replace(CONFIG, answer=AnswerChoice("extractive"))
    assert isinstance(chosen_writer(KEYED, extractive, embedder), ExtractiveWriter)
    named = replace(CONFIG, answer=AnswerChoice("openai", "a-model", "low"))
    assert chosen_writer(KEYED, named, embedder).name == "openai:a-model"


def test_a_base_url_with_a_password_is_refused_without_it() -> None:
    settings = KEYED.model_copy(update={"openai_base_url": "https://ann:sesame@model.example"})
    with pytest.raises(Misconfigured, match="OPENAI_BASE_URL: ") as refused:
        chosen_writer(settings, CONFIG, HashingEmbedder())
    assert "sesame" not in str(refused.value)


def test_boosts_are_chosen_by_name_and_in_the_files_order() -> None:
    """R108: without a list the built-in ones stand."""
    assert chosen_retrieval(CONFIG).boosts == DEFAULT_BOOSTS
    named = replace(CONFIG, retrieval=RetrievalChoice(boosts=("recency", "theme"), theme_cap=7))
    assert chosen_retrieval(named).boosts == (RecencyBoost(), Theme(cap=7))
    assert chosen_retrieval(replace(CONFIG, retrieval=RetrievalChoice(boosts=()))).boosts == ()


def test_an_unknown_boost_is_refused_with_the_known_ones() -> None:
    named = replace(CONFIG, retrieval=RetrievalChoice(boosts=("theme", "themes")))
    with pytest.raises(
        Misconfigured, match=r"^retrieval\.boosts: .*\(offered: exactMatch, theme, "
    ):
        chosen_retrieval(named)


def test_a_package_that_fails_is_named_and_its_words_are_not_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """R113: another package's boost or source is looked up by its entry point."""
    points = {
        "missing": EntryPoint("missing", "sesame.nowhere:boost", "fonds.boosts"),
        "broken": EntryPoint("broken", f"{__name__}:broken", "fonds.boosts"),
        "lifting": EntryPoint("lifting", f"{__name__}:lifting", "fonds.boosts"),
    }

    def installed(*, group: str, name: str | None = None) -> list[EntryPoint]:
        return [points[name]] if name in points else [] if name else list(points.values())

    monkeypatch.setattr("fonds.wiring.plugins.entry_points", installed)
    for name in ("missing", "broken"):
        with pytest.raises(Misconfigured, match=f"'{name}' is installed and fails") as refused:
            consumer_boost(name, ())
        assert "sesame" not in str(refused.value)
    assert consumer_boost("lifting", ()) is LIFTING
    with pytest.raises(Misconfigured, match=r"^sources: .*\(offered: broken, lifting, missing\)"):
        consumer_source("other")


def broken() -> object:
    raise ValueError("sesame")


LIFTING = object()


def lifting() -> object:
    return LIFTING
