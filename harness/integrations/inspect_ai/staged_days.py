"""The day of a sample: staged when the sample begins, closed after it is scored.

Days are kept here and not in the sample's store, because Inspect logs the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from inspect_ai.solver import TaskState
from inspect_ai.util import store
from pydantic import JsonValue

from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.harness.session.turns import ToolCall, ToolInfo, ToolResult
from trainee_bench.meta_tasks.scenario import Scenario

_KEY = "trainee_bench_day"
"""The key in a sample's store under which its day is found."""


class NotStaged(RuntimeError):
    """Raised if the sample is not ours, or its day was closed."""


class SampleDay:
    """The day of one sample (or its week), and counts of the work in it.

    ``limits`` are those of our own loop, None for other solvers. ``ended`` says how our own loop
    ended each day; a day that an Inspect limit cut off has no entry. ``incidents`` counts what went
    wrong with the model in our own loop, such as replies without tokens.
    """

    def __init__(self, scenario: Scenario, number: int):
        self.day = Day(scenario, number)
        self.tools: tuple[ToolInfo, ...] = self.day.reset().tools
        self.frozen = self.day.frozen_digests()
        self.limits: EpisodeLimits | None = None
        self.place = 0
        self.calls = self.failed_calls = self.steps = self.refused_calls = 0
        self.ended: list[EndReason] = []
        self.incidents: Counter[str] = Counter()

    def call(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        """Make one call at the employee's seat."""
        self.calls += 1
        answer = self.day.step([ToolCall(name, arguments)]).answers[0]
        self.failed_calls += answer.failed
        return answer

    def next_morning(self) -> bool:
        """Let the night pass; return whether another day of the week has begun."""
        if not self.day.has_next_day:
            return False
        self.day.next_day()
        self.place += 1
        return True


_STAGED: dict[str, SampleDay] = {}


def sample_day() -> SampleDay:
    """Return the day of the sample that is being worked. Raises NotStaged."""
    return _staged(store().get(_KEY))


def day_of(state: TaskState) -> SampleDay:
    """Return the day of the sample in *state*. Raises NotStaged."""
    return _staged(state.store.get(_KEY))


def staged_count() -> int:
    """Return the number of open days."""
    return len(_STAGED)


def _staged(key: str | None) -> SampleDay:
    if key is None or key not in _STAGED:
        raise NotStaged("this sample has no day; use a task of trainee_bench, with its setup")
    return _STAGED[key]


def keep_day(state: TaskState, day: SampleDay) -> None:
    """Make *day* the day of the sample in *state*, replacing one from an earlier attempt."""
    close_day(state)
    _STAGED[state.uuid] = day
    state.store.set(_KEY, state.uuid)


def close_day(state: TaskState) -> None:
    """Free the world of the sample in *state*, if there is one."""
    if (staged := _STAGED.pop(state.uuid, None)) is not None:
        staged.day.close()
