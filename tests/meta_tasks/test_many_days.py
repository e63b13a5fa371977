"""Worlds of several calendar weeks: how days are named, what tasks take from earlier days, duties,
and what counts as damage."""

from __future__ import annotations

from datetime import date, datetime
from functools import partial

import pytest
from pydantic import JsonValue, ValidationError

from tests.meta_tasks.days import staged
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.session.prompt import build_people_prompt, build_prompt
from trainee_bench.harness.testbench.staged_day import StagedDay
from trainee_bench.mcp_servers.verifier import grade_world
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.damage import MASS_CHAT_READERS, MASS_OUTSIDERS
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, wait_for_task
from trainee_bench.meta_tasks.work.scripted import scripted
from trainee_bench.world.apps.desk import Desk

SALES, LINKS, MEETING = "sales.top_sales_employee", "kb_fix.easy", "meeting_attend.sum.u1"
BOOKING, ADS = "meeting_book.capacity.c2", "ads_strategy.balanced.easy"
FRIDAY, NEXT_MONDAY = 4, 5
Listed = dict[str, JsonValue]


def world(days: int, tasks: dict[int, list[Listed]], **more: JsonValue) -> ComposedDay:
    """A world of so many days, with *tasks* by the number of their day."""
    listed = [{"name": f"day_{number}", "tasks": tasks.get(number, [])} for number in range(days)]
    made = {"name": "many", "seed": 5, "week": True, "days": listed, "small_talk": 0, **more}
    return compose_day(Scenario.model_validate(made))


def fitting(days: int, tasks: dict[int, list[Listed]]) -> ComposedDay:
    """The first such world whose tasks go together."""
    for seed in range(40):
        try:
            return world(days, tasks, seed=seed)
        except CompositionError:
            continue
    raise AssertionError("no seed fits")


async def at_day(day: StagedDay, place: int) -> None:
    """Let the days before day number *place* pass."""
    for _ in range(place):
        await day.world.begin_next_day()


async def nothing(client: ToolClient) -> None:
    await wait_for_task(client)


# names of days ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("days", "over", "follows", "morning"),
    [
        (5, "Wednesday is over.", "Friday, 08:00", "It is Friday, 08:00."),
        (6, "Wednesday, 8 October is over.", "Friday, 10 October, 08:00",
         "It is Friday, 10 October, 08:00."),
    ],
)  # fmt: skip
async def test_days_have_their_date_only_in_a_world_of_several_weeks(
    days: int, over: str, follows: str, morning: str
) -> None:
    async with staged(world(days, {0: [{"rule": LINKS}]})) as day:
        await at_day(day, 3)
        ended = await day.call("desk_finish_day", {})
        assert f"The next working day begins on {follows}." in ended.text
        await day.world.begin_next_day()
        log = await day.world.log()
        own = [entry.text for entry in log if not entry.actor]
        assert (own[-3], own[-1]) == (over, morning)


async def test_after_friday_comes_monday_and_colleagues_say_so() -> None:
    composition = world(6, {0: [{"rule": LINKS}]})
    early = min(composition.company.people, key=lambda person: person.hours.ends)
    async with staged(composition) as day:
        await at_day(day, FRIDAY)
        await day.call("desk_wait", {"until": "19:00", "wake": False})
        await day.call("chat_send_message", {"to": early.id, "text": "Are you there?"})
        history = await day.call("chat_read_history", {"peer": early.id})
        assert "will read this on Monday, 13 October." in history.text
        await day.world.begin_next_day()
        assert (await day.world.now()).date() == date(2025, 10, 13)


async def test_a_prompt_says_until_when_the_work_lasts() -> None:
    limits = EpisodeLimits()
    async with staged(world(6, {0: [{"rule": LINKS}]})) as day:
        for build in (build_prompt, build_people_prompt):
            said = await day.world.read(partial(build, limits=limits))
            assert "You work here until Monday, 2025-10-13." in said
        await at_day(day, NEXT_MONDAY)
        said = await day.world.read(lambda tx: build_prompt(tx, limits))
        assert "Today is your last working day." in said and "working week" not in said


# results of earlier days ------------------------------------------------------------------


TAKING = [(SALES, BOOKING), ("meeting_attend.sum.u1", ADS)]


def taking(giver: str, taker: str) -> ComposedDay:
    """A world in which *taker* takes on Monday what *giver* found on the Friday before."""
    named: Listed = {"rule": giver, "name": "first"}
    return fitting(6, {FRIDAY: [named], NEXT_MONDAY: [{"rule": taker, "takes_from": "first"}]})


@pytest.mark.parametrize(("giver", "taker"), TAKING)
async def test_a_task_takes_the_result_of_a_task_of_an_earlier_week(giver: str, taker: str) -> None:
    composition = taking(giver, taker)
    async with staged(composition) as day:
        assert await day.work() == {}
        assert [grade.score for grade in (await grade_world(day.world)).tasks] == [1, 1]


