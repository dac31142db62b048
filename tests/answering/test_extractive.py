"""The keyless writer quotes whole sentences of what it was given, or says nothing (R172)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.answering.claim_check import check_claims
from fonds.answering.evidence import CUT_MARK, gathered_evidence, shown_body
from fonds.answering.extractive import MAX_SENTENCES, ExtractiveWriter, combined_signal
from fonds.answering.prompt import AboutArchive, writer_task
from fonds.answering.sentence_signals import (
    SentenceSignals,
    named_words,
    passage_sentences,
    question_signals,
    sentence_signals,
)
from fonds.contract.citation import Citation
from fonds.contract.embedding_space import EmbeddingSpace
from fonds.contract.evidence_hit import EvidenceHit
from fonds.contract.failures import ProviderUnavailable
from fonds.contract.ports import EmbedOutcome, Vector
from fonds.contract.writer_reply import NotWritten, WriterReply, Written
from tests.answering.claim_texts import PASSAGES
from tests.answering.hits import locator_hit, semantic_hit, text_hit

ABOUT = AboutArchive("The Tarn Papers", "Isobel Tarn")
NOT_FOUND = Written("not-found", ())


class CountingEmbedder:
    """Vectors along one axis a word, so that texts sharing words are near; can be out of reach."""

    def __init__(self, words: Sequence[str], error: Exception | None = None) -> None:
        self.words = words
        self.error = error
        self.embedded: list[str] = []

    @property
    def space(self) -> EmbeddingSpace:
        return EmbeddingSpace("counting", "words", len(self.words), default_floor=0.2)

    def embed_passages(self, texts: Sequence[str]) -> EmbedOutcome:
        self.embedded.extend(texts)
        return EmbedOutcome(tuple(self.vector(text) for text in texts))

    def embed_query(self, text: str) -> Vector:
        if self.error is not None:
            raise self.error
        return self.vector(text)

    def vector(self, text: str) -> Vector:
        return tuple(float(text.lower().count(word)) + 0.001 for word in self.words)


def written(question: str, *hits: EvidenceHit, writer: ExtractiveWriter | None = None) -> Written:
    reply = reply_to(question, *hits, writer=writer)
    assert isinstance(reply, Written)
    return reply


def reply_to(
    question: str, *hits: EvidenceHit, writer: ExtractiveWriter | None = None
) -> WriterReply:
    task = writer_task(question, gathered_evidence(hits).evidence, ABOUT)
    return (writer or ExtractiveWriter("Isobel Tarn")).write(task)


def texts(reply: Written) -> list[str]:
    return [sentence.text for sentence in reply.sentences]


def test_it_names_itself() -> None:
    """R172: in output and reports."""
    assert ExtractiveWriter().name == "extractive"


def test_it_quotes_a_whole_sentence_and_cites_its_record() -> None:
    """R172: the sentence, not the passage."""
    reply = written("Who wound the town clock of Ardle?", text_hit("clock", PASSAGES["clock"]))
    assert reply.mode == "partial"
    assert texts(reply) == ["The town clock of Ardle has no minute hand."] or (
        "Wilhelmina Croft wound it for 41 years without a day of leave." in texts(reply)
    )
    assert reply.sentences[0].citations == (
        Citation("record", "essay:clock#whole", "https://archive.example/clock/"),
    )


def test_it_reads_the_whole_body() -> None:
    """R172: an answer at the end of a long passage is found."""
    filler = "The weather stayed dull. " * 200
    reply = written(
        "How many hives gave honey?", text_hit("bees", filler + "Nine hives gave honey.")
    )
    assert texts(reply) == ["Nine hives gave honey."]


def test_it_never_quotes_the_sentence_a_cut_went_through() -> None:
    """R172: whole sentences only, and never the mark."""
    body = "The weather stayed dull. " * 238 + "Nine hives gave honey " + "and honey " * 20 + "."
    assert shown_body(body).endswith(CUT_MARK)
    assert written("Which hives gave honey?", text_hit("hives", body)) == NOT_FOUND


def test_at_most_three_sentences_are_quoted_in_reading_order() -> None:
    """R172: and the same sentence once."""
    body = " ".join(f"Hive {n} gave honey." for n in range(8)) + " Hive 1 gave honey."
    reply = written("Which hive gave honey?", text_hit("bees", body), text_hit("more", body))
    assert texts(reply) == ["Hive 0 gave honey.", "Hive 1 gave honey.", "Hive 2 gave honey."]
    assert len(reply.sentences) == MAX_SENTENCES


def test_a_sentence_below_its_floor_is_not_quoted() -> None:
    """R172: a passage that passed its floors may hold no sentence that does."""
    body = "Larch is strong. The shed burned. A boat sank. On Friday they danced."
    assert written("Which larch boats sailed on Friday to Minch Point?", text_hit("t", body)) == (
        NOT_FOUND
    )


def test_a_name_the_record_lacks_stops_a_near_miss() -> None:
    """R172: names and figures of the question that stand nowhere in the record."""
    hit = text_hit("bees", "The hives gave honey to the hospital.", title="Bees")
    assert written("Which hives gave honey to the hospital?", hit) != NOT_FOUND
    assert written("Which hives gave honey to the hospital in 1977?", hit) == NOT_FOUND
    assert written("Which hives gave honey to Leeds hospital?", hit) == NOT_FOUND


def test_a_foreign_word_of_the_question_is_looked_for_as_a_name() -> None:
    """R172: Katakana marks a name; a record without it is a near-miss."""
    hit = text_hit("bees", "蜜は病院へ送られた。", title="蜂")
    assert written("蜜はトルネの病院へ送られたか", hit) == NOT_FOUND
    assert written("蜜は病院へ送られたか", hit) != NOT_FOUND


def test_the_authors_name_is_not_looked_for() -> None:
    """R172: no passage names the author of the archive."""
    hit = text_hit("bees", "The hives gave honey to the hospital.", title="Bees")
    assert written("Where did hives of Isobel Tarn give honey?", hit) != NOT_FOUND
    other = written("Where did hives of Hamish Dunne give honey?", hit)
    assert other == NOT_FOUND


@pytest.mark.parametrize(
    "question",
    ["Hives hospital honey?", "tell me about honey, hives, hospital", "honey hives hospital"],
)
def test_how_a_question_is_worded_makes_no_difference(question: str) -> None:
    """R172: the same words give the same answer."""
    hit = text_hit("bees", "The hives gave honey to the hospital. The shed was blue.", title="Bees")
    assert texts(written(question, hit)) == ["The hives gave honey to the hospital."]


def test_it_cites_each_hint_that_scores_like_the_best_record() -> None:
    """R172: a released score at least the best record's; a lower one stays out."""
    hits = (
        text_hit("bees", "The hives gave honey.", score=0.5),
        semantic_hit("piano", score=0.5),
        locator_hit("letters", score=0.45),
    )
    reply = written("Which hives gave honey?", *hits)
    assert reply.mode == "supported"
    assert texts(reply) == ["The hives gave honey.", "On piano (p. 4)."]
    check_claims(reply.sentences, gathered_evidence(hits).evidence)


