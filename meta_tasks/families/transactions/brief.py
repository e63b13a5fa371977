"""Texts of the review task: the objective, the manual, and public answers about contacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    LINE,
    PATH,
    Converter,
    Handbook,
    Hints,
    TextTemplate,
    ValueTemplate,
    one_of,
    or_nothing,
    pairs,
    separated,
)
from trainee_bench.meta_tasks.families.transactions.deliverables import ReviewReport
from trainee_bench.meta_tasks.families.transactions.subject.review import ToldFigure
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.company.people import Person

FOLDER = "drive:/financial"
MANUAL = Handbook(
    path=f"{FOLDER}/transaction_review_manual.md",
    resource="trainee_bench.meta_tasks.families.transactions/manual.md",
    topic="manual for reviews of transaction data",
    questions=(
        "Where is the manual for reviewing transaction data?",
        "How do I review transaction data?",
        "Is there a manual for the review of transactions?",
        "Which document explains how payments are reviewed?",
        "Where do I find Finance's guide to reviews of the ledger?",
        "Where are the instructions for a transaction data review?",
        "Is there a guide to checking payments for irregularities?",
        "Where can I read how payments are audited?",
        "Where is it written what counts as a dodgy payment?",
        "Is there a how-to for finding suspicious payments?",
    ),
    referral="Finance's manual for reviewing transaction data is {path}.",
)
HEADINGS: Mapping[str, str] = {
    "new_supplier": "New suppliers just below the limit",
    "just_below": "Payments just below the limit",
    "split_invoice": "Split invoices",
    "duplicate_invoice": "Invoices paid twice",
    "amount_differs": "More than was approved",
    "self_approved": "Approved by the applicant",
}
"""The manual's heading for each kind of review, which the objective quotes."""

_LIMIT = "**Just below a limit** means: at least 95 % of the limit, and lower than the limit."
_ONE_PAYMENT = "A supplier is abnormal if at least one of its payments counts."
RULES: Mapping[str, tuple[str, ...]] = {
    "new_supplier": (
        _LIMIT,
        "Every payment under review that is just below the approval limit in force counts",
        "the first payment to it in the ledger was made in the months under review;",
        "at least three quarters of all payments to it are just below the approval limit in force.",
    ),
    "just_below": (
        _LIMIT,
        (
            "A payment counts if it is just below the limit that was in force on the day it was "
            "approved (`approved_on`)."
        ),
        "A supplier is abnormal if three or more payments to it count.",
    ),
    "split_invoice": (
        "they come from the same supplier, and the same person applied for both;",
        "their dates (`invoice_date`) are no more days apart than Finance says;",
        "each is lower than the approval limit in force, and together they reach or exceed it.",
        f"Every payment that belongs to a split purchase counts. {_ONE_PAYMENT}",
    ),
    "duplicate_invoice": (
        "if the supplier, the supplier's own invoice number (`supplier_number`) and the amount are",
        "ignore capitals, blanks and dashes.",
        "Payments to two different suppliers are never for the same invoice,",
        "The later of the two payments counts, unless the supplier has refunded it.",
        _ONE_PAYMENT,
    ),
    "amount_differs": (
        (
            "A payment counts if its invoice exceeds the approved amount by more than the "
            "tolerance, which is a percentage of the approved amount."
        ),
        f"use the new amount instead of the one in the register. {_ONE_PAYMENT}",
    ),
    "self_approved": (
        "A payment counts if the person who applied for it also approved it.",
        (
            "Only `signed_by` in the register of approvals shows who approved it; the approver in "
            "the ledger does not count."
        ),
        "If `signed_by` is a name, that person approved the payment.",
        'If it is "for NAME", the deputy of NAME did.',
        "NAME has the same deputy for all the months under review,",
        _ONE_PAYMENT,
    ),
}
"""Sentences of the manual about each kind of review that the code implements."""
HINTS = Hints(
    strategy=(
        "The documents alone do not show what is abnormal: several groups of suppliers look "
        "alike, and a fact that is not written down distinguishes them. Read the rules, ask for "
        "the facts, and only then count."
    ),
    where=(
        "The manual for reviews in drive:/financial has a section on the kind of review that your "
        "task names. Any colleague can tell you who in Finance knows a fact. You can read the "
        "ledger and the registers as text or query them as tables."
    ),
    how=(
        "Ask the Finance manager in the chat who knows each fact on your task's list. Then ask "
        "that colleague for it: one message per item, with the name of the ledger's "
        "file. Select the payments that count with sheets_query, or read the files page by page, "
        "and join the registers by invoice_id and approval_id. Add up exactly, check in the manual "
        "whether a limit is included, and write the report."
    ),
)


