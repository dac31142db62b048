"""A lawful row of every table, and the rows that break a rule, one rule each (R001, R092, R093)."""

from __future__ import annotations

from typing import TypeAlias

from tests.database import rows
from tests.database.rows import LOCATED, QUOTED, Row

Broken: TypeAlias = tuple[str, str, Row]

ELSEWHERE: Row = {"archive_id": 999}
SEMANTIC: Row = {"exposure": "semantic"}
PUBLIC_SEMANTIC: Row = {"raw": "public", "exposure": "semantic"}
NAMED = '{"name": "x"}'

# A lawful row of each table, beside those of the fixture.
LAWFUL: dict[str, Row] = {
    "private.archive": {"slug": "second", "name": "N", "author": "A", "base_url": "https://e.org"},
    "private.job_lock": {"archive_id": 1, "job": "other"},
    "private.run": {"archive_id": 1, "job": "ingest", "outcome": "done", "report": "{}"},
    "private.source": rows.source(1, source_key="b.md"),
    "private.entity": rows.entity(1, entity_id="note:b"),
    "private.fragment": rows.fragment(1, fragment_id="note:a#9"),
    "private.embedding": rows.embedding(1, space_id="another"),
    "private.projection": rows.projection(1, fragment_id="note:a#9"),
    "private.ledger": {
        "archive_id": 1,
        "fragment_id": "x#1",
        "entity_id": "x",
        "body_hash": "h",
        "exposure": "none",
    },
    "private.narrowing": {"archive_id": 1, "narrowing": 99, "fragment_id": "x#1", "target": "none"},
    "private.calibration": rows.calibration_question(1, question_key="1" * 32, name="q2"),
    "private.calibration_vector": rows.calibration_vector(1, space_id="another"),
    "private.refusal": {"archive_id": 1, "reason": "floor", "record": "{}"},
    "private.audit": {"archive_id": 1, "action": "veto", "subject": "x#1"},
    "served.build": rows.build(1, build_id=9),
    "served.live": {"archive_id": 1, "build_id": 1},
    "served.calibration": rows.served_calibration(1, build_id=2),
    "served.entity": rows.served_entity(1, entity_id="note:b"),
    "served.fragment": rows.served_fragment(1, fragment_id="note:a#9"),
    "served.embedding": rows.served_embedding(1, fragment_id="note:a#8"),
    "served.phrase": {
        "archive_id": 1,
        "build_id": 1,
        "phrase": "tide",
        "kind": "title",
        "fragment_id": "note:a#1",
        "document_frequency": 0,
    },
    "served.name": {
        "archive_id": 1,
        "build_id": 1,
        "kind": "creator",
        "name": "person a",
        "unspaced": False,
        "fragment_id": "note:a#1",
    },
}

