"""The threads that do the work, so many and no more; the event loop does none of it."""

from __future__ import annotations

import contextvars
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Executor(Protocol):
    """Where work is done: never on the thread that hands it in."""

    def submit(self, work: Callable[[], T]) -> Future[T]: ...


@dataclass(frozen=True, slots=True)
class _Task:
    work: Callable[[], Any]
    context: contextvars.Context
    future: Future[Any]

    def run(self) -> None:
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            done = self.context.run(self.work)
        except BaseException as raised:
            self.future.set_exception(raised)
        else:
            self.future.set_result(done)


class Workers:
    """Threads that end with the process: a stuck provider does not hold up its end.

    Each is started when there is work for it. One thread hands work in.
    """

    def __init__(self, count: int, name: str = "fonds") -> None:
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._count = count
        self._name = name
        self._threads: list[threading.Thread] = []

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Done by the next free thread, in the context of the caller.

        Raises RuntimeError where the machine gives no thread at all; where it gives fewer than were
        meant, those do the work.
        """
        if len(self._threads) < self._count:
            name = f"{self._name}-{len(self._threads)}"
            thread = threading.Thread(target=self._run, name=name, daemon=True)
            try:
                thread.start()
            except RuntimeError:
                if not self._threads:
                    raise
            else:
                self._threads.append(thread)
        future: Future[T] = Future()
        self._tasks.put(_Task(work, contextvars.copy_context(), future))
        return future

    def close(self) -> None:
        """Each thread ends after what it is at; waits for none of them."""
        for _ in self._threads:
            self._tasks.put(None)

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            task.run()
            del task  # a reply is not held until the next request
