"""Solver of the family event_planning: plans a department's day out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

from tests.solvers.office import Office, Pixels, Session, asked_fields, find, target_file

MAP = "drive:/event_planning/road_map.png"
LIST = "drive:/event_planning/locations_restaurants_info.txt"
HEADING_HEIGHT = 60
GRID = (5, 7)
SHAPES = """
    18981450549303993039930394505418981 28871740569203992039920396506528871
    24899975990029900299002990029900299 24899664990029900299002990029900299
    07992470492004900292029200720079444 26873660491104800083008400740089886
    18993480390005700493200397503928982 26884450390036800483200396304828872
    00284018940468428284784870008400084 00292008920569218092886952229300092
    77442940009444097274000499207749972 48884660006886264047200398304828871
    18993450229988295057930397505728981 16873443468868294049920396504828871
    44489000830038100640028101840038200 68888000740028100740028000730017000
    18993480393825728893930379303739982 28873670494736838483830398304938873
    28981730549303975269144677305439951 28871830489203988089148587306438861
"""
GLYPHS = {cells: str(i // 2) for i, cells in enumerate(SHAPES.split())}
"""The digit that a glyph shows, by how full the cells of a grid on it are; each digit twice, as it
stands in a circle and beside a road."""
Component = list[tuple[int, int]]
Stops = tuple[int, int, int]
"""The numbers of the morning's place, of the restaurant and of the afternoon's place."""
Figures = dict[str, Fraction]


@dataclass(frozen=True)
class Entry:
    """A place or restaurant; ``prices`` are by the first day of the month they hold from."""

    name: str
    interest: Fraction
    prices: dict[int, Fraction]
    is_restaurant: bool

    def price(self, day: int) -> Fraction:
        """What it costs on a day of the month."""
        return self.prices[max(first for first in self.prices if first <= day)]


def components(points: Iterable[tuple[int, int]]) -> list[Component]:
    """Group points that touch one another."""
    left = set(points)
    found: list[Component] = []
    while left:
        todo = [left.pop()]
        group: Component = []
        while todo:
            x, y = todo.pop()
            group.append((x, y))
            for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if near in left:
                    left.remove(near)
                    todo.append(near)
        found.append(group)
    return found


def box(group: Component) -> tuple[int, int, int, int]:
    """The smallest and largest coordinates."""
    xs, ys = [x for x, _ in group], [y for _, y in group]
    return min(xs), min(ys), max(xs), max(ys)


def shape(group: Component) -> str:
    """Describe a glyph by how full the cells of a grid are, as digits."""
    left, top, right, bottom = box(group)
    width, height = right - left + 1, bottom - top + 1
    points = set(group)
    columns, lines = GRID
    subs = [(i + 0.5) / 6 for i in range(6)]
    text = ""
    for line, column in product(range(lines), range(columns)):
        xs = [left + int((column + sub) / columns * width) for sub in subs]
        ys = [top + int((line + sub) / lines * height) for sub in subs]
        text += str(round(9 * sum(point in points for point in product(xs, ys)) / 36))
    return text


def read_glyph(group: Component) -> str:
    """The digit or point that a glyph shows."""
    _, top, _, bottom = box(group)
    if bottom - top < 7:
        return "."
    seen = [int(cell) for cell in shape(group)]
    gaps = {
        sum((a - int(b)) ** 2 for a, b in zip(seen, cells, strict=True)): digit
        for cells, digit in GLYPHS.items()
    }
    return gaps[min(gaps)]


def read_number(groups: list[Component]) -> str:
    """Read glyphs from left to right."""
    return "".join(read_glyph(group) for group in sorted(groups, key=lambda g: box(g)[0]))


def find_circles(pixels: Pixels) -> list[tuple[float, float, list[Component]]]:
    """Find the filled circles: centre and the glyphs in it."""
    filled = [
        (x, y)
        for y in range(HEADING_HEIGHT, len(pixels))
        for x, (r, g, b) in enumerate(pixels[y])
        if max(r, g, b) - min(r, g, b) > 25 and (g - r > 50 or r - b > 60 or b - r > 30 > g - 40)
    ]
    circles = []
    for group in components(filled):
        left, top, right, bottom = box(group)
        if right - left < 25 or bottom - top < 25:
            continue
        x, y = (left + right) / 2, (top + bottom) / 2
        inside = product(range(left + 3, right - 2), range(top + 6, bottom - 5))
        near = [(i, j) for i, j in inside if (i - x) ** 2 + (j - y) ** 2 < 16**2]
        white = [(i, j) for i, j in near if min(pixels[j][i]) > 165]
        glyphs = [part for part in components(white) if len(part) > 5]
        circles.append((x, y, glyphs))
    return circles


def find_labels(pixels: Pixels) -> list[tuple[float, float, list[Component]]]:
    """Find the dark numbers outside the circles: centre and glyphs."""
    dark = [
        (x, y)
        for y in range(HEADING_HEIGHT, len(pixels))
        for x, (r, g, b) in enumerate(pixels[y])
        if max(r, g, b) < 120 and max(r, g, b) - min(r, g, b) < 20
    ]
    parts = [part for part in components(dark) if len(part) > 3]
    labels: list[list[Component]] = []
    for part in sorted(parts, key=lambda item: box(item)[0]):
        left, _, _, bottom = box(part)
        for label in labels:
            _, _, right, end = box(label[-1])
            if -2 <= left - right <= 8 and abs(end - bottom) <= 3:
                label.append(part)
                break
        else:
            labels.append([part])
    boxes = [box([point for part in label for point in part]) for label in labels]
    middles = [((b[0] + b[2]) / 2, (b[1] + b[3]) / 2) for b in boxes]
    return [(x, y, label) for (x, y), label in zip(middles, labels, strict=True)]


def read_map(pixels: Pixels) -> dict[int, dict[int, Fraction]]:
    """Read the roads: for each point its neighbours and the lengths."""
    circles = {int(read_number(glyphs)): complex(x, y) for x, y, glyphs in find_circles(pixels)}
    roads: dict[int, dict[int, Fraction]] = {number: {} for number in circles}

    def is_road(a: complex, b: complex) -> bool:
        spots = [a + (b - a) * step / 100 for step in range(101)]
        free = [p for p in spots if min(abs(p - a), abs(p - b)) > 24 and abs(p - (a + b) / 2) > 35]
        return all(min(pixels[round(p.imag)][round(p.real)]) <= 215 for p in free)

    for x, y, glyphs in find_labels(pixels):
        gaps = {
            (one, other): abs((circles[one] + circles[other]) / 2 - complex(x, y))
            for one, other in combinations(circles, 2)
        }
        near = sorted((pair for pair in gaps if gaps[pair] < 12), key=gaps.__getitem__)
        one, other = next((a, b) for a, b in near if is_road(circles[a], circles[b]))
        roads[one][other] = roads[other][one] = Fraction(read_number(glyphs))
    return roads


def distances(roads: dict[int, dict[int, Fraction]]) -> dict[tuple[int, int], Fraction]:
    """The length of the only route between any two points."""
    lengths: dict[tuple[int, int], Fraction] = {}
    for start in roads:
        todo = [(start, Fraction(0))]
        while todo:
            point, length = todo.pop()
            lengths[start, point] = length
            ways = roads[point].items()
            todo += [(to, length + more) for to, more in ways if (start, to) not in lengths]
    return lengths


def read_list(text: str) -> dict[int, Entry]:
    """The places and restaurants by number."""
    entries = {}
    restaurants = text.index("\nRESTAURANTS")
    pattern = r"^(\d+)\. (.+)\n +Interest score: ([\d.]+)\n +(?:Ticket|Meal): (.+)$"
    for match in re.finditer(pattern, text, re.MULTILINE):
        amounts = re.findall(r"EUR ([\d.]+)(?: \(days (\d+))?", match[4])
        prices = {int(day or 1): Fraction(amount) for amount, day in amounts} or {1: Fraction(0)}
        entries[int(match[1])] = Entry(
            match[2].strip(), Fraction(match[3]), prices, match.start() > restaurants
        )
    return entries


def figures_of_plans(
    entries: dict[int, Entry], lengths: dict[tuple[int, int], Fraction], day: int
) -> dict[Stops, Figures]:
    """The figures of all plans for a day."""
    places = [number for number, entry in entries.items() if not entry.is_restaurant]
    lunches = [number for number, entry in entries.items() if entry.is_restaurant]
    plans: dict[Stops, Figures] = {}
    for (one, other), lunch in product(permutations(places, 2), lunches):
        stops = (one, lunch, other)
        legs = zip((0, *stops), (*stops, 0), strict=True)
        plans[stops] = {
            "interest_score": sum((entries[n].interest for n in stops), Fraction(0)),
            "cost_per_person": sum((entries[n].price(day) for n in stops), Fraction(0)),
            "total_travel_distance": sum((lengths[leg] for leg in legs), Fraction(0)),
        }
    ranges = {}
    for name in ("interest_score", "cost_per_person", "total_travel_distance"):
        values = [plan[name] for plan in plans.values()]
        ranges[name] = min(values), max(values)
    for plan in plans.values():
        parts = {
            name: (plan[name] - low) / (high - low) if high > low else Fraction(1, 2)
            for name, (low, high) in ranges.items()
        }
        plan["overall_score"] = (
            Fraction(2, 5) * parts["interest_score"]
            + Fraction(2, 5) * (1 - parts["cost_per_person"])
            + Fraction(1, 5) * (1 - parts["total_travel_distance"])
        )
    return plans


def read_days(text: str) -> set[int]:
    """Days as in: November 1, 5-7 and 9."""
    listed = re.search(r"November ((?:\d+(?:-\d+)?|, | and )+)", text)
    days: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", listed[1] if listed else ""):
        days |= set(range(int(first), int(last or first) + 1))
    return days


def choose_plan(objective: str, entries: dict[int, Entry], plans: dict[Stops, Figures]) -> Stops:
    """The plan that the objective wants."""
    number = {entry.name: key for key, entry in entries.items()}
    if fixed := re.search(r"Morning: (.+?)\. Lunch: (.+?)\. Afternoon: (.+?)\. ", objective):
        return number[fixed[1]], number[fixed[2]], number[fixed[3]]
    best = re.search(r"the plan with the (lowest|highest|shortest) `?(\w+)", objective)
    if best is None:
        return next(iter(plans))
    pick = max if best[1] == "highest" else min
    return pick(plans, key=lambda stops: plans[stops][best[2]])


async def ask_members(office: Office, department: str) -> tuple[list[int], int]:
    """Ask all members for their dates and lunch; common days, and how many are vegetarians."""
    event = f"the team event of {department}"
    question = f"On which dates in November are you free for {event}, and which lunch do you take?"
    questions = [(person.id, question) for person in await office.people(department)]
    answers = await office.ask_all(questions, lambda text: bool(read_days(text)))
    days = set.intersection(*(read_days(answer) for answer in answers))
    return sorted(days), sum("vegetarian" in answer for answer in answers)


async def solve(session: Session) -> None:
    """Plan the team event of every task."""
    office = Office(session)
    for task in await office.tasks():
        department = find(r"team event of (\S+) in", task.objective)[1]
        lengths = distances(read_map(await office.look(MAP)))
        entries = read_list(await office.read(LIST))
        days, vegetarian = await ask_members(office, department)
        plans = figures_of_plans(entries, lengths, days[0])
        stops = choose_plan(task.objective, entries, plans)
        names = [entries[number].name for number in stops]
        known: dict[str, Any] = {
            "event_date": f"2025-11-{days[0]:02d}",
            "possible_dates": [f"2025-11-{day:02d}" for day in days],
            "vegetarian_meals": vegetarian,
            "plan": dict(zip(("morning", "lunch", "afternoon"), names, strict=True)),
        }
        for name, value in plans[stops].items():
            known[name] = round(float(value), 4 if name == "overall_score" else 2)
        report = {name: known[name] for name in asked_fields(task.objective)}
        await office.hand_in(task, target_file(task.objective), json.dumps(report))
    await office.finish_day()
