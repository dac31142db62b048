"""The canaries of an archive in a file of their own: private wording, kept like the text it is from
(R180).
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fonds.boundary.canaries import canary_sweep
from fonds.contract.failures import MisauthoredFile, MisauthoredInput, Misconfigured
from fonds.evaluation.suite_file import opened_document

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_canaries(file: Path) -> tuple[str, ...]:
    """The list under `canaries`, each of which can be found in a text.

    Raises Misconfigured for a file that cannot be read or that others can read, MisauthoredFile for
    what stands in it, by position and never by word.
    """

    def look(descriptor: int) -> None:
        if os.name == "posix" and os.fstat(descriptor).st_mode & _OTHERS:
            raise Misconfigured(
                f"{file.name}: others can read it, and it is private wording: chmod 600 {file.name}"
            )

    read = opened_document(file, "canaries", look=look)
    try:
        written = _CanariesYaml.model_validate(read.root)
    except ValidationError:
        reason = "one key, `canaries`, with a list of texts that are not blank"
        raise MisauthoredFile(file.name, "canaries", reason) from None
    for position, canary in enumerate(written.canaries):
        try:
            canary_sweep([canary], ())
        except MisauthoredInput:
            line = read.line_of(("canaries", position))
            reason = "at least one letter or digit is needed"
            raise MisauthoredFile(file.name, f"canaries[{position}]", reason, line=line) from None
    return tuple(written.canaries)


class _CanariesYaml(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    canaries: Annotated[
        list[Annotated[str, Field(min_length=1, pattern=r"\S")]], Field(min_length=1, repr=False)
    ]
