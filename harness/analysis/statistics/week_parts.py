"""A week's results taken apart: what of each task falls on which day, and what was met before it.

A task of one day falls on the day on which it is due. Of a duty of the whole week each day has its
own part: the checkpoints that the family says are earned on that day; the others fall on the day on
which the duty is due.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from trainee_bench.harness.records.results import EpisodeResult, TaskResult
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.meta_task import Rule


class Familiarity(StrEnum):
    """What an agent has had feedback on before a task of one day is published."""

    RULE = "rule"
    """A task of the same rule."""
    FAMILY = "family"
    """A task of the same family, and none of the same rule has come before."""
    NOTHING = "nothing"
    """No task of the same family has come before."""


@dataclass(frozen=True)
class DayPart:
    """What of a *task* falls on one day of its week: its score there, from 0 to 1.

    ``familiarity`` is None for a duty of the whole week, for a task published on the first day, and
    where one of the family has come before and has had no feedback yet. ``nights`` is how many
    nights ago there was feedback on the same rule at the latest, None if there was none.
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
        """What it has in common with the same part in another week of the same tasks."""
        return (self.scenario, self.seed, self.attempt, self.task.task, self.day)


def day_parts(result: EpisodeResult) -> Iterator[DayPart]:
    """The parts of all graded tasks of a week; none of an ordinary day or a broken episode."""
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
    """The share of weight that was earned, by day."""
    days = {mark.name: mark.day for mark in rule.meta_task.checkpoints()}
    weights: dict[int, float] = defaultdict(float)
    earned: dict[int, float] = defaultdict(float)
    for check in task.checkpoints:
        day = days.get(check.name)
        day = due if day is None else day
        weights[day] += check.weight
        earned[day] += check.weight * check.passed
    return {day: earned[day] / weight for day, weight in sorted(weights.items()) if weight}


def _met_before(
    task: TaskResult, tasks: tuple[TaskResult, ...]
) -> tuple[Familiarity | None, int | None]:
    """What was met before *task* among the *tasks* of its week, and how many nights ago the same
    rule was. Feedback on a task comes in the night after the day on which it is due."""
    came = task.published_day
    if not came:
        return None, None
    begun = [one for one in tasks if one.published_day is not None and one.published_day < came]
    over = [one for one in begun if one.due_day is not None and one.due_day < came]
    nights = [came - (one.due_day or 0) for one in over if _plain(one) == _plain(task)]
    if nights:
        return Familiarity.RULE, min(nights)
    same_family = [one for one in begun if one.family == task.family]
    if not same_family:
        return Familiarity.NOTHING, None
    waiting = any(_plain(one) == _plain(task) for one in begun)
    taught = any(one.family == task.family for one in over)
    return (Familiarity.FAMILY if taught and not waiting else None), None


def _plain(task: TaskResult) -> str:
    """The task's rule without its complications."""
    return task.rule.partition("+")[0]


@dataclass(frozen=True)
class PolicyDay:
    """Whether a duty was done on one day by the policy in force; ``offset`` is how many days after
    the change of the policy that was, below 0 before it."""

    scenario: str
    offset: int
    followed: bool


def policy_days(result: EpisodeResult) -> Iterator[PolicyDay]:
    """The days of all duties of a week whose policy changes; none of a broken episode."""
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
