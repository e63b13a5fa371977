"""The request changes: some time after it came, its requester wants something else of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import FIRST, Generate, Scene, at, with_task_id
from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.sent_texts import check_clue_collisions
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.work.habits import Around, Habit, Inner
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import Task
from trainee_bench.meta_tasks.work.sources import ListedTask
from trainee_bench.world.apps.desk import RequestChanged
from trainee_bench.world.apps.files import FileAppears, PictureAppears
from trainee_bench.world.colleagues.referrals import ReferralPublished

EARLIEST, LATEST, BEFORE_END = 35, 90, 120
"""Minutes after the task comes, and before the day ends, between which it changes."""
_MESSAGES = (
    "Please leave what I asked for before; I need something else of that kind now.",
    "I have found out that we need something else. Do not hand in what you had begun, please.",
    "Sorry about that: my first request is off the table, and there is another one in its place.",
)
_DRAWS = 12
"""How often another request is drawn to get one that differs enough."""
_MATERIAL = (FileAppears, PictureAppears)
_COMING = (FileAppears, ReferralPublished)
"""What of the other request is there only when it is asked for."""


@dataclass(frozen=True)
class FirstRequest(Need[ListedTask | None]):
    """What a task asked for when this worker first saw it: known without looking."""

    task: str

    async def satisfy(self, work: Work) -> ListedTask | None:
        """It has not been seen yet."""
        return None


class KeepsToFirstRequest(Habit):
    """Does what the task asked for at first, whatever becomes of it: nobody should."""

    name: ClassVar[str] = "keeps to the first request"

    def ways(self) -> Mapping[type[Need[Any]], Around]:
        """Around what is asked for."""
        return {Task: self._task}

    async def _task(self, work: Work, need: Task, inner: Inner[ListedTask]) -> ListedTask:
        known = await work(FirstRequest(need.task))
        if known is None:
            known = await inner()
            work.note(FirstRequest(need.task), known)
        return known


class ChangedRequest(Complication):
    """The task becomes another one of its rule, about something else."""

    name: ClassVar[str] = "changed_request"
    kind: ClassVar[ComplicationKind] = ComplicationKind.CHANGE
    stage: ClassVar[Stage] = Stage.REQUEST
    takes: ClassVar[int] = EARLIEST
    leaves: ClassVar[int] = BEFORE_END
    asks: ClassVar[int] = 60
    about: ClassVar[str] = (
        "The requester wants something else of the same kind instead, some time later."
    )
    needs: ClassVar[frozenset[SceneFeature]] = frozenset({SceneFeature.REPEATABLE})
    ignoring: ClassVar[tuple[Habit, ...]] = (KeepsToFirstRequest(),)

    def apply(self, scene: Scene) -> Complicated:
        """Both requests are staged; the second one is what is graded."""
        task = scene.context.task
        first = with_task_id(scene.instance, task, f"{task}/{FIRST}")
        second, generate = _other(scene, first)
        moment = scene.change(self.name, EARLIEST, LATEST, BEFORE_END, self.asks)
        change = RequestChanged(
            task=scene.context.task,
            title=second.title,
            objective=second.objective,
            by=first.requester,
            deliverables=second.deliverable_paths,
            message=scene.context.stream(self.name).choice(_MESSAGES),
        )
        # its files and facts come with it: earlier they would tell what is going to be asked for
        new = [
            at(moment, planned.event) if isinstance(planned.event, _COMING) else planned
            for planned in second.events
            if planned not in first.events
        ]
        left = [
            planned.event.path
            for planned in first.events
            if isinstance(planned.event, _MATERIAL) and planned not in second.events
        ]
        clues = tuple(clue.model_copy(update={"since": moment}) for clue in second.clues)
        instance = replace(
            second,
            title=first.title,
            objective=first.objective,
            clues=(*clues, *first.clues),
            expectations=(*second.expectations, *first.expectations),
            events=(*first.events, *new, at(moment, change)),
            requester=first.requester,
            background=(*first.background, *second.background, first.objective, *left),
            possible_holders=first.possible_holders | second.possible_holders,
            writable_paths=first.writable_paths | second.writable_paths,
            superseded=frozenset((*(clue.id for clue in first.clues), *first.deliverable_paths)),
        )
        changed = replace(
            scene,
            instance=instance,
            generate=generate,
            plain=second,
            dropped=first.deliverable_paths,
            title=second.title,
        )
        changed = changed.beginning(moment).taking(*(clue.id for clue in first.clues))
        believed = {second.objective: first.objective, second.title: first.title}
        return Complicated(changed, believed=believed)


def _other(scene: Scene, first: TaskInstance[Any]) -> tuple[TaskInstance[Any], Generate]:
    """Another task of the rule whose facts cannot be taken for those of the *first* one.

    Raises CompositionError if there is none.
    """
    for number in range(_DRAWS):
        second, generate = scene.another(number)
        try:
            check_clue_collisions([first, second])
        except CompositionError:
            continue
        if second.objective != first.objective:
            return second, generate
    raise CompositionError(
        f"{scene.context.task}: the request cannot change into another one of its rule"
    )
