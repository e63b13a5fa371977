"""Episodes of built-in agents in this process, without a transport, graded at the end.

Generating and certifying scenarios use them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from trainee_bench.harness.agents.builtin.oracle import OracleFailed
from trainee_bench.harness.agents.runtime.runner import AgentRunner
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.session.prompt import build_prompt
from trainee_bench.harness.session.tool_transports import InProcessToolTransport
from trainee_bench.harness.testbench.staged_day import StagedDay, cache_latest, stage_day
from trainee_bench.mcp_servers.verifier import DayGrade, grade_staged
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.transaction import Transaction

_WAITING = "desk_wait"


@dataclass(frozen=True)
class InProcessResult:
    """Result of a day: its grade, when each task was last submitted, the work time and the action
    log.

    ``handed_in`` has None for a task that was never submitted. ``busy`` is the simulated time spent
    working and not waiting.
    """

    grade: DayGrade
    handed_in: Mapping[str, datetime | None]
    busy: timedelta
    log: tuple[LogEntry, ...]


class InProcessWorker(Protocol):
    """Somebody who works a day, such as an `AgentRunner`."""

    @property
    def steps(self) -> int | None:
        """The limit of steps, None for that of all episodes."""

    async def work(self, session: AgentSession, composition: ComposedDay) -> None:
        """Work the day of *composition*."""


async def run_agent_on_day(
    agent: str, day: StagedDay, *tolerated: type[Exception]
) -> list[AgentSession]:
    """Let *agent* work the staged *day*, or the days of a staged week; return each day's session.

    Each day of a week has a new agent. Raises what the agent raises, unless it is *tolerated*: then
    the day is over for the agent.
    """
    return await run_workers_on_day(lambda: AgentRunner.from_name(agent), day, *tolerated)


async def run_workers_on_day(
    hire: Callable[[], InProcessWorker], day: StagedDay, *tolerated: type[Exception]
) -> list[AgentSession]:
    """Let a worker that *hire* returns work the staged *day*, or one each day of a staged week.

    See `run_agent_on_day`.
    """
    sessions: list[AgentSession] = []
    for place in range(len(day.composition.days)):
        if place:
            await day.world.begin_next_day()
        with contextlib.suppress(*tolerated):
            sessions.append(await _run_on(hire(), day, place))
    return sessions


async def _run_on(worker: InProcessWorker, day: StagedDay, place: int) -> AgentSession:
    """Let *worker* work day number *place*, which has begun."""
    limits = EpisodeLimits(steps=worker.steps or EpisodeLimits().steps)
    prompt = await day.world.read(lambda tx: build_prompt(tx, limits))
    transport = InProcessToolTransport(day.seat)
    today, scenario = day.composition.on_day(place), day.composition.scenario_day.scenario
    session = AgentSession(
        transport, transport.tools(scenario.minutes), prompt, today.today, limits
    )
    with session.scope:
        await worker.work(session, today)
    if session.fault is not None:
        raise session.fault
    return session


_GRADES: dict[tuple[str, str], DayGrade] = {}


async def cached_grade(agent: str, composition: ComposedDay) -> DayGrade:
    """Return the grade of *agent* on the day.

    The latest grades are cached, because certificates need the same ones repeatedly.
    """
    key = (agent, composition.scenario_day.model_dump_json())
    if key not in _GRADES:
        cache_latest(_GRADES, key, (await run_in_process(agent, composition)).grade)
    return _GRADES[key]


async def run_in_process(agent: str, composition: ComposedDay) -> InProcessResult:
    """Stage the day or week in a new world, let *agent* work it, and grade it.

    Each day of a week has a new agent. If the oracle gives up, the world is graded in the state it
    left.
    """
    day = await stage_day(composition)
    async with day.world:
        await run_agent_on_day(agent, day, OracleFailed)
        log = tuple(await day.world.log())
        own = (entry for entry in log if entry.actor and entry.tool != _WAITING)
        busy = sum((entry.until - entry.at for entry in own), timedelta())

        def submissions(tx: Transaction) -> dict[str, datetime | None]:
            return {task.id: Desk(tx).submitted_at(task.id) for task in composition.tasks}

        handed_in = await day.world.read(submissions)
        return InProcessResult(await grade_staged(day.world, composition), handed_in, busy, log)
