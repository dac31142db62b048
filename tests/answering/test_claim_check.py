"""What the claim check sees in single sentences, rule by rule (R152)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.answering.judging_claims import URL, fault


@pytest.mark.parametrize(
    ("claim", "body"),
    [
        ("She owned 1,200 sheep.", "In the end she owned 1200 sheep."),
        ("She owned 1200 sheep.", "In the end she owned 1,200 sheep."),
        ("The roof cost 3.50 pounds.", "The roof cost £3.5, they said."),
        ("She owned twenty-five sheep.", "She owned 25 sheep and a dog."),
        ("She owned two hundred sheep.", "She owned 200 sheep and a dog."),
        ("Er besaß fünfundzwanzig Schafe.", "Er besaß in der Not 25 Schafe und einen Hund."),
        ("Elle possède vingt moutons.", "Elle possède 20 moutons et un chien dans la ferme."),
        ("Ella tiene veinte ovejas.", "Ella tiene 20 ovejas y un perro en la casa."),
        ("It was the 3rd shed she built.", "It was the third shed she built by the river."),
        ("Half the wool, 50 percent, was lost.", "Half the wool, 50%, was lost at sea."),
        ("三百二十匹の羊がいた。", "丘には320匹の羊がいた。"),
        ("She walked 12 km to the shed.", "She walked 12 kilometres to the shed by the sea."),
        ("She sold two million eggs.", "She sold 2,000,000 eggs from the shed."),
        ("The house has 12 of the doors.", "The house has 12 doors in the hall."),
        ("The year 1931 saw floods.", "The year 1931 saw floods in the valley."),
        ("石は一万二千六百四十三個ある。", "石は12643個ある。港は古い。"),
        ("She owned one hundred sheep.", "She owned 100 sheep and a dog."),
        ("She owned twenty-one sheep.", "She owned 21 sheep and a dog."),
        ("舟は三年でできた。", "舟は3年でできた。"),
    ],
)
def test_one_number_in_two_spellings_agrees(claim: str, body: str) -> None:
    """R152: separators, words, units and numerals of other scripts."""
    assert fault(claim, body) is None


@pytest.mark.parametrize(
    ("claim", "body"),
    [
        ("She owned 1,300 sheep.", "In the end she owned 1200 sheep."),
        ("She owned 27 sheep.", "She owned 12 sheep and 27 dogs."),
        ("The roof cost 35 pounds.", "The roof cost £3.5, they said."),
        ("She walked 12 miles to the shed.", "She walked 12 km to the shed by the sea."),
        ("She owned twenty-six sheep.", "She owned 25 sheep and a dog."),
        ("The clock strikes 12:30.", "The clock strikes at 12:45 by habit."),
        ("羊は三百匹いた。", "丘には320匹の羊がいた。"),
        ("舟は12メートルだった。", "舟は12キロで進み、9メートルだった。"),
    ],
)
def test_another_number_or_unit_is_seen(claim: str, body: str) -> None:
    """R152: numbers with units."""
    assert fault(claim, body) == "sentence 1: number"


@pytest.mark.parametrize(
    ("claim", "body"),
    [
        ("The ferry ran on 22 March 1907.", "On March 22nd, 1907 the ferry ran at last."),
        ("The ferry ran on 22 March 1907.", "The ferry ran, as the log of 1907-03-22 says."),
        ("The ferry ran in March 1907.", "The ferry ran on 22.3.1907 at noon."),
        ("The ferry ran on 3 February 1907.", "The ferry ran on 03/02/1907 at noon."),
        ("The ferry ran on 2 March 1907.", "The ferry ran on 03/02/1907 at noon."),
        ("The ferry ran on 22 March 1907.", "In 1907 there was ice. The ferry ran on 22 March."),
        ("船は1907年3月に出た。", "船は1907年3月22日に出た。"),
        ("船は1907年に出た。", "船は千九百七年三月に出た。"),
        ("El barco salió el 22 de marzo.", "El barco salió el 22 de marzo de 1907 de la isla."),
        ("Das Schiff fuhr am 22. März 1907.", "Am 22. März 1907 fuhr das Schiff zum ersten Mal."),
    ],
)
def test_a_date_may_be_written_another_way_or_less_exactly(claim: str, body: str) -> None:
    """R152: dates agree by year, month and day."""
    assert fault(claim, body) is None


@pytest.mark.parametrize(
    ("claim", "body"),
    [
        ("The ferry ran on 23 March 1907.", "On March 22nd, 1907 the ferry ran at last."),
        ("The ferry ran on 22 May 1907.", "On March 22nd, 1907 the ferry ran at last."),
        ("The ferry ran in 1908.", "On March 22nd, 1907 the ferry ran at last."),
        ("The ferry ran on 22 March 1907.", "The ferry ran in March 1907 at last."),
        ("The ferry ran in August.", "The ferry ran in October at last."),
        ("船は1907年4月に出た。", "船は1907年3月22日に出た。"),
    ],
)
def test_another_or_a_more_exact_date_is_seen(claim: str, body: str) -> None:
    """R152: a claim may not know more of a date than its passage."""
    assert fault(claim, body) == "sentence 1: date"


def test_the_date_of_a_record_was_shown_and_counts() -> None:
    """R152: passages as they were shown."""
    assert fault("The ferry ran in 1907.", "The ferry ran at last.", date="1907-03-22") is None
    assert fault("The ferry ran in 1908.", "The ferry ran at last.", date="1907-03-22") is not None


def test_a_month_that_is_a_word_is_no_date() -> None:
    """R152: "may" and "march" are read as months with a capital or beside a figure."""
    assert fault("The pupils may march.", "The pupils may march to the hill.") is None
    assert fault("They met in May.", "They met in June.") == "sentence 1: date"


@pytest.mark.parametrize(
    "claim",
    [
        "She wrote that “the tide keeps no diary”.",
        "She wrote: “The tide ... no diary.”",
        "«The tide keeps no diary», she wrote.",
        "She wrote ‘the tide keeps no diary’.",
    ],
)
def test_a_quotation_stands_word_for_word(claim: str) -> None:
    """R152: any quotation marks; an omission cuts a run in two."""
    assert fault(claim, "“The tide keeps no diary,” she wrote.") is None


@pytest.mark.parametrize(
    ("claim", "body"),
    [
        ("She wrote “the tide keeps a diary”.", "“The tide keeps no diary,” she wrote."),
        ("「月」と書いた。", "「潮は日記をつけない」と書いた。"),
        ("「潮は日記をつける」と書いた。", "「潮は日記をつけない」と書いた。"),
        ("She wrote „tide diary“.", "“The tide keeps no diary,” she wrote."),
    ],
)
def test_a_changed_quotation_is_seen(claim: str, body: str) -> None:
    """R152: quoted runs."""
    assert fault(claim, body) == "sentence 1: quotation"


@pytest.mark.parametrize(
    ("claim", "body"),
    [
        ("Rowena built the boat.", "Isobel built the boat in a shed."),
        ("The boat of Rowena was built.", "The boat of Isobel was built in a shed."),
        ("Anna Blythe built the boat.", "Anna Tarn built the boat in a shed."),
        ("猫はミケという。", "猫はタマという。"),
        ("鈴木が舟をつくった。", "谷口が舟をつくった。"),
        ("王芳在港口造了一条船。", "李娜在港口造了一条船。"),
    ],
)
def test_another_name_is_seen(claim: str, body: str) -> None:
    """R152: proper names, by what marks them in their script."""
    assert fault(claim, body) == "sentence 1: name"


@pytest.mark.parametrize(
    ("claim", "body"),
    [
        ("Building boats, she slept in the shed.", "She slept in the shed and built boats, boats."),
        ("Isobel's boat was built.", "Isobel built the boat and it was built well."),
        (
            "Das Mühlenrad am Bach war alt und schwer.",
            "Das Rad der Mühle am Bach war sehr alt und schwer.",
        ),
        ("港で大きい舟を製作した。", "港で大きい舟を作った。"),
        ("李娜造了船。", "李娜在港口造了一条船。"),
    ],
)
def test_a_common_word_is_no_name(claim: str, body: str) -> None:
    """R152: sentence starts, possessives, compounds and verbs."""
    assert fault(claim, body) is None


@pytest.mark.parametrize(
    ("claim", "body"),
    [
        ("The mill was sold.", "The mill was not sold that year."),
        ("The mill wasn't painted.", "The mill was painted that year."),
        ("Die Mühle wurde verkauft.", "Die Mühle wurde nie verkauft, sagt man im Dorf."),
        ("Le moulin est vendu.", "Le moulin n'est pas vendu, dit la femme."),
        ("Мельница была продана.", "Мельница не была продана в том году."),
        ("水車は売られた。", "水車は売られなかった。"),
        ("风筝飞走了。", "风筝没有飞走。"),
        (
            "방앗간은 팔렸다",
            "방앗간은 팔렸다. 문은 열리지 않았다.".replace("팔렸다", "팔리지 않았다"),
        ),
    ],
)
def test_a_dropped_or_added_negation_is_seen(claim: str, body: str) -> None:
    """R152: negation must agree."""
    assert fault(claim, body) in ("sentence 1: negation", "sentence 1: content words")


@pytest.mark.parametrize(
    ("claim", "body"),
    [
        ("The mill was sold in 1938.", "The mill was not sold in 1931. The mill was sold in 1938."),
        ("The mill was never sold.", "The mill was not sold that year."),
        ("The wheel was oiled.", "The wheel was oiled, but nobody painted the door."),
        ("水車は売られなかった。", "水車は、その年には売られなかった。"),
    ],
)
def test_a_negation_of_something_else_is_left_alone(claim: str, body: str) -> None:
    """R152: the words around a negation tell what it denies."""
    assert fault(claim, body) is None


def test_words_of_the_writers_own_are_seen() -> None:
    """R152: a floor of content words."""
    body = "The mill stood empty for a decade beside the water."
    assert fault("The mill stood empty beside the water.", body) is None
    assert fault("The mill was a cheerful dance hall for farmers.", body) is not None


def test_a_link_of_the_writers_own_is_seen() -> None:
    """R152: only the url of a citation may stand in prose."""
    body = "The mill stood empty."
    assert fault("The mill stood empty: https://evil.example/x", body) == "sentence 1: link"
    assert fault(f"The mill stood empty ({URL}).", body) is None


def test_every_sentence_inside_one_text_is_checked() -> None:
    """R152: a writer that packs two sentences into one is checked on both."""
    body = "The mill stood empty. The roof cost 640 pounds."
    assert fault("The mill stood empty. The roof cost 650 pounds.", body) == "sentence 1: number"


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=120), st.text(max_size=300))
def test_any_text_is_judged_without_an_error(claim: str, body: str) -> None:
    """R152: in any script, and whatever the text; judged twice alike."""
    assert fault(claim, body) == fault(claim, body)


@settings(max_examples=30, deadline=None)
@given(st.text(alphabet="0123456789.,:/ -年月日百千一二年 \"'’(", max_size=400))
def test_figures_without_end_are_read_in_time(text: str) -> None:
    """R152: no pattern backtracks without end."""
    assert fault(text, text * 5) in (
        None,
        *(f"sentence 1: {r}" for r in ("number", "date", "quotation")),
    )
