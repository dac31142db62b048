"""docs/api.md, done as it says: each `curl` is sent to the application, and what comes back is held
against what is printed (R197).
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Generator

import pytest
from starlette.testclient import TestClient

from fonds.api.problems import TITLES
from fonds.contract.outcomes import FAILURES, NOT_ADMITTED
from fonds.settings import Settings
from tests.archives import essay, house_of, published, written
from tests.database.rows import cloned
from tests.hosts import client_of, host_of, minted
from tests.house.tree import ROOT
from tests.servers import TestServer

PAGE = (ROOT / "docs/api.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```sh\n(.*?)```\n\n```json\n(.*?)```", PAGE, re.DOTALL)
ESSAY = "My aunt taught me to fly kites on the dyke in the spring of 1974."
# What the router and the envelope answer, beside the failures of the table.
OF_HTTP = {
    (400, "malformed-request"),
    (403, "sent-from-elsewhere"),
    (404, "no-such-page"),
    (405, "method-not-allowed"),
    (413, "body-too-large"),
    (415, "media-type-unknown"),
    (503, "not-ready"),
}


@pytest.fixture(scope="module")
def service(
    server: TestServer, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Generator[tuple[TestClient, str]]:
    """The archive of the page, served, and a key of it."""
    folder = tmp_path_factory.mktemp("page") / "vaal"
    written(folder, {"essays/on-kites.md": essay("On Kites", ESSAY)}, "vaal")
    file = folder / "archive.toml"
    named = file.read_text().replace("Archive vaal", "The Vaal Archive")
    named = named.replace("Person A", "Imke Vaal").replace("example.org", "vaal.example")
    file.write_text(named)
    with cloned(server, template) as database:
        with house_of(folder, database) as house:
            published(house)
        key = minted(database, "vaal", "search", "ask")
        with (
            host_of(database, {"vaal": folder}, settings=Settings(serve_threads=2)) as hosting,
            client_of(hosting) as client,
        ):
            yield client, key


@pytest.mark.parametrize(("typed", "printed"), EXAMPLES)
def test_an_example_of_the_page_comes_back_as_printed(
    service: tuple[TestClient, str], typed: str, printed: str
) -> None:
    client, key = service
    program, *words = shlex.split(typed.replace("\\\n", " "))
    assert (program, words[0]) == ("curl", "-s")
    address = words[1].removeprefix("$FONDS")
    options = list(zip(words[2::2], words[3::2], strict=True))
    headers = {
        name: value.replace("$KEY", key)
        for option, line in options
        if option == "-H"
        for name, value in [line.split(": ", 1)]
    }
    body = next((given for option, given in options if option == "-d"), None)
    reply = client.request(
        "GET" if body is None else "POST", address, content=body, headers=headers
    )
    shown = json.dumps(reply.json(), ensure_ascii=False)
    expected = re.escape(printed.strip()).replace(re.escape("..."), ".*")
    assert re.fullmatch(expected, shown), shown


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 5


def test_the_table_of_problems_is_the_one_of_the_code() -> None:
    rows = re.findall(r"^\| (\d{3}) \| `([a-z-]+)` \|", PAGE, re.MULTILINE)
    told = {(int(status), slug) for status, slug in rows}
    ends = (*FAILURES.values(), *NOT_ADMITTED.values())
    assert told == {(end.status, end.problem) for end in ends} | OF_HTTP
    assert {slug for _, slug in told} == set(TITLES)


def test_every_address_has_its_line() -> None:
    document = json.loads((ROOT / "tests/api/openapi.snapshot.json").read_text(encoding="utf-8"))
    for path, methods in document["paths"].items():
        for method in methods:
            assert f"`{method.upper()} {path}`" in PAGE


def test_the_page_is_found() -> None:
    assert "(api.md)" in (ROOT / "docs/README.md").read_text(encoding="utf-8")
