"""The next act of a worker: appointments first, then the earliest deadline, or the order of a
plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from tests.meta_tasks.work.diary_office import (
    EVENING,
    MORNING,
    STEPS,
    TELLS_ALL,
    Diary,
    Happening,
    Step,
    Steps,
    at,
    worked,
)
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed
from trainee_bench.meta_tasks.work.need import Need, TaskWork, Work
from trainee_bench.meta_tasks.work.outline import DayOutline
from trainee_bench.meta_tasks.work.reading import Task
from trainee_bench.meta_tasks.work.scripted import scripted
from trainee_bench.meta_tasks.work.sources import DeskListing, ListedTask
from trainee_bench.meta_tasks.work.urgency import FINAL, RANKS

DUE = {"T1": at(10), "T2": at(17)}


def calls(tool: str, times: int = 1) -> TaskWork:
    """Return work that calls a tool so often, for a task that is not listed."""

    async def work(client: ToolClient) -> None:
        for _ in range(times):
            await client.call(tool, who=client.task)

    return scripted(work)


def meets(time: datetime) -> TaskWork:
    """Return work with an appointment."""

    async def work(client: ToolClient) -> None:
        await client.wait_until(time)
        await client.call("quick", who=client.task)

    return scripted(work)


# appointments ---------------------------------------------------------------------------------


async def test_an_appointment_is_kept_to_the_minute_and_no_call_runs_into_it() -> None:
    office = Diary()
    assert await worked(office, T1=meets(at(8, 12)), T2=calls("slow", 4)) == {}
    assert office.entries == [
        ("08:00", "desk_now"),
        ("08:00", "slow T2"),
        ("08:05", "slow T2"),
        ("08:10", "desk_wait"),
        ("08:12", "quick T1"),
        ("08:13", "slow T2"),
        ("08:18", "slow T2"),
    ]


async def test_a_shorter_call_for_another_task_fills_the_gap_before_an_appointment() -> None:
    office = Diary()
    works = {"T1": meets(at(8, 2)), "T2": calls("slow"), "T3": calls("quick")}
    assert await worked(office, **works) == {}
    assert office.entries[1:] == [
        ("08:00", "quick T3"),
        ("08:01", "desk_wait"),
        ("08:02", "quick T1"),
        ("08:03", "slow T2"),
    ]


@pytest.mark.parametrize("tasks", [("T1", "T2"), ("T2", "T1")])
async def test_the_earlier_of_two_appointments_goes_first_whatever_the_order_of_tasks(
    tasks: tuple[str, str],
) -> None:
    office, times = Diary(), {"T1": at(8, 30), "T2": at(8, 20)}
    assert await worked(office, **{task: meets(times[task]) for task in tasks}) == {}
    assert (office.times("quick T2"), office.times("quick T1")) == (["08:20"], ["08:30"])


@pytest.mark.parametrize("minutes", [0, -5])
async def test_an_appointment_that_is_now_or_past_is_taken_up_at_once(minutes: int) -> None:
    office = Diary()
    assert await worked(office, T1=meets(MORNING + timedelta(minutes=minutes))) == {}
    assert office.entries[-1] == ("08:00", "quick T1")


async def test_an_appointment_goes_before_what_is_due_soon() -> None:
    async def comes(work: Work, task: str) -> None:
        await work(Task(task))
        await work.keep(at(8, 16))
        await work.call("slow", who=task)

    office = Diary({"T1": at(17), "T2": at(8, 40)})
    assert await worked(office, T1=comes, T2=Steps(4)) == {}
    assert office.times("slow T2") == ["08:01", "08:06", "08:11", "08:21"]
    assert office.times("slow T1") == ["08:16"]


async def test_a_promised_time_is_as_urgent_as_a_deadline() -> None:
    async def promises(work: Work, task: str) -> None:
        await work(Task(task))
        work.promise(at(8, 50))
        for number in range(2):
            await work(Step(task, number))

    for promised, order in ((promises, ["T2", "T2", "T1", "T1"]), (Steps(2), ["T1"] * 2)):
        office = Diary(DUE)
        assert await worked(office, T1=Steps(2), T2=promised) == {}
        assert office.done("slow")[: len(order)] == order


async def test_an_appointment_of_which_there_are_news_at_its_time_is_kept_after_a_look() -> None:
    async def waits(work: Work, task: str) -> None:
        await work(Task(task))
        await work.keep(at(8, 12))
        await work.call("quick", who=task)

    office = Diary({"T1": at(17)}, [Happening(at(8, 11), due={"T1": at(16)})])
    outline = DayOutline(trusts_notices=True, one_by_one=lambda waiting: "T1")
    assert await worked(office, outline, T1=waits) == {}
    assert office.times("desk_tasks") == ["08:00", "08:12"]
    assert office.times("quick T1") == ["08:13"]


# pauses, errors, the end of the day -----------------------------------------------------------


async def test_a_pause_lets_others_work_and_ends_no_earlier_than_asked() -> None:
    async def rests(client: ToolClient) -> None:
        await client.wait_at_least(3)
        await client.call("quick", who="rested")

    office = Diary()
    assert await worked(office, T1=scripted(rests), T2=calls("slow")) == {}
    assert office.entries[1:] == [("08:00", "slow T2"), ("08:05", "quick rested")]


async def test_a_refused_call_reaches_its_own_task_and_its_minute_counts() -> None:
    heard: list[str] = []

    async def tries(client: ToolClient) -> None:
        try:
            await client.call("broken")
        except ToolFailed as error:
            heard.append(str(error))
        await client.call("quick", who="after")

    office = Diary()
    assert await worked(office, T1=scripted(tries), T2=calls("slow")) == {}
    assert heard == ["it does not work"]
    assert office.times("quick after") == ["08:01"]


async def test_a_task_that_raises_is_reported_and_the_others_are_done() -> None:
    async def raises(client: ToolClient) -> None:
        await client.call("quick", who="first")
        raise LookupError("lost")

    office = Diary()
    errors = await worked(office, T1=scripted(raises), T2=calls("slow"))
    assert list(errors) == ["T1"] and isinstance(errors["T1"], LookupError)
    assert office.done("slow") == ["T2"]


async def test_waiting_beyond_the_end_of_the_day_is_in_vain_and_the_others_are_done() -> None:
    async def copes(client: ToolClient) -> None:
        try:
            await client.wait_at_least(14 * 60)
        except ToolFailed:
            await client.call("quick", who="coped")

    office = Diary()
    errors = await worked(office, T1=meets(EVENING + timedelta(hours=1)), T2=scripted(copes))
    assert list(errors) == ["T1"]
    assert "T1 was not finished" in str(errors["T1"])
    assert office.done("quick") == ["coped"]


async def test_nothing_is_begun_once_the_day_is_over() -> None:
    office = Diary()
    errors = await worked(office, T1=calls("slow", 1000))
    assert list(errors) == ["T1"]
    assert office.entries[-1] == ("19:55", "slow T1")


async def test_a_task_that_is_due_is_left_and_another_goes_on() -> None:
    office = Diary({"T1": at(8, 12), "T2": at(17)})
    errors = await worked(office, T1=Steps(9), T2=Steps(2))
    assert list(errors) == ["T1"]
    assert "T1 was not finished when it was due" in str(errors["T1"])
    assert office.done("slow") == ["T1", "T1", "T1", "T2", "T2"]


async def test_a_task_that_was_submitted_in_time_is_done_whatever_was_still_to_come() -> None:
    async def stays(work: Work, task: str) -> None:
        await work(Step(task, 1, "desk_submit"))
        await work.keep(at(12))

    office = Diary({"T1": at(10), "T2": at(17)})
    assert await worked(office, T1=stays, T2=STEPS) == {}


# which task goes first ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outline", "expected"),
    [
        (DayOutline(), ["T1", "T1", "T2", "T2"]),
        (DayOutline(first={"T2"}), ["T2", "T2", "T1", "T1"]),
        (DayOutline(order=("T2", "T1")), ["T2", "T2", "T1", "T1"]),
    ],
    ids=["by deadline", "a week's task first", "by the plan"],
)
async def test_the_earliest_deadline_goes_first_unless_a_week_or_a_plan_says_otherwise(
    outline: DayOutline, expected: list[str]
) -> None:
    office = Diary(DUE)
    assert await worked(office, outline, T2=Steps(2), T1=Steps(2)) == {}
    assert office.done("slow") == expected


async def test_a_task_due_within_the_hour_goes_before_the_order_of_a_plan() -> None:
    office = Diary({"T1": at(9, 6), "T2": at(17)})
    assert await worked(office, DayOutline(order=("T2", "T1")), T1=STEPS, T2=STEPS) == {}
    assert office.done("slow") == ["T2", "T1", "T1", "T1", "T2", "T2"]


@pytest.mark.parametrize(("files", "first"), [(12, "T1"), (1, "T2")])
async def test_a_deadline_that_leaves_little_beside_what_is_to_be_written_goes_before_a_plan(
    files: int, first: str
) -> None:
    async def writes(work: Work, task: str) -> None:
        await work(Task(task))
        await work.all(Step(task, number, "files_write") for number in range(files))

    office = Diary({"T1": at(9, 15), "T2": at(17)})
    works = {"T1": writes, "T2": Steps(2, "files_write")}
    assert await worked(office, DayOutline(order=("T2", "T1")), **works) == {}
    assert office.done("files_write")[0] == first


async def test_a_look_that_may_redirect_a_question_comes_before_it() -> None:
    @dataclass(frozen=True)
    class Addressee(Need[int]):
        async def satisfy(self, work: Work) -> int:
            number = len(await work(DeskListing()))
            await work(Step("T1", number, "free" if number == len(due) else "quick"))
            return number

    async def asks(work: Work, task: str) -> None:
        await work(Step(task, -await work(Addressee()), "chat_send_message"))

    due = {"T1": at(17), "T2": at(8, 30)}
    office = Diary(due, [Happening(at(8, 8), due={"T3": at(18)})])
    assert await worked(office, TELLS_ALL, T1=asks, T2=STEPS) == {}
    assert (office.done("free"), office.done("quick")) == (["T1"], ["T1"])
    assert office.done("chat_send_message") == ["T1"]


async def test_a_task_that_is_not_listed_may_be_the_most_urgent() -> None:
    office = Diary({"T1": at(17)})
    assert await worked(office, T1=STEPS, T2=calls("slow")) == {}
    assert office.done("slow")[0] == "T2"


async def test_looks_and_questions_go_before_longer_work_on_what_is_due_first() -> None:
    for tool in ("quick", "chat_send_message"):
        office = Diary(DUE)
        assert await worked(office, T1=STEPS, T2=Steps(2, tool)) == {}
        assert [what.split()[0] for _, what in office.entries[2:5]] == [tool, tool, "slow"]


async def test_calls_that_take_no_time_go_before_urgent_ones() -> None:
    office = Diary({"T1": at(8, 30), "T2": at(17)})
    assert await worked(office, T1=STEPS, T2=Steps(2, "free")) == {}
    assert [what for _, what in office.entries[2:4]] == ["free T2", "free T2"]


async def test_a_task_that_comes_is_begun_when_somebody_tells_of_it() -> None:
    office = Diary({"T1": at(17)}, [Happening(at(8, 6), due={"T2": at(9)})])
    assert await worked(office, TELLS_ALL, T1=STEPS, T2=STEPS) == {}
    assert office.done("slow") == ["T1", "T2", "T2", "T2", "T1", "T1"]
    assert office.entries.count(("08:06", "desk_tasks")) == 1


async def test_a_deadline_that_has_moved_is_looked_up_and_counts() -> None:
    office = Diary(DUE, [Happening(at(8, 8), due={"T2": at(9)})])
    assert await worked(office, TELLS_ALL, T1=STEPS, T2=STEPS) == {}
    assert office.done("slow") == ["T1", "T1", "T2", "T2", "T2", "T1"]


@pytest.mark.parametrize(
    ("settled", "expected"),
    [(at(8, 40), ["slow"] * 3 + ["files_write"]), (at(8, 3), ["slow", "files_write", "slow"])],
    ids=["late", "soon"],
)
async def test_a_task_that_will_change_is_finished_after_other_work_and_then_at_once(
    settled: datetime, expected: list[str]
) -> None:
    office = Diary({"T1": at(16), "T2": at(17)})
    outline = DayOutline(order=("T1", "T2"), settled={"T1": settled})
    assert await worked(office, outline, T1=Steps(1, "files_write"), T2=STEPS) == {}
    done = [what.split()[0] for _, what in office.entries]
    assert [tool for tool in done if tool in ("slow", "files_write")][: len(expected)] == expected


async def test_where_nothing_is_known_to_change_work_is_finished_in_its_place() -> None:
    office = Diary({"T1": at(16), "T2": at(17)})
    works = {"T1": Steps(1, "files_write"), "T2": STEPS}
    assert await worked(office, DayOutline(order=("T1", "T2")), **works) == {}
    assert office.times("files_write T1") == ["08:01"]


# one task after the other, and tasks that are left --------------------------------------------


def latest(waiting: Mapping[str, ListedTask]) -> str:
    return max(waiting, key=lambda task: waiting[task].deadline)


async def test_one_by_one_nothing_is_done_for_another_task_even_in_a_long_pause() -> None:
    async def waits(work: Work, task: str) -> None:
        await work(Task(task))
        await work.keep(at(12))
        await work.call("slow", who=task)

    office = Diary(DUE)
    outline = DayOutline(one_by_one=latest)
    errors = await worked(office, outline, T1=STEPS, T2=waits)
    assert office.times("slow T2") == ["12:00"]
    assert office.done("slow") == ["T2"]
    assert list(errors) == ["T1"]  # it was due at 10:00


async def test_one_by_one_news_of_other_tasks_end_no_wait_for_an_appointment() -> None:
    async def waits(work: Work, task: str) -> None:
        await work(Task(task))
        await work.keep(at(12))

    for outline, times in ((DayOutline(one_by_one=latest), 1), (DayOutline(), 2)):
        office = Diary({"T1": at(17)}, [Happening(at(9), due={"T3": at(18)})])
        told = DayOutline(trusts_notices=True, one_by_one=outline.one_by_one)
        assert await worked(office, told, T1=waits) == {}
        assert len([wait for wait in office.waits if wait["until"] == "12:00"]) == times


async def test_one_by_one_the_choice_is_among_listed_tasks_that_were_not_begun() -> None:
    chosen: list[set[str]] = []

    def choose(waiting: Mapping[str, ListedTask]) -> str:
        chosen.append({*waiting})
        return latest(waiting)

    office = Diary({**DUE, "T4": at(18)})
    outline = DayOutline(one_by_one=choose)
    assert await worked(office, outline, T1=Steps(1), T2=Steps(1)) == {}
    assert chosen == [{"T1", "T2"}, {"T1"}]
    assert office.done("slow") == ["T2", "T1"]


async def test_a_task_that_is_abandoned_after_some_calls_is_left_for_good() -> None:
    office = Diary(DUE)
    outline = DayOutline(abandons=lambda task, made: task == "T1" and made > 3)
    errors = await worked(office, outline, T1=Steps(9), T2=Steps(2))
    assert list(errors) == ["T1"]
    assert office.done("slow").count("T1") == 3  # beside looking at the list
    assert office.done("slow").count("T2") == 2


def test_every_tool_that_a_worker_ranks_exists() -> None:
    tools = {tool.name for box in discover_toolboxes().values() for tool in box}
    assert {*RANKS, *FINAL} <= tools