def test_hints_alone_are_related_material() -> None:
    """R172: all of them, without prose."""
    reply = written("Who sold the piano?", semantic_hit("piano"), locator_hit("letters"))
    assert reply.mode == "related-material"
    assert texts(reply) == ["", ""]
    assert written("Who sold the piano?") == NOT_FOUND


def test_records_without_a_fitting_sentence_are_not_found_beside_hints() -> None:
    """R172: no sentence passes, so nothing is answered."""
    hits = (text_hit("bees", "The shed was blue.", title="X"), semantic_hit("piano"))
    assert written("Which hives gave honey?", *hits) == NOT_FOUND


def test_an_embedder_ranks_sentences_that_share_words() -> None:
    """R172: the sentence's cosine is a signal with a floor of its own."""
    embedder = CountingEmbedder(("hive", "honey", "winter"))
    writer = ExtractiveWriter("", embedder)
    hit = text_hit("bees", "The hives gave honey. The hives slept in winter.", title="X")
    assert texts(written("hives honey", hit, writer=writer)) == ["The hives gave honey."]
    assert "The hives gave honey." in embedder.embedded


def test_a_sentence_far_from_the_question_is_dropped_whatever_it_covers() -> None:
    """R172: neither signal rescues the other."""
    signals = SentenceSignals(coverage=1.0, missing=0.0, negation_differs=False, cosine=0.1)
    assert combined_signal(signals, 0.2) == 0.0
    near = SentenceSignals(coverage=0.1, missing=0.0, negation_differs=False, cosine=0.9)
    assert combined_signal(near, 0.2) == 0.0


