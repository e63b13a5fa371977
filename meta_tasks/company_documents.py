"""The parts of every company that do not depend on tasks: files on the drive, referrals, small
talk.

The folder `company_drive/` has the drive's ordinary files in the same folders as the drive.
Everybody knows who can be asked about what: no referral is secret or drawn.

Small talk tells nothing about any task, needs no answer and ends no wait. Its senders depend on the
day alone, never on its tasks or secrets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, time, timedelta
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from trainee_bench.meta_tasks.scenario import ScenarioDay
from trainee_bench.meta_tasks.sent_texts import topic_sentences
from trainee_bench.world.apps.chat import SmallTalk
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import Company, Manner, Person
from trainee_bench.world.random_streams import random_stream
from trainee_bench.world.transaction import Event, Transaction, WorkingDay

_FOLDER = "company_drive"


@cache
def drive_files() -> dict[str, str]:
    """Return the ordinary files of the drive: text by path, sorted by path."""
    return dict(sorted(_texts(files("trainee_bench.meta_tasks") / _FOLDER, "drive:")))


def _texts(folder: Traversable, path: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for entry in folder.iterdir():
        inner = f"{path}/{entry.name}"
        if entry.is_dir():
            found += _texts(entry, inner)
        else:
            found.append((inner, entry.read_text(encoding="utf-8")))
    return found


_CONTRACT = (
    "Whom do I ask about my contract?",
    "Who can tell me about payroll and my payslip?",
    "I have a question about my leave; who can answer it?",
    "Who handles salaries here?",
    "Where do I turn with questions about holidays and sick leave?",
    "Who takes care of employment contracts?",
    "My salary has not arrived. Whom should I talk to?",
    "Who can help me with my pay?",
    "Whom do I talk to about missing wages?",
    "My paycheck has not come; who can help me?",
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
    "My salary, wages, paycheck or pay slip: I have not been paid, or not the right amount.",
    "My pay has not reached my bank account: no money was credited or transferred this month.",
    "My wages never turned up, and my bank account is empty or overdrawn.",
    "Payday has passed, and I have seen nothing of my money.",
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
    "A lady from a shop is on the phone; she has delivered goods and has not seen a cent.",
)
_SYSTEMS = (
    "Administrators of the company's systems, servers, databases and web pages.",
    "On-call engineers and whose turn it is.",
    "A system or tool misbehaves, and I need the right engineer: whose is it?",
)


def referrals(company: Company) -> tuple[ReferralPublished, ...]:
    """Return what colleagues say when they do not know an answer, by topic. A topic with a page on
    the drive is about what the page says."""
    about = {path: topic_sentences(text) for path, text in drive_files().items()}
    hr, finance = _manager(company, "HR"), _manager(company, "Finance")
    return (
        ReferralPublished(
            topic="contract, payroll and leave",
            asks=_CONTRACT,
            text=f"HR handles contracts, payroll and leave; ask {hr.name}. The rules for them are "
            "in drive:/human_resources.",
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
            text=f"Finance handles invoices and payments; ask an accountant or {finance.name}.",
            person=finance.id,
            about=(*_OWED, *about["drive:/financial/paying_invoices.md"]),
        ),
        ReferralPublished(
            topic="procurement rules",
            asks=_BUYING,
            text="The procurement rules, drive:/financial/procurement_rules.md, say what may be "
            "bought, up to which limits, and who checks the requests.",
            about=about["drive:/financial/procurement_rules.md"],
        ),
        ReferralPublished(
            topic="responsibility for IT",
            asks=_IT,
            text=f"HR keeps the roster of who is on call for which system; ask {hr.name}.",
            person=hr.id,
            about=_SYSTEMS,
        ),
    )


def _manager(company: Company, department: str) -> Person:
    return company.department(department).managers[0]


_SPANS = ((time(10, 0), 80), (time(13, 30), 150))
"""The time from which the first and the second message may come, and for how many minutes."""
_SAID: dict[Manner, tuple[str, ...]] = {
    "brisk": (
        "There's cake in the kitchen. Be quick.",
        "The coffee machine works again, just so you know.",
        "If you are missing a blue umbrella, it is at the front door.",
        "The lift is slow today. Take the stairs if you're in a hurry.",
    ),
    "warm": (
        "Hello! There are biscuits in the kitchen. Help yourself!",
        "I hope your day is going well! No need to answer.",
        "If you need a break, the sun is out and the bench behind the building is free!",
        "It's my birthday and there's far too much cake. Please have a piece!",
    ),
    "formal": (
        "Good day. I hope you are settling in well. There is no need to reply.",
        "If you would like a quiet place for lunch, the bench in the garden is dry again.",
        "A grey scarf was found in the corridor. If it is yours, it is hanging by the door.",
        "I have put a bowl of apples in the kitchen. Please feel free to take one.",
    ),
    "dry": (
        "They have repaired the coffee machine. The coffee tastes the same.",
        "Somebody has watered the plastic plant by your desk again. It looks no better.",
        "It's raining. You may have noticed.",
        "There is cake in the kitchen. Not for long.",
    ),
}


def small_talk(
    company: Company, bounds: WorkingDay, day: ScenarioDay
) -> Iterator[tuple[datetime, SmallTalk]]:
    """Return small talk on a scenario's day, within its *bounds*, in order of time. Each message
    comes from a different colleague, during their hours."""
    scenario = day.scenario
    draws = random_stream(scenario.stream_seed, scenario.name, day.day, "small talk")
    staff = [person for person in company.people if person.department != EXECUTIVE]
    people = draws.sample(staff, min(len(staff), len(_SPANS)))
    for number, (person, (first, minutes)) in enumerate(zip(people, _SPANS, strict=False)):
        later = timedelta(minutes=draws.randrange(minutes))
        at = datetime.combine(bounds.starts.date(), first) + later
        text = draws.choice(_SAID[person.manner])
        at_work = person.hours.starts <= at.time() < person.hours.ends
        if number < scenario.small_talk and at_work and bounds.starts < at < bounds.ends:
            yield at, SmallTalk(sender=person.id, to=company.trainee.id, text=text)


def initial_events(company: Company) -> tuple[Event, ...]:
    """Return the events that set up a day at *company*, in a fixed order."""
    appear = (FileAppears(path=path, text=text) for path, text in drive_files().items())
    return (*appear, *referrals(company))


def enqueue_ordinary_events(
    tx: Transaction,
    company: Company,
    days: Sequence[WorkingDay],
    day: ScenarioDay,
    events: Iterable[Event] | None = None,
) -> None:
    """Enqueue what happens on all *days* of a world: its first state, and small talk. *events* take
    the place of those of the built-in company."""
    for event in initial_events(company) if events is None else events:
        tx.enqueue(days[0].starts, event)
    for number, bounds in zip(day.scenario.days_in_world(day.day), days, strict=True):
        for at, chat in small_talk(company, bounds, day.model_copy(update={"day": number})):
            tx.enqueue(at, chat)
