"""The clients of `benchmarks/load.py`: many sessions on one event loop, in a process of their own.

It reads a `ClientPlan` as JSON from stdin and writes lines of JSON to stdout: `{"phase": …}` at the
beginning of a phase, and a `ClientResult` at the end.
"""

from __future__ import annotations

import asyncio
import gc
import math
import random
import sys
import time
from array import array
from collections.abc import Coroutine, Iterable

from pydantic import BaseModel

from benchmarks.load_days import SPLIT, ScriptedDay
from benchmarks.load_session import ClientSession, ConnectionLost, ServerSaid
from benchmarks.load_table import ClientResult

CONNECT_SECONDS = 60.0
_COME_BACK_TRIES = 5
_TICK_SECONDS = 0.05
_MOST_SAID = 5
_LOST = (ConnectionLost, ServerSaid)


class ClientPlan(BaseModel):
    """The work of the clients. Times are in seconds."""

    url: str
    sessions: int
    thinking: float
    """How long a session waits between an answer and its next step."""
    seconds: float
    """How long the sessions work."""
    steps: int
    """The most steps of one session."""
    at_once: int
    """How many sessions connect or are checked at the same time."""
    days: list[ScriptedDay]


def percentile(ordered: list[float], share: float) -> float:
    """Return the smallest value that at least *share* of *ordered* do not exceed; 0.0 if empty."""
    return ordered[math.ceil(share * len(ordered)) - 1] if ordered else 0.0


class _Session:
    """A client that works one day after the other."""

    def __init__(self, number: int, clients: _Clients):
        self._clients, self._plan = clients, clients.plan
        self._day = number % len(self._plan.days)
        self._link: ClientSession | None = None
        self._token = ""
        self._count = 0
        """Steps of this day that were answered."""

    @property
    def _script(self) -> ScriptedDay:
        return self._plan.days[self._day]

    async def begin(self) -> None:
        try:
            self._link = await ClientSession.connect(self._plan.url, CONNECT_SECONDS)
            await self._reset()
            self._clients.result.begun += 1
        except _LOST as error:
            self._clients.breaks(error)
            self._link = None

    async def work(self, ends: float) -> None:
        """Step until the time *ends* or the steps are used up."""
        thinking, made = self._plan.thinking, 0
        if thinking:
            await asyncio.sleep(random.random() * thinking)
        try:
            while self._link and made < self._plan.steps and time.perf_counter() < ends:
                if self._count == len(self._script.messages):
                    await self._next_day(self._link)
                began = time.perf_counter()
                await self._link.step(self._script.messages[self._count])
                self._count, made = self._count + 1, made + 1
                self._clients.answered(began, time.perf_counter())
                if thinking:
                    await asyncio.sleep(min(thinking, max(ends - time.perf_counter(), 0)))
        except _LOST as error:
            self._clients.breaks(error)
            self._link = None

    async def check(self) -> None:
        """Compare what the server has of the day with what was answered; come back if need be."""
        if not self._token:
            return
        for attempt in range(_COME_BACK_TRIES):
            try:
                if self._link is None:
                    self._link = await ClientSession.connect(self._plan.url, CONNECT_SECONDS)
                    await self._link.resume(self._token)
                await self._compare(self._link)
                await self._link.close()
            except _LOST as error:
                self._link, said = None, error
                await asyncio.sleep(attempt + 0.5)
            else:
                return
        self._clients.result.unchecked += 1
        self._clients.says(f"not checked: {said}")

    async def _reset(self) -> None:
        assert self._link is not None
        self._token = await self._link.begin(SPLIT, self._script.index)
        self._count = 0

    async def _next_day(self, link: ClientSession) -> None:
        await self._compare(link)
        self._day = (self._day + 1) % len(self._plan.days)
        await self._reset()

    async def _compare(self, link: ClientSession) -> None:
        state = await link.state()
        found = self._script.compare(self._count, state.steps, state.digest)
        self._clients.result.lost += found.lost
        if not found.equal:
            self._clients.result.differing += 1
            self._clients.says(f"day {self._script.index} differs after {state.steps} steps")


class _Clients:
    def __init__(self, plan: ClientPlan):
        self.plan, self.result = plan, ClientResult()
        self._latencies, self._late = array("d"), array("d")
        self._ends = math.inf
        self._gate = asyncio.Semaphore(plan.at_once)

    def answered(self, began: float, ended: float) -> None:
        """Note a step."""
        self._latencies.append(ended - began)
        self.result.answered += 1
        self.result.steps += ended <= self._ends

    def breaks(self, error: Exception) -> None:
        """Note a session that broke."""
        self.result.broken += 1
        self.says(str(error))

    def says(self, text: str) -> None:
        """Keep the first texts, each once."""
        if text not in self.result.said and len(self.result.said) < _MOST_SAID:
            self.result.said.append(text)

    async def run(self) -> ClientResult:
        sessions = [_Session(number, self) for number in range(self.plan.sessions)]
        _tell("begin")
        began = time.perf_counter()
        await self._gated(session.begin() for session in sessions)
        self.result.begin_seconds = time.perf_counter() - began
        gc.freeze()
        _tell("work")
        cpu, began = time.process_time(), time.perf_counter()
        self._ends = began + self.plan.seconds
        ticking = asyncio.create_task(self._tick(self._ends))
        working = asyncio.gather(*(session.work(self._ends) for session in sessions))
        await asyncio.wait({working}, timeout=self.plan.seconds)
        self.result.window = min(time.perf_counter(), self._ends) - began
        self.result.cpu = time.process_time() - cpu
        _tell("finish")
        ticking.cancel()
        await working
        _tell("check")
        await self._gated(session.check() for session in sessions)
        ordered, late = sorted(self._latencies), sorted(self._late)
        self.result.median, self.result.p99 = percentile(ordered, 0.5), percentile(ordered, 0.99)
        self.result.longest, self.result.lag = percentile(ordered, 1), percentile(late, 0.99)
        return self.result

    async def _gated(self, works: Iterable[Coroutine[None, None, None]]) -> None:
        async def alone(work: Coroutine[None, None, None]) -> None:
            async with self._gate:
                await work

        await asyncio.gather(*(alone(work) for work in works))

    async def _tick(self, ends: float) -> None:
        while (began := time.perf_counter()) < ends:
            await asyncio.sleep(_TICK_SECONDS)
            self._late.append(max(0.0, time.perf_counter() - began - _TICK_SECONDS))


def _tell(phase: str) -> None:
    print(f'{{"phase": "{phase}"}}', flush=True)


def main() -> None:
    """Read the plan, run the clients, print the result."""
    plan = ClientPlan.model_validate_json(sys.stdin.read())
    random.seed(0)
    print(asyncio.run(_Clients(plan).run()).model_dump_json(), flush=True)


if __name__ == "__main__":
    main()
