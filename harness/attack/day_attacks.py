"""Attacks on the days of a scenario: every cheat, and the agents that play an oracle's day by rote.

Each attack works the day in a copy of the same morning, in this process, and is graded as of each
task's deadline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from trainee_bench.harness.agents.builtin.rote import Rote
from trainee_bench.harness.agents.builtin.rote_renamed import RoteRenamed
from trainee_bench.harness.agents.repeatable_days import RepeatableDay, repeatable_day
from trainee_bench.harness.agents.runtime.in_process_episode import (
    InProcessWorker,
    run_workers_on_day,
)
from trainee_bench.harness.agents.runtime.registry import discover_agents
from trainee_bench.harness.agents.runtime.runner import AgentRunner
from trainee_bench.harness.attack.trials import DayTrial, TaskTrial
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.testbench.other_seeds import days_with_seeds
from trainee_bench.harness.testbench.staged_day import (
    StagedDay,
    open_staged_day,
    oracle_log,
    stage_day,
)
from trainee_bench.mcp_servers.verifier import grade_staged
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.world import World

_ROTE_PLAYERS: Mapping[str, type[Rote]] = {kind.name: kind for kind in (Rote, RoteRenamed)}
_APART = 10_000
"""The distance of the new seeds from each other, so that no agent has solved a day by accident."""
_SEARCHED = 200
"""The number of seeds to search for one at which all days of a scenario compose."""


def attack_names() -> tuple[str, ...]:
    """Return the names of all attacks: the cheats, then the players by rote."""
    cheats = [name for name, agent in discover_agents().items() if agent.score_ceiling is not None]
    return (*cheats, *_ROTE_PLAYERS)


def with_new_seed(scenario: Scenario, number: int) -> Scenario | None:
    """Return *scenario* with new seed *number* (from 1), None if its days compose at none near."""
    first = scenario.seed + number * _APART
    for seed in range(first, first + _SEARCHED):
        if all(days_with_seeds(scenario, day, (seed,), 1) for day in _days(scenario)):
            return scenario.without_bounds().model_copy(update={"seed": seed})
    return None


def _days(scenario: Scenario) -> list[int]:
    """Return the numbers of the days to attack: those with a world of their own and with tasks."""
    days = scenario.days
    return [day for day in scenario.world_days if scenario.week or days[day].tasks]


async def attack_days(
    scenario: Scenario, source: Scenario, attacks: Sequence[str]
) -> list[DayTrial]:
    """Return what each of *attacks* reaches on each day of *scenario*.

    The players by rote know the oracle's calls on the same day of *source*.
    """
    trials: list[DayTrial] = []
    for number in _days(scenario):
        composition, known = composed(scenario, number), composed(source, number)
        rote = set(_ROTE_PLAYERS) & set(attacks)
        worked = repeatable_day(known, await oracle_log(known)) if rote else None
        morning = await stage_day(composition)
        async with morning.world:
            begun = await morning.world.serialize()
        for attack in attacks:
            day = open_staged_day(composition, World.deserialize_inline(begun))
            async with day.world:
                trials.append(await _attack(attack, _hiring(attack, worked), day))
    return trials


def _hiring(attack: str, worked: RepeatableDay | None) -> Callable[[], InProcessWorker]:
    if worked is not None and attack in _ROTE_PLAYERS:
        return partial(_RotePlayer, _ROTE_PLAYERS[attack], worked)
    return partial(AgentRunner.from_name, attack)


@dataclass(frozen=True)
class _RotePlayer:
    """An agent of this *kind* that knows one worked day."""

    kind: type[Rote]
    worked: RepeatableDay

    @property
    def steps(self) -> int | None:
        return self.kind.steps

    async def work(self, session: AgentSession, composition: ComposedDay) -> None:
        await self.kind.of_days([self.worked], composition).work(session)


async def _attack(attack: str, hire: Callable[[], InProcessWorker], day: StagedDay) -> DayTrial:
    """Return what the attack reaches on *day*."""
    await run_workers_on_day(hire, day)
    grade = await grade_staged(day.world, day.composition)
    told = day.composition.scenario_day
    return DayTrial(
        scenario=told.scenario.name,
        day=told.day,
        seed=told.scenario.seed,
        attack=attack,
        score=grade.score or 0.0,
        tasks=tuple(
            TaskTrial(
                task=task.task,
                rule=task.rule,
                score=task.score,
                success=task.success,
                passed=tuple(check.name for check in task.checkpoints if check.passed),
                error=task.error,
            )
            for task in grade.tasks
        ),
    )