def test_a_negation_that_differs_lowers_a_sentence() -> None:
    """R172: a weak signal, and only a signal."""
    plain = SentenceSignals(coverage=0.8, missing=0.0, negation_differs=False)
    negated = SentenceSignals(coverage=0.8, missing=0.0, negation_differs=True)
    assert 0 < combined_signal(negated, 0.2) < combined_signal(plain, 0.2)


def test_an_embedder_out_of_reach_is_no_answer() -> None:
    """R161: the writer says so as a value."""
    writer = ExtractiveWriter("", CountingEmbedder(("hive",), ProviderUnavailable("down")))
    hit = text_hit("bees", "The hives gave honey.", title="X")
    reply = reply_to("Which hives gave honey?", hit, writer=writer)
    assert reply == NotWritten("model_unavailable", "ProviderUnavailable")


@pytest.mark.parametrize(
    ("question", "key", "part"),
    [
        ("蜜はどこへ送られたか", "蜂", "病院"),
        ("水車の屋根に役場はいくら払ったか", "水車", "640円"),
        ("Wer behielt die Schlüssel der Mühle?", "muehle", "Margarete Ohlsen"),
    ],
)
def test_it_answers_in_other_scripts_and_languages(question: str, key: str, part: str) -> None:
    """R172, C20: sentences are found where words are not spaced."""
    assert part in " ".join(texts(written(question, text_hit(key, PASSAGES[key]))))


SENTENCES = [
    "The mill was not sold in 1931.",
    "Isobel built 27 boats!",
    "“Why?” she asked.",
    "舟は27艘あった。",
    "扉は塗られなかった！",
    "Dr. Hale paid 3.5 pounds",
    "猫？犬？",
    "- a list item",
    "Die Mühle stand leer.",
    "He said (no. 4) nothing.",
]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=8),
    st.sampled_from([" ", "\n", "\n\n", ""]),
    st.sampled_from(SENTENCES),
)
def test_what_it_writes_always_passes_the_claim_check(
    parts: list[str], joint: str, question: str
) -> None:
    """R152, R172: quoting is never an unsupported claim."""
    hits = (text_hit("t", joint.join(parts)), semantic_hit())
    reply = written(question, *hits)
    if reply.mode != "related-material":
        check_claims(reply.sentences, gathered_evidence(hits).evidence)


@pytest.mark.parametrize(
    ("question", "sentence", "differs"),
    [
        ("Who sold the mill?", "Isobel sold the mill, and never the house.", False),
        ("Who sold the mill?", "Isobel has not sold the mill.", True),
        ("Who sold the mill?", "With no roof and broken doors the mill was sold.", False),
        ("Who never sold the mill?", "Isobel sold the mill.", True),
        ("Who never sold the mill?", "Isobel never sold the mill.", False),
        ("扉は塗られたか", "扉は塗られなかった。", True),
        ("扉は塗られたか", "扉は塗られ、窓は開かなかった。", False),
    ],
)
def test_a_word_is_denied_by_the_clause_that_denies_it_and_by_no_other(
    question: str, sentence: str, differs: bool
) -> None:
    """R172: a sentence may deny something else than what was asked."""
    record = gathered_evidence((text_hit("t", sentence, title="X"),)).evidence.records[0]
    parts = passage_sentences(record, 0)
    asked = question_signals(question, parts, "")
    signals = sentence_signals(asked, parts[0], named_words(record), None)
    assert signals.negation_differs == differs
