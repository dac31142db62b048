"""Who may be at work at once, and who waits: no caller and no archive holds what all others need.

Pure bookkeeping without a clock: requests arrive and leave, and each of these steps says who may go
on. `turns` joins it to an event loop and to threads.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from fonds.contract.failures import Overloaded

CALLER_AT_WORK = 2  # a client that asks a third thing at once waits for its own two
CALLER_WAITING = 4


@dataclass(frozen=True, slots=True)
class Ticket:
    """One request: a number of its own, whose archive it asks and who asks; from where, for a
    caller nobody has vouched for yet; whether it may have to wait for a provider elsewhere.
    """

    number: int
    archive: str = field(repr=False)
    caller: str = field(repr=False)
    origin: str | None = field(default=None, repr=False)
    elsewhere: bool = False


@dataclass(slots=True)
class Crowd:
    """At most `threads` at work and `waiting` in line.

    An archive has at most half of either, rounded up, and so have all unvouched callers of one
    origin together; a caller has two at work and four in line. Who may have to wait for a provider
    elsewhere is at work on three quarters of the threads, and the last of these is for an archive
    with none: providers that hang hold no thread of those that need none. Who waits goes in the
    order of arrival, past those whose own archive, caller or providers they wait for.
    """

    threads: int
    waiting: int
    _at_work: dict[int, Ticket] = field(default_factory=dict[int, Ticket])
    _in_line: dict[int, Ticket] = field(default_factory=dict[int, Ticket])
    _last: int = 0

    def arrive(
        self, archive: str, caller: str, origin: str | None = None, *, elsewhere: bool = False
    ) -> Ticket:
        """A ticket, at work or in line; raises Overloaded where the line is full for it."""
        ticket = Ticket(self._last + 1, archive, caller, origin, elsewhere)
        if self._may_go(ticket):
            self._at_work[ticket.number] = ticket
        elif self._may_wait(ticket):
            self._in_line[ticket.number] = ticket
        else:
            raise Overloaded
        self._last = ticket.number
        return ticket

    def is_at_work(self, ticket: Ticket) -> bool:
        return ticket.number in self._at_work

    def leave(self, ticket: Ticket) -> tuple[Ticket, ...]:
        """Done, or no longer willing to wait; those in line who are at work from here on."""
        self._at_work.pop(ticket.number, None)
        self._in_line.pop(ticket.number, None)
        return self._called()

    def vouch(self, caller: str) -> tuple[Ticket, ...]:
        """The caller was let in: its requests are of no origin any more. Returns as `leave`."""
        for held in (self._at_work, self._in_line):
            for number, one in held.items():
                if one.caller == caller:
                    held[number] = replace(one, origin=None)
        return self._called()

    def _called(self) -> tuple[Ticket, ...]:
        called: list[Ticket] = []
        for one in tuple(self._in_line.values()):
            if self._may_go(one):
                del self._in_line[one.number]
                self._at_work[one.number] = one
                called.append(one)
        return tuple(called)

    @property
    def at_work(self) -> int:
        return len(self._at_work)

    @property
    def in_line(self) -> int:
        return len(self._in_line)

    def _may_go(self, ticket: Ticket) -> bool:
        return self._has_room(self._at_work, ticket, self.threads, CALLER_AT_WORK) and (
            not ticket.elsewhere or self._has_room_elsewhere(ticket.archive)
        )

    def _has_room_elsewhere(self, archive: str) -> bool:
        """An archive takes another place only while it holds fewer than twice the free ones beyond
        the last: the more archives wait, the fewer each may add.
        """
        held = [one.archive for one in self._at_work.values() if one.elsewhere]
        free = max(1, self.threads - (self.threads + 3) // 4) - len(held)
        theirs = held.count(archive)
        return free > 0 and (not theirs or theirs < 2 * free - 1)

    def _may_wait(self, ticket: Ticket) -> bool:
        return self._has_room(self._in_line, ticket, self.waiting, CALLER_WAITING)

    @staticmethod
    def _has_room(held: dict[int, Ticket], ticket: Ticket, most: int, of_caller: int) -> bool:
        if len(held) >= most:
            return False
        half = (most + 1) // 2
        of_archive = sum(one.archive == ticket.archive for one in held.values())
        theirs = sum(one.caller == ticket.caller for one in held.values())
        if ticket.origin is not None and half <= sum(
            one.origin == ticket.origin for one in held.values()
        ):
            return False
        return of_archive < half and theirs < of_caller
