"""A real stream of tasks: nothing of a task exists before it is published or its cause has come."""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.meta_tasks.days import hear_everything, staged
from trainee_bench.harness.testbench.staged_day import StagedDay, oracle_outputs, stage_day
from trainee_bench.mcp_servers.verifier import grade_world
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask, compose_day
from trainee_bench.meta_tasks.scenario import Scenario, Variation
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.apps.calendar import Calendar, MeetingBooked
from trainee_bench.world.apps.chat import Chat, MessageArrives
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.apps.files import FileAppears, Files
from trainee_bench.world.colleagues.knowledge import Knowledge

MEETING, LINKS, SALES = "meeting_attend.write.u1", "kb_fix.easy", "sales.top_sales_employee"


def scenario(*tasks: dict[str, object], **changes: object) -> Scenario:
    made = {"name": "arrivals", "seed": 5, "days": [{"tasks": list(tasks)}]} | changes
    return Scenario.model_validate(made)


def late(rule: str, arrives: str, **more: object) -> dict[str, object]:
    return {"rule": rule, "arrives": arrives} | more


def task_of(composition: ComposedDay, rule: str) -> ComposedTask:
    return next(task for task in composition.tasks if task.rule == rule)


async def traces(day: StagedDay, task: ComposedTask) -> set[str]:
    """Return the traces of *task* in the world: files, meetings, clues, the task itself."""
    events = [planned.event for planned in task.instance.hidden.events]

    def look(tx) -> set[str]:  # type: ignore[no-untyped-def] # noqa: ANN001
        files, known = Files(tx), Knowledge(tx)
        found = {e.path for e in events if isinstance(e, FileAppears) and files.exists(e.path)}
        keys = {e.key for e in events if isinstance(e, MeetingBooked)}
        found |= keys & {row["key"] for row in tx.rows("SELECT key FROM meeting")}
        found |= {clue.id for clue in task.instance.hidden.clues if known.has_clue(clue.id)}
        return found | {listed.id for listed in Desk(tx).tasks() if listed.id == task.id}

    return await day.world.read(look)


@pytest.mark.parametrize("rule", [MEETING, LINKS, SALES])
async def test_everything_of_a_task_comes_with_its_publication(rule: str) -> None:
    composition = compose_day(scenario(late(rule, "08:40")))
    async with staged(composition) as day:
        assert await traces(day, composition.tasks[0]) == set()
        await day.call("desk_wait", {"until": "08:39", "wake": False})
        assert await traces(day, composition.tasks[0]) == set()
        woken = await day.observe("desk_wait", {"until": "09:00"})
        assert woken.now == datetime(2025, 10, 1, 8, 40)
        assert {"T1", *(c.id for c in composition.tasks[0].instance.hidden.clues)} <= await traces(
            day, composition.tasks[0]
        )


async def test_everything_of_a_follower_comes_with_its_cause_and_not_before() -> None:
    follower = {"rule": LINKS, "follows": {"task": SALES, "when": "submission"}}
    composition = compose_day(scenario({"rule": SALES}, follower))
    task = task_of(composition, LINKS)
    async with staged(composition) as day:
        await day.call("desk_wait", {"minutes": 200, "wake": False})
        await day.call("desk_submit", {"task": "T1"})
        assert await traces(day, task) == set(), "an empty hand-in sets off nothing"
        (path,) = task_of(composition, SALES).instance.told.deliverable_paths
        await day.call("files_write", {"path": path, "text": " \n"})
        await day.call("desk_submit", {"task": "T1"})
        assert await traces(day, task) == set(), "nor does a blank one"
        await day.call("files_write", {"path": path, "text": "{}"})
        await day.call("desk_submit", {"task": "T1"})
        assert {"T1b", *(clue.id for clue in task.instance.hidden.clues)} <= await traces(day, task)


async def test_a_page_that_two_tasks_need_comes_with_the_first_and_stays_as_it_is_then() -> None:
    tasks = [late(SALES, "10:00"), late("sales.cross_depts_top_n", "09:00")]
    composition = compose_day(scenario(*tasks))
    handbook = "drive:/sales/sales_handbook.md"
    async with staged(composition) as day:
        await day.call("desk_wait", {"until": "08:59", "wake": False})
        assert not await day.world.read(lambda tx: Files(tx).exists(handbook))
        await day.call("desk_wait", {"until": "09:01", "wake": False})
        await day.call("files_delete", {"path": handbook})
        await day.call("desk_wait", {"until": "10:01", "wake": False})
        assert await day.world.read(lambda tx: Files(tx).changed_drive_files()) == [handbook]


async def test_events_due_before_a_task_comes_happen_with_it() -> None:
    for seed in range(20):
        task = late("meeting_book.moved.c3", "10:58")
        composition = compose_day(scenario(task, seed=seed, small_talk=0))
        moves = [p for p in composition.tasks[0].instance.hidden.events if p.due]
        if min(p.due for p in moves if p.due) < composition.tasks[0].arrives:
            break
    async with staged(composition) as day:
        await day.call("desk_wait", {"until": "10:57", "wake": False})
        assert await day.world.read(lambda tx: Chat(tx).history()) == ()
        await day.call("desk_wait", {"until": "10:58", "wake": False})
        told = await day.world.read(lambda tx: Chat(tx).history())
        (first, *_) = (p.event for p in moves if isinstance(p.event, MessageArrives))
        assert [message.text for message in told] == [first.text]


