"""What becomes of each task of a day: done, done with a mistake, left half-way or not begun.

Chance decides, by a stream for each task; how likely what is, comes from the skill, the
hints that stand in the task, and the lessons that stand in the model's system prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import partial
from random import Random

from pydantic import JsonValue

from harness.certificate.mutants import wrong_mutants
from harness.guesswork import fields, paths, plausible
from harness.models.scripted.notes import learnt_by_heart, lessons
from harness.models.scripted.skill import Learning, Skill
from meta_tasks.catalog import rules
from meta_tasks.composition import ComposedTask, Composition
from meta_tasks.hands import Answer, Hands, Work, my_task
from world.streams import stream

_HINT = "\n\nHint: "
_WRITES = "files_write"
_MISTAKES = (
    "a number off by one",
    "a number in a wrong unit",
    "a letter of a text changed",
    "two values swapped",
    "an item dropped",
    "a line dropped",
    "another number",
    "upper case",
)
"""Mutants that keep the form of a file: what a model gets wrong."""
_FEWEST, _MOST = 2, 10
"""Calls after which a task that is left half-way is left."""


class Fate(StrEnum):
    """What becomes of a task."""

    DONE = "done"
    SLIP = "slip"
    HALF_WAY = "half_way"
    LEFT = "left"


class Tired(Exception):
    """The model does nothing more for a task."""


@dataclass
class Labour:
    """The work of a day as a model of this skill does it; ``told`` is its system prompt."""

    skill: Skill
    composition: Composition
    names: tuple[str | int, ...]
    told: str = ""
    fates: dict[str, Fate] = field(default_factory=dict)

    def works(self) -> Mapping[str, Work]:
        """How each task of the day, by id, is worked."""
        return {task.id: partial(self._work, task) for task in self.composition.tasks}

    def draws(self, *names: str | int) -> Random:
        """The chances of this model on this day, by what they are for."""
        return stream(*self.names, *names)

    async def _work(self, task: ComposedTask, hands: Hands) -> None:
        held = _Held(hands, self, task)
        entry = await my_task(held)
        fate = self.fates[task.id] = self._fate(task, str(entry["objective"]))
        family = type(task.meta_task)
        wrong = [variant.work for variant in family.variants() if not variant.harmless]
        if fate is Fate.LEFT:
            if self.skill.learning is Learning.BY_HEART:
                asked = "\n".join([entry["objective"], *entry["assignments"]])
                await _hand_in_again(held, asked, learnt_by_heart(self.told, task.id))
        elif fate is Fate.SLIP and wrong:
            await self.draws(task.id, "wrong way").choice(wrong)(held)
        else:
            await family.oracle(held)

    def _fate(self, task: ComposedTask, objective: str) -> Fate:
        if self.forlorn(task):
            return Fate.LEFT
        draws = self.draws(task.id, task.rule)
        right, how = draws.random(), draws.random()
        chance = self.skill.chance(
            rules()[task.rule].label,
            len(self.composition.tasks),
            objective.count(_HINT),
            lessons(self.told, task.meta_task.checkpoints()),
        )
        if right < chance:
            return Fate.DONE
        if how < self.skill.slips:
            return Fate.SLIP
        return Fate.HALF_WAY if how < (1 + self.skill.slips) / 2 else Fate.LEFT

    def forlorn(self, task: ComposedTask) -> bool:
        """Whether *task* waits for another that will never be handed in."""
        day = self.composition.resolved
        specs = day.scenario.days[day.day].tasks
        causes = {rule for spec in specs if spec.rule == task.rule for rule in spec.causes}
        unfinished = (Fate.LEFT, Fate.HALF_WAY)
        return any(
            self.fates.get(other.id) in unfinished
            for other in self.composition.tasks
            if other.rule in causes
        )


class _Held:
    """The hands of a task's oracle, held by its fate."""

    def __init__(self, hands: Hands, labour: Labour, task: ComposedTask):
        self.task = hands.task
        self._hands = hands
        self._labour = labour
        self._about = task
        self._calls = 0
        self._seen: Answer | None = None
        draws = labour.draws(task.id, "slips")
        self._lasts = draws.randint(_FEWEST, _MOST)
        self._place = draws.random()

    @property
    def _fate(self) -> Fate | None:
        return self._labour.fates.get(self.task)

    async def call(self, tool: str, **arguments: JsonValue) -> Answer:
        """Call a tool, perhaps with another text than was meant. Raises ToolFailed, and Tired
        where the model leaves the task."""
        if tool == "desk_tasks" and self._seen is not None and self._fate is not None:
            seen, self._seen = self._seen, None  # it has just looked
            return seen
        self._calls += 1
        if self._fate is Fate.HALF_WAY and self._calls > self._lasts:
            raise Tired
        if self._fate is Fate.SLIP and tool == _WRITES:
            arguments["text"] = _spoiled(str(arguments["text"]), self._place)
        answer = await self._hands.call(tool, **arguments)
        self._seen = answer if tool == "desk_tasks" else None
        return answer

    async def until(self, time: datetime) -> None:
        """An appointment."""
        await self._hands.until(time)

    async def rest(self, minutes: int) -> None:
        """Come back later. Raises Tired where what is waited for will never be there."""
        if self._labour.forlorn(self._about):
            raise Tired
        await self._hands.rest(minutes)


async def _hand_in_again(hands: Hands, asked: str, memory: str) -> None:
    """Hand in what was learnt by heart of an earlier task; nothing if there is nothing."""
    if not memory:
        return
    for path in paths(asked):
        if path.startswith("workspace:/"):
            text = plausible(fields(asked), memory) if path.endswith(".json") else memory
            await hands.call(_WRITES, path=path, text=text)
    await hands.call("desk_submit", task=hands.task)


def _spoiled(text: str, place: float) -> str:
    """*text* with one mistake in it, of those that keep its form where there are any."""
    mutants = list(wrong_mutants(text))
    others = [mutant for mutant in mutants if mutant.name in _MISTAKES] or mutants
    return others[int(place * len(others))].text
