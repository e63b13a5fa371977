"""Claim: oracles can finish the day from any state that an agent can leave.

Honest workers, careless workers and cheats are stopped at some moment, and an oracle goes on. It
also goes on after a worker that only looked around, and after one that made a mess which can be
cleared away.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from trainee_bench.harness.agents.runtime.in_process_episode import run_agent_on_day
from trainee_bench.harness.agents.runtime.registry import discover_agents
from trainee_bench.harness.certification.claim import Claim, mean_of
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.testbench.finishing import MOST_CALLS, FinishedDay, finish_day
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day, stage_day
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.random_streams import random_stream
from trainee_bench.world.world import World

HONEST = "oracle"
BASELINES = ("in_order", "careless")
CUTS = 3
"""Number of moments of a day at which an agent is stopped."""
_LOOKS: Sequence[tuple[str, dict[str, JsonValue]]] = (
    ("desk_tasks", {}),
    ("mail_list", {}),
    ("files_list", {"folder": "drive:/"}),
    ("chat_list_people", {}),
    ("calendar_list", {}),
)
_MESS_HOURS = ((11, 12), (14, 15))
"""Times at which rooms are booked for nothing."""


async def certify_finishing(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that oracles finish wherever an agent is stopped, within `MOST_CALLS` calls.

    They must not raise. They reach at least the score that was there and at most what is possible.
    They reach full score after a stopped oracle, after a worker that only looked around, and after
    one that submitted nonsense, booked rooms and created a group.

    Facts: ``finished score``, the mean score reached after agents that are no oracle;
    ``known best``, how often that was certainly the best possible.
    """
    claim = Claim("finishing")
    reached: list[FinishedDay] = []
    agents = discover_agents()
    cheats = [name for name, made in agents.items() if made.score_ceiling is not None]
    for seed in seeds:
        with claim.trying(rule, seed):
            composition = single_task_day(rule, seed)
            await _try_clearable(claim, seed, composition)
            await _try_stopped(claim, seed, composition, HONEST)
            for group in (BASELINES, cheats):
                agent = group[seed % len(group)]
                reached += await _try_stopped(claim, seed, composition, agent)
    claim.facts = {
        "finished score": mean_of([day.grade.score or 0.0 for day in reached]),
        "known best": mean_of([float(day.is_best) for day in reached]),
    }
    return claim


async def _try_clearable(claim: Claim, seed: int, composition: ComposedDay) -> None:
    """Finish the day after a worker has looked around, and after one has made a mess."""
    for what, begin in (("looked around", _look_around), ("made a mess", _make_mess)):
        day = await stage_day(composition)
        async with day.world:
            await begin(day)
            finished = await finish_day(day.world, composition)
        _expect_full(claim, f"seed {seed}: after somebody has {what}", finished)


async def _try_stopped(
    claim: Claim, seed: int, composition: ComposedDay, agent: str
) -> list[FinishedDay]:
    """Stop *agent* at `CUTS` moments of its day and finish it; return what came of each."""
    day = await stage_day(composition)
    async with day.world:
        await run_agent_on_day(agent, day)
        log = await day.world.log()
    draws = random_stream("stopped", agent, seed)
    stops = sorted({draws.randrange(len(log) + 1) for _ in range(CUTS)})
    finished = [await _finish_after(composition, log[:stop]) for stop in stops]
    for stop, (before, end) in zip(stops, finished, strict=True):
        where = f"seed {seed}: after {pluralize(stop, 'action')} of {agent}"
        if agent == HONEST:
            _expect_full(claim, where, end)
        score, most = end.grade.score or 0.0, end.at_most or 0.0
        claim.expect(
            before - 1e-9 <= score <= most + 1e-9,
            f"{where} oracles reach {score}; {before} was there before, and {most} is possible",
        )
        claim.expect(end.calls < MOST_CALLS, f"{where} oracles do not come to an end")
    return [end for _, end in finished]


async def _finish_after(
    composition: ComposedDay, done: Sequence[LogEntry]
) -> tuple[float, FinishedDay]:
    """Return the score after the actions *done*, and what oracles make of that state."""
    world = await World.create_inline(composition.world_config(), composition.populate)
    async with world:
        await replay_log(world, done)
        finished = await finish_day(world, composition)
    return finished.score_before, finished


def _expect_full(claim: Claim, where: str, finished: FinishedDay) -> None:
    missed = [
        check.sentence
        for task in finished.grade.tasks
        for check in task.checkpoints
        if not check.passed
    ]
    claim.expect(
        finished.grade.score == 1,
        f"{where} oracles reach {finished.grade.score}; missed {missed}; "
        f"{list(finished.failures.values())}",
    )


async def _look_around(day: StagedDay) -> None:
    for tool, arguments in _LOOKS:
        await day.observe(tool, arguments)


async def _make_mess(day: StagedDay) -> None:
    """Submit nonsense, book rooms for nobody, and create a group."""
    composition = day.composition
    people = [person.id for person in composition.company.people[:3]]
    await day.observe("desk_tasks", {})
    for task in composition.tasks:
        for path in task.instance.told.deliverable_paths:
            if path.startswith("workspace:/"):
                await day.observe("files_write", {"path": path, "text": "to be done"})
        await day.observe("desk_submit", {"task": task.id})
    await day.observe("chat_create_group", {"name": "Lunch", "members": [*people]})
    for starts, ends in _MESS_HOURS:
        times: dict[str, JsonValue] = {"starts": f"{starts}:00", "ends": f"{ends}:00"}
        room: dict[str, JsonValue] = {"title": "Lunch", "room": "Room_01", "attendees": []}
        await day.observe("calendar_book", {**room, **times})
