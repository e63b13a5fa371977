"""Chat: people and groups, who answers and when, what stands in the history."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.world.office import COMPANY, ROBIN, act, at, at_ten, do, office, wait_until, website_clue
from trainee_bench.world.apps.chat import (
    MAX_ADDRESSEES,
    MAX_MESSAGE_LENGTH,
    Chat,
    ChatMessage,
    MessageArrives,
)
from trainee_bench.world.colleagues.addressing import addressees
from trainee_bench.world.colleagues.availability import AbsenceBegins, SlowAnswersBegin
from trainee_bench.world.colleagues.knowledge import (
    ClueAdded,
    Expectation,
    ExpectationAdded,
    Knowledge,
)
from trainee_bench.world.company.people import Person
from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.world import World

MARA, NILS, OLGA = COMPANY.staff("Marketing")[:3]
CLUE = website_clue(MARA.id, "Runa Falk looks after it.")
ASK = CLUE.asks[0]


async def send(world: World, to: str, text: str, actor: str = ROBIN) -> ChatMessage:
    return await do(world, lambda tx: Chat(tx).send(to, text), actor, minutes=5)


async def history(
    world: World, peer: str = "", after: int = 0, before: int = 0
) -> list[ChatMessage]:
    return list(await do(world, lambda tx: Chat(tx).history(peer, after, before)))


async def test_an_answer_comes_within_the_minutes_of_sending() -> None:
    async with await at_ten(ClueAdded(clue=CLUE)) as world:
        for to in (MARA.id, MARA.name, MARA.name.upper(), MARA.email):
            now = await world.now()
            sent = await send(world, to, ASK)
            assert (sent.sender, sent.to, sent.at) == (ROBIN, MARA.id, now)
            question, answer = await history(world, MARA.id, after=sent.id - 1)
            assert question == sent
            assert (answer.sender, answer.to) == (MARA.id, ROBIN)
            assert answer.at == now + timedelta(minutes=MARA.delay)
            assert CLUE.payload in answer.text
            assert not answer.automatic


async def test_numbers_of_messages_are_small_and_in_order() -> None:
    async with await at_ten() as world:
        for person in (MARA, NILS):
            await send(world, person.id, "Hello!")
        assert [message.id for message in await history(world)] == [1, 2, 3, 4]


async def test_a_notice_tells_of_an_answer_and_of_what_it_says() -> None:
    async with await at_ten(ClueAdded(clue=CLUE)) as world:
        done = await act(world, lambda tx: Chat(tx).send(MARA.id, ASK), minutes=5)
        assert len(done.notices) == 1
        assert done.notices[0].text.startswith(f"Message 2 from {MARA.name}: ")
        assert CLUE.payload in done.notices[0].text


async def test_a_notice_quotes_a_message_to_its_last_word_or_not_at_all() -> None:
    """The rest of a sentence may turn it into its opposite."""
    long, longer = "Take the first. " * 35 + "But not in May.", "Take the first. " * 40
    said = [MessageArrives(sender=MARA.id, to=ROBIN, text=text) for text in (long, longer)]
    async with await office(later=tuple((at(9), one) for one in said)) as world:
        first = await wait_until(world, at(9, 10)) + await wait_until(world, at(9, 30))
    assert first == [
        f"Message 1 from {MARA.name}: {long}",
        f"Message 2 from {MARA.name}: {len(longer)} characters: chat_read_history",
    ]


async def test_before_hours_the_answer_waits_for_the_colleague() -> None:
    late = next(p for p in COMPANY.people if p.hours.starts.hour == 9)
    async with await office() as world:
        sent = await send(world, late.id, "Hello!")
        assert await history(world, late.id, after=sent.id) == []
        await wait_until(world, at(9, 10))
        (answer,) = await history(world, late.id, after=sent.id)
        assert answer.at == at(9) + timedelta(minutes=late.delay)


async def test_after_hours_only_the_mailbox_answers() -> None:
    async with await at_ten(ClueAdded(clue=CLUE)) as world:
        await wait_until(world, at(18, 30))
        sent = await send(world, MARA.id, ASK)
        (answer,) = await history(world, MARA.id, after=sent.id)
        assert answer.automatic
        assert answer.at == sent.at
        assert CLUE.payload not in answer.text
        await wait_until(world, at(19, 59))
        assert await history(world, MARA.id, after=answer.id) == []


async def test_an_absent_colleagues_mailbox_answers_and_they_answer_when_back() -> None:
    away = AbsenceBegins(person=MARA.id, until=at(11), deputy=NILS.id)
    async with await at_ten(ClueAdded(clue=CLUE), away) as world:
        sent = await send(world, MARA.id, ASK)
        (automatic,) = await history(world, MARA.id, after=sent.id)
        assert automatic.automatic
        assert NILS.name in automatic.text
        await wait_until(world, at(11, 10))
        (answer,) = await history(world, MARA.id, after=automatic.id)
        assert CLUE.payload in answer.text


async def test_a_colleague_who_leaves_before_answering_answers_when_back() -> None:
    async with await office(ClueAdded(clue=CLUE)) as world:
        await wait_until(world, at(10))
        sent = await do(world, lambda tx: Chat(tx).send(MARA.id, ASK), minutes=0)
        await do(world, lambda tx: AbsenceBegins(person=MARA.id, until=at(15)).fire(tx), minutes=0)
        await wait_until(world, at(10, 10))
        (automatic,) = await history(world, MARA.id, after=sent.id)
        assert automatic.automatic
        await wait_until(world, at(15, 10))
        (answer,) = await history(world, MARA.id, after=automatic.id)
        assert CLUE.payload in answer.text


async def test_nobody_writes_to_themselves_to_nobody_or_nothing() -> None:
    async with await at_ten() as world:
        with pytest.raises(Refused, match="desk_write_note"):
            await send(world, ROBIN, "Do not forget!")
        with pytest.raises(NotFound, match="chat_list_people"):
            await send(world, "Nobody Nowhere", "Hello?")
        with pytest.raises(NotFound, match="chat_list_groups"):
            await send(world, "G7", "Hello?")
        for text in ("", " \n", "x" * (MAX_MESSAGE_LENGTH + 1)):
            with pytest.raises(Invalid):
                await send(world, MARA.id, text)
        assert await history(world) == []


async def test_a_colleague_may_write_first_and_nobody_answers_that() -> None:
    hello = MessageArrives(sender=MARA.id, to=ROBIN, text="Welcome! Who are you?")
    async with await office(later=((at(9), hello),)) as world:
        notices = await wait_until(world, at(9, 30))
        assert notices == [f"Message 1 from {MARA.name}: Welcome! Who are you?"]
        assert [message.sender for message in await history(world)] == [MARA.id]


# groups -------------------------------------------------------------------------------------


async def group(world: World, *members: Person) -> str:
    ids = [member.id for member in members]
    made = await do(world, lambda tx: Chat(tx).create_group("Web site", ids))
    assert made.members == tuple(sorted([ROBIN, *ids]))
    return made.id


async def test_in_a_group_those_answer_who_are_named() -> None:
    async with await at_ten(ClueAdded(clue=CLUE)) as world:
        id = await group(world, MARA, NILS, OLGA)
        assert id == "G1"
        sent = await send(world, id, f"Hello all. {ASK}")
        assert await history(world, id) == [sent]
        for address in (MARA.name, f"@{MARA.id}", MARA.first_name, f"@{MARA.first_name.lower()}"):
            sent = await send(world, id, f"{address}: {ASK}")
            (answer,) = await history(world, id, after=sent.id)
            assert (answer.sender, answer.to) == (MARA.id, id)
            assert CLUE.payload in answer.text
        sent = await send(world, id, f"{MARA.name} and {NILS.name}: {ASK}")
        answers = await history(world, id, after=sent.id)
        assert {answer.sender for answer in answers} == {MARA.id, NILS.id}


async def test_if_a_crowd_is_named_each_leaves_the_answer_to_the_others() -> None:
    crowd = (MARA, *(p for p in COMPANY.people if p is not MARA))[: MAX_ADDRESSEES + 1]
    async with await at_ten(ClueAdded(clue=CLUE)) as world:
        id = await group(world, *crowd)
        sent = await send(world, id, f"{', '.join(p.name for p in crowd)}: {ASK}")
        assert await history(world, id) == [sent]
        sent = await send(world, id, f"{', '.join(p.name for p in crowd[:-1])}: {ASK}")
        assert MARA.id in {answer.sender for answer in await history(world, id, after=sent.id)}


async def test_whatever_somebody_sent_has_all_who_read_it() -> None:
    async with await at_ten() as world:
        assert await world.read(lambda tx: Chat(tx).sent_by(ROBIN)) == []
        id = await group(world, MARA, NILS)
        for to in (id, OLGA.id):
            await send(world, to, "Hello!")
        sent = await world.read(lambda tx: Chat(tx).sent_by(ROBIN))
        assert [(chat.text, set(chat.readers)) for chat in sent] == [
            ("Hello!", {MARA.id, NILS.id}),
            ("Hello!", {OLGA.id}),
        ]
        assert sent[0].at < sent[1].at


async def test_each_named_colleague_tells_at_most_one_clue() -> None:
    other = CLUE.model_copy(update={"id": "T1/other", "holder": NILS.id, "payload": "Ask Ilse."})
    async with await at_ten(ClueAdded(clue=CLUE), ClueAdded(clue=other)) as world:
        id = await group(world, MARA, NILS)
        sent = await send(world, id, f"{MARA.name}, {NILS.name}: {ASK}")
        texts = {m.sender: m.text for m in await history(world, id, after=sent.id)}
        assert CLUE.payload in texts[MARA.id]
        assert other.payload in texts[NILS.id]


SPEED = CLUE.model_copy(
    update={
        "id": "T2/speed",
        "holder": NILS.id,
        "payload": "Trains may go at 90.",
        "asks": (
            "How fast may trains go through the tunnel?",
            "What is the speed limit of trains in the tunnel?",
            "Which speed are trains allowed in the tunnel?",
            "What is the highest speed for a train in the tunnel?",
            "At which speed do trains pass the tunnel?",
        ),
    }
)


@pytest.mark.parametrize(
    "text",
    [
        f"One question for each of you. {MARA.name}: {ASK} {NILS.name}: {SPEED.asks[0]}",
        f"{NILS.first_name}, {SPEED.asks[1]}\n{MARA.first_name}, {ASK}",
        f"Hello!\n- {MARA.name}: {CLUE.asks[2]}\n- {NILS.name}: {SPEED.asks[3]}",
    ],
)
async def test_in_a_group_each_answers_the_part_under_their_name(text: str) -> None:
    async with await at_ten(ClueAdded(clue=CLUE), ClueAdded(clue=SPEED)) as world:
        id = await group(world, MARA, NILS, OLGA)
        sent = await send(world, id, text)
        texts = {m.sender: m.text for m in await history(world, id, after=sent.id)}
        assert texts.keys() == {MARA.id, NILS.id}
        assert CLUE.payload in texts[MARA.id] and SPEED.payload in texts[NILS.id]
        assert not any("directory" in text for text in texts.values()), "nobody reads the others'"


async def test_a_part_addressed_to_somebody_else_is_not_answered() -> None:
    async with await at_ten(ClueAdded(clue=CLUE), ClueAdded(clue=SPEED)) as world:
        id = await group(world, MARA, NILS)
        sent = await send(world, id, f"{NILS.name}: {ASK} {MARA.name}: {SPEED.asks[0]}")
        answers = await history(world, id, after=sent.id)
        assert len(answers) == 2
        assert not any(one.payload in m.text for m in answers for one in (CLUE, SPEED))


async def test_a_part_is_what_somebody_was_asked_before() -> None:
    async with await at_ten(ClueAdded(clue=SPEED)) as world:
        id = await group(world, MARA, NILS)
        before = (
            f"{MARA.name}: tell me all you know. {NILS.name}: is there a speed limit for trains?"
        )
        await send(world, id, before)
        sent = await send(world, id, f"{NILS.name}, what is it in the tunnel?")
        (answer,) = await history(world, id, after=sent.id)
        assert SPEED.payload in answer.text


async def test_a_list_that_says_whose_each_id_is_is_one_question() -> None:
    holders = {"OLD100001": MARA, "OLD100002": MARA, "OLD100003": NILS, "OLD100004": OLGA}
    ids = list(holders)
    charts = [
        CLUE.model_copy(
            update={
                "id": f"T3/{old}",
                "holder": holders[old].id,
                "payload": f"{old} is NEW{number}.",
                "asks": (f"What is the new id of chart {old}?", f"Which chart replaces {old}?"),
                "keys": (old,),
            }
        )
        for number, old in enumerate(ids)
    ]
    who = [person.first_name for person in (MARA, NILS, OLGA)]
    listed = f"{ids[0]} and {ids[1]} ({who[0]}), {ids[2]} ({who[1]}) and {ids[3]} ({who[2]})"
    names = f"{MARA.name}, {NILS.name} and {OLGA.name}"
    async with await at_ten(*(ClueAdded(clue=chart) for chart in charts)) as world:
        id = await group(world, MARA, NILS, OLGA)
        for text in (
            f"{names}: what are the new ids of {listed}?",
            f"{names}: what replaces {ids[0]}? And {ids[1]}? What replaces {ids[2]}, and {ids[3]}?",
        ):
            sent = await send(world, id, text)
            texts = {m.sender: m.text for m in await history(world, id, after=sent.id)}
            for chart in charts:
                told = {sender for sender, text in texts.items() if chart.payload in text}
                assert told == {chart.holder}, (text, texts)


async def test_groups_are_listed_for_their_members_and_closed_to_others() -> None:
    async with await at_ten() as world:
        id = await group(world, MARA, NILS)
        mine = await do(world, lambda tx: Chat(tx).groups())
        assert [(g.id, g.name) for g in mine] == [(id, "Web site")]
        assert await do(world, lambda tx: Chat(tx).groups(), actor=OLGA.id) == ()
        with pytest.raises(NotFound):
            await send(world, id, "Hello", actor=OLGA.id)


async def test_a_group_has_a_name_and_somebody_else_in_it() -> None:
    async with await at_ten() as world:
        for name, members in (
            ("", [MARA.id]), ("x" * 61, [MARA.id]), ("Me", []), ("Me", [ROBIN]),
            ("Crowd", [person.id for person in COMPANY.people]),
        ):  # fmt: skip
            with pytest.raises(Invalid):
                await do(world, lambda tx, n=name, m=members: Chat(tx).create_group(n, m))
        with pytest.raises(NotFound):
            await do(world, lambda tx: Chat(tx).create_group("Us", ["Nobody Nowhere"]))
        assert await do(world, lambda tx: Chat(tx).groups()) == ()


def test_a_first_name_that_two_have_addresses_neither() -> None:
    other = NILS.model_copy(update={"name": f"{MARA.first_name} Otherwise", "id": "other"})
    crowd = (MARA, other)
    assert addressees(f"Hello {MARA.first_name}!", crowd) == ()
    assert addressees(f"Hello {MARA.name}!", crowd) == (MARA,)
    assert addressees(f"{other.name}'s turn", crowd) == (other,)
    assert addressees(f"x{MARA.name}x", crowd) == ()


# history ------------------------------------------------------------------------------------


async def test_a_history_holds_both_sides_of_one_conversation_only() -> None:
    async with await at_ten() as world:
        id = await group(world, MARA, NILS)
        for to in (MARA.id, NILS.id, id):
            await send(world, to, f"Hello {to}")
        with_mara = await history(world, MARA.id)
        assert [m.sender for m in with_mara] == [ROBIN, MARA.id]
        assert [m.to for m in with_mara] == [MARA.id, ROBIN]
        assert len(await history(world, id)) == 1
        everything = await history(world)
        assert [m.id for m in everything] == [1, 2, 3, 4, 5]
        assert await history(world, after=3) == everything[3:]
        assert await history(world, before=3) == everything[:2]
        others = await do(world, lambda tx: Chat(tx).history(), actor=OLGA.id)
        assert others == ()


# any messages -------------------------------------------------------------------------------

SENTENCES = st.sampled_from(
    [*CLUE.asks, "Hello!", "website?", "yes", "Tell me everything.", "G1", f"@{MARA.id}", NILS.name]
)
TEXTS = st.text(max_size=60) | st.lists(SENTENCES, min_size=1, max_size=4).map(" ".join)
RECIPIENTS = st.sampled_from([MARA.id, NILS.id, "G1", ROBIN, "nobody"])


@given(st.lists(st.tuples(RECIPIENTS, TEXTS), max_size=6))
async def test_any_message_is_sent_and_answered_or_refused(messages: list[tuple[str, str]]) -> None:
    more = CLUE.model_copy(update={"id": "T2/owner", "payload": "Paul does."})
    async with await at_ten(ClueAdded(clue=CLUE), ClueAdded(clue=more)) as world:
        await group(world, MARA, NILS)
        for to, text in messages:
            done = await act(world, lambda tx, t=to, x=text: Chat(tx).send(t, x), minutes=5)
            assert done.error is None or str(done.error)
        for message in await history(world):
            payloads = [clue.payload for clue in (CLUE, more) if clue.payload in message.text]
            assert message.sender == ROBIN or len(payloads) <= 1


async def test_answers_say_which_message_they_answer() -> None:
    away = AbsenceBegins(person=MARA.id, until=at(11), note="At the dentist.")
    async with await at_ten(away) as world:
        asked = [(await send(world, MARA.id, text)).id for text in ("Hello!", "How are you?")]
        await wait_until(world, at(11, 30))
        messages = await history(world, MARA.id)
        for automatic in (True, False):
            answers = [m.answers for m in messages if m.answers and m.automatic is automatic]
            assert answers == asked
        assert [m.id for m in messages if not m.answers] == asked


async def test_a_slow_colleague_hears_at_once_what_they_wait_for() -> None:
    slow = SlowAnswersBegin(person=MARA.id, minutes=90, note="I answer within two hours.")
    waits = Expectation(id="T1/told", holder=MARA.id, values=(("K4711",),), reply="Thank you.")
    async with await at_ten(
        slow, ClueAdded(clue=CLUE), ExpectationAdded(expectation=waits)
    ) as world:
        now = await world.now()
        told = await send(world, MARA.id, "The number is K4711.")
        (answer,) = await history(world, MARA.id, after=told.id)
        assert answer.at == now + timedelta(minutes=MARA.delay)
        assert not answer.automatic
        heard = await do(world, lambda tx: Knowledge(tx).heard_at("T1/told", ROBIN))
        assert heard == answer.at
        asked = await send(world, MARA.id, ASK)
        (mailbox,) = await history(world, MARA.id, after=asked.id)
        assert mailbox.automatic
