"""A week is composed as a whole: its days, its ids, its deadlines, and what it refuses."""

from __future__ import annotations

from datetime import datetime

import pytest
from pydantic import JsonValue, ValidationError

from trainee_bench.meta_tasks.composition import compose_day, create_world
from trainee_bench.meta_tasks.families.sales import Sales
from trainee_bench.meta_tasks.scenario import Scenario, Variation
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.world.apps.desk import Desk

SALES, LINKS, MEETING = "sales.top_sales_employee", "kb_fix.easy", "meeting_attend.sum.u1"
MONDAY = datetime(2025, 10, 6)
Listed = list[dict[str, JsonValue]]


def week(*days: Listed, **more: JsonValue) -> Scenario:
    listed = [{"name": f"day_{number}", "tasks": day} for number, day in enumerate(days, start=1)]
    return Scenario.model_validate({"name": "week", "week": True, "days": listed, **more})


def plain(*rules: str) -> Listed:
    return [{"rule": rule} for rule in rules]


def test_its_days_follow_one_another_from_monday_on() -> None:
    composed = compose_day(week(plain(SALES), plain(LINKS), []))
    assert [f"{day.starts:%A %H:%M}-{day.ends:%H:%M}" for day in composed.days] == [
        "Monday 08:00-20:00",
        "Tuesday 08:00-20:00",
        "Wednesday 08:00-20:00",
    ]
    assert composed.day == composed.days[0]
    assert composed.ends == composed.days[2].ends


def test_weekends_pass_in_a_world_of_several_weeks() -> None:
    composed = compose_day(week(*[[]] * 4, plain(SALES), plain(LINKS), *[[]] * 18, plain(LINKS)))
    dates = [day.starts.date() for day in composed.days]
    assert [f"{dates[place]:%a %d %b}" for place in (0, 4, 5, 9, 10, 24)] == [
        "Mon 06 Oct", "Fri 10 Oct", "Mon 13 Oct", "Fri 17 Oct", "Mon 20 Oct", "Fri 07 Nov"
    ]  # fmt: skip
    assert all(day.weekday() < 5 for day in dates) and dates == sorted(set(dates))
    assert [task.arrives.date() for task in composed.tasks] == [dates[4], dates[5], dates[24]]


def test_ids_follow_publication_over_the_week_and_a_rule_may_come_again() -> None:
    late = {"rule": MEETING, "arrives": "08:30"}
    composed = compose_day(week([late, *plain(SALES)], [], plain(SALES, LINKS)))
    came = [(task.id, task.rule, f"{task.arrives:%a %H:%M}") for task in composed.tasks]
    assert came == [
        ("T1", SALES, "Mon 08:00"),
        ("T2", MEETING, "Mon 08:30"),
        ("T3", LINKS, "Wed 08:00"),
        ("T4", SALES, "Wed 08:00"),
    ]
    first, again = (task.instance for task in composed.tasks if task.rule == SALES)
    assert first.graded.truth != again.graded.truth
    assert not set(first.told.deliverable_paths) & set(again.told.deliverable_paths)


def test_a_task_can_be_due_on_a_later_day() -> None:
    carried = {"rule": SALES, "due_day": 2, "deadline": "15:00"}
    composed = compose_day(week([carried], plain(LINKS), plain(MEETING)))
    (task,) = (task for task in composed.tasks if task.rule == SALES)
    assert task.deadline == MONDAY.replace(day=8, hour=15)
    there = [[task.rule for task in composed.on_day(place).tasks] for place in range(3)]
    assert there == [[SALES], [SALES, LINKS], [SALES, MEETING]]
    assert composed.on_day(1).carried_over == {task.id}


def test_references_mean_the_tasks_of_the_same_day() -> None:
    after = {"rule": LINKS, "follows": {"task": SALES, "when": "submission"}}
    composed = compose_day(week([after, *plain(SALES)], [after, *plain(SALES)]))
    assert [(task.id, task.cause) for task in composed.tasks] == [
        ("T1", ""),
        ("T1b", "T1"),
        ("T2", ""),
        ("T2b", "T2"),
    ]
    with pytest.raises(CompositionError, match="exactly one task of that rule"):
        compose_day(week(plain(SALES), [after]))
    carried = {"rule": SALES, "due_day": 1}
    with pytest.raises(CompositionError, match="due on the same day"):
        compose_day(week([carried, after], plain(MEETING)))


