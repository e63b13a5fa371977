"""How a scripted model works each task: correctly, with a mistake, half-way, or not at all.

A random stream for each task decides. The probabilities depend on the model's skill, the hints
in the task, and the notes in the system prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property, partial
from random import Random

from pydantic import JsonValue

from trainee_bench.harness.agents.heuristics import described_fields, guess_json, named_paths
from trainee_bench.harness.agents.scripted.kept_notes import KeptNotes
from trainee_bench.harness.agents.scripted.notes import lesson_coverage, memorised_answer
from trainee_bench.harness.agents.scripted.skill import LearningMode, ModelSkill
from trainee_bench.harness.testbench.slips import WRITING, with_slip
from trainee_bench.harness.testbench.workbook_files import write_as
from trainee_bench.meta_tasks.catalog import find_rule
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
    "a letter twice",
)
"""The mutations that keep a file's format, as a model's mistakes do."""
_MIN_CALLS, _MAX_CALLS = 2, 10
"""Calls after which a task is abandoned half-way."""


class TaskFate(StrEnum):
    """How a task is worked."""

    DONE = "done"
    SLIP = "slip"
    HALF_WAY = "half_way"
    LEFT = "left"


class TaskAbandoned(Exception):
    """The model abandons a task."""


@dataclass
class ScriptedWork:
    """How a model of this skill works a day; ``names`` name its random streams."""

    skill: ModelSkill
    composition: ComposedDay
    names: tuple[str | int, ...]
    system_prompt: str = ""
    fates: dict[str, TaskFate] = field(default_factory=dict)

    @cached_property
    def notes(self) -> KeptNotes:
        """What the model notes on this day, if not in its office; it begins with its memory."""
        kept = KeptNotes(self.skill)
        kept.remember(self.system_prompt)
        return kept

    def works(self) -> Mapping[str, Solver]:
        """A solver for each task of the day, by id."""
        return {task.id: partial(self._work, task) for task in self.composition.tasks}

    def draws(self, *names: str | int) -> Random:
        """The random stream of this model and day for the purpose *names*."""
        return random_stream(*self.names, *names)

    async def _work(self, task: ComposedTask, client: ToolClient) -> None:
        tools = _FatedTools(client, self, task)
        entry = await wait_for_task(tools)
        if entry["submitted"] and task.id in self.composition.carried_over:
            return
        fate = self.fates[task.id] = self._fate(task, str(entry["objective"]))
        family = type(task.meta_task)
        wrong = [variant.work for variant in family.solver_variants() if not variant.harmless]
        if fate is TaskFate.LEFT:
            if self.skill.learning is LearningMode.BY_HEART:
                task_text = "\n".join([entry["objective"], *entry["assignments"]])
                await _submit_memorised(
                    tools, task_text, memorised_answer(self.system_prompt, task.id)
                )
        elif fate is TaskFate.SLIP and wrong:
            await self.draws(task.id, "wrong way").choice(wrong)(tools)
        else:
            await family.oracle(tools)

    def _fate(self, task: ComposedTask, objective: str) -> TaskFate:
        if self.is_blocked(task):
            return TaskFate.LEFT
        draws = self.draws(task.id, task.rule)
        right, how = draws.random(), draws.random()
        chance = self.skill.chance(
            find_rule(task.rule).difficulty,
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
        """Whether *task* waits for a task that will never be submitted."""
        day = self.composition.scenario_day
        numbers = day.scenario.days_in_world(day.day)
        specs = day.scenario.days[numbers[task.published_place]].tasks
        causes = {rule for spec in specs if spec.rule == task.rule for rule in spec.dependencies}
        unfinished = (TaskFate.LEFT, TaskFate.HALF_WAY)
        return any(
            self.fates.get(other.id) in unfinished
            for other in self.composition.tasks
            if other.rule in causes and other.published_place == task.published_place
        )


class _FatedTools:
    """The tool client of a task's oracle, limited by the task's fate."""

    def __init__(self, client: ToolClient, work: ScriptedWork, task: ComposedTask):
        self.task = client.task
        self._client = client
        self._work = work
        self._task = task
        self._calls = 0
        self._seen: ToolResponse | None = None
        self._now: datetime | None = None
        draws = work.draws(task.id, "slips")
        self._lasts = draws.randint(_MIN_CALLS, _MAX_CALLS)
        self._place = draws.random()

    @property
    def _fate(self) -> TaskFate | None:
        return self._work.fates.get(self.task)

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool, perhaps with a mistake in the text. Raises ToolFailed, and TaskAbandoned
        when the model abandons the task."""
        if tool == "desk_tasks" and self._seen is not None and self._fate is not None:
            seen, self._seen = self._seen, None  # it has just asked for them
            return seen
        if self._work.notes.takes(tool, arguments):
            return self._noted(tool, arguments)
        self._calls += 1
        if self._fate is TaskFate.HALF_WAY and self._calls > self._lasts:
            raise TaskAbandoned
        if self._fate is TaskFate.SLIP and tool in WRITING:
            arguments = with_slip(tool, arguments, self._place, _MISTAKES)
        answer = await self._client.call(tool, **arguments)
        self._seen = answer if tool == "desk_tasks" else None
        self._now = answer.time
        return answer

    def _noted(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Write or read a page of notes that is no file. Raises ToolFailed."""
        assert self._now is not None, "a task is read before anything is noted"
        if "text" in arguments:
            self._work.notes.write(arguments)
            return ToolResponse("Noted.", {}, self._now)
        page = {"text": self._work.notes.read(arguments), "next_offset": None, "next_column": None}
        return ToolResponse(page["text"] or "", page, self._now)

    async def wait_until(self, time: datetime) -> None:
        """Come back exactly at *time*."""
        await self._client.wait_until(time)

    async def promise(self, time: datetime) -> None:
        """Keep an appointment later."""
        await self._client.promise(time)

    async def wait_at_least(self, minutes: int) -> None:
        """Come back later. Raises TaskAbandoned if what it waits for will never come."""
        if self._work.is_blocked(self._task):
            raise TaskAbandoned
        await self._client.wait_at_least(minutes)

    async def give_way(self, until: datetime) -> bool:
        """Let others work."""
        return await self._client.give_way(until)


async def _submit_memorised(client: ToolClient, task_text: str, memory: str) -> None:
    """Submit what was memorised of an earlier task; do nothing if that is nothing."""
    if not memory:
        return
    for path in named_paths(task_text):
        if path.startswith("workspace:/"):
            text = (
                guess_json(described_fields(task_text), memory)
                if path.endswith(".json")
                else memory
            )
            await write_as(client.call, path, text)
    await client.call("desk_submit", task=client.task)
