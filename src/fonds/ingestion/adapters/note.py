"""A private note -> one fragment with a public label; its title stays in the text (R022)."""

from __future__ import annotations

from fonds.archive_config import ArchiveConfig
from fonds.contract.attribution import Attribution
from fonds.contract.disclosure import disclosure
from fonds.contract.entity import Entity, Policy
from fonds.contract.failures import MisauthoredInput
from fonds.contract.fragment import Fragment
from fonds.contract.locator import Locator
from fonds.ingestion.adapters.description import Description, described
from fonds.ingestion.corpus import FoundFile
from fonds.ingestion.fields import Fields
from fonds.ingestion.front_matter import ReadText
from fonds.ingestion.identity import entity_id
from fonds.ingestion.plain_text import holds_words, plain_text

NOTE_KEYS = frozenset(
    {"title", "about", "locator", "label", "slug", "draft", "date", "themes"}
    | {"exposure", "exposures", "requireReview", "publicTitle", "lint"}
)
# Where a finding of the metadata lint stands in the file.
NOTE_FIELDS = {"title": "label", "locator[0].value": "locator", "label": "locator", "id": "slug"}


def read_note(file: FoundFile, text: ReadText, config: ArchiveConfig) -> Description | None:
    """The note a file holds; None when its body holds no words (C10)."""
    fields = Fields(file.key, text.front)
    fields.refuse_unknown(NOTE_KEYS, config.ignore_keys)
    exposure = fields.exposure("private", "locator")
    policy = Policy(
        require_review=fields.flag("requireReview"),
        public_title=fields.flag("publicTitle"),
        lint=fields.lint(config.lint),
    )
    body = plain_text(text.body, mdx=file.key.lower().endswith(".mdx"))
    if not holds_words(body):
        return None
    fields.need("title", "label", "about", "locator")
    title = fields.required("title", "the private title is needed")
    entity = Entity(
        entity_id=entity_id(file, fields),
        type="note",
        title=fields.required("label", "a public label is needed"),
        url=fields.address("about"),
        disclosure=disclosure("private", exposure),
        attribution=tuple(Attribution(name, "author") for name in config.default_creators),
        date=fields.date(),
        themes=fields.strict_themes(),
        policy=policy,
    )
    place = _place(fields)
    fragment = Fragment(entity.entity_id, (place,), entity.disclosure, f"{title}\n\n{body}")
    return described(entity, [fragment], fields, remedy="move it to private_books_dir to cut it")


def _place(fields: Fields) -> Locator:
    written = fields.required("locator", "where the note is kept is needed")
    try:
        return Locator("note", written)
    except MisauthoredInput as refusal:
        fields.refuse("locator", str(refusal).partition(": ")[2])
