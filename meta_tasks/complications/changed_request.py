"""The request changes: some time later, its requester wants something else of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import FIRST, Generate, Scene, at, with_task_id
from trainee_bench.meta_tasks.meta_task import HiddenPart, TaskInstance
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.sent_texts import check_clue_collisions
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import Task
from trainee_bench.meta_tasks.work.sources import ListedTask
from trainee_bench.world.apps.desk import RequestChanged
from trainee_bench.world.apps.files import FileAppears, PictureAppears
from trainee_bench.world.colleagues.referrals import ReferralPublished

EARLIEST, LATEST, BEFORE_END = 35, 90, 120
"""The window in which the request changes, in minutes after the task comes and before the day
ends."""
_MESSAGES = (
    "Please drop what I asked for before; I now need something similar instead.",
    "It turns out that we need something else. Please do not hand in what you have started.",
    "Sorry about that: my first request is off the table, and a new one replaces it.",
)
_DRAWS = 12
"""The number of attempts to draw a request that differs enough."""
_MATERIAL = (FileAppears, PictureAppears)
_COMING = (FileAppears, ReferralPublished)
"""The events of the other request that happen only when it is asked for."""


@dataclass(frozen=True)
class FirstRequest(Need[ListedTask | None]):
    """The task as this worker first saw it: known without looking."""

    task: str

    async def satisfy(self, work: Work) -> ListedTask | None:
        """Return None: the task has not been seen yet."""
        return None


class KeepsToFirstRequest(Habit):
    """A bad habit: does what the task asked for at first, even if the request changes."""

    name = "keeps to the first request"

    @around(Task)
    async def _task(self, work: Work, need: Task, inner: Inner[ListedTask]) -> ListedTask:
        known = await work(FirstRequest(need.task))
        if known is None:
            known = await inner()
            work.note(FirstRequest(need.task), known)
        return known


class ChangedRequest(Complication):
    """The task turns into a different task of the same rule."""

    name = "changed_request"
    kind = ComplicationKind.CHANGE
    stage = Stage.REQUEST
    takes = EARLIEST
    leaves = BEFORE_END
    asks = 60
    about = "The requester wants something else of the same kind instead, some time later."
    requires = frozenset({SceneFeature.REPEATABLE})
    ignoring = (KeepsToFirstRequest(),)

    def apply(self, scene: Scene) -> Complicated:
        """Stage both requests. The second one is graded."""
        task = scene.context.task
        own = TaskInstance(scene.told, scene.hidden, scene.graded)
        first = with_task_id(own, task, f"{task}/{FIRST}")
        second, generate = _other(scene, first)
        moment = scene.change(self.name, EARLIEST, LATEST, BEFORE_END, self.asks)
        asked, then = first.told, second.told
        change = RequestChanged(
            task=task,
            title=then.title,
            objective=then.objective,
            by=asked.requester,
            deliverables=then.deliverable_paths,
            message=scene.context.stream(self.name).choice(_MESSAGES),
        )
        hidden, left = _both(first, second, change, moment)
        told = replace(
            then,
            title=asked.title,
            objective=asked.objective,
            requester=asked.requester,
            writable_paths=asked.writable_paths | then.writable_paths,
        )
        background = (*first.graded.background, *second.graded.background, asked.objective, *left)
        changed = replace(
            scene,
            told=told,
            hidden=hidden,
            graded=replace(second.graded, background=background),
            generate=generate,
            plain=second,
            dropped=asked.deliverable_paths,
            title=then.title,
        )
        changed = changed.beginning(moment).taking(*(clue.id for clue in first.hidden.clues))
        believed = {then.objective: asked.objective, then.title: asked.title}
        return Complicated(changed, believed=believed)


def _both(
    first: TaskInstance[Any], second: TaskInstance[Any], change: RequestChanged, moment: datetime
) -> tuple[HiddenPart, Sequence[str]]:
    """Return the hidden part of both requests, where *change* turns the *first* into the *second*,
    and the paths of files that only the first one has."""
    before, after = first.hidden, second.hidden
    # earlier, its files and facts would reveal what is going to be asked for
    new = [
        at(moment, planned.event) if isinstance(planned.event, _COMING) else planned
        for planned in after.events
        if planned not in before.events
    ]
    left = [
        planned.event.path
        for planned in before.events
        if isinstance(planned.event, _MATERIAL) and planned not in after.events
    ]
    clues = tuple(clue.model_copy(update={"since": moment}) for clue in after.clues)
    hidden = replace(
        after,
        clues=(*clues, *before.clues),
        expectations=(*after.expectations, *before.expectations),
        events=(*before.events, *new, at(moment, change)),
        superseded=frozenset((*(clue.id for clue in before.clues), *first.told.deliverable_paths)),
        possible_holders=before.possible_holders | after.possible_holders,
    )
    return hidden, left


def _other(scene: Scene, first: TaskInstance[Any]) -> tuple[TaskInstance[Any], Generate]:
    """Return another task of the rule whose facts cannot be taken for those of the *first* one.

    Raises CompositionError if there is none.
    """
    for number in range(_DRAWS):
        second, generate = scene.another(number)
        try:
            check_clue_collisions([first, second])
        except CompositionError:
            continue
        if second.told.objective != first.told.objective:
            return second, generate
    raise CompositionError(
        f"{scene.context.task}: the request cannot change into another one of its rule"
    )
