"""The task that a complication changes: where it stands, its instance, what is drawn anew."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import IntEnum
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
)
from trainee_bench.meta_tasks.moments import Moments
from trainee_bench.meta_tasks.scene_features import RecordFile
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.world.apps.desk import RequestChanged
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.knowledge import Clue, Expectation, Shortfall
from trainee_bench.world.company.people import Person
from trainee_bench.world.transaction import Event

ENOUGH = 0.35
"""The part of a task's clues that a complication works on."""
FIRST = "first"
"""What the names of the clues of a request begin with that has become another one, and a stroke."""
_RECORDS = "the records"
"""Stands among what is taken for the files of records."""
_SECRETS = 40
"""How often a secret is drawn anew to get a different one."""
_EXCHANGES = 3
"""How often all secrets are, to get a different answer."""


class SecretDraws(IntEnum):
    """The first draw of each complication that draws secrets anew, so that no two draw the same.

    Draws of another secret are counted from the clue's own one. *Open* ones do not change with the
    secret.
    """

    RETRACTION = 0
    SIGN_OFF = 300
    WRONG_COLLEAGUE = 600
    HANDOVER = 900
    WRONG_COLLEAGUE_OPEN = 500_000
    OLD_MINUTES_OPEN = 600_000


MOST_DRAWS = _SECRETS * _EXCHANGES
"""So many draws at most a complication makes from its first one on."""
Generate = Callable[[Mapping[str, int]], TaskInstance[Any]]


