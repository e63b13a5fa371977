"""Seats: people at work in days of their own, call by call.

A seat tells the answers that its person was given, and nothing else of the day: it never asks the
world by itself, and has no score until the day is over. Each call has a number, so that a request
that the browser repeats is not made twice.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, JsonValue

from trainee_bench.harness.agents.person import PersonAgent, PersonHasLeft
from trainee_bench.harness.analysis.report.publish import publish_report
from trainee_bench.harness.batch.benchmarks import LoadedBenchmark, load_benchmark
from trainee_bench.harness.batch.person_run import PersonRun, create_person_run, find_day
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.tool_types import ToolResult
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.meta_tasks.benchmark import QUICKSTART, shipped_benchmark_names
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.transaction import Notice

_CLOSING_SECONDS = 10.0
"""Seconds that days that are over have to be graded when the studio closes."""


class NoSuchSeat(LookupError):
    """There is no seat or day of this name."""


class SeatRefused(ValueError):
    """The seat or the call cannot be had; says why."""


class SeatStatus(StrEnum):
    """How far a seat is."""

    STARTING = "starting"
    """The first morning, or the next one of a week, is about to come."""
    WORKING = "working"
    ASKED = "asked"
    """The day is over; the person is asked about it before the score is known."""
    GRADING = "grading"
    OVER = "over"
    BROKEN = "broken"


class SeatTool(BaseModel):
    """A tool of the office, and what a call costs."""

    name: str
    minutes: int
    destructive: bool
    read_only: bool
    description: str
    input_schema: Mapping[str, JsonValue]


class SeatCall(BaseModel):
    """A call of the person's, number *n* from 1, and its answer. Pictures are data URLs."""

    n: int
    tool: str
    arguments: dict[str, JsonValue]
    at: datetime
    until: datetime
    failed: bool
    text: str
    data: JsonValue
    notices: tuple[Notice, ...]
    pictures: tuple[str, ...]


class SeatState(BaseModel):
    """A seat: the day, the office's tools, and every answer so far."""

    seat: str
    status: SeatStatus
    person: str
    benchmark: str
    scenario: str
    day: str
    error: str
    prompt: str
    employee: str
    now: datetime | None
    day_starts: datetime | None
    day_ends: datetime | None
    steps: int
    steps_limit: int
    tools: tuple[SeatTool, ...]
    calls: tuple[SeatCall, ...]
    episode: str
    """The episode in the studio, "" before the day is over."""
    score: float | None


class Seat:
    """One person in one day. Make one with `Seats.take`."""

    def __init__(self, key: str, run: PersonRun, shown: ShownRuns):
        self.key = key
        self._run = run
        self._shown = shown
        self._employee = compose_day(run.spec.scenario, run.spec.day).company.trainee.id
        self._calls: list[SeatCall] = []
        self._asked: dict[int, tuple[str, Mapping[str, JsonValue]]] = {}
        self._answers: dict[int, asyncio.Task[SeatCall]] = {}
        self._result: EpisodeResult | None = None
        self._episode = ""
        self._error = ""
        self._working = asyncio.create_task(self._work())

    @property
    def _person(self) -> PersonAgent:
        return self._run.person

    @property
    def status(self) -> SeatStatus:
        """How far it is."""
        if self._error:
            return SeatStatus.BROKEN
        if self._working.done():
            return SeatStatus.OVER
        if not self._person.begun.is_set():
            return SeatStatus.STARTING
        if self._person.has_left:
            return SeatStatus.GRADING
        session = self._session()
        if session.another_day_follows and (session.over or session.ended is not None):
            return SeatStatus.STARTING
        return SeatStatus.ASKED if self._person.day_over else SeatStatus.WORKING

    async def begun(self) -> None:
        """Wait until the first morning, or until it is known that there will be none."""
        morning = asyncio.ensure_future(self._person.begun.wait())
        await asyncio.wait({morning, self._working}, return_when=asyncio.FIRST_COMPLETED)
        morning.cancel()

    async def call(self, n: int, tool: str, arguments: Mapping[str, JsonValue]) -> SeatCall:
        """Call number *n*; one that was made already is only answered again. Raises SeatRefused
        for a number that is not the next one, and if no call can be made any more."""
        known = self._asked.get(n)
        if known is not None and known != (tool, arguments):
            raise SeatRefused(f"Call {n} was another one; load the page anew.")
        if known is None:
            if n != len(self._asked) + 1:
                raise SeatRefused(f"The next call is number {len(self._asked) + 1}, not {n}.")
            if len(self._calls) < len(self._asked):
                raise SeatRefused("The call before has no answer yet; wait for it.")
            if self.status is not SeatStatus.WORKING:
                raise SeatRefused("The day is over: no further call can be made.")
            self._asked[n] = tool, arguments
            self._answers[n] = asyncio.create_task(self._call(n, tool, arguments))
        try:  # a browser that goes away does not take the call with it
            return await asyncio.shield(self._answers[n])
        except PersonHasLeft as error:
            raise SeatRefused(str(error)) from None

    async def _call(self, n: int, tool: str, arguments: Mapping[str, JsonValue]) -> SeatCall:
        session = self._session()
        at = session.now
        answer = await self._person.call(tool, arguments)
        made = SeatCall(
            n=n,
            tool=tool,
            arguments=dict(arguments),
            at=at,
            until=answer.time or at,
            failed=answer.failed,
            text=answer.text,
            data=answer.data,
            notices=answer.notices,
            pictures=tuple(_pictures(answer)),
        )
        self._calls.append(made)
        return made

    def leave(self, remark: str) -> None:
        """End the day, or answer what was asked after it. Raises SeatRefused if it is over."""
        if self.status not in (SeatStatus.WORKING, SeatStatus.ASKED):
            raise SeatRefused("The day is over.")
        self._person.leave(remark)

    def _session(self) -> AgentSession:
        session = self._person.session
        assert session is not None, "a seat is told of after its first morning"
        return session

    def state(self) -> SeatState:
        """All that its person knows."""
        session, spec = self._person.session, self._run.spec
        over = self._result is not None
        return SeatState(
            seat=self.key,
            status=self.status,
            person=spec.agent,
            benchmark=self._run.plan.benchmark,
            scenario=spec.scenario.name,
            day=spec.day_name,
            error=self._error,
            prompt=session.prompt if session else "",
            employee=self._employee,
            now=session.now if session else None,
            day_starts=session.day.starts if session else None,
            day_ends=session.day.ends if session else None,
            steps=session.counts.steps if session else 0,
            steps_limit=spec.limits.steps,
            tools=tuple(_tools(session)) if session else (),
            calls=tuple(self._calls),
            episode=self._episode if over else "",
            score=self._result.score if self._result else None,
        )

    async def _work(self) -> None:
        try:
            result = await self._run.work()
            if result.error:
                self._error = result.error
                return
            folder = self._run.folder
            await publish_report(folder, self._run.plan, [result])
            episodes = self._shown.show(folder.path).episodes()
            own = (one.key for one in episodes if one.name == self._run.spec.id)
            self._episode = next(own, "")
            self._result = result
        except Exception as error:  # noqa: BLE001 - shown to the person, whose day it was
            self._error = f"{type(error).__name__}: {error}"

    async def close(self) -> None:
        """Grade a day that is over; leave another one without a result."""
        if self.status is SeatStatus.ASKED:
            self._person.leave()
        if self.status is SeatStatus.GRADING:
            await asyncio.wait({self._working}, timeout=_CLOSING_SECONDS)
        self._working.cancel()
        with suppress(asyncio.CancelledError):
            await self._working


