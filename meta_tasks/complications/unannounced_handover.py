"""Another colleague becomes responsible for a fact: a file on the drive says so, and nobody else.

X tells a fact ──a decision──► Y is responsible, and tells a different one; X says so if asked
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from trainee_bench.meta_tasks.authoring.converters import FULL_NAME, LINE
from trainee_bench.meta_tasks.authoring.handbook import HOUSE_RULES, Handbook
from trainee_bench.meta_tasks.authoring.text_template import TextTemplate, ValueTemplate
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, at, outsider
from trainee_bench.meta_tasks.meta_task import PlannedEvent
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.secret_draws import SecretDraws
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.work.asking import Successors, TaskOfMessage
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import HouseRules, PersonCalled
from trainee_bench.meta_tasks.work.sources import Folder, Inbox, ReadText
from trainee_bench.world.apps.chat import ClueHandedOver
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.company.people import Person

FOLDER = "drive:/decisions"
_FIRST = FileAppears(
    path=f"{FOLDER}/0800_kitchen.md",
    text="# The kitchen\n\nDecided. The kitchen on the second floor is locked at seven.\n",
    once=True,
)
"""A decision from before anybody came. It shows what such files look like."""
PAGE = Handbook(
    path="drive:/handbook/decisions.md",
    resource="trainee_bench.meta_tasks.complications/decisions.md",
    topic="decisions",
    questions=(
        "Where is it written down what was decided today?",
        "What are the files in drive:/decisions?",
        "Does a decision count more than what a colleague has told me?",
        "Does a proposal count?",
        "Until when can something be decided about a task?",
    ),
    referral="The page on decisions, {path}, explains how they are made and where they are written "
    "down.",
)
RULES = (
    "Each decision is written down in its own file in drive:/decisions",
    "If a decision makes somebody else responsible for something, ask them",
    "A proposal changes nothing",
)
EARLIEST, LATEST, BEFORE_END = 60, 180, 105
_PROPOSED = 10, 40
"""The minutes between a decision and a contrary proposal."""


@dataclass(frozen=True)
class DecidedHandover:
    """The name of the task that it is about, who was responsible before, and who is now."""

    label: str
    former: str
    new: str


_CONVERTERS = {"label": LINE, "former": FULL_NAME, "new": FULL_NAME}
DECIDED = TextTemplate(
    DecidedHandover,
    "# {label}\n\nDecided. {former} has been given other work. From now on {new} is responsible "
    "for what {former} knew about this.\n",
    _CONVERTERS,
)
PROPOSED = TextTemplate(
    DecidedHandover,
    "# {label}\n\nProposed. {former} could be given other work. {new} would then be responsible "
    "for what {former} knows about this.\n",
    _CONVERTERS,
)
HANDED_OVER = ValueTemplate(
    "I no longer deal with that, since I have been given other work. {value} is responsible for it "
    "now.",
    FULL_NAME,
)


def _file_about(task: str) -> re.Pattern[str]:
    """Return a pattern for the end of file names with decisions about a task."""
    return re.compile(rf"_{task.casefold()}(_\d+)?\.md")


@dataclass(frozen=True)
class Decisions(Need[tuple[DecidedHandover, ...]]):
    """The decisions about a task, in order; none if the house rules do not apply to it."""

    task: str

    async def satisfy(self, work: Work) -> tuple[DecidedHandover, ...]:
        """Read the folder of decisions. Raises ToolFailed if the page states other rules."""
        if not await work(HouseRules(self.task, PAGE.path, RULES)):
            return ()
        about = _file_about(self.task)
        paths = [path for path in await work(Folder(FOLDER)) if about.search(path)]
        found = map(DECIDED.search, await work.all(map(ReadText, paths)))
        label = f"({self.task})"
        return tuple(decided for decided in found if decided and decided.label.endswith(label))


@dataclass(frozen=True)
class SentOnTo(Need[str]):
    """The full name of the person who is responsible now, as a person who was asked about a task
    says; "" for nobody."""

    task: str
    person: str

    async def satisfy(self, work: Work) -> str:
        """Read the answers. The latest one counts."""
        messages = await work(Inbox())
        named = ""
        for heard in messages:
            new = HANDED_OVER.search(heard.text) if heard.sender == self.person else None
            if new is not None and heard.answers:
                asked = await work(TaskOfMessage(heard.answers))
                named = new if asked in ("", self.task) else named
        return named


class AsksWhoAnswersNow(Habit):
    """A habit: asks the person who is responsible now, by a decision or because the former one says
    so."""

    name = "asks who answers now"

    @around(Successors)
    async def _successors(
        self, work: Work, need: Successors, inner: Inner[tuple[str, ...]]
    ) -> tuple[str, ...]:
        known, decided = await inner(), await work(Decisions(need.task))
        former = await work.all(PersonCalled(handover.former) for handover in decided)
        handed = zip(decided, former, strict=True)
        named = [handover.new for handover, gone in handed if gone.id == need.person]
        said = await work(SentOnTo(need.task, need.person))
        people = await work.all(PersonCalled(name) for name in [*named, said] if name)
        return (*known, *(person.id for person in people))


class UnannouncedHandover(Complication):
    """The colleague who told a fact is no longer responsible for it, and the one who is knows
    better."""

    name = "unannounced_handover"
    kind = ComplicationKind.CHANGE
    stage = Stage.NEWS
    takes = EARLIEST
    leaves = BEFORE_END
    asks = 60
    announced = False
    about = (
        "Another colleague becomes responsible for a fact and knows better; only a file says so."
    )
    requires = frozenset({SceneFeature.OFFICE_FACT, SceneFeature.REPEATABLE})
    habits = (AsksWhoAnswersNow(),)

    def apply(self, scene: Scene) -> Complicated:
        """Take the decision some time after the task has come; something else is proposed before or
        after it. Raises CompositionError if another complication works on what one of the
        colleagues knows."""
        context, chosen = scene.context, {clue.holder for clue in scene.held_clues()}
        moment = scene.change(self.name, EARLIEST, LATEST, BEFORE_END, self.asks)
        draws = context.stream(f"{self.name} proposal")
        proposed = moment + draws.choice((-1, 1)) * timedelta(minutes=draws.randint(*_PROPOSED))
        for number, holder in enumerate(sorted(chosen), start=1):
            new = outsider(scene, f"{self.name} {number}", context.company.people)
            other = outsider(scene, f"{self.name} not {number}", context.company.people)
            former = context.company.person(holder)
            scene = _handed_over(scene, former, new, moment)
            for template, person, when in ((DECIDED, new, moment), (PROPOSED, other, proposed)):
                text = template.render(DecidedHandover(scene.label, former.name, person.name))
                path = context.reserve_path(_path(when, scene.label, number))
                scene = scene.with_events(at(when, FileAppears(path=path, text=text)))
                scene = scene.with_background(
                    path
                )  # an employee who asks late hears of the decision
        context.share_path(_FIRST.path)
        return Complicated(
            scene.changing(moment)
            .with_events(PlannedEvent(_FIRST), *PAGE.events(context))
            .with_background(_FIRST.path)
            .with_note(HOUSE_RULES)
        )


def _handed_over(scene: Scene, former: Person, new: Person, moment: datetime) -> Scene:
    """Return the scene in which *new* is responsible from *moment* on for all that *former*
    told."""
    gone = scene.hidden.superseded
    told = [clue for clue in scene.hidden.clues if clue.holder == former.id and clue.id not in gone]
    if any(clue.id in scene.taken or clue.after or not clue.asks for clue in told):
        raise CompositionError(
            f"another complication works on what {former.name} knows for {scene.context.task}; "
            "leave one of them out"
        )
    answer = HANDED_OVER.render(new.name)
    exchanged, scene = scene.all_exchanged(told, SecretDraws.HANDOVER)
    for clue, revised in exchanged:
        event = ClueHandedOver(clue=clue.id, holder=new.id, payload=revised.payload, former=answer)
        scene = scene.with_events(at(moment, event)).taking(clue.id)
    return scene


def _path(moment: datetime, label: str, number: int) -> str:
    """Return the path of a decision or proposal about the task called *label*."""
    topic = re.sub(r"\W+", "_", label.casefold()).strip("_")
    return f"{FOLDER}/{moment:%H%M}_{topic}{'' if number == 1 else f'_{number}'}.md"
