"""`.ci/deploy-files` asks what reads each file, and ends badly, naming the file that is wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.proxies import caddy_or_skip
from tests.house.tree import ROOT

CHECK = ROOT / ".ci" / "deploy-files"


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The deployment files in a folder of their own."""
    folder = tmp_path_factory.mktemp("tree")
    shutil.copy(ROOT / "compose.yaml", folder)
    shutil.copytree(ROOT / "deploy", folder / "deploy")
    shutil.copytree(ROOT / ".github", folder / ".github")
    return folder


def checked(folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", str(CHECK), str(folder)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": path},
    )


@pytest.mark.parametrize(
    ("file", "part", "instead", "needs"),
    [
        ("compose.yaml", "    restart: unless", "    restarts: unless", "check-jsonschema"),
        (".github/workflows/check.yml", "runs-on:", "run-on:", "check-jsonschema"),
        ("deploy/backup.sh", "file=$1\n[", "file=$1\nif [", "sh"),
        ("deploy/Dockerfile", "FROM python:3.13-slim\n", "FROM python:latest\n", "hadolint"),
        ("deploy/restore.sh", "file=$1\n", "file=$1\nrm -r $file/*\n", "shellcheck"),
        ("deploy/Caddyfile", "admin off", "admni off", "caddy"),
    ],
)
def test_a_file_its_reader_refuses_fails_the_check(
    copied: Path, file: str, part: str, instead: str, needs: str
) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    if shutil.which(needs, path=path) is None:
        pytest.skip(f"{needs} is not installed here: its wheel has none for this platform")
    if needs == "caddy":
        caddy_or_skip()  # skips where it is older than the file asks for
    text = (copied / file).read_text(encoding="utf-8")
    assert part in text
    (copied / file).write_text(text.replace(part, instead, 1), encoding="utf-8")
    try:
        done = checked(copied)
    finally:
        (copied / file).write_text(text, encoding="utf-8")
    assert done.returncode != 0
    assert Path(file).name in done.stdout + done.stderr
