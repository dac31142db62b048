"""A question's hits, complete and in order (R100). Nothing here leaves: see `search`."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import batched_or_slices
