"""Which account runs the embedded server: Postgres refuses root, and no folder is opened wider.

An ordinary account runs its own server. Root runs the server of a folder that belongs to somebody
as that somebody; for a folder of its own it takes a user namespace, where its files belong to
another number, else a system account that can enter both folders, else nothing is started.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from fonds.contract.failures import Misconfigured
from fonds.store.embedded_places import data_folder, keeper, shown

# Children see neither our environment nor our language: messages are English, secrets stay here.
CHILD_ENVIRONMENT = {"LC_ALL": "C", "PATH": os.defpath}

# Inside the namespace the server is one of these. The kernel shows everybody it has no number for
# as `nobody`, so `nobody` stands last: the server's administrator is recognised by this name.
NAMESPACE_ACCOUNTS = ("daemon", "bin", "nobody")

# Accounts that root may use when namespaces are not allowed, as in most containers.
SYSTEM_ACCOUNTS = ("fonds", "postgres")

UNSHARE_PLACES = "/usr/bin:/bin:/usr/local/bin"

# Prints the first path that cannot be entered or run.
_PROBE = 'for place; do [ -x "$place" ] || { printf %s "$place"; exit 1; }; done'


@dataclass(frozen=True, slots=True)
class Account:
    """Who the server's processes are: on the file system by number, to the server by name."""

    uid: int
    gid: int
    groups: tuple[int, ...]
    peer: str
    prefix: tuple[str, ...] = ()

    def run(
        self,
        *command: str,
        cwd: Path,
        output: int = subprocess.DEVNULL,
        inherited: tuple[int, ...] = (),
    ) -> subprocess.CompletedProcess[bytes]:
        """Run one program as this account; what it says goes to `output`."""
        switches = os.geteuid() != self.uid
        return subprocess.run(  # noqa: S603 - programs of the wheel and of the system, by path
            [*self.prefix, *command],
            check=False,
            cwd=cwd,
            env=CHILD_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.DEVNULL if output == subprocess.PIPE else output,
            pass_fds=inherited,
            umask=0o077,
            user=self.uid if switches else None,
            group=self.gid if switches else None,
            extra_groups=self.groups if switches else None,
        )

    @property
    def administrators(self) -> tuple[str, ...]:
        """The names of those who may administer the server: the account itself, and root."""
        if self.prefix:
            return (self.peer,)
        return tuple(sorted({self.peer, _account_name(0) or self.peer}))


def possible_accounts(home: Path) -> tuple[Account, ...]:
    """Who may run the server of this home, best first; exactly one once its data are there.

    Never empty: raises Misconfigured when nobody may.
    """
    owner = keeper(home).st_uid
    ours = os.geteuid()
    exists = data_folder(home).exists()
    if ours == 0 and owner != 0:
        return (_named(owner, home),)
    if exists and owner != ours:
        raise Misconfigured(
            f"{shown(data_folder(home))} belongs to {_account_name(owner) or f'user id {owner}'}:"
            " run as that account, or set FONDS_HOME to a folder of your own"
        )
    if ours != 0 and _account_name(ours):
        return (_named(ours, home),)
    accounts = _in_namespace(ours)
    if ours == 0 and not exists:
        accounts += _system_accounts()
    if not accounts:
        raise _refusal(home, "no account is at hand that may run it")
    return accounts


def able_account(accounts: tuple[Account, ...], home: Path, binaries: Path) -> Account:
    """The first account that can enter both folders; raises Misconfigured naming the obstacle."""
    obstacles: list[str] = []
    for account in accounts:
        obstacle = _obstacle(account, home, binaries)
        if obstacle is None:
            return account
        obstacles.append(obstacle)
    raise _refusal(home, "; ".join(obstacles))


def _obstacle(account: Account, home: Path, binaries: Path) -> str | None:
    program = binaries / "postgres"
    places = [*reversed(program.parents), program, *reversed(home.parents), home]
    done = account.run(
        "/bin/sh", "-c", _PROBE, "sh", *map(str, places), cwd=Path("/"), output=subprocess.PIPE
    )
    if done.returncode == 0:
        return None
    place = shown(os.fsdecode(done.stdout))
    if place:
        return f"account {account.peer} cannot enter {place}"
    return (
        "a user namespace is not allowed" if account.prefix else f"{account.peer} may run nothing"
    )


def _refusal(home: Path, obstacle: str) -> Misconfigured:
    return Misconfigured(
        f"the embedded server of {shown(home)} cannot run: {obstacle}. Set FONDS_HOME to a folder"
        " of an ordinary account that can enter it, or set FONDS_DATABASE_URL"
    )


def _named(uid: int, home: Path) -> Account:
    import pwd

    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        raise Misconfigured(
            f"{shown(home)} belongs to user id {uid}, which is no account here: create the account,"
            " give the folder to another one, or set FONDS_DATABASE_URL"
        ) from None
    groups = tuple(os.getgrouplist(entry.pw_name, entry.pw_gid))
    return Account(uid, entry.pw_gid, groups, entry.pw_name)


def _in_namespace(uid: int) -> tuple[Account, ...]:
    import pwd

    program = shutil.which("unshare", path=UNSHARE_PLACES)
    for name in NAMESPACE_ACCOUNTS if program else ():
        try:
            seen = pwd.getpwnam(name)
        except KeyError:
            continue
        prefix = (
            str(program),
            "--user",
            f"--map-user={seen.pw_uid}",
            f"--map-group={seen.pw_gid}",
            "--",
        )
        return (Account(uid, os.getegid(), (), name, prefix),)
    return ()


def _system_accounts() -> tuple[Account, ...]:
    import pwd

    accounts: list[Account] = []
    for name in SYSTEM_ACCOUNTS:
        try:
            accounts.append(_named(pwd.getpwnam(name).pw_uid, Path("/")))
        except KeyError:
            continue
    return tuple(accounts)


def _account_name(uid: int) -> str | None:
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return None
