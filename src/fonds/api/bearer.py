"""The key of a request: out of one header, and from nowhere else (R192)."""

from __future__ import annotations

from starlette.datastructures import Headers

from fonds.contract.failures import NotAdmitted

SCHEME = "bearer"


def bearer_key(headers: Headers) -> str | None:
    """The key as sent, None without the header.

    Raises NotAdmitted where credentials are sent that are none of ours: another scheme, two of
    them, nothing after the scheme. Whether a key opens anything is for the door to say.
    """
    sent = headers.getlist("authorization")
    if not sent:
        return None
    scheme, _, key = sent[0].strip().partition(" ")
    if len(sent) > 1 or scheme.lower() != SCHEME or not key.strip():
        raise NotAdmitted("no-key")
    return key.strip()
