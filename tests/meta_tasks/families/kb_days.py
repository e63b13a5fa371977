"""Scenes and days of the knowledge base family, and its worked example."""

from __future__ import annotations

import re
from dataclasses import replace

from harness.in_process import Workday, single_task
from meta_tasks.composition import Composition
from meta_tasks.families.kb_fix import Copy, Corrected, Difficulty, KbFix, Owners
from meta_tasks.grade import TaskGrade
from meta_tasks.meta_task import Scene
from meta_tasks.stage import Commons, Stage
from world.apps.files import FileAppears
from world.people import found_company
from world.presence import Away

SEEDS = range(30)
RULES = [rule.id for rule in KbFix.rules() if rule.meta_task.owners is Owners.PRESENT]
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
    owners: Owners = Owners.PRESENT,
    **twist: int,
) -> Scene[Corrected]:
    day = single_task(RULES[0], 0)
    stage = Stage(
        task="T1",
        key=("test", seed),
        company=found_company(seed, size),
        day=day.day,
        deadline=day.tasks[0].deadline,
        commons=Commons(),
        twist=twist,
    )
    return KbFix(difficulty=Difficulty(difficulty), owners=owners).scene(stage)


def articles_of(scene: Scene[Corrected]) -> list[FileAppears]:
    events = [planned.event for planned in scene.events]
    assert all(isinstance(event, FileAppears | Away) for event in events)
    return [event for event in events if isinstance(event, FileAppears)]


def text_of(event: FileAppears) -> str:
    assert event.text is not None
    return event.text


def with_truth(day: Composition, copy: Copy) -> Composition:
    task = day.tasks[0]
    scene = replace(task.scene, truth=Corrected((copy,)))
    return replace(day, tasks=(replace(task, scene=scene),))


async def graded(day: Workday) -> TaskGrade:
    (grade,) = await day.grades()
    assert grade.error is None
    return grade


async def passed(day: Workday) -> set[str]:
    return {check.name for check in (await graded(day)).checkpoints if check.passed}


async def ask(day: Workday, person: str, text: str) -> str:
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
