"""A seat: one person works one day, call by call.

A seat shows its person the answers to their calls and nothing else of the day: it never reads the
world for them, and has no score until the day is over. Calls are numbered, so that a request that
the browser repeats is not made twice.
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
"""The seconds for grading finished days when the studio closes."""


class SeatRefused(ValueError):
    """Raised if a seat or a call is refused; the message says why."""


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
            call.n: (call.tool, call.arguments) for call in self._calls
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
        """The benchmark of its day; "fork" if it continues somebody else's day."""
        return self._run.plan.benchmark

    @property
    def _person(self) -> PersonAgent:
        return self._run.person

    @property
    def status(self) -> SeatStatus:
        """The state of its day."""
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
        """Wait until the first morning, or until it is certain that there will be none."""
        morning = asyncio.ensure_future(self._person.begun.wait())
        await asyncio.wait({morning, self._working}, return_when=asyncio.FIRST_COMPLETED)
        morning.cancel()

    async def call(self, n: int, tool: str, arguments: Mapping[str, JsonValue]) -> SeatCall:
        """Make call number *n*; repeat the answer if it was made already. Raises SeatRefused for a
        number that is not the next one, and if no further call can be made."""
        known = self._asked.get(n)
        if known is not None and known != (tool, arguments):
            raise SeatRefused(f"Call {n} was a different one. Reload the page.")
        if known is None:
            if n != len(self._asked) + 1:
                raise SeatRefused(f"The next call is number {len(self._asked) + 1}, not {n}.")
            if len(self._calls) < len(self._asked):
                raise SeatRefused("The previous call has no answer yet. Wait for it.")
            if self.status is not SeatStatus.WORKING:
                raise SeatRefused("The day is over. No further calls can be made.")
            self._asked[n] = tool, arguments
            self._answers[n] = asyncio.create_task(self._call(n, tool, arguments))
        if n not in self._answers:  # made before the person came back
            return self._calls[n - 1]
        try:  # the call continues if the browser disconnects
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
        """End the day, or answer the question that follows it. Raises SeatRefused if it is over."""
        if self.status not in (SeatStatus.WORKING, SeatStatus.ASKED):
            raise SeatRefused("The day is over.")
        self._person.leave(remark)

    def _session(self) -> AgentSession:
        session = self._person.session
        assert session is not None, "a seat is shown after its first morning"
        return session

    def state(self) -> SeatState:
        """Return everything that its person may know."""
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
            own = (episode.key for episode in episodes if episode.name == self._run.spec.id)
            self._episode = next(own, "")
            self._result = result
        except Exception as error:  # noqa: BLE001 - shown to the person who worked the day
            self._error = f"{type(error).__name__}: {error}"

    async def close(self) -> None:
        """Grade the day if it is over; an unfinished one can be resumed later."""
        if self.status is SeatStatus.ASKED:
            self._person.leave()
        if self.status is SeatStatus.GRADING:
            await asyncio.wait({self._working}, timeout=_CLOSING_SECONDS)
        self._working.cancel()
        with suppress(asyncio.CancelledError):
            await self._working
