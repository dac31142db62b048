"""What an HTML page says of itself -> front matter, below what the author wrote there (R021).

A page's own words never govern what may travel: exposure, review and draft stand in front matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fonds.archive_config import Collection
from fonds.ingestion.fields import is_null
from fonds.ingestion.formats.reading_apart import ReadApart
from fonds.ingestion.front_matter import FrontMatter, FrontValue, ReadText
from fonds.strict_yaml import Quoted

# Of the names in one row, the first that is given is read: none is added below another.
_SAME = (
    ("title",),
    ("description", "summary", "meaning"),
    ("date",),
    ("themes", "keywords", "topics"),
    ("authors", "creators"),
)
CANONICAL = "canonical"


def with_page_fields(text: ReadText, page: ReadApart, collection: Collection) -> ReadText:
    """The text of a page with its fields; `title_from` may prefer its first heading to its title.

    `canonical` is always the page's own: front matter names no address.
    """
    values: dict[str, FrontValue] = {**text.front.values}
    values.pop(CANONICAL, None)
    said: dict[str, str | list[str]] = dict(page.fields)
    heading = said.pop("heading", "")
    if heading and (collection.title_from == "heading" or "title" not in said):
        said["title"] = heading
    for name, words in said.items():
        if name == CANONICAL or not any(_has(values, same) for same in _names_beside(name)):
            values[name] = (
                Quoted(words) if isinstance(words, str) else [Quoted(word) for word in words]
            )
    return replace(text, body=page.text, front=FrontMatter(values, text.front.lines))


def _names_beside(name: str) -> tuple[str, ...]:
    return next((names for names in _SAME if name in names), (name,))


def _has(values: Mapping[str, FrontValue], name: str) -> bool:
    return name in values and not is_null(values[name])
