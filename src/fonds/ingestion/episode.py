"""What a transcript may share with the public page of its recording (R026)."""

from __future__ import annotations

from dataclasses import dataclass, field

from fonds.contract.attribution import Attribution
from fonds.contract.failures import MisauthoredFile
from fonds.contract.value_parts import value_parts
from fonds.ingestion.contents import read_contents
from fonds.ingestion.corpus import FoundFile
from fonds.ingestion.fields import Fields


@dataclass(frozen=True, slots=True)
class Episode:
    """A public page's own words about itself; `creators` is None when it names none."""

    title: str = field(repr=False)
    creators: tuple[Attribution, ...] | None = field(repr=False)

    @property
    def shared(self) -> str:
        """What another file's rows are made of when they share these, for its hash."""
        return repr(value_parts((self.title, self.creators)))


def read_episode(page: FoundFile) -> Episode | None:
    """The page as it stands on disk; None when it is withheld, or cannot be read."""
    try:
        fields = Fields(page.key, read_contents(page).text().front)
        usual = page.root.collection.exposure if page.root.collection else "none"
        title = fields.text("title")
        if title is None or fields.exposure("public", usual) == "none":
            return None
        return Episode(title, fields.named_creators())
    except MisauthoredFile:
        return None  # it is refused under its own name
