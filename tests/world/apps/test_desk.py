"""The desk: publishing, deadlines, assignments, submissions, waiting, notes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from pydantic import BaseModel, ValidationError

from trainee_bench.world.apps.desk import DeadlineMoved, Desk, RequestChanged, TaskPublished
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import create_company
from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.task_ids import (
    MOST_FOLLOWERS,
    TASK_ID,
    follower_id,
    numbered_id,
    published_order,
)
from trainee_bench.world.transaction import Event, NoticeKind, Result, Transaction
from trainee_bench.world.world import ActionResult, World, WorldConfig

START = datetime(2025, 10, 1, 9)
OPENING = WorldConfig(employee="robin.hale", starts=START, ends=datetime(2025, 10, 1, 18))
REPORT = TaskPublished(
    id="T1",
    title="Write the report",
    objective="Write it to workspace:/report.md.",
    deadline=START + timedelta(hours=2),
)


class Nothing(BaseModel):
    """No data."""


def at(hour: int, minute: int = 0) -> datetime:
    return START.replace(hour=hour, minute=minute)


async def world_with(*planned: tuple[datetime, Event]) -> World:
    def stage(tx: Transaction) -> None:
        for due, event in planned:
            tx.enqueue(due, event)

    return await World.create_inline(OPENING, stage)


async def act(
    world: World, verb: Callable[[Desk], object], actor: str = "robin.hale", minutes: int = 1
) -> ActionResult[Nothing]:
    def run(tx: Transaction) -> Result[Nothing]:
        return Result(str(verb(Desk(tx))), Nothing())

    return await world.execute(actor, "desk_test", {}, run, minutes=minutes)


async def test_a_task_stands_on_the_desk_once_it_is_published_and_not_before() -> None:
    async with await world_with(
        (START, REPORT), (at(10), REPORT.model_copy(update={"id": "T2"}))
    ) as w:
        assert [task.id for task in await w.read(lambda tx: Desk(tx).tasks())] == ["T1"]
        await act(w, lambda desk: "", minutes=60)
        tasks = await w.read(lambda tx: Desk(tx).tasks())
        assert [task.id for task in tasks] == ["T1", "T2"]
        assert tasks[0].objective == REPORT.objective
        assert tasks[0].deadline == REPORT.deadline
        assert tasks[0].submitted is None


async def test_publication_and_deadline_are_announced_by_notices_at_their_minute() -> None:
    async with await world_with((at(9, 10), REPORT)) as w:
        done = await act(w, lambda desk: "", minutes=60 * 4)
        assert [(n.at, n.kind) for n in done.notices] == [
            (at(9, 10), NoticeKind.TASK),
            (at(10, 30), NoticeKind.DEADLINE),
            (at(11), NoticeKind.DEADLINE),
        ]
        assert all("T1" in n.text for n in done.notices)


async def test_a_task_published_within_the_last_half_hour_is_not_warned_of_again() -> None:
    async with await world_with((at(10, 30), REPORT)) as w:
        done = await act(w, lambda desk: "", minutes=180)
        assert [n.at for n in done.notices] == [at(10, 30), at(11)]


async def test_the_deadline_of_a_submitted_task_is_not_told_and_ends_no_wait() -> None:
    moved = DeadlineMoved(task="T1", deadline=at(10, 30))
    async with await world_with((START, REPORT), (at(9, 30), moved)) as w:
        await act(w, lambda desk: desk.submit("T1"), minutes=5)
        waited = await act(w, lambda desk: desk.wait(minutes=None, until="12:00", wake=True))
        assert (waited.now, waited.notices) == (at(12), ())
        (task,) = await w.read(lambda tx: Desk(tx).tasks())
        assert task.deadline == at(10, 30)


async def test_a_task_that_was_never_given_out_neither_changes_nor_moves() -> None:
    late = REPORT.model_copy(update={"id": "T2", "deadline": at(9, 30)})  # over when it would come
    changed = RequestChanged(task="T2", title="It", objective="Else.", by="", message="Sorry.")
    moved = DeadlineMoved(task="T2", deadline=at(12), mail=True)
    async with await world_with((at(10), late), (at(10), changed), (at(10), moved)) as w:
        waited = await act(w, lambda desk: "", minutes=90)
        assert (waited.error, waited.notices) == (None, ())
        assert await w.read(lambda tx: Desk(tx).tasks()) == ()


async def test_an_assignment_heard_twice_is_written_down_once() -> None:
    async with await world_with((START, REPORT)) as w:
        for text in ("Count the chairs.", "Count the chairs.", "Count the tables."):
            await act(w, lambda desk, text=text: desk.assign("T1", text))  # type: ignore[misc]
        (task,) = await w.read(lambda tx: Desk(tx).tasks())
        assert task.assignments == ("Count the chairs.", "Count the tables.")


async def test_an_assignment_heard_by_a_colleague_is_not_on_the_employees_desk() -> None:
    async with await world_with((START, REPORT)) as w:
        await act(w, lambda desk: desk.assign("T1", "Count the chairs."), actor="mara.lindt")
        (task,) = await w.read(lambda tx: Desk(tx).tasks())
        assert task.assignments == ()


async def test_an_assignment_heard_before_its_task_is_published_appears_with_it() -> None:
    async with await world_with((at(10), REPORT)) as w:
        await act(w, lambda desk: desk.assign("T1", "Count the chairs."), minutes=60)
        (task,) = await w.read(lambda tx: Desk(tx).tasks())
        assert task.assignments == ("Count the chairs.",)


async def test_submitting_again_counts_until_the_deadline_and_is_refused_from_then_on() -> None:
    async with await world_with((START, REPORT)) as w:
        await act(w, lambda desk: desk.submit("T1"), minutes=119)
        assert (await act(w, lambda desk: desk.submit("t1 "))).error is None
        assert await w.read(lambda tx: Desk(tx).submitted_at("T1")) == at(10, 59)
        assert await w.now() == REPORT.deadline
        assert isinstance((await act(w, lambda desk: desk.submit("T1"))).error, Refused)
        assert await w.read(lambda tx: Desk(tx).submitted_at("T1")) == at(10, 59)


async def test_an_unknown_task_is_answered_with_the_known_ones() -> None:
    async with await world_with((START, REPORT)) as w:
        error = (await act(w, lambda desk: desk.submit("T9"))).error
        assert isinstance(error, NotFound)
        assert "T1" in str(error) and "desk_tasks" in str(error)


@pytest.mark.parametrize("wake", [True, False])
async def test_waiting_costs_exactly_the_minutes_asked_for(wake: bool) -> None:
    async with await world_with() as w:
        done = await act(w, lambda desk: desk.wait(minutes=25, until=None, wake=wake))
        assert done.now == at(9, 25)
        assert done.result is not None and done.result.text == str(at(9, 25))


async def test_the_first_notice_ends_a_wait_unless_told_otherwise() -> None:
    async with await world_with((at(9, 10), REPORT)) as w:
        await act(w, lambda desk: "")
        woken = await act(w, lambda desk: desk.wait(minutes=60, until=None, wake=True))
        assert woken.now == at(9, 10)
        assert [n.kind for n in woken.notices] == [NoticeKind.TASK]
        slept = await act(w, lambda desk: desk.wait(minutes=None, until="10:45", wake=False))
        assert slept.now == at(10, 45)
        assert [n.kind for n in slept.notices] == [NoticeKind.DEADLINE]


@pytest.mark.parametrize(
    ("minutes", "until", "error"),
    [
        (None, None, Invalid),
        (5, "10:00", Invalid),
        (0, None, Invalid),
        (-5, None, Invalid),
        (None, "25:00", Invalid),
        (None, "soon", Invalid),
        (None, "08:59", Refused),
        (None, "09:00", Refused),  # else a call would be free
        (None, "18:01", Refused),
        (541, None, Refused),
        (10**30, None, Refused),
    ],
)
async def test_waiting_refuses_the_past_the_malformed_and_what_lies_beyond_the_day(
    minutes: int | None, until: str | None, error: type[Exception]
) -> None:
    async with await world_with() as w:
        done = await act(w, lambda desk: desk.wait(minutes=minutes, until=until, wake=True))
        assert type(done.error) is error
        assert done.now == at(9, 1)


async def test_a_wait_beyond_the_day_names_its_end() -> None:
    async with await world_with() as w:
        done = await act(w, lambda desk: desk.wait(minutes=600, until=None, wake=True))
        assert "18:00" in str(done.error)


async def test_finishing_the_day_goes_to_its_end_through_all_that_happens_until_then() -> None:
    async with await world_with((at(10), REPORT)) as w:
        done = await act(w, lambda desk: desk.finish_day())
        assert done.now == OPENING.ends
        assert len(done.notices) == 3
        assert (await act(w, lambda desk: "")).error is not None


async def test_a_notebook_is_its_owners_alone() -> None:
    async with await world_with() as w:
        await act(w, lambda desk: desk.write_note("Ask Mara."))
        await act(w, lambda desk: desk.write_note("Mine."), actor="mara.lindt")
        mine = await act(w, lambda desk: [note.text for note in desk.notes()])
        assert mine.result is not None and mine.result.text == "['Ask Mara.']"
        assert isinstance((await act(w, lambda desk: desk.write_note(" \n"))).error, Invalid)


async def test_the_announcing_mail_says_what_stands_on_the_desk() -> None:
    company = create_company("desk")
    boss = company.people[0]

    def stage(tx: Transaction) -> None:
        Directory(tx).add([*company.people, company.trainee])
        tx.enqueue(START, REPORT.model_copy(update={"by": boss.id, "mail": True}))

    opening = replace(OPENING, employee=company.trainee.id)
    async with await World.create_inline(opening, stage) as w:
        (mail,) = await w.read(lambda tx: Mail(tx).sent_by(boss.id))
        assert [to.address for to in mail.recipients] == [company.trainee.email]
        assert mail.subject == "T1: Write the report"
        said = "I have put a task on your desk: Write the report (T1), due at 11:00."
        assert mail.body == said
        assert REPORT.objective not in mail.body


def test_a_task_announced_by_mail_needs_a_sender() -> None:
    with pytest.raises(ValidationError):
        TaskPublished.model_validate({**REPORT.model_dump(), "mail": True})


# ids of tasks -----------------------------------------------------------------------------


def test_every_id_that_is_made_is_known_as_one_and_no_other_word_is() -> None:
    made = [numbered_id(number) for number in (1, 9, 10, 123)]
    made += [follower_id("T2", place) for place in range(MOST_FOLLOWERS)]
    assert made[:4] == ["T1", "T9", "T10", "T123"]
    assert (made[4], made[-1]) == ("T2b", "T2z")
    assert all(re.fullmatch(TASK_ID, id) for id in made)
    others = ("T", "T2a", "T2bc", "K7614", "TRA-1", "T2B", "t2")
    assert not any(re.fullmatch(TASK_ID, word) for word in others)


def test_followers_stand_behind_what_they_follow() -> None:
    assert sorted(["T10", "T2b", "T2", "T1", "T2c"], key=published_order) == [
        "T1", "T2", "T2b", "T2c", "T10",
    ]  # fmt: skip
