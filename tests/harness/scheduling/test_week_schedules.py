"""The figures for the days of a week: anything that goes on overnight is counted once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta

import pytest
from pydantic import JsonValue

from trainee_bench.harness.records.schedule_figures import ScheduleFigures, total_schedule
from trainee_bench.harness.scheduling.asking import Colleagues
from trainee_bench.harness.scheduling.day_trace import read_day_trace
from trainee_bench.harness.scheduling.measure import MeasuredDay, measure_days
from trainee_bench.harness.scheduling.reference import agent_days, reference_days
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.scenario import Scenario

SALES, LINKS, DUTY = "sales.sales_statistics", "kb_fix.easy", "week.readings"
TABLE = "data_completion.sales.quarter_from_months.very_hard"
Call = tuple[str, Mapping[str, JsonValue]]
REST: Call = ("desk_finish_day", {})
MINUTE = timedelta(minutes=1)


def week(*days: Sequence[dict[str, JsonValue]]) -> ComposedDay:
    listed = [{"tasks": list(tasks)} for tasks in days]
    scenario = {"name": "scheduled", "seed": 7, "week": True, "days": listed}
    return compose_day(Scenario.model_validate(scenario))


async def measured(composition: ComposedDay, *mornings: Sequence[Call]) -> list[MeasuredDay]:
    """Return the days with these calls made, accepted or refused, and nothing else."""
    staged = await stage_day(composition)
    async with staged.world:
        for place, calls in enumerate(mornings):
            if place:
                await staged.world.begin_next_day()
            for tool, arguments in calls:
                await staged.observe(tool, arguments)
        return list(await measure_days(staged.world, composition))


async def figures_of(agent: str, composition: ComposedDay) -> list[ScheduleFigures]:
    return [day.figures for day in await agent_days(agent, composition)]


CARRIED = week([{"rule": SALES, "due_day": 1}, {"rule": LINKS}], [{"rule": TABLE}])
"""T1 is due on the first day, T2 and T3 on the second, although T2 comes on the first."""


async def test_the_oracle_s_week_loses_nothing_and_its_minutes_add_up() -> None:
    days = [day.figures for day in await reference_days(CARRIED)]
    assert [day.value.optimum for day in days if day.value] == [1, 3], "T2 has two days"
    for day in days:
        assert day.value is not None and day.value.lost == 0
        worked = sum(task.minutes for task in day.tasks) + day.other_minutes
        assert worked + day.waiting_minutes == 12 * 60
        assert all(task.minutes_late == 0 for task in day.tasks)


async def test_a_task_is_missing_and_its_facts_untold_on_the_day_it_is_due_alone() -> None:
    first, second = await figures_of("nothing", CARRIED)
    assert {task.task: task.minutes_late for task in first.tasks} == {"T1": None, "T2": 0}
    assert {task.task: task.minutes_late for task in second.tasks} == {"T2": None, "T3": None}
    asked = {t.id: sum(bool(clue.asks) for clue in t.instance.hidden.clues) for t in CARRIED.tasks}
    assert first.facts_never_told == asked["T1"]
    assert second.facts_never_told == asked["T2"] + asked["T3"]
    assert first.value and second.value
    assert (first.value.never_begun, second.value.never_begun) == (1, 3)


async def test_the_week_is_the_sum_of_its_days() -> None:
    days = await figures_of("one_by_one", CARRIED)
    whole = total_schedule(days)
    assert [task.task for task in whole.tasks] == ["T1", "T2", "T3"]
    assert sum(task.calls for task in whole.tasks) == sum(t.calls for d in days for t in d.tasks)
    assert whole.idle_minutes == sum(day.idle_minutes for day in days)
    assert whole.value is not None and whole.value.optimum == 4
    assert total_schedule(days[:1]) == days[0]


async def test_a_week_with_a_day_that_could_not_be_graded_has_no_value() -> None:
    first, second = await figures_of("nothing", CARRIED)
    ungraded = second.model_copy(update={"value": None})
    assert total_schedule([first, ungraded]).value is None


async def test_a_task_submitted_the_day_before_leaves_nobody_idle() -> None:
    alone = week([{"rule": TABLE, "due_day": 1}], [])
    handed_in, resting = [("desk_submit", {"task": "T1"}), REST], [REST]
    first, second = await measured(alone, handed_in, resting)
    assert first.figures.idle_minutes == 0 == second.figures.idle_minutes
    assert second.figures.waiting_minutes == 12 * 60
    assert second.lanes[0].submitted == () and second.lanes[0].timing.submitted is not None
    _, idle = await measured(alone, resting, resting)
    assert idle.figures.idle_minutes == 12 * 60


async def test_an_attempt_the_next_morning_is_late_by_working_minutes() -> None:
    due = week([{"rule": LINKS, "deadline": "19:30"}], [{"rule": TABLE}])
    first, second = await measured(due, [REST], [("desk_submit", {"task": "T1"})])
    (timing,) = first.figures.tasks
    assert timing.minutes_late == 30, "the night does not count"
    assert [task.task for task in second.figures.tasks] == ["T2"]
    assert first.lanes[0].too_late == (), "it was not tried on that day"


async def test_a_fact_that_is_asked_for_a_day_late_is_late_by_working_minutes() -> None:
    alone = week([{"rule": SALES, "due_day": 1}], [])
    ((clue,),) = (task.instance.hidden.clues for task in alone.tasks)
    begins = alone.company.person(clue.holder).hours.starts
    ask = ("chat_send_message", {"to": clue.holder, "text": clue.asks[0]})
    wait = ("desk_wait", {"until": "12:00", "wake": False})
    first, second = await measured(alone, [REST], [wait, ask, wait, wait, REST])
    assert first.figures.questions == ()
    (asked,) = second.figures.questions
    opens = datetime.combine(alone.day.starts, max(begins, alone.day.starts.time()))
    assert asked.possible == opens
    minutes = (alone.day.ends - opens) + timedelta(hours=4)
    assert asked.asked.time() == time(12) and asked.minutes_late == minutes // MINUTE
    assert second.figures.tasks[0].began == asked.asked


async def test_nobody_is_idle_before_the_morning_in_which_a_question_is_answered() -> None:
    alone = week([{"rule": SALES, "due_day": 1}], [])
    ((clue,),) = (task.instance.hidden.clues for task in alone.tasks)
    ask = ("chat_send_message", {"to": clue.holder, "text": clue.asks[0]})
    evening = [("desk_wait", {"until": "19:50", "wake": False}), ask, REST]
    morning = [("desk_wait", {"minutes": 10, "wake": False}), REST]
    _, second = await measured(alone, evening, morning)
    (lane,) = second.lanes
    (open_question,) = lane.asked
    assert open_question.starts.day < open_question.ends.day
    answered = (open_question.ends - second.window.starts) // MINUTE
    assert second.figures.idle_minutes == 12 * 60 - answered


@pytest.mark.parametrize(("agent", "is_idle"), [("oracle", False), ("nothing", True)])
async def test_a_duty_of_the_week_leaves_time_once_its_day_is_done(
    agent: str, is_idle: bool
) -> None:
    duty = week([{"rule": DUTY}], *([] for _ in range(4)))
    days = await figures_of(agent, duty)
    assert all((day.idle_minutes > 300) is is_idle for day in days[:4])
    lost = [day.value.never_begun for day in days if day.value]
    assert lost == [0, 0, 0, 0, 5 if agent == "nothing" else 0]


async def test_a_call_for_a_task_of_tomorrow_belongs_to_no_task_today() -> None:
    (path,) = (task.instance.told.deliverable_paths[0] for task in CARRIED.tasks if task.id == "T3")
    first, second = await measured(CARRIED, [("files_read", {"path": path}), REST], [REST])
    assert first.figures.other_calls == 1
    assert {task.task: task.began for task in second.figures.tasks} == {"T2": None, "T3": None}


async def test_a_colleague_who_left_for_the_day_answers_as_usual_the_next_morning() -> None:
    slow = week([{"rule": f"{SALES}+slow_holder"}], [{"rule": LINKS}])
    staged = await stage_day(slow)
    async with staged.world:
        colleagues = Colleagues(await read_day_trace(staged.world, slow))
    (holder,) = {
        clue.holder for t in slow.tasks if t.rule != LINKS for clue in t.instance.hidden.clues
    }
    hours, delay = slow.company.person(holder).hours, slow.company.person(holder).delay
    evenings, noons = (
        [datetime.combine(day.starts, clock) for day in slow.days]
        for clock in (hours.ends, time(12))
    )
    morning = datetime.combine(slow.days[1].starts, hours.starts)
    assert [colleagues.present_from(holder, evening) for evening in evenings] == [
        morning,
        evenings[1],
    ]
    assert colleagues.would_answer(holder, evenings[0]) is None
    minutes = [((colleagues.would_answer(holder, noon) or noon) - noon) // MINUTE for noon in noons]
    assert minutes[0] > minutes[1] == delay
