"""The fixed copy every response carries: what each exposure lets a reader claim (R132).

Rewording is free, changing an assertion is a change of contract (R133).
"""

from __future__ import annotations

from typing import Final

from fonds.contract.disclosure import ServedExposure

EXPOSURE_COPY: Final[dict[ServedExposure, str]] = {
    "text": (
        "The passage is public and included verbatim. It may be quoted; give entity.url with the"
        " quotation."
    ),
    "semantic": (
        "The source cannot be quoted here. The gist says what the passage is about: it was drafted"
        " by the archive's software when the passage was ingested and is released under the owner's"
        " policy. gistSource tells whether a person has edited it, gistReview whether a person has"
        " reviewed it. It is neither a quotation nor the words of the creators."
    ),
    "locator": (
        "Only the location is released. It says where something bearing on the question stands; do"
        " not infer what it says."
    ),
}

POLICY_NOTE: Final = (
    "Nothing here was synthesised when the question was asked. Scores of private material are"
    " rounded. A name with a placeholder is not a person: unnamed is a speaker who is not a"
    " creator, unverified is an attribution that is not established. Under a date bound undated"
    " material is left out, unless undated=include is asked for."
)
