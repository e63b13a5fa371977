"""Work of a scripted model on each task: correct, with a mistake, half-way, or none at all.

A random stream for each task decides. The probabilities depend on the model's skill, the hints in
the task, and the notes in the system prompt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property, partial
from random import Random

from pydantic import JsonValue

from trainee_bench.harness.agents.confidence import with_confidence
from trainee_bench.harness.agents.heuristics import described_fields, guess_json, named_paths
from trainee_bench.harness.agents.scripted.notes import KeptNotes, lesson_coverage, memorised_answer
from trainee_bench.harness.agents.scripted.skill import LearningMode, ModelSkill
from trainee_bench.harness.session.turns import ToolInfo
from trainee_bench.harness.testbench.slips import takes_whole_file, with_slip
from trainee_bench.harness.testbench.workbook_files import write_as
from trainee_bench.mcp_servers.desk import SUBMIT_TOOL
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, ToolResponse, wait_for_task
from trainee_bench.meta_tasks.work.engine import BatchToolCaller
from trainee_bench.meta_tasks.work.need import TaskWork, Work
from trainee_bench.meta_tasks.work.reading import Task
from trainee_bench.meta_tasks.work.scripted import scripted
from trainee_bench.meta_tasks.work.standing import STANDING
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
    """The way a task is worked."""

    DONE = "done"
    SLIP = "slip"
    HALF_WAY = "half_way"
    LEFT = "left"


@dataclass
class ScriptedWork:
    """Work of a model with this skill on a day; ``names`` name its random streams."""

    skill: ModelSkill
    composition: ComposedDay
    names: tuple[str | int, ...]
    system_prompt: str = ""
    fates: dict[str, TaskFate] = field(default_factory=dict)
    offered: tuple[ToolInfo, ...] = ()
    """The tools of the day."""
    chances: dict[str, float] = field(default_factory=dict)
    """How often such a task succeeds, by id."""

    @cached_property
    def notes(self) -> KeptNotes:
        """The notes that the model keeps outside of its office on this day; they begin with its
        memory."""
        kept = KeptNotes(self.skill)
        kept.remember(self.system_prompt)
        return kept

    def works(self) -> Mapping[str, TaskWork]:
        """The work of each task of the day, by id."""
        return {task.id: partial(self._work, task) for task in self.composition.tasks}

    def tools(self, backend: BatchToolCaller) -> FatedTools:
        """Return the tools of *backend* as this model uses them."""
        return FatedTools(backend, self)

    def abandons(self, task: str, calls: int) -> bool:
        """Whether the model abandons a task after so many calls.

        It also abandons a task that waits for another one that will never be submitted.
        """
        if task == STANDING:
            return False
        if self.fates.get(task) is TaskFate.HALF_WAY:
            return calls > self.draws(task, "slips").randint(_MIN_CALLS, _MAX_CALLS)
        (composed,) = (t for t in self.composition.tasks if t.id == task)
        # a model that memorises waits until a blocked task is published
        remembers = self.skill.learning is LearningMode.BY_HEART
        return self.is_blocked(composed) and (task in self.fates or not remembers)

    def draws(self, *names: str | int) -> Random:
        """Return the random stream of this model and day for the purpose *names*."""
        return random_stream(*self.names, *names)

    async def _work(self, task: ComposedTask, work: Work, id: str) -> None:
        entry = await work(Task(id))
        if id not in self.fates:
            self.fates[id] = self._fate(task, entry.objective + entry.notes)
        fate = self.fates[id]
        family = task.meta_task.family_class
        wrong = [variant.work for variant in family.solver_variants() if not variant.harmless]
        if fate is TaskFate.LEFT:
            if self.skill.learning is LearningMode.BY_HEART:
                memory = memorised_answer(self.system_prompt, id)
                await scripted(partial(_submit_memorised, memory=memory))(work, id)
        elif fate is TaskFate.SLIP and wrong:
            await self.draws(id, "wrong way").choice(wrong)(work, id)
        else:
            await family.honest_work(work, id)

    def _fate(self, task: ComposedTask, objective: str) -> TaskFate:
        if self.is_blocked(task):
            return TaskFate.LEFT
        draws = self.draws(task.id, task.rule)
        right, how = draws.random(), draws.random()
        chance = self.chances[task.id] = self.skill.chance(
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

    def confidence(self, task: str) -> int:
        """Return how sure the model is of a task that it submits, in percent.

        The model knows its skill: it submits what it did right and what it did with a mistake.
        """
        right = self.chances.get(task, 0.0)
        submitted = right + (1 - right) * self.skill.slips
        return round(100 * right / submitted) if submitted else 0

    def is_blocked(self, task: ComposedTask) -> bool:
        """Whether *task* waits for a task that will never be submitted."""
        day = self.composition.scenario_day
        numbers = day.scenario.days_in_world(day.day)
        specs = day.scenario.days[numbers[task.published_place]].tasks
        causes = {rule for spec in specs if spec.rule == task.rule for rule in spec.dependencies}
        unfinished = (TaskFate.LEFT, TaskFate.HALF_WAY)
        return any(
            self.fates.get(other.id) in unfinished or self.is_blocked(other)
            for other in self.composition.tasks
            if other.name in causes
            or (other.rule in causes and other.published_place == task.published_place)
        )


class FatedTools:
    """The tools of *backend*, used according to the model's skill and the fates of the tasks.

    The model may keep its notes elsewhere, or make mistakes in what it writes.
    """

    def __init__(self, backend: BatchToolCaller, work: ScriptedWork):
        self._backend = backend
        self._work = work
        self._now: datetime | None = None
        self._tasks = {
            path: task.id
            for task in work.composition.tasks
            for path in task.instance.told.deliverable_paths
        }

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Call a tool. Raises ToolFailed with the tool's text."""
        (answer,) = await self.call_many([(tool, arguments)])
        if isinstance(answer, ToolFailed):
            raise answer
        return answer

    async def call_many(
        self, calls: Sequence[tuple[str, Mapping[str, JsonValue]]]
    ) -> Sequence[ToolResponse | ToolFailed]:
        """Make *calls*, perhaps with mistakes in what is written; return the result of each."""
        kept = {place for place, call in enumerate(calls) if self._work.notes.takes(*call)}
        made = [self._fated(*call) for place, call in enumerate(calls) if place not in kept]
        answers = iter(await self._backend.call_many(made) if made else ())
        results: list[ToolResponse | ToolFailed] = []
        for place, (_, arguments) in enumerate(calls):
            result = self._noted(arguments) if place in kept else next(answers)
            self._now = result.time or self._now
            results.append(result)
        return results

    def _fated(
        self, tool: str, arguments: Mapping[str, JsonValue]
    ) -> tuple[str, Mapping[str, JsonValue]]:
        """Return a call as the model makes it."""
        if tool == SUBMIT_TOOL:
            sure = self._work.confidence(str(arguments["task"]))
            return tool, with_confidence(self._work.offered, tool, arguments, sure)
        task = self._tasks.get(str(arguments.get("path")))
        if task is None or self._work.fates.get(task) is not TaskFate.SLIP:
            return tool, arguments
        if not takes_whole_file(tool):
            return tool, arguments
        place = self._work.draws(task, "place").random()
        return tool, with_slip(tool, arguments, place, _MISTAKES)

    def _noted(self, arguments: Mapping[str, JsonValue]) -> ToolResponse | ToolFailed:
        """Write or read a page of notes that is not a file."""
        assert self._now is not None, "a task is read before anything is noted"
        if "text" in arguments:
            self._work.notes.write(arguments)
            return ToolResponse("Noted.", {}, self._now)
        try:
            text = self._work.notes.read(arguments)
        except ToolFailed as failed:
            return ToolFailed(str(failed), self._now)
        page = {"text": text, "next_offset": None, "next_column": None}
        return ToolResponse(text, page, self._now)


async def _submit_memorised(client: ToolClient, memory: str) -> None:
    """Submit what was memorised of an earlier task, if anything."""
    if not memory:
        return
    entry = await wait_for_task(client)
    task_text = "\n".join([entry["objective"], *entry["assignments"]])
    for path in named_paths(task_text):
        if path.startswith("workspace:/"):
            text = (
                guess_json(described_fields(task_text), memory)
                if path.endswith(".json")
                else memory
            )
            await write_as(client.call, path, text)
    await client.call("desk_submit", task=client.task)
