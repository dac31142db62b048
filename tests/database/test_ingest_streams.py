"""An archive is read in batches: what is in memory does not grow with it (R020)."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from fonds.contract.fragment import Fragment
from fonds.ingestion import ingest_archive
from tests.archives import essay, house_of, written
from tests.servers import Database

FILES, AT_ONCE = 40, 4


def _held() -> int:
    """Fragments in memory; by exact type, since a proxy asked for its class may load what it is."""
    return sum(type(one) is Fragment for one in gc.get_objects())


def test_a_run_holds_one_batch_of_fragments(
    tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted as each file has been read and as each batch has been embedded."""
    monkeypatch.setattr(ingest_archive, "BATCH_FILES", AT_ONCE)
    files = {f"essays/e{n:02}.md": essay(f"Essay {n}", f"Words number {n}.") for n in range(FILES)}
    folder = written(tmp_path / "archive", files)
    before = _held()
    seen: dict[str, list[int]] = {"read": [], "embed": []}

    def watch(step: str, done: int, total: int) -> None:
        if step in seen:
            seen[step].append(_held() - before)

    with house_of(folder, database) as house:
        report = house.ingest(progress=watch)
    assert (report.done, report.rows.fragments) == (FILES, FILES)
    assert len(seen["read"]) == FILES
    # The batch that was written last, the one being filled, and the file that is being read.
    assert 0 < max(seen["read"] + seen["embed"]) <= 2 * AT_ONCE + 1
