"""Canaries in a file of their own: its owner's alone to read, and read strictly (R180)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fonds.archive_config import ArchiveConfig
from fonds.contract.failures import Failure, Misconfigured
from fonds.contract.swept_string import SweptString
from fonds.evaluation.canary_file import read_canaries
from fonds.wiring.watching import suite_of, sweep_of

GOLD = "queries:\n- id: a\n  query: kites?\n  expectAnswerMode: not-found\n"
SERVED = (SweptString("note:a", "note:a", "title", "The Quillfeather bill"),)


def kept(folder: Path, text: str, mode: int = 0o600) -> Path:
    file = folder / "canaries.yaml"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return file


def config(folder: Path, gold: str | None = None, canaries: Path | None = None) -> ArchiveConfig:
    made = ArchiveConfig(folder / "archive.toml", "A", "B", "https://example.org", "a")
    file = folder / "gold.yaml"
    if gold is not None:
        file.write_text(gold, encoding="utf-8")
    return replace(made, gold=None if gold is None else file, canaries=canaries)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o620])
def test_a_file_that_others_can_reach_is_refused_with_the_remedy(tmp_path: Path, mode: int) -> None:
    """R180: mode 0600, as for the text it is from."""
    with pytest.raises(Misconfigured, match=r"chmod 600 canaries\.yaml") as refused:
        read_canaries(kept(tmp_path, "canaries: [Quillfeather]", mode))
    assert "Quillfeather" not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[Quillfeather]",
        "Quillfeather: [a]",
        "canaries: Quillfeather",
        "canaries: []",
        "canaries: [Quillfeather, '  ']",
        "canaries: [Quillfeather, '!!']",
        "canaries: [[Quillfeather]]",
        "canaries: [Quillfeather]\nqueries: []",
        "canaries: &a [Quillfeather]",
        "canaries: [Quillfeather",
    ],
)
def test_what_is_no_list_of_words_is_refused_without_a_word_of_it(
    tmp_path: Path, text: str
) -> None:
    with pytest.raises(Failure) as refused:
        read_canaries(kept(tmp_path, text))
    assert str(refused.value).startswith("canaries.yaml")
    assert "Quillfeather" not in f"{refused.value!r} {refused.value}"


def test_a_canary_that_could_never_be_found_is_named_by_its_place(tmp_path: Path) -> None:
    with pytest.raises(Failure, match=r"canaries\.yaml:3: canaries\[1\]: at least one letter"):
        read_canaries(kept(tmp_path, "canaries:\n  - Quillfeather\n  - '!!'\n"))


def test_a_suite_takes_its_canaries_from_one_place(tmp_path: Path) -> None:
    """Positions in a report are of one list."""
    file = kept(tmp_path, "canaries: [Zebrawood, Quillfeather]")
    suite = suite_of(config(tmp_path, GOLD, file))
    assert suite is not None
    assert suite.canaries == ("Zebrawood", "Quillfeather")
    with pytest.raises(Misconfigured, match=r"in gold\.yaml and in canaries\.yaml: keep"):
        suite_of(config(tmp_path, GOLD + "canaries: [Anselm]\n", file))
    with pytest.raises(Misconfigured, match=r"\[evaluation\] canaries"):
        suite_of(config(tmp_path, GOLD, tmp_path / "nowhere.yaml"))


def test_a_build_watches_with_a_suite_without_one_and_with_neither(tmp_path: Path) -> None:
    """R182."""
    file = kept(tmp_path, "canaries: [Zebrawood, Quillfeather]")
    found = ("canaries[1]: in the title of note:a",)
    assert sweep_of(config(tmp_path, GOLD, file))(SERVED) == found
    assert sweep_of(config(tmp_path, None, file))(SERVED) == found
    assert sweep_of(config(tmp_path, GOLD))(SERVED) == ()
    assert sweep_of(config(tmp_path))(SERVED) == ()
