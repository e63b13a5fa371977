"""What is told about sales: the objective, the handbook, and which orders were cancelled."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from importlib.resources import files

from trainee_bench.meta_tasks.families.sales.deliverables import DELIVERABLE_MODELS
from trainee_bench.meta_tasks.families.sales.orders import SalesOrder
from trainee_bench.meta_tasks.families.sales.query import SalesQuery, join_with_and
from trainee_bench.meta_tasks.meta_task import Hints
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.company.people import Person

HANDBOOK = "drive:/sales/sales_handbook.md"
_HANDBOOK_ASKS = (
    "Where is the sales handbook?",
    "Is there a handbook for the analysis of sales?",
    "Where can I read how our sales figures are calculated?",
    "Which document explains what counts as sales?",
    "Are there rules for adding up the sales of a quarter?",
    "Where do I find a guide to the sales data?",
)


def cancellation_clue_name(department: str) -> str:
    """The name of the clue about a department's cancelled orders."""
    return f"cancelled_{department}"


def handbook_referral() -> ReferralPublished:
    """Everybody knows where the handbook is."""
    return ReferralPublished(
        topic="sales handbook",
        asks=_HANDBOOK_ASKS,
        text=f"How sales are counted is written down in the sales handbook, {HANDBOOK}.",
    )


@cache
def handbook() -> str:
    """The text of the handbook."""
    resource = files("trainee_bench.meta_tasks.families.sales") / "sales_handbook.md"
    return resource.read_text(encoding="utf-8")


def cancellation_clue(
    context: TaskContext,
    wanted: SalesQuery,
    holder: Person,
    paths: Sequence[str],
    cancelled: Sequence[SalesOrder],
) -> Clue:
    """What the manager of a department tells of the quarters whose files lie at *paths*."""
    department, year = holder.department, wanted.year
    quarters = [f"Q{quarter}" for quarter in wanted.quarters]
    when = f"{join_with_and(quarters)} {year}"
    names = [path.rpartition("/")[2] for path in paths]
    told = [
        f"in {quarter} {year} {_ids([o for o in cancelled if f'Q{o.quarter}' == quarter])}"
        for quarter in quarters
    ]
    return Clue(
        id=context.clue_id(cancellation_clue_name(department)),
        holder=holder.id,
        asks=_asks(department, when, names[-1]),
        keys=(str(year), *names),
        payload=f"Orders of {department} cancelled after the books were closed: {'; '.join(told)}.",
    )


def _ids(orders: Collection[SalesOrder]) -> str:
    return join_with_and([order.id for order in orders]) if orders else "none"


def _asks(department: str, when: str, file: str) -> tuple[str, ...]:
    return (
        f"Which orders of {department} in {when} were cancelled after the books were closed?",
        f"Were any orders of {department} in {when} cancelled after the close of the books?",
        f"Which of your team's orders from {when} do not count because they were cancelled?",
        f"Which order ids in {file} were cancelled later?",
        f"Are there any canceled orders in {file}?",  # as many write it
        f"Have customers cancelled orders of {when} since the books were closed?",
        f"I am adding up the sales of {department} for {when}. Which orders were cancelled?",
        f"Do you know of late cancellations in {department} for {when}?",
        f"What are the ids of the cancelled orders of {when}?",
        f"Can you give me a list of the cancelled orders of {department} for {when}, please?",
    )


def objective(wanted: SalesQuery, path: str, sample: str, managers: Sequence[Person]) -> str:
    """All that the agent is told at the start; *managers* are those who know, if they have to
    be named because a department has several."""
    know = "Each department's manager knows those of that department"
    if managers:
        know += (
            f" (that is {join_with_and([f'{one.name} in {one.department}' for one in managers])})"
        )
    compared = ""
    if wanted.type.compares:
        compared = " Only more is higher and only less is lower."
    model = DELIVERABLE_MODELS[wanted.type]
    return (
        f"{wanted.sentence()}\n"
        f"The orders lie in one file for each department and quarter, such as {sample}. The sales "
        "of a person or a department in a quarter are the sum of the amounts of their orders in "
        f"it. A manager sells, too, and is one of the employees of the department.{compared} "
        "Orders that were cancelled after a quarter's books were closed still stand in its file "
        f"and do not count. No file says which they are. {know}: ask them in the chat, naming "
        f"department, quarter and year. {HANDBOOK} says more. Do not change the files on the "
        "drive.\n"
        f"Hand in {path}, a JSON object with exactly these fields, lists in any order:\n"
        f"{model.describe()}"
    )


HINTS = Hints(
    strategy="What the files add up to is not yet the answer: some orders in them do not count, "
    "and only people know which. Ask early, add up while you wait for the answers.",
    where="The files lie in the folder that the task names, one for each department and quarter; "
    "the handbook beside them says what counts. Look up in the people directory who manages each "
    "department whose figures you need.",
    how="Send each manager a message with chat_send_message that names department, quarter and "
    "year and asks which orders were cancelled after the books were closed; of a comparison ask "
    "about both quarters. Read the files with files_read or sheets_query, leave out the order ids "
    "you were told, add up by employee or department with sheets_calculate, and write the JSON "
    "file with files_write.",
)
