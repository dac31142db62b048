"""A watched word stops a build wherever a private entity would show it, ids included (R182)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.contract.failures import ValidationRefused
from tests.archives import essay, house_of, ingested, note, written
from tests.servers import Database

BODY = "She owed the pawnbroker forty crowns and paid him in honeycomb."


@pytest.mark.parametrize(
    ("files", "canary", "said"),
    [
        ({"notes/tolliver.md": note("A note", BODY)}, "Tolliver", "in the id of owner 1, whose id"),
        ({"notes/a.md": note("Tolliver's leaf", BODY)}, "Tolliver", "in the title of note:a"),
        ({"notes/a.md": note("A note", BODY, locator="p. 4817")}, "4817", "in the locator of"),
        (
            {"notes/a.md": note("A note", BODY).replace("on-kites", "copper%2Dthimble")},
            "copper thimble",
            "in the url of note:a",
        ),
    ],
)
def test_a_canary_in_what_a_private_note_shows_stops_the_build(
    tmp_path: Path, database: Database, files: dict[str, str], canary: str, said: str
) -> None:
    """R182: the canary itself is in no message, not even inside an id."""
    folder = written(tmp_path, files | {"essays/on-kites.md": essay("On Kites", "Wind teaches.")})
    watched = folder / "canaries.yaml"
    watched.write_text(f'canaries: ["an absent word", "{canary}"]\n', encoding="utf-8")
    watched.chmod(0o600)
    with (folder / "archive.toml").open("a", encoding="utf-8") as file:
        file.write('[evaluation]\ncanaries = "canaries.yaml"\n')
    with house_of(folder, database) as house:
        ingested(house)
        with pytest.raises(ValidationRefused) as refused:
            house.build(yes=True)
        assert f"canaries[1]: {said}" in str(refused.value)
        assert canary.lower() not in str(refused.value).lower()
        assert house.builds() == ()
        watched.write_text('canaries: ["an absent word"]\n', encoding="utf-8")
        assert house.build(yes=True).switched
