"""What libraries log, warn of or raise last of all, reduced to who, how loud, which type and where.

The reduction happens where a record is made, not where it is written: whatever handler a library
brings, it has no message to write (C21, R186).
"""

from __future__ import annotations

import inspect
import logging
import sys
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Final, TextIO, TypeAlias

from fonds.observing.events import LibraryRemark
from fonds.observing.reduced import code_place, error_name, logger_name, place_of
from fonds.observing.vocabulary import Level

RemarkSink: TypeAlias = Callable[[LibraryRemark], None]
_REMARK: Final = "fonds_remark"
_OWN: Final = "fonds"


def take_over_logging(sink: RemarkSink, *, keep_own: TextIO | None = None) -> ExitStack:
    """From here on every record and warning of this process is a LibraryRemark for `sink`.

    Handlers that were there are taken away; one that is added later finds records without words.
    `keep_own` is where a command shows the remarks of fonds itself, which hold no content. Closing
    what is returned puts everything back, as a test needs.
    """
    undo = ExitStack()
    undo.callback(logging.setLogRecordFactory, logging.getLogRecordFactory())
    logging.setLogRecordFactory(_reducing(keep_own is not None))
    undo.callback(setattr, logging.Logger, "makeRecord", logging.Logger.makeRecord)
    logging.Logger.makeRecord = _without_extras(logging.Logger.makeRecord)
    _replace_handlers(_Handler(sink, keep_own), undo)
    undo.callback(setattr, warnings, "showwarning", warnings.showwarning)
    warnings.showwarning = _warning_hook(sink)
    return undo


def remark_of(record: logging.LogRecord) -> LibraryRemark:
    """What may be told of a record, wherever it was made."""
    made: LibraryRemark | None = getattr(record, _REMARK, None)
    if made is not None:
        return made
    error = record.exc_info[1] if record.exc_info else None
    return LibraryRemark(
        logger=logger_name(record.name),
        level=level_name(record.levelno),
        place=code_place(record.pathname, record.lineno),
        error=None if error is None else error_name(error),
        error_place=None if error is None else place_of(error),
    )


def level_name(number: int) -> Level:
    """The nearest of the five levels from below; a library's own names of levels are not told."""
    if number >= logging.CRITICAL:
        return "critical"
    if number >= logging.ERROR:
        return "error"
    if number >= logging.WARNING:
        return "warning"
    return "info" if number >= logging.INFO else "debug"


class _Handler(logging.Handler):
    """The only handler of a process that was taken over."""

    def __init__(self, sink: RemarkSink, keep_own: TextIO | None) -> None:
        super().__init__(logging.WARNING)
        self._sink = sink
        self._own = keep_own

    def emit(self, record: logging.LogRecord) -> None:
        if self._own is not None and _is_own(record.name) and not hasattr(record, _REMARK):
            self._own.write(f"fonds: {record.getMessage()}\n")
        else:
            self._sink(remark_of(record))

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """The library's own would print the record."""


def _reducing(keep_own: bool) -> Callable[..., logging.LogRecord]:
    def record_of(
        name: str | None,
        level: int,
        path: str,
        line: int,
        message: object,
        arguments: Any,  # noqa: ANN401 - whatever a library hands over
        error: Any,  # noqa: ANN401
        *rest: Any,  # noqa: ANN401
        **named: Any,  # noqa: ANN401
    ) -> logging.LogRecord:
        # A record made by hand has its parts filled in later; it is reduced where it is handled.
        if name is None or (keep_own and _is_own(name)):
            return logging.LogRecord(
                name or "", level, path, line, message, arguments, error, *rest, **named
            )
        remark = remark_of(logging.LogRecord(name, level, path, line, "", (), error))
        record = logging.LogRecord(remark.logger, level, "", line, _told(remark), (), None)
        record.levelname = remark.level.upper()
        record.threadName = record.processName = None
        setattr(record, _REMARK, remark)
        return record

    return record_of


def _without_extras(make: Callable[..., logging.LogRecord]) -> Callable[..., logging.LogRecord]:
    """What a library hangs on a record is set after it was made, and may be anything."""

    def made(*given: Any, **named: Any) -> logging.LogRecord:  # noqa: ANN401 - as it is called
        parts = inspect.signature(make).bind(*given, **named)
        parts.arguments["extra"] = None
        return make(*parts.args, **parts.kwargs)

    return made


def _told(remark: LibraryRemark) -> str:
    place = "" if remark.error_place is None else f" at {remark.error_place}"
    error = "" if remark.error is None else f", {remark.error}{place}"
    return f"{remark.logger}: {remark.level} at {remark.place}{error}"


def _is_own(name: str) -> bool:
    return name.partition(".")[0] == _OWN


def _replace_handlers(handler: logging.Handler, undo: ExitStack) -> None:
    root = logging.getLogger()
    named = [one for one in root.manager.loggerDict.values() if isinstance(one, logging.Logger)]
    for logger in (root, *named):
        undo.callback(setattr, logger, "handlers", list(logger.handlers))
        undo.callback(setattr, logger, "propagate", logger.propagate)
        logger.handlers = []
        logger.propagate = True
    root.addHandler(handler)
    for holder, attribute, value in (
        (logging, "lastResort", handler),
        (logging, "raiseExceptions", False),  # a record that cannot be formatted prints its parts
    ):
        undo.callback(setattr, holder, attribute, getattr(holder, attribute))
        setattr(holder, attribute, value)


def _warning_hook(sink: RemarkSink) -> Callable[..., None]:
    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        kind = message if isinstance(message, Warning) else category()
        sink(
            LibraryRemark(
                logger="warnings",
                level="warning",
                place=code_place(filename, lineno),
                error=error_name(kind),
            )
        )

    return show


def shown_remark(remark: LibraryRemark) -> None:
    """The sink of a command: one plain line on stderr. A driver's remarks are told by the failure
    that follows.
    """
    if remark.logger.partition(".")[0] != "psycopg":
        sys.stderr.write(f"fonds: {_told(remark)}\n")
