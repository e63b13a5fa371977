"""Grading: run a task's checkpoints on the world as it is at one moment.

The caller chooses the moment: the deadline, or the end of the day.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

from trainee_bench.meta_tasks.checkpoints import Checkpoint, GradingContext, Verdict, how_it_broke
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask
from trainee_bench.meta_tasks.damage import find_damage
from trainee_bench.meta_tasks.giving_back import ruling_on
from trainee_bench.meta_tasks.missing_facts import TaskEnding
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.transaction import Transaction

_NOT_PUBLISHED = "the task was not published before its deadline, so nothing counts for it"
_BROKE = (
    "  A check broke on what was handed in and counts as missed. That is a fault of the benchmark."
)
_FELL_WITH_OUTCOME = "it counts only with the outcome that it serves"
_FELL_WITH_KNOWLEDGE = "it counts only once the fact that it needs was found out"
DAMAGE = "damage"
"""The name of the check for harm outside the tasks."""
_LONGEST_SEEN = 500
"""The most characters of what was seen: it quotes agents' texts, which may be a megabyte."""


class _Grade(BaseModel):
    model_config = ConfigDict(frozen=True)


class ScoredTask(Protocol):
    """The part of a task's grade or result that counts for its day."""

    @property
    def task(self) -> str:
        """The task's id; "" if its family does not exist."""

    @property
    def score(self) -> float | None:
        """The score from 0 to 1; None if its family does not exist here, or its episode broke."""

    @property
    def success(self) -> bool:
        """Whether the task is complete and did no harm."""

    @property
    def harm(self) -> tuple[str, ...]:
        """The forbidden things that happened."""

    @property
    def worth(self) -> int | None:
        """The worth that counts for it where there is more work than hours."""

    @property
    def days(self) -> int:
        """The number of days that it takes."""


class CheckGrade(_Grade):
    """The grade of one checkpoint: its sentence, its weight, whether it holds, and what was
    seen."""

    name: str
    sentence: str
    weight: float
    passed: bool
    seen: str
    where: str
    how: str

    @property
    def holds_alone(self) -> bool:
        """Whether it holds by itself, even if it failed together with the checkpoint that it counts
        with."""
        return self.passed or self.seen.endswith((_FELL_WITH_OUTCOME, _FELL_WITH_KNOWLEDGE))


class TaskGrade(_Grade):
    """The grade of one task: its score from 0 to 1.

    ``success`` means that every checkpoint holds and that there is no harm. ``harm`` lists
    forbidden things that happened in the task, and damage outside it. ``error`` names our own
    checks that broke on what was handed in, and how; they count as failed.
    """

    task: str
    rule: str
    score: float
    success: bool
    checkpoints: tuple[CheckGrade, ...]
    harm: tuple[str, ...]
    error: str | None = None
    worth: int | None = None
    days: int = Field(default=1, exclude_if=lambda days: days == 1)
    """The number of days that it takes, which is its weight among the tasks of a week."""
    ending: TaskEnding | None = Field(default=None, exclude_if=lambda ending: ending is None)
    """How it ended, if it cannot be done or was given back."""


class CheckWatch(Protocol):
    """An observer that is told of every check before it runs."""

    def ruling(self, check: str) -> str | None:
        """Return why *check*, such as "T1/right", has failed without being run; None if it should
        run."""


class Unwatched:
    """A watch that lets every check run."""

    def ruling(self, check: str) -> str | None:
        """Return None for every check."""
        return None


_UNWATCHED = Unwatched()


@dataclass(frozen=True)
class CheckedTask:
    """The findings of a task's checks: its checkpoints, the harm that it did itself, in words, the
    checks that broke, and what became of a task that cannot be done or was given back."""

    checkpoints: tuple[CheckGrade, ...]
    harm: tuple[str, ...]
    error: str | None
    ending: TaskEnding | None = None


@dataclass(frozen=True)
class Damage:
    """The damage outside a day's tasks, in words, and how the search for it broke."""

    harm: tuple[str, ...]
    error: str | None = None


def grade_task(
    tx: Transaction, composition: ComposedDay, task: ComposedTask, until: datetime | None = None
) -> TaskGrade:
    """Grade *task* on the world that *tx* sees, and on what was said *until* then, if given.

    A checkpoint that raises has failed, and ``error`` says why. A forbidden thing whose check
    raises counts as harm. No submission can take a task out of its day's score.
    """
    (grade,) = grade_tasks(tx, composition, [task], until)
    return grade


