"""What may travel, as its author looks at it, takes it back and lets it out (R050, R191)."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from fonds.contract.build_store import BuildSummary
from fonds.desk import travel_routes
from fonds.desk.desk import Desk
from fonds.wiring.gists import GistDesk
from fonds.wiring.house import House
from tests.archives import essay, house_of, ingested, note, written
from tests.desks import Sitting, desk_over, sitting_at
from tests.servers import Database

SECRET = "She owed the baker forty crowns."
DIARY = "note:diary#p-4"
MARKUP = "<script>alert(1)</script>"


@pytest.fixture
def at(
    desk_database: Database, tmp_path: Path, request: pytest.FixtureRequest
) -> Generator[tuple[Desk, Sitting]]:
    """A desk over three essays and two notes, ingested; one archive a test."""
    slug = re.sub(r"[^a-z]+", "-", request.node.name)[-50:].strip("-")
    files = {f"essays/kite-{place}.md": essay(f"Kite {place}", "Kites.") for place in range(3)}
    files |= {
        "notes/diary.md": note("Diary", SECRET, exposure="semantic"),
        "notes/ledger.md": note(MARKUP, "He sold the boat.", exposure="none"),
    }
    with ExitStack() as stack:
        folder = written(tmp_path / slug, files, slug)
        desk = desk_over(stack.enter_context(house_of(folder, desk_database)))
        ingested(desk.house)
        yield desk, stack.enter_context(sitting_at(desk))


def looked_at(desk: Desk, sitting: Sitting) -> str:
    """The page of the next build once it was worked out."""
    sitting.post("/travel/next", {})
    desk.runs.wait()
    return sitting.get("/travel/next")


def digest(page: str) -> str:
    """What a page would accept."""
    (found,) = re.findall(r'name="accept" value="([0-9a-f]{16})"', page)
    return found


def build(desk: Desk, sitting: Sitting, **fields: str) -> str:
    """The page of the builds once one has ended."""
    assert sitting.post("/travel/build", fields) == "/travel/builds"
    desk.runs.wait()
    return sitting.get("/travel/builds")


def test_each_fragment_says_what_travels_and_why_no_more(at: tuple[Desk, Sitting]) -> None:
    desk, sitting = at
    assert "<strong>text</strong>" in sitting.get("/travel/entity?id=essay:kite-0")
    diary = sitting.get("/travel/entity?id=note:diary")
    assert "<strong>locator</strong> (no gist; its file asks semantic)" in diary
    ledger = sitting.get("/travel/entity?id=note:ledger")
    assert "<strong>nothing</strong> (withheld by its exposure)" in ledger
    GistDesk(desk.house).edit(DIARY, "An old quarrel over money.", reviewed=True)
    diary = sitting.get("/travel/entity?id=note:diary")
    assert "<strong>semantic</strong>" in diary
    assert "An old quarrel over money." in diary
    assert MARKUP not in ledger
    assert SECRET not in diary + ledger
    assert "no such entity" in sitting.client.get("/travel/entity?id=note:nobody").text


def test_an_archive_is_looked_at_a_page_at_a_time(
    at: tuple[Desk, Sitting], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every entity once, in id order, whatever a page holds."""
    _, sitting = at
    monkeypatch.setattr(travel_routes, "ENTITIES", 2)
    seen: list[str] = []
    path = "/travel?words="
    while path:
        page = sitting.get(path)
        found = re.findall(r'href="/travel/entity\?id=([^"]+)"', page)
        assert len(found) <= 2
        seen += found
        more = re.findall(r'rel="next" href="([^"]+)"', page)
        path = more[0].replace("&amp;", "&") if more else ""
    assert seen == [f"essay%3Akite-{n}" for n in range(3)] + ["note%3Adiary", "note%3Aledger"]
    assert "note%3Adiary" in sitting.get("/travel?words=DIAR")
    assert "essay%3Akite" not in sitting.get("/travel?words=DIAR")
    assert "No entity comes after" in sitting.get("/travel?words=100%25_nothing")
    assert sitting.client.get("/travel?words=%00").status_code == 422


def test_a_fragment_is_held_to_less_at_once_and_let_go(at: tuple[Desk, Sitting]) -> None:
    desk, sitting = at
    build(desk, sitting, accept=digest(looked_at(desk, sitting)))
    back = sitting.post("/travel/expose", {"fragment": DIARY, "exposure": "none"})
    held = sitting.get(back)
    assert "<strong>nothing</strong> (held to this by you; its file asks semantic)" in held
    assert "not served" in held
    assert "none since" in sitting.get("/travel/held")
    lifted = {"fragment": DIARY, "exposure": "as-file", "from": "held"}
    assert sitting.post("/travel/expose", lifted) == "/travel/held"
    assert "Nothing is." in sitting.get("/travel/held")
    let_go = sitting.get(back)
    assert "<strong>locator</strong> (no gist" in let_go
    assert "not served" in let_go
    sitting.post("/travel/expose", {"fragment": DIARY, "exposure": "text"}, status=422)
    sitting.post("/travel/expose", {"fragment": "note:x#y", "exposure": "none"}, status=422)


