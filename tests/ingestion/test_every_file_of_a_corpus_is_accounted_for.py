"""The trial of real corpora names every file in one account, and says when it cannot (R020)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from eval.trials.corpora import main
from eval.trials.corpora_accounts import accounted, why_unread
from eval.trials.corpora_material import MATERIAL
from fonds.archive_file import read_archive_file
from tests.ingestion.corpora import config_of

FILES = [
    "README.md",
    "books/tide.txt",
    "books/tide.toml",
    "essays/.hidden.md",
    "essays/_later.md",
    "essays/draft.md",
    "essays/empty.md",
    "essays/kite.png",
    "essays/kites.md",
    "essays/sub/_parts/x.md",
    "essays/torn.md",
]
REPORT: dict[str, Any] = {
    "noText": ["essays/empty.md"],
    "refused": [{"file": "essays/torn.md"}],
    "drafts": 1,
}
STORED = ("books/tide.txt", "essays/kites.md")


def test_each_file_is_in_the_account_it_belongs_to(tmp_path: Path) -> None:
    found = accounted(FILES, STORED, REPORT, config_of(tmp_path))
    assert found.trouble == ()
    assert (found.read, found.no_text, found.refused, found.drafts) == (
        STORED,
        ("essays/empty.md",),
        ("essays/torn.md",),
        ("essays/draft.md",),
    )
    assert found.set_aside == {
        "outside of the folders": ("README.md",),
        "fields of another file": ("books/tide.toml",),
        "its name begins with _ or .": (
            "essays/.hidden.md",
            "essays/_later.md",
            "essays/sub/_parts/x.md",
        ),
        "a format that is not read (.png)": ("essays/kite.png",),
    }
    assert found.total == len(FILES)


@pytest.mark.parametrize(
    ("stored", "change", "said"),
    [
        (STORED[:1], {}, "2 files are in no account, and 1 are drafts"),
        (STORED, {"drafts": 0}, "1 files are in no account, and 0 are drafts"),
        (STORED, {"noText": ["essays/kites.md"]}, "essays/kites.md: read and no text"),
        ((*STORED, "essays/ghost.md"), {}, "essays/ghost.md: named by the run and not in"),
    ],
)
def test_what_does_not_add_up_is_said(
    stored: tuple[str, ...], change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    found = accounted(FILES, stored, REPORT | change, config_of(tmp_path))
    assert any(said in trouble for trouble in found.trouble)


def test_a_name_alone_says_why_a_file_is_not_looked_into(tmp_path: Path) -> None:
    config = config_of(tmp_path)
    assert why_unread("talks/day.vtt", config) == "draft"
    assert why_unread("talks/day.txt", config) == "a format that is not read (.txt)"
    assert why_unread("essays/LICENSE", config) == "a format that is not read (none)"


def test_a_folder_without_the_corpora_is_said_and_ends_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["corpora", str(tmp_path), "--only", "blog-rust"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "lacks blog-rust" in capsys.readouterr().err


@pytest.mark.parametrize("name", [one.name for one in MATERIAL])
def test_each_corpus_has_an_archive_file_that_can_be_read(name: str) -> None:
    """R195: strict, and in the space that needs no weights."""
    folder = Path(__file__).parents[2] / "eval" / "trials" / "archives"
    config = read_archive_file(folder / f"{name}.toml")
    assert (config.slug, config.embedding.provider) == (name, "hashing")
    assert config.has_folders
