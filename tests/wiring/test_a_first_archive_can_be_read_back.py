"""`fonds init` writes an archive, whatever its owner is called, and overwrites nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonds.archive_file import read_archive_file
from fonds.cli.main import run
from fonds.contract.failures import Misconfigured
from fonds.wiring.starting import start_archive
from fonds.wiring.watching import suite_of

URL = "https://example.org"


@given(
    author=st.text(st.characters(exclude_categories=("Cs",)), min_size=1).filter(
        lambda name: bool(name.strip())
    )
)
def test_any_author_is_read_back_as_written(
    author: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """TOML takes fewer characters as they are than JSON does: DEL, and escapes of two halves."""
    folder = tmp_path_factory.mktemp("archive")
    start_archive(folder, name="Mine", author=author, base_url=URL)
    assert read_archive_file(folder).author == author.strip()


@pytest.mark.parametrize("name", ["Über Gärten", "庭の記録", "حديقة", "<b>庭</b>"])
def test_a_name_of_any_script_takes_its_folders_slug(tmp_path: Path, name: str) -> None:
    start_archive(tmp_path / "My Garden", name=name, author="Ann", base_url=URL)
    begun = read_archive_file(tmp_path / "My Garden")
    assert (begun.name, begun.slug) == (name, "my-garden")


def test_a_folder_of_no_slug_either_is_told_so_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="name the folder so"):
        start_archive(tmp_path / "庭", name="!!!", author="Ann", base_url=URL)
    assert not (tmp_path / "庭").exists()


@pytest.mark.parametrize(
    ("name", "base_url", "said"),
    [
        ("Mine", "ftp://example.org", "base_url"),
        ("Mine", "https://ann:sesame@example.org", "base_url"),
        (" ", URL, "name"),
        ("Mi\ud800ne", URL, "cannot be written"),
    ],
)
def test_terms_that_would_be_refused_later_leave_no_archive_file(
    tmp_path: Path, name: str, base_url: str, said: str
) -> None:
    with pytest.raises(Misconfigured, match=said) as refused:
        start_archive(tmp_path / "mine", name=name, author="Ann", base_url=base_url)
    assert "sesame" not in str(refused.value)
    assert not (tmp_path / "mine" / "archive.toml").exists()
    made = start_archive(tmp_path / "mine", name="Mine", author="Ann", base_url=URL)
    assert [path.name for path in made] == ["archive.toml"]


def test_a_first_suite_has_three_refusals_and_one_route(tmp_path: Path) -> None:
    """R180: the file is read as any suite is, and asks nothing of a source that is not there."""
    start_archive(tmp_path, name="Mine", author="Ann", base_url=URL)
    suite = suite_of(read_archive_file(tmp_path))
    assert suite is not None
    modes = [case.expect_mode for case in suite.cases]
    assert modes == ["not-found", "not-found", "not-found", "related-material"]
    assert not any(case.names_sources for case in suite.cases)
    assert any("Ann" in case.query for case in suite.cases)


def test_what_is_there_is_kept(tmp_path: Path) -> None:
    (tmp_path / "essays").mkdir()
    (tmp_path / "essays" / "_about.md").write_text("mine", encoding="utf-8")
    made = start_archive(tmp_path, name="Mine", author="Ann", base_url=URL)
    assert [path.relative_to(tmp_path).as_posix() for path in made] == [
        "notes/_about.md",
        "gold.yaml",
        "archive.toml",
    ]
    assert (tmp_path / "essays" / "_about.md").read_text(encoding="utf-8") == "mine"
    with pytest.raises(Misconfigured, match="nothing was changed"):
        start_archive(tmp_path, name="Other", author="Ann", base_url=URL)
    assert read_archive_file(tmp_path).name == "Mine"


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("a file", encoding="utf-8")
    with pytest.raises(Misconfigured, match="choose another folder"):
        start_archive(tmp_path / "mine", name="Mine", author="Ann", base_url=URL)


def test_the_command_says_what_to_run_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "my archive"
    assert run(["init", str(folder)]) == 0
    assert f"  fonds build --yes --archive '{folder}'\n" in capsys.readouterr().out
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert run(["init", "--json"]) == 0
    assert '"archive.toml"' in capsys.readouterr().out
    (tmp_path / "here" / "archive.toml").unlink()
    assert run(["init"]) == 0
    assert "  fonds ingest\n  fonds preview\n  fonds build --yes\n" in capsys.readouterr().out


def test_the_examples_it_writes_are_files_an_ingest_takes(
    tmp_path: Path, check_example: Callable[[Path], None]
) -> None:
    start_archive(tmp_path, name="Mine", author="Ann", base_url=URL)
    for name in ("essays", "notes"):
        help_text = (tmp_path / name / "_about.md").read_text(encoding="utf-8")
        lines = [line.removeprefix("    ") for line in help_text.split("\n\n", 1)[1].splitlines()]
        (tmp_path / name / "example.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    check_example(tmp_path)


@pytest.fixture
def check_example() -> Callable[[Path], None]:
    """Reads both files as an ingest does; raises for a field it does not know."""
    from fonds.ingestion.corpus import found_corpus
    from fonds.ingestion.inventory import taken_inventory
    from fonds.ingestion.reading import read_file
    from fonds.ingestion.roots import checked_roots

    def check(folder: Path) -> None:
        config = read_archive_file(folder)
        corpus = found_corpus(checked_roots(config))
        inventory = taken_inventory(corpus, {}, frozenset(), lambda step, done, total: None)
        assert not inventory.refused
        assert len(inventory.candidates) == 2
        for candidate in inventory.candidates:
            assert read_file(candidate, config).source is not None

    return check
