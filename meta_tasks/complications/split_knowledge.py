"""One colleague tells a fact only for a number that another keeps and has to be asked for twice.

holder: "give me the file number, … keeps it"  ──►  keeper: "ask me again at 10:40 or later"
                                                          └──► number ──► holder tells
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from trainee_bench.meta_tasks.authoring.converters import CLOCK, FULL_NAME, WORD
from trainee_bench.meta_tasks.authoring.text_template import TextTemplate, ValueTemplate
from trainee_bench.meta_tasks.checkpoints import GradingContext
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, at, outsider
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.asking import Answered, Preface, Sent
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import PersonCalled
from trainee_bench.meta_tasks.work.sources import Inbox
from trainee_bench.world.colleagues.knowledge import Clue, ConditionMet, Expectation

REFERENCE, FOUND, GIVEN = "file_number", "file_number_found", "file_number_given"


@dataclass(frozen=True)
class Locked:
    """The holder's first answer: the task, and who keeps its file number."""

    title: str
    keeper: str


LOCKED = TextTemplate(
    Locked,
    "That is in the file on “{title}”, and I need the number of that file to open it. {keeper} "
    "keeps the file numbers: please ask there, and send me the number.",
    {"keeper": FULL_NAME},
)
LATER = ValueTemplate(
    "I cannot open the register of file numbers now. Please ask me again at {value} or later.",
    CLOCK,
)
NUMBER = ValueTemplate("The number of that file is {value}.", WORD)
_QUESTIONS = (
    "What is the number of the file on “{title}”?",
    "Which file number does “{title}” have?",
    "Could you give me the file number for “{title}”, please?",
    "I need the number of the file about “{title}”. Do you have it?",
    "Under which number is “{title}” filed?",
    "Please look up the file number of “{title}” for me.",
)


@dataclass(frozen=True)
class FileNumber(Need[str]):
    """The number of a file, as its keeper tells it."""

    task: str
    locked: Locked

    async def satisfy(self, work: Work) -> str:
        """Ask, and ask again when they say so. Raises ToolFailed if they do not tell it then."""
        keeper = (await work(PersonCalled(self.locked.keeper))).id
        question, said = _QUESTIONS[0].format(title=self.locked.title), ""
        for round in ("first", "later"):
            sent = await work(Sent(self.task, keeper, question, round))
            said = (await work(Answered(keeper, sent))).text
            number, later = NUMBER.search(said), LATER.search(said)
            if number is not None:
                return number
            if later is not None:
                await work.pause(datetime.combine(sent.at, later))
        raise ToolFailed(f"{self.locked.keeper} does not give the number: {said}")


class GetsFileNumbers(Habit):
    """A habit: gets the file number that somebody needs for an answer from the person who keeps
    it."""

    name = "gets file numbers"

    @around(Preface)
    async def _preface(self, work: Work, need: Preface, inner: Inner[str]) -> str:
        said = await inner()
        for message in await work(Inbox()):
            locked = LOCKED.search(message.text) if message.sender == need.person else None
            if locked is not None and locked.title.endswith(f"({need.task})"):
                number = NUMBER.render(await work(FileNumber(need.task, locked)))
                return f"{said} {number}".strip()
        return said


class SplitKnowledge(Complication):
    """Two people have to be asked, one of them twice, before the fact is told."""

    name = "split_knowledge"
    kind = ComplicationKind.SOURCES
    stage = Stage.READING
    takes = 40
    leaves = 90
    asks = 45
    about = (
        "A fact needs two colleagues: one tells it only for a number, and the other, who keeps the "
        "number, has to be asked twice."
    )
    requires = frozenset({SceneFeature.RECORDED_FACT})
    habits = (GetsFileNumbers(),)

    def apply(self, scene: Scene) -> Complicated:
        """Make the clues wait for the number, and the number for its keeper."""
        context, title = scene.context, scene.label
        keeper = outsider(scene, self.name, context.company.people)
        number = f"F-{context.secret_stream(REFERENCE).randrange(10_000, 100_000)}"
        later = scene.moment(self.name, self.takes, 90, self.leaves)
        found = context.clue_id(FOUND)
        named = [key for clue in scene.held_clues() for key in clue.keys]
        reference = Clue(
            id=context.clue_id(REFERENCE),
            holder=keeper.id,
            payload=NUMBER.render(number),
            asks=tuple(question.format(title=title) for question in _QUESTIONS),
            keys=tuple(dict.fromkeys(key for key in named if key in title)),
            after=(found,),
            not_yet=LATER.render(later.time()),
        )
        expected: dict[str, Expectation] = {}
        locked = LOCKED.render(Locked(title, keeper.name))
        for clue in scene.held_clues():
            given = context.clue_id(f"{GIVEN}_{len(expected) + 1}")
            waiting = expected.setdefault(
                clue.holder,
                Expectation(
                    id=given,
                    holder=clue.holder,
                    values=((number,),),
                    reply="Thank you, that is the right number.",
                    after=(reference.id,),
                ),
            )
            scene = scene.with_clue(
                clue.model_copy(update={"after": (waiting.id,), "not_yet": locked})
            ).taking(clue.id)
        scene = scene.with_hidden(clues=(*scene.hidden.clues, reference))
        scene = scene.with_expectations(*expected.values())
        scene = scene.with_events(at(later, ConditionMet(condition=found)))
        return Complicated(scene.beginning(later), number)

    def is_dealt_with(self, grading: GradingContext[Any]) -> bool:
        """Return whether the holders were given the number."""
        return grading.all_met(GIVEN)
