"""The honest way to an event: ask everybody, read the papers, look at the map, calculate."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

from pydantic import JsonValue

from trainee_bench.meta_tasks.authoring.asking import MAX_WAIT_FOR_ANSWER
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, read_text, wait_for_task
from trainee_bench.meta_tasks.vision.road_map import read_road_map

_DEPARTMENT = re.compile(r"team event of the department (\S+) in")
_OUTPUT = re.compile(r"Hand in (\S+),")
_FIELD = re.compile(r"^- `(\w+)`", re.MULTILINE)
_GIVEN = re.compile(r"Morning: (.+)\. Lunch: (.+)\. Afternoon: (.+)\. Only")
_BACK = re.compile(r"back at the office by (\d\d):(\d\d)")
_DRIVE = re.compile(r"drive:/[\w/]+\.\w+")
_ENTRY = re.compile(r"^(\d+)\. (.+)\n   Interest score: (\S+)\n   (Ticket|Meal): (.+)$", re.M)
_FREE = re.compile(r"November ((?:\d+(?:-\d+)?(?:, | and )?)+)")
_SPEED, _STAYS = 30, 120 + 90 + 120
_FIGURES = ("interest_score", "cost_per_person", "total_travel_distance", "overall_score")
Ways = Mapping[int, Mapping[int, float]]
Figures = Mapping[str, float]
Plan = tuple[int, int, int]


@dataclass(frozen=True)
class _Stop:
    name: str
    place: bool
    interest: float
    prices: tuple[int, ...]


async def plan_event(client: ToolClient) -> None:
    """Hand in the dates and the plan with its figures.

    Raises ToolFailed if a member does not tell when they are free.
    """
    objective = str((await wait_for_task(client))["objective"])
    answers = await _ask_all(client, _one(_DEPARTMENT, objective))
    days, vegetarian = _common(answers)
    guidelines = await read_text(client, _one(_DRIVE, objective))
    info, roads, *_ = _DRIVE.findall(guidelines)
    stops = _stops(await read_text(client, info))
    ways = _ways(await _roads(client, roads))
    figures = _all_figures(stops, ways, third=min(2, (days[0] - 1) // 10))
    plan = _plan(objective, stops, figures)
    sheet = _sheet(days, vegetarian, plan, stops, figures[plan])
    ends = 9 * 60 + _STAYS + sum(math.ceil(leg / _SPEED * 60 - 1e-9) for leg in _legs(plan, ways))
    sheet["end_time"] = f"{ends // 60:02}:{ends % 60:02}"
    back = _BACK.search(objective)
    sheet["can_complete_on_time"] = bool(back and ends <= 60 * int(back[1]) + int(back[2]))
    asked = {name: sheet[name] for name in _FIELD.findall(objective)}
    await client.call(
        "files_write", path=_one(_OUTPUT, objective), text=json.dumps(asked, indent=2)
    )
    await client.call("desk_submit", task=client.task)


# asking ---------------------------------------------------------------------------------


async def _ask_all(client: ToolClient, department: str) -> list[str]:
    """What each member of the department answers. All are asked first, then all is read."""
    asked: dict[int, str] = {}
    for person in await _members(client, department):
        question = f"On which dates in November are you free for the team event of {department}?"
        sent = await client.call("chat_send_message", to=person, text=question)
        asked[sent.data["message"]["id"]] = person
        last = sent.time + MAX_WAIT_FOR_ANSWER
    told: dict[int, str] = {}
    while True:
        told |= await _answers(client, asked)
        missing = [person for number, person in asked.items() if number not in told]
        if not missing:
            return [told[number] for number in asked]
        silent = [asked[number] for number, text in told.items() if not _FREE.search(text)]
        now = (await client.call("desk_now")).time
        if silent or now >= last:
            raise ToolFailed(f"{', '.join(silent or missing)} did not say when they are free")
        await client.wait_at_least(10)


async def _members(client: ToolClient, department: str) -> list[str]:
    found: list[str] = []
    cursor: JsonValue = 0
    while cursor is not None:
        page = await client.call("chat_list_people", department=department, cursor=cursor)
        found += [str(person["id"]) for person in page.data["people"]]
        cursor = page.data["next_cursor"]
    return found


async def _answers(client: ToolClient, asked: Mapping[int, str]) -> dict[int, str]:
    """The answers there are to the messages *asked*, by the number of the message."""
    found: dict[int, str] = {}
    last = min(asked)
    while True:
        page = await client.call("chat_read_history", after=last, limit=100)
        messages = page.data["messages"]
        for message in messages:
            if message["answers"] in asked and not message["automatic"]:
                found[message["answers"]] = str(message["text"])
        if not page.data["later"]:
            return found
        last = messages[-1]["id"]


def _common(answers: Sequence[str]) -> tuple[list[int], int]:
    """The days that all answers name, and how many want the vegetarian menu.

    Raises ToolFailed for an answer without dates.
    """
    common = set(range(1, 31))
    for text in answers:
        found = _FREE.search(text)
        if found is None:
            raise ToolFailed(f"no dates in: {text}")
        free: set[int] = set()
        for part in re.findall(r"\d+(?:-\d+)?", found[1]):
            first, _, last = part.partition("-")
            free |= set(range(int(first), int(last or first) + 1))
        common &= free
    return sorted(common), sum("vegetarian" in text for text in answers)


# reading --------------------------------------------------------------------------------


def _one(pattern: re.Pattern[str], text: str) -> str:
    """The first thing that matches; AssertionError if nothing does."""
    found = pattern.search(text)
    assert found, f"nothing like {pattern.pattern!r} in: {text}"
    return found[found.re.groups]


def _stops(text: str) -> dict[int, _Stop]:
    """The entries of the list by number."""
    found = {}
    for number, name, interest, kind, price in _ENTRY.findall(text):
        euros = [int(euros) for euros in re.findall(r"EUR (\d+)", price)] or [0]
        prices = tuple(euros if len(euros) == 3 else euros * 3)
        found[int(number)] = _Stop(name, kind == "Ticket", float(interest), prices)
    return found


async def _roads(client: ToolClient, path: str) -> dict[tuple[int, int], float]:
    """The length of each road, from the picture or the table."""
    if path.endswith(".png"):
        picture = (await client.call("files_view_image", path=path)).picture
        assert picture is not None, "a picture was shown"
        return read_road_map(picture)
    rows = [row.split(",") for row in (await read_text(client, path)).split()[1:]]
    return {(int(a), int(b)): float(length) for a, b, length in rows}


# calculating ----------------------------------------------------------------------------


def _ways(roads: Mapping[tuple[int, int], float]) -> Ways:
    """The shortest way between any two numbers."""
    numbers = sorted({number for pair in roads for number in pair})
    ways = {a: dict.fromkeys(numbers, math.inf) | {a: 0.0} for a in numbers}
    for (a, b), length in roads.items():
        ways[a][b] = ways[b][a] = length
    for via in numbers:
        for a in numbers:
            for b in numbers:
                ways[a][b] = min(ways[a][b], ways[a][via] + ways[via][b])
    return ways


def _legs(plan: Plan, ways: Ways) -> list[float]:
    stations = [0, *plan, 0]
    return [ways[a][b] for a, b in pairwise(stations)]


def _all_figures(stops: Mapping[int, _Stop], ways: Ways, third: int) -> Mapping[Plan, Figures]:
    """The figures of every plan."""
    places = [number for number, stop in stops.items() if stop.place]
    restaurants = [number for number, stop in stops.items() if not stop.place]
    found: dict[Plan, dict[str, float]] = {}
    for morning, afternoon in permutations(places, 2):
        for lunch in restaurants:
            day = [stops[number] for number in (morning, lunch, afternoon)]
            found[morning, lunch, afternoon] = {
                "interest_score": sum(stop.interest for stop in day),
                "cost_per_person": sum(stop.prices[third] for stop in day),
                "total_travel_distance": sum(_legs((morning, lunch, afternoon), ways)),
            }
    ranges = {
        name: (min(f[name] for f in found.values()), max(f[name] for f in found.values()))
        for name in _FIGURES[:3]
    }
    for figures in found.values():
        interest, cost, distance = (
            (figures[name] - low) / (high - low) if high > low else 0.5
            for name, (low, high) in ranges.items()
        )
        figures["overall_score"] = 0.4 * interest + 0.4 * (1 - cost) + 0.2 * (1 - distance)
    return found


def _plan(objective: str, stops: Mapping[int, _Stop], figures: Mapping[Plan, Figures]) -> Plan:
    """The plan that is given, the best one, or one of one's own: the first with the best score."""
    given = _GIVEN.search(objective)
    if given:
        numbers = {stop.name: number for number, stop in stops.items()}
        return numbers[given[1]], numbers[given[2]], numbers[given[3]]
    sought = re.search(r"find the plan with the (highest|lowest|shortest) (\w+)", objective)
    if sought is None:
        return max(figures, key=lambda plan: figures[plan]["overall_score"])
    sign = 1 if sought[1] == "highest" else -1
    return max(figures, key=lambda plan: sign * figures[plan][sought[2]])


def _sheet(
    days: Sequence[int],
    vegetarian: int,
    plan: Plan,
    stops: Mapping[int, _Stop],
    figures: Figures,
) -> dict[str, JsonValue]:
    dates: list[JsonValue] = [f"2025-11-{day:02}" for day in days]
    morning, lunch, afternoon = (stops[number].name for number in plan)
    return {
        "event_date": dates[0],
        "possible_dates": dates,
        "vegetarian_meals": vegetarian,
        "plan": {"morning": morning, "lunch": lunch, "afternoon": afternoon},
        **{name: round(figures[name], 4 if name == "overall_score" else 2) for name in _FIGURES},
    }
