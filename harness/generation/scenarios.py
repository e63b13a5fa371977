"""Solvable scenarios: drawn, given deadlines, and worked by the oracle before they are returned.

draft ──compose──► oracle works it ──► deadlines ──► oracle works it again: 1.0, or drawn anew
"""

from __future__ import annotations

from trainee_bench.harness.agents.runtime.in_process_episode import InProcessResult, run_in_process
from trainee_bench.harness.generation.deadlines import (
    rank_deadlines,
    schedule_short_notice_meetings,
    tighten_deadlines,
)
from trainee_bench.harness.generation.draft import ScenarioDraft, draw_draft
from trainee_bench.harness.generation.spec import GenerationSpec
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Arrival, DaySpec, Scenario
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.random_streams import random_stream

MAX_DRAWS = 40
"""How often a scenario is drawn before generation fails."""
SLACK_FACTORS = (1, 2, 4)
"""Factors by which the slack grows until the oracle keeps the deadlines."""


class ScenarioGenerationFailed(Exception):
    """No scenario fits the spec: too many tasks for a day, or rules that never fit together."""


async def make_scenario(spec: GenerationSpec, number: int) -> Scenario:
    """Scenario *number* (from 1) of *spec*; the same spec and number give the same scenario.

    Raises ScenarioGenerationFailed if the oracle can work none of many drawn ones.
    """
    why = ""
    for attempt in range(MAX_DRAWS):
        draws = random_stream("generate", spec.name, spec.seed, spec.split, number, attempt)
        draft = draw_draft(spec, number, draws)
        try:
            scenario = await _with_deadlines(draft, (spec.name, spec.seed, number, attempt))
        except CompositionError as error:
            why = str(error)
            continue
        if scenario is not None:
            return scenario
        why = "the oracle cannot do all of its tasks in one day"
    raise ScenarioGenerationFailed(
        f"{spec.name}, scenario {number}: {MAX_DRAWS} were drawn and none can be solved; the last: "
        f"{why}. Ask for fewer tasks (--tasks) or other rules (--rules)."
    )


async def _with_deadlines(draft: ScenarioDraft, key: tuple[str | int, ...]) -> Scenario | None:
    """The scenario of *draft* with its deadlines, None if the oracle cannot keep them."""
    scenario = draft.scenario
    if scenario.arrival is Arrival.AT_ONCE:
        return scenario if await _solve(scenario) is not None else None
    compositions = [compose_day(scenario, day) for day in range(len(scenario.days))]
    ranks = (
        rank_deadlines(spec, day.day.ends, random_stream("generate", "ranks", *key, number))
        for number, (spec, day) in enumerate(
            zip(schedule_short_notice_meetings(draft, compositions), compositions, strict=True)
        )
    )
    scenario = scenario.model_copy(update={"days": tuple(ranks)})
    episodes = await _solve(scenario)
    if episodes is None:
        return None
    for slower in SLACK_FACTORS:
        days: list[DaySpec] = []
        for day, episode in enumerate(episodes):
            draws = random_stream("generate", "deadlines", *key, day)
            spec = scenario.days[day]
            days.append(tighten_deadlines(spec, compose_day(scenario, day), episode, slower, draws))
        settled = scenario.model_copy(update={"days": tuple(days)})
        if await _solve(settled) is not None:
            return settled
    return None


async def _solve(scenario: Scenario) -> list[InProcessResult] | None:
    """The oracle's result for each day, None if it misses the full score or a submission."""
    episodes = []
    for day in range(len(scenario.days)):
        episode = await run_in_process("oracle", compose_day(scenario, day))
        full = episode.grade.success and episode.grade.score == 1
        if not full or None in episode.handed_in.values():
            return None
        episodes.append(episode)
    return episodes
