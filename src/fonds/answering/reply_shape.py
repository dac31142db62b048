"""Whether a reply has the agreed shape, before anything in it is used (R145)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from fonds.answering.rejection import AnswerRejected
from fonds.contract.citation import AnswerMode, Citation, CitationKind
from fonds.contract.search_request import is_clean_text
from fonds.contract.writer_reply import WrittenSentence

if TYPE_CHECKING:
    from fonds.contract.writer_reply import Written

MAX_ANSWER_CHARS: Final = 8_000
MAX_SENTENCES: Final = 30
MAX_CITATIONS: Final = 20
"""Bounds on a runaway reply; an answer of a few paragraphs stays far below them."""


def check_shape(written: Written) -> None:
    """Raises AnswerRejected; an honest not-found is model_reported_no_answer.

    Types erase at a provider, so each field is looked at again.
    """
    if written.mode not in get_args(AnswerMode):
        raise AnswerRejected("unparseable_response", "mode")
    if not isinstance(written.sentences, tuple) or len(written.sentences) > MAX_SENTENCES:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise AnswerRejected("unparseable_response", "sentences")
    for position, sentence in enumerate(written.sentences, 1):
        _check_sentence(sentence, position)
    if sum(len(sentence.text) for sentence in written.sentences) > MAX_ANSWER_CHARS:
        raise AnswerRejected("unparseable_response", "length")
    _check_prose(written)


def has_prose(written: Written) -> bool:
    return any(sentence.text.strip() for sentence in written.sentences)


def _check_prose(written: Written) -> None:
    prose = has_prose(written)
    if written.mode == "not-found":
        if prose:
            raise AnswerRejected("unparseable_response", "not-found with prose")
        raise AnswerRejected("model_reported_no_answer")
    if written.mode != "related-material" and not prose:
        raise AnswerRejected("unparseable_response", "no prose")


def _check_sentence(sentence: object, position: int) -> None:
    if not isinstance(sentence, WrittenSentence):
        raise AnswerRejected("unparseable_response", f"sentence {position}")
    text: object = sentence.text
    if not isinstance(text, str) or not is_clean_text(text):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise AnswerRejected("unparseable_response", f"sentence {position}: text")
    citations: object = sentence.citations
    if not isinstance(citations, tuple) or len(sentence.citations) > MAX_CITATIONS:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise AnswerRejected("unparseable_response", f"sentence {position}: citations")
    for number, citation in enumerate(sentence.citations, 1):
        if not _is_citation(citation):
            raise AnswerRejected("unparseable_response", f"sentence {position}: citation {number}")


def _is_citation(citation: object) -> bool:
    if not isinstance(citation, Citation) or citation.kind not in get_args(CitationKind):
        return False
    return _is_text(citation.id) and _is_text(citation.url)


def _is_text(part: object) -> bool:
    return isinstance(part, str)
