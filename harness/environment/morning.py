"""Days that have just begun, kept so that a day of the same scenario begins as a copy.

Trainers want many episodes of one day. A copy takes a millisecond or two, staging some hundred.
A morning takes half a megabyte; two are kept for each day that `keep_results` names.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

from trainee_bench.harness.environment.day import Day, Start
from trainee_bench.harness.environment.snapshot import DayState
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.scenario import ScenarioDay
from trainee_bench.world.kept_results import kept_per_day


@dataclass(frozen=True)
class Morning:
    """A day that has just begun: its composition, its state, and what an agent is told."""

    composition: ComposedDay
    state: DayState
    start: Start

    def day(self, *, rewards: bool, tokens_per_minute: int | None = None) -> Day:
        """Return a day that begins here."""
        day = Day.of(self.composition, rewards=rewards, tokens_per_minute=tokens_per_minute)
        day.set_state(self.state)
        return day


def begun_morning(given: ScenarioDay) -> Morning:
    """Return the morning of *given*; those used last are kept.

    Raises CompositionError or UnknownRuleError if the day cannot be composed, and NeedsEventLoop
    if it offers an app that runs programs.
    """
    with _STAGING:  # or sessions that begin the same day at once would each stage it
        return _staged(given.model_dump_json())


@kept_per_day(2)
def _staged(text: str) -> Morning:
    given = ScenarioDay.model_validate_json(text)
    composition = composed(given.scenario, given.day, given.variation)
    day = Day.of(composition, rewards=True)
    try:
        start = day.reset()
        return Morning(composition, day.state(), start)
    finally:
        day.close()


_STAGING = Lock()
