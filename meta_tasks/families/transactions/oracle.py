"""The honest way through a review: read the papers, ask Finance, count, report."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal

from trainee_bench.meta_tasks.authoring.asking import ask
from trainee_bench.meta_tasks.families.transactions import (
    below_limit,
    more_than_approved,
    new_suppliers,
    paid_twice,
    self_approved,
    split_invoices,
)
from trainee_bench.meta_tasks.families.transactions.colleague_clues import (
    CONTACT_ASKS,
    question_template,
)
from trainee_bench.meta_tasks.families.transactions.deliverables import make_report
from trainee_bench.meta_tasks.families.transactions.ledger import (
    Approval,
    Invoice,
    PaymentLedger,
    ReviewFindings,
    parse_cents,
    read_approvals,
    read_date,
    read_invoices,
    read_payments,
)
from trainee_bench.meta_tasks.families.transactions.review import HEADINGS, Anomaly
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, read_text, wait_for_task

_FOLDER = "drive:/financial"
_MANUAL = re.compile(r"\S*review\S*\.md$")
_LEDGER = re.compile(r"workspace:/\S+\.csv\b")
_REPORT = re.compile(r"workspace:/\S+\.json\b")
_INVOICES = re.compile(r"drive:/financial/invoices/\S+\.csv\b")
_APPROVALS = re.compile(r"drive:/financial/approvals/\S+\.csv\b")
_REVIEWED = re.compile(r"from (\d{4}-\d\d-\d\d) to (\d{4}-\d\d-\d\d)")
_NEEDED = re.compile(r"^- (?!`)(.+)$", re.MULTILINE)
_CONTACTS = re.compile(r"For the review of \S+: ([^.]+)\.")

_LIMIT = re.compile(r"approval limit in force is EUR ([\d,]+)")
_EARLIER = re.compile(r"approval limit was EUR ([\d,]+); the one in force now holds since (.+?)\.")
_DAYS = re.compile(r"dated at most (\d+) days apart")
_RETURNED = re.compile(r"those of (INV-[^.]+?) have been paid back")
_TOLERANCE = re.compile(r"by up to ([\d.]+) % of that amount")
_RAISED = re.compile(r"(APP-\w+) to EUR ([\d,]+)")
_SIGNS = re.compile(r"When ([^.]+?) is away, ([^.]+?) signs\.")


async def review_and_report(client: ToolClient) -> None:
    """Do the review the task names. Raises ToolFailed, with nothing handed in, if nobody has
    told one of the figures."""
    objective = str((await wait_for_task(client))["objective"])
    await _read_manual(client)
    path = _only(_LEDGER, objective)
    invoices: dict[str, Invoice] = {}
    approvals: dict[str, Approval] = {}
    payments = read_payments(await read_text(client, path))
    for register in _INVOICES.findall(objective):
        invoices |= read_invoices(await read_text(client, register))
    for register in _APPROVALS.findall(objective):
        approvals |= read_approvals(await read_text(client, register))
    told = [objective]
    file = path.rpartition("/")[2]
    known_by = await _contacts(client, file)
    for subject in _NEEDED.findall(objective):
        asked = question_template(subject).replace("{file}", file)
        told.append(await ask(client, known_by[subject], asked))
    find = next(f for kind, f in _FINDERS.items() if f"“{HEADINGS[kind]}”" in objective)
    findings = find(PaymentLedger(payments, invoices, approvals), "\n".join(told))
    report = make_report(findings).model_dump_json(indent=2)
    await client.call("files_write", path=_only(_REPORT, objective), text=report)
    await client.call("desk_submit", task=client.task)


async def _read_manual(client: ToolClient) -> None:
    listed = await client.call("files_list", folder=_FOLDER)
    for entry in listed.data["entries"]:
        if _MANUAL.fullmatch(str(entry["path"])):
            await read_text(client, str(entry["path"]))


async def _contacts(client: ToolClient, file: str) -> dict[str, str]:
    """Who knows what about the review of *file*, as the Finance manager says."""
    listed = await client.call("chat_list_people", department="Finance")
    manager = next(str(p["name"]) for p in listed.data["people"] if "Manager" in p["title"])
    said = await ask(client, manager, CONTACT_ASKS[0].replace("{file}", file))
    pairs = _only(_CONTACTS, said).split("; ")
    return {subject: name for name, _, subject in (pair.partition(" knows ") for pair in pairs)}


def _only(pattern: re.Pattern[str], text: str) -> str:
    """The one match. Raises ToolFailed, as if the tool had not said it, if there is none."""
    found = pattern.search(text)
    if found is None:
        raise ToolFailed(f"nobody has said anything like {pattern.pattern!r}")
    return found.group(1) if pattern.groups else found.group()


# what was told, made use of ---------------------------------------------------------------


def _new_suppliers(ledger: PaymentLedger, told: str) -> ReviewFindings:
    dates = _REVIEWED.search(told)
    assert dates, "the objective says which months are under review"
    first, last = map(date.fromisoformat, dates.groups())
    return new_suppliers.find(ledger, first, last, parse_cents(_only(_LIMIT, told)))


def _below_limit(ledger: PaymentLedger, told: str) -> ReviewFindings:
    earlier = _EARLIER.search(told)
    if earlier is None:
        raise ToolFailed("nobody has said what the limit was before")
    before, change = earlier.groups()
    limits = below_limit.ApprovalLimits(
        parse_cents(_only(_LIMIT, told)), parse_cents(before), read_date(change)
    )
    return below_limit.find(ledger, limits)


def _split_invoices(ledger: PaymentLedger, told: str) -> ReviewFindings:
    limit, days = parse_cents(_only(_LIMIT, told)), int(_only(_DAYS, told))
    return split_invoices.find(ledger, split_invoices.SplitFigures(limit, days))


def _paid_twice(ledger: PaymentLedger, told: str) -> ReviewFindings:
    returned = _RETURNED.findall(told)
    if len(returned) < len(_NEEDED.findall(told)):
        raise ToolFailed("nobody has said which double payments have been paid back")
    return paid_twice.find(ledger, frozenset(", ".join(returned).split(", ")))


def _more_than_approved(ledger: PaymentLedger, told: str) -> ReviewFindings:
    tolerance = int(Decimal(_only(_TOLERANCE, told)) * 10)
    raised = {number: parse_cents(amount) for number, amount in _RAISED.findall(told)}
    if not raised and len(_NEEDED.findall(told)) > 1:
        raise ToolFailed("nobody has said which approvals were raised")
    return more_than_approved.find(ledger, more_than_approved.ToleranceFigures(tolerance, raised))


def _self_approved(ledger: PaymentLedger, told: str) -> ReviewFindings:
    deputies = dict(_SIGNS.findall(told))
    if len(deputies) < len(_NEEDED.findall(told)):
        raise ToolFailed("nobody has said who signs in whose place")
    return self_approved.find(ledger, deputies)


_FINDERS: Mapping[Anomaly, Callable[[PaymentLedger, str], ReviewFindings]] = {
    Anomaly.NEW_SUPPLIER: _new_suppliers,
    Anomaly.JUST_BELOW: _below_limit,
    Anomaly.SPLIT_INVOICE: _split_invoices,
    Anomaly.DUPLICATE_INVOICE: _paid_twice,
    Anomaly.AMOUNT_DIFFERS: _more_than_approved,
    Anomaly.SELF_APPROVED: _self_approved,
}
