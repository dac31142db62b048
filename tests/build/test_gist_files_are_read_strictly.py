"""A gist file is the author's: read strictly, refused by entry and field, never repeated (R084)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from fonds.contract.build_store import StoredEntity, StoredFragment
from fonds.contract.embed_string import content_hash
from fonds.contract.failures import MisauthoredInput
from fonds.contract.projection import (
    FailedProjection,
    GistReview,
    PassedProjection,
    SemanticProjection,
)
from fonds.ingestion.import_gists import MAX_FILE_BYTES, import_gists
from tests.factories import GIST, a_fragment, a_projection, a_projection_base, an_entity, chapter

ID = "book:low-tide#ch1"


class Shelf:
    """One book of two chapters; keeps what it is given."""

    def __init__(self, stands: SemanticProjection | None = None) -> None:
        self.kept: tuple[SemanticProjection, ...] = ()
        self._stands = stands

    def entities_of(self, fragment_ids: Sequence[str]) -> Iterator[StoredEntity]:
        parts: list[StoredFragment] = []
        for number, text in ((1, "The zebrawood box."), (2, "A lamp that nobody ever lit.")):
            one = a_fragment(place=chapter(number), text=text, exposure="semantic")
            stands = self._stands if number == 1 else None
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
        ("[" * 100_000, "nested too deep"),
        ('{"gists":' * 50_000, "nested too deep"),
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
    before = None
    if stands is not None:
        before = a_projection(base=a_projection_base(fragment_id=ID, vetoed=stands))
    shelf = Shelf(before)
    entry: dict[str, object] = {"gist": GIST} if said is None else {"gist": GIST, "vetoed": said}
    import_gists(of_entries(tmp_path, ch1=entry), shelf)
    assert [one.base.vetoed for one in shelf.kept] == [kept]


@pytest.mark.parametrize(
    ("stale", "review", "said", "stands"),
    [
        (True, "unreviewed", None, True),
        (True, "reviewed", "reviewed", True),
        (True, "unreviewed", "reviewed", False),
        (False, "unreviewed", "reviewed", False),
    ],
)
def test_the_stored_words_are_stamped_by_a_review_said_anew_alone(
    tmp_path: Path, *, stale: bool, review: GistReview, said: GistReview | None, stands: bool
) -> None:
    """R084, A17: reading the same file again is neither an edit nor a review."""
    base = a_projection_base(fragment_id=ID, stale=stale, review=review, text="Once.")
    shelf = Shelf(a_projection(base=base))
    entry: dict[str, object] = {"gist": GIST, "source": "generated"}
    import_gists(of_entries(tmp_path, ch1=entry | ({"review": said} if said else {})), shelf)
    (kept,) = shelf.kept
    now = content_hash("The zebrawood box.")
    assert kept.base.stale is stands
    assert kept.base.content_hash == (now if said and review != said else base.content_hash)
    assert (kept.base.model, kept.base.prompt_version) == ("a-model", "gist.v1")


def test_other_words_are_the_author_s_edit_of_the_text_as_it_stands(tmp_path: Path) -> None:
    """R082: an exported gist that was changed by hand must not be drafted over."""
    shelf = Shelf(a_projection(base=a_projection_base(fragment_id=ID, stale=True)))
    entry = {"gist": "Papers.", "source": "generated", "contentHash": "0" * 16}
    import_gists(of_entries(tmp_path, ch1=dict(entry)), shelf)
    (kept,) = shelf.kept
    assert (kept.base.source, kept.base.stale) == ("edited", False)
    assert kept.base.content_hash == content_hash("The zebrawood box.")


def test_a_copy_from_before_the_text_moved_comes_back_stale(tmp_path: Path) -> None:
    """R084: restored into an archive that holds no gist for it."""
    for hashed in (content_hash("The zebrawood box."), "0" * 16):
        shelf = Shelf()
        import_gists(of_entries(tmp_path, ch1={"gist": GIST, "contentHash": hashed}), shelf)
        assert [one.base.stale for one in shelf.kept] == [hashed == "0" * 16]
