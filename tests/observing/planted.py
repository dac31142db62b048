"""Words that stand nowhere else, where they are planted, and how the places are read that must not
hold them.
"""

from __future__ import annotations

import gzip
import json
from http.client import HTTPConnection
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from fonds.contract.search_request import SearchRequest
from fonds.store.embedded_places import log_file
from tests.archives import essay, note
from tests.observing.collector import Collected
from tests.servers import Database

QUESTION = "Did zebrawood Quillfeather keep the Harbourbell ledger at night?"
ASKED = SearchRequest(QUESTION)
ANSWERED = SearchRequest("When was the Harbourbell ledger kept?")
PLANTED = (
    "zebrawood",  # of the question alone
    "quillfeather",  # of a private text and the question
    "zephyrine",  # of a private title
    "brindlewick",  # of a private label
    "lanternfish",  # of a gist
    "harbourbell",  # of a public text and its title
    "ottergrove",  # of the name of a file, and so of ids
    "sesame",  # of a key
)
FILES = {
    "essays/ottergrove.md": essay("Harbourbell", "The Harbourbell ledger was kept at night."),
    "notes/ottergrove.md": note(
        "Brindlewick", "Quillfeather kept the ledger at night.", exposure="semantic"
    ),
}


def gist_file(folder: Path) -> Path:
    """The author's words for the note."""
    file = folder / "gists.json"
    entries = {"note:ottergrove#p-4": {"gist": "A lanternfish of sorts.", "review": "reviewed"}}
    file.write_text(json.dumps({"version": 1, "gists": entries}), encoding="utf-8")
    return file


def fetched(port: int) -> bytes:
    """The page of measures."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/metrics")
    page = connection.getresponse().read()
    connection.close()
    return page


def server_log(database: Database) -> Path | None:
    """The log of the embedded server; another server's is out of reach."""
    if database.server.source != "embedded":
        return None
    passwords = conninfo_to_dict(database.url("fonds_reader"))["passfile"]
    return log_file(Path(str(passwords)).parent)


def traces(collected: Collected) -> str:
    """What a collector was sent, as text where it is text."""
    bodies = [gzip.decompress(one) if one[:2] == b"\x1f\x8b" else one for one in collected.bodies]
    return "".join((*collected.heads, *(body.decode("utf-8", "replace") for body in bodies)))


def found_in(words: str) -> list[str]:
    """The planted words that are there."""
    return [word for word in PLANTED if word in words.lower()]


class ServerLog:
    """What the embedded server writes from here on; another server's log is out of reach."""

    def __init__(self, database: Database) -> None:
        self._file = server_log(database)
        self._begun = self._file.stat().st_size if self._file else 0

    @property
    def since(self) -> str:
        return self._file.read_text(errors="replace")[self._begun :] if self._file else ""
