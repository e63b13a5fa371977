"""Forks: another agent or a person continues a worked day from one of its steps, in a new run.

state after step N ──► fork.world        ──► the new agent works the rest of the day
calls up to step N ──► fork.turns.jsonl  ──► and knows what was said and seen before
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from pydantic import Field, ValidationError

from trainee_bench.harness.agents.person import PersonAgent
from trainee_bench.harness.batch.agent_configs import build_agent_configs, build_model_settings
from trainee_bench.harness.batch.person_run import PersonRun, person_config
from trainee_bench.harness.batch.pipeline import Run
from trainee_bench.harness.batch.validation import validate_person_plan, validate_plan
from trainee_bench.harness.episodes.turn_journal import TurnJournal, answer_of
from trainee_bench.harness.records.human_part import ForkedDay, ForkPoint
from trainee_bench.harness.records.plan import (
    AgentConfig,
    ModelSettings,
    PlanError,
    RunPlan,
    UnsupportedTask,
)
from trainee_bench.harness.records.run_folder import RunFolder, next_run_folder
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.session.turns import NO_THOUGHT, Thought, ToolCall, TurnRecord
from trainee_bench.harness.studio.history import EpisodeHistory
from trainee_bench.harness.studio.run_requests import WorkersRequest
from trainee_bench.harness.studio.thoughts import AgentThought
from trainee_bench.harness.studio.views.files import read_picture
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.errors import first_flaw
from trainee_bench.world.transaction import Picture
from trainee_bench.world.world import World

_LOOKING = "files_view_image"
"""The tool whose answers contain pictures, which the log does not keep."""


class ForkRequest(WorkersRequest):
    """A request for one agent that continues after ``step`` actions."""

    step: int = Field(ge=0)


async def create_fork(history: EpisodeHistory, request: ForkRequest, home: Path) -> Run:
    """Create a run in a new folder in *home*, in which an agent continues from a step of the
    episode of *history*.

    Raises PlanError if that is impossible, NoSuchState if there is no such step.
    """
    options = request.options()
    agents = build_agent_configs(options)
    if len(agents) != 1:
        raise PlanError("Choose exactly one agent to continue, with one model if it needs a model.")
    settings = build_model_settings(options)
    plan = await _plan(history, request.step, agents[0], options.limits, settings)
    validate_plan(plan)
    folder = await _create_folder(history, request.step, plan, home)
    return Run(plan, folder, plan.max_concurrency)


async def create_person_fork(history: EpisodeHistory, step: int, who: str, home: Path) -> PersonRun:
    """Create a run in a new folder in *home*, in which the person *who* continues from a step of
    the episode of *history*. Raises the errors of `create_fork`."""
    plan = await _plan(history, step, person_config(who), EpisodeLimits(), ModelSettings())
    validate_person_plan(plan)
    folder = await _create_folder(history, step, plan, home)
    (spec,) = plan.episode_specs()
    return PersonRun(plan, folder, spec, PersonAgent())


async def _plan(
    history: EpisodeHistory,
    step: int,
    agent: AgentConfig,
    limits: EpisodeLimits,
    settings: ModelSettings,
) -> RunPlan:
    """Return the plan of a run in which *agent* continues after *step*."""
    episode, composition = history.episode, history.composition
    scenario, day = composition.scenario_day.scenario, composition.scenario_day.day
    if scenario.week:
        raise PlanError("A week has one agent for each day, so it cannot be continued from a step.")
    if await history.read(step, lambda tx: tx.now >= tx.day.ends):
        raise PlanError("The day is over after this step: continue from an earlier one.")
    name = scenario.days[day].name
    unsupported = episode.spec.unsupported if episode.spec is not None else ()
    point = ForkPoint(run=episode.run.name, episode=episode.name, step=step)
    try:
        return RunPlan(
            benchmark="fork",
            scenarios=(scenario,),
            unsupported=tuple(
                UnsupportedTask(scenario=scenario.name, day=day, name=task) for task in unsupported
            ),
            agents=(agent,),
            max_concurrency=1,
            limits=limits,
            model_settings=settings,
            fork=ForkedDay(day=day, point=point),
        )
    except ValidationError as error:
        _, flaw = first_flaw(error)
        raise PlanError(f"{name} cannot be continued: {flaw}") from None


async def _create_folder(
    history: EpisodeHistory, step: int, plan: RunPlan, home: Path
) -> RunFolder:
    """Create the folder for the run of *plan*, with the world after *step* and the turns up to
    it."""
    content = await history.content(step)
    turns = await turns_until(history, step)
    home.mkdir(parents=True, exist_ok=True)
    folder = RunFolder.create(next_run_folder(home, plan.benchmark), plan)
    async with World.deserialize_inline(content) as left:
        await (await left.fork(folder.fork_world)).close()
    journal = TurnJournal(folder.fork_turns)
    journal.day_begins(0, "")
    journal.write(turns)
    return folder


async def turns_until(history: EpisodeHistory, step: int) -> list[TurnRecord]:
    """Return the turns of the agent of *history* up to *step*: calls and answers from the log, with
    the recorded thoughts. Raises the errors of `EpisodeHistory.read`."""
    own = [entry for entry in history.entries[:step] if entry.actor == history.employee]
    pictures: dict[int, Picture] = {}
    for entry in own:
        if entry.tool == _LOOKING and entry.ok:
            look = partial(read_picture, path=str(entry.arguments["path"]))
            pictures[entry.seq] = await history.read(entry.seq - 1, look)
    return _grouped(own, await history.thoughts(), pictures)


def _grouped(
    own: Sequence[LogEntry], thoughts: Mapping[int, AgentThought], pictures: Mapping[int, Picture]
) -> list[TurnRecord]:
    """Group the agent's *own* calls by turns; a call with an unknown thought is a separate turn."""

    def turn(entry: LogEntry) -> tuple[int, int]:
        known = thoughts.get(entry.seq)
        return (0, entry.seq) if known is None else (known.turn, 0)

    found = []
    for _, group in groupby(own, turn):
        entries = list(group)
        known = thoughts.get(entries[0].seq)
        thought = (
            Thought(known.message, known.reasoning or None, known.model or None)
            if known
            else NO_THOUGHT
        )
        calls = [ToolCall(entry.tool, entry.arguments, f"earlier-{entry.seq}") for entry in entries]
        answers = [
            answer_of(entry, (pictures[entry.seq],) if entry.seq in pictures else ())
            for entry in entries
        ]
        found.append(TurnRecord(entries[0].at, thought, tuple(calls), tuple(answers)))
    return found
