"""Endpoints for a person's page: choose a day, take the seat, call, finish."""

from __future__ import annotations

from datetime import datetime

from anyio.to_thread import run_sync
from pydantic import BaseModel, ConfigDict, Field, JsonValue
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trainee_bench.harness.batch.benchmarks import LoadedBenchmark
from trainee_bench.harness.episodes.turn_journal import read_journal
from trainee_bench.harness.studio.history import EpisodeHistories
from trainee_bench.harness.studio.opened_run import ShownEpisode
from trainee_bench.harness.studio.requests import answering, json_answer, read_body
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.seat import SeatRefused
from trainee_bench.harness.studio.seat_state import SeatCall, SeatState, SeatStatus
from trainee_bench.harness.studio.seats import Seats, others_on_day


class SeatRequest(BaseModel):
    """A request for a seat on day number *day* (from 0)."""

    model_config = ConfigDict(extra="forbid")

    benchmark: str
    scenario: str
    day: int = Field(default=0, ge=0, lt=1_000)
    person: str = ""
    seen: bool = False


class GoOnRequest(BaseModel):
    """A request for a seat in an episode of a run, continuing after *step*."""

    model_config = ConfigDict(extra="forbid")

    episode: str = Field(max_length=20)
    step: int = Field(ge=0)
    person: str = ""


class ResumeRequest(BaseModel):
    """A request to resume the episode that a person left."""

    model_config = ConfigDict(extra="forbid")

    episode: str = Field(max_length=20)


class CallRequest(BaseModel):
    """A request for a call; *n* is its number from 1."""

    model_config = ConfigDict(extra="forbid")

    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    n: int = Field(ge=1)


class DayRemarks(BaseModel):
    """The person's remarks after the day."""

    model_config = ConfigDict(extra="forbid")

    experience: str = Field(default="", max_length=2_000)
    aids: str = Field(default="", max_length=2_000)

    @property
    def text(self) -> str:
        """Both remarks in one text, "" if neither was given."""
        remarks = {"Experience": self.experience.strip(), "Aids": self.aids.strip()}
        return "\n".join(f"{name}: {text}" for name, text in remarks.items() if text)


class SeatDay(BaseModel):
    """A day that may be taken; *seen* if this studio has shown it."""

    number: int
    name: str
    tasks: int
    seen: bool


class ScenarioChoice(BaseModel):
    """A scenario and the days that can be taken; a week counts as one day."""

    name: str
    week: bool
    days: tuple[SeatDay, ...]


class BenchmarkChoice(BaseModel):
    """A benchmark whose days may be taken."""

    name: str
    scenarios: tuple[ScenarioChoice, ...]


class SeatChoices(BaseModel):
    """The days that may be taken."""

    benchmarks: tuple[BenchmarkChoice, ...]


class SeatLine(BaseModel):
    """A seat in the list."""

    seat: str
    status: SeatStatus
    person: str
    scenario: str
    day: str


class LeftLine(BaseModel):
    """A day that a person left, *at* this simulated time."""

    episode: str
    run_name: str
    person: str
    scenario: str
    day: str
    at: datetime | None
    calls: int


class SeatList(BaseModel):
    """The seats of this studio, the latest first, and the days that were left before."""

    seats: tuple[SeatLine, ...]
    left: tuple[LeftLine, ...]


class MadeCall(BaseModel):
    """An answer, and the state of the seat after it, without the earlier answers."""

    call: SeatCall
    state: SeatState


