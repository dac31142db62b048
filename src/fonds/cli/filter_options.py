"""The options of `fonds search` that filter, one for each filter of the wire request."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from fonds.contract.disclosure import Raw
from fonds.contract.search_request import Recency, Undated

TypeOption: TypeAlias = Annotated[
    list[str] | None, typer.Option("--type", help="Entity type; may repeat.")
]
DateOption: TypeAlias = Annotated[
    str | None, typer.Option(help="YYYY, YYYY-MM or YYYY-MM-DD, inclusive.")
]
UndatedOption: TypeAlias = Annotated[
    Undated, typer.Option(help="Undated material under a date bound.")
]
NameOption: TypeAlias = Annotated[str | None, typer.Option(help="A name, or whole words of it.")]
ExposureOption: TypeAlias = Annotated[
    list[str] | None, typer.Option(help="text, semantic or locator; may repeat.")
]
RawOption: TypeAlias = Annotated[Raw | None, typer.Option(help="One layer only.")]
RecencyOption: TypeAlias = Annotated[Recency, typer.Option(help="Whether recent dates count.")]
