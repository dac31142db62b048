"""Every way a writer or a provider can fail is a refusal of its own (R145, R161, R162)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fonds.answering.ask import SearchOutcome, ask
from fonds.answering.refusal import RefusalRecord, Refused
from fonds.contract.citation import Citation
from fonds.contract.failures import (
    Misconfigured,
    NothingServed,
    ProviderMisbehaved,
    ProviderUnavailable,
    Unavailable,
)
from fonds.contract.search_request import SearchRequest
from fonds.contract.writer_reply import NotWritten, WriterReply, Written, WrittenSentence
from tests.answering.asking import ASKED, FAIR, KITES, MILLS, SETTINGS, asked, refused, said
from tests.answering.hits import (
    KeptRefusals,
    RaisingWriter,
    UntouchableWriter,
)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Written("not-found", ()), "model_reported_no_answer"),
        (Written("not-found", (WrittenSentence(" ", (KITES,)),)), "model_reported_no_answer"),
        (said(FAIR, Citation("record", "essay:x#whole", "https://x/")), "fabricated_citation"),
        (said(FAIR, MILLS), "fabricated_citation"),
        (Written("partial", (WrittenSentence(FAIR, ()),)), "missing_citation"),
        (Written("related-material", ()), "missing_citation"),
        (
            Written("partial", (WrittenSentence(FAIR, (KITES,)), WrittenSentence("So.", ()))),
            "missing_citation",
        ),
        (said("Osric Pell asked for 35 metres of line."), "unsupported_claim"),
        (said("Alaric Pell asked for 30 metres of line."), "unsupported_claim"),
        (said("The pupils did fly in fog."), "unsupported_claim"),
        (said("In 1931 Osric Pell asked for 30 metres of line."), "unsupported_claim"),
        (NotWritten("model_declined", "refusal"), "model_declined"),
        (said(""), "unparseable_response"),
        (Written("partial", ()), "unparseable_response"),
        (Written("not-found", (WrittenSentence(FAIR, ()),)), "unparseable_response"),
        (NotWritten("unparseable_response", "JSONDecodeError"), "unparseable_response"),
        (NotWritten("model_unavailable", "APITimeoutError"), "model_unavailable"),
        (said(FAIR, mode="certain"), "unparseable_response"),
        (said("A\x00B"), "unparseable_response"),
        (said("A\ud800B"), "unparseable_response"),
        (said("kite " * 2_000), "unparseable_response"),
        (Written("partial", (WrittenSentence("So.", (KITES,)),) * 31), "unparseable_response"),
        (said("So.", *(KITES,) * 21), "unparseable_response"),
        (said("", KITES, mode="related-material"), "unparseable_response"),
    ],
)
def test_every_failure_of_a_writer_is_its_own_refusal(reply: WriterReply, reason: str) -> None:
    """R162: no partial answer, no citation, one reason."""
    assert refused(reply).reason == reason


@pytest.mark.parametrize(
    "reply",
    [
        Written("partial", ["no tuple"]),  # pyright: ignore[reportArgumentType]
        Written("partial", ("no sentence",)),  # pyright: ignore[reportArgumentType]
        Written("partial", (WrittenSentence(7, (KITES,)),)),  # pyright: ignore[reportArgumentType]
        Written("partial", (WrittenSentence(FAIR, [KITES]),)),  # pyright: ignore[reportArgumentType]
        Written("partial", (WrittenSentence(FAIR, ("x",)),)),  # pyright: ignore[reportArgumentType]
        said(FAIR, Citation("gist", "a", "b")),  # pyright: ignore[reportArgumentType]
        said(FAIR, Citation("record", 7, "b")),  # pyright: ignore[reportArgumentType]
    ],
)
def test_a_reply_of_another_shape_is_unparseable(reply: WriterReply) -> None:
    """R145: types erase at a provider, so each field is looked at again."""
    assert refused(reply).reason == "unparseable_response"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ProviderUnavailable("no answer"), "model_unavailable"),
        (ProviderMisbehaved("no JSON"), "unparseable_response"),
    ],
)
def test_a_provider_in_trouble_is_contained(error: Exception, reason: str) -> None:
    """R161: containment names the provider's classes."""
    given = asked(RaisingWriter(error))
    assert isinstance(given, Refused)
    assert given.reason == reason
    assert given.record.detail == type(error).__name__


@pytest.mark.parametrize(
    "error", [TypeError("x"), AssertionError("x"), KeyError("x"), Misconfigured("x")]
)
def test_our_own_defects_are_raised(error: Exception) -> None:
    """R161, R162: a broken writer of ours is no refusal."""
    with pytest.raises(type(error)):
        asked(RaisingWriter(error))


@pytest.mark.parametrize("error", [ProviderUnavailable("x"), ProviderMisbehaved("x")])
def test_an_embedder_out_of_reach_is_a_refusal(error: Exception) -> None:
    """R162: embedder_unavailable, recorded without figures."""
    log = KeptRefusals()
    given = ask(
        ASKED, search=raising(error), writer=UntouchableWriter(), settings=SETTINGS, log=log
    )
    assert isinstance(given, Refused)
    assert given.reason == "embedder_unavailable"
    assert given.record == RefusalRecord(detail=type(error).__name__)
    assert log.kept == [("embedder_unavailable", given.recorded)]


@pytest.mark.parametrize("error", [NothingServed("x"), Unavailable("x"), TypeError("x")])
def test_what_is_no_providers_trouble_is_raised(error: Exception) -> None:
    """R161: a missing build and a database out of reach are the operator's to know."""
    with pytest.raises(type(error)):
        ask(ASKED, search=raising(error), writer=UntouchableWriter(), settings=SETTINGS)


def raising(error: Exception) -> Callable[[SearchRequest], SearchOutcome]:
    def search(_: SearchRequest) -> SearchOutcome:
        raise error

    return search
