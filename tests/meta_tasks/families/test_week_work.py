"""The duties of a week, worked by somebody who begins anew on each morning."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from tests.meta_tasks.families.week_work import week_of, work_week
from trainee_bench.meta_tasks.families.week import DUTIES
from trainee_bench.meta_tasks.scenario import Arrival
from trainee_bench.meta_tasks.work.achieving import FileHas, MailSent
from trainee_bench.meta_tasks.work.habits import Around, Habit
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.world.notes import NOTES_FOLDER
from trainee_bench.world.notices import Verbosity

MOST_CALLS = {Verbosity.ALL: 45, Verbosity.OFF: 53}
"""In a week, about nine a day: to hear, to look, to note and to deliver."""
ALL_DUTIES = [f"week.{duty}" for duty in DUTIES]


class Forgets(Habit):
    """Writes nothing into the notes."""

    name = "forgets"

    def ways(self) -> Mapping[type[Need[Any]], Around]:
        """Leaves out what goes into the folder of notes."""
        return {FileHas: self._unless_noted}

    async def _unless_noted(
        self, work: Work, need: FileHas, inner: Callable[[], Awaitable[None]]
    ) -> None:
        if not need.path.startswith(NOTES_FOLDER):
            await inner()


class MailsTwice(Habit):
    """Sends a wrong mail before each right one."""

    name = "mails_twice"

    def ways(self) -> Mapping[type[Need[Any]], Around]:
        """Calls the tool once more."""
        return {MailSent: self._twice}

    async def _twice(
        self, work: Work, need: MailSent, inner: Callable[[], Awaitable[None]]
    ) -> None:
        await work.call("mail_send", to=[*need.to], subject=need.subject, body="1")
        await inner()


@pytest.mark.parametrize("verbosity", [Verbosity.ALL, Verbosity.OFF])
@pytest.mark.parametrize("duty", ALL_DUTIES)
async def test_a_duty_is_kept_from_notes_alone_in_few_calls(
    duty: str, verbosity: Verbosity
) -> None:
    worked = await work_week(week_of([duty], verbosity=verbosity))
    assert worked.errors == {} and worked.scores == [1.0]
    assert worked.calls.total() <= MOST_CALLS[verbosity]


async def test_all_duties_are_kept_in_one_week_and_look_at_the_desk_once_a_day() -> None:
    worked = await work_week(week_of(ALL_DUTIES))
    assert worked.errors == {} and worked.scores == [1.0] * len(ALL_DUTIES)
    before_work = 4  # from Tuesday on it is looked up what is submitted
    assert worked.calls["desk_tasks"] - before_work == 5


async def test_a_new_morning_asks_for_no_text_of_tasks_that_are_submitted() -> None:
    """On Thursday and Friday the desk lists five tasks that were done before, without their
    texts."""
    days = [["week.extract", "kb_fix.easy", "kb_fix.medium"], ["kb_fix.easy"], ["kb_fix.easy"]]
    worked = await work_week(week_of(*days))
    assert worked.errors == {} and worked.scores == [1.0] * 5
    plain = await work_week(week_of(["week.extract"]))
    listings = worked.calls["desk_tasks"] - plain.calls["desk_tasks"]
    assert listings <= 5, "one look for each task that comes, and its deadline"


async def test_an_answer_is_waited_for_though_nothing_about_the_task_changes_any_more() -> None:
    rules = ["kb_fix.easy", "kb_fix.easy+busy_holder", "kb_fix.medium+slow_holder"]
    week = week_of(["week.extract"], rules, arrival=Arrival.STREAMED)
    worked = await work_week(week)
    assert worked.errors == {} and worked.scores == [1.0] * 4


@pytest.mark.parametrize("duty", ALL_DUTIES)
async def test_a_worker_who_notes_nothing_fails_later_in_the_week(duty: str) -> None:
    worked = await work_week(week_of([duty]), [Forgets()])
    (score,) = worked.scores
    assert score is not None and score <= 0.7
    assert any("the notes do not say" in str(error) for error in worked.errors.values())


async def test_other_mails_are_a_habit_around_the_mail() -> None:
    week = week_of(["week.claims"])
    worked, usual = await work_week(week, [MailsTwice()]), await work_week(week)
    assert worked.scores == [1.0]
    assert worked.calls["mail_send"] == 2 * usual.calls["mail_send"] == 10
