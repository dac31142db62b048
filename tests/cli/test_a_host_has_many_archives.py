"""R187, R192: `fonds archive` and `fonds key`, as whoever runs a host types them."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fonds.contract.api_key import key_digest
from tests.archives import UNGATED, essay, note, written
from tests.cli.conftest import Ran
from tests.database.ingesting import rows_of
from tests.servers import Database

Fonds = Callable[..., Ran]
SECRET = "She owed the pawnbroker Tolliver forty crowns."


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two archives of authors, and a folder whose file names another's slug."""
    made = tmp_path / "archives"
    for slug in ("attic", "barn"):
        files = {
            "essays/kites.md": essay("On Kites", "The kite was never let go of before noon."),
            "notes/ilse.md": note("A note about Ilse", SECRET),
        }
        written(made / slug, files, slug)
        (made / slug / "books").mkdir(exist_ok=True)
    (made / "crook").mkdir()
    (made / "crook" / "archive.toml").write_text(
        (made / "attic" / "archive.toml").read_text(encoding="utf-8"), encoding="utf-8"
    )
    monkeypatch.setenv("FONDS_ARCHIVES", str(made))
    return made


def shown(ran: Ran) -> dict[str, Any]:
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_a_host_adds_lists_and_removes(root: Path, fonds: Fonds, database: Database) -> None:
    for slug in ("attic", "barn"):
        ran = fonds("archive", "add", root / slug)
        assert (ran.code, ran.out) == (0, f"{slug} is registered: fonds ingest, then fonds build\n")
    ran = fonds("archive", "add", root / "crook")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == 'fonds: crook: slug: another than the folder\'s name: write slug = "crook"\n'
    for command in (["ingest"], ["build", "--yes"]):
        assert fonds(*command, "--archive", root / "attic").code == 0
        assert fonds(*command, "--archive", root / "crook").code == 2
    assert fonds("key", "mint", "attic", "--scope", "search").code == 0
    lines = fonds("archive", "list").out.splitlines()
    assert re.fullmatch(
        r"attic  built \S+ \S+, 2 entities, 2 fragments, 1 keys, closed", lines[0]
    ), lines[0]
    assert lines[1:] == [
        "barn  no build, 0 entities, 0 fragments, 0 keys, closed",
        "crook  not registered: fonds archive add, not usable: crook: slug: another than the"
        ' folder\'s name: write slug = "crook"',
    ]
    shutil.move(root / "barn", root.parent / "elsewhere")
    assert (
        fonds("archive", "list")
        .out.splitlines()[1]
        .endswith("closed, not usable: barn: no folder in FONDS_ARCHIVES")
    )
    assert fonds("archive", "remove", "attic").code == 2
    ran = fonds("archive", "remove", "attic", "--yes")
    assert ran.code == 0
    assert re.match(r"attic is removed: \d+ rows\nnot reached:\n  backups", ran.out)
    assert (root / "attic" / "notes" / "ilse.md").read_text(encoding="utf-8").count(SECRET) == 1
    assert rows_of(database, "SELECT slug FROM private.archive") == [("barn",)]
    assert fonds("archive", "remove", "attic", "--yes").code == 1
    listed = shown(fonds("archive", "list", "--json"))
    assert [(one["slug"], one["registered"]) for one in listed["archives"]] == [
        ("attic", False),
        ("barn", True),
        ("crook", False),
    ]
    assert len(listed["removed"]) == 1


def test_several_are_added_by_their_slugs_and_none_keeps_another_out(
    root: Path, fonds: Fonds, database: Database
) -> None:
    """As `fonds archive list` names them, or as a shell lists the folder; the first refusal counts,
    and each is told.
    """
    ran = fonds("archive", "add", "crook", "attic", "nowhere", root / "barn")
    assert ran.code == 2
    assert ran.out.splitlines() == [
        f"{slug} is registered: fonds ingest, then fonds build" for slug in ("attic", "barn")
    ]
    assert [line.split(": ")[1] for line in ran.err.splitlines()] == ["crook", "nowhere"]
    assert rows_of(database, "SELECT slug FROM private.archive ORDER BY 1") == [
        ("attic",),
        ("barn",),
    ]
    assert fonds("ingest", "--archive", "attic").code == 0
    again = shown(fonds("archive", "add", "barn", "--json"))
    assert [one["slug"] for one in again["archives"]] == ["barn"]


