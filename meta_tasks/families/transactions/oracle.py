"""The honest way through a review: read the papers, ask Finance, count, report."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal

from meta_tasks.families.transactions import (
    below_limit,
    more_than_approved,
    new_suppliers,
    paid_twice,
    self_approved,
    split_invoices,
)
from meta_tasks.families.transactions.finance import CONTACT_ASKS, question
from meta_tasks.families.transactions.ledger import (
    Approval,
    Findings,
    Invoice,
    Ledger,
    cents,
    read_approvals,
    read_date,
    read_invoices,
    read_payments,
)
from meta_tasks.families.transactions.report import said
from meta_tasks.families.transactions.review import HEADINGS, Anomaly
from meta_tasks.hands import Hands, ToolFailed, ask, my_task, read_text

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


async def review_and_report(hands: Hands) -> None:
    """Do the review the task names. Raises ToolFailed, with nothing handed in, if nobody has
    told one of the figures."""
    objective = str((await my_task(hands))["objective"])
    await _read_manual(hands)
    path = _only(_LEDGER, objective)
    invoices: dict[str, Invoice] = {}
    approvals: dict[str, Approval] = {}
    payments = read_payments(await read_text(hands, path))
    for register in _INVOICES.findall(objective):
        invoices |= read_invoices(await read_text(hands, register))
    for register in _APPROVALS.findall(objective):
        approvals |= read_approvals(await read_text(hands, register))
    told = [objective]
    file = path.rpartition("/")[2]
    known_by = await _contacts(hands, file)
    for subject in _NEEDED.findall(objective):
        asked = question(subject).replace("{file}", file)
        told.append(await ask(hands, known_by[subject], asked))
    find = next(f for kind, f in _FINDERS.items() if f"“{HEADINGS[kind]}”" in objective)
    findings = find(Ledger(payments, invoices, approvals), "\n".join(told))
    report = said(findings).model_dump_json(indent=2)
    await hands.call("files_write", path=_only(_REPORT, objective), text=report)
    await hands.call("desk_submit", task=hands.task)


async def _read_manual(hands: Hands) -> None:
    listed = await hands.call("files_list", folder=_FOLDER)
    for entry in listed.data["entries"]:
        if _MANUAL.fullmatch(str(entry["path"])):
            await read_text(hands, str(entry["path"]))


async def _contacts(hands: Hands, file: str) -> dict[str, str]:
    """Who knows what about the review of *file*, as the Finance manager says."""
    listed = await hands.call("chat_list_people", department="Finance")
    manager = next(str(p["name"]) for p in listed.data["people"] if "Manager" in p["title"])
    said = await ask(hands, manager, CONTACT_ASKS[0].replace("{file}", file))
    pairs = _only(_CONTACTS, said).split("; ")
    return {subject: name for name, _, subject in (pair.partition(" knows ") for pair in pairs)}


def _only(pattern: re.Pattern[str], text: str) -> str:
    """The one match. Raises ToolFailed, as if the tool had not said it, if there is none."""
    found = pattern.search(text)
    if found is None:
        raise ToolFailed(f"nobody has said anything like {pattern.pattern!r}")
    return found.group(1) if pattern.groups else found.group()


# what was told, made use of ---------------------------------------------------------------


def _new_suppliers(ledger: Ledger, told: str) -> Findings:
    dates = _REVIEWED.search(told)
    assert dates, "the objective says which months are under review"
    first, last = map(date.fromisoformat, dates.groups())
    return new_suppliers.find(ledger, first, last, cents(_only(_LIMIT, told)))


def _below_limit(ledger: Ledger, told: str) -> Findings:
    earlier = _EARLIER.search(told)
    if earlier is None:
        raise ToolFailed("nobody has said what the limit was before")
    before, change = earlier.groups()
    limits = below_limit.Limits(cents(_only(_LIMIT, told)), cents(before), read_date(change))
    return below_limit.find(ledger, limits)


def _split_invoices(ledger: Ledger, told: str) -> Findings:
    limit, days = cents(_only(_LIMIT, told)), int(_only(_DAYS, told))
    return split_invoices.find(ledger, split_invoices.Figures(limit, days))


def _paid_twice(ledger: Ledger, told: str) -> Findings:
    returned = _RETURNED.findall(told)
    if len(returned) < len(_NEEDED.findall(told)):
        raise ToolFailed("nobody has said which double payments have been paid back")
    return paid_twice.find(ledger, frozenset(", ".join(returned).split(", ")))


def _more_than_approved(ledger: Ledger, told: str) -> Findings:
    tolerance = int(Decimal(_only(_TOLERANCE, told)) * 10)
    raised = {number: cents(amount) for number, amount in _RAISED.findall(told)}
    if not raised and len(_NEEDED.findall(told)) > 1:
        raise ToolFailed("nobody has said which approvals were raised")
    return more_than_approved.find(ledger, more_than_approved.Figures(tolerance, raised))


def _self_approved(ledger: Ledger, told: str) -> Findings:
    deputies = dict(_SIGNS.findall(told))
    if len(deputies) < len(_NEEDED.findall(told)):
        raise ToolFailed("nobody has said who signs in whose place")
    return self_approved.find(ledger, deputies)


_FINDERS: Mapping[Anomaly, Callable[[Ledger, str], Findings]] = {
    Anomaly.NEW_SUPPLIER: _new_suppliers,
    Anomaly.JUST_BELOW: _below_limit,
    Anomaly.SPLIT_INVOICE: _split_invoices,
    Anomaly.DUPLICATE_INVOICE: _paid_twice,
    Anomaly.AMOUNT_DIFFERS: _more_than_approved,
    Anomaly.SELF_APPROVED: _self_approved,
}
