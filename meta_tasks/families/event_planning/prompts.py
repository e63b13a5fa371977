"""What the agent is told at the start, and the hints."""

from __future__ import annotations

from trainee_bench.meta_tasks.families.event_planning.deliverables import format_clock
from trainee_bench.meta_tasks.families.event_planning.ground_truth import EventTruth
from trainee_bench.meta_tasks.families.event_planning.levels import PlanMetric
from trainee_bench.meta_tasks.meta_task import Hints

_SOUGHT = {
    PlanMetric.INTEREST: "the highest interest_score",
    PlanMetric.COST: "the lowest cost_per_person",
    PlanMetric.DISTANCE: "the shortest total_travel_distance",
    PlanMetric.OVERALL: "the highest overall_score",
}


def objective(department: str, outing: EventTruth, guidelines: str) -> str:
    """All that is told at the start."""
    back = ""
    if outing.return_by is not None:
        back = f"The team has to be back at the office by {format_clock(outing.return_by)}.\n"
    return f"""\
Prepare the team event of the department {department} in November 2025: one day with a place to \
visit in the morning, lunch in a restaurant, and another place in the afternoon.
Dates: ask every member of {department} in the chat, managers included, on which dates of November \
they are free for the team event; each tells only their own dates and which lunch menu they take. \
The event can be on any date, weekends included, on which all of them are free. Give all of these \
dates, and choose any one of them.
Plan: {_plan(outing)}
{guidelines} says how the day runs, how a plan's figures are calculated, and where the data are.
{back}Hand in {outing.path}, a JSON object with exactly these fields (lists in any order):
{outing.deliverable_model.describe()}"""


def _plan(outing: EventTruth) -> str:
    if outing.best is not None:
        return f"find the plan with {_SOUGHT[outing.best]} of all."
    if outing.plan is None:
        return "choose any morning place, restaurant and other afternoon place yourself."
    morning, lunch, afternoon = (outing.town.stops[number].name for number in outing.plan)
    return (
        f"it is decided already. Morning: {morning}. Lunch: {lunch}. Afternoon: {afternoon}. "
        "Only its figures are wanted."
    )


def hints(drawn: bool) -> Hints:
    """Help in three tiers; whether the roads are *drawn* or lie in a table."""
    look = "look at the road map with files_view_image" if drawn else "read the table of roads"
    return Hints(
        strategy="Nobody knows when all are free, so ask everybody first and read the answers "
        "later; they come while you study the guidelines. Then it is arithmetic, with care.",
        where="The directory of people lists the department's members. The guidelines that the "
        "task names say where places, restaurants and roads are.",
        how="List the members with chat_list_people, send each of them one message with "
        "chat_send_message, and collect the answers with chat_read_history. Read the guidelines "
        f"and the list with files_read, and {look}. Write down the roads first, then the way of "
        "each leg. Write the JSON with files_write.",
    )
