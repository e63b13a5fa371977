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
from trainee_bench.harness.testbench.other_seeds import days_with_seeds
from trainee_bench.harness.testbench.renaming import with_names
from trainee_bench.harness.testbench.staged_day import cache_latest, oracle_log, oracle_outputs
from trainee_bench.harness.testbench.workbook_files import write_as
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.kept_days import composed

_SEARCHED = 10 * OTHER_SEED_COUNT
_SUBMITTING = "desk_submit"
_WORKED: dict[str, RepeatableDay] = {}
"""The oracle's days that this process has worked: each morning of a week needs the same one."""


class _FromTexts(RoteRenamed):
    """The player that takes names from the texts of tasks alone."""

    by_role = False


class Rehearsed(PrivilegedAgent):
    """Cheat that repeats an oracle's calls on the same day with another seed, and submits common
    answers.

    It puts the names of this day's tasks in place of the other's, as ``rote_renamed`` does, but
    knows nobody by role. Its answers are those that are most often right with other seeds, as in
    ``commonest_answer``.
    """

    name = "rehearsed"
    score_ceiling = 0.15
    knows_other_seeds = True
    steps = 2_000

    def __init__(self, player: RoteRenamed | None, answers: Mapping[str, str]):
        self._player = player
        self._answers = dict(answers)

    @classmethod
    async def for_day(cls, composition: ComposedDay) -> Self:
        """Return the cheat that knows the same day, or the whole week, with other seeds."""
        told = composition.scenario_day
        seeds = range(told.scenario.seed + 1, told.scenario.seed + 1 + _SEARCHED)
        others = days_with_seeds(told.scenario, told.day, seeds, OTHER_SEED_COUNT)
        if not others:
            return cls(None, {})
        player = _FromTexts.of_days([await _worked(others[0])], composition)
        return cls(player, await _answers(others, composition))

    async def work(self, session: AgentSession) -> None:
        """Repeat the calls, and write the common answers before the first submission."""
        if self._player is None:
            return
        written = False
        for call in self._player.calls:
            if call.tool == _SUBMITTING and not written:
                await self._write(session)
                written = True
            await self._player.make(session, call)
        if not written:
            await self._write(session)

    async def _write(self, session: AgentSession) -> None:
        for path, text in self._answers.items():
            await write_as(session.call, path, text)


async def _worked(composition: ComposedDay) -> RepeatableDay:
    """Return the day as the oracle works it; the latest are cached."""
    key = composition.scenario_day.model_dump_json()
    if key not in _WORKED:
        worked = repeatable_day(composition, await oracle_log(composition))
        cache_latest(_WORKED, key, worked)
    return _WORKED[key]


async def _answers(others: Sequence[ComposedDay], composition: ComposedDay) -> dict[str, str]:
    """Return the most common answer of the *others* for each file of the day, with its names."""
    told = composition.scenario_day
    whole = composed(told.scenario, told.day, told.variation)
    seen: list[list[str]] = []
    for other in others:
        (match,) = match_days([repeatable_day(other, ())], whole)
        names = new_names(match, whole)
        outputs = await oracle_outputs(other)
        seen.append([str(with_names(text, names)) for text in outputs])
    columns = zip(*seen, strict=True)
    pairs = zip(whole.deliverable_paths, columns, strict=True)
    return {path: most_common_answer(texts) for path, texts in pairs}
