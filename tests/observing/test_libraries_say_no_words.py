"""Whatever a library logs, warns of or raises is told by who, how loud, which type and where (C21).

Each way is one in which Python prints a message of somebody else's; the premise of each is shown by
the plain process doing so.
"""

from __future__ import annotations

import asyncio
import gc
import io
import logging
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Generator

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fonds.observing.checked import Event
from fonds.observing.event_log import EventLog
from fonds.observing.events import DefectMet, LibraryRemark
from fonds.observing.last_resort import defect_of, take_over_exceptions
from fonds.observing.library_log import remark_of, take_over_logging
from fonds.observing.reduced import error_name, logger_name, place_of, type_name

WORD = "zebrawood"
HERE = "test_libraries_say_no_words.py"


class Taken:
    """What a process that was taken over told, as events and as lines."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.written = io.StringIO()
        self._log = EventLog(self.written)

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        self._log(event)

    @property
    def remark(self) -> LibraryRemark:
        (event,) = self.events
        assert isinstance(event, LibraryRemark)
        return event

    @property
    def defect(self) -> DefectMet:
        (event,) = self.events
        assert isinstance(event, DefectMet)
        return event


@pytest.fixture
def taken(capfd: pytest.CaptureFixture[str]) -> Generator[Taken]:
    """This process, taken over until the end of the test; nothing is printed beside the log."""
    told = Taken()
    with take_over_logging(told), take_over_exceptions(told):
        yield told
    assert capfd.readouterr() == ("", "")
    assert WORD not in told.written.getvalue()
    assert told.events


def raised(words: str) -> ValueError:
    try:
        raise ValueError(words)
    except ValueError as error:
        return error


def broken_format(log: logging.Logger) -> None:
    log.warning("%d of %d", WORD)


def own_handler(log: logging.Logger) -> None:
    """A library that brings a handler and lets nothing up."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    parts = "%(name)s %(message)s %(pathname)s %(threadName)s %(question)s"
    handler.setFormatter(logging.Formatter(parts, defaults={"question": ""}))
    log.addHandler(handler)
    given = {"question": WORD}
    log.error("got %s", WORD, exc_info=raised(WORD), stack_info=True, extra=given)
    log.removeHandler(handler)
    assert WORD not in written.getvalue()
    assert "ValueError" in written.getvalue()


def own_level(log: logging.Logger) -> None:
    logging.addLevelName(37, WORD)
    log.log(37, WORD)


WAYS: dict[str, Callable[[logging.Logger], None]] = {
    "message": lambda log: log.warning(WORD),
    "arguments": lambda log: log.error("got %s", WORD),
    "mapping": lambda log: log.error("got %(a)s", {"a": WORD}),
    "object": lambda log: log.error(raised(WORD)),
    "exception": lambda log: log.error("", exc_info=raised(WORD)),
    "stack": lambda log: log.critical("", stack_info=True),
    "extra": lambda log: log.error("", extra={"question": WORD}),
    "child": lambda log: log.getChild(WORD).error(""),
    "format": broken_format,
    "handler": own_handler,
    "level": own_level,
}


@pytest.mark.parametrize("way", WAYS)
def test_a_library_that_logs_is_told_without_its_words(taken: Taken, way: str) -> None:
    WAYS[way](logging.getLogger("psycopg.pool"))
    assert taken.remark.logger in {"psycopg.pool", "psycopg"}
    assert taken.remark.place.startswith(HERE)
    assert taken.remark.level in {"warning", "error", "critical"}


@settings(deadline=None, max_examples=40)
@given(words=st.text(min_size=1))
def test_a_logger_is_named_by_a_loaded_module_alone(words: str) -> None:
    first = words.partition(".")[0]
    assume(first not in sys.modules and f"psycopg.{first}" not in sys.modules)
    assert logger_name(words) == "other"
    assert logger_name(f"psycopg.{words}") == "psycopg"


def test_an_error_keeps_its_type_and_its_places(taken: Taken) -> None:
    log = logging.getLogger("openai")
    log.error("", exc_info=ExceptionGroup(WORD, [raised(WORD)]))
    assert (taken.remark.error, taken.remark.error_place) == ("ValueError", place_of(raised("")))


def test_a_record_made_elsewhere_is_reduced_where_it_is_handled(taken: Taken) -> None:
    """One that crossed a process was made by no factory of this one."""
    given = {"name": f"psycopg.{WORD}", "levelno": 40, "msg": WORD, "pathname": WORD, "lineno": 3}
    record = logging.LogRecord("psycopg", 40, WORD, 3, WORD, (), None)
    record.__dict__.update(given)
    assert remark_of(record) == LibraryRemark("psycopg", "error", "elsewhere")
    logging.getLogger("psycopg").handle(record)
    assert remark_of(logging.makeLogRecord(given)) == remark_of(record), "no factory's either"
    assert taken.remark == LibraryRemark("psycopg", "error", "elsewhere")


