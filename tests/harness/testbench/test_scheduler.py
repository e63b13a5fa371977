"""Several oracles at one desk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from pydantic import JsonValue

from trainee_bench.harness.testbench.scheduler import run_oracles
from trainee_bench.harness.testbench.work_plan import WorkPlan
from trainee_bench.meta_tasks.tool_client import (
    ToolClient,
    ToolData,
    ToolFailed,
    ToolResponse,
    wait_for_task,
)
from trainee_bench.world.transaction import Notice, NoticeKind

MORNING = datetime(2025, 10, 1, 8)
COSTS = {"quick": 1, "slow": 5}
CLOSES = 20


class Diary:
    """An office that only tells the time, and keeps a diary of the calls."""

    def __init__(self) -> None:
        self.now = MORNING
        self.entries: list[tuple[str, str]] = []

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        began = self.now
        if tool == "desk_wait":
            hour, minute = map(int, str(arguments["until"]).split(":"))
            if hour >= CLOSES:
                raise ToolFailed("the day ends before", self.now)
            self.now = self.now.replace(hour=hour, minute=minute)
        elif tool != "desk_now":
            self.now += timedelta(minutes=COSTS.get(tool, 1))
        if tool == "broken":
            raise ToolFailed("it does not work", self.now)
        who = str(arguments.get("who", ""))
        self.entries.append((f"{began:%H:%M}", f"{tool} {who}".strip()))
        return ToolResponse("", {}, self.now)


async def run(**oracles: Any) -> tuple[Diary, dict[str, Exception]]:
    diary = Diary()
    return diary, await run_oracles(diary, COSTS, oracles)


async def test_an_appointment_is_kept_to_the_minute_while_another_oracle_works() -> None:
    async def meets(client: ToolClient) -> None:
        await client.wait_until(MORNING + timedelta(minutes=12))
        await client.call("quick", who="meeting")

    async def works(client: ToolClient) -> None:
        for _ in range(4):
            await client.call("slow", who="work")

    diary, failures = await run(T1=meets, T2=works)
    assert not failures
    assert ("08:12", "quick meeting") in diary.entries
    assert diary.entries == [
        ("08:00", "desk_now"),
        ("08:00", "slow work"),
        ("08:05", "slow work"),
        ("08:10", "desk_wait"),
        ("08:12", "quick meeting"),
        ("08:13", "slow work"),
        ("08:18", "slow work"),
    ]


async def test_a_shorter_call_of_another_oracle_fills_the_gap_before_an_appointment() -> None:
    async def meets(client: ToolClient) -> None:
        await client.wait_until(MORNING + timedelta(minutes=2))
        await client.call("quick", who="meeting")

    async def slow(client: ToolClient) -> None:
        await client.call("slow", who="s")

    async def quick(client: ToolClient) -> None:
        await client.call("quick", who="q")

    diary, _ = await run(T1=meets, T2=slow, T3=quick)
    assert diary.entries[1:] == [
        ("08:00", "quick q"),
        ("08:01", "desk_wait"),
        ("08:02", "quick meeting"),
        ("08:03", "slow s"),
    ]


async def test_the_earliest_of_two_appointments_goes_first_whatever_the_order_of_tasks() -> None:
    def meets(minutes: int, who: str) -> Any:
        async def oracle(client: ToolClient) -> None:
            await client.wait_until(MORNING + timedelta(minutes=minutes))
            await client.call("quick", who=who)

        return oracle

    for order in ({"T1": 30, "T2": 20}, {"T1": 20, "T2": 30}):
        diary, _ = await run(**{task: meets(m, f"at {m}") for task, m in order.items()})
        meetings = [entry for entry in diary.entries if entry[1].startswith("quick")]
        assert meetings == [("08:20", "quick at 20"), ("08:30", "quick at 30")]


async def test_oracles_take_turns() -> None:
    async def works(client: ToolClient) -> None:
        for _ in range(2):
            await client.call("quick", who=client.task)

    diary, _ = await run(T1=works, T2=works)
    assert [who for _, who in diary.entries[1:]] == [
        "quick T1",
        "quick T2",
        "quick T1",
        "quick T2",
    ]


async def test_resting_lets_others_work_and_ends_no_earlier_than_asked() -> None:
    async def rests(client: ToolClient) -> None:
        await client.wait_at_least(3)
        await client.call("quick", who="rested")

    async def works(client: ToolClient) -> None:
        await client.call("slow", who="work")

    diary, _ = await run(T1=rests, T2=works)
    assert diary.entries[1:] == [("08:00", "slow work"), ("08:05", "quick rested")]


async def test_a_refused_call_reaches_its_own_oracle_and_its_minute_counts() -> None:
    heard: list[str] = []

    async def tries(client: ToolClient) -> None:
        try:
            await client.call("broken")
        except ToolFailed as error:
            heard.append(str(error))
        await client.call("quick", who="after")

    diary, failures = await run(T1=tries)
    assert heard == ["it does not work"]
    assert not failures
    assert diary.entries[-1] == ("08:01", "quick after")


async def test_an_oracle_that_raises_is_reported_and_the_others_finish() -> None:
    async def raises(client: ToolClient) -> None:
        await client.call("quick", who="first")
        raise LookupError("lost")

    async def works(client: ToolClient) -> None:
        await client.call("slow", who="done")

    diary, failures = await run(T1=raises, T2=works)
    assert isinstance(failures["T1"], LookupError)
    assert list(failures) == ["T1"]
    assert diary.entries[-1][1] == "slow done"


async def test_an_oracle_that_awaits_anything_but_its_hands_is_a_failure_of_its_own() -> None:
    class Foreign:
        def __await__(self) -> Any:
            yield "something"

    async def strays(client: ToolClient) -> None:
        await Foreign()

    _, failures = await run(T1=strays)
    assert isinstance(failures["T1"], TypeError)


@pytest.mark.parametrize("minutes", [0, -5])
async def test_an_appointment_that_is_now_or_past_is_taken_up_at_once(minutes: int) -> None:
    async def meets(client: ToolClient) -> None:
        await client.wait_until(MORNING + timedelta(minutes=minutes))
        await client.call("quick", who="now")

    diary, failures = await run(T1=meets)
    assert not failures
    assert diary.entries[-1] == ("08:00", "quick now")


async def test_who_waits_beyond_the_end_of_the_day_waits_in_vain_and_the_others_finish() -> None:
    async def waits(client: ToolClient) -> None:
        await client.wait_until(MORNING.replace(hour=CLOSES + 1))

    async def copes(client: ToolClient) -> None:
        try:
            await client.wait_at_least(14 * 60)
        except ToolFailed:
            await client.call("quick", who="coped")

    diary, failures = await run(T1=waits, T2=copes)
    assert isinstance(failures["T1"], ToolFailed)
    assert list(failures) == ["T1"]
    assert diary.entries[-1][1] == "quick coped"


@pytest.mark.parametrize(
    ("first", "expected"),
    [((), ["urgent", "urgent", "late", "late"]), (("late",), ["late", "late", "urgent", "urgent"])],
)
async def test_what_is_due_first_goes_first_unless_another_task_takes_a_week(
    first: tuple[str, ...], expected: list[str]
) -> None:
    class Desk(Diary):
        async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
            answer = await super().call(tool, arguments)
            due = {"late": "2025-10-01T18:00:00", "urgent": "2025-10-01T10:00:00"}
            tasks = [{"id": task, "deadline": due[task]} for task in due]
            return ToolResponse("", {"tasks": tasks}, answer.time)

    async def work(client: ToolClient) -> None:
        await client.call("desk_tasks", who=client.task)
        for _ in range(2):
            await client.call("quick", who=client.task)

    diary = Desk()
    assert (
        await run_oracles(diary, COSTS, {"late": work, "urgent": work}, WorkPlan(first=first)) == {}
    )
    calls = [what for _, what in diary.entries if what.startswith("quick")]
    assert calls == [f"quick {task}" for task in expected]


async def test_who_has_not_seen_the_desk_yet_looks_before_others_go_on() -> None:
    class Desk(Diary):
        async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
            answer = await super().call(tool, arguments)
            tasks = [{"id": "busy", "deadline": "2025-10-01T10:00:00"}]
            return ToolResponse("", {"tasks": tasks if tool == "desk_tasks" else []}, answer.time)

    async def busy(client: ToolClient) -> None:
        await client.call("desk_tasks", who="busy")
        for _ in range(4):
            await client.call("quick", who="busy")

    async def waiting(client: ToolClient) -> None:
        await client.wait_at_least(1)
        await client.call("quick", who="looks")

    diary = Desk()
    assert await run_oracles(diary, COSTS, {"busy": busy, "unseen": waiting}) == {}
    calls = [what for _, what in diary.entries if what.startswith("quick")]
    assert calls.index("quick looks") <= 2


class DueDiary(Diary):
    """A diary whose desk lists T1, due soon, and T2, due late."""

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        done = await super().call(tool, arguments)
        if tool != "desk_tasks":
            return done
        due = {"T1": MORNING + timedelta(hours=2), "T2": MORNING + timedelta(hours=9)}
        tasks = [{"id": id, "deadline": at.isoformat()} for id, at in due.items()]
        return ToolResponse("", {"tasks": tasks}, self.now)


async def lists_and_works(client: ToolClient) -> None:
    await client.call("desk_tasks")
    for _ in range(3):
        await client.call("slow", who=client.task)


class NewsDiary(Diary):
    """A diary whose desk lists T1, due late, and from 08:06 on also T2, due soon, and says so."""

    def __init__(self) -> None:
        super().__init__()
        self.listed = False

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        done = await super().call(tool, arguments)
        there = self.now >= MORNING + timedelta(minutes=6)
        notices = (
            ()
            if self.listed or not there
            else (Notice(at=self.now, kind=NoticeKind.TASK, text=""),)
        )
        self.listed = there
        due = {"T1": MORNING + timedelta(hours=9)}
        due |= {"T2": MORNING + timedelta(hours=1)} if there else {}
        listed = [{"id": id, "deadline": at.isoformat(), "objective": ""} for id, at in due.items()]
        data: ToolData = {"tasks": listed} if tool == "desk_tasks" else done.data
        return replace(done, data=data, notices=notices)


async def waits_and_works(client: ToolClient) -> None:
    await wait_for_task(client)
    for _ in range(3):
        await client.call("slow", who=client.task)


async def test_who_waits_for_a_task_begins_when_they_are_told_of_it() -> None:
    diary = NewsDiary()
    work = {"T1": waits_and_works, "T2": waits_and_works}
    assert await run_oracles(diary, COSTS, work, WorkPlan(trusts_notices=True)) == {}
    slow = [call.split()[1] for _, call in diary.entries if call.startswith("slow")]
    assert slow == ["T1", "T2", "T2", "T2", "T1", "T1"]
    assert [call for _, call in diary.entries].count("desk_tasks") == 2


async def test_a_deadline_that_has_moved_is_looked_up() -> None:
    class Moving(DueDiary):
        async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
            before = self.now
            done = await super().call(tool, arguments)
            moved = MORNING + timedelta(minutes=8)
            notice = Notice(at=moved, kind=NoticeKind.TASK, text="T2 is due earlier.")
            if tool == "desk_tasks" and self.now > moved:
                sooner = (MORNING + timedelta(hours=1)).isoformat()
                return replace(done, data={"tasks": [{"id": "T2", "deadline": sooner}]})
            return replace(done, notices=(notice,) if before < moved <= self.now else ())

    diary = Moving()
    await run_oracles(diary, COSTS, {"T1": lists_and_works, "T2": lists_and_works})
    slow = [call for _, call in diary.entries if call.startswith("slow")]
    assert slow[:3] == ["slow T1", "slow T1", "slow T2"]


async def test_a_promised_appointment_is_as_urgent_as_a_deadline() -> None:
    async def promises(client: ToolClient) -> None:
        await client.call("desk_tasks")
        await client.promise(MORNING + timedelta(minutes=30))
        for _ in range(3):
            await client.call("slow", who=client.task)

    diary = DueDiary()
    await run_oracles(
        diary, COSTS, {"T1": lists_and_works, "T2": promises}, WorkPlan(look_first={"T2": 1})
    )
    slow = [call for _, call in diary.entries if call.startswith("slow")]
    assert slow[:3] == ["slow T2"] * 3


async def test_each_task_is_looked_into_before_deadlines_count() -> None:
    diary = DueDiary()
    work = {"T1": lists_and_works, "T2": lists_and_works}
    await run_oracles(diary, COSTS, work, WorkPlan(look_first=dict.fromkeys(work, 2)))
    slow = [call for _, call in diary.entries if call.startswith("slow")]
    assert slow[:2] == ["slow T1", "slow T2"]


async def test_a_planned_order_goes_before_deadlines() -> None:
    diary = DueDiary()
    work = {"T1": lists_and_works, "T2": lists_and_works}
    await run_oracles(diary, COSTS, work, WorkPlan(order=("T2", "T1")))
    slow = [call for _, call in diary.entries if call.startswith("slow")]
    assert slow == ["slow T2"] * 3 + ["slow T1"] * 3


SETTLED = MORNING + timedelta(minutes=40)


async def gives_way_and_works(client: ToolClient) -> None:
    await client.call("desk_tasks")
    while not await client.give_way(SETTLED):
        if (await client.call("desk_now")).time >= SETTLED:
            break
    await client.call("slow", who=client.task)


async def finished_after(plan: WorkPlan) -> list[tuple[str, str]]:
    diary = DueDiary()
    work = {"T1": gives_way_and_works, "T2": lists_and_works}
    await run_oracles(diary, COSTS, work, plan)
    return [entry for entry in diary.entries if entry[1].startswith("slow")]


async def test_who_gives_way_goes_on_once_nobody_else_has_anything_to_do() -> None:
    assert await finished_after(WorkPlan(order=("T1", "T2"))) == [
        ("08:02", "slow T2"), ("08:07", "slow T2"), ("08:12", "slow T2"), ("08:17", "slow T1"),
    ]  # fmt: skip


async def test_what_is_known_to_change_is_not_finished_before_and_finished_at_once_then() -> None:
    changes = {"T1": MORNING + timedelta(minutes=10)}
    done = await finished_after(WorkPlan(order=("T1", "T2"), settled=changes))
    assert done == [
        ("08:02", "slow T2"), ("08:07", "slow T2"), ("08:12", "slow T1"), ("08:17", "slow T2"),
    ]  # fmt: skip
    late = {"T1": MORNING + timedelta(minutes=30)}
    assert (await finished_after(WorkPlan(order=("T1", "T2"), settled=late)))[-1] == (
        "08:30", "slow T1",
    )  # fmt: skip


async def test_without_a_planned_order_nobody_gives_way() -> None:
    assert (await finished_after(WorkPlan()))[0] == ("08:01", "slow T1")


async def test_what_is_due_within_the_time_in_which_nothing_changes_goes_before_the_order() -> None:
    class Soon(DueDiary):
        async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
            done = await super().call(tool, arguments)
            if tool != "desk_tasks":
                return done
            due = {"T1": MORNING + timedelta(minutes=50), "T2": MORNING + timedelta(hours=9)}
            tasks = [{"id": id, "deadline": at.isoformat()} for id, at in due.items()]
            return replace(done, data={"tasks": tasks})

    diary = Soon()
    work = {"T1": lists_and_works, "T2": lists_and_works}
    await run_oracles(diary, COSTS, work, WorkPlan(order=("T2", "T1")))
    slow = [call for _, call in diary.entries if call.startswith("slow")]
    assert slow[0] == "slow T2"
    assert slow[1:4] == ["slow T1"] * 3
