"""A seat: one person at work in one day, call by call.

A seat tells the answers that its person was given, and nothing else of the day: it never asks the
world by itself, and has no score until the day is over. Each call has a number, so that a request
that the browser repeats is not made twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from pathlib import Path

from pydantic import JsonValue

from trainee_bench.harness.agents.person import PersonAgent, PersonHasLeft
from trainee_bench.harness.analysis.report.publish import publish_report
from trainee_bench.harness.batch.person_run import PersonRun, works_unseen
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.seat_state import (
    SeatCall,
    SeatState,
    SeatStatus,
    seat_call,
    seat_calls,
    seat_tools,
)
from trainee_bench.meta_tasks.kept_days import composed

_CLOSING_SECONDS = 10.0
"""Seconds that days that are over have to be graded when the studio closes."""


class SeatRefused(ValueError):
    """The seat or the call cannot be had; says why."""


class Seat:
    """One person in one day. Make one with `Seats.take`, `go_on` or `resume`."""

    def __init__(self, key: str, run: PersonRun, shown: ShownRuns):
        self.key = key
        self._run = run
        self._shown = shown
        self._employee = composed(run.spec.scenario, run.spec.day).company.trainee.id
        self._earlier = tuple(seat_calls(run.earlier))
        self._calls = seat_calls(run.made)
        self._asked: dict[int, tuple[str, Mapping[str, JsonValue]]] = {
            one.n: (one.tool, one.arguments) for one in self._calls
        }
        self._answers: dict[int, asyncio.Task[SeatCall]] = {}
        self._result: EpisodeResult | None = None
        self._episode = ""
        self._error = ""
        self._working = asyncio.create_task(self._work())

    @property
    def world(self) -> Path:
        """The world that its person works in."""
        return self._run.folder.world(self._run.spec)

    @property
    def spec(self) -> EpisodeSpec:
        """The episode that its person works."""
        return self._run.spec

    @property
    def benchmark(self) -> str:
        """The benchmark that its day is of; "fork" where it goes on with another's day."""
        return self._run.plan.benchmark

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
        if n not in self._answers:  # made before the person came back
            return self._calls[n - 1]
        try:  # a browser that goes away does not take the call with it
            return await asyncio.shield(self._answers[n])
        except PersonHasLeft as error:
            raise SeatRefused(str(error)) from None

    async def _call(self, n: int, tool: str, arguments: Mapping[str, JsonValue]) -> SeatCall:
        session = self._session()
        at = session.now
        answer = await self._person.call(tool, arguments)
        made = seat_call(n, ToolCall(tool, arguments), at, answer)
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
            tools=seat_tools(session) if session else (),
            calls=tuple(self._calls),
            earlier=self._earlier,
            forked_from=spec.forked_from,
            episode=self._episode if over else "",
            score=self._result.score if self._result else None,
            success=self._result.success if self._result else False,
            results=self._result.tasks if self._result else (),
        )

    async def _work(self) -> None:
        spec, days = self._run.spec, self._shown.days
        try:
            with days.closed(spec) if works_unseen(spec) else nullcontext():
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
        """Grade a day that is over; another one may be resumed later."""
        if self.status is SeatStatus.ASKED:
            self._person.leave()
        if self.status is SeatStatus.GRADING:
            await asyncio.wait({self._working}, timeout=_CLOSING_SECONDS)
        self._working.cancel()
        with suppress(asyncio.CancelledError):
            await self._working
