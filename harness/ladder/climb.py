"""A climb: rounds of worlds in one run, whose plan grows by each.

    begin / resume ──► OpenedClimb ──work_climb──► ClimbEnd

Its folder is that of a run. So every episode is recorded when it begins, and is verified, shown and
exported like any other. The sizes of each round follow from the results before it, which
`size_flaw` and `world_flaw` check.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import anyio
from pydantic import ValidationError
from rich.console import Console

from trainee_bench.harness.agents.llm.model_selection import check_prices_known
from trainee_bench.harness.batch.agent_configs import build_agent_configs
from trainee_bench.harness.batch.pipeline import (
    Run,
    create_run,
    execute,
    resume_run,
    with_execution,
)
from trainee_bench.harness.batch.plan_builder import badges_of, plan_of
from trainee_bench.harness.batch.validation import composition_flaw
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.ladder.live import show_climb, show_round
from trainee_bench.harness.ladder.options import LadderOptions
from trainee_bench.harness.ladder.sizes import next_sizes
from trainee_bench.harness.ladder.state import ClimbEnd, ClimbState
from trainee_bench.harness.ladder.worlds import WorldSource, task_count
from trainee_bench.harness.records.climb import Climb
from trainee_bench.harness.records.plan import ChangedPlan, PlanError, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.world.errors import first_flaw

SourceOf = Callable[[Climb], WorldSource]
"""Returns where the worlds of a climb come from."""


@dataclass(frozen=True)
class OpenedClimb:
    """A climb in its folder: its recorded plan, and how to execute its rounds."""

    plan: RunPlan
    folder: RunFolder
    source: WorldSource
    options: LadderOptions
    concurrency: int

    @property
    def run(self) -> Run:
        """Its run, with the executor that the options name."""
        return Run(with_execution(self.plan, self.options), self.folder, self.concurrency)


def climb_of(plan: RunPlan) -> Climb:
    """Return the settings and rounds of the climb with this *plan*. Raises PlanError for another
    run."""
    if plan.climb is None or len(plan.agents) != 1 or plan.epochs != 1:
        raise PlanError("This run is no climb: continue it with trainee-bench run --resume.")
    return plan.climb


def begin(options: LadderOptions, source_of: SourceOf, console: Console) -> OpenedClimb:
    """Begin a climb in a new folder, with its first round planned.

    Raises PlanError for contradictory options and for requirements that this machine lacks.
    """
    _check_one_agent(options)
    if options.out is not None:
        RunFolder(options.out).refuse_taken()  # composing worlds takes a while
    climb = options.climb()
    source = source_of(climb)
    _check_listed(source, climb, options)
    count = min(climb.batch, climb.limits.episodes)
    sizes = next_sizes((), source.available(()), count)
    if not sizes:
        raise PlanError(f"--config {climb.benchmark}: it has no worlds.")
    show_round(console, 1, "composing", sizes)
    worlds = anyio.run(source.take, sizes, ())
    climb = climb.model_copy(update={"rounds": (len(worlds),)})
    plan = plan_of(source.name, worlds, options, climb=climb)
    _check_budget(plan)
    run = create_run(plan, options.out)
    return OpenedClimb(run.folder.plan(), run.folder, source, options, run.concurrency)


def _check_listed(source: WorldSource, climb: Climb, options: LadderOptions) -> None:
    """Raise PlanError if a world of a benchmark file cannot be worked: later rounds may need it.

    Shipped benchmarks are tested.
    """
    if not Path(climb.benchmark).is_file():
        return
    plan_of(source.name, source.listed, options)
    for world in source.listed:
        if flaw := composition_flaw(world):
            raise PlanError(f"--config {climb.benchmark}: {flaw}")


def _check_one_agent(options: LadderOptions) -> None:
    if not (options.agent or options.model or options.agent_command):
        raise PlanError("Choose the agent that climbs with --model, --agent or --agent-command.")
    names = [agent.name for agent in build_agent_configs(options)]
    if len(names) > 1:
        raise PlanError(
            f"A climb has one agent, not {len(names)} ({', '.join(names)}), because its worlds "
            "follow from that agent's results. Begin a climb for each; --beside shows them "
            "together."
        )


def resume(options: LadderOptions, source_of: SourceOf) -> OpenedClimb:
    """Open the climb in the folder that *options* name, with the limits that they give anew.

    Raises PlanError if there is none, and the errors of `resume_run`.
    """
    assert options.resume is not None
    options.check_resume()
    plan = RunFolder.open(options.resume).plan()
    climb = climb_of(plan)
    run = resume_run(options.resume, options)
    limits = options.changed_limits(climb.limits)
    if limits != climb.limits:
        changed = plan.model_copy(
            update={"climb": climb.model_copy(update={"limits": limits}), "seal": ""}
        )
        _check_budget(changed)
        run.folder.grow(plan, changed)
    return OpenedClimb(run.folder.plan(), run.folder, source_of(climb), options, run.concurrency)


AfterRound = Callable[[OpenedClimb, ClimbState, ClimbEnd | None], None]
"""Called after each round, with why the climb has ended; None if it goes on."""


def work_climb(opened: OpenedClimb, console: Console, after_round: AfterRound) -> ClimbEnd:
    """Work rounds until a limit is reached; return which one.

    Each world is a line on *console*, with the capacity so far. Raises ChangedPlan if the worlds so
    far do not follow from their results, and the errors of `execute`.
    """
    checked = False
    while True:
        plan, source = opened.plan, opened.source
        outcome = execute(opened.run, console, partial(show_climb, plan, opened.folder))
        state = ClimbState.of(plan, outcome.results)
        if not checked and (flaw := size_flaw(plan, source, outcome.results)):
            raise ChangedPlan(f"{opened.folder.path}: {flaw}. Begin a new climb.")
        checked = True
        sizes = _next_sizes(state, plan, source)
        stop = state.stop(sum(sizes))
        after_round(opened, state, stop)
        if stop is not None:
            return stop
        opened = _grown(opened, sizes, console)


def end_of(state: ClimbState, plan: RunPlan, source: WorldSource) -> ClimbEnd | None:
    """Return why the climb with this *state* has ended; None if it goes on."""
    if any(world.result is None for world in state.worlds):
        return None
    return state.stop(sum(_next_sizes(state, plan, source)))


def _next_sizes(state: ClimbState, plan: RunPlan, source: WorldSource) -> list[int]:
    """Return the sizes of the next round; none while an episode is broken."""
    if state.broken:
        return []
    limits = state.climb.limits
    count = min(state.climb.batch, max(limits.episodes - len(plan.scenarios), 0))
    return next_sizes(state.outcomes, source.available(plan.scenarios), count)


def _grown(opened: OpenedClimb, sizes: Sequence[int], console: Console) -> OpenedClimb:
    """Return the climb with another round of worlds of these *sizes*, as it is recorded."""
    before = opened.plan
    climb = climb_of(before)
    show_round(console, len(climb.rounds) + 1, "composing", sizes)
    worlds = anyio.run(opened.source.take, sizes, before.scenarios)
    scenarios = (*before.scenarios, *worlds)
    added = {
        "scenarios": scenarios,
        "badges": badges_of(scenarios),
        "climb": climb.model_copy(update={"rounds": (*climb.rounds, len(worlds))}),
        "seal": "",
    }
    try:
        plan = RunPlan.model_validate(dict(before) | added)
    except ValidationError as error:
        _, flaw = first_flaw(error)
        raise PlanError(flaw.removeprefix("Value error, ")) from None
    opened.folder.grow(before, plan)
    return replace(opened, plan=plan.sealed())


def _check_budget(plan: RunPlan) -> None:
    """Raise PlanError if the use that a limit of the climb counts cannot be known."""
    limits, agent = climb_of(plan).limits, plan.agents[0]
    if limits.tokens is None and limits.cost_usd is None:
        return
    if agent.model is None:
        raise PlanError(
            f"--max-tokens and --max-cost cannot limit the climb of {agent.name}, whose use of "
            "models is not visible; use --episodes."
        )
    api_config = plan.model_settings.api_config
    cost = EpisodeLimits(cost_usd=limits.cost_usd)
    check_prices_known(plan.agents, cost, None if api_config is None else Path(api_config))


def size_flaw(plan: RunPlan, source: WorldSource, results: Sequence[EpisodeResult]) -> str | None:
    """Return how the sizes of a climb's worlds do not follow from the *results* before them; None
    if they do."""
    climb, worlds = climb_of(plan), ClimbState.of(plan, results).worlds
    if climb.worlds != len(plan.scenarios):
        counted = pluralize(climb.worlds, "world")
        return f"its rounds have {counted}, but its plan has {len(plan.scenarios)}"
    begin = 0
    for number, count in enumerate(climb.rounds, start=1):
        if count > climb.batch:
            return f"round {number} has {count} worlds, more than the {climb.batch} of --batch"
        outcomes = [world.outcome for world in worlds[:begin] if world.outcome is not None]
        if len(outcomes) < begin:
            return f"round {number} was chosen before every world of the rounds before was graded"
        planned = [world.tasks for world in worlds[begin : begin + count]]
        chosen = next_sizes(outcomes, source.available(plan.scenarios[:begin]), count)
        if planned != chosen:
            return (
                f"the sizes of round {number} are {_listed(planned)}, but from the results before "
                f"it follow {_listed(chosen)}"
            )
        begin += count
    return None


async def world_flaw(plan: RunPlan, source: WorldSource) -> str | None:
    """Return which world of a climb is not the one that its seed gives; None if all are."""
    used = plan.scenarios
    for number, world in enumerate(used):
        made = await source.take([task_count(world)], used[:number])
        if made != [world]:
            return f"world {number + 1} is not the one that the climb's seed gives"
    return None


def _listed(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes))
