"""R189: what cannot answer says so to whoever starts it, before the protocol begins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.archives import written
from tests.cli.conftest import Ran


def test_an_archive_that_serves_nothing_is_no_tool(
    tmp_path: Path, fonds: Callable[..., Ran]
) -> None:
    ran = fonds("mcp", "--archive", written(tmp_path / "archive", {}))

    assert (ran.code, ran.out) == (1, "")
    assert "fonds ingest" in ran.err
    assert ran.err.count("\n") == 1
