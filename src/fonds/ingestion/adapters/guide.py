"""A long public document -> one fragment a heading, found and shown by its heading trail (R033)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from fonds.contract.embed_string import TRAIL_JOINT
from fonds.contract.entity import Entity
from fonds.contract.failures import MisauthoredInput
from fonds.contract.fragment import Fragment
from fonds.contract.locator import Locator, Place, slugified
from fonds.ingestion.fields import Fields
from fonds.ingestion.plain_text import Block, joined_blocks

Trail = tuple[str, ...]
