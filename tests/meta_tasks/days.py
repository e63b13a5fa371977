"""Days for tests: composed from rules, with facts told, questions asked, and results graded."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pydantic import BaseModel, JsonValue

from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day, stage_day
from trainee_bench.mcp_servers import names_with
from trainee_bench.meta_tasks.catalog import needed_tools
from trainee_bench.meta_tasks.company_documents import referrals
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.scenario import NO_VARIATION, DaySpec, Scenario, TaskSpec, Variation
from trainee_bench.meta_tasks.task_context import DayReservations, TaskContext
from trainee_bench.meta_tasks.tool_client import ToolResponse
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.colleagues.understanding import QuestionInterpreter, Topic
from trainee_bench.world.company.people import Company, create_company
from trainee_bench.world.transaction import Result, Transaction

LOOKS = 36
"""The most looks for an answer, one every five minutes."""

# composing --------------------------------------------------------------------------------


def day_with(*tasks: str | TaskSpec, seed: int = 0, **scenario: object) -> ComposedDay:
    """Return a day with these tasks, some given by their rule alone; *scenario* has further
    fields. It offers the tools that the rules need."""
    specs = tuple(TaskSpec(rule=task) if isinstance(task, str) else task for task in tasks)
    tools = names_with(needed_tools(spec.rule for spec in specs))
    made = {"name": "s", "seed": seed, "days": (DaySpec(tasks=specs),), "tools": tools} | scenario
    return compose_day(Scenario.model_validate(made))


def context_of(
    seed: int, size: int = 50, offsets: Mapping[str, int] | None = None, **more: Any
) -> TaskContext:
    """Return the context of a task on a usual day, with *offsets* for its secrets."""
    usual = single_task_day("kb_fix.easy", 0)
    made = {"task": "T1", "key": ("test", seed), "reservations": DayReservations()} | more
    return TaskContext(
        company=create_company(seed, size),
        day=usual.day,
        deadline=usual.day.ends,
        secret_seed_offsets=offsets or {},
        **made,
    )


def texts_of(instance: TaskInstance[Any]) -> dict[str, str]:
    """Return the texts of the files that are placed for a task, by path."""
    events = [planned.event for planned in instance.hidden.events]
    return {event.path: event.text or "" for event in events if isinstance(event, FileAppears)}


def truth_of(day: ComposedDay | StagedDay) -> Any:
    """Return the truth of the day's only task."""
    composition = day.composition if isinstance(day, StagedDay) else day
    (task,) = composition.tasks
    return task.instance.graded.truth


def with_truth(day: ComposedDay, truth: object) -> ComposedDay:
    """Return *day* with another *truth* for its only task, such as a worked example."""
    (task,) = day.tasks
    graded = replace(task.instance.graded, truth=truth)
    return replace(day, tasks=(replace(task, instance=replace(task.instance, graded=graded)),))


# asking -----------------------------------------------------------------------------------


def listener_of(instance: TaskInstance[Any], company: Company, holder: str) -> QuestionInterpreter:
    """Return how *holder* understands questions, as somebody who knows what the task hides from
    others and whom everybody names for what."""
    hidden = instance.hidden
    known = [
        planned.event for planned in hidden.events if isinstance(planned.event, ReferralPublished)
    ]
    public = [referral for referral in (*known, *referrals(company)) if referral.person != holder]
    return QuestionInterpreter(
        [Topic(clue.id, clue.asks, clue.keys) for clue in hidden.clues if clue.holder == holder],
        [Topic(f"public {referral.topic}", referral.asks, referral.keys) for referral in public],
    )


# staging ----------------------------------------------------------------------------------


@asynccontextmanager
async def staged(
    day: str | ComposedDay,
    seed: int = 0,
    variation: Variation = NO_VARIATION,
    *,
    told: bool = False,
) -> AsyncIterator[StagedDay]:
    """Open the world of a composed day, or of the day of a rule and seed; everything hidden may
    have been *told* already."""
    composition = single_task_day(day, seed, variation) if isinstance(day, str) else day
    begun = await stage_day(composition)
    async with begun.world:
        if told:
            await hear_everything(begun)
        yield begun


class _Told(BaseModel):
    told: bool = True


async def hear_everything(day: StagedDay) -> None:
    """Let everybody tell the trainee what they know, skipping the way there: outcomes count only
    with the hidden facts that they need."""

    def tell(tx: Transaction) -> Result[_Told]:
        for task in day.composition.tasks:
            for clue in task.instance.hidden.clues:
                Knowledge(tx).record_disclosure(clue.id, tx.employee, "test")
        return Result("", _Told())

    await day.world.execute(day.composition.company.trainee.id, "test", {}, tell)


async def told_by(
    day: StagedDay, person: str, text: str, *, automatic: bool = True, wake: bool = True
) -> str:
    """Return what *person* answers to *text*; an *automatic* reply may not count."""
    sent = await day.call("chat_send_message", {"to": person, "text": text})
    number = sent.data["message"]["id"]
    for _ in range(LOOKS):
        await day.call("desk_wait", {"minutes": 5, "wake": wake})
        history = await day.call("chat_read_history", {"peer": person, "after": number})
        for message in history.data["messages"]:
            if message["answers"] == number and (automatic or not message["automatic"]):
                return str(message["text"])
    raise AssertionError(f"{person} does not answer")


@dataclass(frozen=True)
class Calls:
    """The tools of a staged day for a script that waits for nothing."""

    day: StagedDay
    task: str = "T1"

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        return await self.day.call(tool, arguments)

    async def wait_until(self, time: datetime) -> None:
        raise AssertionError("nothing to wait for")

    async def wait_at_least(self, minutes: int) -> None:
        raise AssertionError("nothing to wait for")


# handing in -------------------------------------------------------------------------------


async def write(day: StagedDay, work: JsonValue) -> None:
    """Write the day's only deliverable: a text unchanged, anything else as JSON."""
    (path,) = day.composition.deliverable_paths
    text = work if isinstance(work, str) else json.dumps(work)
    await day.call("files_write", {"path": path, "text": text})


async def hand_in(day: StagedDay, work: JsonValue) -> dict[str, bool]:
    """Return which checkpoints hold with this as the day's only deliverable."""
    await write(day, work)
    return checks_of(await graded(day))


async def graded(day: StagedDay) -> TaskGrade:
    """Return the grade of the day's only task, whose checks do not break."""
    (grade,) = await day.grades()
    assert grade.error is None, grade.error
    return grade


def checks_of(grade: TaskGrade) -> dict[str, bool]:
    """Return which checkpoints hold."""
    return {check.name: check.passed for check in grade.checkpoints}


async def passed(day: StagedDay) -> set[str]:
    """Return the checkpoints of the day's only task that hold."""
    return {name for name, holds in checks_of(await graded(day)).items() if holds}


async def worked(composition: ComposedDay) -> list[float | None]:
    """Return the scores of a day's tasks after honest work, which does all of them without harm."""
    async with staged(composition) as day:
        assert await day.work() == {}
        grades = await day.grades()
        assert not any(grade.harm for grade in grades)
        return [grade.score for grade in grades]


async def last_submission(day: StagedDay) -> datetime:
    """Return when a task of the day was submitted last. An honest worker still looks for changes
    until shortly before the deadline."""
    return max(entry.at for entry in await day.world.log() if entry.tool == "desk_submit")
