"""Facts that are told before their task comes: heard in a meeting, noted, told by nobody later."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from tests.meta_tasks.days import staged, told_by
from tests.quick_round import quick_only
from trainee_bench.harness.agents.runtime.in_process_episode import cached_grade
from trainee_bench.harness.certification.certificates import certify
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day
from trainee_bench.harness.testbench.work_plan import honest_works, outline_of, work_tasks
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.complications import drawn_for
from trainee_bench.meta_tasks.complications.told_before import BRIEFING, HEARD
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.families import discover_families
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.apps.calendar import MeetingBooked
from trainee_bench.world.notes import NOTES_FOLDER

NAMES = ("told_before", "told_anew")
RULES = (
    "ads_strategy.balanced.easy",
    "attendance.total_absence_days.L3",
    "event_planning.B2",
    "kb_fix.easy",
    "resume_select.pool6",
    "sales.top_sales_employee",
    "transactions.n2.a0",
)
A_RULE = "sales.top_sales_employee"


def briefings(day: StagedDay) -> list[MeetingBooked]:
    """Return the meetings in which facts are told, in order."""
    (task,) = day.composition.tasks
    events = [planned.event for planned in task.instance.hidden.events]
    found = [event for event in events if isinstance(event, MeetingBooked)]
    return sorted(found, key=lambda meeting: meeting.starts)


async def go_to(day: StagedDay, meeting: MeetingBooked) -> None:
    """Let the days pass until two minutes before *meeting*."""
    while (await day.call("desk_now", {})).time.date() < meeting.starts.date():
        await day.world.begin_next_day()
    until = meeting.starts - timedelta(minutes=2)
    await day.call("desk_wait", {"until": f"{until:%H:%M}", "wake": False})


async def attend(day: StagedDay, meeting: MeetingBooked) -> list[str]:
    """Return what is said in *meeting*."""
    await go_to(day, meeting)
    listed = await day.call("calendar_list", {"day": f"{meeting.starts:%Y-%m-%d}"})
    (found,) = (one for one in listed.data["meetings"] if one["title"] == meeting.title)
    heard = await day.call("calendar_attend", {"meeting": found["id"]})
    return [str(text) for text in heard.data["announcements"]]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rule", quick_only({A_RULE, "kb_fix.easy"}, RULES))
async def test_a_worker_with_notes_has_full_score_and_one_without_loses_it(
    rule: str, name: str
) -> None:
    day = single_task_day(f"{rule}+{name}", 1)
    (noted,) = (await cached_grade("oracle", day)).tasks
    (forgot,) = (await cached_grade("oracle_without_notes", day)).tasks
    assert noted.success and (forgot.score or 0) <= 0.7


async def test_a_worker_that_does_one_task_after_the_other_comes_to_the_meeting() -> None:
    (grade,) = (await cached_grade("in_order", single_task_day(f"{A_RULE}+told_before", 1))).tasks
    assert grade.success


@pytest.mark.parametrize("name", NAMES)
async def test_every_claim_of_the_certificate_holds(name: str) -> None:
    claims = ("solvable", "pairs", "shown", "complications", "blindness", "memory")
    certificate = await certify(f"{A_RULE}+{name}", range(1, 2), claims)
    assert [broken for claim in certificate.claims for broken in claim.broken] == []


async def test_the_invitation_says_for_which_task_and_day_and_what_is_said_is_told_once() -> None:
    async with staged(f"{A_RULE}+told_before", 1) as day:
        (meeting,), (task,) = briefings(day), day.composition.tasks
        reference = BRIEFING.parse(meeting.title)
        assert task.instance.told.title in meeting.agenda and reference in meeting.agenda
        assert f"{task.arrives:%Y-%m-%d}" in meeting.agenda
        assert reference in task.instance.told.objective
        told = [clue.payload for clue in task.instance.hidden.clues]
        assert await attend(day, meeting) == told
        shown = await day.call("calendar_list", {"day": f"{meeting.starts:%Y-%m-%d}"})
        assert not any(text in shown.text for text in told)


async def test_nobody_tells_the_facts_before_or_after_the_meeting() -> None:
    async with staged(f"{A_RULE}+told_before", 1) as day:
        (meeting,), (task,) = briefings(day), day.composition.tasks
        heard = [HEARD.parse(clue.payload) for clue in task.instance.hidden.clues]
        people = {person.name: person.id for person in day.composition.company.people}
        await go_to(day, meeting)
        for moment in ("before", "after"):
            for fact in heard:
                said = await told_by(day, people[fact.name], fact.question)
                assert fact.answer not in said, moment
            while (await day.call("desk_now", {})).time.date() < task.arrives.date():
                await day.world.begin_next_day()


async def test_facts_that_are_told_anew_replace_those_that_were_told_first() -> None:
    async with staged(f"{A_RULE}+told_anew", 1) as day:
        first, second = briefings(day)
        assert first.title == second.title and first.starts.date() < second.starts.date()
        before, after = await attend(day, first), await attend(day, second)
        (task,) = day.composition.tasks
        assert before != after == [clue.payload for clue in task.instance.hidden.clues]


async def test_a_worker_who_notes_only_what_was_told_first_falls_short() -> None:
    async with staged(f"{A_RULE}+told_anew", 1) as day:
        first, second = briefings(day)
        texts = [await attend(day, first), await attend(day, second)]
        assert len(texts[0]) == len(texts[1])
        lines = "".join(f"- {json.dumps(text)}\n" for text in texts[0])
        path = f"{NOTES_FOLDER}/{BRIEFING.parse(first.title)}.md"
        await day.call("files_write", {"path": path, "text": lines})
        while (await day.call("desk_now", {})).time.date() < day.composition.days[-1].starts.date():
            await day.world.begin_next_day()
        today = day.composition.on_day(2)
        await work_tasks(day, day.costs, honest_works(today), outline_of(today))
        (grade,) = await day.grades()
        assert not grade.success


@pytest.mark.parametrize("name", NAMES)
def test_a_task_of_the_first_day_cannot_have_it(name: str) -> None:
    today = {"tasks": [{"rule": f"{A_RULE}+{name}"}]}
    for scenario in ({"days": [today]}, {"days": [today, {"tasks": []}], "week": True}):
        with pytest.raises(CompositionError, match="put it on a later day of a week"):
            compose_day(Scenario.model_validate({"name": "x", **scenario}))


@pytest.mark.parametrize("name", NAMES)
def test_drawn_days_do_not_have_it(name: str) -> None:
    families = discover_families().values()
    assert not [family.family for family in families if name in drawn_for(family)]
    assert find_rule(f"{A_RULE}+{name}").meta_task.complications[0].several_days


@pytest.mark.parametrize("other", ["busy_holder", "slow_holder", "retraction", "changed_request"])
def test_it_goes_with_no_other_complication_of_the_same_facts(other: str) -> None:
    with pytest.raises(CompositionError, match="cannot be added"):
        single_task_day(f"{A_RULE}+told_before+{other}", 1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("starts", "ends"), [("13:00", "20:00"), ("08:00", "11:00")])
def test_facts_are_told_in_working_hours_after_the_invitation_is_there(
    starts: str, ends: str, name: str
) -> None:
    days = [{"tasks": []}, {"tasks": []}, {"tasks": [{"rule": f"{A_RULE}+{name}"}]}]
    for seed in range(4):
        made = {"name": "x", "seed": seed, "week": True, "starts": starts, "ends": ends}
        composition = compose_day(Scenario.model_validate({**made, "days": days}))
        for planned in composition.tasks[0].instance.hidden.events:
            if isinstance(planned.event, MeetingBooked):
                (day,) = (d for d in composition.days if d.starts == planned.due)
                earliest = day.starts + timedelta(minutes=30)
                assert earliest <= planned.event.starts < planned.event.ends <= day.ends
