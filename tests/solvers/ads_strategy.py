"""Solver of the family ads_strategy: chooses the channels of an advertising campaign."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from fractions import Fraction

from tests.solvers.office import Colour, Office, Person, Pixels, Session, find, target_file

FILLS: tuple[Colour, ...] = (
    (247, 251, 255),
    (214, 230, 244),
    (171, 208, 230),
    (106, 174, 214),
    (55, 135, 192),
    (16, 91, 164),
)
"""The colours of cells with densities 0 to 5, as seen beside the numbers."""
BLACK: Colour = (0, 0, 0)
SHORTEST_FRAME, SHORTEST_SIDE = 30, 10
"""Minimum lengths in pixels of the frame's upper side and of a cell's side."""
MARGIN = 5
"""Pixels from the frame to a place that shows a cell's fill but not yet its number."""
FIT = re.compile(r"\b([a-z]+(?:_[a-z]+)?) (\d+\.\d+)\b")
MAX_QUESTIONS = 4


@dataclass(frozen=True)
class Channel:
    """A channel that can be booked."""

    id: str
    cost: int
    exposure: Fraction


def cell_starts(line: list[Colour]) -> list[int]:
    """Return the first pixel of each cell on a line through the cells' margins."""
    starts = []
    begin = 0
    for place in range(1, len(line) + 1):
        if place == len(line) or line[place] != line[begin]:
            if line[begin] in FILLS and place - begin >= SHORTEST_SIDE:
                starts.append(begin)
            begin = place
    return starts


def read_map(pixels: Pixels) -> dict[tuple[int, int], int]:
    """Return the density of each cell by column and row; rows count from the bottom."""
    frame = [BLACK] * SHORTEST_FRAME
    left, top = next(
        (x, y)
        for y, row in enumerate(pixels)
        for x, colour in enumerate(row)
        if colour == BLACK and row[x : x + SHORTEST_FRAME] == frame
    )
    across = cell_starts(pixels[top + MARGIN])
    down = cell_starts([row[left + MARGIN] for row in pixels])
    return {
        (i, len(down) - 1 - j): FILLS.index(pixels[y][x])
        for i, x in enumerate(across)
        for j, y in enumerate(down)
    }


async def ask_for_fit(office: Office, city: str) -> dict[str, Fraction]:
    """Ask in Marketing who has set the audience fit, then ask that person for it."""
    people = await office.people("Marketing")
    asked: Person = next(person for person in people if not person.away)
    question = f"Who has set the audience fit of the channel types for the campaign in {city}?"
    for _ in range(MAX_QUESTIONS):
        answer = await office.ask(asked.id, question)
        fit = {kind: Fraction(value) for kind, value in FIT.findall(answer)}
        if fit:
            return fit
        named = (person for person in people if person.name in answer and person != asked)
        asked = next(named, asked)
        question = f"What is the audience fit of the channel types for the campaign in {city}?"
    raise ValueError(f"nobody tells the audience fit in {city}")


async def read_channels(office: Office, objective: str) -> list[Channel]:
    """Return the channels with their exposure."""
    city, group = find(r"campaign in (.+?)\. It targets (.+?), and", objective).groups()
    maps = dict(re.findall(r"^- (.+): (drive:/\S+\.png)$", objective, re.MULTILINE))
    listed = await office.read(find(r"channels in (drive:/\S+\.csv)", objective)[1])
    density = read_map(await office.look(maps[group]))
    fit = await ask_for_fit(office, city)
    channels = []
    for row in csv.DictReader(io.StringIO(listed)):
        share = Fraction(5 + density[int(row["grid_i"]), int(row["grid_j"])], 10)
        exposure = round(int(row["base_effect"]) * share * fit[row["type"]], 2)
        channels.append(Channel(row["id"], int(row["cost"]), exposure))
    return channels


def best_plan(channels: list[Channel], budget: int) -> list[Channel]:
    """Return the channels with the highest total exposure within the budget."""
    plans: dict[int, tuple[Fraction, tuple[int, ...]]] = {0: (Fraction(0), ())}
    for number, channel in enumerate(channels):
        for cost, (exposure, chosen) in list(plans.items()):
            total, reached = cost + channel.cost, exposure + channel.exposure
            if total <= budget and (total not in plans or reached > plans[total][0]):
                plans[total] = (reached, (*chosen, number))
    return [channels[number] for number in max(plans.values())[1]]


async def solve(session: Session) -> None:
    """Plan the campaign of every task."""
    office = Office(session)
    for task in await office.tasks():
        budget = int(find(r"its budget is (\d+)\.", task.objective)[1])
        plan = best_plan(await read_channels(office, task.objective), budget)
        report = {
            "selected_channels": [channel.id for channel in plan],
            "total_cost": sum(channel.cost for channel in plan),
            "total_exposure": float(sum(channel.exposure for channel in plan)),
        }
        await office.hand_in(task, target_file(task.objective), json.dumps(report))
    await office.finish_day()
