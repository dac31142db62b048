"""An exception, a logger or a warning as what code may be told by: a type, a module, a place (C21).

A message may hold a row, a question or a key, and so may a name that was made at run time. Only
names that stand in loaded modules are told, so nothing that came in as text can be one of them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType, TracebackType
from typing import Final, cast

ELSEWHERE: Final = "elsewhere"
OTHER: Final = "other"
_OWN: Final = "fonds"


def type_name(cls: type[BaseException]) -> str:
    """The name of the class, or of its nearest base that a loaded module holds by that name."""
    for base in cls.__mro__:
        module = sys.modules.get(base.__module__)
        if getattr(module, base.__name__, None) is base:
            return base.__name__
    return BaseException.__name__


def place_of(error: BaseException) -> str:
    """`file.py:line` where it was raised."""
    trace = _told(error).__traceback__
    return _place(_last(trace))


def own_place_of(error: BaseException) -> str:
    """`file.py:line` of the innermost code of ours it came through; `elsewhere` without any."""
    trace = _told(error).__traceback__
    found: TracebackType | None = None
    while trace is not None:
        if str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0] == _OWN:
            found = trace
        trace = trace.tb_next
    return _place(found)


def error_name(error: BaseException) -> str:
    """The type of an exception; of the one inside, where a group holds one alone."""
    return type_name(type(_told(error)))


def code_place(path: str, line: int) -> str:
    """`file.py:line` for the file of a loaded module, `elsewhere` for any other."""
    name = Path(path).name
    for module in tuple(sys.modules.values()):
        if getattr(module, "__file__", None) == path:
            return f"{name}:{line}" if _is_plain(name) else ELSEWHERE
    return ELSEWHERE


def logger_name(name: str) -> str:
    """The longest part of a dotted name that is a loaded module; `other` when none is."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        prefix = ".".join(parts[:length])
        if prefix in sys.modules and len(prefix) <= 100:
            return prefix
    return OTHER


def _told(error: BaseException) -> BaseException:
    grouped = issubclass(type(error), BaseExceptionGroup)
    inside = cast("tuple[BaseException, ...]", getattr(error, "exceptions", ()) if grouped else ())
    return _told(inside[0]) if len(inside) == 1 else error


def _last(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _place(trace: TracebackType | None) -> str:
    if trace is None:
        return ELSEWHERE
    return _frame_place(trace.tb_frame, trace.tb_lineno)


def _frame_place(frame: FrameType, line: int) -> str:
    # The module says its own file: code compiled from a text under a made-up name has none.
    module = sys.modules.get(str(frame.f_globals.get("__name__", "")))
    path = frame.f_code.co_filename
    name = Path(path).name
    if getattr(module, "__file__", None) != path or not _is_plain(name):
        return ELSEWHERE
    return f"{name}:{line}"


def _is_plain(name: str) -> bool:
    return (
        name.endswith(".py")
        and len(name) <= 80
        and name.isascii()
        and all(sign.isalnum() or sign in "_.-" for sign in name)
    )