async def test_earlier_acts_of_the_employee_neither_stop_a_task_nor_are_lost() -> None:
    composition = compose_day(scenario(late(LINKS, "09:00")))
    event = next(p.event for p in composition.tasks[0].instance.hidden.events)
    assert isinstance(event, FileAppears)
    folder = event.path.rpartition("/")[0]
    for mine, renamed in (
        (event.path, event.path.replace(".md", "_2.md")),
        (f"{event.path}/mine.txt", f"{event.path.replace('.md', '_2.md')}/mine.txt"),
        (folder, f"{folder}_2"),
    ):
        async with staged(composition) as day:
            await day.call("files_write", {"path": mine, "text": "mine"})
            came = await day.observe("desk_wait", {"until": "09:00", "wake": False})
            assert any(renamed.split("/mine")[0] in notice.text for notice in came.notices)
            text = await day.world.read(lambda tx: Files(tx).text(event.path))
            assert text == event.text
            assert await day.world.read(lambda tx, p=renamed: Files(tx).text(p)) == "mine"
            assert await day.world.read(lambda tx: Files(tx).changed_drive_files()) == []


async def test_a_task_counts_only_if_it_was_published_before_its_deadline() -> None:
    composition = compose_day(scenario(late(SALES, "10:00", deadline="11:00")))
    (path,) = composition.tasks[0].instance.told.deliverable_paths
    (right,) = await oracle_outputs(composition)
    for until, score in (("09:00", 0), ("10:30", 1)):
        async with staged(composition) as day:
            await day.call("files_write", {"path": path, "text": right})
            await day.call("desk_wait", {"until": until, "wake": False})
            if score:
                await hear_everything(day)
            (grade,) = (await grade_world(day.world)).tasks
            outcomes = [c.passed for c in grade.checkpoints if c.weight >= 1]
            assert all(outcomes) if score else not any(outcomes)
            if not score:
                assert grade.score == 0 and "not published" in grade.checkpoints[0].seen


# numbers and what may come ----------------------------------------------------------------


async def test_tasks_are_numbered_as_they_are_published() -> None:
    follower = {"rule": "resume_select.pool6", "follows": {"task": MEETING, "when": "announcement"}}
    tasks = [late(LINKS, "10:30"), {"rule": MEETING}, late(SALES, "10:00"), follower]
    composition = compose_day(scenario(*tasks))
    assert [(task.id, task.rule) for task in composition.tasks] == [
        ("T1", MEETING),
        ("T1b", "resume_select.pool6"),
        ("T2", SALES),
        ("T3", LINKS),
    ]
    async with staged(composition) as day:
        await day.work()
        listed = await day.world.read(lambda tx: [task.id for task in Desk(tx).tasks()])
        assert [id for id in listed if id != "T1b"] == ["T1", "T2", "T3"]


def test_a_task_never_comes_before_the_one_it_takes_from() -> None:
    giver, taker = "meeting_attend.sum.u1", "ads_strategy.balanced.easy"
    taking = {"rule": taker, "takes_from": giver}
    composed = 0
    for seed in range(20):
        try:
            day = scenario({"rule": giver}, taking, seed=seed, arrival="streamed")
            composition = compose_day(day)
        except CompositionError:  # what is handed on does not go with what the taker has drawn
            continue
        composed += 1
        assert task_of(composition, giver).arrives <= task_of(composition, taker).arrives
    assert composed >= 3
    with pytest.raises(CompositionError, match="arrives at 08:10, before"):
        compose_day(scenario(late(giver, "08:20"), taking | {"arrives": "08:10"}))


def test_a_task_that_comes_too_late_for_its_appointment_is_refused() -> None:
    fixed = {"rule": MEETING, "parameters": {"starts": "09:00"}, "arrives": "08:50"}
    with pytest.raises(CompositionError, match="finds no hour"):
        compose_day(scenario(fixed))
    free = compose_day(scenario(late(MEETING, "13:00"))).tasks[0].instance.told.must_know_by
    assert free is not None and free >= datetime(2025, 10, 1, 13)


@pytest.mark.parametrize(
    ("tasks", "arrival", "until"),
    [
        ([{"rule": LINKS}], "at_once", None),
        ([late(LINKS, "12:10")], "at_once", "13:00"),
        ([{"rule": LINKS}], "streamed", "11:00"),
        (
            [
                {"rule": LINKS, "deadline": "15:30"},
                {"rule": SALES, "follows": {"task": LINKS, "when": "submission"}},
            ],
            "at_once",
            "16:00",
        ),
    ],
)
def test_the_day_says_until_when_tasks_may_come_and_not_which(
    tasks: list[dict[str, object]], arrival: str, until: str | None
) -> None:
    composed = compose_day(scenario(*tasks, arrival=arrival))
    found = composed.tasks_until(composed.day)
    assert (found and f"{found:%H:%M}") == until


async def test_a_world_without_the_task_differs_in_nothing_but_what_is_to_come() -> None:
    tasks = [late(MEETING, "08:30"), {"rule": LINKS}]
    composition = compose_day(scenario(*tasks))
    without = compose_day(scenario(*tasks), variation=Variation(unstaged=("T2",)))
    one, other = await stage_day(composition), await stage_day(without)
    async with one.world, other.world:
        assert await one.world.digest() != await other.world.digest()
        for until in ("08:29", "08:31"):
            for day in (one, other):
                await day.call("desk_wait", {"until": until, "wake": False})
            same = await one.world.digest(present_only=True) == await other.world.digest(
                present_only=True
            )
            assert same is (until == "08:29")
        assert await one.world.read(lambda tx: len(Calendar(tx).booked_by(tx.employee))) == 0
