"""Public topics that name who keeps a figure: the keeper gives it, everybody else names them."""

from __future__ import annotations

import pytest

from tests.meta_tasks.days import staged, told_by
from tests.world.office import COMPANY, ROBIN, at_ten, do
from trainee_bench.harness.testbench.staged_day import StagedDay
from trainee_bench.world.apps.chat import Chat
from trainee_bench.world.colleagues.knowledge import Clue, ClueAdded, Knowledge
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.world import World

RULES = (
    "ads_strategy.balanced.very_easy",
    "data_completion.transactions.tax_fee.very_easy",
    "data_completion.logistics.eta_distance_sla.very_easy",
    "transactions.n2.a0",
    "transactions.duplicate_invoice.s1",
    "transactions.just_below.s1",
    "transactions.split_invoice.s1",
    "transactions.amount_differs.s1",
    "transactions.self_approved.s1",
)
"""Every kind of task with a public topic that names the keepers of its figures."""
KEEPER, NEIGHBOUR = COMPANY.staff("Finance")[:2]
LIMIT = Clue(
    id="T1/limit",
    holder=KEEPER.id,
    payload="Two people sign from EUR 4,000 on.",
    asks=(
        "From which amount on do two people sign, for ledger.csv?",
        "What is the approval limit for ledger.csv?",
        "Which payments in ledger.csv need two signatures?",
        "Up to which sum does one signature suffice in ledger.csv?",
        "How high is the limit for one signature, for ledger.csv?",
    ),
    keys=("ledger.csv",),
)
CONTACT = ReferralPublished(
    topic="contact for ledger.csv",
    asks=(
        "Whom do I ask about ledger.csv?",
        "Who knows the approval limit for ledger.csv?",
        "Who in Finance can help me with ledger.csv?",
        "Who is the contact for the review of ledger.csv?",
        "Which colleague keeps the limit for ledger.csv?",
    ),
    text=f"{KEEPER.name} in Finance keeps the approval limit for ledger.csv.",
    person=KEEPER.id,
    keys=("ledger.csv",),
)
WHO = CONTACT.asks[1]


async def ask(world: World, person: str, text: str) -> str:
    """Write to somebody, and return their reply within five minutes."""
    sent = await do(world, lambda tx: Chat(tx).send(person, text), minutes=5)
    (answer,) = await do(world, lambda tx: Chat(tx).history(person, after=sent.id), minutes=0)
    return answer.text


async def released(world: World, clue: str) -> bool:
    return await world.read(lambda tx: Knowledge(tx).told_at(clue, ROBIN)) is not None


def kept(day: StagedDay) -> list[tuple[ReferralPublished, Clue]]:
    """Return the public topics that name a keeper, with the figure of each keeper."""
    (task,) = day.composition.tasks
    people = day.composition.company
    topics = [planned.event for planned in task.instance.hidden.events]
    return [
        (topic, clue)
        for topic in topics
        if isinstance(topic, ReferralPublished) and topic.keys
        for clue in task.instance.hidden.clues
        if people.person(clue.holder).name in topic.text
    ]


@pytest.mark.parametrize("rule", RULES)
async def test_the_keeper_of_a_figure_who_is_asked_for_its_keeper_gives_it(rule: str) -> None:
    async with staged(rule) as day:
        pairs = kept(day)
        assert {clue for _, clue in pairs} == set(day.composition.tasks[0].instance.hidden.clues)
        for topic, clue in pairs:
            for question in topic.asks:
                assert clue.payload in await told_by(day, clue.holder, question), question


@pytest.mark.parametrize("rule", RULES)
async def test_everybody_else_who_is_asked_for_a_figure_names_its_keeper(rule: str) -> None:
    async with staged(rule) as day:
        people = day.composition.company
        holders = {clue.holder for _, clue in kept(day)}
        stranger = next(p for p in people.staff("Finance") if p.id not in holders)
        for _, clue in kept(day):
            for question in clue.asks:
                said = await told_by(day, stranger.id, question)
                assert people.person(clue.holder).name in said, question
                assert clue.payload not in said


async def test_nobody_names_a_keeper_whom_no_public_topic_names() -> None:
    async with staged("kb_fix.easy") as day:
        (task,) = day.composition.tasks
        people = day.composition.company
        holders = {clue.holder for clue in task.instance.hidden.clues}
        stranger = next(person for person in people.people if person.id not in holders)
        for clue in task.instance.hidden.clues:
            said = await told_by(day, stranger.id, clue.asks[0])
            assert people.person(clue.holder).name not in said
            assert clue.payload not in said


async def test_a_keeper_tells_only_what_may_be_told_yet() -> None:
    waits = LIMIT.model_copy(update={"after": ("T1/number",), "not_yet": "Which file is it?"})
    async with await at_ten(ClueAdded(clue=waits), CONTACT) as world:
        said = await ask(world, KEEPER.id, WHO)
        assert waits.not_yet in said and waits.payload not in said
        assert not await released(world, waits.id)
    silent = waits.model_copy(update={"not_yet": ""})
    async with await at_ten(ClueAdded(clue=silent), CONTACT) as world:
        said = await ask(world, KEEPER.id, WHO)
        assert said == "I keep the approval limit for ledger.csv."


async def test_a_figure_given_to_somebody_who_asked_for_its_keeper_counts_as_told() -> None:
    async with await at_ten(ClueAdded(clue=LIMIT), CONTACT) as world:
        assert KEEPER.name in await ask(world, NEIGHBOUR.id, WHO)
        assert KEEPER.name in await ask(world, NEIGHBOUR.id, LIMIT.asks[2])
        assert not await released(world, LIMIT.id)
        assert LIMIT.payload in await ask(world, KEEPER.id, WHO)
        assert await released(world, LIMIT.id)
