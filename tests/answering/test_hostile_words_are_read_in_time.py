"""R152: a record and a reply cost time of their length, whatever an author or a model puts there.

A summary may be as long as front matter is. Where time grew with the square of it, each of these
would take minutes, and the test would not end.
"""

from __future__ import annotations

import pytest

from fonds.answering.claim_source import claim_source
from fonds.answering.sentences import sentences_of
from fonds.contract.answer_evidence import AnswerRecord
from fonds.ingestion.front_matter import MAX_FRONT_MATTER_CHARS

REPEATED = ("A. ", "I. A ", "no. 4 ", "1,", "1-", "千", "一年", "1万")


@pytest.mark.parametrize("part", REPEATED)
def test_a_record_of_one_thing_over_and_over_is_read(part: str) -> None:
    text = (part * MAX_FRONT_MATTER_CHARS)[:MAX_FRONT_MATTER_CHARS]
    record = AnswerRecord(
        record_id="essay:a#whole",
        type="essay",
        slug="a",
        title="A",
        url="https://example.org/a",
        body="The weir was mended.",
        summary=text,
    )

    source = claim_source(record)

    assert source.sentences[-1].spelling == "the weir was mended"


def test_initials_in_a_row_are_one_sentence() -> None:
    """As long as they go on: what ends a sentence is looked for in one word of it."""
    assert sentences_of("A. B. C. Keel wrote it. He did.") == ("A. B. C. Keel wrote it.", "He did.")