def test_what_was_looked_at_is_what_goes_out(at: tuple[Desk, Sitting]) -> None:
    """R191: a build that accepts nothing serves the rest; the digest lets out what it shows."""
    desk, sitting = at
    looked = looked_at(desk, sitting)
    assert "Waits for your acceptance: 1" in looked
    assert "3 disclosed, 0 withdrawn, 0 changed" in looked
    first = build(desk, sitting)
    assert "Build 1 is live: 3 entities, 3 fragments." in first
    assert "Nothing was accepted" not in first
    assert "Something waits for your acceptance." in sitting.get("/")
    assert "waits for <a" in sitting.get("/travel/entity?id=note:diary")
    assert "look again" in sitting.get("/travel/next")
    accepted = build(desk, sitting, accept=digest(looked_at(desk, sitting)))
    assert "Build 2 is live: 4 entities, 4 fragments." in accepted
    assert "Private fragments ask to be described" in sitting.get("/")


def test_a_digest_of_an_earlier_look_lets_nothing_out(at: tuple[Desk, Sitting]) -> None:
    """Two windows: in one a gist is written, in the other what waited before is accepted."""
    desk, sitting = at
    old = digest(looked_at(desk, sitting))
    GistDesk(desk.house).edit(DIARY, "An old quarrel over money.", reviewed=True)
    page = build(desk, sitting, accept=old)
    assert "<strong>Nothing was accepted:</strong>" in page
    assert "not served" in sitting.get("/travel/entity?id=note:diary")
    new = looked_at(desk, sitting)
    assert digest(new) != old
    assert "Gists that were not served before" in new
    assert "An old quarrel over money." in new
    build(desk, sitting, accept=digest(new))
    GistDesk(desk.house).edit(DIARY, "A debt to somebody in the village.", reviewed=True)
    assert "A debt to somebody in the village." in looked_at(desk, sitting)
    assert "private locator" in sitting.get("/travel/entity?id=note:diary")


def test_going_back_is_from_the_build_that_was_shown(at: tuple[Desk, Sitting]) -> None:
    desk, sitting = at
    build(desk, sitting)
    assert "no earlier build" in sitting.get("/travel/rollback")
    sitting.post("/travel/rollback", {"live": "1"}, status=422)
    build(desk, sitting, accept=digest(looked_at(desk, sitting)))
    assert 'name="live" value="2"' in sitting.get("/travel/rollback")
    sitting.post("/travel/rollback", {"live": "1"}, status=422)
    assert sitting.post("/travel/rollback", {"live": "2"}) == "/travel/builds"
    assert [one.live for one in desk.house.builds()] == [False, True]


def test_a_build_that_goes_live_in_the_instant_between_is_not_left(
    at: tuple[Desk, Sitting], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be abandoned for good without having been shown."""
    desk, sitting = at
    build(desk, sitting)
    build(desk, sitting, accept=digest(looked_at(desk, sitting)))
    seen = tuple(desk.house.builds())
    (desk.house.config.file.parent / "essays/late.md").write_text(
        essay("Late", "A kite that came late."), encoding="utf-8"
    )
    ingested(desk.house)
    desk.house.build()

    def before(_: House) -> tuple[BuildSummary, ...]:
        return seen

    monkeypatch.setattr(travel_routes, "kept_builds", before)
    assert "another build is live" in sitting.post("/travel/rollback", {"live": "2"}, status=422)
    assert next((one.build_id, one.live) for one in desk.house.builds()) == (3, True)


def test_no_difference_is_kept_without_a_bound(
    at: tuple[Desk, Sitting], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is counted is all of it; the digest stands for all of it as well."""
    desk, sitting = at
    whole = looked_at(desk, sitting)
    monkeypatch.setattr("fonds.wiring.travel.MOST_SEEN", 1)
    bounded = looked_at(desk, sitting)
    assert "3 disclosed" in bounded
    assert (whole.count("essay:kite-"), bounded.count("essay:kite-")) == (3, 1)
    assert digest(bounded) == digest(whole)


def test_a_long_difference_is_shown_in_pages(
    at: tuple[Desk, Sitting], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, sitting = at
    monkeypatch.setattr(travel_routes, "CHANGES", 2)
    first = looked_at(desk, sitting)
    assert "1 to 2 of 3" in first
    (more,) = re.findall(r'href="(/travel/next[^"]+)">More', first)
    last = sitting.get(more.replace("&amp;", "&"))
    assert "3 to 3 of 3" in last
    assert "essay:kite-2#whole" in last
    assert "essay:kite-0#whole" not in last
    assert digest(last) == digest(first)


def test_what_stops_a_build_is_said_where_it_is(
    at: tuple[Desk, Sitting], desk_database: Database
) -> None:
    """R091: a row that was changed by hand; the live build stays, and no word of it is repeated."""
    desk, sitting = at
    build(desk, sitting)
    with psycopg.connect(desk_database.admin_url) as session:
        session.execute(
            "UPDATE private.fragment SET text = 'Zebrawood.' WHERE fragment_id = %s AND archive_id"
            " = (SELECT archive_id FROM private.archive WHERE slug = %s)",
            (DIARY, desk.house.config.slug),
        )
    page = sitting.get("/travel/entity?id=note:diary")
    assert "A build stops here" in page
    failed = build(desk, sitting)
    assert f"{DIARY}: text was changed beside its hash: run fonds ingest" in page
    assert "text was changed beside its hash" in failed
    assert "Zebrawood" not in page + failed
    assert [one.build_id for one in desk.house.builds() if one.live] == [1]


def test_nothing_is_changed_without_the_forms_token(at: tuple[Desk, Sitting]) -> None:
    _, sitting = at
    for path in ("/travel/next", "/travel/build", "/travel/rollback", "/travel/expose", "/intake"):
        assert sitting.client.post(path, data={"accept": "x"}).status_code == 422
