"""R063, R084, R191: what an author sees of a gist at the desk, and what comes of a decision."""

from __future__ import annotations

import re
from collections.abc import Generator
from html import unescape
from typing import Any, LiteralString

import pytest
from psycopg import Cursor

from fonds.wiring.gists import GistDesk
from fonds.wiring.house import House
from tests.desk.conftest import SECRETS
from tests.desks import Sitting, in_archive
from tests.servers import Database

ONE, TWO, THREE = (f"note:note-{place}#p-{place}" for place in (1, 2, 3))
QUOTING = "She pawned the brass sextant to pay for it."


@pytest.fixture(autouse=True)
def gists(house: House, desk_database: Database) -> Generator[GistDesk]:
    """The first two fragments are described, the third is not; nothing was reviewed."""
    desk = GistDesk(house)
    desk.edit(ONE, "A loan against an instrument.", reviewed=False)
    desk.edit(TWO, "Accounts that were put away.", reviewed=False)
    yield desk
    in_archive(desk_database, "UPDATE private.projection SET vetoed = false")
    in_archive(desk_database, "DELETE FROM private.projection")


def shown(page: str) -> str:
    """The fragment that a page is about."""
    found = re.search(r'name="id" value="([^"]+)"', page)
    assert found is not None, page
    return unescape(found.group(1))


def imprint(page: str) -> str:
    found = re.search(r'name="imprint" value="([0-9a-f]{64})"', page)
    assert found is not None, page
    return found.group(1)


def stored(database: Database, fragment_id: str) -> tuple[object, ...]:
    found = in_archive(
        database,
        "SELECT coalesce(gist, draft), review, vetoed FROM private.projection"
        " WHERE fragment_id = %(one)s",
        one=fragment_id,
    )
    return found[0]


def at(sitting: Sitting, fragment_id: str, pile: str = "unreviewed") -> str:
    reply = sitting.client.get("/gists", params={"pile": pile, "at": fragment_id})
    assert reply.status_code == 200, reply.text
    return reply.text


def form(page: str, words: str, pile: str = "unreviewed") -> dict[str, str | list[str]]:
    return {"id": shown(page), "imprint": imprint(page), "pile": pile, "words": words}


def test_a_pile_is_looked_through_in_order(sitting: Sitting) -> None:
    """Each page has the text, the words, and where the next one is."""
    first = sitting.get("/gists")
    assert (shown(first), SECRETS[0] in first) == (ONE, True)
    assert "A loan against an instrument." in first
    second = sitting.client.get("/gists", params={"pile": "unreviewed", "after": ONE}).text
    assert shown(second) == TWO
    back = sitting.client.get("/gists", params={"pile": "unreviewed", "before": TWO}).text
    assert shown(back) == ONE
    end = sitting.client.get("/gists", params={"pile": "unreviewed", "after": TWO}).text
    assert "Nothing more in this pile." in end


