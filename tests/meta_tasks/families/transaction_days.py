"""Scenes and days of the transactions family, and ledgers written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time

from harness.in_process import Workday
from meta_tasks.catalog import rules
from meta_tasks.families.transactions import Transactions
from meta_tasks.families.transactions.ledger import (
    Approval,
    Findings,
    Invoice,
    Ledger,
    Payment,
    read_approvals,
    read_invoices,
    read_payments,
)
from meta_tasks.families.transactions.report import Right
from meta_tasks.grade import TaskGrade
from meta_tasks.meta_task import Scene
from meta_tasks.stage import Commons, Stage
from world.apps.files import FileAppears
from world.people import found_company
from world.turn import Day

RULES = [rule.id for rule in Transactions.rules()]
KINDS = ("just_below", "split_invoice", "duplicate_invoice", "amount_differs", "self_approved")
SUPPLIER_RULES = [rule for rule in RULES if ".n" in rule]


def stage_of(seed: int, size: int = 50, day: date = date(2025, 10, 1), **twist: int) -> Stage:
    hours = Day(datetime.combine(day, time(8)), datetime.combine(day, time(20)))
    return Stage(
        task="T1",
        key=("test", seed),
        company=found_company(seed, size),
        day=hours,
        deadline=hours.ends,
        commons=Commons(),
        twist=twist,
    )


def scene_of(rule: str, seed: int, size: int = 50, **twist: int) -> Scene[Right]:
    made = rules()[rule].meta_task
    assert isinstance(made, Transactions)
    return made.scene(stage_of(seed, size, **twist))


def truth_of(day: Workday) -> Right:
    truth = day.composition.tasks[0].scene.truth
    assert isinstance(truth, Right)
    return truth


def texts_of(scene: Scene[Right]) -> dict[str, str]:
    """The files of a scene by path."""
    events = [planned.event for planned in scene.events]
    return {e.path: e.text or "" for e in events if isinstance(e, FileAppears)}


def papers_of(scene: Scene[Right]) -> Ledger:
    """What a reader of all files has."""
    invoices: dict[str, Invoice] = {}
    approvals: dict[str, Approval] = {}
    payments: Sequence[Payment] = ()
    for path, text in texts_of(scene).items():
        if path.startswith("workspace:/"):
            payments = read_payments(text)
        elif "/invoices/" in path:
            invoices |= read_invoices(text)
        elif "/approvals/" in path:
            approvals |= read_approvals(text)
    return Ledger(tuple(payments), invoices, approvals)


def answer(findings: Findings) -> tuple[frozenset[str], int, int]:
    """What a report on *findings* comes to: suppliers, number and sum of what counts."""
    return findings.suppliers, len(findings.payments), sum(p.cents for p in findings.payments)


def right_answer(scene: Scene[Right]) -> tuple[frozenset[str], int, int]:
    return scene.truth.suppliers, scene.truth.payments, scene.truth.amount


@dataclass(frozen=True)
class Row:
    """A payment written by hand, with its papers; what is left out is in order."""

    number: str
    supplier: str
    paid: str
    euros: float
    applicant: str = "Ann"
    own: str = ""
    dated: str = ""
    approved_on: str = ""
    approved: float = 1_000_000
    signed: str = "Bob"


def by_hand(*rows: Row) -> Ledger:
    """The ledger of these payments; their transactions are TRA-1 and so on."""
    payments, invoices, approvals = [], {}, {}
    for row in rows:
        paid = date.fromisoformat(row.paid)
        papers = [f"{kind}-{row.number}" for kind in ("TRA", "INV", "APP")]
        cents = round(row.euros * 100)
        payments.append(Payment(*papers, row.supplier, "", row.applicant, "Bob", paid, cents))
        dated = date.fromisoformat(row.dated or row.paid)
        invoices[papers[1]] = Invoice(row.supplier, row.own or f"R-{row.number}", dated, cents)
        day, limit = date.fromisoformat(row.approved_on or row.paid), round(row.approved * 100)
        approvals[papers[2]] = Approval(row.applicant, day, day, limit, row.signed)
    return Ledger(tuple(payments), invoices, approvals)


def numbers(findings: Findings) -> list[str]:
    """The numbers of the payments that count, as written by hand."""
    return [payment.transaction.removeprefix("TRA-") for payment in findings.payments]


async def graded(day: Workday) -> TaskGrade:
    (grade,) = await day.grades()
    assert grade.error is None
    return grade


async def passed(day: Workday) -> set[str]:
    return {check.name for check in (await graded(day)).checkpoints if check.passed}


async def said_by(day: Workday, person: str, text: str) -> str:
    """What *person* answers within the hour."""
    sent = await day.call("chat_send_message", {"to": person, "text": text})
    number = sent.data["message"]["id"]
    for _ in range(30):
        await day.call("desk_wait", {"minutes": 5})
        history = await day.call("chat_read_history", {"peer": person, "after": number})
        answers = [m["text"] for m in history.data["messages"] if m["answers"] == number]
        if answers:
            return str(answers[-1])
    raise AssertionError(f"{person} does not answer")
