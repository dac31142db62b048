"""R097, R161: what each reply of a failing server becomes, through the real client."""

from __future__ import annotations

import openai
import pytest

from fonds.contract.failures import (
    Failure,
    Misconfigured,
    ProviderMisbehaved,
    ProviderUnavailable,
)
from fonds.providers.openai_calls import OpenAIAccess
from fonds.providers.openai_embedder import IN_JOBS, OpenAIEmbedder
from fonds.providers.openai_trouble import retry_after, trouble_of
from tests.providers.stub_provider import (
    Answer,
    embedded,
    failure_of,
    refused,
    stub_provider,
)


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (401, Misconfigured, "refuses the key (401)"),
        (403, Misconfigured, "refuses the key (403)"),
        (404, Misconfigured, "does not know the model or the address (404)"),
        (307, Misconfigured, "redirects (307)"),
        (408, ProviderUnavailable, "busy (408)"),
        (500, ProviderUnavailable, "fails (500)"),
        (503, ProviderUnavailable, "fails (503)"),
    ],
)
def test_each_status_becomes_a_failure_with_its_remedy(
    status: int, kind: type[Failure], words: str
) -> None:
    """Nothing of the provider's message gets into ours."""
    there = {"Location": "http://127.0.0.1:9/elsewhere"}
    answer = Answer(status, {"error": {"message": "hollyhock"}}, there)
    failure, stub = failure_of(lambda _number, _inputs: answer)
    assert type(failure) is kind
    assert words in str(failure)
    assert "hollyhock" not in str(failure)
    assert len(stub.requests) == (IN_JOBS.attempts if kind is ProviderUnavailable else 1)


def test_a_used_up_quota_is_not_retried() -> None:
    """Waiting does not fill an account."""
    body = {"error": {"message": "x", "code": "insufficient_quota"}}
    failure, stub = failure_of(lambda _number, _inputs: Answer(429, body, {"Retry-After": "1"}))
    assert isinstance(failure, ProviderUnavailable)
    assert "quota" in str(failure)
    assert len(stub.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        "<html>gateway</html>",
        {"data": None},
        {"data": [{"index": "first", "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": {"hollyhock": 1}}]},
        {"data": [{"index": 0, "embedding": ["hollyhock"]}]},
        {"data": [{"embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": "hollyhock!"}]},
        {"data": [{"index": 0, "embedding": "AAA="}]},
    ],
)
def test_a_reply_of_another_shape_is_refused_without_its_words(body: object) -> None:
    """R043: a proxy's page, a null, a word for a number, broken base64."""
    failure, _ = failure_of(lambda _number, _inputs: Answer(200, body), ["one text"])
    assert isinstance(failure, ProviderMisbehaved)
    assert "hollyhock" not in str(failure)
    assert failure.__cause__ is None


def test_a_dead_provider_is_unavailable() -> None:
    """R161: nothing listens at the address."""
    with stub_provider(lambda _, inputs: embedded(inputs)) as stub:
        gone = stub.base_url
    embedder = OpenAIEmbedder(OpenAIAccess(base_url=gone), sleep=lambda _: None)
    with pytest.raises(ProviderUnavailable, match="cannot be reached \\(ConnectError\\)"):
        embedder.embed_query("where is the mill")
    embedder.close()


def test_no_failure_carries_a_text_in_its_chain() -> None:
    """R097: neither message nor context of a failure holds what was sent or quoted back."""
    failure, _ = failure_of(lambda _number, _inputs: refused(), ["hollyhock and delphinium"])
    link: BaseException | None = failure
    while link is not None:
        assert "hollyhock" not in f"{link!s}{link!r}"
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def test_a_provider_that_fails_while_settings_are_told_apart_is_unavailable() -> None:
    """C09: the probe's own failure is not taken for a refusal."""

    def then_down(number: int, _: list[str]) -> Answer:
        return refused() if number == 1 else Answer(503, {})

    failure, _ = failure_of(then_down)
    assert isinstance(failure, ProviderUnavailable)
    assert "fails (503)" in str(failure)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 99 Oct 99999999999999 07:28:00 GMT"}, None),
        ({}, None),
    ],
)
def test_the_time_a_provider_asks_for_is_read_in_all_its_forms(
    headers: dict[str, str], seconds: float | None
) -> None:
    """C08: milliseconds, seconds, a date; what is none of them is not guessed."""
    assert retry_after(headers) == seconds


def test_another_error_of_the_client_is_a_misbehaving_provider() -> None:
    """R161: the whole family is translated, by name only."""
    trouble = trouble_of(openai.OpenAIError("hollyhock"), "the embedder")
    assert isinstance(trouble.failed.failure, ProviderMisbehaved)
    assert str(trouble.failed.failure) == "the embedder answered out of shape (OpenAIError)"
    assert not trouble.retry
