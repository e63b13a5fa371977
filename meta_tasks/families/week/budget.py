"""A week's budget: each day's purchase requests are granted as long as money is left.

Told once: the budget, in Monday's meeting, and its increase, in Wednesday's. Each day's requests
replace the previous day's, so the worker has to carry the remaining amount from day to day.
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

    granted: int = Field(description="how many of the week's requests were granted")
    refused: int = Field(description="how many were refused")
    spent: int = Field(description="the sum of all granted requests, in EUR")
    left: int = Field(description="the budget that is left after Friday's requests, in EUR")


BUDGET = Aloud(
    MONDAY, ValueTemplate("For purchases we have EUR {value} this week.", INTEGER), "budget"
)
GROWTH = Aloud(
    WEDNESDAY,
    ValueTemplate("The budget for purchases goes up by EUR {value} today.", INTEGER),
    "growth",
)


@dataclass(frozen=True)
class BudgetRequest:
    """A purchase request; *name* is the person who makes it, *amount* is in whole euros."""

    request: str
    day: date
    name: str
    item: str
    amount: int


@dataclass(frozen=True)
class DayOfBudget:
    """The decisions of one day by request, the money spent, and the budget left afterwards."""

    decisions: Mapping[str, str]
    spent: int
    left: int


def spend(requests: Sequence[BudgetRequest], left: int) -> DayOfBudget:
    """Decide *requests* from top to bottom, starting with the budget *left*."""
    decisions, spent = {}, 0
    for request in requests:
        covered = request.amount <= left - spent
        decisions[request.request] = GRANTED if covered else REFUSED
        spent += request.amount if covered else 0
    return DayOfBudget(decisions, spent, left - spent)


def _left_after(day: int) -> str:
    """The name in the notes of the budget that is left in the evening."""
    return f"left after {WEEKDAYS[day]}"


def _draw_requests(scene: MeetingScene, day: int) -> list[BudgetRequest]:
    draws, names = scene.context.stream(f"requests {day}"), [person.name for person in scene.team]
    columns = (names, ITEMS, AMOUNTS)
    cells = (tuple(draws.choice(values) for values in columns) for _ in range(REQUESTS))
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
        "[This week you manage the purchase budget of] {department}. Every morning at 09:00, from "
        "Monday to Friday, [that day's requests replace the previous day's in] {file}. [Go through "
        "them from top to bottom. Grant a request if the rest of the budget covers it, and "
        "subtract its amount; otherwise refuse it.] Each day by {by}, mail {recipient} your "
        'decisions, with the subject "{subject}". [Write one line for each of the day\'s requests: '
        "its number, a colon, and granted or refused. The last mail of the day counts.] {host} "
        "announces the budget in Monday's meeting, [and in Wednesday's meeting how much is added "
        "to it before you decide that day's requests. Neither is written down.] Both meetings take "
        "place {meeting}.",
        BudgetReport,
    )
    hints = Hints(
        strategy="Each day's decisions depend on the budget left from the day before, and each "
        "day's requests are replaced. Every evening, write down what is left and what was spent.",
        where="In Monday's and Wednesday's meetings, and in each day's file.",
        how="Attend both meetings. Each day, take the rest of the budget from your own note, go "
        "through the file from top to bottom, mail the decisions, and note what is left now.",
    )

    def draw_week(self, scene: MeetingScene) -> Drawn:
        """Draw the requests of five days, the budget and its increase."""
        secret = scene.context.secret_stream
        budget, growth = secret(BUDGET.clue).choice(BUDGETS), secret(GROWTH.clue).choice(GROWTHS)
        rows = {day: _draw_requests(scene, day) for day in range(5)}
        return Drawn({BUDGET: budget, GROWTH: growth}, rows)

    def result(self, today: Today[MeetingBrief, BudgetRequest]) -> WorkOfDay:
        """Decide the requests by the budget left, and note what is left afterwards."""
        before = "budget" if today.weekday == MONDAY else _left_after(today.weekday - 1)
        grown = today.number("growth") if today.weekday == WEDNESDAY else 0
        day = spend(today.rows, today.number(before) + grown)
        granted = [*day.decisions.values()].count(GRANTED)
        counts = {"granted": granted, "refused": len(day.decisions) - granted, "spent": day.spent}
        return WorkOfDay(day.decisions, counts, {_left_after(today.weekday): day.left})

    def report(self, friday: Today[MeetingBrief, BudgetRequest]) -> BudgetReport:
        """The week's sums, and the budget that is left."""
        return BudgetReport(**friday.totals(), left=friday.number(_left_after(FRIDAY)))

    def guess(self, today: Today[MeetingBrief, BudgetRequest]) -> Notes:
        """Assume a budget that covers everything."""
        enough = sum(request.amount for request in today.rows)
        before = {_left_after(day): enough for day in range(5)}
        return {"budget": enough, "growth": 0, **before}

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Each day's decisions, the report, and both meetings."""
        before, after = (
            each_day(
                days,
                "On {day}, you decided all of the day's requests by the budget that was left, and "
                "mailed them in time",
                "requests were decided",
                only_after=needs,
                where="That day's file, and the budget left from the day before.",
                how="Note the rest of the budget every day, and go through the requests from top "
                "to bottom.",
            )
            for days, needs in ((range(MONDAY, WEDNESDAY), "heard"), (range(WEDNESDAY, 5), "grown"))
        )
        report = reported(
            "Friday's report correctly states what was granted, refused, spent and left",
            only_after="grown",
            where="The files of all five days, each of which replaced the one before.",
            how="Note each day's counts and amounts, and add them up on Friday.",
        )
        heard = heard_in_meeting(BUDGET.clue, "monday")
        grown = heard_in_meeting(GROWTH.clue, "report", name="grown")
        return (*before, *after, report, heard, grown)
