"""The author's say over gists, on the database as the curator role (R084)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fonds.contract.curator_store import HeldGist
from fonds.contract.failures import MisauthoredInput
from fonds.contract.ports import Drafter
from fonds.ingestion.curating import (
    WindowTrips,
    edit_gist,
    export_gists,
    review_gists,
    veto_gists,
    window_trips,
)
from fonds.ingestion.drafting import DraftReport, DraftTerms, Progress, draft_gists
from fonds.ingestion.gist_changes import GistChanges
from fonds.providers.model_names import openai_model_name
from fonds.wiring.house import House


@dataclass(frozen=True, slots=True)
class GistDesk:
    """What `fonds gist` does, over one opened archive."""

    house: House

    def held(self) -> tuple[HeldGist, ...]:
        """Every fragment that asks to be described or holds a gist, in fragment-id order."""
        return tuple(self.house.curator_store().held_gists())

    def one(self, fragment_id: str) -> HeldGist:
        """Raises MisauthoredInput where no such fragment asks for a gist or holds one."""
        found = self.house.curator_store().held_gists((fragment_id,))
        if not found:
            raise MisauthoredInput("no such fragment asks to be described or holds a gist")
        return found[0]

    def draft(
        self, fragment_ids: tuple[str, ...], *, redraft: bool, progress: Progress
    ) -> DraftReport:
        """What lacks a gist or moved; with `redraft`, or named, also what is current (R082).

        Raises Misconfigured where the drafter has no key.
        """
        return draft_gists(
            self.house.curator_store(),
            chosen_drafter(self.house),
            DraftTerms(self.house.config.gist.allowed_names, redraft=redraft or bool(fragment_ids)),
            fragment_ids=fragment_ids or None,
            progress=progress,
        )

    def edit(self, fragment_id: str, words: str, *, reviewed: bool) -> GistChanges:
        """The author's words in place of what stood there."""
        review = "reviewed" if reviewed else "unreviewed"
        return edit_gist(self.house.curator_store(), fragment_id, words, review=review)

    def review(self, fragment_ids: tuple[str, ...]) -> GistChanges:
        """Reviewed against the text as it stands."""
        return review_gists(self.house.curator_store(), fragment_ids)

    def veto(self, fragment_ids: tuple[str, ...], *, vetoed: bool) -> GistChanges:
        """Vetoed, which withdraws at once, or no longer, which waits for a build."""
        return veto_gists(self.house.curator_store(), fragment_ids, vetoed=vetoed)

    def export(self, file: Path) -> int:
        """How many gists and drafts the file holds."""
        return export_gists(self.house.curator_store(), file)

    def trips(self, words: int) -> tuple[WindowTrips, ...]:
        """What the lint would catch at another window, by entity; nothing is changed."""
        return window_trips(self.house.curator_store(), words)


def chosen_drafter(house: House) -> Drafter:
    """The model of the archive's `[gist]` table; nothing is called yet."""
    # The client takes seconds to load, and no other command of the author needs it.
    from fonds.wiring.choosing_openai import openai_drafter

    return openai_drafter(house.settings, house.config)


def configured_drafter(house: House) -> str | None:
    """The name of the archive's drafter, where it names a model and there is a key to ask it with.

    Loads no client.
    """
    model = house.config.gist.model
    if model is None or not house.settings.openai_api_key:
        return None
    return openai_model_name(model)
