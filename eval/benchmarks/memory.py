"""What an ingest holds in memory, of a small corpus and of one eight times as large.

    python -m eval.benchmarks.memory [--files 500 4000]

Prints JSON: for each size, the most that the process ever had resident, in megabytes, and the
largest over the smallest. Each corpus is taken in by a process of its own, whose peak the kernel
keeps; its vectors are given. Needs /proc, which Linux has.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from eval.benchmarks.ingest_bed import GivenVectors, ingest_database, ingested, written_essays
from fonds.archive_file import read_archive_file
from fonds.store.pools import open_pool
from fonds.store.private_store import PostgresPrivateStore
from fonds.store.scope import Login

STATUS = Path("/proc/self/status")
LACKING = 69


def main() -> None:
    """Measures each size and prints one JSON object."""
    parser = argparse.ArgumentParser(prog="python -m eval.benchmarks.memory")
    parser.add_argument("--files", type=int, nargs="+", default=[500, 4000])
    asked = parser.parse_args()
    if not STATUS.exists():
        sys.stderr.write("the peak of a process is read from /proc, which is not here\n")
        sys.exit(LACKING)
    peaks = measured(sorted(asked.files))
    report = {
        "peakMB": {str(files): round(peak / 1000, 1) for files, peak in peaks.items()},
        "largestToSmallest": round(max(peaks.values()) / peaks[min(peaks)], 3),
    }
    sys.stdout.write(json.dumps(report, indent=2) + "\n")


def measured(sizes: list[int]) -> dict[int, int]:
    """The peak in kilobytes by the number of files."""
    peaks: dict[int, int] = {}
    with (
        tempfile.TemporaryDirectory(prefix="fonds-bench-") as made,
        ingest_database(Path(made)) as found,
    ):
        for files in sizes:
            folder = Path(made) / str(files)
            written_essays(folder, files)
            archive_id = found.store(f"files-{files}").archive_id
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as child:
                peaks[files] = child.submit(_taken_in, folder, found.login, archive_id).result()
    return peaks


def _taken_in(folder: Path, login: Login, archive_id: int) -> int:
    """The peak in kilobytes after the corpus is stored with its vectors."""
    pool = open_pool(login)
    try:
        store = PostgresPrivateStore(pool, archive_id)
        ingested(read_archive_file(folder), store, GivenVectors())
    finally:
        pool.close()
    lines = STATUS.read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1])


if __name__ == "__main__":
    main()
