"""archive.toml: what it gives, and what it refuses by key (R195, R069)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.archive_config import GistChoice
from fonds.archive_file import read_archive_file
from fonds.contract.entity import LintWindow
from fonds.contract.failures import Misconfigured

SMALLEST = """
name = "The Example Archive"
author = "Person A"
base_url = "https://example.org/"
"""


EVERY_KEY = (
    SMALLEST
    + """
slug = "ex"
default_creators = []
private_notes_dir = "notebook"
private_books_dir = "../books"
ignore_keys = ["mood"]
[[collections]]
dir = "essays"
url_prefix = "/essays/"
type = "essay"
exposure = "semantic"
shape = "guide"
[embedding]
provider = "openai"
model = "m"
dimensions = 512
query_prefix = "query: "
passage_prefix = "passage: "
[answer]
provider = "openai"
model = "w"
reasoning_effort = "low"
[floors]
score = 0.3
coverage = 0.5
[lint]
ngram_words = 4
ngram_chars = 10
gist_max_chars = 200
[evaluation]
gold = "../eval/gold.yaml"
[gist]
model = "d"
[gist.allowed_names]
"book:low-tide" = ["Ilse", "Norden"]
[gists]
file = "gists.json"
[retrieval]
theme_cap = 9
boosts = ["theme"]
"""
)


def refused(folder: Path, toml: str) -> str:
    (folder / "archive.toml").write_text(toml, encoding="utf-8")
    with pytest.raises(Misconfigured) as refusal:
        read_archive_file(folder)
    assert refusal.value.exit_code == 2
    return str(refusal.value).removeprefix(f"{folder / 'archive.toml'}: ")


def test_the_smallest_archive_has_every_default(tmp_path: Path) -> None:
    (tmp_path / "archive.toml").write_text(SMALLEST, encoding="utf-8")
    config = read_archive_file(tmp_path / "archive.toml")
    assert (config.slug, config.base_url) == ("the-example-archive", "https://example.org")
    assert config.default_creators == ("Person A",)
    assert config.embedding.provider == "local"
    assert config.lint == LintWindow(5, 12, 400)
    assert (config.answer.provider, config.private_notes, config.collections) == (None, None, ())


def test_every_key_is_read_and_paths_stand_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "archive.toml").write_text(EVERY_KEY, encoding="utf-8")
    config = read_archive_file(tmp_path / "in")
    assert config.default_creators == ()
    assert config.private_books is not None
    assert config.private_books.path == tmp_path / "books"
    collection = config.collections[0]
    assert (collection.path, collection.exposure, collection.shape) == (
        tmp_path / "in" / "essays",
        "semantic",
        "guide",
    )
    assert (config.embedding.dimensions, config.embedding.query_prefix) == (512, "query: ")
    assert (config.floors.score, config.floors.coverage) == (0.3, 0.5)
    assert config.lint == LintWindow(4, 10, 200)
    assert (config.gold, config.gists) == (
        tmp_path / "eval" / "gold.yaml",
        tmp_path / "in" / "gists.json",
    )
    assert (config.retrieval.theme_cap, config.retrieval.boosts) == (9, ("theme",))
    assert (config.answer.model, config.answer.reasoning_effort) == ("w", "low")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('privat_notes_dir = "n"', "unknown key privat_notes_dir: did you mean private_notes_dir?"),
        ('zzz = "n"', "unknown key zzz"),
        ('[embedding]\nprovidr = "local"', "unknown key embedding.providr: did you mean provider?"),
        (
            '[[collections]]\ndir = "e"\nurl_prefix = "/"\ntype = "e"\nexposur = "none"',
            "unknown key collections[0].exposur: did you mean exposure?",
        ),
        ('[[collections]]\ndir = "e"\ntype = "e"', "collections[0].url_prefix: a value is needed"),
        ("[lint]\nngram_words = 0", "lint.ngram_words: input should be greater than or equal to 1"),
        ('slug = "A B"', "slug: write one of a-z, 0-9 and hyphens, at most 63 characters"),
        ('[embedding]\nprovider = "zebra"', "embedding.provider: input should be"),
        ("ignore_keys = 3", "ignore_keys: input should be a valid list"),
        ("[floors]\nscore = true", "floors.score: input should be a valid number"),
    ],
)
def test_a_wrong_key_is_named_and_no_value_is(tmp_path: Path, written: str, said: str) -> None:
    message = refused(tmp_path, SMALLEST + written)
    assert message.startswith(said)
    assert "zebra" not in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("base_url", "said"),
    [
        ("ftp://example.org", "an http or https address"),
        ("https://", "an http or https address"),
        ("https://[zebra", "an http or https address"),
        ("https://u:zebra@example.org", "no query, fragment or user name"),
        ("https://example.org/?zebra=1", "no query, fragment or user name"),
    ],
)
def test_a_base_url_is_an_address(tmp_path: Path, base_url: str, said: str) -> None:
    toml = SMALLEST.replace("https://example.org/", base_url)
    assert refused(tmp_path, toml) == f"base_url: {said}"


def test_what_is_no_toml_is_refused_by_line(tmp_path: Path) -> None:
    assert refused(tmp_path, SMALLEST + 'x = "zebra\n') == "not TOML at line 5, column 11"


def test_a_name_without_latin_letters_needs_a_slug(tmp_path: Path) -> None:
    toml = SMALLEST.replace("The Example Archive", "潮見ヶ浦文庫")
    assert refused(tmp_path, toml).startswith("slug: write one")


def test_a_missing_file_and_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="cannot read"):
        read_archive_file(tmp_path)
    (tmp_path / "archive.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(Misconfigured, match="not UTF-8"):
        read_archive_file(tmp_path)


def test_a_gist_names_nobody_unless_the_file_says_so(tmp_path: Path) -> None:
    """R081: by entity id."""
    (tmp_path / "archive.toml").write_text(SMALLEST, encoding="utf-8")
    assert read_archive_file(tmp_path).gist == GistChoice(None, {})
    (tmp_path / "archive.toml").write_text(EVERY_KEY, encoding="utf-8")
    names = {"book:low-tide": ("Ilse", "Norden")}
    assert read_archive_file(tmp_path).gist == GistChoice("d", names)
    wrong = SMALLEST + '[gist.allowed_names]\n"book:low-tide" = "Ilse"\n'
    assert "Ilse" not in refused(tmp_path, wrong)


def test_a_key_without_end_is_cut_in_the_line_about_it(tmp_path: Path) -> None:
    """R192: the line is read by whoever runs the host, again and again."""
    assert len(refused(tmp_path, SMALLEST + "k" * 60_000 + " = 1\n")) < 400
