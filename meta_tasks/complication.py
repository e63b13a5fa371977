"""The contract of a complication: it makes the task of any family that it fits harder.

    family ──generate──► Scene ──apply──► Complicated: another instance, facts to grade by
                                                │
    oracle of the family ──work──► how an honest worker deals with it

A complication knows no family. It builds on what every instance has (people, time, facts that
colleagues hold) and on what a family says that its tasks have (`SceneFeature`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, ClassVar

from trainee_bench.meta_tasks.absences import without_absent
from trainee_bench.meta_tasks.authoring.holders import HOLDER, pick_free
from trainee_bench.meta_tasks.meta_task import (
    NOTES_HEADING,
    Checkpoint,
    GradingContext,
    MetaTask,
    PlannedEvent,
    TaskInstance,
    declared_checkpoints,
)
from trainee_bench.meta_tasks.scene_features import RecordFile, SceneFeature
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.meta_tasks.tool_client import Solver, ToolClient
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Person
from trainee_bench.world.transaction import Event

OWN_SHARE = 0.45
"""The weight of what a complication asks for beside the task itself, as a part of the task's own:
then it makes a little more than 0.3 of the whole."""
BITE = 0.3
"""What ignoring a complication costs at least, as a part of the task's weight."""
ENOUGH = 0.35
"""The part of a task's clues that a complication works on."""
FIRST = "first"
"""What the names of the clues of a request begin with that has become another one, and a stroke."""
_TIME_TO_REACT = timedelta(minutes=15)
"""How long before the deadline something may happen at the latest."""
_RECORDS = "the records"
"""Stands among what is taken for the files of records."""
_SECRETS = 40
"""How often a secret is drawn anew to get a different one."""


class ComplicationKind(StrEnum):
    """The kinds of difficulty at work."""

    CHANGE = "information that changes"
    SOURCES = "sources"
    PEOPLE = "people and time"
    SAFETY = "safety"
    SIZE = "size"


Generate = Callable[[Mapping[str, int]], TaskInstance[Any]]