class Seats:
    """The seats of the studio that shows *shown*: people may take the days of the shipped
    benchmarks and of the files *configs*."""

    def __init__(self, shown: ShownRuns, configs: Sequence[Path] = ()):
        self._shown = shown
        self._configs = tuple(configs)
        self._seats: dict[str, Seat] = {}

    @cached_property
    def benchmarks(self) -> tuple[LoadedBenchmark, ...]:
        """The benchmarks whose days may be taken, the given ones first. Raises PlanError."""
        shipped = [Path(name) for name in dict.fromkeys((QUICKSTART, *shipped_benchmark_names()))]
        found: dict[str, LoadedBenchmark] = {}
        for path in (*self._configs, *shipped):
            loaded = load_benchmark(path, None)
            found.setdefault(loaded.name, loaded)
        return tuple(found.values())

    def all(self) -> tuple[Seat, ...]:
        """All seats so far, the latest first."""
        return tuple(reversed(self._seats.values()))

    def seat(self, key: str) -> Seat:
        """The seat of this number. Raises NoSuchSeat."""
        if key not in self._seats:
            raise NoSuchSeat("There is no such seat here; it ended when the studio was closed.")
        return self._seats[key]

    async def take(self, benchmark: str, scenario: str, day: int, who: str, *, seen: bool) -> Seat:
        """A new seat for the person *who* on a day. Raises NoSuchSeat for a benchmark that is not
        there, SeatRefused for a day that cannot be worked, and for one that this studio has shown
        unless *seen* says that the result may be marked so."""
        loaded = next((one for one in self.benchmarks if one.name == benchmark), None)
        if loaded is None:
            raise NoSuchSeat(f"There is no benchmark {benchmark!r} here.")
        try:
            known = self._shown.has_shown(find_day(loaded, scenario, day), day)
            if known and not seen:
                raise SeatRefused(
                    "This studio has shown this day, so you may know it. Take another one, or "
                    "have your result marked as seen."
                )
            run = create_person_run(loaded, scenario, day, self._shown.home, who, seen=known)
        except (PlanError, CompositionError) as error:
            raise SeatRefused(str(error)) from None
        self._shown.note_shown(run.spec)
        seat = self._seats[str(len(self._seats) + 1)] = Seat(
            str(len(self._seats) + 1), run, self._shown
        )
        await seat.begun()
        return seat

    async def close(self) -> None:
        """End all seats."""
        for seat in self._seats.values():
            await seat.close()


def _tools(session: AgentSession) -> list[SeatTool]:
    declared = {tool.name: tool for box in discover_toolboxes().values() for tool in box}
    return [
        SeatTool(
            name=tool.name,
            minutes=tool.minutes,
            destructive=declared[tool.name].destructive,
            read_only=declared[tool.name].read_only,
            description=tool.description,
            input_schema=tool.input_schema,
        )
        for tool in session.tools
    ]


def _pictures(answer: ToolResult) -> list[str]:
    return [
        f"data:{picture.mime_type};base64,{base64.b64encode(picture.data).decode()}"
        for picture in answer.pictures
    ]
