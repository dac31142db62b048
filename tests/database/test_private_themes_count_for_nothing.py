"""How many works have a theme is counted over public ones alone (R109): else a question that lifts
less than it did would tell of private material.
"""

from __future__ import annotations

from pathlib import Path

import psycopg

from tests.archives import essay, house_of, note, published, written
from tests.servers import Database


def test_what_is_private_makes_no_theme_common(tmp_path: Path, database: Database) -> None:
    private = note("A note", "She sold the boat.").replace("label:", "themes: [wind]\nlabel:")
    files = {
        "essays/kites.md": essay("Kites", "The kite found its own wind."),
        "essays/tides.md": essay("Tides", "High water comes later each day."),
        "notes/boat.md": private,
    }
    with house_of(written(tmp_path, files), database) as house:
        published(house)
    with psycopg.connect(database.admin_url) as session:
        themed = session.execute(
            "SELECT fragment_id, document_frequency FROM served.phrase"
            " WHERE kind = 'theme' AND phrase = 'wind' ORDER BY fragment_id"
        ).fetchall()
    assert themed == [("essay:kites#whole", 2), ("essay:tides#whole", 2), ("note:boat#p-4", 2)]
