"""The task that a complication changes: its context, its instance, and its secrets."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from trainee_bench.meta_tasks.absences import without_absent
from trainee_bench.meta_tasks.authoring.holders import HOLDER, pick_free
from trainee_bench.meta_tasks.meta_task import (
    NOTES_HEADING,
    GradedPart,
    HiddenPart,
    PlannedEvent,
    TaskInstance,
    ToldPart,
    first_version,
    with_note,
)
from trainee_bench.meta_tasks.moments import Moments
from trainee_bench.meta_tasks.scene_features import RecordFile
from trainee_bench.meta_tasks.secret_draws import EXCHANGES, SECRETS, SecretDraws
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.world.apps.desk import RequestChanged
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.knowledge import Clue, Expectation, Shortfall
from trainee_bench.world.company.people import Person
from trainee_bench.world.transaction import Event

ENOUGH = 0.35
"""The share of a task's clues that a complication works on."""
FIRST = "first"
"""The first part, before a slash, of clue names that belong to a replaced request."""
_RECORDS = "the records"
"""The entry in ``taken`` for all files of records."""
Generate = Callable[[Mapping[str, int]], TaskInstance[Any]]


@dataclass(frozen=True)
class Scene:
    """A task that may be complicated: its context and its three parts so far.

    ``generate`` makes the family's own instance with other secrets, given by clue name. ``another``
    draws a second task of the same rule on this day, by number, with its own ``generate``.
    ``plain`` is the family's own instance with the present ``secrets``.

    ``secrets`` are those that earlier complications exchanged, and ``taken`` are the clues that
    they work on. ``dropped`` holds the files of a request that was replaced; ``title`` is the title
    of the last request.

    All times are in minutes. A worker can do nothing final until ``begins`` after the task comes,
    and what they are told changes until ``news``. Each answer takes ``pace`` longer than usual.
    Complications that are still to be applied need the last ``reserved`` minutes before the
    deadline and, for questions, the last ``asking`` minutes before colleagues go home.
    """

    context: TaskContext
    told: ToldPart
    hidden: HiddenPart
    graded: GradedPart[Any]
    plain: TaskInstance[Any]
    generate: Generate
    another: Callable[[int], tuple[TaskInstance[Any], Generate]]
    secrets: Mapping[str, int] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()
    begins: int = 0
    news: int = 0
    pace: int = 0
    reserved: int = 0
    asking: int = 0
    dropped: tuple[str, ...] = ()
    title: str = ""

    @property
    def label(self) -> str:
        """The task's name among colleagues: its title with its id, since two tasks may share a
        title."""
        return f"{self.title or self.told.title} ({self.context.task})"

    def held_clues(self, *, every: bool = False) -> tuple[Clue, ...]:
        """Return clues that colleagues tell when asked and that no other complication works on:
        enough of them that the answer depends on them by more than `BITE`, or *every* one.

        Raises CompositionError if there are not enough.
        """
        told = [clue for clue in self.hidden.clues if clue.holder]
        free = [clue for clue in told if clue.asks and not clue.after and clue.id not in self.taken]
        count = max(1, math.ceil(ENOUGH * len(told)))
        if len(free) < count:
            raise CompositionError(
                f"it needs {count} of the facts that colleagues hold for {self.context.task}, but "
                f"{len(free)} are left; leave a complication out"
            )
        return tuple(free if every else free[:count])

    def other_clues(self, clue: Clue, first: int, count: int) -> list[tuple[int, Clue]]:
        """Return *clue* with *count* different secrets, each with the number of its draw, from
        *first*.

        If possible, the secrets give different answers whatever the scene's secrets are. Raises
        CompositionError if the clue does not take that many values.
        """
        told = {name_of(held): first for held in self.hidden.clues if held.holder}
        answers, others = list[Any](), list[tuple[int, Clue]]()
        found, payloads = list[tuple[int, Clue]](), set[str]()
        for draw in range(first, first + SECRETS):
            made = self.generate({**told, name_of(clue): draw})
            other = next(drawn for drawn in made.hidden.clues if drawn.id == clue.id)
            if other.payload in payloads:
                continue
            payloads.add(other.payload)
            (others if made.graded.truth in answers else found).append((draw, other))
            answers.append(made.graded.truth)
            if len(found) == count or len(found) + len(others) == 3 * count:
                break
        if len(found) + len(others) < count:
            raise CompositionError(f"{clue.id} does not take {count} values")
        return [*found, *others][:count]

    def exchanged(self, clue: Clue, first: int) -> tuple[Clue, Scene]:
        """Return *clue* with a secret that changes the right answer, and the scene with that
        answer. Raises CompositionError if no secret changes the answer."""
        for draw in range(first, first + SECRETS):
            secrets = {**self.secrets, name_of(clue): draw}
            made = self.generate(secrets)
            if made.graded.truth != self.plain.graded.truth:
                other = next(drawn for drawn in made.hidden.clues if drawn.id == clue.id)
                return other, self._with_truth_of(made, secrets)
        raise CompositionError(f"{self.context.task}: no other {clue.id} changes the answer")

    def all_exchanged(
        self, clues: Sequence[Clue], first: SecretDraws
    ) -> tuple[Sequence[tuple[Clue, Clue]], Scene]:
        """Exchange *clues* one after the other (see `exchanged`).

        Return each clue before and after, and the scene with the new answer, which differs from the
        present one. *first* is added to the clues' own secrets. Raises CompositionError if there is
        no such scene.
        """
        for further in range(EXCHANGES):
            scene, found = self, list[tuple[Clue, Clue]]()
            for clue in clues:
                secret = self.own_secret(clue) + first + further * SECRETS
                revised, scene = scene.exchanged(clue, secret)
                found.append((clue, revised))
            # a later exchange may undo an earlier one
            if scene.plain.graded.truth != self.plain.graded.truth:
                return found, scene
        raise CompositionError(f"{self.context.task}: the exchanged secrets give the same answer")

    def with_secret(self, clue: Clue, draw: int) -> Scene:
        """Return the scene whose truth follows from secret number *draw* of *clue*."""
        return self.settled({**self.secrets, name_of(clue): draw})

    def drawn(self, clue: Clue) -> Clue:
        """Return *clue* as the family draws it with the secrets of this scene."""
        return next(drawn for drawn in self.plain.hidden.clues if drawn.id == clue.id)

    def settled(self, secrets: Mapping[str, int]) -> Scene:
        """Return the scene whose truth follows from these *secrets*."""
        return self._with_truth_of(self.generate(secrets), secrets)

    def _with_truth_of(self, made: TaskInstance[Any], secrets: Mapping[str, int]) -> Scene:
        """Return the scene with the truth, the output and the background of *made*."""
        family = self.plain.graded.background
        own = [text for text in self.graded.background if text not in family]
        scene = replace(self, secrets=secrets, graded=made.graded, plain=made)
        return scene.with_background(*own)

    def own_secret(self, clue: Clue) -> int:
        """Return the first draw of secrets that change together with that of *clue* in a paired
        world."""
        return 1_000 * (1 + self.context.secret_seed_offsets.get(name_of(clue), 0))

    def with_told(self, **fields: Any) -> Scene:
        """Return the scene with these fields of its `ToldPart`."""
        return replace(self, told=replace(self.told, **fields))

    def with_hidden(self, **fields: Any) -> Scene:
        """Return the scene with these fields of its `HiddenPart`."""
        return replace(self, hidden=replace(self.hidden, **fields))

    def with_background(self, *texts: str) -> Scene:
        """Return the scene in which these *texts* need not be read, either (see `GradedPart`)."""
        background = (*self.graded.background, *texts)
        return replace(self, graded=replace(self.graded, background=background))

    def taking(self, *ids: str) -> Scene:
        """Return the scene with more ids that other complications must leave alone."""
        return replace(self, taken=self.taken | set(ids))

    def with_clue(self, clue: Clue) -> Scene:
        """Return the scene with *clue* in place of the clue with the same id."""
        clues = tuple(clue if known.id == clue.id else known for known in self.hidden.clues)
        return self.with_hidden(clues=clues)

    def with_events(self, *events: PlannedEvent) -> Scene:
        """Return the scene with more events."""
        return self.with_hidden(events=(*self.hidden.events, *events))

    def with_expectations(self, *expected: Expectation) -> Scene:
        """Return the scene with more expectations."""
        return self.with_hidden(expectations=(*self.hidden.expectations, *expected))

    def with_note(self, note: str, *, standing: bool = True) -> Scene:
        """Return the scene whose objective ends with one more *note*. If the request changes, the
        new request has the note. The first request has it only if it is *standing*, that is, not
        about certain files."""
        events = tuple(
            replace(planned, event=planned.event.model_copy(update={"objective": noted}))
            if isinstance(planned.event, RequestChanged)
            and (noted := with_note(planned.event.objective, note))
            else planned
            for planned in self.hidden.events
        )
        # the heading says nothing by itself
        scene = self.with_hidden(events=events).with_background(NOTES_HEADING.strip())
        if events == self.hidden.events or standing:
            return scene.with_told(objective=with_note(self.told.objective, note))
        return scene

    def beginning(self, moment: datetime) -> Scene:
        """Return the scene in which a worker can do nothing final before *moment*."""
        minutes = (moment - self.context.arrives) // timedelta(minutes=1)
        return replace(self, begins=max(self.begins, minutes))

    def changing(self, moment: datetime) -> Scene:
        """Return the scene in which something changes at *moment*, after which the work is done
        again."""
        minutes = (moment - self.context.arrives) // timedelta(minutes=1)
        return replace(self, news=max(self.news, minutes))

    def after_news(self) -> Scene:
        """Return the scene in which a worker can do nothing final before all changes so far. A
        worker who repeats the work after a change also reads again what was replaced before it."""
        return replace(self, begins=max(self.begins, self.news))

    def slower(self, minutes: int) -> Scene:
        """Return the scene in which each answer takes so many minutes more."""
        return replace(self.later(minutes), pace=self.pace + minutes)

    def later(self, minutes: int) -> Scene:
        """Return the scene in which a worker needs so many minutes more before anything is
        final."""
        return replace(self, begins=self.begins + minutes)

    def free_records(self) -> tuple[RecordFile, ...]:
        """Return the files of records. Raises CompositionError if another complication works on
        them."""
        if not self.hidden.records or _RECORDS in self.taken:
            raise CompositionError(
                f"another complication works on the records of {self.context.task} already; leave "
                "one of them out"
            )
        return self.hidden.records

    def taking_records(self) -> Scene:
        """Return the scene whose records other complications must leave alone."""
        return self.taking(_RECORDS)

    def staged_at(self, path: str) -> datetime | None:
        """Return when the file at *path* comes: None if with the task, later if it belongs to a
        changed request. Files next to it come at the same time; earlier they would reveal what is
        going to be asked for."""
        due = [planned.due for planned in self.hidden.events if _stages(planned, path)]
        return due[0] if due else None

    def with_file(self, path: str, text: str) -> Scene:
        """Return the scene in which the file staged at *path* has another *text*."""
        events = tuple(
            replace(planned, event=planned.event.model_copy(update={"text": text}))
            if _stages(planned, path)
            else planned
            for planned in self.hidden.events
        )
        return self.with_hidden(events=events)

    def without_file(self, path: str) -> Scene:
        """Return the scene in which no file is staged at *path*."""
        return self.with_hidden(
            events=tuple(planned for planned in self.hidden.events if not _stages(planned, path))
        )

    def with_earlier_records(self) -> Scene:
        """Return the scene with an older version of each file of records. Nobody needs to read the
        older version before it is replaced."""
        scene = self.with_background(
            *(first_version(record.path) for record in self.free_records())
        )
        for record in self.free_records():
            scene = scene.with_file(record.path, record.earlier)
        return scene.taking_records()

    def with_incomplete_records(self, purpose: str) -> tuple[Scene, Mapping[str, Shortfall]]:
        """Return the scene in which a part of each file of records is missing, and how much, by
        path. The size of the gap is drawn from the open stream *purpose*."""
        scene, missing = self, dict[str, Shortfall]()
        for record in self.free_records():
            first = record.cut_off(self.context.stream(f"{purpose} {record.path}"))
            whole = len(record.text.splitlines()) - 1
            missing[record.path] = Shortfall(there=len(first) - 1, whole=whole)
            scene = scene.with_file(record.path, "\n".join([*first, ""]))
        return scene.taking_records(), missing

    def moment(self, purpose: str, earliest: int, latest: int, before: int) -> datetime:
        """Return a moment from *earliest* to *latest* minutes after the work can begin (see
        `Moments`)."""
        return self._moments.soon(purpose, earliest, latest, before)

    def change(
        self, purpose: str, earliest: int, latest: int, before: int, asks: int, reach: int = 0
    ) -> datetime:
        """Return the moment of a change that nobody escapes by beginning late (see `Moments`)."""
        asked = any(clue.holder for clue in self.hidden.clues)
        return self._moments.late(purpose, earliest, latest, before, asks if asked else 0, reach)

    @property
    def _moments(self) -> Moments:
        return Moments(self.context, self.begins, self.pace, self.reserved, self.asking)


