"""The colleague who knows is in meetings until a known hour. Ask early, and come back for the
answer."""

from __future__ import annotations

from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, at
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.work.careless import GivesUpSoon
from trainee_bench.world.colleagues.availability import AbsenceBegins

LATEST = 150
"""The latest that they are back, in minutes after the work can begin."""
REACH = 30
"""The minutes that a worker needs to find a deputy: somebody else's automatic reply names them."""
_NOTES = (
    "I am in meetings outside the office and will answer afterwards.",
    "I have one meeting after the other in town and will answer after the last one.",
    "I am visiting a customer and will answer when I am back.",
)


class BusyHolder(Complication):
    """The colleague who knows reads no messages before an hour that their automatic reply names."""

    name = "busy_holder"
    kind = ComplicationKind.PEOPLE
    stage = Stage.READING
    takes = 90
    leaves = 75
    asks = 30
    about = "The colleague who knows is in meetings until an hour that they name."
    requires = frozenset({SceneFeature.HELD_FACT})
    ignoring = (GivesUpSoon(),)
    needs_patience = True

    def apply(self, scene: Scene) -> Complicated:
        """Make the holders busy from when the task comes until that hour."""
        holders = sorted({clue.holder for clue in scene.held_clues()})
        absences = (planned.event for planned in scene.hidden.events)
        deputies = {event.deputy for event in absences if isinstance(event, AbsenceBegins)}
        reach = REACH if deputies.intersection(holders) else 0
        back = scene.change(self.name, self.takes, LATEST, self.leaves, self.asks, reach)
        first = scene.context.stream(self.name).randrange(len(_NOTES))
        notes = (_NOTES[(first + number) % len(_NOTES)] for number in range(len(holders)))
        busy = [
            AbsenceBegins(person=holder, until=back, note=note, public=False)
            for holder, note in zip(holders, notes, strict=True)
        ]
        scene = scene.with_events(*(at(scene.context.arrives, absence) for absence in busy))
        return Complicated(scene.beginning(back))
