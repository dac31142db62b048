"""Ruby and annotations go, words, headings and letters outside the encoding stay (C19)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.ingestion.aozora import without_annotations
from tests.ingestion.corpora import ARCHIVE_TOML, described, put

LEGEND = f"""{"-" * 55}
【テキスト中に現れる記号について】

《》：ルビ
（例）窓《まど》
{"-" * 55}
"""
BOOK = f"""---
title: 塩の道
about: https://example.org/books/salt/
---
{LEGEND}
［＃２字下げ］上　門［＃「上　門」は大見出し］

　窓《まど》を開けた。
　風｜見鶏《みどり》が鳴る。

［＃５字下げ］一［＃「一」は中見出し］
　海へ［＃「海へ」に傍点］行く。
"""


def test_a_book_keeps_its_chapters_and_loses_its_readings(tmp_path: Path) -> None:
    toml = f'{ARCHIVE_TOML}\n[private_books]\nencoding = "shift_jis"\nannotations = "aozora"\n'
    _, fragments = described(tmp_path, "books/salt.md", BOOK.encode("shift_jis"), toml)
    assert [(one.fragment_id, one.text) for one in fragments] == [
        ("book:salt#s1", "上　門\n\n窓を開けた。\n\n風見鶏が鳴る。".replace("\u3000", " ")),
        ("book:salt#s2", "一\n\n海へ行く。"),
    ]


def test_a_collection_is_read_so_only_when_it_says_so(tmp_path: Path) -> None:
    page = "---\ntitle: T\n---\n窓《まど》。\n"
    _, fragments = described(
        tmp_path, "essays/a.md", page, f'{ARCHIVE_TOML}annotations = "aozora"\n'
    )
    assert fragments[0].text == "窓。"
    _, fragments = described(tmp_path, "essays/a.md", page)
    assert fragments[0].text == "窓《まど》。"


def test_a_novel_of_plain_text_and_a_recording_beside_it_are_read(tmp_path: Path) -> None:
    """Lines of subtitles are no paragraphs: the marks are looked for in text files alone."""
    toml = f'annotations = "aozora"\n{ARCHIVE_TOML}'
    fields = "title: T\nabout: https://example.org/\n"
    put(tmp_path, "books/salt.yaml", fields)
    _, fragments = described(tmp_path, "books/salt.txt", "　窓《まど》を\n　開けた。", toml)
    assert fragments[0].text == "窓を\n\n開けた。"
    put(tmp_path, "talks/salt.yaml", fields)
    vtt = "WEBVTT\n\n00:01.000 --> 00:02.000\n窓を\n開けた。\n"
    _, fragments = described(tmp_path, "talks/salt.vtt", vtt, toml)
    assert fragments[0].text == "窓を 開けた。"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("※［＃「てへん＋劣」、第3水準1-84-77］る", "挘る"),
        ("※［＃「土へん＋完」、U+57B8、12-3］", "垸"),
        ("※［＃「木＋何か」、12-3］", "〓"),
        ("※［＃「てへん＋劣」、第3水準1-99-77］", "〓"),
        ("※［＃「何か」、U+D800］※［＃「何か」、U+FFFFFF］", "〓〓"),
        ("※［＃始め二重山括弧、1-1-52］名※［＃終わり二重山括弧、1-1-53］", "《名》"),
        ("空《から》の［＃「※［＃「土へん＋完」、U+57B8］」に傍点］字", "空の字"),
        ("※印の｜ままの行", "※印の｜ままの行"),
        ("小［＃「小」は同行小見出し］", "### 小"),
        ("［＃改ページ］", ""),
        ("底本：「塩の道」", "底本：「塩の道」"),
    ],
)
def test_a_mark_becomes_what_a_reader_sees(written: str, read: str) -> None:
    assert without_annotations(written) == read


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet="窓《》｜※［＃］、1-84U+\n 大中見出し", max_size=80))
def test_no_reading_and_no_remark_is_left_in_any_text(written: str) -> None:
    """Whatever is closed on its line goes; the paragraphs stay in their order."""
    for line in without_annotations(written).split("\n\n"):
        assert not line.endswith("］") or "［＃" not in line or "［" in line.rpartition("［＃")[2]
    assert without_annotations("窓\n" + written.replace("-", "")).startswith("窓")