@dataclass(frozen=True)
class TransactionsBrief:
    """Contents of the objective.

    ``needed`` are figures to ask for, as phrases that complete "who knows …". ``stated`` are
    sentences with figures that need no question.
    """

    kind: str
    ledger: str
    first: date
    last: date
    registers: tuple[str, ...]
    needed: tuple[str, ...]
    stated: tuple[str, ...]
    report: str

    @property
    def file(self) -> str:
        """The name of the ledger's file."""
        return self.ledger.rpartition("/")[2]


OBJECTIVE_RULES = (
    "Please review our payments. The kind of review is",
    "review the payments made from",
    "says which payments count in a review of this kind, and which suppliers are abnormal.",
    "You also need the following items, which are in none of these documents.",
    "For each item, one person in Finance knows it, and any colleague can tell you who that is.",
    "Ask that person in the chat, in a separate message for each item, naming",
    "a JSON object with exactly these fields:",
)
"""Sentences of the objective that honest work relies on."""
OBJECTIVE = TextTemplate(
    TransactionsBrief,
    "Please review our payments. The kind of review is “{kind}”. The ledger is {ledger}; "
    "review the payments made from {first} to {last}.\n"
    "{registers}"
    "Finance's manual for reviews in drive:/financial says which payments count in a review of "
    "this kind, and which suppliers are abnormal. You also need the following items, which are "
    "in none of these documents. For each item, one person in Finance knows it, and any colleague "
    "can tell you who that is. Ask that person in the chat, in a separate message for each item, "
    "naming {file}:\n"
    "{needed}\n"
    "{stated}"
    "Hand in {report}, a JSON object with exactly these fields:\n" + ReviewReport.describe(),
    {
        "kind": one_of(HEADINGS),
        "ledger": PATH,
        "registers": or_nothing(
            separated(PATH, "\n", before="- "),
            before="The registers of invoices and approvals are:\n",
            after="\n",
        ),
        "needed": separated(LINE, "\n", before="- "),
        "stated": or_nothing(separated(LINE, "\n"), after="\n"),
        "report": PATH,
    },
)


def rules_for(brief: TransactionsBrief) -> tuple[str, ...]:
    """Return a further sentence that honest work relies on if the review has registers."""
    return ("The registers of invoices and approvals are:",) if brief.registers else ()


# contacts ---------------------------------------------------------------------------------

CONTACT_ASKS = (
    "Whom do I ask about the review of {file}?",
    "Who in Finance can help me with the review of {file}?",
    "Who are the contacts for the review of {file}?",
    "Which colleagues have the figures for the review of {file}?",
    "Who knows the figures that I need to review {file}?",
    "Whom should I contact in Finance when I review {file}?",
    "Who is responsible in Finance for the review of {file}?",
    "Who do I go to in Finance with questions about {file}?",
)


def contacts(file: str) -> ValueTemplate[Mapping[str, str]]:
    """Return the sentence that says who knows which figure for the review of *file*."""
    subject = Converter(r"[^;.]+", str)
    known = pairs(FULL_NAME, " knows ", subject, "; ")
    return ValueTemplate(f"For the review of {file}: {{value}}.", known)


def contacts_referral(file: str, figures: Sequence[tuple[ToldFigure, Person]]) -> ReferralPublished:
    """Return the public answer that says who knows which figure."""
    return ReferralPublished(
        topic=f"contacts for the review of {file}",
        asks=tuple(ask.format(file=file) for ask in CONTACT_ASKS),
        keys=(file,),
        text=contacts(file).render({person.name: figure.subject for figure, person in figures}),
    )
