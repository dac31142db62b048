"""The entry point: one application, one place where a failure becomes a line and an exit code
(R196).
"""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from types import FrameType

import typer

from fonds.cli.archives import archive_app
from fonds.cli.ask import ask_command
from fonds.cli.build import build_command, builds_command, rollback_command
from fonds.cli.demo import demo_command
from fonds.cli.desk import desk_command
from fonds.cli.evaluate import eval_app, scores_command
from fonds.cli.gate import gate_app
from fonds.cli.gists import gist_app
from fonds.cli.index import index_app
from fonds.cli.ingest import ingest_command
from fonds.cli.init import init_command
from fonds.cli.jobs import jobs_app
from fonds.cli.keys import key_app
from fonds.cli.mcp import mcp_command
from fonds.cli.migrate import migrate_command
from fonds.cli.output import note, one_line, silence_broken_pipe
from fonds.cli.preview import preview_command
from fonds.cli.refusals import refusals_app
from fonds.cli.search import search_command
from fonds.cli.serve import serve_command
from fonds.cli.taking_back import audit_command, expose_command, forget_command
from fonds.cli.validate import validate_command
from fonds.contract.failures import Failure
from fonds.contract.outcomes import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE
from fonds.observing.last_resort import defect_of, shown_defect, take_over_exceptions
from fonds.observing.library_log import shown_remark, take_over_logging
from fonds.settings import BadSetting

INTERRUPTED = "fonds: stopped; what was committed is kept, run it again to go on"

app = typer.Typer(
    name="fonds",
    help="An answer engine for a body of work its author owns: it cites, points, or declines.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=True,
)
for name, command in (
    ("demo", demo_command),
    ("init", init_command),
    ("migrate", migrate_command),
    ("ingest", ingest_command),
    ("preview", preview_command),
    ("expose", expose_command),
    ("forget", forget_command),
    ("audit", audit_command),
    ("build", build_command),
    ("builds", builds_command),
    ("rollback", rollback_command),
    ("validate", validate_command),
    ("search", search_command),
    ("ask", ask_command),
    ("scores", scores_command),
    ("serve", serve_command),
    ("mcp", mcp_command),
    ("desk", desk_command),
):
    app.command(name)(command)
app.add_typer(gist_app, name="gist")
app.add_typer(eval_app, name="eval")
app.add_typer(refusals_app, name="refusals")
app.add_typer(gate_app, name="gate")
app.add_typer(index_app, name="index")
app.add_typer(jobs_app, name="jobs")
app.add_typer(archive_app, name="archive")
app.add_typer(key_app, name="key")


def prepare_process() -> ExitStack:
    """What a process of ours needs before its work: logs, streams and signals.

    Our own remarks go to stderr as lines. What a library logs, warns of or leaves uncaught is told
    by type and place alone, until what is returned is closed (C21).
    """
    taken = ExitStack()
    taken.enter_context(take_over_logging(shown_remark, keep_own=sys.stderr))
    taken.enter_context(take_over_exceptions(shown_defect))
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows its number, and the command goes on.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _told_to_end)
    return taken


def _told_to_end(number: int, frame: FrameType | None) -> None:
    """Leaves every block on the way out: locks are given back, and the embedded server stops."""
    note(INTERRUPTED)
    raise SystemExit(128 + number)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs one command and exits with its code; an expected failure is one line on stderr."""
    prepare_process()
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """The exit code of one command: 0, 1, 2, 3, 4, 69 as documented, never a traceback."""

    def command() -> int:
        result = app(args=arguments, prog_name="fonds", standalone_mode=False)
        if result == EXIT_INTERRUPTED:  # typer translates an interruption itself, without a word
            note(INTERRUPTED)
        return result if isinstance(result, int) else 0

    return run_guarded(command)


def run_guarded(work: Callable[[], int]) -> int:
    """The exit code of `work`; whatever it raises becomes one line on stderr, without content."""
    try:
        return work()
    except typer.Exit as left:
        return left.exit_code
    except typer.TyperException as wrong:
        if said := _usage_trouble(wrong):
            note(f"fonds: {said}")
        return EXIT_USAGE
    except Failure as failure:
        note(f"fonds: {one_line(str(failure))}")
        return failure.exit_code
    except BadSetting as wrong:
        note(f"fonds: {wrong}")
        return EXIT_USAGE
    except BrokenPipeError:
        silence_broken_pipe()
        return EXIT_FAILED
    except (KeyboardInterrupt, typer.Abort):
        note(INTERRUPTED)
        return EXIT_INTERRUPTED
    except Exception as defect:  # the last resort: a type and a place
        shown_defect(defect_of(defect, "main"))
        return EXIT_FAILED


def _usage_trouble(wrong: typer.TyperException) -> str:
    """One line without what was typed: a question may stand where no question is taken. Empty
    when the help was shown in its place.
    """
    said = one_line(wrong.format_message())
    if said.startswith("No such command"):
        return "No such command: fonds --help lists them, fonds ask takes a question"
    if said.startswith("Got unexpected extra argument"):
        return "Too many arguments: a question or query stands in quotes"
    return said
