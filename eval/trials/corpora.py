"""Real folders of other people through the whole house: read, build, search, ask.

    python -m eval.trials.corpora [FOLDER] [--only NAME] [--json] [--keep DIR]

FOLDER holds the corpora; it lies beside the checkout as `../shared/corpora` unless it is named.
Each one is copied, given its archive file of `eval/trials/archives/`, ingested twice, built and
asked, by the commands an author would type, with the `hashing` embedder. Prints a table, and below
it every reason of a refusal or remark with the number of files it stands for. No word of a file is
printed.

Exits with 1 when a file is in no account, a second run does anything, a command crashes, or a
question brings what it may not; with 2 when a corpus is not there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from eval.trials.corpora_accounts import Accounts, accounted
from eval.trials.corpora_material import MATERIAL, Material
from fonds.archive_file import read_archive_file
from fonds.settings import Settings
from fonds.store.archives import open_archive
from fonds.store.pools import open_pool
from fonds.store.private_store import PostgresPrivateStore
from fonds.store.servers import Server
from fonds.wiring.serving import serving

_BESIDE = Path(__file__).resolve().parents[3] / "shared" / "corpora"
_COMMAND = "from fonds.cli.main import main; main()"
# A child is charged with the memory of the process it was split from: this one is small.
_MEASURED = """
import os, resource, sys
code = os.spawnv(os.P_WAIT, sys.executable, [sys.executable, *sys.argv[2:]])
with open(sys.argv[1], "w") as told:
    told.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
