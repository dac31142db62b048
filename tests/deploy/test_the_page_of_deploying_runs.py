"""docs/deploying.md, done as it says on a server that has nothing, from the secrets to the removal
of an archive; what needs Docker is held against the files it names (R197).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from fonds.cli.main import run
from fonds.settings import Settings
from fonds.store.databases import ROLES
from tests.database.pg_tools import pg_tool
from tests.deploy.deploying_page import NEEDS_DOCKER, PAGE, blocks_of, other_fences, words_of
from tests.deploy.docker_commands import command_findings
from tests.deploy.fresh import Fresh
from tests.deploy.serving import served
from tests.house.tree import ROOT

BLOCKS = blocks_of(PAGE)


@pytest.fixture
def folder(fresh: Fresh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """The folder the page is read in, and the server it is done on, left as it was."""
    (tmp_path / "deploy").symlink_to(ROOT / "deploy")
    reached = conninfo_to_dict(fresh.admin_url())
    tools = pg_tool("psql", fresh.admin_url()).parent
    given = {
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), str(tools), os.environ["PATH"])),
        "PGHOST": str(reached["host"]),
        "PGPORT": str(reached["port"]),
        "PGUSER": "postgres",
        "FONDS_DATABASE_AT": f"/fonds?host={reached['host']}&port={reached['port']}",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    with psycopg.connect(fresh.admin_url(), autocommit=True) as session:
        known = session.execute(
            "SELECT rolname, rolpassword FROM pg_authid WHERE rolname = ANY (%s)", (list(ROLES),)
        ).fetchall()
        yield tmp_path
        session.execute("DROP DATABASE fonds WITH (FORCE)")
        session.execute("DROP ROLE IF EXISTS fonds_backup")
        for role, verifier in known:
            changed = sql.SQL("ALTER ROLE {} PASSWORD {}")
            session.execute(changed.format(sql.Identifier(role), sql.Literal(verifier)))


def test_the_page_runs_from_top_to_bottom(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every block that needs no Docker, in one folder, in the order of the page."""
    told: dict[str, str] = {}
    for command in (line for block in BLOCKS if not block.needs_docker for line in block.commands):
        words = words_of(command)
        if words[0] == "export":
            name, _, value = os.path.expandvars(words[1].replace("$PWD", str(folder))).partition(
                "="
            )
            monkeypatch.setenv(name, value)
        elif words[:2] == ["fonds", "serve"]:
            with served(words[1 : words.index("&")]) as listening:
                assert listening.ask("GET", "/livez").status == 200
        elif words[0] == "fonds":
            told[command] = _ours(words[1:], folder, capfd)
        else:
            done = subprocess.run(
                ["sh", "-c", command], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
            told[command] = done.stdout
    searched = [said for command, said in told.items() if command.startswith("fonds search")]
    assert ["A kite needs a tail" in said for said in searched] == [True]
    assert told["deploy/backup.sh fonds.dump"] == "fonds.dump: 1 archives\n"
    assert "not reached:" in told["fonds archive remove example --yes"]


def _ours(words: list[str], folder: Path, capfd: pytest.CaptureFixture[str]) -> str:
    """One of our commands, in this process; with its results in the file it names, if it does."""
    into = words[words.index(">") + 1] if ">" in words else None
    code = run(words[: words.index(">")] if into else words)
    out, err = capfd.readouterr()
    assert code == 0, f"{words}\n{out}{err}"
    if into:
        (folder / into).write_text(out, encoding="utf-8")
    return out


def test_what_needs_docker_names_what_is_there() -> None:
    commands = [line for block in BLOCKS if block.needs_docker for line in block.commands]
    assert len(commands) > 15, "the premise: there are some"
    assert [fault for command in commands for fault in command_findings(command)] == []


@pytest.mark.parametrize(
    "command",
    [
        "docker compose run --rm hosts fonds archive list",
        "docker compose run --rm host fonds archive lost",
        "docker compose run --rm host fonds key mint example --scopes search",
        "docker compose exec -T -e PGUSER=postgres database sh /deploy/saving.sh",
        "docker compose stop labourer",
        "docker compose begin",
        "deploy/secret.sh secrets",
        "systemctl restart fonds",
    ],
)
def test_a_command_that_is_wrong_is_found_out(command: str) -> None:
    assert command_findings(command) != []


def test_the_connections_of_the_page_add_up() -> None:
    """What each process may open, by the defaults it has; the server of compose.yaml holds two."""
    threads, jobs = Settings().serve_threads, 2
    one, two = (count * (2 * threads + 1) + 2 + 13 * jobs for count in (1, 2))
    assert (
        f"(T = {threads}, J = {jobs}) that is {one} for one process and {two} for two"
        in " ".join(PAGE.split())
    )
    held = re.search(r"max_connections=(\d+)", (ROOT / "compose.yaml").read_text(encoding="utf-8"))
    assert held is not None
    assert int(held[1]) >= two + 12


def test_every_block_of_the_page_is_of_a_known_kind() -> None:
    assert other_fences(PAGE) == []
    assert other_fences("```bash\nls\n```\n") == ["bash"]
    (block,) = blocks_of(f"```sh\n{NEEDS_DOCKER}\ndocker compose up\n```\n")
    assert (block.needs_docker, block.commands) == (True, ("docker compose up",))
