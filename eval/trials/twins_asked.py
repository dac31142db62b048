"""What a caller of the service asks of each twin, what it is told, and how long that took."""

from __future__ import annotations

import http.client
import json
import re
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from random import Random
from time import perf_counter
from typing import Literal, TypeAlias, get_args

import psycopg

from eval.benchmarks.scale_costs import Meter
from eval.trials.twins_archives import TWINS, question_on, question_on_nothing
from fonds.store.embedded import EmbeddedServer

Layers: TypeAlias = Literal["all", "public"]
Kind: TypeAlias = Literal["search", "ask", "refusal", "nearMiss"]
Case: TypeAlias = tuple[Layers, Kind]
Asked: TypeAlias = tuple[Layers, Kind, str]  # of an archive, by its name
KINDS: tuple[Kind, ...] = get_args(Kind)
LAYERS: Mapping[Layers, tuple[str, ...]] = {  # and which of the archives are asked that way
    "all": ("bare", "again", "none", "loud"),
    "public": ("bare", "again", "full", "loud"),
}
CASES: tuple[Case, ...] = tuple((layers, kind) for layers in LAYERS for kind in KINDS)
WARMING = 10  # rounds that count for nothing: connections plan, code is read
CEILING_SECONDS = 60
# What names this moment, this request or this archive; "date" is the server's clock.
_OF_THE_MOMENT = frozenset({"date", "retry-after", "x-request-id"})


@dataclass(frozen=True, slots=True)
class Reply:
    """All of a reply but for what names this archive, this moment and this request; its bytes."""

    said: str = field(repr=False)
    sent: int
    mode: str


@dataclass(slots=True)
class Told:
    """Seconds of every round by case and archive, on the wall and of the server's processor, and
    how often a twin was told otherwise than the bare archive was.
    """

    rounds: int = 0
    seconds: dict[Asked, list[float]] = field(default_factory=dict[Asked, list[float]])
    worked: dict[Asked, list[float]] = field(default_factory=dict[Asked, list[float]])
    modes: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    compared: Counter[str] = field(default_factory=Counter[str])
    differ: Counter[str] = field(default_factory=Counter[str])
    sizes_differ: Counter[str] = field(default_factory=Counter[str])


def asked_in_turn(
    port: int, server: EmbeddedServer, fragments: int, rounds: int, seconds: float
) -> Told:
    """The same question of each archive and kind once a round, in an order that is drawn anew; no
    round begins when so many seconds are over, but the first.
    """
    told = Told()
    order: list[Asked] = [(layers, kind, name) for layers, kind in CASES for name in LAYERS[layers]]
    drawn = Random(20250401)  # noqa: S311 - an order, no secret
    ending = inf
    with _caller(port) as caller, _readers(server) as readers:
        for turn in range(-WARMING, rounds):
            if turn == 0:
                ending = perf_counter() + seconds
            elif turn > 0 and perf_counter() > ending:
                break
            told.rounds = turn + 1
            drawn.shuffle(order)
            _ask_all(caller, readers, order, told, turn, fragments)
    return told


def _ask_all(
    caller: Caller, readers: Readers, order: list[Asked], told: Told, turn: int, fragments: int
) -> None:
    replies: dict[Asked, Reply] = {}
    for one in order:
        layers, kind, name = one
        body = _body(layers, kind, turn, fragments)
        before, began = readers.seconds(), perf_counter()
        status, headers, sent = caller.ask(name, kind, body)
        taken, after = perf_counter() - began, readers.seconds()
        replies[one] = _read(name, status, headers, sent, with_counts=layers == "all")
        if turn >= 0:
            told.seconds.setdefault(one, []).append(taken)
            told.worked.setdefault(one, []).append(
                sum(spent - before.get(pid, spent) for pid, spent in after.items())
            )
    if turn >= 0:
        compare(replies, told)


@dataclass(frozen=True, slots=True)
class Readers:
    """The processes of the server that read for the service: what a caller cannot see of its
    work, and what tells where time goes.
    """

    admin: psycopg.Connection[tuple[int]]

    def seconds(self) -> dict[int, float]:
        """Processor time of each so far."""
        found = self.admin.execute(
            "SELECT pid FROM pg_stat_activity WHERE usename = 'fonds_reader'"
        ).fetchall()
        spent: dict[int, float] = {}
        for (pid,) in found:
            with suppress(FileNotFoundError):  # one that ended meanwhile
                spent[pid] = Meter(pid).server_seconds
        return spent


@contextmanager
def _readers(server: EmbeddedServer) -> Generator[Readers]:
    with psycopg.connect(server.admin_url("fonds"), autocommit=True) as admin:
        yield Readers(admin)


@contextmanager
def _caller(port: int) -> Generator[Caller]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=CEILING_SECONDS)
    try:
        yield Caller(connection)
    finally:
        connection.close()


@dataclass(frozen=True, slots=True)
class Caller:
    """One connection that is kept."""

    connection: http.client.HTTPConnection

    def ask(self, name: str, kind: Kind, asked: str) -> tuple[int, list[tuple[str, str]], bytes]:
        where = "search" if kind == "search" else "ask"
        headers = {"Content-Type": "application/json"}
        self.connection.request("POST", f"/v1/archives/{name}/{where}", asked, headers)
        reply = self.connection.getresponse()
        body = reply.read()
        if reply.status != 200:
            raise RuntimeError(f"the service answered {reply.status} to a {where}")
        return reply.status, reply.getheaders(), body


def _body(layers: Layers, kind: Kind, turn: int, fragments: int) -> str:
    number = turn % fragments
    match kind:
        case "search" | "ask":
            question = question_on(number, turn)
        case "refusal":
            question = question_on_nothing(turn)
        case "nearMiss":
            question = question_on(number, turn, hidden=True)
    filters = {"filters": {"raw": "public"}} if layers == "public" else {}
    return json.dumps({"q": question, **filters})


def _read(
    name: str, status: int, headers: list[tuple[str, str]], body: bytes, *, with_counts: bool
) -> Reply:
    """How much the index holds is said of all that is served, so that an archive with private
    material says more of it: left out where `with_counts` is false, with the length it gives.
    """
    text = body.decode().replace(f'"{name}"', '"X"').replace(f"/{name}/", "/X/")
    text = re.sub(r'("builtAt": ?")[^"]*|urn:uuid:[0-9a-f-]{36}', r"\1", text)
    left_out = _OF_THE_MOMENT
    if not with_counts:
        text = re.sub(r'("(?:entity|fragment)Count": ?)\d+', r"\g<1>0", text)
        left_out |= {"content-length"}
    kept = sorted((key.lower(), value) for key, value in headers if key.lower() not in left_out)
    said: dict[str, object] = json.loads(body)
    mode = str(said.get("mode", "hits" if said.get("hits") else "no hits"))
    return Reply(f"{status} {kept} {text}", len(text if not with_counts else body), mode)


def compare(replies: Mapping[Asked, Reply], told: Told) -> None:
    """Counts a round's replies against those of `bare`; of `loud` they differ on purpose."""
    for (layers, kind, name), reply in replies.items():
        told.modes.setdefault(f"{layers} {kind} {name}", Counter())[reply.mode] += 1
        if name in ("bare", "loud"):
            continue
        other = replies[layers, kind, "bare"]
        told.compared[name] += 1
        told.differ[name] += reply.said != other.said
        told.sizes_differ[name] += reply.sent != other.sent


assert {name for names in LAYERS.values() for name in names} == {*TWINS}  # noqa: S101
