"""Who asked for a task wants something else: what the desk and a mail say of it."""

from __future__ import annotations

from tests.world.office import MARA, act, at, do, office
from trainee_bench.world.apps.desk import Desk, RequestChanged, TaskPublished
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.desk_records import DeskTask
from trainee_bench.world.world import World

FIRST = TaskPublished(
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
    return await office(FIRST, later=((at(9, 30), CHANGED),))


async def task(world: World) -> DeskTask:
    return await world.read(lambda tx: Desk(tx).task("T1"))


async def test_the_desk_shows_what_is_asked_for_now_and_the_deadline_is_as_it_was() -> None:
    async with await opened() as world:
        assert (await task(world)).objective == FIRST.objective
        done = await act(world, lambda tx: tx.extend_until(at(10)))
        now = await task(world)
        assert (now.title, now.objective) == (CHANGED.title, CHANGED.objective)
        assert now.deadline == FIRST.deadline
        assert any("T1 has changed: Another report." in notice.text for notice in done.notices)


async def test_what_was_submitted_does_not_count_any_more() -> None:
    async with await opened() as world:
        await act(world, lambda tx: Desk(tx).submit("T1", "chairs"))
        assert await world.read(lambda tx: Desk(tx).submission_note("T1")) == "chairs"
        await act(world, lambda tx: tx.extend_until(at(10)))
        assert (await task(world)).submitted is None
        assert await world.read(lambda tx: Desk(tx).submission_note("T1")) == ""
        again = await act(world, lambda tx: Desk(tx).submit("T1", "tables"))
        assert again.error is None and (await task(world)).submitted is not None


async def test_who_asked_for_it_writes_a_mail_with_their_reason() -> None:
    async with await opened() as world:
        await act(world, lambda tx: tx.extend_until(at(10)))
        (newest, *_) = await do(world, lambda tx: Mail(tx).page())
        mail = (await do(world, lambda tx: Mail(tx).mailbox_entry(newest.id))).message
        assert (mail.sender.colleague, mail.subject) == (MARA, "T1: another request")
        assert CHANGED.message in mail.body and "still due at 15:00" in mail.body
