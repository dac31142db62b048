"""The author's say over gists, on the database as the curator role (R084)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from fonds.contract.curator_store import HeldGist
from fonds.contract.failures import MisauthoredInput
from fonds.contract.gist_pile import GistPile
from fonds.contract.ports import Drafter
from fonds.ingestion.curating import (
    NOT_HELD,
    WindowTrips,
    edit_gist,
    export_gists,
    review_gists,
    veto_gists,
    window_trips,
)
from fonds.ingestion.drafting import DraftReport, DraftTerms, Progress, draft_gists
from fonds.ingestion.gist_changes import GistChanges
from fonds.ingestion.gist_view import GistView, gist_view
from fonds.providers.model_names import openai_model_name
from fonds.wiring.house import House
from fonds.wiring.known_entity import KnownEntity

MOST_COUNTED: Final = 1_000  # more is told as such: a page reads no more of a large archive


@dataclass(frozen=True, slots=True)
class GistDesk:
    """What `fonds gist` does, over one opened archive. `known` is kept where gists are looked at
    one after the other.
    """

    house: House
    known: KnownEntity = field(default_factory=KnownEntity, repr=False)

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

    def edit(
        self, fragment_id: str, words: str, *, reviewed: bool, imprint: str | None = None
    ) -> GistChanges:
        """The author's words in place of what stood there; with an imprint, only where that is
        still what was shown. So for `review` and `veto`, of one fragment then.
        """
        review = "reviewed" if reviewed else "unreviewed"
        store = self.house.curator_store()
        return edit_gist(store, fragment_id, words, review=review, imprint=imprint)

    def review(self, fragment_ids: tuple[str, ...], *, imprint: str | None = None) -> GistChanges:
        """Reviewed against the text as it stands."""
        return review_gists(self.house.curator_store(), fragment_ids, imprint=imprint)

    def veto(
        self, fragment_ids: tuple[str, ...], *, vetoed: bool, imprint: str | None = None
    ) -> GistChanges:
        """Vetoed, which withdraws at once, or no longer, which waits for a build."""
        store = self.house.curator_store()
        return veto_gists(store, fragment_ids, vetoed=vetoed, imprint=imprint)

    def approve(self, fragment_id: str, words: str, *, imprint: str) -> GistChanges:
        """These words, reviewed: the stored ones where they are the same, else the author's own in
        their place. Words that break the lint are refused, and change nothing.
        """
        view = self.view(fragment_id, words)
        if view is None:
            return GistChanges(0, 0, (("id 1", NOT_HELD),))
        rule = view.rule if words.strip() else "is empty"
        if rule:
            return GistChanges(0, 0, ((fragment_id, rule),))
        if words == view.stored_words:
            return self.review((fragment_id,), imprint=imprint)
        return self.edit(fragment_id, words, reviewed=True, imprint=imprint)

    def view(self, fragment_id: str, words: str | None = None) -> GistView | None:
        """One gist with its text, as its author looks at it, or with other words in its place; None
        where the archive holds no such fragment.
        """
        store = self.house.curator_store()
        held = store.fragment_held(fragment_id)
        known = None if held is None else self.known.of(store, held)
        if held is None or known is None:
            return None
        stored, judge = known
        parent = stored.entity.parent
        named = parent is not None and store.is_entity_served(parent)
        return gist_view(stored, held.part, judge, words=words, parent_served=named)

    def after(self, pile: GistPile, fragment_id: str, most: int) -> Sequence[str]:
        """The next ids of a pile, from the first for an empty id."""
        return self.house.curator_store().gists_after(pile, fragment_id, most)

    def before(self, pile: GistPile, fragment_id: str) -> str | None:
        """The id before it in a pile."""
        return self.house.curator_store().gist_before(pile, fragment_id)

    def counts(self) -> Mapping[GistPile, int | None]:
        """How many gists are in each pile, counted to MOST_COUNTED; None where that was not looked
        up.
        """
        return self.house.curator_store().pile_counts(MOST_COUNTED)

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


def drafter_lacks(house: House) -> str:
    """What an archive without a drafter lacks, in one line; empty where one is configured."""
    if house.config.gist.model is None:
        return "set model under [gist] in the archive file"
    return "" if house.settings.openai_api_key else "set OPENAI_API_KEY"
