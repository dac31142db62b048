"""The login roles of the embedded server, their passwords and scope keys, and its first database.

Both are made here and kept in files that only the home's owner reads. Passwords reach the server as
verifiers: no password is ever part of a statement.
"""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path

from fonds.contract.failures import StoreRefused, Unavailable
from fonds.store.databases import (
    ROLES,
    administering,
    create_database,
    set_password,
    shut_out_public,
)
from fonds.store.embedded_cluster import COMPLETED, Cluster
from fonds.store.embedded_places import (
    admin_conninfo,
    data_folder,
    log_file,
    password_file,
    scope_key_file,
    shown,
    write_private,
)
from fonds.store.scope import SCOPED_ROLES, ScopeKey
from fonds.store.share import share_path

DATABASE = "fonds"

# Counts up when something below sets up more than before, so that it runs again on a server that
# has been completed.
_KIND = b"2"


def complete(cluster: Cluster) -> None:
    """Give a running server its roles, passwords and database, once for each state of `roles.sql`.

    Every step may be run again: a first start that died half-way is completed by the next command.
    Raises Unavailable naming the log.
    """
    roles = share_path("db/roles.sql").read_bytes()
    kind = hashlib.sha256(_KIND + roles).hexdigest()
    marker = data_folder(cluster.home) / COMPLETED
    kept = (password_file(cluster.home), scope_key_file(cluster.home))
    if _content(marker) == kind and all(file.exists() for file in kept):
        return
    try:
        _provide(cluster.home, roles)
    except (StoreRefused, Unavailable) as failure:
        raise Unavailable(
            f"the embedded server cannot be set up ({failure}): see {shown(log_file(cluster.home))}"
        ) from None
    write_private(marker, kind, uid=cluster.account.uid, gid=cluster.account.gid)


def _provide(home: Path, roles: bytes) -> None:
    admin_url = admin_conninfo(home, "postgres")
    passwords = _kept_passwords(home)
    _keep_scope_keys(home)
    with administering(admin_url) as session:
        session.execute(roles)
        for role, password in passwords.items():
            set_password(session, role, password)
        shut_out_public(session)
    create_database(admin_url, DATABASE)


def _kept_passwords(home: Path) -> dict[str, str]:
    """The passwords of the file, and made ones for roles it lacks; the file holds them afterwards.

    It is written before the server learns of them: what died in between is repeated with the same.
    """
    file = password_file(home)
    fields = (line.split(":") for line in (_content(file) or "").splitlines())
    known = {parts[3]: parts[4] for parts in fields if len(parts) == 5 and parts[4]}
    passwords = {role: known.get(role) or secrets.token_urlsafe(24) for role in ROLES}
    _written(file, [f"*:*:*:{role}:{password}" for role, password in passwords.items()])
    return passwords


def scope_keys(home: Path) -> dict[str, ScopeKey]:
    """The keys of the file by role; none where it is not there yet."""
    return {role: ScopeKey.of(text) for role, text in _known_keys(home).items()}


def _keep_scope_keys(home: Path) -> None:
    """Keys for the roles that have none yet, as in a home that an earlier version made.

    A database is told of them where it is brought to its revision, or does not know them.
    """
    known = _known_keys(home)
    keys = {role: known.get(role) or secrets.token_hex(32) for role in SCOPED_ROLES}
    _written(scope_key_file(home), [f"{role}:{key}" for role, key in keys.items()])


def _known_keys(home: Path) -> dict[str, str]:
    lines = (_content(scope_key_file(home)) or "").splitlines()
    parts = (line.partition(":") for line in lines)
    return {role: key for role, _, key in parts if key}


def _written(file: Path, lines: list[str]) -> None:
    owner = file.parent.stat()
    content = "".join(f"{line}\n" for line in lines)
    write_private(file, content, uid=owner.st_uid, gid=owner.st_gid)


def _content(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
