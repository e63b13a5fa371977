"""What a colleague knows changes, and who was told something else hears of it."""

from __future__ import annotations

from tests.world.office import MARA, ROBIN, at, do, office, wait_until
from trainee_bench.world.apps.chat import Chat, ChatMessage, ClueRevised
from trainee_bench.world.colleagues.knowledge import Clue, ClueAdded, Knowledge
from trainee_bench.world.world import World

CLUE = Clue(
    id="T1/owner",
    holder=MARA,
    payload="Runa Falk looks after the website.",
    asks=(
        "Who is responsible for the company website today?",
        "Which engineer is in charge of the company website?",
        "Who looks after the website at the moment?",
        "Whom should I contact about a problem with the website?",
        "Who takes care of the company's site these days?",
    ),
)
REVISED = ClueRevised(
    clue=CLUE.id, payload="Jonas Weil looks after the website.", opening="I was wrong:"
)


async def opened() -> World:
    world = await office(ClueAdded(clue=CLUE), later=((at(12), REVISED),))
    await wait_until(world, at(10))
    return world


async def ask(world: World, minutes: int = 60) -> str:
    sent = await do(world, lambda tx: Chat(tx).send(MARA, CLUE.asks[0]), minutes=minutes)
    return next(one.text for one in await history(world) if one.answers == sent.id)


async def history(world: World) -> list[ChatMessage]:
    return list(await do(world, lambda tx: Chat(tx).history("", 0, 0)))


async def test_who_was_told_hears_unasked_what_is_right() -> None:
    async with await opened() as world:
        assert CLUE.payload in await ask(world)
        await wait_until(world, at(12, 1))
        last = (await history(world))[-1]
        assert (last.sender, last.to, last.text) == (
            MARA,
            ROBIN,
            "I was wrong: Jonas Weil looks after the website.",
        )


async def test_who_was_not_told_hears_nothing_and_is_told_the_right_thing_when_they_ask() -> None:
    async with await opened() as world:
        await wait_until(world, at(12, 30))
        assert await history(world) == []
        assert REVISED.payload in await ask(world)


async def test_a_clue_that_nobody_knows_is_not_revised() -> None:
    async with await office(REVISED) as world:
        assert await history(world) == []
        assert not await world.read(lambda tx: Knowledge(tx).has_clue(CLUE.id))
