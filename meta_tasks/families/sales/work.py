"""Solvers for the sales task.

The honest one asks all managers, leaves out cancelled orders and adds up. The shortcut adds up all
orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from trainee_bench.meta_tasks.authoring import ToolClient, hand_in, read_brief, read_text
from trainee_bench.meta_tasks.families.sales.brief import (
    CANCELLED,
    CANCELLED_TOLD,
    FILE,
    HANDBOOK,
    OBJECTIVE,
    OBJECTIVE_RULES,
    RULES,
    about,
    rules_for,
)
from trainee_bench.meta_tasks.families.sales.deliverables import compute_figures
from trainee_bench.meta_tasks.families.sales.subject import ORDERS_CSV, SalesOrder
from trainee_bench.meta_tasks.work.achieving import FileHas, HandedIn
from trainee_bench.meta_tasks.work.asking import Question, Told
from trainee_bench.meta_tasks.work.need import All, Work
from trainee_bench.meta_tasks.work.reading import FileText, ManagerOf, Page, TaskBrief


@dataclass(frozen=True)
class CancelledOrders(Question[tuple[str, ...]]):
    """The ids of a department's cancelled orders in some quarters; *words* is the question."""

    department: str
    quarters: tuple[int, ...]
    year: int
    words: str

    @property
    def subjects(self) -> tuple[str, ...]:
        """The department's cancelled orders in each quarter."""
        return tuple(
            _orders(self.department, f"Q{quarter} {self.year}") for quarter in self.quarters
        )

    def ask(self, missing: Sequence[str]) -> str:
        """Ask for all quarters."""
        return self.words

    def read(self, text: str) -> Mapping[str, tuple[str, ...]]:
        """Return the ids in *text* by subject, for any department."""
        return {
            _orders(told.department, when): orders
            for told in CANCELLED_TOLD.find_all(text)
            for when, orders in told.orders.items()
        }


def _orders(department: str, when: str) -> str:
    return f"the cancelled orders of {department} in {when}"


async def honest_work(work: Work, task: str) -> None:
    """Ask all managers, read the files meanwhile, leave out cancelled orders and add up."""
    brief = await work(TaskBrief(task, OBJECTIVE, OBJECTIVE_RULES, rules_for))
    await work(Page(HANDBOOK.path, RULES))
    wanted = brief.wanted
    named = {manager.department: manager.name for manager in brief.managers}
    managers = await work.all(ManagerOf(name, named.get(name, "")) for name in wanted.departments)
    asked, files = list[Told[tuple[str, ...]]](), list[FileText]()
    for name, manager in zip(wanted.departments, managers, strict=True):
        words = CANCELLED.question(about(wanted, name))
        question = CancelledOrders(name, tuple(wanted.quarters), wanted.year, words)
        asked.append(Told(task, manager.id, question))
        for quarter in wanted.quarters:
            file = replace(brief.sample, department=name, quarter=quarter)
            files.append(FileText(FILE.render(file), task))
    told, texts = await work.both(All(tuple(asked)), All(tuple(files)))
    gone = {
        order
        for orders, need in zip(told, asked, strict=True)
        for subject in need.question.subjects
        for order in orders[subject]
    }
    orders = [order for text in texts for order in ORDERS_CSV.parse(text)]
    figures = compute_figures(wanted, [order for order in orders if order.id not in gone])
    await work(HandedIn(task, (FileHas(brief.output, figures.model_dump_json(indent=2)),)))


async def add_up_all_orders(client: ToolClient) -> None:
    """Hand in figures from the files alone."""
    brief = await read_brief(client, OBJECTIVE)
    orders = list[SalesOrder]()
    for department in brief.wanted.departments:
        for quarter in brief.wanted.quarters:
            file = replace(brief.sample, department=department, quarter=quarter)
            orders += ORDERS_CSV.parse(await read_text(client, FILE.render(file)))
    await hand_in(client, brief.output, compute_figures(brief.wanted, orders))