def test_it_is_composed_as_a_whole_and_always_the_same() -> None:
    scenario = week(plain(SALES, LINKS), plain(LINKS), seed=7)
    composed = compose_day(scenario)
    assert composed.scenario_day.model_dump_json() == (
        compose_day(composed.scenario_day.scenario).scenario_day.model_dump_json()
    )
    with pytest.raises(CompositionError, match="composed as a whole"):
        compose_day(scenario, 1)
    other = compose_day(week(plain(LINKS, SALES), plain(LINKS), seed=7))
    assert [task.instance for task in other.tasks] == [task.instance for task in composed.tasks]


@pytest.mark.parametrize(
    ("days", "why"),
    [
        ([plain(SALES)], "2 to 25 days"),
        ([plain(SALES)] * 26, "2 to 25 days"),
        ([[], []], "no tasks"),
        ([plain(SALES), [{"rule": LINKS, "due_day": 0}]], "due on a day from 1 to 1"),
        ([[{"rule": LINKS, "due_day": 2}], []], "due on a day from 0 to 1"),
    ],
)
def test_an_invalid_week_is_refused(days: list[Listed], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        week(*days)


def test_a_day_of_a_week_with_an_order_of_its_own_is_refused() -> None:
    days = [{"tasks": [{"rule": LINKS}], "order": [LINKS]}, {"tasks": [{"rule": SALES}]}]
    with pytest.raises(ValidationError, match="a day of a week cannot have an order"):
        Scenario.model_validate({"name": "x", "week": True, "days": days})


def test_outside_of_a_week_nothing_is_due_on_another_day_nor_takes_a_whole_week(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ValidationError, match="only tasks of a week"):
        week([{"rule": SALES, "due_day": 1}], plain(LINKS), week=False)
    monkeypatch.setattr(Sales, "whole_week", True)
    with pytest.raises(CompositionError, match="only be a task of a week"):
        compose_day(week(plain(SALES), week=False))


def test_a_task_that_takes_the_week_is_due_at_its_end_and_knows_its_days(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[TaskContext] = []
    really = Sales.generate

    def generate(self: Sales, context: TaskContext) -> object:
        seen.append(context)
        return really(self, context)

    monkeypatch.setattr(Sales, "generate", generate)
    monkeypatch.setattr(Sales, "whole_week", True)
    composed = compose_day(week([], plain(SALES), []))
    (task,) = composed.tasks
    assert (task.arrives, task.deadline) == (composed.days[1].starts, composed.ends)
    assert seen[-1].day == composed.days[1]
    assert seen[-1].week == composed.days


def test_a_task_that_takes_the_week_ends_with_its_calendar_week(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Sales, "whole_week", True)
    composed = compose_day(week(*[[]] * 6, plain(SALES), *[[]] * 5))
    (task,) = composed.tasks
    assert (task.arrives, task.deadline) == (composed.days[6].starts, composed.days[9].ends)
    assert task.length == 4


async def test_nothing_of_a_later_days_task_is_there_before_its_morning() -> None:
    scenario = week(plain(SALES), plain(LINKS), small_talk=0)
    without = Variation(unstaged=("T2",))
    async with (
        await create_world(None, scenario) as world,
        await create_world(None, scenario, variation=without) as bare,
    ):
        assert await world.digest(present_only=True) == await bare.digest(present_only=True)
        await world.begin_next_day()
        assert await world.read(lambda tx: Desk(tx).published_at("T2")) == MONDAY.replace(
            day=7, hour=8
        )


def test_stored_scenarios_of_days_say_nothing_of_weeks() -> None:
    stored = week(plain(SALES), week=False).model_dump_json()
    assert 'week":' not in stored and "due_day" not in stored
