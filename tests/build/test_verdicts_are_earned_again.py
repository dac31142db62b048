"""What the check finds in stored rows: each broken rule by name, and no word of any text (R091)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fonds.boundary.runs import PrivateRuns
from fonds.build.build_report import BuildReport
from fonds.build.checking import SHOWN_FINDINGS, Checked, Downgrade, check_entities
from fonds.contract.build_store import StoredEntity, StoredFragment
from fonds.contract.embed_string import content_hash
from fonds.contract.entity import LintWindow, Policy
from fonds.contract.failures import ValidationRefused
from fonds.contract.fragment import Fragment
from fonds.contract.projection import SemanticProjection
from tests.factories import (
    GIST,
    PRIVATE_TEXT,
    PRIVATE_WORDS,
    a_failed_projection,
    a_fragment,
    a_projection,
    a_projection_base,
    an_entity,
    chapter,
)

ID = "book:low-tide#whole"
ASKING = a_fragment(exposure="semantic")
LOCATED = a_fragment()


def stored(
    fragment: Fragment = ASKING,
    projection: SemanticProjection | None = None,
    *,
    policy: Policy | None = None,
    fragment_id: str | None = None,
    text_hash: str | None = None,
    title: str = "Low Tide",
) -> StoredEntity:
    part = StoredFragment(
        fragment_id or fragment.fragment_id,
        fragment,
        text_hash or content_hash(fragment.text),
        projection,
    )
    return StoredEntity(an_entity(policy=policy, title=title), (part,))


def two_chapters(gist: str, other: str) -> StoredEntity:
    """A book whose first chapter is described and whose second says something else."""
    first = a_fragment(exposure="semantic", place=chapter(1))
    second = a_fragment(place=chapter(2), text=other)
    base = a_projection_base(fragment_id=first.fragment_id)
    parts = (
        StoredFragment(
            first.fragment_id, first, content_hash(first.text), a_projection(base=base, gist=gist)
        ),
        StoredFragment(second.fragment_id, second, content_hash(second.text), None),
    )
    return StoredEntity(an_entity(), parts)


def test_a_gist_that_keeps_every_rule_is_servable_with_its_provenance() -> None:
    checked = check_entities([stored(projection=a_projection())])
    assert checked.findings == []
    assert checked.downgrades == []
    (gist,) = checked.gists
    assert (gist.fragment_id, gist.gist.text) == (ID, GIST)
    assert (gist.source, gist.review) == ("generated", "unreviewed")


@pytest.mark.parametrize(
    ("projection", "policy", "reason"),
    [
        (None, None, "no gist"),
        (a_failed_projection(), None, "lint failed"),
        (a_projection(base=a_projection_base(vetoed=True)), None, "vetoed"),
        (a_projection(base=a_projection_base(stale=True)), None, "stale"),
        (a_projection(base=a_projection_base(vetoed=True, stale=True)), None, "vetoed"),
        (a_projection(), Policy(require_review=True), "waits for review"),
    ],
)
def test_a_fragment_without_a_servable_gist_is_located_and_told_why(
    projection: SemanticProjection | None, policy: Policy | None, reason: str
) -> None:
    """R083: a downgrade is a report, no failure."""
    checked = check_entities([stored(projection=projection, policy=policy)])
    assert checked.downgrades == [Downgrade(ID, reason)]
    assert (checked.gists, checked.findings) == ([], [])


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        (
            StoredEntity(an_entity(), ()),
            "book:low-tide: has no fragment",
        ),
        (
            stored(LOCATED, fragment_id="book:low-tide#ch9"),
            "book:low-tide: a fragment's id is not the one its locator gives",
        ),
        (
            stored(a_fragment(raw="public", exposure="locator", text="Kites.")),
            f"{ID}: raw differs from its entity's",
        ),
        (
            stored(LOCATED, text_hash=content_hash("Other words.")),
            f"{ID}: text was changed beside its hash: run fonds ingest",
        ),
        (
            stored(projection=a_projection(base=a_projection_base(text="Other words."))),
            f"{ID}: gist drafted against other text",
        ),
        (
            stored(projection=a_projection(gist="Under the ninth stair holds every bill.")),
            f"{ID}: gist quotes private text at words 1-5",
        ),
        (
            stored(projection=a_projection(gist="Every quillfeather bill.")),
            None,
        ),
        (
            stored(
                projection=a_projection(gist="Every quillfeather bill."),
                policy=Policy(lint=LintWindow(ngram_words=2)),
            ),
            f"{ID}: gist quotes private text at words 1-2",
        ),
        (
            stored(projection=a_projection(gist="")),
            f"{ID}: gist is empty",
        ),
        (
            stored(LOCATED, title="The zebrawood box under the ninth stair"),
            "book:low-tide: title quotes private text at words 1-5",
        ),
        (
            two_chapters(
                "About a lamp that nobody ever lit again.", "A lamp that nobody ever lit."
            ),
            "book:low-tide#ch1: gist quotes the entity's text at words 2-6",
        ),
        (
            two_chapters("About a lamp.", "A lamp that nobody ever lit."),
            None,
        ),
    ],
)
def test_a_row_that_breaks_a_rule_is_found_by_place_and_rule(
    broken: StoredEntity, found: str | None
) -> None:
    """R091, R069: a gist is also held against the rest of its entity."""
    checked = check_entities([broken])
    first = [finding for finding in checked.findings if found and finding.startswith(found)]
    assert bool(first) is (found is not None), checked.findings
    assert bool(checked.findings) is (found is not None)
    for word in PRIVATE_WORDS:
        assert word not in str(checked.findings)
    if found:
        assert checked.gists == []
        with pytest.raises(ValidationRefused, match="may not travel, nothing published"):
            checked.raise_findings()
    else:
        checked.raise_findings()


def test_a_failing_check_shows_some_findings_and_counts_all() -> None:
    many = Checked(findings=[f"note:{n}: title quotes" for n in range(SHOWN_FINDINGS + 5)])
    with pytest.raises(ValidationRefused) as refused:
        many.raise_findings()
    assert str(refused.value).startswith(f"{SHOWN_FINDINGS + 5} stored value(s)")
    assert str(refused.value).count("quotes") == SHOWN_FINDINGS


def test_a_text_is_prepared_once_for_all_gists_of_an_entity(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a fragment alone only where a gist quotes: to say whether it is the fragment's words."""
    prepared: list[str] = []

    def counted(text: str, window: LintWindow) -> PrivateRuns:
        prepared.append(text)
        return PrivateRuns(text, window)

    monkeypatch.setattr("fonds.build.checking.PrivateRuns", counted)
    assert check_entities([two_chapters("About a lamp.", "A lamp was lit.")]).findings == []
    assert len(prepared) == 1
    quoting = two_chapters("Under the ninth stair holds every bill.", "A lamp was lit.")
    (found,) = check_entities([quoting]).findings
    assert found == "book:low-tide#ch1: gist quotes private text at words 1-5"
    assert len(prepared) == 3


def test_public_material_may_quote_itself() -> None:
    """R060: what is published is no secret to its own gist."""
    text = "Let the line out slowly and the kite will find its own wind."
    fragment = a_fragment(raw="public", exposure="semantic", text=text)
    base = a_projection_base(text=text)
    entity = an_entity(raw="public", exposure="text")
    part = StoredFragment(ID, fragment, content_hash(text), a_projection(base=base))
    checked = check_entities([StoredEntity(entity, (part,))])
    assert [gist.fragment_id for gist in checked.gists] == [ID]


def test_a_report_reads_the_same_for_a_machine() -> None:
    report = BuildReport(3, False, True, 2, 4, (Downgrade(ID, "vetoed"),), 1)
    assert report.as_json() == {
        "build": 3,
        "unchanged": False,
        "switched": True,
        "entities": 2,
        "fragments": 4,
        "downgrades": [{"fragment": ID, "reason": "vetoed"}],
        "narrowedMeanwhile": 1,
        "disclosed": [],
        "withdrawn": [],
        "changed": [],
        "waiting": [],
        "accept": None,
        "gate": {},
        "index": {"state": "off"},
    }
    assert replace(report, downgrades=()).as_json()["downgrades"] == []
    assert PRIVATE_TEXT not in str(report)
