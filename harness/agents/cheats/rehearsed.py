"""The cheat that has rehearsed: it repeats an oracle's day and hands in the commonest answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from trainee_bench.harness.agents.agent import PrivilegedAgent
from trainee_bench.harness.agents.builtin.rote import match_days
from trainee_bench.harness.agents.builtin.rote_renamed import RoteRenamed, new_names
from trainee_bench.harness.agents.cheats.commonest_answer import (
    OTHER_SEED_COUNT,
    most_common_answer,
)
from trainee_bench.harness.agents.repeatable_days import RepeatableDay, repeatable_day
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.testbench.other_seeds import (
    answers_with_other_seeds,
    days_with_seeds,
)
from trainee_bench.harness.testbench.renaming import with_names
from trainee_bench.harness.testbench.staged_day import cache_latest, oracle_log
from trainee_bench.harness.testbench.workbook_files import write_as
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.kept_days import composed

_SEARCHED = 10 * OTHER_SEED_COUNT
_SUBMITTING = "desk_submit"
_REHEARSALS: dict[str, tuple[RepeatableDay | None, Mapping[str, str]]] = {}
"""The oracle's day and the answers for the latest days: each morning of a week needs the same."""


class Rehearsed(PrivilegedAgent):
    """Cheat that repeats an oracle's calls on the same day with another seed, and submits common
    answers.

    It puts the names of this day's tasks in place of the other's, as ``rote_renamed`` does. Its
    answers are those that are most often right with other seeds, as in ``commonest_answer``.
    """

    name = "rehearsed"
    score_ceiling = 0.15
    knows_other_seeds = True
    steps = 2_000

    def __init__(self, player: RoteRenamed | None, answers: Mapping[str, Mapping[str, str]]):
        self._player = player
        self._answers = answers
        """The texts of the files of each task, by its id and their paths."""

    @classmethod
    async def for_day(cls, composition: ComposedDay) -> Self:
        """Return the cheat that knows the same day, or the whole week, with other seeds."""
        told = composition.scenario_day
        key = told.model_dump_json()
        if key not in _REHEARSALS:
            seeds = range(told.scenario.seed + 1, told.scenario.seed + 1 + _SEARCHED)
            others = days_with_seeds(told.scenario, told.day, seeds, OTHER_SEED_COUNT)
            cache_latest(_REHEARSALS, key, await _rehearsed(others, composition))
        worked, texts = _REHEARSALS[key]
        answers = {
            task.id: {
                path: texts[path] for path in task.instance.told.deliverable_paths if path in texts
            }
            for task in composition.tasks
        }
        return cls(RoteRenamed.of_days([worked], composition) if worked else None, answers)

    async def work(self, session: AgentSession) -> None:
        """Repeat the calls, and write a task's common answers before each of its submissions."""
        if self._player is None:
            return
        left = dict(self._answers)
        for call in self._player.calls:
            if call.tool == _SUBMITTING:
                task = str(call.arguments.get("task"))
                await self._write(session, task)
                left.pop(task, None)
            await self._player.make(session, call)
        for task in left:
            await self._write(session, task)

    async def _write(self, session: AgentSession, task: str) -> None:
        for path, text in self._answers.get(task, {}).items():
            await write_as(session.call, path, text)


async def _rehearsed(
    others: Sequence[ComposedDay], composition: ComposedDay
) -> tuple[RepeatableDay | None, Mapping[str, str]]:
    """Return the first of *others* as the oracle works it, and the most common answers of all."""
    if not others:
        return None, {}
    worked = repeatable_day(others[0], await oracle_log(others[0]))
    return worked, await _answers(others, composition)


async def _answers(others: Sequence[ComposedDay], composition: ComposedDay) -> dict[str, str]:
    """Return the most common answer of the *others* for each file of the day, with its names."""
    told = composition.scenario_day
    whole = composed(told.scenario, told.day, told.variation)
    matches = [next(match_days([repeatable_day(other, ())], whole)) for other in others]
    names = [new_names(match, whole) for match in matches]
    seen = await answers_with_other_seeds(whole, others)
    return {
        path: most_common_answer([str(with_names(text, names[by])) for by, text in answers])
        for path, answers in seen.items()
    }