class SeatEndpoints:
    """The endpoints of *seats* in a studio that shows *runs* with their *histories*."""

    def __init__(self, seats: Seats, runs: ShownRuns, histories: EpisodeHistories):
        self._seats = seats
        self._runs = runs
        self._histories = histories

    def routes(self) -> list[Route]:
        """Return their routes."""
        return [
            Route("/api/seats", answering(self._list)),
            Route("/api/seats", answering(self._take), methods=["POST"]),
            Route("/api/seats/choices", answering(self._choices)),
            Route("/api/seats/go-on", answering(self._go_on), methods=["POST"]),
            Route("/api/seats/resume", answering(self._resume), methods=["POST"]),
            Route("/api/seats/{seat}", answering(self._state)),
            Route("/api/seats/{seat}/call", answering(self._call), methods=["POST"]),
            Route("/api/seats/{seat}/others", answering(self._others)),
            Route("/api/seats/{seat}/finish", answering(self._finish), methods=["POST"]),
        ]

    async def _list(self, request: Request) -> Response:
        states = [seat.state() for seat in self._seats.all()]
        lines = [
            SeatLine(
                seat=state.seat,
                status=state.status,
                person=state.person,
                scenario=state.scenario,
                day=state.day,
            )
            for state in states
        ]
        found = list(self._seats.left())
        left = await run_sync(lambda: [*map(_left_line, found)])
        return json_answer(SeatList(seats=tuple(lines), left=tuple(left)))

    async def _choices(self, request: Request) -> Response:
        choices = tuple(map(self._benchmark, self._seats.benchmarks))
        return json_answer(SeatChoices(benchmarks=choices))

    def _benchmark(self, loaded: LoadedBenchmark) -> BenchmarkChoice:
        scenarios = [
            ScenarioChoice(
                name=scenario.name,
                week=scenario.week,
                days=tuple(
                    SeatDay(
                        number=day,
                        name="week" if scenario.week else scenario.days[day].name,
                        tasks=sum(len(scenario.days[n].tasks) for n in scenario.days_in_world(day)),
                        seen=self._runs.days.has_shown(scenario, day),
                    )
                    for day in scenario.world_days
                ),
            )
            for scenario in loaded.scenarios
        ]
        return BenchmarkChoice(name=loaded.name, scenarios=tuple(scenarios))

    async def _take(self, request: Request) -> Response:
        wish = await read_body(request, SeatRequest)
        seat = await self._seats.take(
            wish.benchmark, wish.scenario, wish.day, wish.person, seen=wish.seen
        )
        return json_answer(seat.state())

    async def _go_on(self, request: Request) -> Response:
        wish = await read_body(request, GoOnRequest)
        episode = self._runs.episode(wish.episode)
        history = await self._histories.shown_in(self._runs, episode)
        return json_answer((await self._seats.go_on(history, wish.step, wish.person)).state())

    async def _resume(self, request: Request) -> Response:
        wish = await read_body(request, ResumeRequest)
        return json_answer((await self._seats.resume(wish.episode)).state())

    async def _state(self, request: Request) -> Response:
        return json_answer(self._seats.seat(request.path_params["seat"]).state())

    async def _call(self, request: Request) -> Response:
        seat = self._seats.seat(request.path_params["seat"])
        wish = await read_body(request, CallRequest)
        made = await seat.call(wish.n, wish.tool, wish.arguments)
        left_out = {"calls": (), "earlier": (), "tools": (), "prompt": ""}
        return json_answer(MadeCall(call=made, state=seat.state().model_copy(update=left_out)))

    async def _finish(self, request: Request) -> Response:
        seat = self._seats.seat(request.path_params["seat"])
        remarks = await read_body(request, DayRemarks)
        seat.leave(remarks.text)
        return json_answer(seat.state())

    async def _others(self, request: Request) -> Response:
        seat = self._seats.seat(request.path_params["seat"])
        if seat.status is not SeatStatus.OVER:
            raise SeatRefused("The results of others on this day are shown once your day is over.")
        return json_answer(others_on_day(self._runs, seat.spec, seat.benchmark, seat.world))


def _left_line(episode: ShownEpisode) -> LeftLine:
    assert episode.spec is not None, "an episode that was left has a spec"
    journal = read_journal(episode.turns) if episode.turns is not None else []
    turns = [turn for day in journal for turn in day.turns]
    times = (answer.time for turn in reversed(turns) for answer in turn.answers)
    return LeftLine(
        episode=episode.key,
        run_name=episode.run.name,
        person=episode.spec.agent,
        scenario=episode.spec.scenario.name,
        day=episode.spec.day_name,
        at=next((time for time in times if time is not None), None),
        calls=sum(len(turn.calls) for turn in turns),
    )
