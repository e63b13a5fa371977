"""The texts of a team event, with their parsers.

They are the objective, each member's answer (free dates and lunch), and the files on the drive:
guidelines, list of stops, and table of roads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import time
from typing import Any

from trainee_bench.meta_tasks.authoring import (
    CLOCK,
    FULL_NAME,
    PATH,
    WORD,
    Converter,
    FirstOf,
    HiddenFact,
    Hints,
    Modality,
    TaskContext,
    TextTemplate,
    ValueTemplate,
    english_list,
    one_of,
    optional,
    resource_text,
)
from trainee_bench.meta_tasks.families.event_planning.deliverables import SHEET, EventDeliverable
from trainee_bench.meta_tasks.families.event_planning.subject import (
    MemberAnswer,
    NamedPlan,
    PlanMetric,
    Road,
    Stop,
    Town,
)


@dataclass(frozen=True)
class EventPlanningBrief:
    """The facts that the objective states.

    It states a given *plan*, or the figure in which a plan has to be the *best*, or neither. *back*
    is the time by which the team has to be back, if any. A team has its *members* named, a whole
    department has not.
    """

    department: str
    guidelines: str
    output: str
    sheet: type[EventDeliverable]
    plan: NamedPlan | None = None
    best: PlanMetric | None = None
    back: time | None = None
    members: tuple[str, ...] = ()


_OBJECTIVE = """\
Prepare the team event of {department} in November 2025: one day with a place to visit in the \
morning, lunch in a restaurant, and another place in the afternoon.
Dates and lunch: Ask every member of {department} in the chat, managers included, on which dates \
in November they are free for the team event, and whether they take the standard or the vegetarian \
menu; one message may ask both, and nobody can answer for anybody else. The event can be on any \
date, weekends included, on which all of them are free. List all of these dates, and choose any \
one of them.
Plan: <plan>
{guidelines} explains how the day runs, how to calculate a plan's figures, and where the data are.
{back}Hand in {output}, a JSON object with exactly these fields (lists in any order):
{sheet}"""
_ASK_DEPARTMENT = "every member of {department} in the chat, managers included, on which"
_ASK_TEAM = "each of {members} in the chat on which"
_OWN_PLAN = (
    "Choose any place for the morning, any restaurant, and a different place for the afternoon."
)
_PLANS: tuple[tuple[str, Mapping[str, None]], ...] = (
    (
        _OWN_PLAN,
        {"plan": None, "best": None},
    ),
    ("Find the plan with {best}.", {"plan": None}),
    ("It is already decided. {plan} Calculate only its figures.", {"best": None}),
)
_WORDS: Mapping[str, Converter[Any]] = {
    "department": WORD,
    "guidelines": PATH,
    "output": PATH,
    "sheet": SHEET,
    "plan": TextTemplate(
        NamedPlan, "Morning: {morning}. Lunch: {lunch}. Afternoon: {afternoon}."
    ).converter(),
    "best": one_of(
        {
            PlanMetric.INTEREST: "the highest interest_score",
            PlanMetric.COST: "the lowest cost_per_person",
            PlanMetric.DISTANCE: "the shortest total_travel_distance",
            PlanMetric.OVERALL: "the highest overall_score",
        }
    ),
    "back": optional(
        ValueTemplate("The team has to be back at the office by {value}.\n", CLOCK).converter()
    ),
}
OBJECTIVE_RULES = (
    "event can be on any date, weekends included, on which all of them are free. List all of these",
    "dates, and choose any one of them.",
    "explains how the day runs, how to calculate a plan's figures, and where the data are.",
)
"""Rules that every objective states and honest work follows."""
_BEST_PLANS: Mapping[PlanMetric, str] = {
    PlanMetric.INTEREST: "Find the plan with the highest interest_score.",
    PlanMetric.COST: "Find the plan with the lowest cost_per_person.",
    PlanMetric.DISTANCE: "Find the plan with the shortest total_travel_distance.",
    PlanMetric.OVERALL: "Find the plan with the highest overall_score.",
}


def rules_for(brief: EventPlanningBrief) -> tuple[str, ...]:
    """The rules that the objective states about its plan."""
    if brief.plan:
        return "It is already decided.", "Calculate only its figures."
    if brief.best:
        return (_BEST_PLANS[brief.best],)
    return (_OWN_PLAN,)


_TEAM_WORDS: Mapping[str, Converter[Any]] = {
    **_WORDS,
    "department": Converter(rf"{FULL_NAME.pattern}'s team", str),
    "members": english_list(FULL_NAME),
}
_OBJECTIVES: Sequence[tuple[str, Mapping[str, Converter[Any]], Mapping[str, object]]] = [
    (_OBJECTIVE, _WORDS, {"members": ()}),
    (_OBJECTIVE.replace(_ASK_DEPARTMENT, _ASK_TEAM), _TEAM_WORDS, {}),
]
OBJECTIVE = FirstOf(
    [
        TextTemplate(EventPlanningBrief, text.replace("<plan>", plan), words, {**fixed, **whose})
        for text, words, whose in _OBJECTIVES
        for plan, fixed in _PLANS
    ]
)

# clues --------------------------------------------------------------------------------------

DATES_WORDS = (
    "For the team event I am free on November {days}.",
    "The team event? I am available on November {days}.",
    "I can come to the team event on November {days}.",
    "I can make November {days} for the team event.",
)
LUNCH_WORDS = {
    True: ("For lunch the vegetarian menu, please.", "And I would like the vegetarian menu."),
    False: ("For lunch the standard menu, please.", "And I would like the standard menu."),
}


def _parse_run(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def _render_run(run: range) -> str:
    return str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}"


_RUNS = english_list(Converter(r"\d+(?:-\d+)?", _parse_run, _render_run))


def format_days(days: Sequence[int]) -> str:
    """Write days in ascending order in the form "3, 5-8 and 12"."""
    runs: list[range] = []
    for day in days:
        if runs and day == runs[-1].stop:
            runs[-1] = range(runs[-1].start, day + 1)
        else:
            runs.append(range(day, day + 1))
    return _RUNS.render(tuple(runs))


def _parse_days(text: str) -> tuple[int, ...]:
    return tuple(day for run in _RUNS.parse(text) for day in run)


FREE_DATES = HiddenFact(
    name="dates_{number}",
    questions=(
        "On which dates in November are you free for the team event of {department}?",
        "When are you available for the team event?",
        "Which days in November suit you for the team event, and which lunch would you like?",
        "I am planning the team event of {department}. On which dates can you come?",
        "Which dates in November can you make for the department's outing?",
        "Could you tell me your free days in November for our team event?",
        "For the team event I need the dates on which you are available in November.",
        "What does your calendar look like in November for the team event?",
        "Which lunch menu would you like at the team event?",
        "Would you like the vegetarian menu at the team event?",
        "Which days can you do for the outing of {department}, and do you eat vegetarian?",
        "When in November could you come along on the {department} outing?",
        "On which days could you take part in the trip, and what would you like to eat?",
        "I am organising the day out of {department}. Which dates work for you?",
    ),
    answer=FirstOf(
        [
            TextTemplate(
                MemberAnswer,
                f"{dates} {lunch}",
                {"days": Converter(_RUNS.pattern, _parse_days, format_days)},
                fixed={"vegetarian": vegetarian, "dates_words": dates, "lunch_words": lunch},
            )
            for dates in DATES_WORDS
            for vegetarian, lunches in LUNCH_WORDS.items()
            for lunch in lunches
        ]
    ),
)


# hints --------------------------------------------------------------------------------------


def hints(drawn: bool, *, team: bool) -> Hints:
    """The hints in three tiers; *drawn* is whether the roads are in a picture, not in a table, and
    *team* whether the task names the members."""
    look = "look at the road map with files_view_image" if drawn else "read the table of roads"
    members, listed = "The people directory lists the department's members", "List the members"
    if team:
        members, listed = "The task names the members", "Find the members"
    return Hints(
        strategy="No single colleague knows everyone's dates. Ask everybody first, study the "
        "guidelines while you wait, and then read the answers. The rest is careful arithmetic.",
        where=f"{members}. The guidelines that the task "
        "names say where to find the places, restaurants and roads.",
        how=f"{listed} with chat_list_people, send each of them one message with "
        "chat_send_message, and collect the answers with chat_read_history. Read the guidelines "
        f"and the list with files_read, and {look}. Write down the roads first, then the route of "
        "each leg. Write the JSON with files_write.",
    )


# files on the drive --------------------------------------------------------------------------

FOLDER = "drive:/event_planning"


@dataclass(frozen=True)
class DataFiles:
    """The paths of the data; *drawn* is whether the roads are in a picture, not in a table."""

    info: str
    roads: str
    drawn: bool


GUIDELINES = TextTemplate(
    DataFiles,
    resource_text("trainee_bench.meta_tasks.families.event_planning/guidelines.txt"),
    {
        "info": PATH,
        "roads": PATH,
        "drawn": one_of(
            {
                True: "A picture; look at it. Each line is a road, the number printed on it is its "
                "length in km, and the\nnumbers in the circles are those in the list",
                False: "A table with one row per road: the two numbers that it joins, and its "
                "length in km. The numbers\nare those in the list",
            }
        ),
    },
)
"""The guidelines for planning a day and calculating its figures."""


def reserve_files(context: TaskContext) -> tuple[DataFiles, str]:
    """Reserve the paths of the data, and of the guidelines that name them."""
    drawn = context.modality is Modality.PICTURES
    info = context.reserve_path(f"{FOLDER}/locations_restaurants_info.txt")
    roads = context.reserve_path(f"{FOLDER}/road_map.{'png' if drawn else 'csv'}")
    guidelines = context.reserve_path(f"{FOLDER}/event_planning_guidelines.txt")
    return DataFiles(info, roads, drawn), guidelines


# the list of stops --------------------------------------------------------------------------


def _parse_prices(text: str) -> tuple[int, int, int]:
    prices = [int(price) for price in re.findall(r"EUR (\d+)", text)] or [0]
    early, mid, late = prices if len(prices) == 3 else prices * 3
    return early, mid, late


def _render_ticket(prices: tuple[int, int, int]) -> str:
    early, mid, late = prices
    if early == mid == late:
        return f"EUR {early}" if early else "free"
    return f"EUR {early} (days 1-10), EUR {mid} (days 11-20), EUR {late} (days 21-31)"


_INTEREST = Converter(
    r"\d+\.\d\d",
    lambda text: int(text.replace(".", "")),
    lambda hundredths: f"{hundredths // 100}.{hundredths % 100:02}",
)
_TICKET = Converter(r"(?:free|EUR .+)", _parse_prices, _render_ticket)
_MEAL = Converter(r"EUR \d+", _parse_prices, lambda prices: f"EUR {prices[0]}")
_ENTRY = "{number}. {name}\n   Interest score: {interest}\n   "
PLACE = TextTemplate(Stop, _ENTRY + "Ticket: {prices}", {"interest": _INTEREST, "prices": _TICKET})
RESTAURANT = TextTemplate(Stop, _ENTRY + "Meal: {prices}", {"interest": _INTEREST, "prices": _MEAL})


def stops_text(town: Town) -> str:
    """The numbered entries of all places and restaurants."""
    parts = [
        "Places and restaurants\n\nThe roads use the same numbers. Prices are per person.",
        "PLACES",
        *map(PLACE.render, town.places),
        "RESTAURANTS",
        *map(RESTAURANT.render, town.restaurants),
    ]
    return "\n\n".join(parts) + "\n"


# the roads ----------------------------------------------------------------------------------


def roads_csv(roads: Iterable[Road]) -> str:
    """The roads as CSV."""
    rows = (f"{a},{b},{tenths / 10:.1f}" for a, b, tenths in roads)
    return "\n".join(["from,to,distance_km", *rows]) + "\n"


def parse_roads(text: str) -> tuple[Road, ...]:
    """The roads in a CSV text."""
    rows = (line.split(",") for line in text.split()[1:])
    return tuple(Road(int(a), int(b), round(10 * float(km))) for a, b, km in rows)
