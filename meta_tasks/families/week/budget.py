"""A budget is kept over the week: each day's requests are granted as long as it lasts.

Told once: the budget, in Monday's meeting, and by how much it grows, in Wednesday's. The requests
of a day are in a file that the next day's replace, so what is left has to be carried from one day
to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    CsvFile,
    Deliverable,
    Hints,
    ValueTemplate,
)
from trainee_bench.meta_tasks.authoring.converters import INTEGER
from trainee_bench.meta_tasks.families.week.daily import Notes, Today, WorkOfDay
from trainee_bench.meta_tasks.families.week.days import FRIDAY, MONDAY, WEDNESDAY, WEEKDAYS
from trainee_bench.meta_tasks.families.week.desk import DeskText, MeetingBrief
from trainee_bench.meta_tasks.families.week.marks import each_day, heard_in_meeting, reported
from trainee_bench.meta_tasks.families.week.meeting_duty import Drawn, MeetingDuty, MeetingScene
from trainee_bench.meta_tasks.families.week.telling import Aloud

GRANTED, REFUSED = "granted", "refused"
ITEMS = ("monitor", "standing desk", "office chair", "docking station", "tablet", "projector")
REQUESTS = 5
AMOUNTS, BUDGETS, GROWTHS = range(120, 800), range(1500, 3000), range(900, 2400)


class BudgetReport(Deliverable):
    """Friday's report."""

    granted: int = Field(description="how many requests of the week were granted")
    refused: int = Field(description="how many were refused")
    spent: int = Field(description="the amounts of all granted requests together, in EUR")
    left: int = Field(description="what is left of the budget after Friday's requests, in EUR")


BUDGET = Aloud(
    MONDAY, ValueTemplate("For purchases we have EUR {value} this week.", INTEGER), "budget"
)
GROWTH = Aloud(
    WEDNESDAY,
    ValueTemplate("The budget for purchases grows by EUR {value} today.", INTEGER),
    "growth",
)


@dataclass(frozen=True)
class BudgetRequest:
    """A request: its number, the day, who makes it, for what, and what it costs in whole euros."""

    request: str
    day: date
    name: str
    item: str
    amount: int


@dataclass(frozen=True)
class DayOfBudget:
    """How a day's requests were decided, and what of the budget is left after it."""

    decisions: Mapping[str, str]
    spent: int
    left: int


def spend(requests: Sequence[BudgetRequest], left: int) -> DayOfBudget:
    """Decide *requests* from top to bottom with so much *left*."""
    decisions, spent = {}, 0
    for one in requests:
        covered = one.amount <= left - spent
        decisions[one.request] = GRANTED if covered else REFUSED
        spent += one.amount if covered else 0
    return DayOfBudget(decisions, spent, left - spent)


def _left_after(day: int) -> str:
    """What the notes call the money that is left in the evening."""
    return f"left after {WEEKDAYS[day]}"


def _draw_requests(scene: MeetingScene, day: int) -> list[BudgetRequest]:
    draws, names = scene.context.stream(f"requests {day}"), [one.name for one in scene.team]
    of = (names, ITEMS, AMOUNTS)
    cells = (tuple(draws.choice(some) for some in of) for _ in range(REQUESTS))
    return scene.rows(BudgetRequest, "REQ", day, cells)


class Budget(MeetingDuty[MeetingBrief, BudgetRequest]):
    """Grant purchase requests as long as the week's budget lasts."""

    name = "budget"
    taken = "the week's purchase budget"
    title = "The purchase budget of {brief.department}"
    people, meeting, topic = "budget", "budget", "purchases"
    report_path = "workspace:/budget_report.json"
    file = CsvFile(BudgetRequest, ("request", "date", "name", "item", "amount_eur"))
    file_path = "drive:/purchasing/requests_of_the_day.csv"
    tellings = (BUDGET, GROWTH)
    subject = "Purchase requests"
    desk = DeskText(
        MeetingBrief,
        "[This week you keep the purchase budget of] {department}. Every morning at 09:00, from "
        "Monday to Friday, the requests [of the day replace those of the day before in] {file}. "
        "[Go through them from top to bottom: a request is granted if what is left of the budget "
        "covers it, and is then taken off; otherwise it is refused.] Each day by {by}, mail "
        '{recipient}, with the subject "{subject}", a line for each of the day\'s requests, [with '
        "its number, a colon, and granted or refused. The last mail of the day counts.] {host} "
        "says how large the budget is in Monday's meeting, and in Wednesday's [by how much it "
        "grows on Wednesday, before that day's requests;] neither is written down. Both meetings "
        "are {meeting}.",
        BudgetReport,
    )
    hints = Hints(
        strategy="What is left after a day decides the next one, and the requests are replaced. "
        "Write down each evening what is left and what was spent.",
        where="In the meetings of Monday and Wednesday, and in the file of each day.",
        how="Attend both meetings. Each day take what is left from your own note, go through the "
        "file from top to bottom, mail the decisions, and note what is left now.",
    )

    def draw_week(self, scene: MeetingScene) -> Drawn:
        """Requests of five days, a budget that is said, and its growth."""
        secret = scene.context.secret_stream
        budget, growth = secret(BUDGET.clue).choice(BUDGETS), secret(GROWTH.clue).choice(GROWTHS)
        rows = {day: _draw_requests(scene, day) for day in range(5)}
        return Drawn({BUDGET: budget, GROWTH: growth}, rows)

    def result(self, today: Today[MeetingBrief, BudgetRequest]) -> WorkOfDay:
        """Decisions by what is left, and what is left then."""
        before = "budget" if today.weekday == MONDAY else _left_after(today.weekday - 1)
        grown = today.number("growth") if today.weekday == WEDNESDAY else 0
        day = spend(today.rows, today.number(before) + grown)
        granted = [*day.decisions.values()].count(GRANTED)
        counts = {"granted": granted, "refused": len(day.decisions) - granted, "spent": day.spent}
        return WorkOfDay(day.decisions, counts, {_left_after(today.weekday): day.left})

    def report(self, friday: Today[MeetingBrief, BudgetRequest]) -> BudgetReport:
        """The sums over the days, and what is left of the budget."""
        return BudgetReport(**friday.totals(), left=friday.number(_left_after(FRIDAY)))

    def guess(self, today: Today[MeetingBrief, BudgetRequest]) -> Notes:
        """Everything is granted."""
        enough = sum(one.amount for one in today.rows)
        before = {_left_after(day): enough for day in range(5)}
        return {"budget": enough, "growth": 0, **before}

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The decisions of each day, and the report."""
        before, after = (
            each_day(
                days,
                "On {day}, all requests of the day were decided by what was left of the budget, "
                "and mailed in time",
                "requests were decided",
                only_after=needs,
                where="The file of that day, and what was left after the day before.",
                how="Keep what is left from day to day, and go through the requests from top to "
                "bottom.",
            )
            for days, needs in ((range(MONDAY, WEDNESDAY), "heard"), (range(WEDNESDAY, 5), "grown"))
        )
        report = reported(
            "Friday's report states what was granted, spent and left",
            only_after="grown",
            where="The files of five days, of which each replaced the one before.",
            how="Keep the count and the amounts of each day; add them up on Friday.",
        )
        heard = heard_in_meeting(BUDGET.clue, "monday")
        grown = heard_in_meeting(GROWTH.clue, "report", name="grown")
        return (*before, *after, report, heard, grown)
