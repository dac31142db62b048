"""Which provider an archive's file asks for, and with which settings."""

from __future__ import annotations

from fonds.answering.extractive import ExtractiveWriter
from fonds.archive_config import ArchiveConfig
from fonds.contract.failures import Misconfigured
from fonds.contract.ports import AnswerWriter, Embedder
from fonds.providers.hashing_embedder import HashingEmbedder
from fonds.providers.local_embedder import LocalEmbedder
from fonds.retrieval.boosts import (
    DEFAULT_BOOSTS,
    BuiltIn,
    DisclosureBoost,
    ExactMatch,
    Lexical,
    RecencyBoost,
    Theme,
)
from fonds.retrieval.retrieval_settings import RetrievalSettings
from fonds.settings import Settings
from fonds.wiring.plugins import consumer_boost

BUILT_INS: dict[str, BuiltIn] = {
    "exactMatch": ExactMatch(),
    "theme": Theme(),
    "recency": RecencyBoost(),
    "disclosure": DisclosureBoost(),
    "lexical": Lexical(),
}


def chosen_embedder(settings: Settings, config: ArchiveConfig) -> Embedder:
    """The embedder of the archive's space; loads and calls nothing yet. Raises Misconfigured."""
    wanted = config.embedding
    match wanted.provider:
        case "openai":
            # The client takes seconds to load, and most archives never call it.
            from fonds.wiring.choosing_openai import openai_embedder

            return openai_embedder(settings, config)
        case "local":
            return _as_written(config, LocalEmbedder())
        case "hashing":
            return _as_written(config, HashingEmbedder())


def chosen_writer(settings: Settings, config: ArchiveConfig, embedder: Embedder) -> AnswerWriter:
    """The archive's writer, of its `writer_provider`."""
    if writer_provider(settings, config) == "extractive":
        return ExtractiveWriter(config.author, embedder)
    from fonds.wiring.choosing_openai import openai_writer

    return openai_writer(settings, config)


def writer_provider(settings: Settings, config: ArchiveConfig) -> str:
    """Who writes; without a named one a key decides, and without a key the extractive one does."""
    return config.answer.provider or ("openai" if settings.openai_api_key else "extractive")


def chosen_retrieval(config: ArchiveConfig) -> RetrievalSettings:
    """The archive's boosts by name, built-in or an installed package's; the default set without
    any. Raises Misconfigured.
    """
    names = config.retrieval.boosts
    if names is None:
        built_ins, others = DEFAULT_BOOSTS, ()
    else:
        built_ins = tuple(BUILT_INS[name] for name in names if name in BUILT_INS)
        others = tuple(consumer_boost(name, BUILT_INS) for name in names if name not in BUILT_INS)
    cap = config.retrieval.theme_cap
    if cap is not None:
        built_ins = tuple(Theme(cap=cap) if isinstance(b, Theme) else b for b in built_ins)
    return RetrievalSettings(boosts=built_ins, others=others)


def _as_written(config: ArchiveConfig, embedder: Embedder) -> Embedder:
    """A provider with one model: the file may name it, and may not name another."""
    space, wanted = embedder.space, config.embedding
    if wanted.model not in (None, space.model):
        raise Misconfigured(f"embedding.model: {space.provider} has one model, {space.model}")
    if wanted.dimensions not in (None, space.dimensions):
        raise Misconfigured(f"embedding.dimensions: {space.model} has {space.dimensions}")
    for name in ("query_prefix", "passage_prefix"):
        if getattr(wanted, name) not in (None, getattr(space, name)):
            raise Misconfigured(f"embedding.{name}: {space.provider} has its own")
    return embedder
