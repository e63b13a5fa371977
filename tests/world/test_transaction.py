"""What a verb and an event have to work with: the clock, the queue, notices, facts, effects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.world import toy
from tests.world.toy import EVENING, MORNING, OPENING, ROBIN, ThingAppears, ThingReturns, at
from trainee_bench.world.errors import Refused
from trainee_bench.world.transaction import Event, NoticeKind, Result, Transaction, Verbosity
from trainee_bench.world.world import ActionResult, World

Verb = Callable[[Transaction], Result[toy.Shelf]]


def plan(*events: tuple[datetime, Event]) -> Verb:
    """A verb that enqueues *events*."""

    def verb(tx: Transaction) -> Result[toy.Shelf]:
        for due, event in events:
            tx.enqueue(due, event)
        return toy.nothing(tx)

    return verb


def wait(until: datetime) -> Verb:
    """A verb that waits until *until* or the first notice."""

    def verb(tx: Transaction) -> Result[toy.Shelf]:
        tx.wait_until(until)
        return toy.nothing(tx)

    return verb


def tell(person: str, kind: NoticeKind, text: str) -> Verb:
    """A verb that notifies *person*."""

    def verb(tx: Transaction) -> Result[toy.Shelf]:
        tx.notify(person, kind, text)
        return toy.nothing(tx)

    return verb


async def act(
    world: World, verb: Verb, minutes: int = 1, actor: str = ROBIN
) -> ActionResult[toy.Shelf]:
    return await world.execute(actor, "toy", {}, verb, minutes=minutes)


async def things(world: World) -> tuple[str, ...]:
    return (await world.read(toy.shelf)).things


# the clock and the queue ----------------------------------------------------------------------


async def test_events_happen_by_time_and_then_by_the_order_in_which_they_were_enqueued(
    world: World,
) -> None:
    late, early = at(8, 20), at(8, 10)
    events = [
        (late, ThingAppears(thing="c")),
        (early, ThingAppears(thing="a")),
        (late, ThingAppears(thing="d")),
        (early, ThingAppears(thing="b")),
    ]
    await act(world, plan(*events), minutes=30)
    assert await things(world) == ("a", "b", "c", "d")
    rows = await world.read(lambda tx: [row["at"] for row in tx.rows("SELECT at FROM shelf")])
    assert rows == [early.isoformat()] * 2 + [late.isoformat()] * 2


async def test_an_event_is_due_when_the_clock_reaches_it_and_not_a_minute_before(
    world: World,
) -> None:
    await act(world, plan((at(8, 10), ThingAppears(thing="a"))), minutes=9)
    assert await things(world) == ()
    await act(world, toy.nothing, minutes=1)
    assert await things(world) == ("a",)


async def test_an_event_enqueued_by_an_event_happens_within_the_same_span_of_time(
    world: World,
) -> None:
    await act(world, plan((at(8, 1), ThingReturns(thing="x", minutes=2, times=9))), minutes=5)
    assert await things(world) == ("x at 08:01", "x at 08:03", "x at 08:05")


async def test_an_event_enqueued_for_the_past_happens_next_and_not_in_the_past(
    world: World,
) -> None:
    await act(world, toy.nothing, minutes=30)
    await act(world, plan((at(8, 5), ThingAppears(thing="late"))))
    row = await world.read(lambda tx: tx.row("SELECT at FROM shelf"))
    assert row is not None and row["at"] == at(8, 30).isoformat()


async def test_nobody_acts_while_an_event_happens(world: World) -> None:
    seen = []

    class ActorIsNoted(Event):
        def fire(self, tx: Transaction) -> None:
            seen.append((tx.actor, tx.employee))

    await act(world, plan((at(8, 1), ActorIsNoted())))
    assert seen == [("", ROBIN)]


async def test_an_action_may_last_longer_than_its_minutes(world: World) -> None:
    def attend(tx: Transaction) -> Result[toy.Shelf]:
        tx.extend_until(at(9, 30))
        return toy.nothing(tx)

    assert (await act(world, attend)).now == at(9, 30)


async def test_an_action_cannot_end_before_it_begins(world: World) -> None:
    def go_back(tx: Transaction) -> Result[toy.Shelf]:
        tx.extend_until(tx.now - timedelta(minutes=1))
        return toy.nothing(tx)

    done = await act(world, go_back)
    assert isinstance(done.error, Refused) and "08:00" in str(done.error)
    assert done.now == at(8, 1)


async def test_a_verb_may_let_time_pass_itself_and_say_how_late_it_has_become(
    world: World,
) -> None:
    def verb(tx: Transaction) -> Result[toy.Shelf]:
        tx.enqueue(at(8, 10), ThingAppears(thing="x", loud=True))
        tx.wait_until(at(9))
        tx.advance(tx.until)
        tx.extend_until(tx.now)
        return Result(f"{tx.actor} {tx.now:%H:%M}", toy.shelf(tx))

    done = await act(world, verb)
    assert done.result is not None and done.result.text == "robin 08:10"
    assert done.now == at(8, 10) and len(done.notices) == 1


@given(
    dues=st.lists(st.integers(0, 120), max_size=12),
    steps=st.lists(st.integers(0, 40), max_size=8),
)
async def test_events_happen_once_in_order_and_the_clock_never_goes_back(
    dues: list[int], steps: list[int]
) -> None:
    def stage(tx: Transaction) -> None:
        toy.populate(tx)
        for number, due in enumerate(dues):
            tx.enqueue(at(8) + timedelta(minutes=due), ThingAppears(thing=f"{number}"))

    async with await World.create(None, OPENING, stage) as world:
        now = MORNING
        for minutes in steps:
            done = await act(world, toy.nothing, minutes=minutes)
            assert (done.at, done.now) == (now, now + timedelta(minutes=minutes))
            now = done.now
        passed = sum(steps)
        due = sorted((due, number) for number, due in enumerate(dues) if due <= passed)
        assert await things(world) == tuple(str(number) for _, number in due)


# notices ----------------------------------------------------------------------------------------


async def test_a_notice_is_told_once_with_the_next_result_of_its_person(world: World) -> None:
    await act(world, tell("kim", NoticeKind.MAIL, "for kim"))
    done = await act(world, tell(ROBIN, NoticeKind.MAIL, "for robin"))
    assert [(n.text, n.at, n.kind) for n in done.notices] == [("for robin", at(8, 1), "mail")]
    assert (await act(world, toy.nothing)).notices == ()
    told = (await act(world, toy.nothing, actor="kim")).notices
    assert [notice.text for notice in told] == ["for kim"]


async def test_a_wait_ends_with_the_first_notice_to_the_one_who_waits(world: World) -> None:
    events = [
        (at(8, 10), ThingAppears(thing="quiet")),
        (at(8, 20), ThingAppears(thing="first", loud=True)),
        (at(8, 20), ThingAppears(thing="same minute", loud=True)),
        (at(8, 30), ThingAppears(thing="second", loud=True)),
    ]
    await act(world, plan(*events), minutes=0)
    done = await act(world, wait(at(12)))
    assert done.now == at(8, 20)
    assert [n.text for n in done.notices] == ["first has appeared", "same minute has appeared"]
    assert await things(world) == ("quiet", "first", "same minute")
    assert (await act(world, wait(at(12)))).now == at(8, 30)
    assert (await act(world, wait(at(12)))).now == at(12)


async def test_a_wait_does_not_end_with_a_notice_to_somebody_else(world: World) -> None:
    await act(world, plan((at(8, 20), ThingAppears(thing="x", loud=True))), minutes=0)
    assert (await act(world, wait(at(12)), actor="kim")).now == at(12)


async def test_a_notice_of_the_waiting_action_itself_does_not_end_the_wait(world: World) -> None:
    def verb(tx: Transaction) -> Result[toy.Shelf]:
        tx.notify(ROBIN, NoticeKind.MAIL, "already there")
        tx.wait_until(at(9))
        return toy.nothing(tx)

    assert (await act(world, verb)).now == at(9)


@pytest.mark.parametrize(
    "verbosity, kinds",
    [
        (Verbosity.OFF, ["guidance"]),
        (Verbosity.DUE, ["meeting", "task", "deadline", "guidance"]),
        (
            Verbosity.ALL,
            ["mail", "message", "meeting", "task", "deadline", "news", "chatter", "guidance"],
        ),
    ],
)
async def test_a_scenario_keeps_less_urgent_notices_back(
    verbosity: Verbosity, kinds: list[str]
) -> None:
    async with await World.create(
        None, replace(OPENING, verbosity=verbosity), toy.populate
    ) as world:
        for kind in NoticeKind:
            await act(world, tell(ROBIN, kind, str(kind)), actor="kim")
        told = (await act(world, toy.nothing)).notices
    assert [notice.kind for notice in told] == kinds


# facts, rows, effects -----------------------------------------------------------------------------


async def test_facts_are_kept_and_undone_with_their_action(world: World) -> None:
    def verb(tx: Transaction) -> Result[toy.Shelf]:
        tx.set_fact("colour", "blue")
        assert tx.fact("colour") == "blue"
        return toy.nothing(tx)

    await act(world, verb)
    assert await world.read(lambda tx: tx.fact("colour")) == "blue"
    await act(world, toy.put_and_refuse)
    assert await world.now() == at(8, 2)


async def test_the_long_facts_are_there_for_those_who_ask(world: World) -> None:
    opening = replace(OPENING, scenario='{"a": 1}', identity='{"b": 2}')
    async with await World.create(None, opening, toy.populate) as other:
        said = await other.read(lambda tx: (tx.fact("scenario"), tx.fact("identity")))
    assert said == ('{"a": 1}', '{"b": 2}')


async def test_a_fact_nobody_set_is_a_bug(world: World) -> None:
    with pytest.raises(KeyError, match="colour"):
        await world.read(lambda tx: tx.fact("colour"))


async def test_rows_come_by_name_and_inserts_tell_their_number(world: World) -> None:
    def verb(tx: Transaction) -> Result[toy.Shelf]:
        tx.run_many("INSERT INTO shelf (thing) VALUES (?)", [("a",), ("b",)])
        assert tx.run("INSERT INTO shelf (thing) VALUES (?)", "c") == 3
        assert tx.row("SELECT 1 FROM shelf WHERE id = 9") is None
        assert [row["thing"] for row in tx.rows("SELECT thing FROM shelf")] == ["a", "b", "c"]
        return toy.nothing(tx)

    assert (await act(world, verb)).error is None


async def test_effects_reach_the_verb_and_the_log(world: World) -> None:
    def verb(tx: Transaction) -> Result[toy.Shelf]:
        assert tx.effect("reply") == "hello" and tx.effect("other") is None
        return toy.nothing(tx)

    await world.execute(ROBIN, "ask", {}, verb, effects={"reply": "hello"})
    assert (await world.log())[0].effects == {"reply": "hello"}


async def test_the_day_ends_where_the_opening_said(world: World) -> None:
    day = await world.read(lambda tx: tx.day)
    assert (day.starts, day.ends) == (MORNING, EVENING)
