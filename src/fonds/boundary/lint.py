"""Which strings may stand on the public side of private text: gists and metadata (R060-R069).

The lint sees runs, not meaning: a paraphrase passes (R198). It runs where private text is at hand
(corpus, drafter, build, validation), never at query time and never on the served schema (R070).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fonds.boundary.runs import PrivateRuns
from fonds.contract.attribution import Attribution
from fonds.contract.entity import Entity, LintWindow
from fonds.contract.failures import MisauthoredInput, PublicSafeLintError
from fonds.contract.fragment import Fragment
from fonds.contract.linted_gist import LINT_TOKEN, LintedGist
from fonds.contract.normalised_text import normalised_text

MAX_TRAVELING_CHARS = 120  # R064
_LINE_BREAK = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_CAMEL = re.compile("(?<=[a-z0-9])(?=[A-Z])")


def entity_text(fragments: Sequence[Fragment]) -> str:
    """The one definition of an entity's text (R063): its fragments by id, joined by blank lines."""
    ordered = sorted(fragments, key=lambda fragment: fragment.fragment_id)
    return "\n\n".join(fragment.text for fragment in ordered)


def gist_lint(
    gist: str, *, fragment_text: str, entity_text: str | None, window: LintWindow, path: str
) -> LintedGist:
    """The gist unchanged, with the proof that it passed; else PublicSafeLintError (R063).

    `entity_text` may be None only for an entity of one fragment. For many gists of one entity,
    `gist_lint_against` reads the entity's text once.
    """
    return gist_lint_against(
        gist,
        fragment=PrivateRuns(fragment_text, window),
        entity=None if entity_text is None else PrivateRuns(entity_text, window),
        window=window,
        path=path,
    )


def gist_lint_against(
    gist: str,
    *,
    fragment: PrivateRuns,
    entity: PrivateRuns | None,
    window: LintWindow,
    path: str,
) -> LintedGist:
    """`gist_lint` over texts that are prepared; the only place that builds a LintedGist (R009)."""
    rule = _out_of_shape(gist, window.gist_max_chars)
    if rule is None and (run := fragment.shared_run(gist)) is not None:
        rule = f"quotes private text at {run}"
    if rule is None and entity is not None and (run := entity.shared_run(gist)) is not None:
        rule = f"quotes the entity's text at {run}"
    if rule is not None:
        raise PublicSafeLintError(path, "gist", rule)
    return LintedGist(gist, LINT_TOKEN)


def traveling_string_lint(string: str, *, private: PrivateRuns, path: str, field: str) -> None:
    """One line, at most 120 characters, no run shared; else PublicSafeLintError (R064)."""
    rule = _traveling_rule(string, private)
    if rule is not None:
        raise PublicSafeLintError(path, field, rule)


def metadata_lint(entity: Entity, fragments: Sequence[Fragment]) -> None:
    """Raise the first finding of `metadata_lint_findings`."""
    for finding in _findings(entity, fragments):
        raise finding


def metadata_lint_findings(
    entity: Entity, fragments: Sequence[Fragment]
) -> tuple[PublicSafeLintError, ...]:
    """Every travelling string of a private entity that may not travel (R065-R068).

    `fragments` are all of the entity's, withheld ones included. A public entity has no findings.
    No finding names an id that itself quotes: it then says which kind of thing, and where.
    """
    return tuple(_findings(entity, fragments))


def _findings(entity: Entity, fragments: Sequence[Fragment]) -> Iterator[PublicSafeLintError]:
    if entity.disclosure.raw == "public":
        return
    if any(fragment.entity_id != entity.entity_id for fragment in fragments):
        raise MisauthoredInput("fragments: one is of another entity")
    ordered = sorted(fragments, key=lambda fragment: fragment.fragment_id)
    private = PrivateRuns(_text_below_heading(entity.title, ordered), entity.policy.lint)
    slug_run = private.shared_run(_slug_words(entity.slug))
    name = f"a {entity.type} about {entity.url}" if slug_run else entity.entity_id
    if slug_run and entity.type == "note":
        yield PublicSafeLintError(name, "id", f"quotes private text at {slug_run}")
    for string in _entity_strings(entity):
        if rule := string.rule(private):
            yield PublicSafeLintError(name, string.where, rule)
    for position, fragment in enumerate(ordered, start=1):
        for string in _fragment_strings(fragment):
            if rule := string.rule(private):
                path = _safe_name(fragment, private, name, position)
                yield PublicSafeLintError(path, string.where, rule)


@dataclass(frozen=True, slots=True)
class _Traveling:
    """A string that travels, and the field it stands in. Not `compared`: its shape alone counts."""

    where: str
    content: str = field(repr=False)
    compared: bool = True

    def rule(self, private: PrivateRuns) -> str | None:
        return _traveling_rule(self.content, private if self.compared else None)


def _text_below_heading(title: str, fragments: Sequence[Fragment]) -> str:
    """The entity's text without the paragraphs that are its title and nothing more (R066)."""
    return "\n\n".join(_below_heading(title, fragment.text) for fragment in fragments)


def _below_heading(title: str, text: str) -> str:
    if text == title:
        return ""
    return text.removeprefix(f"{title}\n\n")


def _slug_words(slug: str) -> str:
    return _CAMEL.sub(" ", slug)


def _safe_name(fragment: Fragment, private: PrivateRuns, entity: str, position: int) -> str:
    # A locator becomes part of the fragment's id; one that quotes must not be named (R069).
    fragment_id = fragment.fragment_id
    if entity == fragment.entity_id and private.shared_run(fragment_id) is None:
        return fragment_id
    return f"{entity}, fragment {position} by id"


def _entity_strings(entity: Entity) -> Iterator[_Traveling]:
    yield _Traveling("title", entity.title, compared=not entity.policy.public_title)
    if entity.version is not None:
        yield _Traveling("version", entity.version)
    yield from _people(entity.attribution)
    yield from _themes(entity.themes)


def _fragment_strings(fragment: Fragment) -> Iterator[_Traveling]:
    written: set[str] = set()
    for position, step in enumerate(fragment.place):
        if step.scheme == "whole" and not step.value:
            continue
        written.add(step.value)
        yield _Traveling(f"locator[{position}].value", step.value)
        if step.end is not None:
            yield _Traveling(f"locator[{position}].end", step.end)
    # "whole record" is our own wording, and a note's label is the value just seen.
    if written and fragment.label not in written:
        yield _Traveling("label", fragment.label)
    yield from _people(fragment.attribution)
    yield from _themes(fragment.themes)


def _people(attribution: Sequence[Attribution]) -> Iterator[_Traveling]:
    for position, person in enumerate(attribution):
        yield _Traveling(f"attribution[{position}].name", person.name)
        if person.role is not None:
            yield _Traveling(f"attribution[{position}].role", person.role)


def _themes(themes: Sequence[str]) -> Iterator[_Traveling]:
    for position, theme in enumerate(themes):
        yield _Traveling(f"themes[{position}]", theme)


def _traveling_rule(string: str, private: PrivateRuns | None) -> str | None:
    rule = _out_of_shape(string, MAX_TRAVELING_CHARS)
    if rule is None and private is not None and (run := private.shared_run(string)) is not None:
        rule = f"quotes private text at {run}"
    return rule


def _out_of_shape(string: str, longest: int) -> str | None:
    if len(string) > longest:
        return f"is longer than {longest} characters"
    if _LINE_BREAK.search(string):
        return "holds a line break"
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in string):
        return "holds a control character"
    if not any(_is_visible(character) for character in string):
        return "is empty"
    return None


def _is_visible(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS" or bool(normalised_text(character))
