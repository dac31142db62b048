"""What is raised where nobody waits for it: told by type and place, in every kind of thread (C21).

Python's own words for it quote the message of the exception, and for one in a finaliser the object
as well. A task of an event loop that fails unseen is logged by its library, which is taken over by
`library_log`; faulthandler names functions and lines alone, and may stay on.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import TypeAlias

from fonds.observing.events import DefectMet
from fonds.observing.reduced import error_name, own_place_of, place_of
from fonds.observing.vocabulary import Whereabouts

DefectSink: TypeAlias = Callable[[DefectMet], None]


def defect_of(error: BaseException, where: Whereabouts) -> DefectMet:
    """What may be told of an exception nobody expected."""
    return DefectMet(where, error_name(error), place_of(error), own_place_of(error))


def shown_defect(defect: DefectMet) -> None:
    """The sink of a command: one plain line on stderr."""
    sys.stderr.write(f"fonds: a defect, please report it: {defect.error} at {defect.place}\n")


def take_over_exceptions(sink: DefectSink) -> ExitStack:
    """From here on what nobody catches is a DefectMet for `sink`, and prints nothing.

    An interruption ends the main thread as it does without this. Closing what is returned puts
    everything back.
    """

    def in_main(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            sink(defect_of(error, "main"))

    def in_thread(given: threading.ExceptHookArgs) -> None:
        if given.exc_value is not None and not issubclass(given.exc_type, SystemExit):
            sink(defect_of(given.exc_value, "thread"))

    def in_finaliser(given: sys.UnraisableHookArgs) -> None:
        if given.exc_value is not None:
            sink(defect_of(given.exc_value, "unraisable"))

    undo = ExitStack()
    undo.callback(setattr, sys, "excepthook", sys.excepthook)
    undo.callback(setattr, threading, "excepthook", threading.excepthook)
    undo.callback(setattr, sys, "unraisablehook", sys.unraisablehook)
    sys.excepthook, threading.excepthook, sys.unraisablehook = in_main, in_thread, in_finaliser
    return undo
