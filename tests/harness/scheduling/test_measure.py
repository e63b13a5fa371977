"""The figures of a day's schedule for agents whose days are known."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from functools import partial

import pytest
from pydantic import JsonValue

from tests.harness.days import composed_day
from trainee_bench.harness.records.schedule_figures import ScheduleFigures
from trainee_bench.harness.scheduling.measure import MeasuredDay, measure_day
from trainee_bench.harness.scheduling.reference import ReferenceDay, agent_days, reference_days
from trainee_bench.harness.testbench.staged_day import StagedDay, stage_day
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.scenario import TaskSpec
from trainee_bench.world.apps.desk import RequestChanged
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.transaction import WorkingDay

SALES, LINKS, SLOW = "sales.sales_statistics", "kb_fix.easy", "sales.sales_statistics+slow_holder"
HOUR = timedelta(hours=1)


composed = partial(composed_day, name="scheduled", seed=7)


def demanding() -> ComposedDay:
    """A day on which an agent that works in order is late."""
    return compose_day(find_scenario("core-50-04"))


async def day_of(agent: str, composition: ComposedDay) -> ReferenceDay:
    """Return the only day of *composition* as *agent* works it."""
    (day,) = await agent_days(agent, composition)
    return day


async def worked(
    composition: ComposedDay, *calls: tuple[str, Mapping[str, JsonValue]]
) -> StagedDay:
    """Return the day with these calls made, and nothing else."""
    day = await stage_day(composition)
    for tool, arguments in calls:
        await day.call(tool, arguments)
    return day


async def measured(
    composition: ComposedDay, *calls: tuple[str, Mapping[str, JsonValue]]
) -> MeasuredDay:
    day = await worked(composition, *calls)
    async with day.world:
        return await measure_day(day.world, composition)


def fact_of(composition: ComposedDay) -> Clue:
    """Return the only fact of the only task."""
    ((clue,),) = (task.instance.hidden.clues for task in composition.tasks)
    return clue


def works_from(composition: ComposedDay, person: str) -> datetime:
    hours = composition.company.person(person).hours
    return max(composition.day.starts, datetime.combine(composition.day.starts, hours.starts))


async def test_the_oracle_is_never_late_and_loses_nothing() -> None:
    figures = (await day_of("oracle", demanding())).figures
    assert figures.value is not None
    assert figures.value.lost == 0 and figures.value.delivered == figures.value.optimum == 4
    assert all(task.minutes_late == 0 and task.submitted for task in figures.tasks)
    assert figures.facts_never_told == 0
    assert len(figures.questions) == 6


async def test_the_oracle_has_no_question_later_than_its_own_plan() -> None:
    (best,) = await reference_days(demanding())
    assert (await day_of("oracle", demanding())).figures == best.figures


async def test_working_a_demanding_day_in_order_leaves_what_is_due_meanwhile_and_loses_it() -> None:
    figures = (await day_of("in_order", demanding())).figures
    assert figures.value is not None
    late = [task for task in figures.tasks if task.submitted is None]
    assert late and all(task.began and task.began < task.deadline for task in late)
    assert figures.value.late == figures.value.lost == len(late)


async def test_an_agent_that_does_nothing_is_idle_from_start_to_end() -> None:
    composition = composed(SALES, LINKS)
    done = await day_of("nothing", composition)
    minutes = (composition.day.ends - composition.day.starts) // timedelta(minutes=1)
    assert done.figures.idle_minutes == done.figures.waiting_minutes == minutes
    assert done.figures.value is not None and done.figures.value.never_begun == 2
    assert all(task.minutes_late is None and task.began is None for task in done.figures.tasks)
    assert done.figures.facts_never_told == len(
        [clue for task in composition.tasks for clue in task.instance.hidden.clues]
    )


async def test_an_agent_that_leaves_at_once_is_idle_as_soon_as_tasks_would_have_come() -> None:
    composition = demanding()
    figures = (await day_of("nothing", composition)).figures
    first = min(task.arrives for task in composition.tasks)
    last = max(task.deadline for task in composition.tasks)
    assert 0 < figures.idle_minutes <= (last - first) // timedelta(minutes=1)
    assert [task.published for task in figures.tasks] == [t.arrives for t in composition.tasks]


async def test_an_hour_waited_while_a_task_is_open_is_sixty_idle_minutes() -> None:
    composition = composed("data_completion.sales.quarter_from_months.very_hard")
    day = await worked(composition, ("desk_wait", {"minutes": 60, "wake": False}))
    async with day.world:
        assert not await day.work()
        figures = (await measure_day(day.world, composition)).figures
    assert figures.idle_minutes == 60
    assert figures.waiting_minutes > 60  # the rest of the day, with nothing left to do


async def test_waiting_for_an_answer_is_not_idle() -> None:
    composition = composed(SLOW)
    clue = fact_of(composition)
    ask = ("chat_send_message", {"to": clue.holder, "text": clue.asks[0]})
    wait = ("desk_wait", {"minutes": 30, "wake": False})
    blocked, free = await measured(composition, ask, wait), await measured(composition, wait, ask)
    starts = composition.day.starts
    assert not any(span.starts < starts + HOUR / 2 for span in blocked.idle)
    assert free.idle[0].starts == starts
    (task,) = composition.tasks
    assert blocked.lanes[0].asked[0].starts == starts and blocked.lanes[0].timing.task == task.id


async def test_waiting_for_the_hour_until_which_a_request_may_change_is_not_idle() -> None:
    composition = composed("meeting_book.moved.c2")
    done = await day_of("oracle", composition)
    (task,) = composition.tasks
    told = max(question.told for question in done.figures.questions)
    settled = task.instance.told.settled_from
    assert settled is not None and told + HOUR < settled
    assert not any(told + HOUR / 4 < span.starts < settled for span in done.day.idle)


async def test_a_change_of_what_is_asked_for_opens_a_task_again() -> None:
    composition = composed("sales.sales_statistics+changed_request")
    day = await worked(composition, ("desk_submit", {"task": "T1"}))
    async with day.world:
        await day.call("desk_wait", {"minutes": 300, "wake": False})
        await day.call(FINISH_DAY_TOOL, {})
        seen = await measure_day(day.world, composition)
    (change,) = (
        planned.due
        for planned in composition.tasks[0].instance.hidden.events
        if isinstance(planned.event, RequestChanged)
    )
    assert seen.idle[0].starts == change
    assert seen.figures.tasks[0].submitted is None


async def test_a_meeting_of_no_task_is_waiting() -> None:
    composition = composed(SALES)
    starts, ends = composition.day.starts + HOUR, composition.day.starts + 2 * HOUR
    book = {"title": "A chat", "room": "Room_01", "attendees": [],
            "starts": f"{starts:%H:%M}", "ends": f"{ends:%H:%M}"}  # fmt: skip
    day = await worked(composition, ("calendar_book", book))
    async with day.world:
        await day.call("desk_wait", {"until": f"{starts:%H:%M}", "wake": False})
        await day.call("calendar_attend", {"meeting": 1})
        figures = (await measure_day(day.world, composition)).figures
    assert figures.idle_minutes == figures.waiting_minutes == 12 * 60 - 5


async def test_a_question_is_late_from_when_its_holder_is_there() -> None:
    composition = composed(SLOW)
    clue = fact_of(composition)
    possible = works_from(composition, clue.holder)
    figures = (
        await measured(
            composition,
            ("desk_wait", {"until": f"{possible + HOUR:%H:%M}", "wake": False}),
            ("chat_send_message", {"to": clue.holder, "text": clue.asks[0]}),
            (FINISH_DAY_TOOL, {}),
        )
    ).figures
    (question,) = figures.questions
    assert (question.possible, question.asked) == (possible, possible + HOUR)
    assert question.minutes_late == 60
    assert question.told > question.asked + HOUR
    assert question.minutes_waited == 0  # an agent that ends the day does not wait for the answer


async def test_a_late_question_costs_the_waiting_that_an_earlier_one_would_have_saved() -> None:
    composition = composed(SLOW)
    clue = fact_of(composition)
    possible = works_from(composition, clue.holder)
    asked = possible + timedelta(minutes=20)
    figures = (
        await measured(
            composition,
            ("desk_wait", {"until": f"{asked:%H:%M}", "wake": False}),
            ("chat_send_message", {"to": clue.holder, "text": clue.asks[0]}),
            ("desk_wait", {"minutes": 150, "wake": False}),
        )
    ).figures
    (question,) = figures.questions
    assert question.minutes_late == question.minutes_waited == 20


async def test_calls_are_attributed_by_files_people_and_ids_and_switches_counted() -> None:
    composition = composed(SALES, LINKS)
    sales, links = (next(t for t in composition.tasks if t.rule == rule) for rule in (SALES, LINKS))
    path = sales.instance.told.deliverable_paths[0]
    holder = links.instance.hidden.clues[0].holder
    figures = (
        await measured(
            composition,
            ("desk_tasks", {}),
            ("files_write", {"path": path, "text": "{}"}),
            ("desk_now", {}),
            ("files_read", {"path": path}),
            ("chat_list_people", {"query": holder}),
            ("desk_tasks", {"task": sales.id}),
        )
    ).figures
    calls = {timing.task: timing.calls for timing in figures.tasks}
    assert calls == {sales.id: 3, links.id: 1}
    assert figures.other_calls == 2
    assert figures.switches == 2


async def test_handing_in_after_the_deadline_is_late_by_the_minutes_past_it() -> None:
    composition = composed_day(TaskSpec(rule=LINKS, deadline=time(10)), name="due", seed=7)
    day = await worked(composition, ("desk_wait", {"until": "10:25", "wake": False}))
    async with day.world:
        await day.observe("desk_submit", {"task": "T1"})
        await day.observe("desk_submit", {"task": "T1"})
        (timing,) = (await measure_day(day.world, composition)).figures.tasks
    assert (timing.minutes_late, timing.submitted) == (25, None)


async def test_only_what_lies_in_the_window_is_measured() -> None:
    composition = composed(SALES)
    day = await worked(
        composition,
        ("desk_tasks", {"task": "T1"}),
        ("desk_wait", {"minutes": 119, "wake": False}),
        ("desk_tasks", {"task": "T1"}),
    )
    starts = composition.day.starts
    async with day.world:
        window = WorkingDay(starts + HOUR, starts + 3 * HOUR)
        seen = await measure_day(day.world, composition, window)
    assert seen.figures.tasks[0].calls == 1
    assert seen.figures.waiting_minutes == 59  # after the last call; the wait began before it


@pytest.mark.parametrize("agent", ["oracle", "in_order"])
async def test_the_figures_add_up(agent: str) -> None:
    done = await day_of(agent, demanding())
    figures: ScheduleFigures = done.figures
    worked_minutes = sum(task.minutes for task in figures.tasks) + figures.other_minutes
    assert worked_minutes + figures.waiting_minutes == 12 * 60
    assert 0 <= figures.idle_minutes <= figures.waiting_minutes
    assert figures.value is not None
    assert figures.value.optimum - figures.value.delivered == pytest.approx(figures.value.lost)
    assert all(0 <= q.minutes_waited <= q.minutes_late for q in figures.questions)
    assert all(q.asked <= q.told for q in figures.questions)
    assert ScheduleFigures.model_validate_json(figures.model_dump_json()) == figures
