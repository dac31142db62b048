"""Typed reading of front-matter fields: every refusal names file, field and line, never a value."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn, get_args
from urllib.parse import urlsplit

from fonds.contract.attribution import Attribution, Placeholder
from fonds.contract.date_interval import date_interval
from fonds.contract.disclosure import Exposure, PrivateExposure, Raw
from fonds.contract.entity import LintWindow
from fonds.contract.failures import MisauthoredFile, MisauthoredInput
from fonds.contract.identifier import Identifier
from fonds.ingestion.front_matter import FrontMatter, FrontValue
from fonds.strict_yaml import Quoted

# What decides how much may travel: while one of these cannot be read, the file serves nothing.
GOVERNING = frozenset(
    {
        "exposure",
        "exposures",
        "requireReview",
        "publicTitle",
        "draft",
        "lint",
        "raw",
        "private",
        "layer",
    }
)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_FLAGS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_LINT_KEYS = ("ngramWords", "ngramChars", "gistMaxChars")
_DATE_TIME = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[Tt]|[ \t]+)([01]?\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d*)?)?"
    r"(?:[ \t]*(?:[Zz]|[-+]\d{1,2}(?::?[0-5]\d)?))?",
    re.ASCII,
)


class Fields:
    """The front matter of one file. A field that is absent, or null, reads as its default."""

    def __init__(self, key: str, front: FrontMatter) -> None:
        self._key = key
        self._front = front

    def refuse(self, name: str, reason: str, *, line: int | None = None) -> NoReturn:
        """Refuses the file for this field; its disclosure is unknown if the field governs it."""
        field = name.partition(".")[0].partition("[")[0]
        raise MisauthoredFile(
            self._key,
            name,
            reason,
            line=self._front.lines.get(field) if line is None else line,
            disclosure_known=field not in GOVERNING and self._front.says_what_may_travel,
        )

    def refuse_unknown(self, known: Iterable[str], ignored: Iterable[str]) -> None:
        """Private files are strict: a mistyped `exposure` never falls back to a default (R022)."""
        names = sorted(known)
        for name in self._front.values:
            if name in names or name in ignored:
                continue
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"did you mean {near[0]}?" if near else "list it under ignore_keys to allow it"
            raise MisauthoredFile(
                self._key,
                _shown_key(name),
                f"unknown key: {hint}",
                line=self._front.lines.get(name),
                disclosure_known=False,
            )

    def has(self, name: str) -> bool:
        return name in self._front.values

    def text(self, name: str) -> str | None:
        """A single value on one line."""
        value = self._present(name)
        if value is None:
            return None
        if not isinstance(value, str):
            self.refuse(name, "a single value is needed")
        return " ".join(value.split()) or None

    def required(self, name: str, reason: str = "a value is needed") -> str:
        return self.text(name) or self.refuse(name, reason)

    def need(self, *names: str) -> None:
        """Refuses a file that lacks several of these, naming each: it is mended in one go. What
        lacks one is refused by whoever asks for that.
        """
        lacking = [name for name in names if self._present(name) is None]
        if len(lacking) > 1:
            others = f"not given, and neither are: {', '.join(lacking[1:])}"
            where = "between two --- lines on top, or in a .yaml beside it"
            self.refuse(lacking[0], f"{others}; write each as name: value {where}")

    def address(self, name: str) -> str:
        """An http or https address a reader can open."""
        written = self.required(name, "the address of a public page is needed")
        try:
            parts = urlsplit(written)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            usable = False
        if not usable or " " in written:
            self.refuse(name, "an http or https address is needed")
        return written

    def flag(self, name: str) -> bool:
        if not self.has(name):
            return False
        value = self._front.values[name]
        if not isinstance(value, str) or isinstance(value, Quoted) or value not in _FLAGS:
            self.refuse(name, "true or false, without quotes")
        return _FLAGS[value]

    def count(self, name: str, default: int) -> int:
        value = self._present(name)
        return default if value is None else self._count(name, value)

    def date(self, name: str = "date") -> str | None:
        """The author's calendar day as written, at its precision, in any zone (C16)."""
        written = self.text(name)
        if written is None:
            return None
        match = _DATE_TIME.fullmatch(written)
        day = match.group(1) if match else written
        try:
            date_interval(day)
        except MisauthoredInput as refusal:
            self.refuse(name, str(refusal).removeprefix("date: "))
        return day

    def exposure(self, raw: Raw, default: Exposure) -> Exposure:
        if not self.has("exposure"):
            return default
        return self._exposure("exposure", self._front.values["exposure"], raw)

    def exposures(self, raw: Raw) -> Mapping[str, Exposure]:
        """Overrides of single fragments by their key (R024)."""
        if not self.has("exposures"):
            return {}
        value = self._front.values["exposures"]
        if not isinstance(value, dict):
            self.refuse("exposures", "fragment keys with an exposure each are needed")
        return {
            name: self._exposure(f"exposures[{position}]", part, raw)
            for position, (name, part) in enumerate(value.items())
        }

    def themes(self) -> tuple[str, ...]:
        """The first of `themes`, `keywords` and `topics` that is a list; strings only (R021)."""
        for name in ("themes", "keywords", "topics"):
            value = self._present(name)
            if isinstance(value, list):
                words = (" ".join(part.split()) for part in value if isinstance(part, str))
                return tuple(dict.fromkeys(word for word in words if word))
        return ()

    def strict_themes(self) -> tuple[str, ...]:
        """Themes of a private file: a list of strings, or absent."""
        value = self._present("themes")
        if value is not None and not (
            isinstance(value, list) and all(isinstance(part, str) for part in value)
        ):
            self.refuse("themes", "a list of words is needed")
        return self.themes()

    def creators(self, default: Sequence[str]) -> tuple[Attribution, ...]:
        """`authors`, or `creators`: names, or entries with name, role, identifiers, placeholder."""
        named = self.named_creators()
        return tuple(Attribution(n, "author") for n in default) if named is None else named

    def named_creators(self) -> tuple[Attribution, ...] | None:
        """The creators the file names itself; None when it names none."""
        for name in ("authors", "creators"):
            value = self._present(name)
            if value is None:
                continue
            if not isinstance(value, list):
                self.refuse(name, "a list of names is needed")
            return tuple(self._person(f"{name}[{n}]", part) for n, part in enumerate(value))
        return None

    def speakers(self) -> Mapping[str, Attribution] | None:
        """Who a voice label stands for: a list of names, or labels with a person each (R026)."""
        value = self._present("speakers")
        if value is None:
            return None
        if isinstance(value, str):
            self.refuse("speakers", "a list of names, or voice labels with a name each")
        if isinstance(value, list):
            people = [self._person(f"speakers[{n}]", one, "speaker") for n, one in enumerate(value)]
            return {person.name: person for person in people}
        return {
            " ".join(label.split()): self._person(f"speakers[{n}]", one, "speaker")
            for n, (label, one) in enumerate(value.items())
        }

    def identifiers(self) -> tuple[Identifier, ...]:
        value = self._present("identifiers")
        return () if value is None else self._identifiers("identifiers", value)

    def lint(self, default: LintWindow) -> LintWindow:
        """The file's own lint window; a part it does not name is the archive's (R068)."""
        if not self.has("lint"):
            return default
        value = self._front.values["lint"]
        if not isinstance(value, dict) or set(value) - set(_LINT_KEYS):
            self.refuse("lint", f"only {', '.join(_LINT_KEYS)} are read")
        words, chars, longest = (
            self._count(f"lint.{name}", value[name]) if name in value else standing
            for name, standing in zip(
                _LINT_KEYS,
                (default.ngram_words, default.ngram_chars, default.gist_max_chars),
                strict=True,
            )
        )
        return LintWindow(words, chars, longest)

    def _present(self, name: str) -> FrontValue | None:
        value = self._front.values.get(name)
        return None if value is None or is_null(value) else value

    def _count(self, name: str, value: FrontValue) -> int:
        written = value if isinstance(value, str) and not isinstance(value, Quoted) else ""
        if not (
            written.isascii() and written.isdecimal() and len(written) <= 9 and int(written) > 0
        ):
            self.refuse(name, "a positive whole number, without quotes")
        return int(written)

    def _exposure(self, name: str, value: FrontValue, raw: Raw) -> Exposure:
        allowed: tuple[Exposure, ...] = get_args(Exposure if raw == "public" else PrivateExposure)
        for exposure in allowed:
            if value == exposure:
                return exposure
        return self.refuse(name, f"one of {', '.join(allowed)}")

    def _person(self, name: str, value: FrontValue, usual_role: str = "author") -> Attribution:
        if isinstance(value, str):
            value = {"name": value}
        if isinstance(value, list) or set(value) - {"name", "role", "identifiers", "placeholder"}:
            self.refuse(name, "a name, or name, role, identifiers and placeholder")
        person, role = self._words(name, value.get("name")), value.get("role")
        placeholder: Placeholder | None = None
        for known in get_args(Placeholder):
            placeholder = known if value.get("placeholder") == known else placeholder
        if "placeholder" in value and placeholder is None:
            self.refuse(f"{name}.placeholder", "unnamed or unverified")
        return Attribution(
            person,
            usual_role if role is None else self._words(f"{name}.role", role),
            self._identifiers(f"{name}.identifiers", value.get("identifiers", [])),
            placeholder,
        )

    def _identifiers(self, name: str, value: FrontValue) -> tuple[Identifier, ...]:
        if not isinstance(value, list):
            self.refuse(name, "a list of scheme and value is needed")
        found: list[Identifier] = []
        for position, part in enumerate(value):
            here = f"{name}[{position}]"
            if not isinstance(part, dict) or set(part) != {"scheme", "value"}:
                self.refuse(here, "scheme and value are needed, and nothing else")
            found.append(
                Identifier(self._words(here, part["scheme"]), self._words(here, part["value"]))
            )
        return tuple(found)

    def _words(self, name: str, value: FrontValue | None) -> str:
        words = " ".join(value.split()) if isinstance(value, str) else ""
        return words or self.refuse(name, "a non-empty string is needed")


def is_null(value: FrontValue) -> bool:
    """Whether the author left the field open."""
    return isinstance(value, str) and not isinstance(value, Quoted) and value in _NULLS


def _shown_key(name: str) -> str:
    """A key as it may be printed: a line of prose read as a key is not."""
    is_word = len(name) <= 40 and all(c.isalnum() or c in "_-." for c in name)
    return name if is_word else "front matter"
