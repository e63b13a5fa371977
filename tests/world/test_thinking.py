"""Thinking that takes time: an action of the world itself, which its log repeats."""

from __future__ import annotations

import pytest

from tests.world.office import MARA, OPENING, ROBIN, act, at, office
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.log_replay import ReplayDiverged, replay_log
from trainee_bench.world.apps.mail import MailArrives
from trainee_bench.world.thinking import THINK, ThinkingTime, think
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

MAIL = MailArrives(sender=MARA, to=(ROBIN,), subject="While you were thinking", body="Here.")


def look(tx: Transaction) -> None:
    """Do nothing."""


async def with_mail() -> World:
    """An office that gets a mail at 08:05."""
    return await office(later=((at(8, 5), MAIL),))


async def test_what_is_due_meanwhile_happens_and_is_told_with_the_next_result() -> None:
    async with await with_mail() as world:
        thought = await think(world, ThinkingTime(minutes=12))
        assert (thought.at, thought.now, thought.notices) == (at(8), at(8, 12), ())
        done = await act(world, look)
        (told,) = done.notices
        assert (done.at, told.at) == (at(8, 12), at(8, 5))
        assert "While you were thinking" in told.text


async def test_the_day_may_end_while_the_employee_thinks_and_nothing_goes_on_after_it() -> None:
    async with await office() as world:
        await act(world, lambda tx: tx.extend_until(at(19, 50)))
        assert (await think(world, ThinkingTime(minutes=45))).now == OPENING.ends
        done = await act(world, look)
        assert done.error is not None and "ended at 20:00" in str(done.error)


async def test_it_is_logged_as_the_worlds_own_and_repeats_bit_exactly() -> None:
    async with await with_mail() as world, await with_mail() as again:
        await think(world, ThinkingTime(minutes=12))
        (entry,) = await world.log()
        assert (entry.actor, entry.tool, entry.arguments) == ("", THINK, {"minutes": 12})
        await replay_log(again, [entry])
        assert await again.digest() == await world.digest()


@pytest.mark.parametrize("minutes", [11, 0, -3, 100_000, "12", None, 1.5])
async def test_other_minutes_than_those_that_passed_are_a_difference(minutes: object) -> None:
    async with await office() as world, await office() as again:
        await think(world, ThinkingTime(minutes=12))
        (entry,) = await world.log()
        lie = entry.model_copy(update={"arguments": {"minutes": minutes}})
        with pytest.raises(ReplayDiverged):
            await replay_log(again, [lie])


def test_no_agent_is_offered_it() -> None:
    assert THINK not in {tool.name for box in discover_toolboxes().values() for tool in box}
