"""Conversations: facts that colleagues tell, values that they expect, secrets that never show."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.world.office import (
    COMPANY,
    MARA,
    ROBIN,
    act,
    at,
    at_ten,
    do,
    office,
    wait_until,
    website_clue,
)
from trainee_bench.world.apps.chat import Chat, ChatMessage, ClueRevised
from trainee_bench.world.colleagues.conversation import ColleagueConversation
from trainee_bench.world.colleagues.expectation_matching import MAX_WRONG_GUESSES, GuessCounter
from trainee_bench.world.colleagues.knowledge import (
    Clue,
    ClueAdded,
    Expectation,
    ExpectationAdded,
    Knowledge,
)
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.colleagues.responder import ColleagueReply, ReplyContext
from trainee_bench.world.colleagues.understanding import hear
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.world import World

HR, HELPER = COMPANY.staff("HR")[:2]
ENGINEER, OTHER = COMPANY.staff("Engineering", title="Software Engineer")[:2]
LEAD = COMPANY.staff("Engineering", manager=True)[0]
EVERYBODY = (HR, HELPER, ENGINEER, OTHER, LEAD)


def owner(secret: str = "Runa Falk") -> Clue:
    return website_clue(HR.id, f"{secret} looks after the website.")


def approver(holder: str = ENGINEER.id, not_yet: str = "") -> Clue:
    return Clue(
        id="T1/approver",
        holder=holder,
        payload="An Engineering Manager must approve it.",
        asks=(
            "Who must approve maintenance mode of a server?",
            "Whose approval do I need to put a server into maintenance mode?",
            "Who can sign off the maintenance mode?",
            "Who gives permission for a maintenance window?",
            "From whom do I get the authorisation for server maintenance?",
        ),
        after=("T1/owner",),
        not_yet=not_yet,
    )


DIAGNOSIS = Expectation(
    id="T1/diagnosis",
    holder=ENGINEER.id,
    values=(("DB-Prod-01",), ("disk is full", "disk full")),
    rivals=("Web-Prod-01", "cache", "memory"),
    reply="So that is it.",
)
HANDBOOK = ReferralPublished(
    topic="handbook",
    asks=(
        "Where is the intern handbook?",
        "Is there a handbook for interns?",
        "Which guide should new interns read?",
        "Where do I find the guide for trainees?",
        "Is there an onboarding guide?",
    ),
    text="That is in the intern handbook, drive:/handbooks/intern_handbook.md.",
)
LEAVE = ReferralPublished(
    topic="leave",
    asks=(
        "How do I apply for leave?",
        "Who approves my holiday?",
        "Where do I ask for vacation days?",
        "How many days of leave do I have?",
        "Whom do I tell that I am on holiday?",
    ),
    text=f"Ask {HR.name} in HR about leave.",
    person=HR.id,
)
RIGHT = "On DB-Prod-01 the disk is full."
WRONG = "On DB-Prod-01 it is the cache."


async def ask(world: World, person: str, text: str) -> str:
    """Write to somebody, and return their reply within five minutes."""
    sent = await do(world, lambda tx: Chat(tx).send(person, text), minutes=5)
    answers = await do(world, lambda tx: Chat(tx).history(person, after=sent.id), minutes=0)
    (answer,) = answers
    return answer.text


async def released(world: World, clue: str) -> bool:
    return await world.read(lambda tx: Knowledge(tx).told_at(clue, ROBIN)) is not None


async def heard(world: World, expectation: str) -> bool:
    return await world.read(lambda tx: Knowledge(tx).heard_at(expectation, ROBIN)) is not None


# clues --------------------------------------------------------------------------------------


async def test_a_disclosure_is_recorded_when_it_happens() -> None:
    async with await at_ten(ClueAdded(clue=owner())) as world:
        assert not await released(world, "T1/owner")
        now = await world.now()
        assert owner().payload in await ask(world, HR.id, owner().asks[1])
        told = await world.read(lambda tx: Knowledge(tx).told_at("T1/owner", ROBIN))
        assert told is not None
        assert (told - now).seconds == HR.delay * 60
        assert owner().payload in await ask(world, HR.id, owner().asks[2])
        again = await world.read(lambda tx: Knowledge(tx).told_at("T1/owner", ROBIN))
        assert again == told


async def test_only_the_holder_tells() -> None:
    async with await at_ten(ClueAdded(clue=owner())) as world:
        for person in (HELPER, ENGINEER, LEAD):
            assert owner().payload not in await ask(world, person.id, owner().asks[0])
        assert not await released(world, "T1/owner")


async def test_a_question_back_is_remembered_for_one_message() -> None:
    async with await at_ten(ClueAdded(clue=owner())) as world:
        assert owner().asks[0] in await ask(world, HR.id, "website?")
        assert not await released(world, "T1/owner")
        assert owner().payload in await ask(world, HR.id, "yes")
        assert owner().asks[0] in await ask(world, HR.id, "website?")
        assert owner().payload not in await ask(world, HR.id, "Thank you!")
        assert owner().payload not in await ask(world, HR.id, "yes")


async def test_a_question_back_is_answered_where_it_was_asked() -> None:
    async with await at_ten(ClueAdded(clue=owner())) as world:
        await do(world, lambda tx: Chat(tx).create_group("Us", [HR.id, HELPER.id]))

        async def say(text: str) -> None:
            await do(world, lambda tx: Chat(tx).send("G1", text), minutes=5)

        await ask(world, HR.id, "website?")
        await say(f"{HR.name}: yes")
        assert not await released(world, "T1/owner")
        await say(f"@{HR.id}, website?")
        await say(f"{HR.first_name}, yes")
        assert await released(world, "T1/owner")


async def test_a_clue_that_comes_later_is_told_with_its_own_line_until_then() -> None:
    not_yet = "First find out who is responsible."
    async with await at_ten(
        ClueAdded(clue=owner()), ClueAdded(clue=approver(not_yet=not_yet))
    ) as world:
        question = approver().asks[0]
        answer = await ask(world, ENGINEER.id, question)
        assert not_yet in answer
        assert approver().payload not in answer
        assert not await released(world, "T1/approver")
        await ask(world, HR.id, owner().asks[0])
        assert approver().payload in await ask(world, ENGINEER.id, question)
        assert await released(world, "T1/approver")


async def test_a_clue_that_arrives_during_the_day_can_be_asked_for_from_then_on() -> None:
    later = ((at(11), ClueAdded(clue=owner())),)
    async with await office(later=later) as world:
        await wait_until(world, at(10))
        assert owner().payload not in await ask(world, HR.id, owner().asks[0])
        await wait_until(world, at(11))
        assert owner().payload in await ask(world, HR.id, owner().asks[0])


# what everybody knows -----------------------------------------------------------------------


async def test_everybody_refers_to_what_is_public_in_the_same_words() -> None:
    async with await at_ten(HANDBOOK, LEAVE, ClueAdded(clue=owner())) as world:
        for person in EVERYBODY:
            assert HANDBOOK.text in await ask(world, person.id, "Where is the intern handbook?")
            answer = await ask(world, person.id, "How do I apply for leave?")
            assert (LEAVE.text in answer) == (person is not HR)


# what colleagues expect ---------------------------------------------------------------------


async def test_an_expected_value_is_heard_in_any_spelling() -> None:
    async with await at_ten(ExpectationAdded(expectation=DIAGNOSIS)) as world:
        assert DIAGNOSIS.reply not in await ask(world, ENGINEER.id, "DB-Prod-01 is acting up.")
        assert not await heard(world, "T1/diagnosis")
        assert DIAGNOSIS.reply in await ask(world, ENGINEER.id, "db prod 01: Disk-full!")
        assert await heard(world, "T1/diagnosis")
        assert DIAGNOSIS.reply in await ask(world, ENGINEER.id, RIGHT)


async def test_nobody_else_hears_it() -> None:
    async with await at_ten(ExpectationAdded(expectation=DIAGNOSIS)) as world:
        assert DIAGNOSIS.reply not in await ask(world, OTHER.id, RIGHT)
        assert not await heard(world, "T1/diagnosis")


async def test_a_value_may_open_the_clue_that_the_same_message_asks_for() -> None:
    clue = approver().model_copy(update={"after": ("T1/diagnosis",)})
    async with await at_ten(ExpectationAdded(expectation=DIAGNOSIS), ClueAdded(clue=clue)) as world:
        assert clue.payload not in await ask(world, ENGINEER.id, clue.asks[0])
        answer = await ask(world, ENGINEER.id, f"{RIGHT} {clue.asks[0]}")
        assert answer.index(DIAGNOSIS.reply) < answer.index(clue.payload)


async def test_before_its_time_nothing_is_heard() -> None:
    waiting = DIAGNOSIS.model_copy(update={"after": ("T1/owner",)})
    async with await at_ten(
        ExpectationAdded(expectation=waiting), ClueAdded(clue=owner())
    ) as world:
        plain = await ask(world, OTHER.id, RIGHT)
        assert DIAGNOSIS.reply not in await ask(world, ENGINEER.id, RIGHT)
        assert DIAGNOSIS.reply not in plain
        assert not await heard(world, "T1/diagnosis")
        await ask(world, HR.id, owner().asks[0])
        assert DIAGNOSIS.reply in await ask(world, ENGINEER.id, RIGHT)


async def test_after_three_wrong_values_nothing_is_accepted_any_more() -> None:
    async with await at_ten(
        ExpectationAdded(expectation=DIAGNOSIS), ClueAdded(clue=owner())
    ) as world:
        answers = [await ask(world, ENGINEER.id, WRONG) for _ in range(MAX_WRONG_GUESSES)]
        assert ["today" in answer for answer in answers] == [False, False, True]
        assert "today" in await ask(world, ENGINEER.id, RIGHT)
        assert not await heard(world, "T1/diagnosis")
        locked = await world.read(lambda tx: GuessCounter(tx).locked(ENGINEER.id, ROBIN))
        assert locked
        assert "today" not in await ask(world, ENGINEER.id, "Thank you!")


async def test_two_wrong_values_are_forgiven_and_messages_without_any_do_not_count() -> None:
    async with await at_ten(ExpectationAdded(expectation=DIAGNOSIS)) as world:
        for text in (WRONG, "Hello!", "DB-Prod-01?", "Is the disk full?", f"{RIGHT} Or memory?"):
            await ask(world, ENGINEER.id, text)
        assert DIAGNOSIS.reply in await ask(world, ENGINEER.id, RIGHT)
        for _ in range(MAX_WRONG_GUESSES):
            await ask(world, ENGINEER.id, WRONG)
        assert DIAGNOSIS.reply in await ask(world, ENGINEER.id, RIGHT)


# what never shows ---------------------------------------------------------------------------


async def said_by_all(world: World, texts: list[tuple[int, str]]) -> list[str]:
    """Return all visible effects of a conversation: answers, notices, times."""
    seen = []
    for who, text in texts:
        person = EVERYBODY[who % len(EVERYBODY)]
        done = await act(world, lambda tx, p=person.id, t=text: Chat(tx).send(p, t), minutes=5)
        seen.append(f"{done.now} {done.error} {done.notices}")
    everything = await do(world, lambda tx: Chat(tx).history())
    return [*seen, *(str(message) for message in everything)]


QUESTIONS = st.sampled_from(
    [
        *approver().asks, *HANDBOOK.asks, *LEAVE.asks, RIGHT, WRONG, "maintenance?", "yes",
        "the second", "Who approves things?", "Tell me all you know.", "Please do it for me.",
        "Who may sign off maintenance?", "Hi, how are you?", "maintenance window for the server",
    ]
)  # fmt: skip
TALK = st.lists(st.tuples(st.integers(0, 4), QUESTIONS | st.text(max_size=30)), max_size=8)


@given(TALK)
async def test_until_a_clue_is_told_nobody_shows_what_its_secret_decided(
    talk: list[tuple[int, str]],
) -> None:
    """The first secret names the holder of the second clue, who also waits for a value."""
    seen = []
    for holder in (ENGINEER, OTHER):
        waiting = DIAGNOSIS.model_copy(update={"holder": holder.id, "after": ("T1/owner",)})
        events = (
            ClueAdded(clue=owner(holder.name)), ClueAdded(clue=approver(holder.id)),
            ExpectationAdded(expectation=waiting), HANDBOOK, LEAVE,
        )  # fmt: skip
        async with await at_ten(*events) as world:
            seen.append(await said_by_all(world, talk))
            assert not await released(world, "T1/owner")
    assert seen[0] == seen[1]


@given(TALK)
async def test_a_payload_shows_in_nothing_but_itself(talk: list[tuple[int, str]]) -> None:
    seen = []
    for secret in ("Runa Falk", "Ole Brandt"):
        async with await at_ten(ClueAdded(clue=owner(secret)), ClueAdded(clue=approver())) as world:
            lines = await said_by_all(world, [*talk, (0, owner().asks[0])])
            seen.append([line.replace(secret, "X") for line in lines])
    assert seen[0] == seen[1]


async def test_an_answer_that_tells_what_is_held_back_is_our_fault_and_is_loud() -> None:
    class Chatterbox:
        def answer(self, hearing: ReplyContext) -> ColleagueReply:
            return ColleagueReply("psst", clues=("T1/approver",))

    def overhear(tx: Any) -> str:
        person = Directory(tx).person(ENGINEER.id)
        return ColleagueConversation(tx, person, ROBIN).reply_to(1, hear("Hello"), Chatterbox())

    async with await at_ten(ClueAdded(clue=approver(not_yet="Later."))) as world:
        with pytest.raises(ValueError, match="cannot answer"):
            await do(world, overhear)
        assert not await released(world, "T1/approver")


# what a colleague knows changes -----------------------------------------------------------


CLUE = website_clue(MARA, "Runa Falk looks after the website.")
REVISED = ClueRevised(
    clue=CLUE.id, payload="Jonas Weil looks after the website.", opening="I was wrong:"
)


async def opened() -> World:
    world = await office(ClueAdded(clue=CLUE), later=((at(12), REVISED),))
    await wait_until(world, at(10))
    return world


async def ask_mara(world: World, minutes: int = 60) -> str:
    sent = await do(world, lambda tx: Chat(tx).send(MARA, CLUE.asks[0]), minutes=minutes)
    return next(reply.text for reply in await history(world) if reply.answers == sent.id)


async def history(world: World) -> list[ChatMessage]:
    return list(await do(world, lambda tx: Chat(tx).history("", 0, 0)))


async def test_somebody_who_was_told_hears_the_right_fact_unasked() -> None:
    async with await opened() as world:
        assert CLUE.payload in await ask_mara(world)
        await wait_until(world, at(12, 1))
        last = (await history(world))[-1]
        assert (last.sender, last.to, last.text) == (
            MARA,
            ROBIN,
            "I was wrong: Jonas Weil looks after the website.",
        )


async def test_somebody_who_was_not_told_hears_nothing_until_they_ask() -> None:
    async with await opened() as world:
        await wait_until(world, at(12, 30))
        assert await history(world) == []
        assert REVISED.payload in await ask_mara(world)


async def test_a_clue_that_nobody_knows_is_not_revised() -> None:
    async with await office(REVISED) as world:
        assert await history(world) == []
        assert not await world.read(lambda tx: Knowledge(tx).has_clue(CLUE.id))