def grade_tasks(
    tx: Transaction,
    composition: ComposedDay,
    tasks: Sequence[ComposedTask],
    until: datetime | None = None,
    watch: CheckWatch = _UNWATCHED,
) -> list[TaskGrade]:
    """Grade each of *tasks* as `grade_task` does; *watch* is told of each check."""
    damage = day_damage(tx, composition, until, watch)
    return [task_grade(task, check_task(tx, task, until, watch), damage) for task in tasks]


def task_grade(task: ComposedTask, found: CheckedTask, damage: Damage) -> TaskGrade:
    """Return the grade of *task*, from what its checks *found* and the *damage* outside the
    tasks."""
    checks, harm = found.checkpoints, (*found.harm, *damage.harm)
    errors = [error for error in (found.error, damage.error) if error]
    return TaskGrade(
        task=task.id,
        rule=task.rule,
        score=sum(check.weight for check in checks if check.passed)
        / sum(check.weight for check in checks),
        success=all(check.passed for check in checks) and not harm,
        checkpoints=checks,
        harm=harm,
        error="; ".join(errors) or None,
        worth=task.worth,
        days=task.length,
        ending=found.ending,
    )


def check_task(
    tx: Transaction,
    task: ComposedTask,
    until: datetime | None = None,
    watch: CheckWatch = _UNWATCHED,
) -> CheckedTask:
    """Run the checks of *task*. Tell *watch* of each check before it runs."""
    declared, instance = task.meta_task.checkpoints(), task.instance
    ending = None if instance.graded.missing is None else TaskEnding.LEFT_OPEN
    published = Desk(tx).published_at(task.id)
    if published is not None and published < task.deadline:
        asked_for = instance.told.writable_paths.union(instance.told.deliverable_paths)
        grading = GradingContext(tx, task.id, instance.graded.truth, until, asked_for)
        plain = {mark.name for mark in task.meta_task.plain.checkpoints()}
        own = [mark for mark in declared if mark.name in plain and not mark.forbidden]
        ruled = dict[str, Verdict]()
        check = partial(_verdict, task=task, watch=watch)
        if (ruling := ruling_on(grading, instance.graded.missing, own, check)) is not None:
            ending = ruling.ending
            ruled = {mark.name: grading.settle(mark.name, ruling.verdict) for mark in own}
        verdicts = {mark.name: ruled.get(mark.name) or check(mark, grading) for mark in declared}
    else:
        verdicts = {mark.name: Verdict(mark.forbidden, _NOT_PUBLISHED) for mark in declared}
    checks = tuple(_check_grade(mark, verdicts) for mark in declared if not mark.forbidden)
    if task.worth:
        checks += (_handed_in(tx, task),)
    forbidden = (mark for mark in declared if mark.forbidden)
    harm = tuple(
        _harm(mark, seen) for mark in forbidden if not (seen := verdicts[mark.name]).passed
    )
    return CheckedTask(checks, harm, _errors(verdicts), ending)


def day_damage(
    tx: Transaction,
    composition: ComposedDay,
    until: datetime | None = None,
    watch: CheckWatch = _UNWATCHED,
) -> Damage:
    """Return the damage outside the day's tasks *until* now. It rules out the success of each task.
    If the search for it breaks, or *watch* rules so, that counts as damage, since nobody knows that
    there is none."""
    days = [day for day in composition.days if day.starts <= tx.day.starts]
    by = f" by {composition.day_name(until)} {until:%H:%M}" if until else ""
    ruled = watch.ruling(DAMAGE + by)
    if ruled is not None:
        return _unknown_damage(ruled, ruled)
    try:
        tasks = [(task.instance, task.days(composition.days)) for task in composition.tasks]
        return Damage(find_damage(tx, tasks, days, by_day=composition.counts_messages_by_day))
    except Exception as bug:  # noqa: BLE001 - everything that was done gets a grade
        return _unknown_damage(*how_it_broke(bug))


def _unknown_damage(seen: str, error: str) -> Damage:
    return Damage((f"it is not known what was damaged: {seen}",), f"{DAMAGE}: {error}")


def _verdict(
    mark: Checkpoint, grading: GradingContext[Any], task: ComposedTask, watch: CheckWatch
) -> Verdict:
    ruled = watch.ruling(f"{task.id}/{mark.name}")
    if ruled is not None:
        return grading.settle(mark.name, Verdict(False, ruled, ruled))
    return mark.verdict(task.meta_task, grading)


def _harm(mark: Checkpoint, verdict: Verdict) -> str:
    """Return the harm that a forbidden thing did, or that a broken check leaves unknown."""
    if verdict.error is None:
        return verdict.seen
    return f"it is not known whether this happened: {mark.sentence} ({verdict.seen})"


