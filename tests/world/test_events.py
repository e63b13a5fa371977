"""Events are data with a name; they survive until they are due, or set off. Requests change."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.world import toy
from tests.world.office import MARA, ROBIN, act, at, do, office
from tests.world.toy import OPENING, ThingAppears
from trainee_bench.world.apps.desk import DeadlineMoved, Desk, RequestChanged, TaskPublished
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.colleagues.knowledge import Clue, ClueAdded, ConditionMet, Knowledge
from trainee_bench.world.desk_records import DeskTask
from trainee_bench.world.transaction import Event, Result, Transaction, deserialize
from trainee_bench.world.triggers import (
    TriggeredEvent,
    heard_trigger,
    submitted_trigger,
    told_trigger,
)
from trainee_bench.world.world import World


def test_an_event_thaws_as_it_was_frozen() -> None:
    event = ThingAppears(thing="čaj ☕", loud=True)
    assert deserialize("ThingAppears", event.model_dump_json()) == event


def test_a_kind_nobody_defines_is_a_bug() -> None:
    with pytest.raises(KeyError, match="NoSuchEvent"):
        deserialize("NoSuchEvent", "{}")


def test_two_events_of_one_name_are_refused() -> None:
    def again() -> type[Event]:
        class ThingAppears(Event):
            def fire(self, tx: Transaction) -> None: ...

        return ThingAppears

    with pytest.raises(TypeError, match="two event classes are called ThingAppears"):
        again()
    assert Event.kinds["ThingAppears"] is ThingAppears


def test_an_event_takes_no_unknown_field_and_does_not_change() -> None:
    with pytest.raises(ValidationError):
        ThingAppears.model_validate({"thing": "x", "colour": "blue"})
    with pytest.raises(ValidationError):
        ThingAppears(thing="x").thing = "y"  # type: ignore[misc]


def test_an_event_that_does_not_say_what_happens_cannot_be_made() -> None:
    class ThingWithoutEnd(Event):
        thing: str

    with pytest.raises(TypeError, match="abstract"):
        ThingWithoutEnd(thing="x")  # type: ignore[abstract]


async def test_an_event_outlives_the_process_that_enqueued_it(tmp_path: Path) -> None:
    def stage(tx: Transaction) -> None:
        toy.populate(tx)
        tx.enqueue(toy.at(9), ThingAppears(thing="x"))

    await (await World.create(tmp_path / "w", OPENING, stage)).close()
    async with await World.open(tmp_path / "w") as world:
        await world.execute(toy.ROBIN, "wait", {}, toy.nothing, minutes=60)
        assert (await world.read(toy.shelf)).things == ("x",)


async def test_an_event_happens_once(world: World) -> None:
    def stage(tx: Transaction) -> Result[toy.Shelf]:
        tx.enqueue(toy.at(8, 1), ThingAppears(thing="x"))
        return toy.nothing(tx)

    await world.execute(toy.ROBIN, "plan", {}, stage)
    await world.execute(toy.ROBIN, "wait", {}, partial(toy.put, thing="y"), minutes=60)
    assert (await world.read(toy.shelf)).things == ("x", "y")
    assert await world.read(lambda tx: tx.rows("SELECT * FROM event")) == []


# events that wait for a trigger instead of a time -----------------------------------------


FIRST = TaskPublished(id="T1", title="First", objective="Do.", deadline=at(12), by=MARA)
SECOND = TaskPublished(id="T2", title="Second", objective="Do.", deadline=at(15), by=MARA)
HEARD = Clue(id="T1/said", holder="", payload="It was said.")


async def listed(world: World) -> list[str]:
    return [task.id for task in await world.read(lambda tx: Desk(tx).tasks())]


async def due(world: World, task: str = "T1") -> datetime:
    return (await world.read(lambda tx: Desk(tx).task(task))).deadline


async def test_a_task_that_follows_a_submission_appears_with_the_submission_and_once() -> None:
    async with await office(FIRST, TriggeredEvent.of(submitted_trigger("T1"), SECOND)) as world:
        assert await listed(world) == ["T1"]
        done = await act(world, lambda tx: Desk(tx).submit("T1"))
        assert await listed(world) == ["T1", "T2"]
        assert [n.text for n in done.notices if "T2" in n.text]
        again = await act(world, lambda tx: Desk(tx).submit("T1"))
        assert again.error is None and not again.notices


async def test_a_task_whose_cause_comes_after_its_own_deadline_is_not_given_any_more() -> None:
    early = SECOND.model_copy(update={"deadline": at(10)})
    async with await office(FIRST, TriggeredEvent.of(submitted_trigger("T1"), early)) as world:
        await act(world, lambda tx: tx.extend_until(at(10, 30)))
        done = await act(world, lambda tx: Desk(tx).submit("T1"))
        assert done.error is None and not [one for one in done.notices if "T2" in one.text]
        assert await listed(world) == ["T1"]


async def test_a_task_that_follows_a_clue_appears_when_the_employee_is_told_not_another() -> None:
    async with await office(
        ClueAdded(clue=HEARD), TriggeredEvent.of(told_trigger(HEARD.id), SECOND)
    ) as world:
        await act(
            world, lambda tx: Knowledge(tx).record_disclosure(HEARD.id, MARA, "meeting"), MARA
        )
        assert await listed(world) == []
        await act(world, lambda tx: Knowledge(tx).record_disclosure(HEARD.id, ROBIN, "meeting"))
        assert await listed(world) == ["T2"]


async def test_an_event_triggered_by_a_message_happens_once_and_only_if_the_employee_said_it() -> (
    None
):
    heard = heard_trigger("T1/sent_back")
    async with await office(TriggeredEvent.of(heard, SECOND)) as world:
        await act(world, lambda tx: Knowledge(tx).record_heard("T1/sent_back", MARA), MARA)
        assert await listed(world) == []
        done = await act(world, lambda tx: Knowledge(tx).record_heard("T1/sent_back", ROBIN))
        assert await listed(world) == ["T2"]
        again = await act(world, lambda tx: Knowledge(tx).record_heard("T1/sent_back", ROBIN))
        assert [n.text for n in done.notices if "T2" in n.text] and not again.notices


async def test_a_clue_that_waits_for_a_time_can_be_told_from_then_on() -> None:
    met = ConditionMet(condition="T1/found")
    async with await office(later=((at(10, 40), met),)) as world:
        for now, can_be_told in ((at(10, 39), False), (at(10, 40), True)):
            await act(world, lambda tx, now=now: tx.extend_until(now))  # type: ignore[misc]
            ready = await world.read(
                lambda tx: Knowledge(tx).preconditions_met(("T1/found",), ROBIN)
            )
            assert ready is can_be_told


async def test_a_refused_action_triggers_nothing() -> None:
    async with await office(FIRST, TriggeredEvent.of(submitted_trigger("T1"), SECOND)) as world:

        def submit_and_stumble(tx: object) -> None:
            Desk(tx).submit("T1")  # type: ignore[arg-type]
            Desk(tx).submit("T9")  # type: ignore[arg-type]

        assert (await act(world, submit_and_stumble)).error is not None
        assert await listed(world) == ["T1"]


async def test_an_earlier_deadline_counts_from_the_moment_it_is_told() -> None:
    moved = DeadlineMoved(task="T1", deadline=at(10), mail=True)
    async with await office(FIRST, later=((at(9), moved),)) as world:
        assert await due(world) == at(12)
        told_of = await act(world, lambda tx: tx.extend_until(at(9, 45)))
        texts = [notice.text for notice in told_of.notices]
        assert "T1 (First) is now due at 10:00, no longer at 12:00." in texts
        assert any("T1 (First) is due at 10:00 and not submitted" in text for text in texts)
        mail = await do(world, lambda tx: Mail(tx).read(1))
        assert mail.message.subject == "T1: new deadline 10:00"
        await act(world, lambda tx: tx.extend_until(at(10)))
        late = await act(world, lambda tx: Desk(tx).submit("T1"))
        assert "10:00" in str(late.error)
        silent = await act(world, lambda tx: tx.extend_until(at(12, 30)))
        assert not [n for n in silent.notices if "T1" in n.text]


async def test_a_later_deadline_leaves_no_warning_of_the_earlier_one() -> None:
    moved = DeadlineMoved(task="T1", deadline=at(14))
    async with await office(FIRST, later=((at(9), moved),)) as world:
        await act(world, lambda tx: tx.extend_until(at(9, 5)))
        until_noon = await act(world, lambda tx: tx.extend_until(at(12, 30)))
        assert not until_noon.notices
        assert (await act(world, lambda tx: Desk(tx).submit("T1"))).error is None


# a request that changes -------------------------------------------------------------------


ASKED_FIRST = TaskPublished(
    id="T1", title="A report", objective="Count the chairs.", deadline=at(15), by=MARA
)
CHANGED = RequestChanged(
    task="T1",
    title="Another report",
    objective="Count the tables.",
    by=MARA,
    message="Please leave the first one.",
)


async def opened() -> World:
    return await office(ASKED_FIRST, later=((at(9, 30), CHANGED),))


async def task(world: World) -> DeskTask:
    return await world.read(lambda tx: Desk(tx).task("T1"))


async def test_the_desk_shows_what_is_asked_for_now_and_the_deadline_is_as_it_was() -> None:
    async with await opened() as world:
        assert (await task(world)).objective == ASKED_FIRST.objective
        done = await act(world, lambda tx: tx.extend_until(at(10)))
        now = await task(world)
        assert (now.title, now.objective) == (CHANGED.title, CHANGED.objective)
        assert now.deadline == ASKED_FIRST.deadline
        assert any("T1 has changed: Another report." in notice.text for notice in done.notices)


async def test_an_earlier_submission_no_longer_counts() -> None:
    async with await opened() as world:
        await act(world, lambda tx: Desk(tx).submit("T1", "chairs"))
        assert await world.read(lambda tx: Desk(tx).submission_note("T1")) == "chairs"
        await act(world, lambda tx: tx.extend_until(at(10)))
        assert (await task(world)).submitted is None
        assert await world.read(lambda tx: Desk(tx).submission_note("T1")) == ""
        again = await act(world, lambda tx: Desk(tx).submit("T1", "tables"))
        assert again.error is None and (await task(world)).submitted is not None


async def test_the_requester_writes_a_mail_with_their_reason() -> None:
    async with await opened() as world:
        await act(world, lambda tx: tx.extend_until(at(10)))
        (newest, *_) = await do(world, lambda tx: Mail(tx).page())
        mail = (await do(world, lambda tx: Mail(tx).mailbox_entry(newest.id))).message
        assert (mail.sender.address.partition("@")[0], mail.subject) == (
            MARA,
            "T1: changed request",
        )
        assert CHANGED.message in mail.body and "still due at 15:00" in mail.body
