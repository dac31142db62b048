"""When a job is to run: a cron line of five fields, in UTC (R191).

The words of cron itself (`*/5`, `1-5`, `MON`, `JAN`, `L` for a month's last day) are `cronsim`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cronsim import CronSim, CronSimError

FIELDS = 5
LONGEST = 100  # characters; a line of lists is read by somebody
_TICK = timedelta(microseconds=1)
_SOME_DAY = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class CronLine:
    """A line that has a slot now and then; raises ValueError, which names the field, for others."""

    text: str

    def __post_init__(self) -> None:
        # A sixth field would be seconds, and a name such as @daily is another dialect.
        if len(self.text) > LONGEST or len(self.text.split()) != FIELDS:
            raise ValueError("five fields: minute, hour, day of month, month, day of week")
        try:
            self.after(_SOME_DAY)
        except CronSimError as wrong:
            raise ValueError(f"no such time: {str(wrong).lower()}") from None
        except StopIteration:
            raise ValueError("never: there is no such day") from None

    def latest(self, now: datetime) -> datetime:
        """The youngest slot that has come, `now` itself included. Times are aware."""
        return next(CronSim(self.text, now.astimezone(UTC) + _TICK, reverse=True))

    def after(self, now: datetime) -> datetime:
        """The first slot later than `now`."""
        return next(CronSim(self.text, now.astimezone(UTC)))
