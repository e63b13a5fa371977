"""Scenes and days of the transactions family, and ledgers written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time

from trainee_bench.harness.testbench.staged_day import StagedDay
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.families.transactions import Transactions
from trainee_bench.meta_tasks.families.transactions.deliverables import ReviewTruth
from trainee_bench.meta_tasks.families.transactions.subject.ledger import (
    APPROVALS,
    INVOICES,
    PAYMENTS,
    Approval,
    Invoice,
    Payment,
    PaymentLedger,
    ReviewFindings,
)
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.task_context import DayReservations, TaskContext
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.company.people import create_company
from trainee_bench.world.transaction import WorkingDay

RULES = [rule.id for rule in Transactions.rules()]
KINDS = ("just_below", "split_invoice", "duplicate_invoice", "amount_differs", "self_approved")
SUPPLIER_RULES = [rule for rule in RULES if ".n" in rule]
ONE_OF_EACH = ("transactions.n2.a0", "transactions.n3.a2", *(f"transactions.{k}.s2" for k in KINDS))
"""A rule of each kind; of suppliers, one without and one with abnormal ones."""


def stage_of(
    seed: int, size: int = 50, day: date = date(2025, 10, 1), **seed_offsets: int
) -> TaskContext:
    hours = WorkingDay(datetime.combine(day, time(8)), datetime.combine(day, time(20)))
    return TaskContext(
        task="T1",
        key=("test", seed),
        company=create_company(seed, size),
        day=hours,
        deadline=hours.ends,
        reservations=DayReservations(),
        secret_seed_offsets=seed_offsets,
    )


def scene_of(
    rule: str, seed: int, size: int = 50, **seed_offsets: int
) -> TaskInstance[ReviewTruth]:
    made = all_rules()[rule].meta_task
    assert isinstance(made, Transactions)
    return made.generate(stage_of(seed, size, **seed_offsets))


def truth_of(day: StagedDay) -> ReviewTruth:
    truth = day.composition.tasks[0].instance.graded.truth
    assert isinstance(truth, ReviewTruth)
    return truth


def texts_of(instance: TaskInstance[ReviewTruth]) -> dict[str, str]:
    """The files of a scene by path."""
    events = [planned.event for planned in instance.hidden.events]
    return {e.path: e.text or "" for e in events if isinstance(e, FileAppears)}


def documents_of(instance: TaskInstance[ReviewTruth]) -> PaymentLedger:
    """What a reader of all files has."""
    invoices: dict[str, Invoice] = {}
    approvals: dict[str, Approval] = {}
    payments: Sequence[Payment] = ()
    for path, text in texts_of(instance).items():
        if path.startswith("workspace:/"):
            payments = PAYMENTS.parse(text)
        elif "/invoices/" in path:
            invoices |= {one.id: one for one in INVOICES.parse(text)}
        elif "/approvals/" in path:
            approvals |= {one.id: one for one in APPROVALS.parse(text)}
    return PaymentLedger(tuple(payments), invoices, approvals)


def answer(findings: ReviewFindings) -> tuple[frozenset[str], int, int]:
    """What a report on *findings* comes to: suppliers, number and sum of what counts."""
    return findings.suppliers, len(findings.payments), sum(p.cents for p in findings.payments)


def right_answer(instance: TaskInstance[ReviewTruth]) -> tuple[frozenset[str], int, int]:
    right = instance.graded.truth.right
    return (
        suppliers_of(instance.graded.truth),
        right.counted_payments,
        round(100 * right.counted_amount),
    )


def suppliers_of(truth: ReviewTruth) -> frozenset[str]:
    """The abnormal suppliers."""
    return frozenset(truth.right.abnormal_suppliers)


@dataclass(frozen=True)
class Row:
    """A payment written by hand, with its documents; what is left out is in order."""

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


def by_hand(*rows: Row) -> PaymentLedger:
    """The ledger of these payments; their transactions are TRA-1 and so on."""
    payments, invoices, approvals = [], {}, {}
    for row in rows:
        paid = date.fromisoformat(row.paid)
        documents = [f"{kind}-{row.number}" for kind in ("TRA", "INV", "APP")]
        cents = round(row.euros * 100)
        payments.append(Payment(*documents, row.supplier, "", row.applicant, "Bob", paid, cents))
        dated = date.fromisoformat(row.dated or row.paid)
        invoices[documents[1]] = Invoice(
            documents[1], row.supplier, row.own or f"R-{row.number}", dated, cents
        )
        day, limit = date.fromisoformat(row.approved_on or row.paid), round(row.approved * 100)
        approvals[documents[2]] = Approval(documents[2], row.applicant, day, day, limit, row.signed)
    return PaymentLedger(tuple(payments), invoices, approvals)


def numbers(findings: ReviewFindings) -> list[str]:
    """The numbers of the payments that count, as written by hand."""
    return [payment.transaction.removeprefix("TRA-") for payment in findings.payments]


async def graded(day: StagedDay) -> TaskGrade:
    (grade,) = await day.grades()
    assert grade.error is None
    return grade


async def passed(day: StagedDay) -> set[str]:
    return {check.name for check in (await graded(day)).checkpoints if check.passed}


async def said_by(day: StagedDay, person: str, text: str) -> str:
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