PRIVATE: tuple[Broken, ...] = (
    ("private.archive", "archive_slug_check", {"slug": "A b"}),
    ("private.archive", "archive_slug_check", {"slug": "a\n"}),
    ("private.archive", "archive_slug_check", {"slug": "../a"}),
    ("private.calibration", "calibration_question_key_check", {"question_key": "x"}),
    ("private.calibration", "calibration_name_check", {"name": "two words"}),
    ("private.calibration", "calibration_question_check", {"question": ""}),
    ("private.calibration", "calibration_kind_check", {"kind": "hard"}),
    ("private.calibration", "calibration_source_check", {"source": "guess"}),
    ("private.calibration", "the_bank_is_about_no_archive", {"source": "bank"}),
    ("private.calibration_vector", "a_vector_has_its_dimensions", {"dimensions": 4}),
    (
        "private.calibration_vector",
        "calibration_vector_archive_id_question_key_fkey",
        {"question_key": "2" * 32},
    ),
    ("private.calibration_vector", "a_vector_is_not_zero", {"embedding": "[0,0,0]"}),
    ("private.source", "source_raw_check", {"raw": "secret"}),
    ("private.entity", "raw_is_known", {"raw": "Private"}),
    ("private.entity", "exposure_is_known", {"exposure": "full"}),
    ("private.entity", "private_is_not_quoted", {"exposure": "text"}),
    ("private.entity", "entity_type_check", {"type": ""}),
    ("private.entity", "entity_title_check", {"title": ""}),
    ("private.entity", "entity_url_check", {"url": ""}),
    ("private.entity", "entity_attribution_check", {"attribution": "{}"}),
    ("private.entity", "entity_identifiers_check", {"identifiers": "[{}]"}),
    ("private.entity", "entity_ngram_words_check", {"ngram_words": 0}),
    ("private.entity", "entity_ngram_chars_check", {"ngram_chars": 0}),
    ("private.entity", "entity_gist_max_chars_check", {"gist_max_chars": -1}),
    ("private.entity", "a_date_is_an_interval", {"date": "2019"}),
    (
        "private.entity",
        "a_date_is_an_interval",
        {"date_start": "2019-01-01", "date_end": "2019-01-01"},
    ),
    ("private.entity", "entity_archive_id_source_key_fkey", {"source_key": "nowhere.md"}),
    ("private.fragment", "exposure_is_known", {"exposure": ""}),
    ("private.fragment", "private_is_not_quoted", {"exposure": "text"}),
    ("private.fragment", "private_has_no_summary", {"summary": "s"}),
    ("private.fragment", "private_has_no_summary", {"trail": ["h"]}),
    ("private.fragment", "an_id_starts_with_its_entity", {"fragment_id": "note:b#1"}),
    ("private.fragment", "an_id_starts_with_its_entity", {"fragment_id": "note:a"}),
    ("private.fragment", "fragment_place_check", {"place": "[]"}),
    ("private.fragment", "fragment_label_check", {"label": ""}),
    ("private.fragment", "fragment_text_check", {"text": ""}),
    ("private.fragment", "fragment_attribution_check", {"attribution": '[{"role": "x"}]'}),
    ("private.fragment", "fragment_source_review_check", {"source_review": "maybe"}),
    (
        "private.fragment",
        "a_date_is_an_interval",
        {"date": "x", "date_start": "2020-01-02", "date_end": "2020-01-01"},
    ),
    ("private.fragment", "fragment_archive_id_entity_id_raw_fkey", {"raw": "public"}),
    ("private.embedding", "a_vector_has_its_dimensions", {"dimensions": 4}),
    ("private.embedding", "a_vector_is_not_zero", {"embedding": "[0,0,0]"}),
    ("private.embedding", "a_vector_is_not_zero", {"embedding": "[1e-9,0,0]"}),
    ("private.embedding", "embedding_archive_id_fragment_id_fkey", {"fragment_id": "note:a#0"}),
    ("private.projection", "projection_source_check", {"source": "copied"}),
    ("private.projection", "projection_review_check", {"review": "in-review"}),
    ("private.projection", "an_arm_holds_its_own_words", {"lint": "unknown"}),
    ("private.projection", "an_arm_holds_its_own_words", {"draft": "both"}),
    ("private.projection", "an_arm_holds_its_own_words", {"gist": None}),
    ("private.projection", "an_arm_holds_its_own_words", {"lint": "failed"}),
    ("private.projection", "an_arm_holds_its_own_words", {"lint": "failed", "gist": None}),
    ("private.narrowing", "narrowing_target_check", {"target": "text"}),
)

