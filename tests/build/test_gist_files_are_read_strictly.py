"""A gist file is the author's: read strictly, refused by entry and field, never repeated (R084)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from fonds.contract.build_store import StoredEntity, StoredFragment
from fonds.contract.embed_string import content_hash
from fonds.contract.failures import MisauthoredInput
from fonds.contract.projection import FailedProjection, PassedProjection, SemanticProjection
from fonds.ingestion.import_gists import MAX_FILE_BYTES, import_gists
from tests.factories import GIST, a_fragment, a_projection, a_projection_base, an_entity, chapter

ID = "book:low-tide#ch1"


class Shelf:
    """One book of two chapters; keeps what it is given."""

    def __init__(self, *, vetoed: bool | None = None) -> None:
        self.kept: tuple[SemanticProjection, ...] = ()
        self._vetoed = vetoed

    def entities_of(self, fragment_ids: Sequence[str]) -> Iterator[StoredEntity]:
        parts: list[StoredFragment] = []
        for number, text in ((1, "The zebrawood box."), (2, "A lamp that nobody ever lit.")):
            one = a_fragment(place=chapter(number), text=text, exposure="semantic")
            stands = None
            if number == 1 and self._vetoed is not None:
                base = a_projection_base(fragment_id=one.fragment_id, vetoed=self._vetoed)
                stands = a_projection(base=base)
            parts.append(StoredFragment(one.fragment_id, one, content_hash(text), stands))
        yield StoredEntity(an_entity(), tuple(parts))

    def write_projections(self, projections: Sequence[SemanticProjection]) -> int:
        self.kept = tuple(projections)
        return len(projections)


def written(folder: Path, content: str | bytes) -> Path:
    file = folder / "gists.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def of_entries(folder: Path, **entries: dict[str, object]) -> Path:
    gists = {f"book:low-tide#{key}": entry for key, entry in entries.items()}
    return written(folder, json.dumps({"version": 1, "gists": gists}))


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("sesame", "not JSON"),
        (b"\xff\xfesesame", "not JSON"),
        ('{"version": ' + "9" * 5000 + "}", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"version": 2, "gists": {}}', "version: not of"),
        ('{"version": 1}', "gists: not of"),
        ('{"version": 1, "gists": {}, "sesame": 1}', "sesame: not of"),
        (f'{{"version": 1, "gists": {{"{ID}": {{"gist": 7}}}}}}', f"gists.{ID}.gist: not of"),
        (f'{{"version": 1, "gists": {{"{ID}": {{"gist": ""}}}}}}', f"gists.{ID}.gist: not of"),
        (
            f'{{"version": 1, "gists": {{"{ID}": {{"gist": "a", "vetoed": "no"}}}}}}',
            f"gists.{ID}.vetoed: not of",
        ),
        (
            f'{{"version": 1, "gists": {{"{ID}": {{"gist": "a\\u0000"}}}}}}',
            f"gists.{ID}.gist: NUL",
        ),
        (
            f'{{"version": 1, "gists": {{"{ID}": {{"gist": "a\\ud800"}}}}}}',
            "gist",
        ),
        ('{"version": 1, "version": 1, "gists": {}}', "names a key twice"),
        (b" " * (MAX_FILE_BYTES + 1), "larger than"),
    ],
)
def test_a_malformed_file_is_refused_whole(
    tmp_path: Path, content: str | bytes, place: str
) -> None:
    shelf = Shelf()
    with pytest.raises(MisauthoredInput) as refused:
        import_gists(written(tmp_path, content), shelf)
    assert place in str(refused.value)
    assert len(str(refused.value)) < 120
    assert shelf.kept == ()


def test_a_file_that_is_not_there_or_is_a_folder_is_refused(tmp_path: Path) -> None:
    for file in (tmp_path / "missing.json", tmp_path):
        with pytest.raises(MisauthoredInput, match="cannot be read"):
            import_gists(file, Shelf())


def test_a_gist_is_stamped_with_the_text_it_was_read_beside(tmp_path: Path) -> None:
    """R042: and a byte order mark of another system's editor is no mistake."""
    shelf = Shelf()
    content = json.dumps({"version": 1, "gists": {ID: {"gist": GIST, "review": "reviewed"}}})
    done = import_gists(written(tmp_path, b"\xef\xbb\xbf" + content.encode()), shelf)
    assert (done.written, done.unchanged, done.refused) == (1, 0, ())
    (kept,) = shelf.kept
    assert isinstance(kept, PassedProjection)
    assert kept.gist == GIST
    assert kept.base.content_hash == content_hash("The zebrawood box.")
    assert (kept.base.source, kept.base.review, kept.base.vetoed) == ("edited", "reviewed", False)


def test_a_gist_is_held_against_its_whole_entity(tmp_path: Path) -> None:
    """R064: words of another chapter are as private; the draft stays the author's."""
    shelf = Shelf()
    file = of_entries(
        tmp_path, ch1={"gist": "About a lamp that nobody ever lit."}, ch9={"gist": GIST}
    )
    done = import_gists(file, shelf)
    assert done.refused == (
        (ID, "quotes the entity's text at words 2-6"),
        ("book:low-tide#ch9", "the archive holds no such fragment"),
    )
    (kept,) = shelf.kept
    assert isinstance(kept, FailedProjection)
    assert "lamp" not in str(done) + str(done.as_json())


@pytest.mark.parametrize(
    ("stands", "said", "kept"),
    [
        (None, None, False),
        (None, True, True),
        (False, None, False),
        (True, None, True),
        (True, False, False),
        (False, True, True),
    ],
)
def test_a_veto_stands_until_the_author_writes_that_it_does_not(
    tmp_path: Path, *, stands: bool | None, said: bool | None, kept: bool
) -> None:
    """R084: a file that says nothing of a veto, imported again, must not lift it."""
    shelf = Shelf(vetoed=stands)
    entry: dict[str, object] = {"gist": GIST} if said is None else {"gist": GIST, "vetoed": said}
    import_gists(of_entries(tmp_path, ch1=entry), shelf)
    assert [one.base.vetoed for one in shelf.kept] == [kept]