@dataclass(frozen=True)
class Scene:
    """A task that may be complicated: where it stands, and its three parts as they are so far.

    ``generate`` gives the family's own instance with other secrets, by the clues' names.
    ``another`` draws, by number, a second task of the same rule on this day, with its own
    ``generate``. ``secrets`` are those that earlier complications exchanged, ``taken`` the clues
    that they work on, and ``dropped`` the files that a request asked for that has become another
    one; ``title`` is that of the last request. A worker can do nothing final before ``begins``,
    minutes after the task comes, and what they are told changes until ``news``; each answer takes
    ``pace`` minutes more than usual. Complications that are still to be applied need the last
    ``reserved`` minutes before the deadline, and for questions the last ``asking`` minutes before
    colleagues go home. ``plain`` is the family's own instance with the ``secrets``.
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
        """What people call the task: its title, and its id, since two may have one title."""
        return f"{self.title or self.told.title} ({self.context.task})"

    def held_clues(self) -> tuple[Clue, ...]:
        """Clues that colleagues tell at once if asked, and that no other complication works on: so
        many that the answer depends on them by more than `BITE`.

        Raises CompositionError if there are not enough.
        """
        told = [clue for clue in self.hidden.clues if clue.holder]
        free = [clue for clue in told if clue.asks and not clue.after and clue.id not in self.taken]
        count = max(1, math.ceil(ENOUGH * len(told)))
        if len(free) < count:
            raise CompositionError(
                f"of the facts that colleagues hold for {self.context.task}, it needs {count}, and "
                f"{len(free)} are left; leave a complication out"
            )
        return tuple(free[:count])

    def other_clues(self, clue: Clue, first: int, count: int) -> list[tuple[int, Clue]]:
        """*clue* with *count* secrets, all different, and the number of each draw, from *first*.

        If possible they make different answers, whatever the secrets of the scene are. Raises
        CompositionError if it does not take so many values.
        """
        told = {name_of(held): first for held in self.hidden.clues if held.holder}
        answers, others = list[Any](), list[tuple[int, Clue]]()
        found, payloads = list[tuple[int, Clue]](), set[str]()
        for draw in range(first, first + _SECRETS):
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
        """*clue* with another secret by which the right answer is another, and the scene whose
        truth that is. Raises CompositionError if no secret changes the answer."""
        for draw in range(first, first + _SECRETS):
            secrets = {**self.secrets, name_of(clue): draw}
            made = self.generate(secrets)
            if made.graded.truth != self.plain.graded.truth:
                other = next(drawn for drawn in made.hidden.clues if drawn.id == clue.id)
                return other, self._with_truth_of(made, secrets)
        raise CompositionError(f"{self.context.task}: no other {clue.id} changes the answer")

    def all_exchanged(
        self, clues: Sequence[Clue], first: SecretDraws
    ) -> tuple[Sequence[tuple[Clue, Clue]], Scene]:
        """Each of *clues* before and after being exchanged one after the other (see `exchanged`),
        and the scene whose truth is that; it is another one than now. *first* is added to the
        clues' own secrets. Raises CompositionError if there is no such scene."""
        for further in range(_EXCHANGES):
            scene, found = self, list[tuple[Clue, Clue]]()
            for clue in clues:
                secret = self.own_secret(clue) + first + further * _SECRETS
                revised, scene = scene.exchanged(clue, secret)
                found.append((clue, revised))
            # the last need not undo the first
            if scene.plain.graded.truth != self.plain.graded.truth:
                return found, scene
        raise CompositionError(f"{self.context.task}: what is exchanged comes to the same answer")

    def with_secret(self, clue: Clue, draw: int) -> Scene:
        """The scene whose truth is that of another secret of *clue*."""
        return self.settled({**self.secrets, name_of(clue): draw})

    def drawn(self, clue: Clue) -> Clue:
        """*clue* as the family draws it with the secrets of this scene."""
        return next(drawn for drawn in self.plain.hidden.clues if drawn.id == clue.id)

    def settled(self, secrets: Mapping[str, int]) -> Scene:
        """The scene whose truth is that of these *secrets*."""
        return self._with_truth_of(self.generate(secrets), secrets)

    def _with_truth_of(self, made: TaskInstance[Any], secrets: Mapping[str, int]) -> Scene:
        """The scene with the truth of *made*, what it gives to others, and what need not be read
        then."""
        family = self.plain.graded.background
        own = [text for text in self.graded.background if text not in family]
        scene = replace(self, secrets=secrets, graded=made.graded, plain=made)
        return scene.with_background(*own)

    def own_secret(self, clue: Clue) -> int:
        """The first draw of secrets that change together with that of *clue* in a paired world."""
        return 1_000 * (1 + self.context.secret_seed_offsets.get(name_of(clue), 0))

    def with_told(self, **fields: Any) -> Scene:
        """The scene in which other things are told: with these fields of the `ToldPart`."""
        return replace(self, told=replace(self.told, **fields))

    def with_hidden(self, **fields: Any) -> Scene:
        """The scene in which other things are hidden: with these fields of the `HiddenPart`."""
        return replace(self, hidden=replace(self.hidden, **fields))

    def with_background(self, *texts: str) -> Scene:
        """The scene in which these *texts* need not be read, either: see `GradedPart`."""
        background = (*self.graded.background, *texts)
        return replace(self, graded=replace(self.graded, background=background))

    def taking(self, *ids: str) -> Scene:
        """The scene with what other complications must leave alone."""
        return replace(self, taken=self.taken | set(ids))

    def with_clue(self, clue: Clue) -> Scene:
        """The scene with *clue* in place of the one of the same id."""
        clues = tuple(clue if known.id == clue.id else known for known in self.hidden.clues)
        return self.with_hidden(clues=clues)

    def with_events(self, *events: PlannedEvent) -> Scene:
        """The scene with more events."""
        return self.with_hidden(events=(*self.hidden.events, *events))

    def with_expectations(self, *expected: Expectation) -> Scene:
        """The scene in which people wait to be told more."""
        return self.with_hidden(expectations=(*self.hidden.expectations, *expected))

    def with_note(self, note: str, *, standing: bool = True) -> Scene:
        """The scene whose objective ends with one more *note*. If the request changes, the new one
        has the note; the first one has it only if it is *standing*: not about certain files."""
        events = tuple(
            replace(planned, event=planned.event.model_copy(update={"objective": noted}))
            if isinstance(planned.event, RequestChanged)
            and (noted := _noted(planned.event.objective, note))
            else planned
            for planned in self.hidden.events
        )
        # the heading says nothing by itself
        scene = self.with_hidden(events=events).with_background(NOTES_HEADING.strip())
        if events == self.hidden.events or standing:
            return scene.with_told(objective=_noted(self.told.objective, note))
        return scene

    def beginning(self, moment: datetime) -> Scene:
        """The scene whose worker can do nothing final before *moment*."""
        minutes = (moment - self.context.arrives) // timedelta(minutes=1)
        return replace(self, begins=max(self.begins, minutes))

    def changing(self, moment: datetime) -> Scene:
        """The scene in which something changes at *moment*, after which the work is done again."""
        minutes = (moment - self.context.arrives) // timedelta(minutes=1)
        return replace(self, news=max(self.news, minutes))

    def after_news(self) -> Scene:
        """The scene whose worker can do nothing final before all changes so far: who does the work
        again for one of them reads again what is exchanged before it."""
        return replace(self, begins=max(self.begins, self.news))

    def slower(self, minutes: int) -> Scene:
        """The scene in which an answer takes so many minutes more."""
        return replace(self.later(minutes), pace=self.pace + minutes)

    def later(self, minutes: int) -> Scene:
        """The scene whose worker needs so many minutes more before anything is final."""
        return replace(self, begins=self.begins + minutes)

    def free_records(self) -> tuple[RecordFile, ...]:
        """The files of records. Raises CompositionError if another complication works on them."""
        if not self.hidden.records or _RECORDS in self.taken:
            raise CompositionError(
                f"another complication works on the records of {self.context.task} already; leave "
                "one of them out"
            )
        return self.hidden.records

    def taking_records(self) -> Scene:
        """The scene whose records other complications must leave alone."""
        return self.taking(_RECORDS)

    def staged_at(self, path: str) -> datetime | None:
        """When the file at *path* comes: None if with the task, later if it belongs to a request
        that is to change. What lies beside it comes then: earlier it would tell what is going to
        be asked for."""
        due = [planned.due for planned in self.hidden.events if _stages(planned, path)]
        return due[0] if due else None

    def with_file(self, path: str, text: str) -> Scene:
        """The scene in which the file that is staged at *path* has another *text*."""
        events = tuple(
            replace(planned, event=planned.event.model_copy(update={"text": text}))
            if _stages(planned, path)
            else planned
            for planned in self.hidden.events
        )
        return self.with_hidden(events=events)

    def without_file(self, path: str) -> Scene:
        """The scene in which no file is staged at *path*."""
        return self.with_hidden(
            events=tuple(planned for planned in self.hidden.events if not _stages(planned, path))
        )

    def with_earlier_records(self) -> Scene:
        """The scene with an older version of each file of records. It is not needed: whoever has
        not read it before it is replaced has lost nothing."""
        scene = self.with_background(
            *(first_version(record.path) for record in self.free_records())
        )
        for record in self.free_records():
            scene = scene.with_file(record.path, record.earlier)
        return scene.taking_records()

    def with_incomplete_records(self, purpose: str) -> tuple[Scene, Mapping[str, Shortfall]]:
        """The scene in which a part of each file of records is missing, and, by path, how much:
        it is drawn from the open stream *purpose*."""
        scene, missing = self, dict[str, Shortfall]()
        for record in self.free_records():
            first = record.cut_off(self.context.stream(f"{purpose} {record.path}"))
            whole = len(record.text.splitlines()) - 1
            missing[record.path] = Shortfall(there=len(first) - 1, whole=whole)
            scene = scene.with_file(record.path, "\n".join([*first, ""]))
        return scene.taking_records(), missing

    def moment(self, purpose: str, earliest: int, latest: int, before: int) -> datetime:
        """A moment from *earliest* to *latest* minutes after the work can begin: see `Moments`."""
        return self._moments.soon(purpose, earliest, latest, before)

    def change(self, purpose: str, earliest: int, latest: int, before: int, asks: int) -> datetime:
        """The moment of a change that nobody escapes by beginning late: see `Moments`."""
        asked = any(clue.holder for clue in self.hidden.clues)
        return self._moments.late(purpose, earliest, latest, before, asks if asked else 0)

    @property
    def _moments(self) -> Moments:
        return Moments(self.context, self.begins, self.pace, self.reserved, self.asking)


def _stages(planned: PlannedEvent, path: str) -> bool:
    return isinstance(planned.event, FileAppears) and planned.event.path == path


def _noted(objective: str, note: str) -> str:
    """*objective* with one more note at its end, unless it has it."""
    if f"\n- {note}" in objective:
        return objective
    return f"{objective}{chr(10) if NOTES_HEADING in objective else NOTES_HEADING}- {note}"


def name_of(clue: Clue) -> str:
    """The name of *clue* within its task, by which its secret is drawn."""
    return clue.id.partition("/")[2]


def outsider(scene: Scene, purpose: str, among: Sequence[Person]) -> Person:
    """One of *among* who has no part in the task whatever its secrets are, drawn from the open
    stream *purpose*. Raises CompositionError if there is nobody."""
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
            f"everybody may have a part in {scene.context.task}, and it needs somebody who has "
            "none; use a larger company or leave a complication out"
        )
    return pick_free(scene.context, purpose, free, HOLDER)


def with_task_id(instance: TaskInstance[Any], task: str, other: str) -> TaskInstance[Any]:
    """*instance*, its clues and expectations those of the task *other* instead of *task*: each id
    begins with the task's, and may be continued."""

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
    """*event*, planned for *due*."""
    return PlannedEvent(event, due)
