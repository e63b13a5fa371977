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

from trainee_bench.harness.agents.heuristics import described_fields, guess_json, named_paths
from trainee_bench.harness.agents.scripted.notes import lesson_coverage, memorised_answer
from trainee_bench.harness.agents.scripted.skill import LearningMode, ModelSkill
from trainee_bench.harness.testbench.slips import WRITING, with_slip
from trainee_bench.harness.testbench.workbook_files import write_as
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask
from trainee_bench.meta_tasks.tool_client import Solver, ToolClient, ToolResponse, wait_for_task
from trainee_bench.world.random_streams import random_stream

_HINT = "\n\nHint: "
_MISTAKES = (
    "a number off by one",
    "a number in a wrong unit",
    "a letter of a text changed",
    "two values swapped",
    "an item dropped",
    "a line dropped",
    "a row dropped",
    "another number",
    "upper case",
)
"""Mutants that keep the form of a file: what a model gets wrong."""
_FEWEST, _MOST = 2, 10
"""Calls after which a task that is left half-way is left."""


class TaskFate(StrEnum):
    """What becomes of a task."""

    DONE = "done"
    SLIP = "slip"
    HALF_WAY = "half_way"
    LEFT = "left"


class TaskAbandoned(Exception):
    """The model does nothing more for a task."""


@dataclass
class ScriptedWork:
    """The work of a day as a model of this skill does it; ``system_prompt`` is what it was told."""

    skill: ModelSkill
    composition: ComposedDay
    names: tuple[str | int, ...]
    system_prompt: str = ""
    fates: dict[str, TaskFate] = field(default_factory=dict)

    def works(self) -> Mapping[str, Solver]:
        """How each task of the day, by id, is worked."""
        return {task.id: partial(self._work, task) for task in self.composition.tasks}

    def draws(self, *names: str | int) -> Random:
        """The chances of this model on this day, by what they are for."""
        return random_stream(*self.names, *names)

    async def _work(self, task: ComposedTask, client: ToolClient) -> None:
        held = _FatedTools(client, self, task)
        entry = await wait_for_task(held)
        fate = self.fates[task.id] = self._fate(task, str(entry["objective"]))
        family = type(task.meta_task)
        wrong = [variant.work for variant in family.solver_variants() if not variant.harmless]
        if fate is TaskFate.LEFT:
            if self.skill.learning is LearningMode.BY_HEART:
                request_text = "\n".join([entry["objective"], *entry["assignments"]])
                await _hand_in_again(
                    held, request_text, memorised_answer(self.system_prompt, task.id)
                )
        elif fate is TaskFate.SLIP and wrong:
            await self.draws(task.id, "wrong way").choice(wrong)(held)
        else:
            await family.oracle(held)

    def _fate(self, task: ComposedTask, objective: str) -> TaskFate:
        if self.is_blocked(task):
            return TaskFate.LEFT
        draws = self.draws(task.id, task.rule)
        right, how = draws.random(), draws.random()
        chance = self.skill.chance(
            all_rules()[task.rule].difficulty,
            len(self.composition.tasks),
            objective.count(_HINT),
            lesson_coverage(self.system_prompt, task.meta_task.checkpoints()),
        )
        if right < chance:
            return TaskFate.DONE
        if how < self.skill.slips:
            return TaskFate.SLIP
        return TaskFate.HALF_WAY if how < (1 + self.skill.slips) / 2 else TaskFate.LEFT

    def is_blocked(self, task: ComposedTask) -> bool:
        """Whether *task* waits for another that will never be handed in."""
        day = self.composition.scenario_day
        specs = day.scenario.days[day.day].tasks
        causes = {rule for spec in specs if spec.rule == task.rule for rule in spec.dependencies}
        unfinished = (TaskFate.LEFT, TaskFate.HALF_WAY)
        return any(
            self.fates.get(other.id) in unfinished
            for other in self.composition.tasks
            if other.rule in causes
        )


class _FatedTools:
    """The hands of a task's oracle, held by its fate."""

    def __init__(self, client: ToolClient, labour: ScriptedWork, task: ComposedTask):
        self.task = client.task
        self._hands = client
        self._labour = labour
        self._about = task
        self._calls = 0
        self._seen: ToolResponse | None = None
        draws = labour.draws(task.id, "slips")
        self._lasts = draws.randint(_FEWEST, _MOST)
        self._place = draws.random()

    @property
    def _fate(self) -> TaskFate | None:
        return self._labour.fates.get(self.task)

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool, perhaps with another text than was meant. Raises ToolFailed, and Tired
        where the model leaves the task."""
        if tool == "desk_tasks" and self._seen is not None and self._fate is not None:
            seen, self._seen = self._seen, None  # it has just looked
            return seen
        self._calls += 1
        if self._fate is TaskFate.HALF_WAY and self._calls > self._lasts:
            raise TaskAbandoned
        if self._fate is TaskFate.SLIP and tool in WRITING:
            arguments = with_slip(tool, arguments, self._place, _MISTAKES)
        answer = await self._hands.call(tool, **arguments)
        self._seen = answer if tool == "desk_tasks" else None
        return answer

    async def wait_until(self, time: datetime) -> None:
        """An appointment."""
        await self._hands.wait_until(time)

    async def wait_at_least(self, minutes: int) -> None:
        """Come back later. Raises Tired where what is waited for will never be there."""
        if self._labour.is_blocked(self._about):
            raise TaskAbandoned
        await self._hands.wait_at_least(minutes)


async def _hand_in_again(client: ToolClient, request_text: str, memory: str) -> None:
    """Hand in what was learnt by heart of an earlier task; nothing if there is nothing."""
    if not memory:
        return
    for path in named_paths(request_text):
        if path.startswith("workspace:/"):
            text = (
                guess_json(described_fields(request_text), memory)
                if path.endswith(".json")
                else memory
            )
            await write_as(client.call, path, text)
    await client.call("desk_submit", task=client.task)
