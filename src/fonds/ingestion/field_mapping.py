"""Fields a collection keeps under other names or elsewhere -> the fields that are read (R021).

For public collections only: a private file is strict about its keys. A field that governs what may
travel is never taken from elsewhere, and whatever the file itself says under our name counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from fonds.archive_config import Collection
from fonds.archive_toml import DateOrder
from fonds.ingestion.fields import is_null
from fonds.ingestion.front_matter import FrontMatter, FrontValue, ReadText
from fonds.ingestion.plain_text import plain_blocks

_HEADING_WITHIN = 64 * 1024  # characters: a title stands at the beginning
_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?![0-9])")
_YEAR = re.compile(r"[12][0-9]{3}")
_PART = re.compile(r"([0-9]{2})(?![0-9])")
_IN_FIGURES = re.compile(r"([0-9]{1,4})([/.-])([0-9]{1,2})\2([0-9]{1,4})(?![0-9])")


def mapped_fields(front: FrontMatter, slug: str, collection: Collection) -> FrontMatter:
    """The fields with those of `collection.fields` under our names, and the date where and as the
    collection writes it.
    """
    values: dict[str, FrontValue] = dict(front.values)
    lines = dict(front.lines)
    for name, theirs in collection.fields:
        if _lacks(values, name) and not _lacks(front.values, theirs):
            values[name] = front.values[theirs]
            if theirs in front.lines:
                lines[name] = front.lines[theirs]
    if collection.date_from is not None and _lacks(values, "date"):
        path = front.values.get("path")
        at = path if collection.date_from == "path" and isinstance(path, str) else slug
        day = _day_of_name(at) if collection.date_from == "name" else _day_of_path(at)
        if day is not None:
            values["date"] = day
    written = values.get("date")
    if collection.date_order is not None and isinstance(written, str):
        values["date"] = _in_our_order(written, collection.date_order)
    return FrontMatter(values, lines)


def with_heading_as_title(text: ReadText, *, mdx: bool) -> ReadText:
    """The text with its first heading of level 1 as the title, when it names none."""
    if not _lacks(text.front.values, "title"):
        return text
    blocks = plain_blocks(text.body[:_HEADING_WITHIN], mdx=mdx)
    heading = next((one for one in blocks if one.kind == "heading" and one.level == 1), None)
    if heading is None:
        return text
    values = {**text.front.values, "title": heading.text}
    return replace(text, front=FrontMatter(values, text.front.lines))


def with_name_as_title(text: ReadText, slug: str) -> ReadText:
    """The text with the file's name as the title, when it names none."""
    if not _lacks(text.front.values, "title"):
        return text
    values = {**text.front.values, "title": slug.rpartition("/")[2]}
    return replace(text, front=FrontMatter(values, text.front.lines))


def _lacks(values: Mapping[str, FrontValue], name: str) -> bool:
    return name not in values or is_null(values[name])


def _in_our_order(written: str, order: DateOrder) -> str:
    """A day in figures as YYYY-MM-DD, whatever follows it; anything else as it was written."""
    found = _IN_FIGURES.match(written)
    if found is None:
        return written
    parts = dict(zip(order, (found[1], found[3], found[4]), strict=True))
    if len(parts["y"]) != 4 or max(len(parts["m"]), len(parts["d"])) > 2:
        return written
    return f"{parts['y']}-{parts['m']:0>2}-{parts['d']:0>2}{written[found.end() :]}"


def _day_of_name(slug: str) -> str | None:
    """The day that a file's name begins with; a day that does not exist is refused as a date."""
    found = _DAY.match(slug.rpartition("/")[2])
    return found[1] if found else None


def _day_of_path(path: str) -> str | None:
    """The first year among the parts of a path, with the month and day that follow it."""
    parts = path.strip("/").split("/")
    for position, part in enumerate(parts):
        if day := _DAY.match(part):
            return day[1]
        if not _YEAR.fullmatch(part):
            continue
        date = part
        for following in parts[position + 1 : position + 3]:
            step = _PART.match(following)
            if step is None:
                break
            date += f"-{step[1]}"
            if step[1] != following:
                break
        return date
    return None
