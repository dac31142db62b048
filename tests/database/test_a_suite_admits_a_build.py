"""A build that fails the author's own suite is not published (R182)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.contract.failures import Misconfigured, ValidationRefused
from tests.archives import essay, house_of, ingested, published, written
from tests.servers import Database

GOLD = """\
queries:
  - id: kites
    query: Which wind do kites like over the dyke?
    expectAnswerMode: partial
    expectSources: ["essay:kites"]
"""


def admitting(folder: Path, gold: str | None = GOLD) -> Path:
    """The archive with a suite that every build has to pass."""
    terms = "[evaluation]\nadmit = true\n"
    if gold is not None:
        (folder / "gold.yaml").write_text(gold, encoding="utf-8")
        terms += 'gold = "gold.yaml"\n'
    file = folder / "archive.toml"
    file.write_text(file.read_text(encoding="utf-8") + terms, encoding="utf-8")
    return folder


def test_a_build_that_loses_an_expected_source_leaves_the_old_one_live(
    database: Database, tmp_path: Path
) -> None:
    """R182: the retrieval tier is asked of the checked build, before anybody reads it."""
    files = {
        "essays/kites.md": essay("Kites", "Kites like a steady wind over the dyke."),
        "essays/tides.md": essay("Tides", "Tides come twice a day."),
    }
    folder = admitting(written(tmp_path, files))
    with house_of(folder, database) as house:
        assert published(house).switched
        moved = essay("Kites", "Nothing is said of them here.").replace(
            "date:", "exposure: none\ndate:"
        )
        (folder / "essays/kites.md").write_text(moved, encoding="utf-8")
        ingested(house)
        with pytest.raises(ValidationRefused, match=r"kites: expectSources\[0\]: not retrieved"):
            house.build(yes=True)
        assert [(one.build_id, one.live) for one in house.builds()] == [(1, True)]
        (folder / "essays/kites.md").write_text(files["essays/kites.md"], encoding="utf-8")
        ingested(house)
        assert house.build(yes=True).switched


def test_admission_without_a_suite_is_refused_before_anything_is_live(
    database: Database, tmp_path: Path
) -> None:
    files = {"essays/kites.md": essay("Kites", "Kites over the dyke.")}
    with house_of(admitting(written(tmp_path, files), None), database) as house:
        ingested(house)
        with pytest.raises(Misconfigured, match="admit needs a suite"):
            house.build(yes=True)
        assert house.builds() == ()