"""
_WORKED = {"ingest": (0, 1), "build": (0,), "search": (0,), "ask": (0, 3)}


@dataclass(frozen=True, slots=True)
class Ran:
    """One command: what it printed as JSON, and what it cost."""

    code: int
    printed: Mapping[str, Any]
    seconds: float
    peak_mb: float


@dataclass(slots=True)
class Result:
    """What became of one corpus; `trouble` is empty when all went as it should."""

    name: str
    accounts: Accounts
    report: Mapping[str, Any]
    ingest: Ran
    build: Ran | None = None
    again_seconds: float = 0.0
    hits: int = 0
    mode: str = ""
    trouble: list[str] = field(default_factory=list[str])


def main() -> None:
    """Runs the trial and prints what it found."""
    options = _options()
    lacking = [one.name for one in options.material if not (options.folder / one.name).is_dir()]
    if lacking:
        sys.stderr.write(f"{options.folder} lacks {', '.join(lacking)}: name the folder of them\n")
        sys.exit(2)
    with ExitStack() as stack:
        work = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(serving(Settings(home=work / "home")))
        results: list[Result] = []
        for one in options.material:
            results.append(_tried(one, options.folder, work, server))
            if not options.json:
                _say(*(_HEAD if len(results) == 1 else ()), _row(results[-1]))
    if options.json:
        _say(json.dumps([_as_json(one) for one in results], indent=2, ensure_ascii=False))
    else:
        _say("", *_reasons(results))
    wrong = [f"{one.name}: {trouble}" for one in results for trouble in one.trouble]
    sys.stderr.writelines(f"{line}\n" for line in wrong)
    sys.exit(1 if wrong else 0)


def _tried(material: Material, corpora: Path, work: Path, server: Server) -> Result:
    folder = work / material.name
    lying = [_name(file, corpora / material.name) for file in _files(corpora / material.name)]
    moved = material.copied(corpora, folder)
    names = [moved.get(name, name) for name in lying]
    names += [name for file in _files(folder) if (name := _name(file, folder)) not in {*names}]
    names.remove("archive.toml")
    first = _run("ingest", folder)
    config = read_archive_file(folder)
    stored = _stored(server, config.slug)
    result = Result(
        material.name, accounted(names, stored, first.printed, config), first.printed, first
    )
    result.trouble += result.accounts.trouble
    again = _run("ingest", folder)
    result.again_seconds = again.seconds
    written = sum(again.printed["rowsWritten"].values())
    if again.printed["unchanged"] != len(stored) or written or again.printed["calls"]:
        result.trouble.append("a second run over the same files did something")
    result.build = _run("build", folder, "--yes")
    _asked(material, folder, result)
    return result


def _asked(material: Material, folder: Path, result: Result) -> None:
    """Search and ask; private material may be located, and nothing of it quoted."""
    hits = _run("search", folder, material.question).printed["hits"]
    result.hits = len(hits)
    if any(hit["raw"] == "private" and {"text", "summary", "gist"} & hit.keys() for hit in hits):
        result.trouble.append("a private hit carries words")
    if not any((hit["exposure"] == "text") == (material.answers == "quoted") for hit in hits):
        result.trouble.append(f"the search finds nothing {material.answers}")
    given = _run("ask", folder, material.question).printed
    result.mode = given["mode"]
    kinds = {citation["kind"] for citation in given["citations"]}
    if material.answers == "quoted" and "record" not in kinds:
        result.trouble.append("the question is not answered")
    if material.answers == "located" and "record" in kinds:
        result.trouble.append("private material is cited as a record")


def _run(command: str, folder: Path, *arguments: str) -> Ran:
    """A command in a process of its own, for its memory; raises for one that broke down."""
    peak = folder.parent / "peak"
    typed = [sys.executable, "-c", _MEASURED, str(peak), "-c", _COMMAND, command, *arguments]
    surroundings = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("FONDS_", "OPENAI"))
    }
    surroundings |= {"FONDS_HOME": str(folder.parent / "home")}
    started = perf_counter()
    done = subprocess.run(  # noqa: S603 - our own interpreter, and arguments that are no shell's
        [*typed, "--archive", str(folder), "--json"],
        env=surroundings,
        capture_output=True,
        check=False,
    )
    seconds = perf_counter() - started
    if done.returncode not in _WORKED[command]:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise SystemExit(f"{folder.name}: fonds {command} ended with {done.returncode}: {said}")
    unit = 1024**2 if sys.platform == "darwin" else 1024
    used = int(peak.read_text(encoding="utf-8")) / unit
    return Ran(done.returncode, json.loads(done.stdout), seconds, used)


def _stored(server: Server, slug: str) -> tuple[str, ...]:
    pool = open_pool(server.login_of("fonds_ingest"))
    try:
        return tuple(PostgresPrivateStore(pool, open_archive(pool, slug)).sources())
    finally:
        pool.close()


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _name(file: Path, folder: Path) -> str:
    return file.relative_to(folder).as_posix()


def _as_json(result: Result) -> dict[str, object]:
    accounts, built = result.accounts, result.build
    return {
        "corpus": result.name,
        "files": accounts.total,
        "read": len(accounts.read),
        "noText": len(accounts.no_text),
        "drafts": len(accounts.drafts),
        "setAside": {reason: len(names) for reason, names in accounts.set_aside.items()},
        "refused": len(accounts.refused),
        "entities": result.report["rowsWritten"]["entities"],
        "fragments": result.report["rowsWritten"]["fragments"],
        "remarks": len(result.report["remarks"]),
        "ingestSeconds": round(result.ingest.seconds, 1),
        "againSeconds": round(result.again_seconds, 1),
        "buildSeconds": round(built.seconds, 1) if built else None,
        "peakMb": round(max(result.ingest.peak_mb, built.peak_mb if built else 0.0)),
        "hits": result.hits,
        "mode": result.mode,
        "reasons": dict(_counted(result.report["refused"], "reason")),
        "remarked": dict(_counted(result.report["remarks"], "remark")),
        "trouble": result.trouble,
    }


def _counted(entries: Sequence[Mapping[str, Any]], name: str) -> list[tuple[str, int]]:
    """Reasons with the number of files, names of other files taken out of them."""
    said = ((f"{one['field']}: " if one.get("field") else "") + str(one[name]) for one in entries)
    return Counter(line.partition(" as ")[0] for line in said).most_common()


_COLUMNS = (
    *("files", "read", "noText", "drafts", "aside", "refused", "remarks", "entities", "fragments"),
    *("ingestSeconds", "againSeconds", "buildSeconds", "peakMb", "hits", "mode"),
)


_HEAD = ("| corpus | " + " | ".join(_COLUMNS) + " |", "|---" * (len(_COLUMNS) + 1) + "|")


def _row(result: Result) -> str:
    shown = _as_json(result)
    shown["aside"] = sum(map(len, result.accounts.set_aside.values()))
    return "| " + " | ".join([result.name, *(str(shown[one]) for one in _COLUMNS)]) + " |"


def _say(*lines: str) -> None:
    """At once: a corpus may take a minute."""
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


def _reasons(results: Sequence[Result]) -> list[str]:
    lines: list[str] = []
    for result in results:
        aside = [(reason, len(names)) for reason, names in result.accounts.set_aside.items()]
        for account, counted in (
            ("refused", _counted(result.report["refused"], "reason")),
            ("remark", _counted(result.report["remarks"], "remark")),
            ("aside", aside),
        ):
            lines += [f"{result.name}: {account}: {n} {reason}" for reason, n in counted]
    return lines


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m eval.trials.corpora", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=_BESIDE)
    parser.add_argument("--only", action="append", choices=[one.name for one in MATERIAL])
    parser.add_argument("--json", action="store_true", help="all figures as JSON")
    parser.add_argument("--keep", type=Path, help="work in this folder, and leave it as it is")
    options = parser.parse_args()
    options.material = [one for one in MATERIAL if one.name in (options.only or [one.name])]
    return options


if __name__ == "__main__":
    main()
