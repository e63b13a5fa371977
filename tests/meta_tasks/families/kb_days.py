"""Scenes and days of the knowledge base family, and its worked example."""

from __future__ import annotations

import re

from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day
from trainee_bench.meta_tasks.families.kb_fix import KbFix, KbFixDifficulty, OwnerAvailability
from trainee_bench.meta_tasks.families.kb_fix.deliverables import KbFixTruth
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.task_context import DayReservations, TaskContext
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.company.people import create_company

SEEDS = range(30)
RULES = [rule.id for rule in KbFix.rules() if rule.meta_task.owners is OwnerAvailability.PRESENT]
DOMAIN = "tessel.example"
LINK = re.compile(
    r"^Chart: \[.+\]\(https://charts\.\S+/view/((?:OLD|NEW)\d{6})\), owner: (.+)$", re.M
)

# The worked example, written out by hand: two outdated links, one that is right already.
BEFORE = """# A page

First paragraph.

Chart: [Parcels by hour](https://charts.tessel.example/view/OLD111111), owner: Ada Quist

Chart: [Stock by hall](https://charts.tessel.example/view/NEW111111), owner: Ben Olafsen

Last paragraph.

Chart: [Returns](https://charts.tessel.example/view/OLD222222), owner: Ada Quist
"""
AFTER = """# A page

First paragraph.

Chart: [Parcels by hour](https://charts.tessel.example/view/NEW333333), owner: Ada Quist

Chart: [Stock by hall](https://charts.tessel.example/view/NEW111111), owner: Ben Olafsen

Last paragraph.

Chart: [Returns](https://charts.tessel.example/view/NEW444444), owner: Ada Quist
"""


def scene_of(
    difficulty: str,
    seed: int,
    size: int = 50,
    owners: OwnerAvailability = OwnerAvailability.PRESENT,
    **seed_offsets: int,
) -> TaskInstance[KbFixTruth]:
    day = single_task_day(RULES[0], 0)
    context = TaskContext(
        task="T1",
        key=("test", seed),
        company=create_company(seed, size),
        day=day.day,
        deadline=day.tasks[0].deadline,
        reservations=DayReservations(),
        secret_seed_offsets=seed_offsets,
    )
    return KbFix(difficulty=KbFixDifficulty(difficulty), owners=owners).generate(context)


def articles_of(instance: TaskInstance[KbFixTruth]) -> list[FileAppears]:
    events = [planned.event for planned in instance.hidden.events]
    assert all(isinstance(event, FileAppears | AbsenceBegins) for event in events)
    return [event for event in events if isinstance(event, FileAppears)]


def text_of(event: FileAppears) -> str:
    assert event.text is not None
    return event.text


async def graded(day: StagedDay) -> TaskGrade:
    (grade,) = await day.grades()
    assert grade.error is None
    return grade


async def passed(day: StagedDay) -> set[str]:
    return {check.name for check in (await graded(day)).checkpoints if check.passed}


async def ask(day: StagedDay, person: str, text: str) -> str:
    """What *person* answers within the hour."""
    sent = await day.call("chat_send_message", {"to": person, "text": text})
    await day.call("desk_wait", {"until": "12:00" if sent.time.hour < 12 else "16:00"})
    while True:
        history = await day.call(
            "chat_read_history", {"peer": person, "after": sent.data["message"]["id"]}
        )
        answers = [m["text"] for m in history.data["messages"] if m["sender"] == person]
        if answers:
            return str(answers[0])
        await day.call("desk_wait", {"minutes": 5})
