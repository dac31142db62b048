"""What docs/scaling.md says of a standby and of a split table is tried on real servers."""

from __future__ import annotations

from eval.trials import partitions, replica


def test_a_standby_answers_a_search_and_counts_nothing() -> None:
    """Hits are those of the primary; what writes is refused there, whole; and a withdrawal that
    waits for the standby is seen by nobody afterwards (R191).
    """
    report = replica.tried(fragments=200, rounds=2, withdrawals=5)
    assert report["search"]["sameReplies"] == report["search"]["questions"] == 2
    assert report["needs"] == {
        "find an archive": "answered",
        "check the revision": "answered",
        "prove the reader weak": "answered",
        "let a caller in": "answered",
        "count a request": "refused: Unavailable",
        "charge a private question": "refused: Unavailable",
        "note a refusal": "refused: StoreRefused",
        "read as the curator": "refused: StoreRefused",
        "stage rows of an ingest": "refused: StoreRefused",
    }
    assert report["withdrawn"]["remote_apply"]["stillShown"] == 0


def test_vectors_split_by_archive_answer_as_one_table_does() -> None:
    """One partition is read; builds, withdrawals and the proof of the reader go on (R094, R100)."""
    report = partitions.tried(archives=3, fragments=80, partitions=4, rounds=3)
    assert report["partitionsRead"] == 1
    assert report["search"]["sameHits"] == report["search"]["questions"] == 3
    assert report["after"] == {
        "writtenByABuild": 80,
        "leftOfThemAfterOneIsWithdrawn": 79,
        "leftOfThemAfterTheBuildIsGone": 0,
        "proofOfTheReader": "holds",
    }