def test_a_key_is_shown_once_and_kept_as_a_digest(
    root: Path, fonds: Fonds, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    fonds("archive", "add", root / "attic")
    mint = ("key", "mint", "attic", "--scope", "search", "--scope", "ask")
    ran = fonds(*mint, "--label", "Reading room", "--days", 30)
    assert ran.code == 0
    key = ran.out.strip()
    assert re.fullmatch(r"fonds_[A-Za-z0-9_-]{43}", key)
    assert re.fullmatch(r"key 1, until \d{4}-\d\d-\d\d: it is not shown again\n", ran.err)
    kept = rows_of(database, "SELECT key_hash, scopes, label FROM private.api_key")
    assert kept == [(key_digest(key), ["search", "ask"], "Reading room")]
    everywhere = [fonds("key", "list", "attic"), fonds("key", "list", "attic", "--json")]
    everywhere.append(fonds("archive", "list", "--json"))
    assert re.fullmatch(r"1  Reading room  search ask  minted \S+  until \S+\n", everywhere[0].out)
    for again in everywhere:
        assert key not in again.out + again.err
        assert key_digest(key).hex() not in again.out + again.err
    for presented, code, said in (
        (key, 0, "key 1 of attic: fonds key revoke attic 1\n"),
        (key[:-1], 1, ""),
        ("", 1, ""),
    ):
        monkeypatch.setattr(sys, "stdin", io.StringIO(f" {presented}\n"))
        found = fonds("key", "find")
        assert (found.code, found.out) == (code, said)
        assert key[:-1] not in found.out + found.err
    assert fonds("key", "revoke", "attic", 1).out == "key 1 is revoked\n"
    assert fonds("key", "revoke", "attic", 1).out == "key 1 was revoked before\n"
    assert fonds("key", "list", "attic").out.count("revoked") == 1
    actions = rows_of(database, "SELECT actor, action FROM private.audit ORDER BY audit_id")
    assert actions == [("fonds_host", "key mint"), ("fonds_host", "key revoke")]


def test_whose_key_is_made_is_the_hosts_word_alone(root: Path, fonds: Fonds) -> None:
    """R192: where many are hosted no author's file, and no missing word, says which is meant."""
    fonds("archive", "add", root / "attic")
    fonds("archive", "add", root / "barn")
    ran = fonds("key", "mint", "--scope", "ask", "--archive", root / "crook")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "fonds: FONDS_ARCHIVES is set: name the archive by its slug\n"
    assert fonds("key", "mint", "attic", "--scope", "ask").code == 0
    assert fonds("key", "revoke", "barn", 1).code == 1
    assert fonds("key", "list", "barn").out == "no key was ever minted for this archive\n"


CANNOT: tuple[tuple[tuple[str, ...], int, str], ...] = (
    (("key", "mint", "attic"), 2, "Missing option '--scope'"),
    (("key", "mint", "attic", "--scope", "write"), 2, "a scope is one of search, ask, admin"),
    (("key", "mint", "attic", "--scope", "ask", "--label", "a\tb"), 2, "a label is"),
    (("key", "mint", "attic", "--scope", "ask", "--days", "0"), 2, "--days"),
    (("key", "mint", "nowhere", "--scope", "ask"), 1, "no archive"),
    (("key", "mint", "../attic", "--scope", "ask"), 1, "an archive's name is"),
    (("key", "revoke", "attic", "x'; --"), 2, "one id"),
    (("key", "revoke", "attic", "404"), 1, "no key of this archive has that id"),
    (("archive", "remove", "a' OR true --", "--yes"), 1, "no archive of that name"),
    (("archive", "add", "nowhere"), 2, "nowhere: archive.toml: cannot be opened"),
    (("archive", "add", "/nowhere/attic"), 2, "from the folder FONDS_ARCHIVES names"),
)


def test_what_cannot_be_done_says_why(root: Path, fonds: Fonds) -> None:
    fonds("archive", "add", root / "attic")
    for typed, code, said in CANNOT:
        ran = fonds(*typed)
        assert (ran.code, ran.out) == (code, ""), typed
        assert said in ran.err
        assert len(ran.err.splitlines()) == 1


def test_one_archive_of_its_own_needs_no_name(
    tmp_path: Path, fonds: Fonds, database: Database
) -> None:
    """Without FONDS_ARCHIVES the archive of the file is meant, once it is ingested."""
    files = {"essays/kites.md": essay("On Kites", "The kite was never let go of.")}
    limits = "[access]\nanonymous = true\n[limits]\nper_minute = 5\nprivate_per_day = 7\n"
    folder = written(tmp_path / "own", files, gate=UNGATED + limits)
    assert fonds("key", "mint", "--scope", "ask", "--archive", folder).code == 1
    assert fonds("ingest", "--archive", folder).code == 0
    assert fonds("key", "mint", "--scope", "ask", "--archive", folder).code == 0
    assert fonds("key", "list", "--archive", folder).out.startswith("1  key  ask")
    assert fonds("key", "revoke", "1", "--archive", folder).code == 0
    terms = "SELECT anonymous, caller_per_minute, caller_per_day, private_per_day FROM"
    assert rows_of(database, f"{terms} private.access") == [(True, 5, 2000, 7)]
    file = folder / "archive.toml"
    file.write_text(file.read_text(encoding="utf-8").replace(limits, ""), encoding="utf-8")
    assert fonds("ingest", "--archive", folder).code == 0
    assert rows_of(database, f"{terms} private.access") == [(False, 60, 2000, None)]
