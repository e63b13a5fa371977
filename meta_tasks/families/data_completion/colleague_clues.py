"""Who knows the current rates, and how one asks for them."""

from __future__ import annotations

from dataclasses import dataclass

from trainee_bench.meta_tasks.families.data_completion.rate_datasets import (
    ETA_DISTANCE_SLA,
    RATES_CLUE,
    TAX_FEE,
    RateDatasetKind,
)
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.company.people import Person

MANUAL = "drive:/data_completion/manuals_for_data_completion.md"
_MANUAL_ASKS = (
    "Where is the manual for data completion?",
    "Is there a handbook about completing data sets?",
    "Where can I read how missing values in our tables are calculated?",
    "Which document explains how to fill empty cells of a data set?",
    "How are the blanks in a table to be filled? Is there a guide?",
    "Where do I find the rules for completing data?",
)


@dataclass(frozen=True)
class _RatePhrases:
    """How one asks what the rates are, and who knows them; {file} and {month} stand for these."""

    noun: str
    what: tuple[str, ...]
    who: tuple[str, ...]


_WORDS = {
    TAX_FEE.name: _RatePhrases(
        "fee rates",
        (
            "What are the fee rates for {month}?",
            "Which fee rates apply to the categories A, B and C?",
            "Could you tell me the current rates of the transaction fee?",
            "What percentage do we charge as a fee in each category at the moment?",
            "I need the fee rate of every transaction category for {month}.",
            "How high is the fee on transactions in category A, B and C now?",
            "Which tax and fee rates hold for {file}?",
            "What rates should I use for the fees in {file}?",
        ),
        (
            "Who keeps the fee rates for {file}?",
            "Who takes care of the current transaction fee rates?",
            "Who sets the fee rates for {month}?",
            "Whom do I ask about the fee rates of {month}?",
            "Who in Finance is responsible for the fee rates?",
            "Which colleague keeps the rates of the transaction fee?",
            "Who can tell me the fee rates for {file}?",
        ),
    ),
    ETA_DISTANCE_SLA.name: _RatePhrases(
        "carriers' speeds and handling times",
        (
            "What speeds and handling times hold for the carriers in {month}?",
            "How fast do the carriers X, Y and Z drive, and how long is their handling?",
            "Could you tell me the current speed and handling time of each carrier?",
            "Which SLA do we have with the carriers X, Y and Z now?",
            "I need the carriers' speed in km/h and their handling hours for {month}.",
            "What are the carriers' handling times?",
            "What service levels were agreed with the carriers for {month}?",
            "Which carrier speeds and handling times apply to {file}?",
            "What speed and handling should I use for the shipments in {file}?",
        ),
        (
            "Who keeps the carriers' speeds and handling times for {file}?",
            "Who takes care of the carriers' SLA?",
            "Who keeps the current service levels of the carriers?",
            "Who keeps the carriers' speeds and handling times of {month}?",
            "Whom do I ask about the carriers' SLA of {month}?",
            "Who in Sales_1 is responsible for the carriers?",
            "Which colleague agrees on the SLA with the carriers?",
            "Whom do I contact about the speeds and handling times for {file}?",
        ),
    ),
}


def rates_noun(kind: RateDatasetKind) -> str:
    """What the rates of a kind are called."""
    return _WORDS[kind.name].noun


def manual_referral() -> ReferralPublished:
    """Everybody knows where the manual is."""
    return ReferralPublished(
        topic="manual for data completion",
        asks=_MANUAL_ASKS,
        text=f"How missing values are worked out is written down in {MANUAL}.",
    )


def draw_rate_holder(context: TaskContext, kind: RateDatasetKind) -> Person:
    """Who knows the current rates; of two tables of a kind not the same person, if possible."""
    people = context.company.staff(kind.department)
    claims = context.reservations.claims
    free = [person for person in people if _claim(kind, person) not in claims] or people
    (drawn,) = context.pick("keeper", free)
    claims.setdefault(_claim(kind, drawn), context.task)
    return drawn


def _claim(kind: RateDatasetKind, person: Person) -> str:
    return f"{kind.name} kept by {person.id}"


def rates_clue(
    context: TaskContext, kind: RateDatasetKind, holder: Person, file: str, month: str, told: str
) -> Clue:
    """The keeper tells the rates of the month for the file of this name."""
    return Clue(
        id=context.clue_id(RATES_CLUE),
        holder=holder.id,
        asks=tuple(ask.format(file=file, month=month) for ask in _WORDS[kind.name].what),
        keys=(file,),
        payload=f"For {file}, {month}: {told}.",
    )


def rate_holder_referral(
    kind: RateDatasetKind, holder: Person, file: str, month: str
) -> ReferralPublished:
    """Everybody knows who keeps the rates."""
    return ReferralPublished(
        topic=f"{rates_noun(kind)} for {file}",
        asks=tuple(ask.format(file=file, month=month) for ask in _WORDS[kind.name].who),
        text=f"{holder.name} in {kind.department} knows the {rates_noun(kind)} for {file}.",
        person=holder.id,
        keys=(file,),
    )
