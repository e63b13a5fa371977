"""What a person's page asks for and does: choose a day, take the seat, call, finish."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from trainee_bench.harness.batch.benchmarks import LoadedBenchmark
from trainee_bench.harness.studio.endpoints import Endpoint
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.seats import (
    NoSuchSeat,
    SeatCall,
    SeatRefused,
    Seats,
    SeatState,
    SeatStatus,
)


class SeatWish(BaseModel):
    """A seat that a person wants, on day number *day* (from 0)."""

    model_config = ConfigDict(extra="forbid")

    benchmark: str
    scenario: str
    day: int = Field(default=0, ge=0, lt=1_000)
    person: str = ""
    seen: bool = False


class CallWish(BaseModel):
    """A call that the person wants made; *n* is its number from 1."""

    model_config = ConfigDict(extra="forbid")

    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    n: int = Field(ge=1)


class DayRemarks(BaseModel):
    """What the person says about the day when it is over."""

    model_config = ConfigDict(extra="forbid")

    experience: str = Field(default="", max_length=2_000)
    aids: str = Field(default="", max_length=2_000)

    @property
    def text(self) -> str:
        """Both in one text, "" if neither was given."""
        said = {"Experience": self.experience.strip(), "Aids": self.aids.strip()}
        return "\n".join(f"{name}: {text}" for name, text in said.items() if text)


class SeatDay(BaseModel):
    """A day that may be taken; *seen* if this studio has shown it."""

    number: int
    name: str
    tasks: int
    seen: bool


class ScenarioChoice(BaseModel):
    """A scenario and the days of it that have a morning of their own; a week has one."""

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


class SeatList(BaseModel):
    """The seats of this studio, the latest first."""

    seats: tuple[SeatLine, ...]


class MadeCall(BaseModel):
    """An answer, and the seat after it without its earlier answers."""

    call: SeatCall
    state: SeatState


class SeatEndpoints:
    """The endpoints of *seats* in a studio that shows *runs*."""

    def __init__(self, seats: Seats, runs: ShownRuns):
        self._seats = seats
        self._runs = runs

    def routes(self) -> list[Route]:
        """Where each is."""
        return [
            Route("/api/seats", _answering(self._list)),
            Route("/api/seats", _answering(self._take), methods=["POST"]),
            Route("/api/seats/choices", _answering(self._choices)),
            Route("/api/seats/{seat}", _answering(self._state)),
            Route("/api/seats/{seat}/call", _answering(self._call), methods=["POST"]),
            Route("/api/seats/{seat}/finish", _answering(self._finish), methods=["POST"]),
        ]

    async def _list(self, request: Request) -> Response:
        states = [seat.state() for seat in self._seats.all()]
        lines = [
            SeatLine(
                seat=one.seat,
                status=one.status,
                person=one.person,
                scenario=one.scenario,
                day=one.day,
            )
            for one in states
        ]
        return _json(SeatList(seats=tuple(lines)))

    async def _choices(self, request: Request) -> Response:
        choices = tuple(map(self._benchmark, self._seats.benchmarks))
        return _json(SeatChoices(benchmarks=choices))

    def _benchmark(self, loaded: LoadedBenchmark) -> BenchmarkChoice:
        scenarios = [
            ScenarioChoice(
                name=one.name,
                week=one.week,
                days=tuple(
                    SeatDay(
                        number=day,
                        name="week" if one.week else one.days[day].name,
                        tasks=sum(len(one.days[n].tasks) for n in one.days_in_world(day)),
                        seen=self._runs.has_shown(one, day),
                    )
                    for day in one.world_days
                ),
            )
            for one in loaded.scenarios
        ]
        return BenchmarkChoice(name=loaded.name, scenarios=tuple(scenarios))

    async def _take(self, request: Request) -> Response:
        wish = SeatWish.model_validate_json(await request.body())
        seat = await self._seats.take(
            wish.benchmark, wish.scenario, wish.day, wish.person, seen=wish.seen
        )
        return _json(seat.state())

    async def _state(self, request: Request) -> Response:
        return _json(self._seats.seat(request.path_params["seat"]).state())

    async def _call(self, request: Request) -> Response:
        seat = self._seats.seat(request.path_params["seat"])
        wish = CallWish.model_validate_json(await request.body())
        made = await seat.call(wish.n, wish.tool, wish.arguments)
        told = {"calls": (), "tools": (), "prompt": ""}
        return _json(MadeCall(call=made, state=seat.state().model_copy(update=told)))

    async def _finish(self, request: Request) -> Response:
        seat = self._seats.seat(request.path_params["seat"])
        remarks = DayRemarks.model_validate_json(await request.body())
        seat.leave(remarks.text)
        return _json(seat.state())


def _answering(endpoint: Endpoint) -> Endpoint:
    """*endpoint*, with errors as JSON."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except NoSuchSeat as error:
            return JSONResponse({"error": str(error)}, 404)
        except SeatRefused as error:
            return JSONResponse({"error": str(error)}, 409)
        except ValidationError as error:
            flaw = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, flaw["loc"])) or "the request"
            return JSONResponse({"error": f"{where}: {flaw['msg']}"}, 400)

    return answer


def _json(model: BaseModel) -> Response:
    return Response(model.model_dump_json(), media_type="application/json")