def test_a_warning_is_its_category_and_place(taken: Taken) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(f"Failing row contains ({WORD})", UserWarning, stacklevel=1)
    assert (taken.remark.logger, taken.remark.error) == ("warnings", "UserWarning")
    assert taken.remark.place.startswith(HERE)


def test_a_thread_that_fails_is_a_type_and_a_place(taken: Taken) -> None:
    def fail() -> None:
        raise ValueError(WORD)

    thread = threading.Thread(target=fail, name=WORD)
    thread.start()
    thread.join()
    assert (taken.defect.where, taken.defect.error) == ("thread", "ValueError")
    assert taken.defect.place.startswith(HERE)
    assert taken.defect.own_place == "elsewhere"


def test_a_finaliser_that_fails_is_a_type_and_a_place(taken: Taken) -> None:
    class Kept:
        def __repr__(self) -> str:
            return WORD

        def __del__(self) -> None:
            raise ValueError(WORD)

    Kept()
    gc.collect()
    assert (taken.defect.where, taken.defect.error) == ("unraisable", "ValueError")


def test_a_task_nobody_waits_for_is_a_type_and_a_place(taken: Taken) -> None:
    async def fail() -> None:
        raise ValueError(WORD)

    async def leave_it() -> None:
        task = asyncio.ensure_future(fail())
        await asyncio.wait([task])
        del task
        gc.collect()

    asyncio.run(leave_it())
    assert (taken.remark.logger, taken.remark.error) == ("asyncio", "ValueError")


def test_the_main_thread_ends_with_a_type_and_a_place(taken: Taken) -> None:
    error = raised(WORD)
    sys.excepthook(ValueError, error, error.__traceback__)
    assert taken.defect == defect_of(error, "main")
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert len(taken.events) == 1


def test_a_type_or_a_file_made_of_words_is_not_told() -> None:
    """A name counts when a loaded module holds it: one made at run time may be anybody's words."""
    made = type(WORD, (ValueError,), {})
    assert type_name(made) == "ValueError"
    space: dict[str, object] = {}
    exec(compile("def fail(): raise KeyError()", f"{WORD}.py", "exec"), space)  # noqa: S102
    fail = space["fail"]
    assert callable(fail)
    with pytest.raises(KeyError) as error:
        fail()
    assert place_of(error.value) == "elsewhere"
    assert error_name(error.value) == "KeyError"


def test_everything_is_put_back() -> None:
    def state() -> tuple[object, ...]:
        return (
            logging.getLogRecordFactory(),
            logging.getLogger().handlers,
            logging.raiseExceptions,
            sys.excepthook,
        )

    before = state()
    with take_over_logging(Taken()), take_over_exceptions(Taken()):
        assert logging.getLogRecordFactory() is not before[0]
        assert logging.raiseExceptions is False
    assert state() == before


PROGRAM = f"""
import json.decoder, logging, psycopg_pool, sys, threading, warnings
logging.basicConfig()
if sys.argv[1] == "taken":
    from fonds.cli.main import prepare_process
    prepare_process()
logging.getLogger("json.decoder").warning("got %s", "{WORD}")
logging.getLogger("psycopg.pool").warning("%d", "{WORD}")
logging.getLogger("fonds.wiring").warning("first start: %s", "a folder")
warnings.warn("{WORD}")
def fail(): raise ValueError("{WORD}")
thread = threading.Thread(target=fail, name="{WORD}")
thread.start()
thread.join()
class Kept:
    def __del__(self): fail()
Kept()
sys.stdout.write(",".join({{"structlog", "prometheus_client"}} & set(sys.modules)))
fail()
"""


def test_a_process_of_ours_prints_no_message_of_anybodys() -> None:
    """The same program, plain and prepared: the first shows that there is something to keep."""
    plain, taken = (
        subprocess.run(
            [sys.executable, "-c", PROGRAM, way], capture_output=True, text=True, check=False
        )
        for way in ("plain", "taken")
    )
    assert plain.returncode == taken.returncode == 1
    assert plain.stderr.count(WORD) > 6
    assert WORD not in taken.stderr + taken.stdout
    assert taken.stdout == ""  # a command loads no library of the log and the measures
    lines = taken.stderr.splitlines()
    assert lines.count("fonds: a defect, please report it: ValueError at elsewhere") == 3
    assert "fonds: first start: a folder" in lines
    assert "fonds: json.decoder: warning at elsewhere" in lines
    assert "fonds: warnings: warning at elsewhere, UserWarning" in lines
    assert len(lines) == 6  # a driver's remark is told by the failure that follows
