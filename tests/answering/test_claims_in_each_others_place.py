"""Two names or figures that changed places, and figures in scales and measures (R152)."""

from __future__ import annotations

import pytest

from fonds.answering.number_words import han_number, mixed_number
from tests.answering.judging_claims import fault

MILL = (
    "In the spring of 1931 Margaret Oakes of Corrie sold the mill to Hamish Dunne for 640 pounds."
    " The council lent 200 pounds to the school and 75 pounds to the ferry."
)


@pytest.mark.parametrize(
    ("claim", "body"),
    [
        ("In the spring of 1931 Hamish Dunne sold the mill to Margaret Oakes.", MILL),
        (
            "In the spring of 1931 Margaret Dunne sold the mill to Hamish Oakes for 640 pounds.",
            MILL,
        ),
        ("The council lent 75 pounds to the school and 200 pounds to the ferry.", MILL),
        (
            "Der Müller Ohlsen verkaufte dem Lehrer Dunker die Mühle.",
            "Im Jahr darauf verkaufte der Lehrer Dunker die alte Mühle an den Bäcker."
            " Der Müller Dunker verkaufte dem Lehrer Ohlsen die Mühle.",
        ),
        (
            "イサベルはカズマに舟を売った。",
            "その年の夏の終わりにカズマはイサベルに舟を売ったと聞いた。",
        ),
    ],
)
def test_names_and_figures_that_changed_places_are_seen(claim: str, body: str) -> None:
    """R152: every word occurs in the passage, and stands next to the wrong one."""
    assert fault(claim, body) == "sentence 1: order"


@pytest.mark.parametrize(
    ("claim", "body"),
    [
        ("The mill was sold to Hamish Dunne by Margaret Oakes.", MILL),
        ("Hamish Dunne bought the mill: Margaret Oakes sold it.", MILL + " Hamish bought it."),
        ("Syria and Iraq signed.", "In that year Iraq and Syria signed the paper at last."),
        ("Tarn, Oakes and Dunne met.", "It is said that Dunne, Tarn and Oakes met at the mill."),
        ("カズマとイサベルが会った。", "その年の夏にイサベルとカズマが会った。"),
        ("The council lent 75 pounds to the ferry and 200 pounds to the school.", MILL),
    ],
)
def test_another_order_that_says_the_same_is_left_alone(claim: str, body: str) -> None:
    """R152: a passive, a list and a sentence told the other way round keep their neighbours."""
    assert fault(claim, body) is None


@pytest.mark.parametrize(
    ("claim", "body"),
    [
        ("The estate covers 13.1 million acres.", "The estate covers 13,100,000 acres of larch."),
        ("Ten million people came.", "It is said that 10 million people came to the fair."),
        ("Die Mühle kostete 1,5 Millionen Mark.", "Die Mühle kostete damals 1500000 Mark im Dorf."),
        ("港には3万5000人がいた。", "港には35000人がいた。"),
        ("費用は1.5億円だった。", "費用は1億5000万円だった。"),
        ("舟は1897年9月に出た。", "舟は1897年(明治30年)9月に出た。"),
        ("The wheel turned 12 feet.", "The wheel turned 12 ft. in a day."),
    ],
)
def test_a_scale_is_part_of_its_number(claim: str, body: str) -> None:
    """R152: in words, digits and both."""
    assert fault(claim, body) is None


@pytest.mark.parametrize(
    ("claim", "body"),
    [
        ("The estate covers 13.1 billion acres.", "The estate covers 13.1 million acres of larch."),
        ("The estate covers 13 square miles.", "The estate covers 13 square kilometres of larch."),
        ("The mill cost £640 in all.", "The mill cost $640 in all."),
        ("港には3億人がいた。", "港には3万人がいた。"),
        ("彼は51か月で死んだ。", "彼は51歳で死んだ。"),
        ("舟は1897年(明治13年)9月に出た。", "舟は1897年(明治30年)9月に出た。"),
    ],
)
def test_another_scale_measure_or_currency_is_seen(claim: str, body: str) -> None:
    """R152: numbers with units; a sentence that differs in a sign is not the passage's own."""
    assert fault(claim, body) == "sentence 1: number"


def test_a_numeral_without_end_is_no_number() -> None:
    """R152: a passage cannot stop the check with a figure too long to be written out."""
    assert han_number("一" * 5_000) is None
    assert mixed_number("1万" * 5_000) is None
    long = "舟は" + "一" * 5_000 + "艘あった。"
    assert fault(long, f"{long}港は古い。") is None


@pytest.mark.parametrize(
    ("claim", "body"),
    [
        (
            "No boat was sold, and the wheel was not oiled.",
            "No boat was sold, and the wheel was oiled by the teacher.",
        ),
        (
            "The Act was not an act of the council.",
            "The Act was an act of the council. The Act was not passed for the roof.",
        ),
        (
            "The teachers do need a certificate.",
            "The teachers do not need a certificate. A certificate is of use to teachers.",
        ),
    ],
)
def test_a_negation_elsewhere_covers_none(claim: str, body: str) -> None:
    """R152: each negation has one of the source to itself, about the same words."""
    assert fault(claim, body) == "sentence 1: negation"
