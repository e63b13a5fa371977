"""Who in Finance knows which figure, and what everybody says of them and of the manual."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.meta_tasks.families.transactions.review import HiddenFigure
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import Person

CONTACT_ASKS = (
    "Whom do I ask about the review of {file}?",
    "Who in Finance can help me with the review of {file}?",
    "Who are the contacts for the review of {file}?",
    "Which colleagues have the figures for the review of {file}?",
    "Who knows the figures that I need to review {file}?",
    "Whom should I contact in Finance when I review {file}?",
    "Who is responsible in Finance for the review of {file}?",
)
MANUAL_ASKS = (
    "Where is the manual for reviewing transaction data?",
    "How do I review transaction data?",
    "Is there a manual for the review of transactions?",
    "Which document explains how payments are reviewed?",
    "Where do I find Finance's guide to reviews of the ledger?",
    "Where are the instructions for a transaction data review?",
)


def question_template(subject: str) -> str:
    """How one asks for any of the figures."""
    return f"Could you tell me {subject}, for {{file}}?"


def draw_holders(context: TaskContext, count: int) -> tuple[Person, ...]:
    """As many different people of Finance; in small companies executives and others, too."""
    tiers = (context.company.staff(name) for name in ("Finance", EXECUTIVE, "HR"))
    found: list[Person] = []
    for tier in tiers:
        if len(found) < count:
            found += tier
    return context.pick("holders", found, count)


def figure_clue(context: TaskContext, file: str, figure: HiddenFigure, holder: Person) -> Clue:
    """What one colleague knows about the review of *file*."""
    asks = (*figure.asks, question_template(figure.subject))
    return Clue(
        id=context.clue_id(figure.clue),
        holder=holder.id,
        asks=tuple(ask.replace("{file}", file) for ask in asks),
        keys=(file,),
        payload=figure.sentence,
    )


def contacts_referral(
    file: str, told: Sequence[HiddenFigure], people: Sequence[Person]
) -> ReferralPublished:
    """Whom one has to ask for which figure; everybody knows."""
    who = "; ".join(
        f"{person.name} knows {figure.subject}" for figure, person in zip(told, people, strict=True)
    )
    return ReferralPublished(
        topic=f"contacts for the review of {file}",
        asks=tuple(ask.replace("{file}", file) for ask in CONTACT_ASKS),
        keys=(file,),
        text=f"For the review of {file}: {who}.",
    )


def manual_referral(path: str) -> ReferralPublished:
    """Where the manual is; everybody knows."""
    return ReferralPublished(
        topic="manual for reviews of transaction data",
        asks=MANUAL_ASKS,
        text=f"Finance's manual for reviewing transaction data is {path}.",
    )
