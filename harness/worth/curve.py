"""The value after every step of a recorded day: the best score that was still possible.

    moments ──some are finished honestly──► outcomes ──best of all later ones──► values

An outcome is what an honest worker reaches from a moment: a score that is possible there. It is
possible at every earlier moment, too, since whoever stands there can go on as the agent did. So the
value of a moment is the best outcome of it and all later moments, and the values never rise.
Between two moments with the same outcome nothing is tried: the values there can hardly differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trainee_bench.harness.testbench.finishing import rank
from trainee_bench.harness.worth.losses import harm_kind
from trainee_bench.harness.worth.moments import Moment, RecordedMoments, moment_numbers
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.composition import ComposedDay

Progress = Callable[[float], None]
"""Is told again and again for which share of the steps the value is known, from 0 to 1. What it
raises ends the computation."""


def unheard(share: float) -> None:
    """The progress that nobody waits for."""


@dataclass(frozen=True)
class ValueCurve:
    """The best outcome after each step, the first of them before any; what the day came to; and
    how many moments were tried."""

    best: tuple[DayGrade, ...]
    end: DayGrade
    tried: int


async def value_curve(
    composition: ComposedDay, recorded: RecordedMoments, progress: Progress = unheard
) -> ValueCurve:
    """The values of all moments of a day; *progress* is told after each copy."""
    moments = recorded.moments
    numbers = moment_numbers(moments)
    outcomes: dict[int, DayGrade] = {}
    spans = [(0, len(numbers) - 1)]
    for place in {0, len(numbers) - 1}:
        outcomes[place] = await _outcome(composition, moments[numbers[place]])
        progress(0.0)
    known_steps = 0
    while spans:
        first, last = spans.pop()
        if last - first < 2 or (_shown(outcomes[first]) == _shown(outcomes[last])):
            known_steps += last - first
            progress(known_steps / max(1, len(numbers) - 1))
            continue
        middle = (first + last) // 2
        outcomes[middle] = await _outcome(composition, moments[numbers[middle]])
        spans += [(first, middle), (middle, last)]
    progress(1.0)
    known = {numbers[place]: grade for place, grade in outcomes.items()}
    return ValueCurve(_running_best(known, recorded), recorded.grade, len(outcomes))


async def _outcome(composition: ComposedDay, moment: Moment) -> DayGrade:
    return (await moment.finish(composition)).grade


def _shown(grade: DayGrade) -> Sequence[object]:
    return [
        (task.task, task.score, task.success, [harm_kind(text) for text in task.harm])
        for task in grade.tasks
    ]


def _running_best(known: dict[int, DayGrade], recorded: RecordedMoments) -> tuple[DayGrade, ...]:
    """The best of the outcomes of each moment and all later ones, the day's own end included. Of
    equal ones the last counts, so that what the agent did is a way to it. A moment that is as the
    one before has its outcome: to look without taking time costs nothing."""
    outcomes = list[DayGrade | None]()
    for number, moment in enumerate(recorded.moments):
        outcomes.append(outcomes[-1] if number and moment.as_before else known.get(number))
    best, found = recorded.grade, list[DayGrade]()
    for outcome in reversed(outcomes):
        if outcome is not None and rank(outcome) > rank(best):
            best = outcome
        found.append(best)
    return tuple(reversed(found))
