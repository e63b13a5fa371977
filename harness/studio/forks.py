"""Another agent goes on from a step of a worked day, in a run of its own.

state after step N ──► fork.world of a new run ──► its agent works what is left of the day
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, ValidationError

from trainee_bench.harness.batch.agent_configs import build_agent_configs, build_model_settings
from trainee_bench.harness.batch.pipeline import Run
from trainee_bench.harness.batch.validation import validate_plan
from trainee_bench.harness.records.human_part import ForkedDay, ForkPoint
from trainee_bench.harness.records.plan import PlanError, RunPlan, UnsupportedTask
from trainee_bench.harness.records.run_folder import RunFolder, next_run_folder
from trainee_bench.harness.studio.history import EpisodeHistory
from trainee_bench.harness.studio.run_requests import WorkersRequest
from trainee_bench.world.world import World


class ForkRequest(WorkersRequest):
    """One agent that goes on after ``step`` actions."""

    step: int = Field(ge=0)


async def create_fork(history: EpisodeHistory, request: ForkRequest, home: Path) -> Run:
    """A run in a new folder in *home* that goes on from a step of the episode of *history*.

    Raises PlanError if that cannot be done, NoSuchState for a step that there is not.
    """
    episode, composition = history.episode, await history.composition()
    scenario, day = composition.scenario_day.scenario, composition.scenario_day.day
    if scenario.week:
        raise PlanError("A week has an agent for each of its days: nobody can go on from a step.")
    if await history.read(request.step, lambda tx: tx.now >= tx.day.ends):
        raise PlanError("The day is over after this step: go on from an earlier one.")
    options = request.options()
    agents = build_agent_configs(options)
    if len(agents) != 1:
        raise PlanError("One agent goes on: choose one, with one model if it needs a model.")
    name = scenario.days[day].name
    unsupported = episode.spec.unsupported if episode.spec is not None else ()
    point = ForkPoint(run=episode.run.name, episode=episode.name, step=request.step)
    try:
        plan = RunPlan(
            benchmark="fork",
            scenarios=(scenario,),
            unsupported=tuple(
                UnsupportedTask(scenario=scenario.name, day=day, name=one) for one in unsupported
            ),
            agents=agents,
            max_concurrency=1,
            limits=options.limits,
            model_settings=build_model_settings(options),
            fork=ForkedDay(day=day, point=point),
        )
    except ValidationError as error:
        flaw = error.errors(include_url=False, include_input=False)[0]["msg"]
        raise PlanError(f"{name} cannot be gone on with: {flaw}") from None
    validate_plan(plan)
    content = await history.content(request.step)
    home.mkdir(parents=True, exist_ok=True)
    folder = RunFolder.create(next_run_folder(home, plan.benchmark), plan)
    async with World.deserialize_inline(content) as left:
        await (await left.fork(folder.fork_world)).close()
    return Run(plan, folder, plan.max_concurrency)