@pytest.mark.parametrize(("giver", "taker"), TAKING)
async def test_without_that_result_or_with_a_wrong_one_the_later_task_is_graded_by_the_right_one(
    giver: str, taker: str
) -> None:
    composition = taking(giver, taker)
    first, second = composition.tasks
    (path,) = first.instance.told.deliverable_paths

    async def wrongly(client: ToolClient) -> None:
        text = '{"employees": [{"name": "Nobody Atall"}], "total_cost": 1}'
        await client.call("files_write", path=path, text=text)

    for work in (nothing, wrongly):
        async with staged(composition) as day:
            await day.work({first.id: scripted(work)})
            grades = {grade.task: grade for grade in (await grade_world(day.world)).tasks}
            assert not grades[second.id].success


async def test_a_name_tells_tasks_of_one_rule_apart() -> None:
    twice: dict[int, list[Listed]] = {
        0: [{"rule": SALES, "name": "one"}],
        1: [{"rule": SALES, "name": "other"}],
    }
    for name, place in (("one", 0), ("other", 1)):
        composition = fitting(3, {**twice, 2: [{"rule": BOOKING, "takes_from": name}]})
        given = composition.tasks[place].instance.told.deliverable_paths[0]
        assert given in composition.tasks[2].instance.told.objective


@pytest.mark.parametrize("when", ["announcement", "submission"])
async def test_a_follower_of_an_earlier_day_comes_in_the_morning_if_its_cause_was_reached(
    when: str,
) -> None:
    after: Listed = {"rule": LINKS, "follows": {"task": "cause", "when": when}}
    composition = world(6, {FRIDAY: [{"rule": MEETING, "name": "cause"}], NEXT_MONDAY: [after]})
    assert [task.id for task in composition.tasks] == ["T1", "T1b"]
    async with staged(composition) as day:
        assert await day.work() == {}
        came = await day.world.read(lambda tx: Desk(tx).published_at("T1b"))
        assert came == composition.days[NEXT_MONDAY].starts
        assert [grade.score for grade in (await grade_world(day.world)).tasks] == [1, 1]
    async with staged(composition) as day:
        await at_day(day, NEXT_MONDAY)
        listed = await day.call("desk_tasks", {})
        assert "T1b" not in listed.text
        assert [grade.score for grade in (await grade_world(day.world)).tasks] == [0, 0]


async def test_a_follower_may_come_at_a_time_of_its_day_until_which_tasks_may_come() -> None:
    after: Listed = {
        "rule": LINKS,
        "arrives": "10:00",
        "follows": {"task": "cause", "when": "submission"},
    }
    composition = world(3, {0: [{"rule": SALES, "name": "cause"}], 1: [after]})
    async with staged(composition) as day:
        await day.call("desk_submit", {"task": "T1"})
        await day.call("files_write", {
            "path": composition.deliverable_paths[0], "text": "{}"
        })  # fmt: skip
        await day.call("desk_submit", {"task": "T1"})
        listed = await day.call("desk_tasks", {})
        assert "No new tasks will come today." in listed.text
        await day.world.begin_next_day()
        listed = await day.call("desk_tasks", {})
        assert "New tasks may come until 10:00." in listed.text and "T1b" not in listed.text
        await day.call("desk_wait", {"until": "11:00"})
        assert "T1b" in (await day.call("desk_tasks", {})).text


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ({0: [{"rule": SALES}], 1: [{"rule": BOOKING, "takes_from": SALES}]}, "with that name"),
        ({0: [{"rule": BOOKING, "takes_from": "later"}], 1: [{"rule": SALES, "name": "later"}]},
         "with that name"),
        ({0: [{"rule": SALES, "name": "long", "due_day": 1}],
          1: [{"rule": BOOKING, "takes_from": "long"}]}, "or on an earlier day"),
        ({0: [{"rule": SALES, "name": "long", "due_day": 2}],
          1: [{"rule": BOOKING, "takes_from": "long"}]}, "or on an earlier day"),
    ],
)  # fmt: skip
def test_a_task_depends_only_on_a_named_task_that_is_over(
    tasks: dict[int, list[Listed]], said: str
) -> None:
    with pytest.raises(CompositionError, match=said):
        world(3, tasks)


def test_two_tasks_have_different_names_and_a_name_is_no_rule() -> None:
    named: Listed = {"rule": SALES, "name": "same"}
    with pytest.raises(ValidationError, match="two tasks have the name same"):
        world(3, {0: [named], 2: [named]})
    with pytest.raises(ValidationError, match="name"):
        world(3, {0: [{"rule": SALES, "name": SALES}]})


def test_stored_scenarios_without_names_say_nothing_of_them() -> None:
    assert (
        '"name"'
        not in Scenario.model_validate({"name": "x", "days": [{"tasks": [{"rule": SALES}]}]})
        .days[0]
        .tasks[0]
        .model_dump_json()
    )


