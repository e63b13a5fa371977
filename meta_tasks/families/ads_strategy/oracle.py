"""The honest way to plan a campaign: read, look at the map, ask, calculate, choose."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from trainee_bench.meta_tasks.authoring.asking import ask
from trainee_bench.meta_tasks.families.ads_strategy.remaining_budget import (
    remaining_whole_units,
    wait_for_amount,
)
from trainee_bench.meta_tasks.tool_client import (
    ToolClient,
    ToolFailed,
    first_match,
    read_text,
    wait_for_task,
)
from trainee_bench.meta_tasks.vision.density_map import read_density_map

_CAMPAIGN = re.compile(
    r"campaign in (\w+)\. It is meant for (.+), and its budget is (\d+)(?: less .+ of "
    r"(workspace:/\S+\.json), your result .+)?\. From the channels in (\S+\.csv)"
)
_HANDBOOK = re.compile(r"(drive:/\S+\.md) says how")
_MAP = re.compile(r"^- (.+): (drive:/\S+)$", re.MULTILINE)
_PLAN = re.compile(r"Hand in (workspace:/\S+\.json)")
_DEPARTMENT = re.compile(r"Somebody in (\w+) has set it")
_FORMULA = "exposure = round(base_effect * (0.5 + 0.5 * density / 5) * fit, 2)"
_SETTER = re.compile(r"(\S+ \S+) in \w+ has set the audience fit")
_FIT = re.compile(r"\b([a-z_]+) (\d\.\d+)\b")
Cells = Mapping[tuple[int, int], int]
Fits = Mapping[str, Fraction]


@dataclass(frozen=True)
class _Offer:
    """A channel, what it costs, and what it reaches in hundredths."""

    id: str
    cost: int
    exposure: int


async def plan_campaign(client: ToolClient) -> None:
    """Hand in the best plan. Raises ToolFailed, with nothing handed in, where nobody tells
    the audience fit."""
    told = str((await wait_for_task(client))["objective"])
    city, group, budget, spent_in, channels = first_match(_CAMPAIGN, told).groups()
    assert _FORMULA in await read_text(client, first_match(_HANDBOOK, told).group(1))
    density = await _density(client, dict(_MAP.findall(told))[group])
    rows = [*csv.DictReader((await read_text(client, channels)).splitlines())]
    fits = await _asked(client, first_match(_DEPARTMENT, told).group(1), city)
    offers = [_offer(row, density, fits) for row in rows]
    spent = await wait_for_amount(client, spent_in) if spent_in else 0
    chosen = _best(offers, remaining_whole_units(int(budget), spent))
    plan = {
        "selected_channels": [offer.id for offer in chosen],
        "total_cost": sum(offer.cost for offer in chosen),
        "total_exposure": sum(offer.exposure for offer in chosen) / 100,
    }
    path = first_match(_PLAN, told).group(1)
    await client.call("files_write", path=path, text=json.dumps(plan, indent=1))
    await client.call("desk_submit", task=client.task)


async def _density(client: ToolClient, path: str) -> Cells:
    """How dense the group is in each cell: seen in a picture, or read in a table."""
    if path.endswith(".csv"):
        table = csv.DictReader((await read_text(client, path)).splitlines())
        return {(int(c["grid_i"]), int(c["grid_j"])): int(c["density"]) for c in table}
    picture = (await client.call("files_view_image", path=path)).picture
    assert picture is not None, f"{path} was not shown"
    levels = read_density_map(picture)
    return {(i, j): level for j, row in enumerate(levels) for i, level in enumerate(row)}


async def _asked(client: ToolClient, department: str, city: str) -> Fits:
    """The fit of each type, from somebody of the department or from whom they name."""
    question = f"What is the audience fit of each channel type for the campaign in {city}?"
    listed = await client.call("chat_list_people", department=department)
    first = str(listed.data["people"][0]["id"])
    fits = _told(await ask(client, first, question), city)
    if not fits:
        who = f"Who has set the audience fit for the campaign in {city}?"
        setter = _SETTER.search(await ask(client, first, who))
        fits = _told(await ask(client, setter.group(1), question), city) if setter else {}
    if not fits:
        raise ToolFailed(f"nobody has told the audience fit for {city}")
    return fits


def _told(answer: str, city: str) -> Fits:
    _, _, values = answer.partition(f"for the campaign in {city}: ")
    return {type: Fraction(fit) for type, fit in _FIT.findall(values)}


def _offer(row: Mapping[str, str], density: Cells, fits: Fits) -> _Offer:
    share = Fraction(1, 2) + Fraction(density[int(row["grid_i"]), int(row["grid_j"])], 10)
    exposure = int(row["base_effect"]) * share * fits[row["type"]]
    return _Offer(row["id"], int(row["cost"]), round(100 * exposure))


def _best(offers: list[_Offer], budget: int) -> list[_Offer]:
    """The best selection: for every sum that can be spent, the most that it can reach."""
    step = math.gcd(*(offer.cost for offer in offers))
    most, bought = [0] * (budget // step + 1), [0] * (budget // step + 1)
    for number, offer in enumerate(offers):
        cost = offer.cost // step
        for spent in range(len(most) - 1, cost - 1, -1):
            if most[spent - cost] + offer.exposure > most[spent]:
                most[spent] = most[spent - cost] + offer.exposure
                bought[spent] = bought[spent - cost] | 1 << number
    return [offer for number, offer in enumerate(offers) if bought[-1] >> number & 1]
