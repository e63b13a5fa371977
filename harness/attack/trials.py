"""Results of attacks on a benchmark: trials, and the figures that follow from them.

DayTrial (one attack on one day) ─┐
WorkerTrial (one complication)  ──┴─► AttackReport ──► exploit bound, figures, broken bounds
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from trainee_bench.harness.documents.formatting import pluralize

BOUND = 0.05
"""The highest mean score that any attack may reach without doing the work, and the largest share of
trials in which a worker may handle a complication without looking."""
_LUCK = 1
"""The lucky trials that break no bound: fewer than 20 trials cannot show so small a share."""


@dataclass(frozen=True)
class TaskTrial:
    """The result of one attack in one task: its score from 0 to 1, and the checkpoints passed.

    ``error`` names our own checks that broke on this work. They count as failed, so the score
    may be too low.
    """

    task: str
    rule: str
    score: float
    success: bool
    passed: tuple[str, ...]
    error: str | None = None


@dataclass(frozen=True)
class DayTrial:
    """The result of one attack on one day or in one week at one seed."""

    scenario: str
    day: int
    seed: int
    attack: str
    score: float
    tasks: tuple[TaskTrial, ...]


@dataclass(frozen=True)
class WorkerTrial:
    """The number of trials in which a worker handled a complication of a rule without looking."""

    rule: str
    complication: str
    worker: str
    handled: int
    trials: int


@dataclass(frozen=True)
class ScoreFigure:
    """The mean and the highest of scores, and their number."""

    mean: float
    highest: float
    trials: int
    scored: int
    """The number of scores above the bound."""

    @classmethod
    def of(cls, scores: Sequence[float]) -> ScoreFigure:
        """Return the figure of *scores*, of which there is at least one."""
        above = sum(score > BOUND for score in scores)
        return cls(fmean(scores), max(scores), len(scores), above)

    @property
    def is_above(self) -> bool:
        """Whether the mean is above the bound, and not only by one lucky trial."""
        return self.mean > BOUND and self.scored > _LUCK

    @property
    def may_be_luck(self) -> bool:
        """Whether the mean is above the bound by one trial alone."""
        return self.mean > BOUND and self.scored <= _LUCK


@dataclass(frozen=True)
class AttackReport:
    """All trials on a benchmark.

    ``seeds`` is the number of new seeds of each scenario, 0 if the scenarios' own were attacked.
    ``left_out`` says in sentences what could not be attacked. ``known`` has the reason for rules
    that are known to be above the bound.
    """

    benchmark: str
    scenarios: int
    seeds: int
    days: tuple[DayTrial, ...]
    workers: tuple[WorkerTrial, ...]
    left_out: tuple[str, ...] = ()
    known: Mapping[str, str] = field(default_factory=dict)

    @property
    def attacks(self) -> Mapping[str, ScoreFigure]:
        """The scores of days by attack, the highest mean first."""
        scores: dict[str, list[float]] = defaultdict(list)
        for trial in self.days:
            scores[trial.attack].append(trial.score)
        figures = {attack: ScoreFigure.of(found) for attack, found in scores.items()}
        return dict(sorted(figures.items(), key=lambda item: (-item[1].mean, item[0])))

    @property
    def exploit_bound(self) -> float:
        """The highest mean score of days that any attack reached."""
        return max((figure.mean for figure in self.attacks.values()), default=0.0)

    @property
    def rules(self) -> Mapping[str, Mapping[str, ScoreFigure]]:
        """The scores of tasks by rule and attack; for each rule the highest mean first."""
        scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for day in self.days:
            for task in day.tasks:
                scores[task.rule][day.attack].append(task.score)
        return {
            rule: dict(
                sorted(
                    ((attack, ScoreFigure.of(found)) for attack, found in attacks.items()),
                    key=lambda item: (-item[1].mean, item[0]),
                )
            )
            for rule, attacks in sorted(scores.items())
        }

    @property
    def task_bound(self) -> float:
        """The highest mean score that any attack reached in the tasks of one rule."""
        figures = (figure for attacks in self.rules.values() for figure in attacks.values())
        return max((figure.mean for figure in figures), default=0.0)

    @property
    def complications(self) -> Mapping[str, Mapping[str, tuple[int, int]]]:
        """How often each worker handled each complication, and of how many trials."""
        found: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
        for trial in sorted(self.workers, key=lambda trial: (trial.complication, trial.worker)):
            handled, trials = found[trial.complication].get(trial.worker, (0, 0))
            counts = (handled + trial.handled, trials + trial.trials)
            found[trial.complication][trial.worker] = counts
        return found

    def broken(self) -> Iterator[str]:
        """Yield a sentence for each bound that is broken, and for each check that broke."""
        for attack, day in self.attacks.items():
            if day.is_above:
                yield f"{attack} scores {day.mean:.3f} on average, above {BOUND}"
        for rule, attacks in self.rules.items():
            for attack, figure in attacks.items():
                if figure.is_above:
                    yield self._in_tasks(rule, attack, figure)
        for name, workers in self.complications.items():
            for worker, (handled, trials) in workers.items():
                if handled > max(_LUCK, BOUND * trials):
                    yield f"the {worker} worker handles {name} in {handled} of {trials} trials"
        for trial in self.days:
            for task in trial.tasks:
                if task.error is not None:
                    yield (
                        f"{task.rule}: checks broke on the work of {trial.attack} "
                        f"({trial.scenario}, seed {trial.seed}): {task.error}"
                    )

    def perhaps_by_luck(self) -> Iterator[str]:
        """Yield a sentence for each mean that one trial alone lifts above the bound."""
        for attack, day in self.attacks.items():
            if day.may_be_luck:
                yield f"{attack} scores {day.mean:.3f} on average"
        for rule, attacks in self.rules.items():
            for attack, figure in attacks.items():
                if figure.may_be_luck:
                    yield self._in_tasks(rule, attack, figure)

    def _in_tasks(self, rule: str, attack: str, figure: ScoreFigure) -> str:
        """Return what *attack* scores in the tasks of *rule*, and why if that is known."""
        why = f" (known: {self.known[rule]})" if rule in self.known else ""
        count = pluralize(figure.trials, "task")
        return f"{rule}: {attack} scores {figure.mean:.3f} on average over {count}{why}"
