"""Events that wait for a trigger instead of a time."""

from __future__ import annotations

from datetime import datetime

from tests.world.office import MARA, ROBIN, act, at, do, office
from trainee_bench.world.apps.desk import DeadlineMoved, Desk, TaskPublished
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.colleagues.knowledge import Clue, ClueAdded, ConditionMet, Knowledge
from trainee_bench.world.triggers import (
    TriggeredEvent,
    heard_trigger,
    submitted_trigger,
    told_trigger,
)
from trainee_bench.world.world import World

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


async def test_what_follows_a_thing_heard_happens_once_and_only_if_the_employee_said_it() -> None:
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


async def test_what_a_refused_action_would_have_set_off_does_not_happen() -> None:
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
        assert "T1 (First) is due at 10:00 now, no longer at 12:00." in texts
        assert any("T1 (First) is due at 10:00; not submitted" in text for text in texts)
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
