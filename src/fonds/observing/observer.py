"""What the wiring tells what happens: events to every sink, steps to the tracer, by one clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from time import perf_counter
from typing import Final, TypeAlias

from fonds.observing.checked import Event
from fonds.observing.spans import NoTracer, SpanName, Tracer

Sink: TypeAlias = Callable[[Event], None]
"""Takes an event and never raises: what is told must not cost the work it tells of."""


class Observer:
    """Told of what happens; without sinks it does nothing, which is what a command wants."""

    def __init__(
        self,
        sinks: Sequence[Sink] = (),
        tracer: Tracer | None = None,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._sinks = tuple(sinks)
        self._tracer = NoTracer() if tracer is None else tracer
        self._clock = clock

    def note(self, event: Event) -> None:
        for sink in self._sinks:
            sink(event)

    def span(
        self, name: SpanName, *, archive: int | None = None, parent: str | None = None
    ) -> AbstractContextManager[None]:
        """A step, until the end of the block."""
        return self._tracer.span(name, archive=archive, parent=parent)

    def stopwatch(self) -> Callable[[], float]:
        """Milliseconds since this call, to the microsecond."""
        began = self._clock()
        return lambda: round(1000 * (self._clock() - began), 3)


SILENT: Final = Observer()