SERVED: tuple[Broken, ...] = (
    ("served.calibration", "calibration_source_check", {"source": "guess"}),
    ("served.calibration", "calibration_rule_check", {"rule": "loose"}),
    ("served.calibration", "calibration_alpha_check", {"alpha": 0}),
    ("served.calibration", "calibration_alpha_check", {"alpha": 1}),
    ("served.calibration", "calibration_alpha_check", {"alpha": "NaN"}),
    ("served.calibration", "calibration_threshold_check", {"threshold": "NaN"}),
    ("served.calibration", "calibration_hint_threshold_check", {"hint_threshold": "NaN"}),
    ("served.calibration", "near_misses_are_among_the_counted", {"near_misses": 41}),
    ("served.calibration", "a_model_weighs_five_signals", {"weights": [1.0]}),
    ("served.calibration", "a_model_weighs_five_signals", {"means": []}),
    ("served.calibration", "calibration_archive_id_build_id_fkey", {"build_id": 404}),
    ("served.calibration", "a_price_is_eight_counts", {"price": [1, 2]}),
    ("served.calibration", "a_price_is_eight_counts", {"price": [0, 0, 0, 0, 0, 0, 0, -1]}),
    ("served.calibration", "a_price_is_eight_counts", {"price": [0, 0, 0, 0, 0, 0, 0, None]}),
    ("served.build", "build_state_check", {"state": "live"}),
    ("served.build", "build_dimensions_check", {"dimensions": 0}),
    ("served.build", "build_dimensions_check", {"dimensions": 4001}),
    ("served.build", "build_score_floor_check", {"score_floor": "NaN"}),
    ("served.build", "build_coverage_floor_check", {"coverage_floor": 1.5}),
    ("served.live", "only_a_checked_build_is_live", {"may_be_live": False}),
    ("served.live", "a_live_build_stays_checked", {"build_id": 2}),
    ("served.live", "a_live_build_stays_checked", {"build_id": 404}),
    ("served.entity", "entity_raw_check", {"raw": "PRIVATE"}),
    ("served.entity", "entity_type_check", {"type": ""}),
    ("served.entity", "entity_title_check", {"title": ""}),
    ("served.entity", "entity_url_check", {"url": ""}),
    ("served.entity", "entity_attribution_check", {"attribution": f"[{NAMED}, 1]"}),
    ("served.entity", "entity_identifiers_check", {"identifiers": '[{"scheme": "doi"}]'}),
    ("served.entity", "a_private_title_is_a_caption", {"title": "x" * 121}),
    ("served.entity", "a_private_title_is_a_caption", {"title": "one\u2028two"}),
    ("served.entity", "entity_archive_id_build_id_fkey", {"build_id": 404}),
    ("served.fragment", "withheld_is_not_served", LOCATED | {"exposure": "none"}),
    ("served.fragment", "private_is_not_quoted", QUOTED | {"raw": "private"}),
    ("served.fragment", "text_only_where_exposed", LOCATED | {"text": "leak"}),
    ("served.fragment", "text_only_where_exposed", LOCATED | {"summary": "leak"}),
    ("served.fragment", "text_only_where_exposed", LOCATED | {"trail": ["leak"]}),
    ("served.fragment", "text_only_where_exposed", {"text": "leak"}),
    ("served.fragment", "text_only_where_exposed", PUBLIC_SEMANTIC | {"text": "leak"}),
    ("served.fragment", "exposed_text_is_there", QUOTED | {"entity_id": "essay:p", "text": ""}),
    ("served.fragment", "gist_only_where_exposed", SEMANTIC | {"gist_review": None}),
    ("served.fragment", "gist_only_where_exposed", SEMANTIC | {"gist_source": None}),
    ("served.fragment", "gist_only_where_exposed", SEMANTIC | {"gist": None}),
    ("served.fragment", "gist_only_where_exposed", {"exposure": "locator"}),
    ("served.fragment", "gist_only_where_exposed", LOCATED | {"gist_source": "edited"}),
    ("served.fragment", "gist_only_where_exposed", LOCATED | SEMANTIC),
    ("served.fragment", "fragment_gist_source_check", {"gist_source": "copied"}),
    ("served.fragment", "fragment_gist_review_check", {"gist_review": "in-review"}),
    ("served.fragment", "a_gist_is_one_paragraph", {"gist": ""}),
    *(
        ("served.fragment", "a_gist_is_one_paragraph", {"gist": f"one{end}two"})
        for end in "\n\r\v\f\x1d\x85\u2029"
    ),
    ("served.fragment", "a_private_label_is_a_caption", {"label": "x" * 121}),
    ("served.fragment", "a_private_label_is_a_caption", LOCATED | {"label": "one\ntwo"}),
    ("served.fragment", "fragment_label_check", {"label": ""}),
    ("served.fragment", "fragment_place_check", {"place": '[{"scheme": "page", "value": 4}]'}),
    ("served.fragment", "fragment_attribution_check", {"attribution": '[{"name": 4}]'}),
    ("served.fragment", "a_date_is_an_interval", {"date": "2019", "date_start": "2019-01-01"}),
    ("served.fragment", "fragment_archive_id_build_id_entity_id_raw_fkey", PUBLIC_SEMANTIC),
    ("served.fragment", "fragment_archive_id_build_id_entity_id_raw_fkey", {"build_id": 2}),
    ("served.fragment", "fragment_archive_id_build_id_entity_id_raw_fkey", {"entity_id": "note:c"}),
    ("served.embedding", "private_is_not_quoted", {"exposure": "text"}),
    ("served.embedding", "a_vector_has_its_dimensions", {"embedding": "[1,0]"}),
    ("served.embedding", "a_vector_is_not_zero", {"embedding": "[0,0,0]"}),
    (
        "served.embedding",
        "embedding_archive_id_build_id_dimensions_fkey",
        {"embedding": "[1,0]", "dimensions": 2},
    ),
    (
        "served.embedding",
        "embedding_archive_id_build_id_fragment_id_raw_exposure_fkey",
        {"exposure": "locator"},
    ),
    (
        "served.embedding",
        "embedding_archive_id_build_id_fragment_id_raw_exposure_fkey",
        {"build_id": 2},
    ),
    ("served.phrase", "phrase_phrase_check", {"phrase": ""}),
    ("served.phrase", "phrase_phrase_check", {"phrase": "x" * 513}),
    ("served.phrase", "phrase_kind_check", {"kind": "slug"}),
    ("served.phrase", "phrase_archive_id_build_id_fragment_id_fkey", {"fragment_id": "note:a#0"}),
    ("served.name", "name_kind_check", {"kind": "editor"}),
    ("served.name", "name_name_check", {"name": ""}),
    ("served.name", "name_archive_id_build_id_fragment_id_fkey", {"build_id": 2}),
)

STRANGERS: tuple[Broken, ...] = (
    *(
        (table, f"{table.partition('.')[2]}_archive_id_fkey", ELSEWHERE)
        for table in LAWFUL
        if table.startswith("private.")
        and table
        not in {
            "private.archive",
            "private.fragment",
            "private.embedding",
            "private.calibration_vector",
        }
    ),
    ("served.build", "build_archive_id_fkey", ELSEWHERE),
    ("served.live", "live_archive_id_fkey", ELSEWHERE),
)
BROKEN: tuple[Broken, ...] = (*PRIVATE, *SERVED, *STRANGERS)
