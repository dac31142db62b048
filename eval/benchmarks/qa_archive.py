"""A sample of a question set as an archive: files, ingested and built as any archive is."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from eval.benchmarks.qa_sets import Kind, QaQuestion, QaSample
from fonds.archive_file import read_archive_file
from fonds.contract.failures import Failure
from fonds.contract.normalised_text import normalised_text
from fonds.contract.ports import AnswerWriter, Embedder
from fonds.settings import Settings
from fonds.store.servers import Server
from fonds.wiring.house import House
from fonds.wiring.serving import RolePools

AUTHOR = "The Compiler"
_ARCHIVE = """\
name = "Passages of {name}"
author = "{author}"
base_url = "https://example.org"
slug = "{name}"
private_notes_dir = "notes"

[[collections]]
dir = "essays"
url_prefix = "/essays/"
type = "essay"

[embedding]
provider = "{provider}"
"""
_CALIBRATED = """
[evaluation]
calibration = "calibration.yaml"
"""
_KINDS: dict[Kind, str] = {"answerable": "answerable", "absent": "out-of-archive"}
_ESSAY = "---\ntitle: {title}\n---\n{text}\n"
_NOTE = """\
---
title: {title}
label: {label}
about: https://example.org/notes/{label}/
locator: {label}
exposure: locator
---
{text}
"""


@contextmanager
def served(
    sample: QaSample, folder: Path, server: Server, embedder: Embedder, writer: AnswerWriter
) -> Generator[tuple[House, dict[str, str]]]:
    """The archive, live, and which passage each entity of it is."""
    entities = _written(sample, folder, embedder.space.provider)
    with ExitStack() as stack:
        house = House(
            Settings(home=folder / "home"),
            read_archive_file(folder),
            server,
            embedder,
            writer,
            RolePools(server, stack),
        )
        report = house.ingest(progress=lambda step, done, total: None)
        if report.exit_code:
            raise Failure(f"{sample.name}: {len(report.refused)} passages were refused")
        house.build(yes=True)
        yield house, entities


def _written(sample: QaSample, folder: Path, provider: str) -> dict[str, str]:
    for root in ("essays", "notes"):
        (folder / root).mkdir(parents=True)
    terms = _ARCHIVE.format(name=sample.name, author=AUTHOR, provider=provider)
    if sample.calibration:
        terms += _CALIBRATED
        lines = _calibration(sample.calibration)
        (folder / "calibration.yaml").write_text(lines, encoding="utf-8")
    (folder / "archive.toml").write_text(terms, encoding="utf-8")
    entities: dict[str, str] = {}
    for number, (key, row) in enumerate(sample.passages.items()):
        hidden = key in sample.private
        name = f"p{number:05}"
        entities[f"{'note' if hidden else 'essay'}:{name}"] = key
        file = folder / ("notes" if hidden else "essays") / f"{name}.md"
        title = json.dumps(row["title"] or "Untitled", ensure_ascii=False)
        shape = _NOTE if hidden else _ESSAY
        text = shape.format(title=title, label=f"leaf-{number}", text=row["text"])
        file.write_text(text, encoding="utf-8")
    return entities


def _calibration(questions: tuple[QaQuestion, ...]) -> str:
    """The file of an archive's own questions, each once; JSON is YAML."""
    once = {normalised_text(one.text): one for one in questions}
    return json.dumps(
        {
            "questions": [
                {"id": f"c{number}", "kind": _KINDS[one.kind], "question": one.text}
                for number, one in enumerate(once.values())
            ]
        },
        ensure_ascii=False,
    )
