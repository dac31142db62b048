"""compose.yaml, the Dockerfile and the proxies' files keep their rules, and a planted fault in any
of them is found (R197).
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.deploy.compose_rules import compose_findings
from tests.deploy.image_rules import image_findings
from tests.deploy.proxies import caddy_or_skip
from tests.deploy.proxy_rules import caddy_findings, nginx_findings
from tests.house.tree import ROOT

COMPOSE = (ROOT / "compose.yaml").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "deploy/Dockerfile").read_text(encoding="utf-8")
NGINX = (ROOT / "deploy/nginx.conf").read_text(encoding="utf-8")
CADDY = (ROOT / "deploy/Caddyfile").read_text(encoding="utf-8")


def planted(text: str, part: str, instead: str) -> str:
    """The text with its first such part replaced; that it is there is the premise."""
    assert part in text, part
    return text.replace(part, instead, 1)


def test_compose_keeps_its_rules() -> None:
    assert compose_findings(COMPOSE) == []


@pytest.mark.parametrize(
    ("part", "instead", "finding"),
    [
        ('ports: ["80:80", "443:443"]', 'ports: ["80:80", "8010:8010"]', "proxy: publishes"),
        ('expose: ["8010"]', 'ports: ["8010:8010"]', "api: publishes"),
        ("- fonds_queue_url\n      - fonds_ingest", "- fonds_ingest", "worker: lacks fonds_queue"),
        ("[fonds_reader_url, ", "[fonds_reader_url, fonds_build_url, ", "api: holds"),
        ("- fonds_host_scope_key\n", "- fonds_gone_url\n", "which is not declared"),
        ("  fonds_host_url: { file", "  fonds_spare_url: { file", "fonds_spare_url is nobody's"),
        ('user: "10001:10001"', 'user: "0:0"', "api: runs as root"),
        ("user: postgres", "user: root", "database: runs as root"),
        ("cap_drop: [ALL]", "cap_drop: [MKNOD]", "keeps powers of root"),
        ("cap_add: [NET_BIND_SERVICE]", "cap_add: [SYS_ADMIN]", "proxy: is given powers"),
        ("read_only: true\n  cap", "read_only: false\n  cap", "can write to its own image"),
        ('["no-new-privileges:true"]', "[]", "may gain powers"),
        (", pids: 128 }\n\nx-archives", " }\n\nx-archives", "api: has no bound"),
        ("max-size: 10m, ", "", "logs without end"),
        ("target: /archives\n    read_only: true", "target: /archives", "may write to /archives"),
        ("internal: true", "internal: false", "inside: has a way out"),
        ("172.30.57.2/32", "172.30.57.0/28", "trusts the word of others"),
        ("ipv4_address: 172.30.57.2", "ipv4_address: 172.31.57.2", "not of its network"),
        ("log_error_verbosity=terse", "log_error_verbosity=verbose", "lacks log_error_verb"),
        ("/livez', timeout=3", "/', timeout=3", "api: is asked elsewhere"),
        ("FONDS_ARCHIVES: /archives", "FONDS_READER_URL: x", "stands in the environment"),
        ("source: ./deploy\n", "source: /var/run/docker.sock\n", "reaches the engine"),
        ("depends_on:\n      api:", "depends_on:\n      app:", "depends on app"),
        (
            "    stop_grace_period: 45s\n",
            "    stop_grace_period: 45s\n    network_mode: host\n",
            "leaves",
        ),
        ("  worker:\n", "  labourer:\n", "worker: is not there"),
    ],
)
def test_a_fault_in_compose_is_found(part: str, instead: str, finding: str) -> None:
    found = compose_findings(planted(COMPOSE, part, instead))
    assert any(finding in fault for fault in found), found


def test_the_image_keeps_its_rules() -> None:
    assert image_findings(DOCKERFILE) == []


@pytest.mark.parametrize(
    ("part", "instead", "finding"),
    [
        ("USER 10001:10001", "USER root", "USER"),
        ("USER 10001:10001", "USER 0", "USER"),
        ("USER 10001:10001", "", "USER"),
        ("FROM python:3.13-slim\n", "FROM python:latest\n", "not pinned"),
        ("COPY . .", "ADD . .", "ADD"),
        ("ENV PATH", "ENV OPENAI_API_KEY=x PATH", "a secret"),
        ("WORKDIR /tmp", "RUN pip install build", "the last stage installs"),
    ],
)
def test_a_fault_in_the_image_is_found(part: str, instead: str, finding: str) -> None:
    found = image_findings(planted(DOCKERFILE, part, instead))
    assert any(finding in fault for fault in found), found


@pytest.mark.parametrize("file", [".dockerignore", ".gitignore"])
def test_what_a_host_keeps_beside_the_files_is_no_part_of_the_image_or_the_tree(file: str) -> None:
    """Secrets, authors' folders and backups stand here by default: private, and not to be copied
    into a layer; a backup cannot even be read by whoever builds.
    """
    beside = set(re.findall(r"(?<![\w.])\./([a-z]+)", COMPOSE)) - {"deploy"}
    assert beside == {"archives", "backups", "secrets"}, "the premise"
    left_out = {line.strip("/") for line in (ROOT / file).read_text(encoding="utf-8").splitlines()}
    assert beside <= left_out


def test_the_image_installs_what_the_package_offers() -> None:
    """An extra that is misspelt is a warning to pip, and a service that does not start."""
    asked = re.search(r"\.whl'\)\[([a-z,]+)\]", DOCKERFILE)
    assert asked is not None
    offered = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"serve", "jobs"} <= set(asked[1].split(",")) <= set(offered["optional-dependencies"])


def test_nginx_keeps_its_rules() -> None:
    assert nginx_findings(ROOT / "deploy/nginx.conf") == []


@pytest.mark.parametrize(
    ("part", "instead", "finding"),
    [
        ("gzip off;", "gzipp off;", 'unknown directive "gzipp"'),
        ("gzip off;", "gzip on;", "gzip is not off"),
        ("gzip off;", "gzip off", "gzip"),
        ("keepalive 16;\n    }", "keepalive 16;\n", "unexpected end of file"),
        ("X-Forwarded-For $remote_addr", "X-Forwarded-For $proxy_add_x_forwarded_for", "X-Forw"),
        ('proxy_set_header Forwarded "";', "", "Forwarded is not set anew"),
        ('"route":"$route"', '"route":"$request_uri"', "$request_uri"),
        ('"route":"$route"', '"agent":"$http_user_agent"', "$http_"),
        ("access_log /dev/stdout wordless", "access_log /dev/stdout combined", "no format"),
        ("error_log stderr emerg", "error_log stderr error", "is logged with the request"),
        ("client_max_body_size 64k", "client_max_body_size 10m", "client_max_body_size"),
        ("TLSv1.2 TLSv1.3", "TLSv1 TLSv1.3", "ssl_protocols"),
        ("listen 443 ssl;", "listen 443;", "open without TLS"),
        ("listen 80;", "listen 8010;", "port 8010 is open"),
        ("proxy_max_temp_file_size 0", "proxy_max_temp_file_size 1g", "proxy_max_temp_file_size"),
    ],
)
def test_a_fault_in_nginx_is_found(part: str, instead: str, finding: str, tmp_path: Path) -> None:
    file = tmp_path / "nginx.conf"
    file.write_text(planted(NGINX, part, instead), encoding="utf-8")
    found = nginx_findings(file)
    assert any(finding in fault for fault in found), found


def test_caddy_keeps_its_rules() -> None:
    assert caddy_findings(caddy_or_skip(), ROOT / "deploy/Caddyfile") == []


@pytest.mark.parametrize(
    ("part", "instead", "finding"),
    [
        ("admin off", "administer off", "unrecognized global option"),
        ("http_port {$FONDS_HTTP_PORT:80}", "http_port eighty", "eighty"),
        ("header_up -Forwarded", "", "Forwarded is passed on"),
        ("header_up -X-Real-IP", "", "X-Real-IP is passed on"),
        ("\theader {\n", "\tencode gzip\n\theader {\n", "compressed"),
        ("transport http {", "trusted_proxies private_ranges\n\t\ttransport http {", "believed"),
        ("request>headers delete", "request>proto delete", "writes headers"),
        ("request delete", "user_id delete", "the log default writes"),
        ("request>uri regexp", "request>method regexp", "writes paths and queries"),
        ("\t\tmax_size 64KiB\n", "\t\tmax_size lots\n", "max_size"),
    ],
)
def test_a_fault_in_the_caddyfile_is_found(
    part: str, instead: str, finding: str, tmp_path: Path
) -> None:
    file = tmp_path / "Caddyfile"
    file.write_text(planted(CADDY, part, instead), encoding="utf-8")
    found = caddy_findings(caddy_or_skip(), file)
    assert any(finding in fault for fault in found), found
