"""One encoding a file, told by its mark or declared, and never guessed (C19)."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fonds.archive_file import read_archive_file
from fonds.contract.failures import MisauthoredFile, Misconfigured
from fonds.ingestion.contents import read_contents
from fonds.ingestion.corpus import FoundFile
from fonds.ingestion.decoding import decoded
from fonds.ingestion.roots import checked_roots
from tests.ingestion.corpora import ARCHIVE_TOML, described, found_file, written_archive

PAGE = "---\ntitle: 手紙\n---\n「吾輩」と書く。\n"
SHIFT_JIS = f'encoding = "Shift-JIS"\n{ARCHIVE_TOML}'


def file_of(folder: Path, content: bytes, toml: str = ARCHIVE_TOML) -> FoundFile:
    config = read_archive_file(written_archive(folder, {"essays/a.md": content}, toml))
    return found_file(config, "essays/a.md")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_a_mark_or_none_at_all_is_enough_for_unicode(tmp_path: Path, encoding: str) -> None:
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    content = mark + PAGE.replace("\n", "\r\n").encode(encoding)
    entity, fragments = described(tmp_path, "essays/a.md", content)
    assert (entity.title, fragments[0].text) == ("手紙", "「吾輩」と書く。")


def test_a_declared_encoding_is_used_and_a_mark_overrides_it(tmp_path: Path) -> None:
    for content in (PAGE.encode("shift_jis"), PAGE.encode("utf-16")):
        entity, fragments = described(tmp_path, "essays/a.md", content, SHIFT_JIS)
        assert (entity.title, fragments[0].text) == ("手紙", "「吾輩」と書く。")


def test_each_folder_may_declare_its_own(tmp_path: Path) -> None:
    """A collection's word counts before the archive's, a private folder's too."""
    toml = SHIFT_JIS + 'encoding = "utf-8"\n[private_books]\nencoding = "cp1252"\n'
    config = read_archive_file(written_archive(tmp_path, {}, toml))
    encodings = {root.shown: root.encoding for root in checked_roots(config)}
    assert encodings == {
        "notebook": "shift_jis",
        "books": "cp1252",
        "talks": "shift_jis",
        "essays": "utf-8",
    }


def test_another_encoding_reads_a_file_again(tmp_path: Path) -> None:
    """It is part of what the rows are made of, and so of the settings' hash."""
    first = file_of(tmp_path, b"").root.settings_hash
    assert file_of(tmp_path, b"", SHIFT_JIS).root.settings_hash != first
    aozora = f'annotations = "aozora"\n{ARCHIVE_TOML}'
    assert file_of(tmp_path, b"", aozora).root.settings_hash != first


@pytest.mark.parametrize(
    ("content", "toml", "line", "said"),
    [
        (b"---\ntitle: A\n---\nzebra \x97 dash\n", ARCHIVE_TOML, 4, "not UTF-8"),
        (PAGE.encode("shift_jis"), ARCHIVE_TOML, 2, "declare its encoding"),
        (PAGE.encode(), SHIFT_JIS, None, "shift_jis"),
        (PAGE.encode("utf-16")[:-1], ARCHIVE_TOML, 4, "not utf-16-le"),
        (
            b"---\ntitle: A\n---\nzebra \x97 dash\n",
            f'encoding = "latin-1"\n{ARCHIVE_TOML}',
            None,
            "another encoding is meant",
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_name_and_not_patched(
    tmp_path: Path, content: bytes, toml: str, line: int | None, said: str
) -> None:
    """No byte is skipped or replaced; what the file served is withdrawn."""
    with pytest.raises(MisauthoredFile) as refusal:
        read_contents(file_of(tmp_path, content, toml)).text()
    assert said in refusal.value.reason
    assert refusal.value.path == "essays/a.md"
    assert not refusal.value.disclosure_known
    assert line is None or refusal.value.line == line
    assert "zebra" not in str(refusal.value)


def test_text_is_kept_composed(tmp_path: Path) -> None:
    """A name typed on another system is found by the same letters."""
    decomposed = "---\ntitle: Cafe\u0301\n---\nCafe\u0301.\n".encode()
    entity, fragments = described(tmp_path, "essays/a.md", decomposed)
    assert (entity.title, fragments[0].text) == ("Caf\u00e9", "Caf\u00e9.")


def test_what_was_read_otherwise_or_lost_before_is_remarked_on(tmp_path: Path) -> None:
    contents = read_contents(file_of(tmp_path, "a \ufffd b \ufffd".encode("utf-16")))
    assert contents.remarks(contents.text()) == [
        "read as utf-16-le, by its byte order mark",
        "holds 2 replacement characters: words were lost before",
    ]
    plain = read_contents(file_of(tmp_path, PAGE.encode()))
    assert plain.remarks(plain.text()) == []
    assert plain.digest() == hashlib.sha256(PAGE.encode()).hexdigest()


@pytest.mark.parametrize("name", ["zebra", "rot13", "idna", "unicode_escape", "utf-7", "base64"])
def test_only_encodings_of_text_can_be_declared(tmp_path: Path, name: str) -> None:
    """Python's other codecs read anything, or read it as something else."""
    with pytest.raises(Misconfigured, match="encoding: value error, an encoding of text") as said:
        read_archive_file(written_archive(tmp_path, {}, f'encoding = "{name}"\n{ARCHIVE_TOML}'))
    assert "zebra" not in str(said.value)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=80), st.sampled_from([None, "shift_jis", "cp1252", "euc_jp"]))
def test_any_bytes_are_read_whole_or_refused(content: bytes, encoding: str | None) -> None:
    try:
        text = decoded(content, "essays/a.md", encoding)
    except MisauthoredFile:
        return
    assert "\r" not in text
    assert "\ufffd" not in text or b"\xef\xbf\xbd" in content or content[:1] in b"\xff\xfe"
