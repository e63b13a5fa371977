"""Duties of a week: facts that are told once are needed later, and each day has its own grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import pytest
from pydantic import JsonValue

from tests import quick_round
from tests.meta_tasks.days import staged
from trainee_bench.harness.agents.runtime.in_process_episode import cached_grade
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day
from trainee_bench.meta_tasks.catalog import UnknownRuleError, find_rule
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.families.week import DutyName, Week
from trainee_bench.meta_tasks.families.week.budget import BudgetRequest, spend
from trainee_bench.meta_tasks.families.week.mails import decisions_in, states_only
from trainee_bench.meta_tasks.families.week.readings import COUNTERS
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.meta_task import Difficulty
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.world.meetings.meeting import Announcement

RULES = [rule.id for rule in Week.rules()]
DAILY = ("monday", "tuesday", "wednesday", "thursday", "friday")
SAID_ALOUD = ("readings", "claims", "budget", "rota", "extract")


@dataclass(frozen=True)
class WithoutMail:
    """The tools of a worker who finds no mail."""

    day: StagedDay

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        if tool == "mail_search":
            raise ToolFailed("there is no mail")
        return await self.day.call(tool, arguments)


@dataclass(frozen=True)
class LateMails:
    """The tools of a worker whose mails are sent in the evening."""

    day: StagedDay

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        if tool == "mail_send":
            await self.day.call("desk_wait", {"until": "17:30", "wake": False})
        return await self.day.call(tool, arguments)


def passed(grade: TaskGrade, names: Sequence[str]) -> list[bool]:
    found = {check.name: check.passed for check in grade.checkpoints}
    return [found[name] for name in names]


async def worked_until(rule: str, days: int) -> TaskGrade:
    """The grade of a worker who works honestly for so many days, and then stops."""
    composition = single_task_day(rule, 0)

    async def tired(work: Work, task: str) -> None:
        if work.now.weekday() < days:
            await Week.honest_work(work, task)

    async with staged(composition) as day:
        await day.work({composition.tasks[0].id: tired})
        return (await day.grades())[0]


# the rules ------------------------------------------------------------------------------------


def test_each_duty_is_a_hard_rule_that_takes_a_week() -> None:
    assert [f"week.{name}" for name in DutyName] == RULES
    assert len(RULES) >= 7 and Week.whole_week
    assert all(rule.difficulty is Difficulty.HARD for rule in Week.rules())


@pytest.mark.parametrize("rule", RULES)
def test_a_duty_needs_five_days_and_begins_on_the_first(rule: str) -> None:
    task, empty = DaySpec(tasks=(TaskSpec(rule=rule),)), DaySpec(tasks=())
    short = Scenario(name="short", week=True, days=(task, empty))
    late = Scenario(name="late", week=True, days=(empty, task, empty, empty, empty))
    for scenario in (short, late, Scenario(name="a day", days=(task,))):
        with pytest.raises(CompositionError, match=r"week"):
            compose_day(scenario)


@pytest.mark.parametrize("rule", RULES)
def test_seeds_differ_in_people_and_in_what_is_right(rule: str) -> None:
    tasks = [single_task_day(rule, seed).tasks[0].instance for seed in range(4)]
    assert len({task.told.objective for task in tasks}) == len(tasks)
    assert len({repr(task.graded.truth) for task in tasks}) == len(tasks)
    assert len({task.told.requester for task in tasks}) > 1


def test_all_duties_go_together_in_one_week() -> None:
    days = (DaySpec(tasks=tuple(TaskSpec(rule=rule) for rule in RULES)), *[DaySpec(tasks=())] * 4)
    composed = compose_day(Scenario(name="all of them", week=True, days=days))
    assert {task.rule for task in composed.tasks} == set(RULES)
    assert len(set(composed.deliverable_paths)) == len(RULES)


# memory ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
@quick_round.seeds(1, sweep=12)
async def test_the_oracle_reaches_full_score_and_without_notes_loses_most_of_it(
    rule: str, seeds: range
) -> None:
    for seed in seeds:
        (full,) = (await cached_grade("oracle", single_task_day(rule, seed))).tasks
        assert full.success and full.score == 1, full
        (forgot,) = (await cached_grade("oracle_without_notes", single_task_day(rule, seed))).tasks
        assert forgot.error is None and (forgot.score or 0) <= 0.7


@pytest.mark.parametrize("name", SAID_ALOUD)
def test_facts_announced_in_a_meeting_appear_nowhere_else(name: str) -> None:
    (task,) = single_task_day(f"week.{name}", 0).tasks
    said: list[Announcement] = [
        announcement
        for planned in task.instance.hidden.events
        for announcement in getattr(planned.event, "announcements", ())
    ]
    clues = {clue.id for clue in task.instance.hidden.clues}
    assert {announcement.clue for announcement in said} == clues
    assert all(announcement.aloud and announcement.task is None for announcement in said)
    texts = [
        task.instance.told.objective,
        *(planned.event.model_dump_json() for planned in task.instance.hidden.events),
    ]
    for clue in task.instance.hidden.clues:
        assert clue.payload not in texts[0]
        assert sum(clue.payload in text for text in texts) == 1
    assert not any(clue.holder for clue in task.instance.hidden.clues)


# days -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["week.claims", "week.budget", "week.rota"])
@pytest.mark.parametrize("days", [1, 3])
async def test_a_duty_of_every_day_is_graded_day_by_day(rule: str, days: int) -> None:
    kept = passed(await worked_until(rule, days), DAILY)
    assert kept == [True] * days + [False] * (5 - days)


async def test_an_agent_that_misses_the_change_of_a_limit_is_wrong_from_that_day_on() -> None:
    async with staged("week.claims", 0) as day:
        await day.work(tools=WithoutMail(day))
        kept = passed((await day.grades())[0], DAILY)
    assert kept[:2] == [True, True] and not kept[2]


async def test_a_mail_after_the_hour_does_not_count() -> None:
    async with staged("week.rota", 0) as day:
        await day.work(tools=LateMails(day))
        grade = (await day.grades())[0]
    assert passed(grade, DAILY) == [False] * 5
    assert passed(grade, ["report"]) == [True]


async def test_a_colleague_on_leave_tells_nothing_afterwards() -> None:
    composition = single_task_day("week.handover", 0)
    (task,) = composition.tasks
    clue = task.instance.hidden.clues[0]
    async with staged(composition) as day:
        for _ in range(2):
            await day.world.begin_next_day()
        await day.call("chat_send_message", {"to": clue.holder, "text": clue.asks[0]})
        await day.call("desk_wait", {"until": "17:00", "wake": False})
        history = await day.call("chat_read_history", {"peer": clue.holder})
        told = [str(message["text"]) for message in history.data["messages"]]
    assert not any(clue.payload in text for text in told)
    assert any("not available until" in text for text in told)


async def test_an_announcement_is_heard_once_and_not_shown_again() -> None:
    composition = single_task_day("week.extract", 0)
    async with staged(composition) as day:
        (meeting,) = (await day.call("calendar_list", {})).data["meetings"]
        starts = datetime.fromisoformat(meeting["starts"])
        await day.call("desk_wait", {"until": f"{starts:%H:%M}", "wake": False})
        heard = await day.call("calendar_attend", {"meeting": meeting["id"]})
        again = await day.call("calendar_read_meeting", {"meeting": meeting["id"]})
        desk = await day.call("desk_tasks", {})
    payload = composition.tasks[0].instance.hidden.clues[0].payload
    assert payload in heard.text
    assert payload not in again.text and payload not in str(again.data)
    assert payload not in desk.text


# reading mails --------------------------------------------------------------------------------


@pytest.mark.parametrize("body", ["412", "It is 412.", "Hello,\n\n412\n\nBest regards", "412.0"])
def test_a_number_is_read_in_any_sentence(body: str) -> None:
    assert states_only(body, 412)


@pytest.mark.parametrize("body", ["", "413", "412 or 413", "about 4 120", "REQ-412"])
def test_another_number_or_a_choice_of_them_is_not_the_number(body: str) -> None:
    assert not states_only(body, 412)


def test_decisions_are_read_line_by_line_and_contradictions_are_none() -> None:
    assert decisions_in("Hello,\n- EXP-1: approved\nexp-2 - Rejected\nBye") == {
        "EXP-1": "approved",
        "exp-2": "rejected",
    }
    assert decisions_in("EXP-1: approved\nEXP-1: rejected") is None
    assert decisions_in("EXP-1: approved or rejected") is None
    for amount in ("1250", "1,250", "EUR 1,250.00", "1250 EUR"):
        assert decisions_in(f"ORD-7: {amount}") == {"ORD-7": "1250"}


def test_a_request_that_is_too_large_leaves_room_for_a_smaller_one() -> None:
    moment = date(2025, 10, 6)
    wanted = [
        BudgetRequest(f"REQ-{number}", moment, "Ann Bee", "monitor", amount)
        for number, amount in enumerate((60, 50, 40))
    ]
    kept = spend(wanted, 100)
    assert list(kept.decisions.values()) == ["granted", "refused", "granted"]
    assert (kept.spent, kept.left) == (100, 0)


def test_no_complication_fits_a_duty() -> None:
    with pytest.raises(UnknownRuleError, match="can have: none"):
        find_rule("week.claims+clashing_invitation")


@pytest.mark.parametrize(
    ("clock", "question", "refused"),
    [
        ("14:00", "I missed the stand-up. What did {counter} stand at this morning?", True),
        ("14:00", "By how much has {counter} gone up since yesterday?", True),
        ("14:00", "Who is on call for web-03?", False),
        ("14:00", "Where are the limits for expenses written down?", False),
        ("08:05", "I missed the stand-up. What did {counter} stand at this morning?", False),
    ],
)
async def test_a_question_for_a_reading_after_the_stand_up_is_refused(
    clock: str, question: str, refused: bool
) -> None:
    composition = single_task_day("week.readings", 1)
    (task,) = composition.tasks
    host = task.instance.told.requester
    counter = next(name for name in COUNTERS if name in task.instance.told.objective)
    async with staged(composition) as day:
        await day.call("desk_wait", {"until": clock, "wake": False})
        await day.call("chat_send_message", {"to": host, "text": question.format(counter=counter)})
        await day.call("desk_wait", {"until": "17:30", "wake": False})
        history = await day.call("chat_read_history", {"peer": host})
        assert f"to {host}" in history.text or len(history.data["messages"]) == 2
        assert ("nobody repeats it" in history.text) is refused