def test_a_page_asks_the_database_fifteen_times(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four each, two of them for the scope: the counts, what follows, what is before; and three for
    the gist with its text, once its entity was read.
    """
    sitting.get("/gists")
    asked: list[object] = []
    execute: Any = Cursor.execute

    def counted(cursor: Cursor[Any], *given: object, **more: object) -> Cursor[Any]:
        asked.append(given)
        return execute(cursor, *given, **more)

    monkeypatch.setattr(Cursor, "execute", counted)
    for path in ("/gists", "/gists?pile=unreviewed", "/gists?pile=all"):
        asked.clear()
        sitting.get(path)
        assert len(asked) == 15


@pytest.mark.parametrize(
    ("pile", "ids"),
    [("unreviewed", [ONE, TWO]), ("missing", [THREE]), ("all", [ONE, TWO, THREE]), ("stale", [])],
)
def test_piles_hold_what_they_are_named_after(gists: GistDesk, pile: str, ids: list[str]) -> None:
    assert gists.after(pile, "", 10) == ids  # pyright: ignore[reportArgumentType]
    assert gists.counts()[pile] == len(ids)  # pyright: ignore[reportArgumentType]


def test_every_gist_is_in_one_pile(gists: GistDesk) -> None:
    """A vetoed one in that of the vetoed, whatever else it is; the piles add up to all."""
    gists.edit(THREE, QUOTING, reviewed=False)
    gists.review((ONE,))
    assert gists.after("failed", "", 10) == []  # it quotes another fragment's words
    gists.edit(THREE, SECRETS[2], reviewed=False)
    assert gists.after("failed", "", 10) == [THREE]
    gists.veto((THREE,), vetoed=True)
    counts = dict(gists.counts())
    assert counts.pop("all") == sum(count or 0 for count in counts.values())
    assert {pile: count for pile, count in counts.items() if count} == {
        "reviewed": 1,
        "unreviewed": 1,
        "vetoed": 1,
    }


def test_approving_reviews_and_leads_on(sitting: Sitting, desk_database: Database) -> None:
    page = at(sitting, ONE)
    onward = sitting.post("/gists/approve", form(page, "A loan against an instrument."))
    assert stored(desk_database, ONE) == ("A loan against an instrument.", "reviewed", False)
    assert shown(sitting.get(onward)) == TWO


def test_other_words_are_the_authors_own_and_reviewed(
    sitting: Sitting, desk_database: Database
) -> None:
    """A form ends its lines as mail does: no line break gets into a gist by that."""
    sitting.post("/gists/approve", form(at(sitting, ONE), "A winter's debt.\r\n"))
    assert stored(desk_database, ONE) == ("A winter's debt.", "reviewed", False)


@pytest.mark.parametrize("words", [QUOTING, "", " ", "x" * 401])
def test_words_that_may_not_travel_change_nothing(
    sitting: Sitting, desk_database: Database, words: str
) -> None:
    """R063: what was typed stays on the page, with the reason, and the stored gist stays too."""
    before = stored(desk_database, ONE)
    page = sitting.post("/gists/approve", form(at(sitting, ONE), words), status=422)
    assert "Nothing was changed" in page
    assert f"\n{words}</textarea>" in page
    assert stored(desk_database, ONE) == before


def test_a_veto_and_its_end_take_one_form_each(sitting: Sitting, desk_database: Database) -> None:
    sitting.post("/gists/veto", form(at(sitting, ONE), ""))
    assert stored(desk_database, ONE)[2] is True
    sitting.post("/gists/unveto", form(at(sitting, ONE, "vetoed"), "", "vetoed"))
    assert stored(desk_database, ONE)[2] is False


@pytest.mark.parametrize("action", ["approve", "veto"])
def test_what_changed_meanwhile_is_not_overwritten(
    sitting: Sitting, desk_database: Database, gists: GistDesk, action: str
) -> None:
    """Another window, or a command, wrote since the page was made: it stands, and so does what was
    typed here.
    """
    page = at(sitting, ONE)
    gists.edit(ONE, "What another window says.", reviewed=False)
    told = sitting.post(f"/gists/{action}", form(page, "What this one says."), status=409)
    assert "changed since it was shown" in told
    assert "What this one says.</textarea>" in told
    assert "What another window says." in told
    assert stored(desk_database, ONE) == ("What another window says.", "unreviewed", False)
    sitting.post(f"/gists/{action}", form(told, "What this one says."))


def test_a_text_that_changed_meanwhile_is_looked_at_again(
    sitting: Sitting, desk_database: Database
) -> None:
    """R042: an approval is of the text that was shown."""
    page = at(sitting, ONE)
    read: LiteralString = "SELECT text_hash FROM private.fragment WHERE fragment_id = %(one)s"
    write: LiteralString = (
        "UPDATE private.fragment SET text_hash = %(text_hash)s WHERE fragment_id = %(one)s"
    )
    ((was,),) = in_archive(desk_database, read, one=ONE)
    in_archive(desk_database, write, one=ONE, text_hash="another")
    sitting.post("/gists/approve", form(page, "A loan against an instrument."), status=409)
    in_archive(desk_database, write, one=ONE, text_hash=was)
    assert stored(desk_database, ONE)[1] == "unreviewed"


def test_a_check_marks_what_is_repeated_and_stores_nothing(
    sitting: Sitting, desk_database: Database
) -> None:
    """R063, R069: by position, and for the author's eyes in the words themselves, on both sides."""
    before = stored(desk_database, ONE)
    part = sitting.post("/gists/check", form(at(sitting, ONE), QUOTING), status=200)
    assert "quotes private text at words 2-6" in part
    assert part.count("<mark>pawned the brass sextant to pay</mark>") == 2
    assert "<html" not in part
    passing = sitting.post("/gists/check", form(at(sitting, ONE), "A debt."), status=200)
    assert ("Passes" in passing, "<mark>" in passing) == (True, False)
    assert '"gist": "A debt."' in unescape(passing)
    assert stored(desk_database, ONE) == before


@pytest.mark.parametrize(
    "query",
    [{"pile": "none"}, {"at": "note:no#1"}, {"at": "x\x00"}, {"pile": "all", "after": "\x00"}],
)
def test_what_is_no_gist_is_a_line(sitting: Sitting, query: dict[str, str]) -> None:
    reply = sitting.client.get("/gists", params=query)
    assert reply.status_code == 422
    assert "It did not happen" in reply.text


def test_without_a_drafter_a_draft_says_what_is_missing(sitting: Sitting) -> None:
    """R082: nothing is sent anywhere, and nothing fails for it."""
    page = at(sitting, THREE, "missing")
    assert "No drafter is configured: set model under [gist] in the archive file." in page
    told = sitting.post("/gists/draft", form(page, "", "missing"), status=503)
    assert "set model under [gist]" in told