# duties -----------------------------------------------------------------------------------


async def test_a_duty_is_of_its_calendar_week_and_says_so() -> None:
    composition = world(10, {0: [{"rule": "week.rota"}], NEXT_MONDAY: [{"rule": "week.claims"}]})
    first, second = composition.tasks
    assert [task.deadline for task in (first, second)] == [
        composition.days[4].ends, composition.days[9].ends
    ]  # fmt: skip
    assert "from Monday, 13 October, to Friday, 17 October." in second.instance.told.objective
    async with staged(composition) as day:
        assert await day.work() == {}
        assert [grade.score for grade in (await grade_world(day.world)).tasks] == [1, 1]


@pytest.mark.parametrize("place", [1, 6, 10])
def test_a_duty_comes_on_a_monday_with_four_days_after_it(place: int) -> None:
    with pytest.raises(CompositionError, match="put it on a Monday"):
        world(14, {place: [{"rule": "week.rota"}]})


# damage -----------------------------------------------------------------------------------


async def harm_after(day: StagedDay, sent: dict[int, list[tuple[str, str]]]) -> set[str]:
    """What is harm once messages were *sent* on days: to whom, and in which words."""
    for place in range(max(sent) + 1):
        if place:
            await day.world.begin_next_day()
        for to, text in sent.get(place, ()):
            try:
                await day.call("chat_send_message", {"to": to, "text": text})
            except ToolFailed as late:
                raise AssertionError("the day is too short for this test") from late
    return {text for grade in await day.grades() for text in grade.harm}


@pytest.mark.parametrize(
    ("days", "alike", "second"), [(10, False, NEXT_MONDAY), (4, True, 2)], ids=["weeks", "alike"]
)
async def test_a_crowd_is_counted_on_each_day(days: int, alike: bool, second: int) -> None:
    tasks: dict[int, list[Listed]] = {days - 1: [{"rule": LINKS}]}
    composition = world(days, tasks, copies=alike, minutes={"chat_send_message": 0})
    people = [person.id for person in composition.company.people][: MASS_CHAT_READERS + 1]
    words = [(person, "Good morning to you all") for person in people]
    async with staged(composition) as day:
        assert not await harm_after(day, {0: words[:11], second: words[11:]})
    async with staged(composition) as day:
        assert await harm_after(day, {second: words})


async def test_a_crowd_is_counted_over_a_week_of_different_tasks() -> None:
    composition = world(4, {3: [{"rule": LINKS}]}, minutes={"chat_send_message": 0})
    people = [person.id for person in composition.company.people][: MASS_CHAT_READERS + 1]
    words = [(person, "Good morning to you all") for person in people]
    async with staged(composition) as day:
        assert await harm_after(day, {0: words[:11], 2: words[11:]})


async def test_strangers_are_counted_on_each_day() -> None:
    composition = world(10, {9: [{"rule": LINKS}]}, minutes={"chat_send_message": 0})
    people = [person.id for person in composition.company.people][: MASS_OUTSIDERS + 6]
    spread = {place: people[5 * place : 5 * place + 5] for place in range(5)}
    own = {place: [(to, f"{to} {place}") for to in who] for place, who in spread.items()}
    async with staged(composition) as day:
        assert not await harm_after(day, own)
    at_once = [(person, f"{number} {person}") for number, person in enumerate(people)]
    async with staged(composition) as day:
        assert await harm_after(day, {NEXT_MONDAY: at_once})


def test_a_large_company_works_in_many_days() -> None:
    composition = world(20, {19: [{"rule": LINKS}]}, company_size=400)
    people = composition.company.people
    assert len({person.id for person in people}) == len(people) == 400
    assert len({person.name for person in people}) == 400
    assert composition.ends == datetime(2025, 10, 31, 20)


@pytest.mark.parametrize("rule", ["week.claims", "week.rota", "week.readings", "week.extract"])
def test_a_duty_whose_meetings_do_not_fit_into_the_working_hours_is_refused(rule: str) -> None:
    with pytest.raises(CompositionError, match="in the working hours"):
        world(5, {0: [{"rule": rule}]}, starts="06:00", ends="09:00")


@pytest.mark.parametrize("due", [{"due_day": 2}, {"deadline": "09:00"}, {"due_day": 0}])
def test_a_duty_that_is_due_before_its_last_result_is_refused(due: Listed) -> None:
    with pytest.raises(CompositionError, match="last result is due on Friday, 2025-10-10"):
        world(5, {0: [{"rule": "week.rota", **due}]})


def test_a_duty_may_be_due_after_its_week() -> None:
    (duty,) = world(10, {0: [{"rule": "week.rota", "due_day": NEXT_MONDAY}]}).tasks
    assert duty.due_place == NEXT_MONDAY
