"""The calls that every door plays, and their result at the seat."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import anyio

from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec

__all__ = ["ChangedCalls", "ParityScript", "SeatResult", "parity_scripts"]

_DAY = "first_day"
_MALFORMED = (
    ToolCall("desk_teleport", {"to": "drive:/"}),
    ToolCall("mail_read", {}),
    ToolCall("desk_tasks", {"urgent": True}),
    ToolCall("desk_wait", {"minutes": "a while"}),
    ToolCall("mail_read", {"mail": None}),
    ToolCall("files_read", {"path": "drive:/nowhere.md"}),
)
"""An unknown tool; an argument that is missing, surplus, of a wrong type, and null; and a missing
file, which is the only one of these calls that fits the tool's schema."""
_FITTING = frozenset({len(_MALFORMED) - 1})
_OF_A_PICTURE = Scenario(
    name="picture",
    seed=1,
    days=(DaySpec(name="day_1", tasks=(TaskSpec(rule="event_planning.A1"),)),),
)
_LOOKING = (
    ToolCall("files_view_image", {"path": "drive:/event_planning/road_map.png"}),
    ToolCall("desk_now"),
)


class ChangedCalls(Exception):
    """Raised if the office got calls that are not in the script; says which."""


@dataclass(frozen=True)
class SeatResult:
    """The result of some calls at the seat: the world's digest, the day's score, the texts of the
    answers by the calls' places in the script, and the number of pictures."""

    digest: str
    score: float | None
    texts: Mapping[int, str]
    pictures: int


@dataclass(frozen=True)
class ParityScript:
    """Calls to make on day *number* (from 0) of *scenario*, in this order, each in a separate turn.

    ``malformed`` are the places (from 0) of the calls that do not fit a tool's schema. A door may
    refuse these itself; all others must reach the office unchanged.
    """

    name: str
    scenario: Scenario
    number: int
    calls: tuple[ToolCall, ...]
    malformed: frozenset[int] = frozenset()

    def at_the_seat(self, without: Collection[int] = ()) -> SeatResult:
        """Return the result of making the calls with `Day.step`, except those at the places
        *without*."""
        day = Day(self.scenario, self.number)
        day.reset()
        try:
            made = {at: call for at, call in enumerate(self.calls) if at not in without}
            answers = day.step([*made.values()]).answers
            texts = {at: answer.text for at, answer in zip(made, answers, strict=True)}
            pictures = sum(len(answer.pictures) for answer in answers)
            return SeatResult(day.digest(), day.grade().score, texts, pictures)
        finally:
            day.close()

    def refused(self, arrived: Sequence[ToolCall]) -> tuple[int, ...]:
        """Return the places of the calls that are missing from *arrived*, the calls that the office
        got.

        Raises ChangedCalls if *arrived* has a call that is not in the script at its place.
        """
        missing: list[int] = []
        place = 0
        for number, call in enumerate(arrived, start=1):
            while place < len(self.calls) and not _same(self.calls[place], call):
                missing.append(place)
                place += 1
            if place == len(self.calls):
                raise ChangedCalls(
                    f"call {number} that reached the office is not in the script {self.name} at "
                    f"its place: {call.name} {str(dict(call.arguments))[:200]}"
                )
            place += 1
        return (*missing, *range(place, len(self.calls)))


@cache
def parity_scripts() -> tuple[ParityScript, ...]:
    """Return the scripts that every door plays.

    ``valid`` is a day as the oracle works it. ``malformed`` begins with faulty calls of a weak
    model, followed by the first half of the valid ones. ``picture`` views a picture.
    """
    scenario = find_scenario(_DAY)
    log = anyio.run(run_in_process, "oracle", composed(scenario)).log
    calls = tuple(ToolCall(entry.tool, entry.arguments) for entry in log if entry.actor)
    malformed = frozenset(range(len(_MALFORMED))) - _FITTING
    half = calls[: len(calls) // 2]
    return (
        ParityScript("valid", scenario, 0, calls),
        ParityScript("malformed", scenario, 0, (*_MALFORMED, *half), malformed),
        ParityScript("picture", _OF_A_PICTURE, 0, _LOOKING),
    )


def _same(expected: ToolCall, arrived: ToolCall) -> bool:
    return expected.name == arrived.name and dict(expected.arguments) == dict(arrived.arguments)
