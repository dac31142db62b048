"""What the shipped proxies have to keep, read from their files: no word is logged, and no header is
believed.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import crossplane  # pyright: ignore[reportMissingTypeStubs]

Directive = Mapping[str, Any]

# What a caller says, under any name a log could write it.
_SPOKEN = re.compile(
    r"\$(?:http_|arg_|args\b|query_string\b|request\b|request_uri\b|request_body\b|cookie_|host\b"
    r"|uri\b|remote_addr\b|remote_user\b|document_uri\b|sent_http_)"
)
# Directives that came after the reader's last list of them.
_YOUNGER = ('"ssl_reject_handshake"',)
NGINX_LIMIT = "64k"
SET_ANEW = {
    "X-Forwarded-For": "$remote_addr",
    "X-Forwarded-Proto": "$scheme",
    "X-Forwarded-Host": "$host",
    "Forwarded": "",
    "X-Real-IP": "",
    "X-Forwarded-Prefix": "",
    "X-Forwarded-Port": "",
    "Accept-Encoding": "",
}
_CADDY_TAKEN_OUT = {
    "Forwarded",
    "X-Real-IP",
    "X-Forwarded-Prefix",
    "X-Forwarded-Port",
    "Accept-Encoding",
}


def nginx_findings(file: Path) -> list[str]:
    """One line a fault of an nginx configuration; a directive nginx does not know is one."""
    everything = _directives(file)
    # The reader takes the entries of a map for directives, and knows none of them.
    entries = {
        inner["line"] for one in everything if one["directive"] == "map" for inner in one["block"]
    }
    read = cast("Any", crossplane).parse(str(file), strict=True)
    faults = [
        f"line {fault['line']}: {fault['error']}"
        for fault in read["errors"]
        if fault["line"] not in entries and not any(name in fault["error"] for name in _YOUNGER)
    ]
    if faults:
        return faults
    return [*_nginx_logs(everything), *_nginx_passes(everything), *_nginx_limits(everything)]


def caddy_findings(program: str, file: Path) -> list[str]:
    """One line a fault of a Caddyfile, as Caddy itself understands it."""
    checked = subprocess.run(
        [program, "validate", "--config", str(file), "--adapter", "caddyfile"],
        capture_output=True,
        text=True,
        check=False,
    )
    if checked.returncode != 0:
        return [checked.stderr.strip().splitlines()[-1]]
    done = subprocess.run(
        [program, "adapt", "--config", str(file), "--adapter", "caddyfile"],
        capture_output=True,
        text=True,
        check=True,
    )
    whole = cast("Directive", json.loads(done.stdout))
    return [*_caddy_logs(whole), *_caddy_passes(whole)]


def _directives(file: Path) -> list[Directive]:
    read = cast("Any", crossplane).parse(str(file))
    return list(_flat(cast("list[Directive]", read["config"][0]["parsed"])))


def _flat(directives: list[Directive]) -> Iterator[Directive]:
    for directive in directives:
        yield directive
        yield from _flat(directive.get("block", []))


def _named(everything: list[Directive], name: str) -> list[list[str]]:
    return [one["args"] for one in everything if one["directive"] == name]


def _nginx_logs(everything: list[Directive]) -> Iterator[str]:
    formats = {args[0]: " ".join(args[1:]) for args in _named(everything, "log_format")}
    for name, text in formats.items():
        if spoken := _SPOKEN.search(text):
            yield f"log_format {name} writes {spoken[0]}: what a caller says"
    for args in _named(everything, "access_log"):
        if len(args) < 2 or args[1] not in formats:
            yield "an access log is of no format of this file"
    if _named(everything, "error_log") != [["stderr", "warn"], ["stderr", "emerg"]]:
        yield "what goes wrong with a request is logged with the request"


def _nginx_passes(everything: list[Directive]) -> Iterator[str]:
    given = [(args[0], args[1]) for args in _named(everything, "proxy_set_header")]
    for name, value in SET_ANEW.items():
        if [wanted for told, wanted in given if told == name] != [value]:
            yield f"{name} is not set anew"


def _nginx_limits(everything: list[Directive]) -> Iterator[str]:
    wanted = {
        "client_max_body_size": [[NGINX_LIMIT]],
        "gzip": [["off"]],
        "server_tokens": [["off"]],
        "proxy_max_temp_file_size": [["0"]],
        "ssl_protocols": [["TLSv1.2", "TLSv1.3"]],
        "ssl_reject_handshake": [["on"]],
        "proxy_next_upstream": [["off"]],
    }
    for name, args in wanted.items():
        if _named(everything, name) != args:
            yield f"{name} is not {' '.join(args[0])}"
    for args in _named(everything, "listen"):
        if args[0] == "443" and "ssl" not in args:
            yield "port 443 is open without TLS"
        if args[0] not in {"80", "443"}:
            yield f"port {args[0]} is open"


def _caddy_logs(whole: Directive) -> Iterator[str]:
    logs = cast("Mapping[str, Directive]", whole["logging"]["logs"])
    for name, log in logs.items():
        fields = log.get("encoder", {}).get("fields", {})
        kept = {field for field, how in fields.items() if how["filter"] == "delete"}
        if "request" not in kept and not {"request>headers", "request>host"} <= kept:
            yield f"the log {name} writes headers"
        if "request" not in kept and fields.get("request>uri", {}).get("filter") != "regexp":
            yield f"the log {name} writes paths and queries"
    if len(logs) < 2:
        yield "requests are not logged at all"


def _caddy_passes(whole: Directive) -> Iterator[str]:
    handlers = list(_handlers(whole["apps"]["http"]["servers"]))
    if any(one["handler"] == "encode" for one in handlers):
        yield "answers are compressed"
    if not any(one["handler"] == "request_body" for one in handlers):
        yield "a body has no limit"
    for one in handlers:
        if one["handler"] != "reverse_proxy":
            continue
        taken_out = set(one.get("headers", {}).get("request", {}).get("delete", ()))
        for name in sorted(_CADDY_TAKEN_OUT - taken_out):
            yield f"{name} is passed on"
        if one.get("trusted_proxies"):
            yield "the word of another proxy is believed"


def _handlers(part: object) -> Iterator[Directive]:
    if isinstance(part, dict):
        found = cast("dict[str, object]", part)
        if isinstance(found.get("handler"), str):
            yield found
        for inner in found.values():
            yield from _handlers(inner)
    elif isinstance(part, list):
        for inner in cast("list[object]", part):
            yield from _handlers(inner)
