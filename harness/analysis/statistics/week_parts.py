"""Split a week's results by day, with what the agent had met before each task.

A single-day task counts on its due day. A duty of the whole week has a part on each day: the
checkpoints that the family assigns to that day. Its other checkpoints count on its due day.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from trainee_bench.harness.records.results import EpisodeResult, TaskResult
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.meta_task import Rule
from trainee_bench.meta_tasks.working_days import WORKING_WEEK


class Familiarity(StrEnum):
    """The earlier tasks on which an agent got feedback before a single-day task is published."""

    RULE = "rule"
    """A task of the same rule."""
    FAMILY = "family"
    """A task of the same family, but none of the same rule has come before."""
    NOTHING = "nothing"
    """No task of the same family has come before."""


@dataclass(frozen=True)
class DayPart:
    """The part of a *task* on one day of its week, with its score there, from 0 to 1.

    ``familiarity`` is None for a duty of the whole week and for a task published on the first day.
    It is also None if a task of the family has come before but had no feedback yet. ``nights`` is
    the number of nights since the latest feedback on the same rule, None if there was none.
    """

    scenario: str
    seed: int
    attempt: int
    task: TaskResult
    day: int
    score: float
    whole_week: bool
    familiarity: Familiarity | None
    nights: int | None

    @property
    def instance(self) -> tuple[str, int, int, str, int]:
        """The key that it shares with the same part in another run of the same week."""
        return (self.scenario, self.seed, self.attempt, self.task.task, self.day)


def day_parts(result: EpisodeResult) -> Iterator[DayPart]:
    """Yield the parts of all graded tasks of a week; none of an ordinary day or a broken
    episode."""
    if result.error is not None:
        return
    for task in result.tasks:
        if task.score is None or task.due_day is None:
            continue
        known = find_rule(task.rule)
        week = known.meta_task.family_class.whole_week
        familiarity, nights = (None, None) if week else _met_before(task, result.tasks)
        for day, score in _scores(task, task.due_day, known).items():
            yield DayPart(
                result.scenario, result.seed, result.attempt, task, day, score, week,
                familiarity, nights,
            )  # fmt: skip


def _scores(task: TaskResult, due: int, rule: Rule) -> dict[int, float]:
    """Return the share of weight that was earned, by day of the world. Checkpoints name days of a
    calendar week, which begin with a Monday as the world does."""
    days = {mark.name: mark.day for mark in rule.meta_task.checkpoints()}
    came = task.published_day or 0
    monday = came - came % WORKING_WEEK
    weights: dict[int, float] = defaultdict(float)
    earned: dict[int, float] = defaultdict(float)
    for check in task.checkpoints:
        day = days.get(check.name)
        day = due if day is None else monday + day
        weights[day] += check.weight
        earned[day] += check.weight * check.passed
    return {day: earned[day] / weight for day, weight in sorted(weights.items()) if weight}


def _met_before(
    task: TaskResult, tasks: tuple[TaskResult, ...]
) -> tuple[Familiarity | None, int | None]:
    """Return what was met before *task* in its week, and how many nights ago the same rule was.

    Feedback on a task comes in the night after its due day.
    """
    came = task.published_day
    if not came:
        return None, None
    begun = [met for met in tasks if met.published_day is not None and met.published_day < came]
    over = [met for met in begun if met.due_day is not None and met.due_day < came]
    nights = [came - (met.due_day or 0) for met in over if _plain(met) == _plain(task)]
    if nights:
        return Familiarity.RULE, min(nights)
    same_family = [met for met in begun if met.family == task.family]
    if not same_family:
        return Familiarity.NOTHING, None
    waiting = any(_plain(met) == _plain(task) for met in begun)
    taught = any(met.family == task.family for met in over)
    return (Familiarity.FAMILY if taught and not waiting else None), None


def _plain(task: TaskResult) -> str:
    """Return the task's rule without its complications."""
    return task.rule.partition("+")[0]


@dataclass(frozen=True)
class PolicyDay:
    """Whether a duty was done on one day by the policy in force.

    ``offset`` is the number of days since the policy changed, negative before the change.
    """

    scenario: str
    offset: int
    followed: bool


def policy_days(result: EpisodeResult) -> Iterator[PolicyDay]:
    """Yield the days of all duties of a week whose policy changes; none of a broken episode."""
    for task in result.tasks if result.error is None else ():
        if task.score is None:
            continue
        meta_task = find_rule(task.rule).meta_task
        change = meta_task.policy_changes_on
        days = {mark.name: mark.day for mark in meta_task.checkpoints()}
        for check in task.checkpoints if change is not None else ():
            day = days.get(check.name)
            if day is not None and change is not None:
                yield PolicyDay(result.scenario, day - change, check.passed)
