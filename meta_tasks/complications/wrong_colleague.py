"""A confident colleague is wrong: unasked, they write a fact for which somebody else is
responsible.

Their message looks like the right answer. Only the responsible colleague tells what is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainee_bench.meta_tasks.authoring.holders import pick_colleagues
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, at
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.secret_draws import SecretDraws
from trainee_bench.meta_tasks.work.asking import Told, WrittenAbout
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.world.apps.chat import MessageArrives

_OPENINGS = (
    "I hear that you are working on “{title}”. No need to ask around, I have it here:",
    "For “{title}” you will need this; I am quite sure of it:",
    "You are working on “{title}”, aren't you? Just use this, it is what we always use:",
)


class TakesAnybodysWord(Habit):
    """A bad habit: believes what anybody writes about the task, unasked."""

    name = "takes anybody's word"

    @around(Told)
    async def _told(
        self, work: Work, need: Told[Any], inner: Inner[Mapping[str, object]]
    ) -> Mapping[str, object]:
        told = dict(await inner())
        for message in await work(WrittenAbout(need.task)):
            told |= need.question.read(message.text)
        return told


class WrongColleague(Complication):
    """A colleague who is not responsible writes a wrong fact, unasked and sure of themselves."""

    name = "wrong_colleague"
    kind = ComplicationKind.SOURCES
    stage = Stage.READING
    takes = 0
    leaves = 60
    about = (
        "A confident colleague writes a wrong fact, unasked; whoever is responsible knows better."
    )
    requires = frozenset({SceneFeature.RECORDED_FACT})
    ignoring = (TakesAnybodysWord(),)

    def apply(self, scene: Scene) -> Complicated:
        """Let the message come soon after the task."""
        clues, believed = scene.held_clues(), dict[str, str]()
        for clue in clues:
            wrong = scene.with_secret(clue, SecretDraws.WRONG_COLLEAGUE_OPEN)
            own = scene.own_secret(clue) + SecretDraws.WRONG_COLLEAGUE
            right, scene = wrong.exchanged(clue, own)
            believed[right.payload] = wrong.drawn(clue).payload
            scene = scene.with_clue(right)
        holders = {clue.holder for clue in scene.hidden.clues}
        colleagues = pick_colleagues(scene.context, self.name, len(holders) + 1)
        sender = next(person for person in colleagues if person.id not in holders)
        opening = scene.context.stream(self.name).choice(_OPENINGS)
        said = [opening.format(title=scene.label), *believed.values()]
        message = MessageArrives(
            sender=sender.id, to=scene.context.employee.id, text=" ".join(said)
        )
        moment = scene.moment(self.name, self.takes, 20, self.leaves)
        scene = scene.with_events(at(moment, message)).with_background(message.text)
        return Complicated(scene.taking(*(clue.id for clue in clues)), believed=believed)
