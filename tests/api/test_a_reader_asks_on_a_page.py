"""What the page of an open archive shows: answers with their cards, what is pointed at, refusals,
and what the archive holds (R148, R149, R163, R193).
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import replace
from typing import get_args

import pytest
from starlette.testclient import TestClient

from fonds.answering.refusal import FIXED_SENTENCE, RefusalRecord, Refused
from fonds.contract.outcomes import REFUSALS
from fonds.contract.refusal_reason import RefusalReason
from fonds.contract.search_request import SearchRequest
from fonds.pages.static_files import static_files
from fonds.wiring.current_archives import CurrentArchives
from fonds.wiring.hosting import Hosting
from fonds.wiring.visit import Visit
from tests.api import reading
from tests.api.reading import (
    ABSENT,
    ASKED,
    ASKED_PRIVATE,
    GIST,
    MARKED,
    PAGE,
    PRIVATE,
    SLUG,
    asked,
    without_id,
)


def test_a_page_has_a_field_and_loads_only_its_own(reader: TestClient) -> None:
    reply = reader.get(PAGE)
    assert reply.status_code == 200
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    policy = reply.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert reply.headers["referrer-policy"] == "same-origin"
    assert reply.headers["cache-control"] == "no-store"
    assert "set-cookie" not in reply.headers
    assert '<label for="q">' in reply.text
    assert re.findall(r'(?:src|href)="(?!/|#)', reply.text) == []
    for address in re.findall(r'(?:src|href)="(/_static/[^"]+)"', reply.text):
        assert reader.get(address).headers["cache-control"].endswith("immutable")


def test_an_answer_has_a_card_for_each_citation_and_for_nothing_else(reader: TestClient) -> None:
    """R149: what the API cites is what the page shows, in its order."""
    cited = reader.post(f"/v1/archives/{SLUG}/ask", json={"q": ASKED}).json()
    reply = asked(reader, ASKED)
    assert reply.status_code == 200
    assert html.escape(cited["answer"], quote=False) in html.unescape(reply.text)
    cards = re.findall(r'<a href="([^"]+)" rel="noreferrer">', reply.text)
    assert cards == [one["url"] for one in cited["citations"]] != []
    assert reply.text.count('class="card"') == len(cited["citations"])
    assert "Published" in reply.text
    assert "Not quoted here" not in reply.text


def test_private_material_is_pointed_at_and_described_and_never_quoted(reader: TestClient) -> None:
    """R148: its gist is marked as a description and not a quotation."""
    reply = asked(reader, ASKED_PRIVATE)
    shown = reply.text.split('<section id="outcome"')[1]
    said = html.unescape(re.sub(r"<[^>]+>", "", shown)).replace(PRIVATE, "", 1)
    assert "Private material bears on this" in said
    assert "not a quotation" in said
    assert GIST in said
    assert "green notebook, p. 2" in said
    assert "Not quoted here" in said
    assert "https://example.org/essays/cranes/" in shown
    for word in ("sextant", "Zephyrine", "pawnbroking"):
        assert word not in said


@pytest.mark.parametrize(
    "question", [ASKED, ASKED_PRIVATE, ABSENT, '"><script>alert(1)</script> x']
)
def test_what_anybody_wrote_is_text_and_never_markup(reader: TestClient, question: str) -> None:
    reply = asked(reader, question)
    tags = set(re.findall(r"<(\w+)", reply.text))
    assert tags.isdisjoint({"img", "b", "i", "iframe", "style"})
    assert reply.text.count("<script") == 1
    assert not re.search(r"<[^>]*\son\w+=", reply.text)
    assert html.escape(question) in reply.text or question in html.unescape(reply.text)


def refusal(reason: RefusalReason) -> Refused:
    """A refusal with figures of its own."""
    number = list(get_args(RefusalReason)).index(reason)
    record = RefusalRecord(best_score=number / 20, best_raw="public", detail="x" * number)
    return Refused(reason, record, "answer.v1", "extractive", str(number))


def always(given: Refused) -> Callable[[Visit, SearchRequest], Refused]:
    """What every question comes to."""
    return lambda visit, request: given


def test_a_refusal_is_one_page_whatever_its_reason(
    reader: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R163: byte by byte, headers and all; the reason and its figures are nowhere in it."""
    real = without_id(asked(reader, ABSENT))
    reasons: list[RefusalReason] = [
        reason for reason, ends in REFUSALS.items() if ends.status == 200
    ]
    pages = [real]
    for reason in reasons:
        monkeypatch.setattr(Visit, "ask", always(refusal(reason)))
        pages.append(without_id(asked(reader, ABSENT)))
    assert len(pages) > 10
    assert all(page == real for page in pages)
    assert FIXED_SENTENCE in html.unescape(real[2])
    assert 'class="card"' not in real[2]
    assert not any(reason in real[2] for reason in get_args(RefusalReason))


