"""The log holds every action as it was: what was asked, what was answered, when."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.world import toy
from tests.world.toy import MORNING, OPENING, ROBIN, ThingAppears, at, put
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import World

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


async def test_an_action_is_logged_as_it_happened(world: World) -> None:
    def verb(tx: Transaction) -> Result[toy.Shelf]:
        tx.enqueue(at(8, 3), ThingAppears(thing="saucer", loud=True))
        return put(tx, "cup")

    done = await world.execute(ROBIN, "put", {"thing": "cup"}, verb, minutes=5)
    (entry,) = await world.log()
    assert entry.seq == done.seq == 1
    assert (entry.actor, entry.tool, entry.arguments) == (ROBIN, "put", {"thing": "cup"})
    assert (entry.at, entry.until) == (MORNING, at(8, 5))
    assert entry.ok and entry.text == "put cup" and entry.data == {"things": ["cup"]}
    assert entry.notices == done.notices
    assert [notice.text for notice in entry.notices] == ["saucer has appeared"]


async def test_a_refusal_is_logged_with_what_was_said(world: World) -> None:
    done = await world.execute(ROBIN, "refuse", {}, toy.put_and_refuse, minutes=45)
    (entry,) = await world.log()
    assert not entry.ok and entry.data is None
    assert entry.text == str(done.error) == "The shelf is full; take something away first."
    assert (entry.at, entry.until) == (MORNING, at(8, 1))


async def test_the_log_is_in_the_order_of_acting_and_its_times_join(world: World) -> None:
    for number in range(5):
        await world.execute(ROBIN, f"put{number}", {}, partial(put, thing="x"), minutes=number)
    log = await world.log()
    assert [entry.seq for entry in log] == [1, 2, 3, 4, 5]
    assert [entry.tool for entry in log] == [f"put{number}" for number in range(5)]
    assert all(one.until == next.at for one, next in pairwise(log))


async def test_a_look_is_not_logged(world: World) -> None:
    await world.read(toy.shelf)
    await world.digest()
    await world.now()
    assert await world.log() == []


@given(arguments=st.dictionaries(st.text(max_size=5), JSON, max_size=4))
async def test_arguments_and_effects_come_back_as_they_were(
    arguments: dict[str, JsonValue],
) -> None:
    async with await World.create(None, OPENING, toy.populate) as world:
        await world.execute(ROBIN, "nothing", arguments, toy.nothing, effects=arguments)
        (entry,) = await world.log()
    assert entry.arguments == arguments and entry.effects == arguments