@dataclass(frozen=True)
class Scene:
    """A task that may be complicated: where it stands, and the instance as it is so far.

    ``generate`` gives the family's own instance with other secrets, by the clues' names.
    ``another`` draws, by number, a second task of the same rule on this day, with its own
    ``generate``. ``secrets`` are those that earlier complications exchanged, ``taken`` the clues
    that they work on.
    """

    context: TaskContext
    instance: TaskInstance[Any]
    generate: Generate
    another: Callable[[int], tuple[TaskInstance[Any], Generate]]
    secrets: Mapping[str, int] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """What people call the task: its title, and its id, since two may have one title."""
        return f"{self.instance.title} ({self.context.task})"

    def held_clues(self) -> tuple[Clue, ...]:
        """Clues that colleagues tell at once if asked, and that no other complication works on: so
        many that the answer depends on them by more than `BITE`.

        Raises CompositionError if there are not enough.
        """
        told = [clue for clue in self.instance.clues if clue.holder]
        free = [clue for clue in told if clue.asks and not clue.after and clue.id not in self.taken]
        count = max(1, math.ceil(ENOUGH * len(told)))
        if len(free) < count:
            raise CompositionError(
                f"{self.context.task} has no facts left that colleagues hold; leave a complication "
                "out"
            )
        return tuple(free[:count])

    def other_clues(self, clue: Clue, first: int, count: int) -> list[tuple[int, Clue]]:
        """*clue* with *count* secrets, all different, and the number of each draw, from *first*.

        Raises CompositionError if it does not take so many values.
        """
        found: list[tuple[int, Clue]] = []
        for draw in range(first, first + _SECRETS):
            made = self.generate({**self.secrets, _name(clue): draw})
            other = next(one for one in made.clues if one.id == clue.id)
            if other.payload not in {known.payload for _, known in found}:
                found.append((draw, other))
            if len(found) == count:
                return found
        raise CompositionError(f"{clue.id} does not take {count} values; leave a complication out")

    def exchanged(self, clue: Clue, first: int) -> tuple[Clue, Scene]:
        """*clue* with another secret by which the right answer is another, and the scene whose
        truth that is. Raises CompositionError if no secret changes the answer."""
        plain = self.generate(self.secrets).truth
        for draw in range(first, first + _SECRETS):
            secrets = {**self.secrets, _name(clue): draw}
            made = self.generate(secrets)
            if made.truth != plain:
                other = next(one for one in made.clues if one.id == clue.id)
                instance = replace(self.instance, truth=made.truth)
                return other, replace(self, secrets=secrets, instance=instance)
        raise CompositionError(f"{self.context.task}: no other {clue.id} changes the answer")

    def with_secret(self, clue: Clue, draw: int) -> Scene:
        """The scene whose truth is that of another secret of *clue*."""
        return self.settled({**self.secrets, _name(clue): draw})

    def drawn(self, clue: Clue) -> Clue:
        """*clue* as the family draws it with the secrets of this scene."""
        return next(one for one in self.generate(self.secrets).clues if one.id == clue.id)

    def settled(self, secrets: Mapping[str, int]) -> Scene:
        """The scene whose truth is that of these *secrets*."""
        instance = replace(self.instance, truth=self.generate(secrets).truth)
        return replace(self, secrets=secrets, instance=instance)

    def own_secret(self, clue: Clue) -> int:
        """The first draw of secrets that change together with that of *clue* in a paired world."""
        return 1_000 * (1 + self.context.secret_seed_offsets.get(_name(clue), 0))

    def changed(self, **fields: Any) -> Scene:
        """The scene with other fields of its instance."""
        return replace(self, instance=replace(self.instance, **fields))

    def taking(self, *ids: str) -> Scene:
        """The scene with what other complications must leave alone."""
        return replace(self, taken=self.taken | set(ids))

    def with_clue(self, clue: Clue) -> Scene:
        """The scene with *clue* in place of the one of the same id."""
        clues = tuple(clue if one.id == clue.id else one for one in self.instance.clues)
        return self.changed(clues=clues)

    def with_events(self, *events: PlannedEvent) -> Scene:
        """The scene with more events."""
        return self.changed(events=(*self.instance.events, *events))

    def with_note(self, note: str) -> Scene:
        """The scene whose objective ends with one more *note*."""
        objective = self.instance.objective
        start = "\n" if NOTES_HEADING in objective else NOTES_HEADING
        return self.changed(objective=f"{objective}{start}- {note}")

    def free_records(self) -> tuple[RecordFile, ...]:
        """The files of records. Raises CompositionError if another complication works on them."""
        if not self.instance.records or _RECORDS in self.taken:
            raise CompositionError(
                f"{self.context.task} has no records left; leave a complication out"
            )
        return self.instance.records

    def taking_records(self) -> Scene:
        """The scene whose records other complications must leave alone."""
        return self.taking(_RECORDS)

    def with_file(self, path: str, text: str) -> Scene:
        """The scene in which the file that is staged at *path* has another *text*."""
        events = tuple(
            replace(planned, event=planned.event.model_copy(update={"text": text}))
            if _stages(planned, path)
            else planned
            for planned in self.instance.events
        )
        return self.changed(events=events)

    def without_file(self, path: str) -> Scene:
        """The scene in which no file is staged at *path*."""
        return self.changed(
            events=tuple(one for one in self.instance.events if not _stages(one, path))
        )

    def with_earlier_records(self) -> Scene:
        """The scene with an older version of each file of records."""
        scene = self
        for record in self.free_records():
            scene = scene.with_file(record.path, record.earlier)
        return scene.taking_records()

    def with_incomplete_records(self) -> Scene:
        """The scene in which a part of each file of records is missing."""
        scene = self
        for record in self.free_records():
            first, _ = record.parts()
            scene = scene.with_file(record.path, "\n".join([*first, ""]))
        return scene.taking_records()

    def moment(self, purpose: str, earliest: int, latest: int, before: int) -> datetime:
        """A moment from *earliest* to *latest* minutes after the task comes, drawn in steps of five
        minutes, at least *before* minutes before the end of the day. It does not depend on the
        task's deadline, which may be set later.

        Raises CompositionError if there is no such moment, or if it is after the deadline.
        """
        context = self.context
        first = context.arrives + timedelta(minutes=earliest)
        last = min(
            context.arrives + timedelta(minutes=latest),
            context.day.ends - timedelta(minutes=before),
        )
        steps = (last - first) // timedelta(minutes=5)
        if steps < 0:
            raise CompositionError(
                f"{context.task} comes at {context.arrives:%H:%M}, too late for a complication "
                f"that takes {earliest + before} minutes; let it come earlier or leave that out"
            )
        moment = first + context.stream(f"moment of {purpose}").randint(0, steps) * timedelta(
            minutes=5
        )
        if moment + _TIME_TO_REACT > context.deadline:
            raise CompositionError(
                f"{context.task} is due at {context.deadline:%H:%M}, too early for a complication "
                f"at {moment:%H:%M}; give it a later deadline or leave that out"
            )
        return moment