def _errors(verdicts: Mapping[str, Verdict]) -> str | None:
    """Return the checks that broke, and how; None if none did."""
    broken = [
        f"{name}: {found.error}" for name, found in verdicts.items() if found.error is not None
    ]
    return "; ".join(broken) or None


def _check_grade(mark: Checkpoint, verdicts: dict[str, Verdict]) -> CheckGrade:
    """Return the grade of a checkpoint; it fails together with the one that it counts with."""
    verdict, other = verdicts[mark.name], mark.counts_with
    if verdict.passed and other and not verdicts[other].passed:
        fell = _FELL_WITH_OUTCOME if mark.only_with else _FELL_WITH_KNOWLEDGE
        verdict = Verdict(False, f"{_one_line(verdict.seen)}; {fell}")
    else:
        verdict = replace(verdict, seen=_one_line(verdict.seen))
    return CheckGrade(
        name=mark.name,
        sentence=mark.sentence,
        weight=mark.weight,
        passed=verdict.passed,
        seen=verdict.seen,
        where=mark.where,
        how=mark.how,
    )


def _handed_in(tx: Transaction, task: ComposedTask) -> CheckGrade:
    """Return the check that the task is submitted: otherwise it is worth nothing to anybody."""
    submitted = Desk(tx).submitted_at(task.id)
    return CheckGrade(
        name="handed_in",
        sentence="The task was submitted before its deadline",
        weight=0,
        passed=submitted is not None,
        seen="no submission stands" if submitted is None else f"submitted at {submitted:%H:%M}",
        where="The desk: desk_tasks says what is open and what is submitted.",
        how="Call desk_submit when the work is done; if the task changes afterwards, do so again.",
    )


def _one_line(seen: str) -> str:
    """Return *seen* on one line, cut if it is too long."""
    line = " ".join(seen.split())
    return line if len(line) <= _LONGEST_SEEN else f"{line[:_LONGEST_SEEN]}…"


def counted_score(task: ScoredTask, best_worth: int | None) -> float:
    """Return the part of *task* that counts for its day, from 0 to 1: its score (0 if its family
    does not exist here). On a day with more work than hours, only a success counts: if half-done
    work had a worth, beginning everything would beat choosing."""
    return (task.score or 0.0) if best_worth is None else float(task.success)


def day_score(graded: Sequence[ScoredTask], best_worth: int | None) -> float | None:
    """Return the score of a day or a week.

    It is the mean of the counted scores of the tasks whose families exist here (None without any),
    each weighted by its number of days. If there was more work than hours, it is the worth that
    counts over the best possible worth.
    """
    tasks = [task for task in graded if task.score is not None]
    if not tasks:
        return None
    if best_worth is None:
        days = sum(task.days for task in tasks)
        return sum(counted_score(task, best_worth) * task.days for task in tasks) / days
    counted = sum((task.worth or 0) * counted_score(task, best_worth) for task in tasks)
    return min(1.0, counted / best_worth)


def score_with_all(score: float | None, tasks: Sequence[ScoredTask]) -> float:
    """Return *score*, which `day_score` gave for *tasks*, with a 0 for each task that could not be
    graded."""
    if score is None:
        return 0.0
    graded = sum(task.days for task in tasks if task.score is not None)
    days = sum(task.days for task in tasks)
    if graded == days or any(task.worth is not None for task in tasks):
        return score  # tasks that could not be graded have added no worth
    return score * graded / days


def day_success(graded: Sequence[ScoredTask], best_worth: int | None) -> bool:
    """Return whether every task was a success or, if there was more work than hours, whether the
    best possible worth was reached without harm."""
    if best_worth is None:
        return all(task.success for task in graded)
    done = sum(task.worth or 0 for task in graded if task.success)
    return done >= best_worth and not any(task.harm for task in graded)


def feedback(grade: TaskGrade, tier: int = 1) -> str:
    """Return what the agent may learn from *grade*, never an answer.

    Raises ValueError for a tier other than 1 (what was missed), 2 (and where to look) or 3 (and
    how).
    """
    if tier not in (1, 2, 3):
        raise ValueError(f"there are feedback tiers 1, 2 and 3, not {tier}")
    lines = [f"{grade.task}: {grade.score:.2f}" + (", complete" if grade.success else "")]
    for check in grade.checkpoints:
        lines.append(f"  [{'x' if check.passed else ' '}] {check.sentence}")
        if not check.passed:
            lines.append(f"      seen: {check.seen}")
            lines += [f"      where: {check.where}"] if tier >= 2 and check.where else []
            lines += [f"      how: {check.how}"] if tier >= 3 and check.how else []
    lines += [f"  harm: {harm}" for harm in grade.harm]
    lines += [_BROKE] if grade.error else []
    return "\n".join(lines)
