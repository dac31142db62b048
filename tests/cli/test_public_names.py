"""What another package imports from `fonds`, used as its documentation says (R120)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import fonds as public
from fonds import Entity, Fragment, Locator, PrivateDisclosure, SearchRequest, ingest_pairs
from tests.archives import essay, house_of, written
from tests.cli.conftest import Ran
from tests.servers import Database

SECRET = "Brindlewick paid the ferryman in unminted silver every second Tuesday."


def test_every_public_name_is_there_and_no_other() -> None:
    for name in public.__all__:
        assert getattr(public, name) is not None
    with pytest.raises(AttributeError, match="no public name sesame"):
        getattr(public, "sesame")  # noqa: B009


def test_pairs_of_a_consumer_are_stored_and_served(
    tmp_path: Path, database: Database, fonds: Callable[..., Ran]
) -> None:
    """The example of docs/extending.md, with the environment a command has."""
    folder = written(tmp_path / "archive", {"essays/a.md": essay("A", "One page.")})
    private = PrivateDisclosure("locator")
    entity = Entity("diary:1910", "diary", "A diary", "https://example.org/diary/", private)
    page = Fragment("diary:1910", (Locator("page", "12"),), private, SECRET)
    report = ingest_pairs(folder, [(entity, page)], source="diaries")
    assert (report.done, report.embedded) == (1, 1)
    assert fonds("ingest", "--archive", folder).code == 0
    assert fonds("build", "--yes", "--archive", folder).code == 0
    with house_of(folder, database) as house:
        found = house.search(SearchRequest("Who paid the ferryman in silver?")).hits[0]
    assert found.provenance.fragment_id == "diary:1910#p12"
    assert found.provenance.locator_label == "p. 12"
