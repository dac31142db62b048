"""One build being written, inside one snapshot of the private side (R092, R095)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import Connection
from psycopg.rows import dict_row

from fonds.contract.build_store import (
    BuildSummary,
    BuildTerms,
    NormalisedWords,
    PreviewRow,
    ServableGist,
    StoredEntity,
)
from fonds.contract.fragment_change import FragmentChange
from fonds.store.build_rows import change_from, preview_row_from, summary_from
from fonds.store.statements import Row, dict_rows, statements
from fonds.store.stored_entities import with_fragments

_SERVE = ("serve_entities", "serve_fragments")
_COMPLETE = (
    "serve_vectors",
    "serve_words",
    "serve_title_phrases",
    "serve_theme_phrases",
    "serve_creators",
    "serve_speakers",
)
_ROWS_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class PostgresBuildSession:
    """One REPEATABLE READ transaction: every statement sees the private side of one moment."""

    connection: Connection[Any]
    build_id: int
    terms: BuildTerms
    fingerprint: str
    narrowing: int

    def lacking_vectors(self) -> int:
        return int(self._one("lacking_vectors", space_id=self.terms.space.space_id)["count"])

    def entities_to_check(self) -> Iterator[StoredEntity]:
        return with_fragments(self.connection, self._all("entities_to_check"))

    def entity_titles(self) -> Iterator[tuple[str, str]]:
        return ((row["entity_id"], row["title"]) for row in self._all("entity_titles"))

    def distinct_themes(self) -> Sequence[str]:
        return [row["theme"] for row in self._all("distinct_themes")]

    def distinct_names(self) -> Sequence[str]:
        return [row["name"] for row in self._all("distinct_names")]

    def serve(
        self, gists: Sequence[ServableGist], words: NormalisedWords
    ) -> tuple[FragmentChange, ...]:
        self._stage("gists", [(g.fragment_id, g.gist.text, g.source, g.review) for g in gists])
        self._stage("titles", words.titles)
        self._stage("themes", words.themes)
        self._stage("names", words.names)
        self._run("analyse_staged")
        for name in _SERVE:
            self._run(name, build_id=self.build_id)
        return self.changes()

    def changes(self) -> tuple[FragmentChange, ...]:
        rows = dict_rows(self.connection, "difference", "changes", build_id=self.build_id)
        return tuple(change_from(row) for row in rows)

    def previewed(self, entity_ids: Sequence[str]) -> Iterator[PreviewRow]:
        # Read in portions: an author may look at all of a large archive.
        with self.connection.cursor("previewed", row_factory=dict_row) as cursor:
            cursor.itersize = _ROWS_AT_ONCE
            cursor.execute(
                statements("difference")["previewed"],
                {"build_id": self.build_id, "entity_ids": list(entity_ids)},
            )
            yield from (preview_row_from(row) for row in cursor)

    def finish(self, withheld: Sequence[FragmentChange]) -> BuildSummary:
        if withheld:
            self._withhold(withheld)
        for name in _COMPLETE:
            self._run(name, build_id=self.build_id, space_id=self.terms.space.space_id)
        self._run(
            "count_build",
            build_id=self.build_id,
            fingerprint=self.fingerprint,
            narrowing=self.narrowing,
        )
        return next(
            summary_from(row) for row in self._all("builds") if row["build_id"] == self.build_id
        )

    def _withhold(self, changes: Sequence[FragmentChange]) -> None:
        named = {"build_id": self.build_id, "fragment_ids": [c.fragment_id for c in changes]}
        difference = statements("difference")
        for name in ("withhold_unseen", "withhold_titles", "withhold_more", "drop_emptied"):
            self.connection.execute(difference[name], named)
        was = [change.was for change in changes]
        becomes = [change.becomes for change in changes]
        columns = {
            "was_raws": [shown and shown.raw for shown in was],
            "was_exposures": [shown and shown.exposure for shown in was],
            "raws": [shown and shown.raw for shown in becomes],
            "exposures": [shown and shown.exposure for shown in becomes],
            "fields": [",".join(change.fields) for change in changes],
            "contents": [change.content for change in changes],
        }
        self.connection.execute(difference["note_waiting"], named | columns)

    def _stage(self, what: str, rows: Sequence[tuple[object, ...]]) -> None:
        self._run(f"stage_{what}")
        types = ["text"] * (2 if what in {"titles", "themes"} else 4)
        if what == "names":
            types = ["text", "text", "bool"]
        with (
            self.connection.cursor() as cursor,
            cursor.copy(statements("build")[f"copy_{what}"]) as copy,
        ):
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)

    def _run(self, name: str, **values: object) -> None:
        self.connection.execute(statements("build")[name], values)

    def _all(self, name: str, **values: object) -> list[Row]:
        return dict_rows(self.connection, "build", name, **values)

    def _one(self, name: str, **values: object) -> Row:
        return self._all(name, **values)[0]
