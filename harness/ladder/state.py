"""The state of a climb: which worlds were worked, with which outcome, and what that tells.

RunPlan, EpisodeResult, … ──► ClimbState ──► why the climb ends, its live line, its report
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from trainee_bench.harness.analysis.statistics.capacity import (
    HIGHEST,
    Capacity,
    WorldOutcome,
    fit_capacity,
)
from trainee_bench.harness.ladder.worlds import task_count
from trainee_bench.harness.records.climb import Climb
from trainee_bench.harness.records.plan import EpisodeSpec, RunPlan
from trainee_bench.harness.records.results import EpisodeResult


class ClimbEnd(StrEnum):
    """Why a climb has ended."""

    FACTOR = "factor"
    ABOVE = "above"
    EPISODES = "episodes"
    TOKENS = "tokens"
    COST = "cost"
    UNKNOWN_USE = "unknown_use"
    NO_WORLDS = "no_worlds"
    BROKEN = "broken"


END_SENTENCES = {
    ClimbEnd.FACTOR: "The interval is narrow enough.",
    ClimbEnd.ABOVE: (
        f"The capacity is above {HIGHEST} tasks, with 99 %; from there on only a lower bound is "
        "told."
    ),
    ClimbEnd.EPISODES: "All worlds of --episodes were worked.",
    ClimbEnd.TOKENS: "Another round would need more tokens than --max-tokens.",
    ClimbEnd.COST: "Another round would cost more than --max-cost.",
    ClimbEnd.UNKNOWN_USE: (
        "The agent's tokens or cost are not known, so the limit of the climb cannot be kept. Begin "
        "a climb without --max-tokens and --max-cost."
    ),
    ClimbEnd.NO_WORLDS: "The benchmark has no worlds left.",
    ClimbEnd.BROKEN: (
        "An episode broke, and the choice of the next worlds depends on it. See the folder faults, "
        "then continue with --resume."
    ),
}


@dataclass(frozen=True)
class WorkedWorld:
    """World number *number* (from 1) of a climb, and its result; None before it has one."""

    number: int
    spec: EpisodeSpec
    result: EpisodeResult | None

    @property
    def tasks(self) -> int:
        """The number of its tasks."""
        return task_count(self.spec.scenario)

    @property
    def outcome(self) -> WorldOutcome | None:
        """Whether it is complete; None without a grade of all its tasks."""
        if self.result is None or self.result.broken:
            return None
        return WorldOutcome(self.tasks, self.result.success)


@dataclass(frozen=True)
class ClimbState:
    """All worlds of a climb so far, in the plan's order."""

    climb: Climb
    agent: str
    worlds: tuple[WorkedWorld, ...]

    @classmethod
    def of(cls, plan: RunPlan, results: Sequence[EpisodeResult]) -> ClimbState:
        """Return the state of the climb with this *plan* and these *results*."""
        assert plan.climb is not None
        by_id = {result.episode: result for result in results}
        worlds = tuple(
            WorkedWorld(number, spec, by_id.get(spec.id))
            for number, spec in enumerate(plan.episode_specs(), start=1)
        )
        return cls(plan.climb, plan.agents[0].name, worlds)

    @property
    def outcomes(self) -> list[WorldOutcome]:
        """The outcomes of all graded worlds."""
        return [world.outcome for world in self.worlds if world.outcome is not None]

    @cached_property
    def capacity(self) -> Capacity:
        """The capacity that the worlds show so far."""
        return fit_capacity(self.outcomes)

    @property
    def results(self) -> list[EpisodeResult]:
        """The results so far, broken ones included."""
        return [world.result for world in self.worlds if world.result is not None]

    @property
    def broken(self) -> list[WorkedWorld]:
        """The worlds whose episodes broke."""
        return [world for world in self.worlds if world.result is not None and not world.outcome]

    @property
    def tasks_worked(self) -> int:
        """The number of tasks in all graded worlds."""
        return sum(outcome.tasks for outcome in self.outcomes)

    @property
    def has_model(self) -> bool:
        """Whether the agent may use a model: it has one, or is a program."""
        agents = [world.spec.agent_config for world in self.worlds]
        return any(agent.model is not None or agent.command is not None for agent in agents)

    @property
    def tokens(self) -> int | None:
        """The tokens of all results, prompts and replies; None if those of any are not known."""
        used = [(result.prompt_tokens, result.completion_tokens) for result in self.results]
        known = [(p, c) for p, c in used if p is not None and c is not None]
        return sum(p + c for p, c in known) if len(known) == len(used) else None

    @property
    def cost_usd(self) -> float | None:
        """The cost of all results in US dollars; None if that of any is not known."""
        costs = [result.cost_usd for result in self.results]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    def stop(self, next_tasks: int) -> ClimbEnd | None:
        """Return why the climb ends here; None if it goes on with a round of *next_tasks* tasks in
        all (0 if no world is left)."""
        capacity, limits = self.capacity, self.climb.limits
        if self.broken:
            return ClimbEnd.BROKEN
        if capacity.factor is not None and capacity.factor <= limits.factor:
            return ClimbEnd.FACTOR
        if capacity.sure_low is not None and capacity.sure_low > HIGHEST:
            return ClimbEnd.ABOVE
        if len(self.outcomes) >= limits.episodes:
            return ClimbEnd.EPISODES
        if not next_tasks:
            return ClimbEnd.NO_WORLDS
        return self._over_budget(next_tasks)

    def _over_budget(self, next_tasks: int) -> ClimbEnd | None:
        """Return which limit a round of *next_tasks* tasks would pass, if each took as much as the
        mean task so far."""
        growth = 1 + next_tasks / max(self.tasks_worked, 1)
        budgets = (
            (ClimbEnd.TOKENS, self.climb.limits.tokens, self.tokens),
            (ClimbEnd.COST, self.climb.limits.cost_usd, self.cost_usd),
        )
        for stop, limit, used in budgets:
            if limit is None:
                continue
            if used is None:
                return ClimbEnd.UNKNOWN_USE
            if used * growth > limit:
                return stop
        return None
