"""The piles an author looks gists through in: each gist is in one, and `all` is every one."""

from __future__ import annotations

from typing import Literal, TypeAlias

GistPile: TypeAlias = Literal[
    "unreviewed", "stale", "failed", "missing", "vetoed", "reviewed", "all"
]
"""A vetoed gist is `vetoed` whatever else it is; of the others one without words is `missing`, one
that fails the lint `failed`, one whose text moved `stale`, and the rest go by their review.
"""
