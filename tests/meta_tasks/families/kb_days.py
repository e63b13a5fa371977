"""Scenes and days of the knowledge base family, and its worked example."""

from __future__ import annotations

import re

from tests.meta_tasks.days import context_of
from trainee_bench.meta_tasks.families.kb_fix import KbFix, KbFixDifficulty, OwnerAvailability
from trainee_bench.meta_tasks.families.kb_fix.deliverables import KbFixTruth
from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.availability import AbsenceBegins

SEEDS = range(30)
RULES = [rule.id for rule in KbFix.rules() if rule.meta_task.owners is OwnerAvailability.PRESENT]
DOMAIN = "tessel.example"
LINK = re.compile(
    r"^Chart: \[.+\]\(https://charts\.\S+/view/((?:OLD|NEW)\d{6})\), owner: (.+)$", re.M
)

# The worked example, written by hand: two outdated links, and one that is already right.
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
    made = KbFix(difficulty=KbFixDifficulty(difficulty), owners=owners)
    return made.generate(context_of(seed, size, seed_offsets))


def articles_of(instance: TaskInstance[KbFixTruth]) -> list[FileAppears]:
    events = [planned.event for planned in instance.hidden.events]
    assert all(isinstance(event, FileAppears | AbsenceBegins) for event in events)
    return [event for event in events if isinstance(event, FileAppears)]


def text_of(event: FileAppears) -> str:
    assert event.text is not None
    return event.text
