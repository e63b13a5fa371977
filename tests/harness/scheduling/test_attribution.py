"""Which task a call belongs to."""

from __future__ import annotations

from dataclasses import replace

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from trainee_bench.harness.scheduling.attribution import attribute_calls
from trainee_bench.harness.scheduling.day_trace import DayTrace, read_day_trace
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.world.action_log import LogEntry

SALES, MORE_SALES = "sales.sales_statistics", "sales.top_sales_employee"
SITE, MEETING = "website_analysis.slow_page", "meeting_attend.sum.u1"
TASKS = tuple(TaskSpec(rule=rule) for rule in (SALES, MORE_SALES, SITE, MEETING))


@pytest.fixture(scope="module")
def trace() -> DayTrace:
    """A day of four tasks, two of which use the same files; nothing is done in it."""
    composition = compose_day(Scenario(name="attributed", seed=7, days=(DaySpec(tasks=TASKS),)))

    async def read() -> DayTrace:
        day = await stage_day(composition)
        async with day.world:
            return await read_day_trace(day.world, composition)

    return anyio.run(read)


def called(trace: DayTrace, *calls: tuple[str, dict[str, JsonValue]]) -> list[str]:
    """The rule of the task that each call belongs to; "" for none."""
    start = trace.window.starts
    log = tuple(
        LogEntry(
            seq=number, at=start, until=start, actor=trace.employee, tool=tool,
            arguments=arguments, ok=False, text="", data=None, notices=(), effects={},
        )
        for number, (tool, arguments) in enumerate(calls, start=1)
    )  # fmt: skip
    rules = {task.id: task.rule for task in trace.composition.tasks}
    return [rules.get(call.task, "") for call in attribute_calls(replace(trace, whole_log=log))]


def deliverable(trace: DayTrace, rule: str) -> str:
    (task,) = (task for task in trace.composition.tasks if task.rule == rule)
    return task.instance.told.deliverable_paths[0]


def test_a_shared_file_belongs_to_the_task_that_was_worked_on_last(trace: DayTrace) -> None:
    shared: tuple[str, dict[str, JsonValue]] = (
        "files_read", {"path": "drive:/sales/sales_handbook.md"},
    )  # fmt: skip
    begin: tuple[str, dict[str, JsonValue]] = (
        "files_write", {"path": deliverable(trace, MORE_SALES), "text": "x"},
    )  # fmt: skip
    assert called(trace, shared, begin, shared) == ["", MORE_SALES, MORE_SALES]


def test_a_meeting_and_the_website_s_instruments_belong_to_the_task_of_their_scene(
    trace: DayTrace,
) -> None:
    keys = [meeting.id for meeting in trace.meetings.values()]
    assert called(
        trace, ("calendar_attend", {"meeting": keys[0]}), ("monitor_get_summary", {})
    ) == [MEETING, SITE]


def test_the_id_is_stronger_than_a_file(trace: DayTrace) -> None:
    (site,) = (task.id for task in trace.composition.tasks if task.rule == SITE)
    note = f"{deliverable(trace, SALES)} is ready"
    assert called(trace, ("desk_submit", {"task": site.lower(), "note": note})) == [SITE]


def test_what_names_nothing_of_a_task_belongs_to_none(trace: DayTrace) -> None:
    assert called(trace, ("desk_tasks", {}), ("files_list", {"folder": "workspace:/"})) == ["", ""]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
NAMES = st.sampled_from(["task", "path", "meeting", "to", "text"]) | st.text(max_size=6)


@given(
    tool=st.sampled_from(["chat_send_message", "calendar_book", "desk_submit", "no_such_tool"]),
    arguments=st.dictionaries(NAMES, JSON, max_size=4),
)
def test_whatever_an_agent_calls_is_attributed(
    trace: DayTrace, tool: str, arguments: dict[str, JsonValue]
) -> None:
    assert len(called(trace, (tool, arguments))) == 1
