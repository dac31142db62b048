"""One question put to `ask` with doubles around it."""

from __future__ import annotations

from fonds.answering.ask import AskSettings, SearchOutcome, ask
from fonds.answering.prompt import AboutArchive
from fonds.answering.refusal import Answered, Refused
from fonds.contract.citation import Citation
from fonds.contract.ports import AnswerWriter
from fonds.contract.search_request import SearchRequest
from fonds.contract.writer_reply import WriterReply, Written, WrittenSentence
from tests.answering.hits import KeptRefusals, SayingWriter, outcome, semantic_hit, text_hit

ASKED = SearchRequest("How many metres of line did the kite school use?")
SETTINGS = AskSettings(AboutArchive("The Tarn Papers", "Isobel Tarn"))
KITES = Citation("record", "essay:kites#whole", "https://archive.example/kites/")
MILLS = Citation("record", "essay:mills#whole", "https://archive.example/mills/")
PIANO = Citation("hint", "note:piano#p4", "https://archive.example/notes/piano/")
FAIR = "Osric Pell asked for 30 metres of line."
BOTH = outcome(text_hit(score=0.7), semantic_hit(score=0.5))


def said(text: str = FAIR, *citations: Citation, mode: str = "partial") -> Written:
    return Written(mode, (WrittenSentence(text, citations or (KITES,)),))  # pyright: ignore[reportArgumentType]


def asked(
    writer: AnswerWriter,
    found: SearchOutcome = BOTH,
    *,
    settings: AskSettings = SETTINGS,
    log: KeptRefusals | None = None,
) -> Answered | Refused:
    return ask(ASKED, search=lambda _: found, writer=writer, settings=settings, log=log)


def refused(reply: WriterReply, found: SearchOutcome = BOTH) -> Refused:
    given = asked(SayingWriter(reply), found)
    assert isinstance(given, Refused)
    assert given.answer == ""
    assert given.citations == ()
    return given
