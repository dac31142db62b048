"""What a workflow runs on another machine is in the tree, since none runs here."""

from __future__ import annotations

import re

from tests.house.tree import ROOT


def test_every_folder_a_workflow_tests_is_there() -> None:
    named = {
        path
        for file in (ROOT / ".github/workflows").glob("*.yml")
        for path in re.findall(r"\btests/[\w/.]+", file.read_text(encoding="utf-8"))
    }
    assert len(named) > 5
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
