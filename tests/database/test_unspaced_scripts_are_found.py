"""Seven scripts without spaces: found by title, theme and text, linted, and covered (C20)."""

from __future__ import annotations

from pathlib import Path

import pytest

from fonds.answering.coverage import coverage
from fonds.answering.refusal import Answered
from fonds.boundary.lint import gist_lint
from fonds.contract.entity import LintWindow
from fonds.contract.evidence_hit import TextHit
from fonds.contract.failures import PublicSafeLintError
from fonds.contract.search_request import SearchRequest
from tests.archives import house_of, published, written
from tests.servers import Database

# For each script: a title, a theme, a passage that holds neither, and words of the passage.
SCRIPTS = {
    "japanese": (
        "潮の石",
        "灯台",
        "港の番人は毎朝、水面の高さを帳面に書き留めていた。嵐の夜には一晩中眠らなかった。",
        "水面の高さ",
    ),
    "chinese": (
        "风筝学校",
        "耐心",
        "老木匠把绳子一圈一圈地收好，说今天的天气不适合出门。孩子们只好回家去了。",
        "老木匠",
    ),
    "thai": (
        "บ้านริมน้ำ",
        "ความเงียบ",
        "ชาวประมงเฒ่าจดระดับน้ำลงในสมุดทุกเช้า และไม่เคยลืมแม้แต่วันเดียวในชีวิต",
        "ระดับน้ำ",
    ),
    "lao": (
        "ເຮືອນໄມ້",
        "ຄວາມສະຫງົບ",
        "ຄົນຫາປາຈົດລະດັບນ້ຳໃສ່ປຶ້ມທຸກໆເຊົ້າ ແລະບໍ່ເຄີຍລືມ",
        "ລະດັບນ້ຳ",
    ),
    "khmer": (
        "ផ្ទះឈើ",
        "ភាពស្ងប់ស្ងាត់",
        "អ្នកនេសាទកត់ត្រាកម្ពស់ទឹកក្នុងសៀវភៅរៀងរាល់ព្រឹក ហើយមិនដែលភ្លេច",
        "កម្ពស់ទឹក",
    ),
    "myanmar": (
        "သစ်သားအိမ်",
        "တိတ်ဆိတ်ခြင်း",
        "တံငါသည်သည်နံနက်တိုင်းရေမျက်နှာပြင်ကိုစာအုပ်ထဲရေးမှတ်သည်",
        "ရေမျက်နှာပြင်",
    ),
    "kana": (
        "かざぐるま",
        "ゆうやけ",
        "ハマノバンニンハマイアサ、ミナモノタカサヲカキトメテイタ。アラシノヨルモ。",
        "ミナモノタカサ",
    ),
}
ESSAY = "---\ntitle: {title}\nthemes: [{theme}]\n---\n{text}\n"
PLAIN = ESSAY.format(title="On Kites", theme="wind", text="Let the line out, and wait.")


def linted(gist: str, text: str) -> None:
    gist_lint(gist, fragment_text=text, entity_text=None, window=LintWindow(), path="a:b#p1")


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_page_is_found_by_what_stands_inside_a_question(
    script: str, tmp_path: Path, database: Database
) -> None:
    """C20, R107: no space says where a title, a theme or a word ends."""
    title, theme, text, words = SCRIPTS[script]
    files = {
        "essays/a.md": ESSAY.format(title=title, theme=theme, text=text),
        "essays/b.md": PLAIN,
    }
    with house_of(written(tmp_path, files), database) as house:
        published(house)
        for inside, boost in ((title, "exactMatch"), (theme, "theme"), (words, None)):
            hits = house.search(SearchRequest(f"{inside}{words}")).hits
            assert [hit.provenance.fragment_id for hit in hits] == ["essay:a#whole"], inside
            breakdown = hits[0].provenance.breakdown
            assert breakdown is not None
            assert boost is None or boost in breakdown
        given = house.ask(SearchRequest(words))
        assert isinstance(given, Answered)
        assert [citation.id for citation in given.citations] == ["essay:a#whole"]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_gist_that_copies_a_clause_is_caught(script: str) -> None:
    """C20, R062: characters are counted where words are not spaced."""
    _, _, text, words = SCRIPTS[script]
    with pytest.raises(PublicSafeLintError) as refusal:
        linted(f"A gist. {text[3:21]}", text)
    assert words not in str(refusal.value)
    linted("A keeper writes figures down.", text)


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_question_is_covered_by_its_passage_and_by_no_other(script: str) -> None:
    """C20, R166: the floor refuses no question whose words stand in the passage."""
    _, _, text, words = SCRIPTS[script]
    assert coverage(words, text) == 1.0
    others = [other for name, (_, _, other, _) in SCRIPTS.items() if name != script]
    assert all(coverage(words, other) < 0.5 for other in others)


def test_a_hit_quotes_the_passage_as_it_stands(tmp_path: Path, database: Database) -> None:
    """C20: nothing is segmented on the way out."""
    title, theme, text, words = SCRIPTS["thai"]
    files = {"essays/a.md": ESSAY.format(title=title, theme=theme, text=text)}
    with house_of(written(tmp_path, files), database) as house:
        published(house)
        (hit,) = house.search(SearchRequest(words)).hits
    assert isinstance(hit, TextHit)
    assert hit.text == text
    assert (hit.provenance.entity.title, hit.provenance.entity.themes) == (title, (theme,))
