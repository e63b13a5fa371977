"""Whom people at the company refer one another to: the customs that everybody knows.

Nothing of it is secret, and nothing of it is drawn.
"""

from __future__ import annotations

from trainee_bench.meta_tasks.drive_pages import drive_files
from trainee_bench.meta_tasks.sent_texts import topic_sentences
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.company.people import Company, Person

_CONTRACT = (
    "Whom do I ask about my contract?",
    "Who can tell me about payroll and my payslip?",
    "I have a question about my leave; who can answer it?",
    "Who handles salaries here?",
    "Where do I turn with questions about holidays and sick leave?",
    "Who takes care of employment contracts?",
    "My salary has not arrived. Whom should I talk to?",
    "Who can help me with my pay?",
)
_HANDBOOK = (
    "Where do I find the intern handbook?",
    "Is there a handbook for trainees?",
    "Is there a guide for interns who have just started?",
    "Where is the handbook?",
    "What should an intern read first?",
    "Which document explains how things work here for trainees?",
    "Is there a welcome guide for newcomers?",
    "Where can a new colleague read how we work here?",
)
_PAYING = (
    "Who can help me with an invoice?",
    "Whom do I ask when an invoice has not been paid?",
    "Who is responsible for paying suppliers?",
    "Where do I send a bill I have received?",
    "Who pays our suppliers' invoices?",
    "Whom should I contact about a payment?",
)
_BUYING = (
    "Where are the procurement rules?",
    "What are the limits for buying equipment?",
    "Are there rules for purchases?",
    "How much may one person spend on equipment?",
    "Where can I read what the company allows us to order?",
    "Which purchasing policy do we have?",
    "What may I order, and up to which amount?",
    "Where are the rules for ordering hardware?",
)
_IT = (
    "Who is responsible for our IT?",
    "Who is responsible for the website?",
    "Who looks after our servers?",
    "Whom do I ask about IT responsibilities?",
    "Who can tell me who is in charge of a system?",
    "Who runs the company's website and databases?",
)


_PAY_AND_LEAVE = (
    "My salary, my wages or my pay slip: I have not been paid, or not the right amount.",
    "My pay has not reached my bank account: no money was credited or transferred this month.",
    "My employment contract, its end, my working hours and notice.",
    "Holidays, days off, parental leave, sick notes and certificates.",
    "Pension, social insurance, income tax on my pay.",
)
_NEW_HERE = (
    "My first day, my first week: what new people read, and how things are done here.",
    "I am new, have just joined the company and do not know my way around.",
)
_OWED = (
    "A supplier or another firm has not got its money, sends a reminder, or phones about its bill.",
    "Something was delivered, and we have not settled the invoice for it.",
)
_SYSTEMS = (
    "Administrators of the company's systems, servers, databases and web pages.",
    "On-call engineers and whose turn it is.",
)


def referrals(company: Company) -> tuple[ReferralPublished, ...]:
    """What colleagues say who do not know themselves, by topic. A topic with a page on the drive
    is about what the page says."""
    about = {path: topic_sentences(text) for path, text in drive_files().items()}
    hr, finance = _manager(company, "HR"), _manager(company, "Finance")
    return (
        ReferralPublished(
            topic="contract, payroll and leave",
            asks=_CONTRACT,
            text=f"Contract, payroll and leave are with HR; ask {hr.name}. Some of it is written "
            "down in drive:/human_resources.",
            person=hr.id,
            about=(*_PAY_AND_LEAVE, *about["drive:/human_resources/leave_and_absence.md"]),
        ),
        ReferralPublished(
            topic="intern handbook",
            asks=_HANDBOOK,
            text="The handbook for interns and trainees is drive:/handbook/intern_handbook.md.",
            about=(*_NEW_HERE, *about["drive:/handbook/intern_handbook.md"]),
        ),
        ReferralPublished(
            topic="invoices and payments",
            asks=_PAYING,
            text=f"Invoices and payments are with Finance; ask an accountant or {finance.name}.",
            person=finance.id,
            about=(*_OWED, *about["drive:/financial/paying_invoices.md"]),
        ),
        ReferralPublished(
            topic="procurement rules",
            asks=_BUYING,
            text="Those are in the procurement rules, drive:/financial/procurement_rules.md.",
            about=about["drive:/financial/procurement_rules.md"],
        ),
        ReferralPublished(
            topic="responsibility for IT",
            asks=_IT,
            text=f"HR keeps the list of who looks after which system; ask {hr.name}.",
            person=hr.id,
            about=_SYSTEMS,
        ),
    )


def _manager(company: Company, department: str) -> Person:
    return company.department(department).managers[0]
