"""A look is shared by all tasks, and repeated after news or where changes are not announced."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from tests.meta_tasks.work.diary_office import (
    COSTS,
    TELLS_ALL,
    Diary,
    Happening,
    Step,
    Steps,
    at,
    worked,
)
from trainee_bench.harness.generation.draft import effort_minutes
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.outline import DayOutline
from trainee_bench.meta_tasks.work.reading import Task
from trainee_bench.meta_tasks.work.sources import (
    DeskListing,
    FileState,
    Inbox,
    MailSearch,
    ReadText,
    Since,
)
from trainee_bench.world.notices import NoticeKind

PATH = "drive:/a.txt"
LOOKS = {"desk_tasks", "chat_read_history", "mail_search", "files_read"}
MARK_AS_READ = {"chat_read_history", "mail_read"}


class FilingOffice(Diary):
    """An office with one file that never changes."""

    def _data(self, tool: str) -> dict[str, object]:
        page = {"text": "what it says", "next_offset": None, "next_column": None}
        return {**super()._data(tool), **page, "changed": "08:00", "lines": 1}


async def looks(work: Work, task: str) -> None:
    """Look at the task, the inbox, some mails and a file."""
    await work(Task(task))
    await work.all((Inbox(), MailSearch("news"), ReadText(PATH)))


def looked(office: Diary, since: str = "") -> dict[str, int]:
    """Return how often each look was taken."""
    tools = [what.split()[0] for time, what in office.entries if time >= since]
    return {tool: tools.count(tool) for tool in LOOKS if tool in tools}


async def test_a_source_of_two_tasks_is_looked_at_once() -> None:
    office = FilingOffice({"T1": at(16), "T2": at(17)})
    assert await worked(office, TELLS_ALL, T1=looks, T2=looks) == {}
    assert looked(office) == dict.fromkeys(LOOKS, 1)


@pytest.mark.parametrize(
    ("kind", "again"),
    [
        (NoticeKind.TASK, {"desk_tasks"}),
        (NoticeKind.DEADLINE, {"desk_tasks"}),
        (NoticeKind.MESSAGE, {"chat_read_history"}),
        (NoticeKind.CHATTER, {"chat_read_history"}),
        (NoticeKind.MAIL, {"mail_search"}),
        (NoticeKind.MEETING, set[str]()),
        (NoticeKind.NEWS, {"desk_tasks", "chat_read_history", "mail_search"}),
    ],
)
async def test_a_notice_has_one_look_again_where_it_may_matter_and_nowhere_else(
    kind: NoticeKind, again: set[str]
) -> None:
    office = FilingOffice({"T1": at(16)}, [Happening(at(10), kind)])
    assert await worked(office, TELLS_ALL, T1=looks) == {}
    assert looked(office, "10:00") == dict.fromkeys(again, 1)


async def test_news_that_came_with_an_answer_is_newer_than_it() -> None:
    office = FilingOffice({"T1": at(16)}, [Happening(at(8, 1), NoticeKind.MESSAGE)])

    async def reads(work: Work, task: str) -> None:
        await work(Inbox())

    assert await worked(office, TELLS_ALL, T1=reads) == {}
    assert office.times("chat_read_history") == ["08:00", "08:01"]


async def test_a_call_that_failed_tells_its_news_too() -> None:
    async def fails(work: Work, task: str) -> None:
        await work(Inbox())
        await work(Step(task, 1, "broken"))

    office = FilingOffice({"T1": at(16)}, [Happening(at(8, 2), NoticeKind.MESSAGE)])
    errors = await worked(office, TELLS_ALL, T1=fails)
    assert list(errors) == ["T1"]
    assert looked(office)["chat_read_history"] == 2


async def test_without_notices_one_looks_again_at_intervals_until_shortly_before_the_end() -> None:
    office = FilingOffice({"T1": at(16)})
    assert await worked(office, T1=looks) == {}
    times = office.times("chat_read_history")
    assert 2 < len(times) < 20
    assert (office.times("desk_tasks")[-1], times[-1]) == ("15:16", "15:17")
    assert looked(office)["files_read"] == 1  # it stays what it was


async def test_without_notices_one_looks_again_before_colleagues_may_have_gone() -> None:
    office = FilingOffice({"T1": at(20)})
    assert await worked(office, T1=looks) == {}
    moments = [datetime.strptime(time, "%H:%M") for time in office.times("desk_tasks")]
    between = [later - earlier for earlier, later in pairwise(moments)]
    assert max(between) <= timedelta(minutes=42)


async def test_unannounced_changes_are_looked_for_even_where_all_else_is_announced() -> None:
    async def watches(work: Work, task: str) -> None:
        await work(Task(task))
        await work.all((FileState(PATH), Inbox()))

    office = FilingOffice({"T1": at(16)})
    assert await worked(office, TELLS_ALL, T1=watches) == {}
    assert len(office.times("files_info")) > 2
    assert len(office.times("chat_read_history")) == 1


async def test_before_something_is_written_one_looks_at_what_nobody_tells_of() -> None:
    async def writes(work: Work, task: str) -> None:
        await work(Task(task))
        await work(FileState(PATH))
        for number in range(3):
            await work(Step(task, number))
        await work(Step(task, 4, "files_write"))

    office = FilingOffice({"T1": at(16)})
    assert await worked(office, TELLS_ALL, T1=writes) == {}
    looked_at, written = office.times("files_info"), office.times("files_write T1")
    assert written and any(time < written[0] for time in looked_at[1:])


@pytest.mark.parametrize("minutes", [5, 10, 20])
async def test_dear_looks_leave_time_for_the_work(
    minutes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def writes(work: Work, task: str) -> None:
        await work(Task(task))
        await work(Inbox())
        for number in range(10):
            await work(Step(task, number))
        await work(Step(task, 10, "files_write"))

    monkeypatch.setitem(COSTS, "desk_tasks", minutes)
    monkeypatch.setitem(COSTS, "chat_read_history", minutes)
    office = FilingOffice({"T1": at(18)})
    assert await worked(office, T1=writes) == {}
    assert office.times("files_write T1")


async def test_a_look_that_does_not_fit_before_an_appointment_waits_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def meets(work: Work, task: str) -> None:
        await work.keep(at(10, 3))
        await work.call("slow", who=task)

    async def sleeps(work: Work, task: str) -> None:
        await work(Task(task))
        await work.pause(at(10))
        await work(Step(task, 1))

    async def doubts(work: Work, task: str) -> None:
        await work.pause(at(9, 58))
        work.look_again(DeskListing(), at(9, 58))

    monkeypatch.setitem(COSTS, "desk_tasks", 6)
    office = FilingOffice(dict.fromkeys(("T1", "T2", "T3"), at(16)))
    outline = DayOutline(settled=dict.fromkeys(("T1", "T2", "T3"), at(8)))
    assert await worked(office, outline, T1=meets, T2=sleeps, T3=doubts) == {}
    assert office.times("slow T1") == ["10:03"]
    assert office.times("desk_tasks")[1] == "10:08"


async def test_a_timed_look_happens_at_its_time_unless_the_source_was_seen_since() -> None:
    async def later(work: Work, task: str) -> None:
        await work(Inbox())
        await work(Since(Inbox(), at(10)))

    office = FilingOffice({"T1": at(16)})
    assert await worked(office, DayOutline(settled={"T1": at(8)}), T1=later) == {}
    assert "10:00" in office.times("chat_read_history")


async def test_a_task_that_is_handed_in_is_watched_until_it_changes_no_more() -> None:
    office = FilingOffice({"T1": at(16)}, [Happening(at(15), due={"T1": at(17)})])
    assert await worked(office, TELLS_ALL, T1=Steps(1)) == {}
    assert office.times("desk_tasks") == ["08:00", "15:00"]
    assert office.now == at(16, 16)


def test_every_tool_that_costs_effort_exists_and_a_free_one_changes_nothing_but_what_is_read() -> (
    None
):
    tools = {tool.name: tool for box in discover_toolboxes().values() for tool in box}
    assert set(effort_minutes()) <= set(tools)
    free = {name for name, minutes in effort_minutes().items() if minutes == 0}
    assert {name for name in free if not tools[name].read_only} <= MARK_AS_READ
