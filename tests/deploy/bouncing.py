"""A real pgbouncer before the database of a test, with the settings of deploy/pgbouncer.ini."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from fonds.store.embedded_account import Account, possible_accounts
from tests.deploy.proxies import CEILING_SECONDS, wait_until
from tests.house.tree import ROOT
from tests.servers import Database

PORT = 6432
ROLE = "fonds_reader"


@contextmanager
def bounced(database: Database, *, server_connections: int) -> Generator[str]:
    """The reader's URL through a pgbouncer that holds so many connections to the server.

    Skipped where pgbouncer is not installed. It listens on a socket in a folder of its own, and
    runs as the account that may enter the server's: it refuses to run as root.
    """
    program = shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer")
    if program is None:
        pytest.skip("pgbouncer is not installed here: `apt-get install pgbouncer`")
    reached = {name: str(value) for name, value in conninfo_to_dict(database.url(ROLE)).items()}
    account = _account(reached["host"])
    with tempfile.TemporaryDirectory(prefix="fonds-bouncer-") as name:
        folder = Path(name)
        _write_settings(folder, reached, server_connections)
        for path in (folder, *folder.iterdir()):
            os.chown(path, account.uid, account.gid)
        process = _started(program, folder, account)
        url = make_conninfo(
            host=name,
            port=PORT,
            dbname=database.name,
            user=ROLE,
            password="",
            passfile=str(folder / "pgpass"),
            options="",
        )
        try:
            wait_until(lambda: process.poll() is not None or _answers(url), "pgbouncer is silent")
            assert process.poll() is None, (folder / "said.log").read_text()
            yield url
        finally:
            process.terminate()
            process.wait(CEILING_SECONDS)


def _started(program: str, folder: Path, account: Account) -> subprocess.Popen[bytes]:
    switches = os.geteuid() != account.uid
    with (folder / "said.log").open("wb") as output:
        return subprocess.Popen(
            [*account.prefix, program, str(folder / "pgbouncer.ini")],
            stdout=output,
            stderr=output,
            user=account.uid if switches else None,
            group=account.gid if switches else None,
        )


def _write_settings(folder: Path, reached: dict[str, str], server_connections: int) -> None:
    text = (ROOT / "deploy/pgbouncer.ini").read_text(encoding="utf-8")
    line = f"{reached['dbname']} = host={reached['host']} port={reached.get('port', '5432')}"
    replaced = {
        "fonds = host=database port=5432 dbname=fonds": f"{line} dbname={reached['dbname']}",
        "listen_addr = 127.0.0.1\n": "",
        "unix_socket_dir =\n": f"unix_socket_dir = {folder}\n",
        "/etc/pgbouncer/userlist.txt": str(folder / "userlist.txt"),
        "default_pool_size = 16": f"default_pool_size = {server_connections}",
    }
    for part, instead in replaced.items():
        assert text.count(part) == 1, part
        text = text.replace(part, instead)
    (folder / "pgbouncer.ini").write_text(text, encoding="utf-8")
    (folder / "userlist.txt").write_text(f'"{ROLE}" "{_password(reached)}"\n', encoding="utf-8")
    # In a file, so that no failing test prints it.
    kept = folder / "pgpass"
    kept.touch(mode=0o600)
    kept.write_text(f"*:*:*:{ROLE}:{_password(reached)}\n", encoding="utf-8")


def _password(reached: dict[str, str]) -> str:
    if reached.get("password"):
        return reached["password"]
    lines = Path(reached["passfile"]).read_text(encoding="utf-8").splitlines()
    return next(line.rsplit(":", 1)[1] for line in lines if f":{ROLE}:" in line)


def _account(host: str) -> Account:
    """Who runs the embedded server, and so may enter its socket folder; of a server elsewhere,
    somebody without powers.
    """
    if host.startswith("/"):
        return possible_accounts(Path(host).parent)[0]
    ours = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
    return Account(ours.pw_uid, ours.pw_gid, (), ours.pw_name)


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=int(CEILING_SECONDS)).close()
    except psycopg.Error:
        return False
    return True
