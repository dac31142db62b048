"""Writes the OpenAPI document that is read at each change of the wire (R133):
`python -m tests.api.snapshot`, then look at the difference.
"""

from __future__ import annotations

import json
from typing import Any, cast

from starlette.testclient import TestClient

from fonds.api.app import create_app
from fonds.observing.observer import SILENT
from fonds.settings import Settings
from fonds.wiring.hosting import Hosting
from tests.house.tree import ROOT

SNAPSHOT = ROOT / "tests/api/openapi.snapshot.json"


def without_version(document: dict[str, Any]) -> dict[str, Any]:
    """The document but for the version of the package, which is no matter of the wire."""
    info = {name: value for name, value in document["info"].items() if name != "version"}
    return document | {"info": info}


class _Silent:
    observer = SILENT


def main() -> None:
    """Nothing is asked of a hosting for it."""
    app = create_app(cast("Hosting", _Silent()), Settings())
    document = without_version(TestClient(app).get("/openapi.json").json())
    written = json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True)
    SNAPSHOT.write_text(written + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
