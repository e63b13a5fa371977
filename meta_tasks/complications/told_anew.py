"""A task's facts are told aloud on an earlier day, and told anew on another day before the task.

an earlier day: the meeting: facts ──► a later day: they have changed, all are told again ──► task
"""

from __future__ import annotations

from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene
from trainee_bench.meta_tasks.complications.told_before import (
    AGENDA,
    NotesBriefings,
    facts_to_tell,
    free_hours,
    told_on,
)
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.secret_draws import SecretDraws

_AGENDA = (
    "This is about the task “{title}” that you get on {day:%A}, {day:%Y-%m-%d}. Some of what you "
    "heard under the reference {reference} has changed. You hear all of it again now. Nobody can "
    "tell it later, so please write it down."
)


class ToldAnew(Complication):
    """The facts of colleagues are told on an earlier day, and changed facts on another day."""

    name = "told_anew"
    kind = ComplicationKind.CHANGE
    stage = Stage.READING
    drawn = False
    several_days = True
    about = (
        "A meeting on an earlier day tells the facts that colleagues know, and a second meeting "
        "before the task changes them."
    )
    requires = frozenset({SceneFeature.HELD_FACT})
    habits = (NotesBriefings(),)

    def apply(self, scene: Scene) -> Complicated:
        """Have the facts told on two of the days before. Raises CompositionError if there are not
        two, or if no other facts change the answer."""
        before, reference = facts_to_tell(scene), scene.context.fresh_id("REF", self.name)
        first, second = free_hours(scene, 2)
        exchanged, changed = scene.all_exchanged(scene.held_clues(), SecretDraws.TOLD_ANEW)
        revised = {clue.id: other for clue, other in exchanged}
        after = tuple(
            clue.model_copy(update={"payload": revised[clue.id].payload})
            if clue.id in revised
            else clue
            for clue in before
        )
        meetings = (
            first.briefing(scene, reference, before, AGENDA),
            second.briefing(scene, reference, after, _AGENDA),
        )
        told = told_on(changed, [first.day, second.day], reference, after)
        return Complicated(told.with_events(*meetings))