def _stages(planned: PlannedEvent, path: str) -> bool:
    return isinstance(planned.event, FileAppears) and planned.event.path == path


def name_of(clue: Clue) -> str:
    """Return the name of *clue* within its task, which names its secret stream."""
    return clue.id.partition("/")[2]


def outsider(scene: Scene, purpose: str, among: Sequence[Person]) -> Person:
    """Return one of *among* who has no part in the task, whatever its secrets are, drawn from the
    open stream *purpose*. Raises CompositionError if there is nobody."""
    involved = scene.hidden.possible_holders | {clue.holder for clue in scene.hidden.clues}
    involved |= {expected.holder for expected in scene.hidden.expectations}
    involved |= {scene.told.requester, scene.context.employee.id}
    free = [
        person
        for person in without_absent(scene.context, among)
        if person.id not in involved and person.name not in scene.told.objective
    ]
    if not free:
        raise CompositionError(
            f"it needs somebody who has no part in {scene.context.task}, but everybody may have "
            "one; use a larger company or leave a complication out"
        )
    return pick_free(scene.context, purpose, free, HOLDER)


def with_task_id(instance: TaskInstance[Any], task: str, other: str) -> TaskInstance[Any]:
    """Return *instance* with the ids of its clues and expectations moved from *task* to *other*.
    Each id begins with its task's id, which may be continued."""

    def new(id: str) -> str:
        return f"{other}/{id.removeprefix(f'{task}/')}" if id.startswith(f"{task}/") else id

    def renamed(clue: Clue) -> Clue:
        return clue.model_copy(
            update={
                "id": new(clue.id),
                "after": tuple(map(new, clue.after)),
                "not_yet_from": tuple(map(new, clue.not_yet_from)),
            }
        )

    hidden = replace(
        instance.hidden,
        clues=tuple(map(renamed, instance.hidden.clues)),
        expectations=tuple(
            expected.model_copy(
                update={"id": new(expected.id), "after": tuple(map(new, expected.after))}
            )
            for expected in instance.hidden.expectations
        ),
    )
    return replace(instance, hidden=hidden)


def at(due: datetime, event: Event) -> PlannedEvent:
    """Return *event*, planned for *due*."""
    return PlannedEvent(event, due)