def _stages(planned: PlannedEvent, path: str) -> bool:
    return isinstance(planned.event, FileAppears) and planned.event.path == path


def _name(clue: Clue) -> str:
    return clue.id.partition("/")[2]


def outsider(scene: Scene, purpose: str, among: Sequence[Person]) -> Person:
    """One of *among* who has no part in the task, drawn from the open stream *purpose*."""
    involved = {clue.holder for clue in scene.instance.clues}
    involved |= {expected.holder for expected in scene.instance.expectations}
    involved |= {scene.instance.requester, scene.context.employee.id}
    free = [
        person
        for person in without_absent(scene.context, among)
        if person.id not in involved and person.name not in scene.instance.objective
    ]
    return pick_free(scene.context, purpose, free, HOLDER)


def with_task_id(instance: TaskInstance[Any], task: str, other: str) -> TaskInstance[Any]:
    """*instance*, its clues and expectations those of the task *other* instead of *task*: each id
    begins with the task's, and may be continued."""

    def new(id: str) -> str:
        return f"{other}/{id.removeprefix(f'{task}/')}" if id.startswith(f"{task}/") else id

    def clue(one: Clue) -> Clue:
        return one.model_copy(
            update={
                "id": new(one.id),
                "after": tuple(map(new, one.after)),
                "not_yet_from": tuple(map(new, one.not_yet_from)),
            }
        )

    return replace(
        instance,
        clues=tuple(map(clue, instance.clues)),
        expectations=tuple(
            one.model_copy(update={"id": new(one.id), "after": tuple(map(new, one.after))})
            for one in instance.expectations
        ),
    )


def at(due: datetime, event: Event) -> PlannedEvent:
    """*event*, planned for *due*."""
    return PlannedEvent(event, due)


@dataclass(frozen=True)
class Complicated:
    """What `Complication.apply` makes of a scene.

    ``facts`` are what its own checkpoints are graded by. Who ignores the complication takes the
    texts that are the keys of ``believed`` for what their values say.
    """

    scene: Scene
    facts: Any = None
    believed: Mapping[str, str] = field(default_factory=dict)


class Complication(ABC):
    """One way in which a task becomes harder. Its own checkpoints are declared as a family's are,
    with ``GradingContext.truth`` being its facts; each weighs `OWN_SHARE` of the task's own."""

    name: ClassVar[str]
    """How rules name it: ``family.rule+name``."""
    kind: ClassVar[ComplicationKind]
    about: ClassVar[str]
    """What it does to a task, in one sentence."""
    needs: ClassVar[frozenset[SceneFeature]] = frozenset()
    """What a family's tasks must have for it to fit."""
    replaces_task: ClassVar[bool] = False
    """Whether it puts another task in place of the first; then it is applied before the others."""

    def fits(self, family: type[MetaTask[Any]]) -> bool:
        """Whether the tasks of *family* have what it needs."""
        return self.needs <= family.features

    @abstractmethod
    def apply(self, scene: Scene) -> Complicated:
        """The harder scene: a pure function of the scene. Raises CompositionError."""

    @abstractmethod
    async def work(self, client: ToolClient, do: Solver) -> None:
        """What an honest worker does; *do* does the task itself."""

    async def ignore(self, client: ToolClient, do: Solver) -> None:
        """What a worker does who ignores it: by default the task itself."""
        await do(client)

    def withholds(self, grading: GradingContext[Any]) -> str:
        """Why the outcomes of the task do not count, whatever was handed in; "" if they do."""
        return ""

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """What is checked beside the task itself. It counts only with an outcome of the task."""
        return declared_checkpoints(type(self))
