"""R142, R162: a model that fails, drips, floods or cannot be reached."""

from __future__ import annotations

from collections.abc import Generator

import httpx2
import pytest

from fonds.contract.failures import Misconfigured
from fonds.contract.writer_reply import NotWritten
from fonds.providers.openai_calls import OpenAIAccess
from fonds.providers.openai_writer import OpenAIWriter
from tests.providers.stub_model import TASK, asked, writer


@pytest.mark.parametrize(
    ("status", "outcome", "requests"),
    [
        (429, NotWritten("model_unavailable", "429"), 2),
        (500, NotWritten("model_unavailable", "500"), 2),
        (503, NotWritten("model_unavailable", "503"), 2),
        (400, NotWritten("model_unavailable", "400"), 1),
    ],
)
def test_a_provider_that_fails_is_unavailable_after_one_more_try(
    status: int, outcome: NotWritten, requests: int
) -> None:
    """R142, R162: one retry, and none for a request that is refused as it stands."""
    found, made = asked({"error": {"message": "hollyhock"}}, status)
    assert found == outcome
    assert len(made) == requests


def test_a_content_filter_before_the_model_is_a_decline() -> None:
    """R142: some servers refuse with a status where others answer with a refusal."""
    found, _ = asked({"error": {"message": "x", "code": "content_filter"}}, 400)
    assert found == NotWritten("model_declined", "content_filter")


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_or_model_is_raised_for_the_operator(status: int) -> None:
    """R161: misconfiguration is no refusal."""
    with pytest.raises(Misconfigured) as raised:
        asked({"error": {"message": "hollyhock"}}, status)
    assert "hollyhock" not in str(raised.value)


@pytest.mark.parametrize(
    ("error", "detail"),
    [(httpx2.ReadTimeout("x"), "APITimeoutError"), (httpx2.ConnectError("x"), "ConnectError")],
)
def test_a_model_that_cannot_be_reached_is_unavailable(error: Exception, detail: str) -> None:
    """R162: not raised."""

    def broken(_: httpx2.Request) -> httpx2.Response:
        raise error

    assert writer(broken).write(TASK) == NotWritten("model_unavailable", detail)


def test_a_defect_of_our_own_is_raised() -> None:
    """R161: containment names the provider's exceptions and no others."""

    def defect(_: httpx2.Request) -> httpx2.Response:
        raise TypeError("ours")

    with pytest.raises(TypeError, match="ours"):
        writer(defect).write(TASK)


def test_without_a_key_everything_but_a_call_works() -> None:
    """R045: the client is made when it is needed."""
    keyless = OpenAIWriter(OpenAIAccess())
    assert keyless.name == "openai:gpt-4o-mini"
    keyless.close()
    with pytest.raises(Misconfigured, match="OPENAI_API_KEY"):
        keyless.write(TASK)


def test_a_reply_that_drips_past_its_time_is_given_up() -> None:
    """R142: 30 s overall, though each piece comes in time."""
    now = [0.0]

    class Drip(httpx2.SyncByteStream):
        def __iter__(self) -> Generator[bytes]:
            while True:
                now[0] += 5.0
                yield b" "

    slow = OpenAIWriter(
        OpenAIAccess(api_key="sk-made-up"),
        transport=httpx2.MockTransport(lambda _: httpx2.Response(200, stream=Drip())),
        sleep=lambda _: None,
        clock=lambda: now[0],
    )
    assert slow.write(TASK) == NotWritten("model_unavailable", "APITimeoutError")
    assert now[0] == pytest.approx(35.0)


def test_a_reply_without_end_is_cut_off() -> None:
    """A hostile server does not fill the memory."""

    class Flood(httpx2.SyncByteStream):
        def __iter__(self) -> Generator[bytes]:
            while True:
                yield b" " * 2**16

    found = writer(lambda _: httpx2.Response(200, stream=Flood())).write(TASK)
    assert found == NotWritten("unparseable_response", "reply out of bounds")