def test_a_refusal_offers_the_same_public_themes_whatever_was_asked(reader: TestClient) -> None:
    """Two questions without an answer, of other words: their pages differ in the question alone."""
    pages = [
        without_id(asked(reader, question))[2].replace(html.escape(question), "")
        for question in (ABSENT, "Who repaired the cathedral organ of Poznan?")
    ]
    assert pages[0] == pages[1]
    assert ">patience<" in pages[0]
    assert reading.PRIVATE_THEME not in pages[0]
    assert ">debt<" not in pages[0]


@pytest.mark.parametrize("reason", ["model_unavailable", "embedder_unavailable"])
def test_an_outage_is_no_refusal(
    reader: TestClient, monkeypatch: pytest.MonkeyPatch, reason: RefusalReason
) -> None:
    monkeypatch.setattr(Visit, "ask", always(refusal(reason)))
    reply = asked(reader, ABSENT)
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "5")
    assert "for now" in reply.text
    assert FIXED_SENTENCE[:12] not in html.unescape(reply.text)
    assert html.escape(ABSENT) in reply.text
    assert reason not in reply.text


def test_a_page_tells_what_is_published_and_nothing_of_the_rest(reader: TestClient) -> None:
    """Counts, years and themes of public works; what becomes of a question, as the file says."""
    reply = reader.get(f"{PAGE}about")
    said = html.unescape(re.sub(r"<[^>]+>", " ", reply.text))
    assert re.search(r"essay\s+3\s", said)
    assert "from 1931 to 2019" in said
    assert "patience" in said
    assert "No question is kept." in said
    assert "It is sent to nobody else." in said
    assert "can be collected" in said
    for word in ("note", "pawnbroking", "debt", "sextant", MARKED):
        assert word not in said


def test_a_page_tells_for_how_long_a_question_is_kept_at_most(
    reader: TestClient, shelf_hosting: Hosting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R164: the file's word, which the database keeps within."""
    told = replace(shelf_hosting.archives.current()[SLUG], question_days=7)
    monkeypatch.setattr(shelf_hosting, "archives", CurrentArchives(lambda: {SLUG: told}))
    said = html.unescape(re.sub(r"<[^>]+>", "", reader.get(f"{PAGE}about").text))
    assert "A question that found no answer is kept for at most 7 days" in said


def test_a_page_and_all_it_loads_is_small(reader: TestClient) -> None:
    """Below 50 kB together, whatever came of the question."""
    loaded = sum(len(static_files()[name].content) for name in ("fonds.css", "icon.svg"))
    loaded += len(static_files()["waiting.js"].content)
    assert len(static_files()["waiting.js"].content) < 1_000
    for reply in (reader.get(PAGE), asked(reader, ASKED_PRIVATE), asked(reader, ABSENT)):
        assert len(reply.content) + loaded < 50_000
        assert "htmx" not in reply.text
