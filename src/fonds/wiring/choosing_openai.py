"""The OpenAI client's embedder, drafter and writer, as an archive's file asks for them."""

from __future__ import annotations

from fonds.archive_config import ArchiveConfig
from fonds.contract.ports import AnswerWriter, Drafter, Embedder
from fonds.providers.openai_calls import OPENAI_BASE_URL, OpenAIAccess
from fonds.providers.openai_drafter import OpenAIDrafter, OpenAIDrafting
from fonds.providers.openai_embedder import OpenAIEmbedder, OpenAIEmbedding
from fonds.providers.openai_writer import OpenAIAnswers, OpenAIWriter
from fonds.settings import Settings


def openai_embedder(settings: Settings, config: ArchiveConfig) -> Embedder:
    """Needs no key before it embeds."""
    wanted, defaults = config.embedding, OpenAIEmbedding()
    return OpenAIEmbedder(
        _access(settings),
        OpenAIEmbedding(
            model=wanted.model or defaults.model,
            dimensions=wanted.dimensions or defaults.dimensions,
            query_prefix=wanted.query_prefix or "",
            passage_prefix=wanted.passage_prefix or "",
        ),
    )


def openai_writer(settings: Settings, config: ArchiveConfig) -> AnswerWriter:
    """Needs no key before it writes; the archive's slug is sent hashed, as who asks."""
    wanted, defaults = config.answer, OpenAIAnswers()
    return OpenAIWriter(
        _access(settings),
        OpenAIAnswers(
            model=wanted.model or defaults.model,
            effort=wanted.reasoning_effort or defaults.effort,
            safety_subject=config.slug,
        ),
    )


def openai_drafter(settings: Settings, config: ArchiveConfig) -> Drafter:
    """Needs no key before it drafts; the archive's slug is sent hashed, as who asks."""
    model = config.gist.model or OpenAIDrafting().model
    return OpenAIDrafter(_access(settings), OpenAIDrafting(model, safety_subject=config.slug))


def _access(settings: Settings) -> OpenAIAccess:
    key = settings.openai_api_key
    return OpenAIAccess(
        None if key is None else key.get_secret_value(),
        settings.openai_base_url or OPENAI_BASE_URL,
    )
