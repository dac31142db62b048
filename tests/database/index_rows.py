"""A lawful row of each table of an index, the rows that break a rule of one, and who makes one."""

from __future__ import annotations

from tests.database.rows import Row

LAWFUL: dict[str, Row] = {
    "served.near_index": {
        "archive_id": 1,
        "build_id": 2,
        "links": 16,
        "width": 64,
        "breadth": 100,
        "least": 1,
        "vectors": 3,
        "centre": "[1,0,0]",
        "questions": 4,
        "by_index": 3,
        "recall": 0.99,
        "checked_at": "2031-05-06",
        "admitted": True,
    },
    "served.index_spread": {"archive_id": 1, "build_id": 1, "place": 2, "spread": "[1,0,0]"},
}

BROKEN: tuple[tuple[str, str, Row], ...] = (
    ("served.near_index", "near_index_links_check", {"links": 1}),
    ("served.near_index", "near_index_width_check", {"width": 1001}),
    ("served.near_index", "near_index_breadth_check", {"breadth": 0}),
    ("served.near_index", "near_index_least_check", {"least": 0}),
    ("served.near_index", "near_index_vectors_check", {"vectors": -1}),
    ("served.near_index", "a_graph_is_wide_enough", {"width": 31}),
    ("served.near_index", "counts_are_of_the_questions", {"by_index": 5}),
    ("served.near_index", "only_what_finds_all_is_admitted", {"recall": 0.989}),
    ("served.near_index", "only_what_finds_all_is_admitted", {"by_index": 0}),
    ("served.near_index", "only_what_finds_all_is_admitted", {"checked_at": None}),
    ("served.near_index", "only_what_finds_all_is_admitted", {"centre": None}),
    ("served.near_index", "near_index_archive_id_build_id_fkey", {"build_id": 404}),
    ("served.index_spread", "index_spread_place_check", {"place": 0}),
    ("served.index_spread", "index_spread_archive_id_build_id_fkey", {"build_id": 404}),
)

# What `fonds_indexer` may do, as the table of rights has it: vectors of the archive in scope, and
# tables of its own.
RIGHTS = """
call api: drop_index index_bytes make_index named_by_index named_by_number scope sweep_index
call private: follow_build
schema api: USAGE
schema ext: USAGE
schema indexes: CREATE, USAGE
schema served: USAGE
served.build: SELECT archive_id build_id dimensions, UPDATE dimensions
served.embedding: SELECT archive_id build_id fragment_id raw embedding number
served.index_spread: DELETE, SELECT archive_id build_id
served.near_index: DELETE, INSERT archive_id build_id links width breadth least vectors, SELECT
  archive_id build_id, UPDATE centre admitted
"""
