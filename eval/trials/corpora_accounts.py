"""Where each file of a corpus went: every one is named in one account, none in two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fonds.archive_config import ArchiveConfig

_PAGES = (".md", ".mdx")
_SIDECARS = (".toml", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Accounts:
    """Names of files by what happened to them; `trouble` says what does not add up."""

    read: tuple[str, ...]
    no_text: tuple[str, ...]
    refused: tuple[str, ...]
    drafts: tuple[str, ...]
    set_aside: Mapping[str, tuple[str, ...]]
    trouble: tuple[str, ...]

    @property
    def total(self) -> int:
        named = (self.read, self.no_text, self.refused, self.drafts, *self.set_aside.values())
        return sum(map(len, named))


def accounted(
    files: Sequence[str], stored: Iterable[str], report: Mapping[str, Any], config: ArchiveConfig
) -> Accounts:
    """The accounts of `files`, given what is stored after a run and what its report says."""
    named: dict[str, str] = dict.fromkeys(stored, "read")
    trouble: list[str] = []
    for name in report["noText"]:
        _enter(named, name, "no text", trouble)
    for one in report["refused"]:
        _enter(named, one["file"], "refused", trouble)
    trouble += [
        f"{name}: named by the run and not in the corpus" for name in named.keys() - {*files}
    ]
    for name in files:
        if name not in named:
            named[name] = why_unread(name, config)
    by_account: dict[str, list[str]] = {}
    for name in files:
        by_account.setdefault(named[name], []).append(name)
    found = {account: tuple(names) for account, names in by_account.items()}
    read, no_text, refused, drafts = (
        found.pop(account, ()) for account in ("read", "no text", "refused", "draft")
    )
    if len(drafts) != report["drafts"]:
        trouble.append(f"{len(drafts)} files are in no account, and {report['drafts']} are drafts")
    accounts = Accounts(read, no_text, refused, drafts, found, tuple(trouble))
    if accounts.total != len(files):
        added = f"{accounts.total} files are accounted for, and {len(files)} were found"
        accounts = replace(accounts, trouble=(*trouble, added))
    return accounts


def why_unread(name: str, config: ArchiveConfig) -> str:
    """Why a run does not look into a file: its name alone decides; else it can only be a draft."""
    path = config.file.parent / name
    root, suffixes = _root_of(path, config)
    if root is None:
        return "outside of the folders"
    if any(part.startswith(("_", ".")) for part in path.relative_to(root).parts):
        return "its name begins with _ or ."
    if path.suffix.lower() in suffixes:
        return "draft"
    if path.suffix in _SIDECARS:
        return "fields of another file"
    return f"a format that is not read ({path.suffix or 'none'})"


def _root_of(path: Path, config: ArchiveConfig) -> tuple[Path | None, tuple[str, ...]]:
    kinds: list[tuple[Path, tuple[str, ...]]] = [(one.path, _PAGES) for one in config.collections]
    for folder, suffixes in (
        (config.private_notes, _PAGES),
        (config.private_books, (*_PAGES, ".txt", ".epub", ".docx", ".pdf")),
        (config.transcripts, (".md", ".vtt", ".srt")),
    ):
        if folder is not None:
            kinds.append((folder.path, suffixes))
    for root, suffixes in kinds:
        if path.is_relative_to(root):
            return root, suffixes
    return None, ()


def _enter(named: dict[str, str], name: str, account: str, trouble: list[str]) -> None:
    # A refused file whose last version stays is stored as well; in a first run none is.
    if name in named:
        trouble.append(f"{name}: {named[name]} and {account}")
    named[name] = account
