"""A decision replaces what a colleague tells: it is written down on the drive, and nobody says so."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar

from pydantic import JsonValue

from trainee_bench.meta_tasks.alert_client import do_again_after_change
from trainee_bench.meta_tasks.authoring.asking import id_of
from trainee_bench.meta_tasks.authoring.converters import FULL_NAME, LINE, TEXT
from trainee_bench.meta_tasks.authoring.handbook import HOUSE_RULES, Handbook
from trainee_bench.meta_tasks.authoring.text_template import TextTemplate
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, at
from trainee_bench.meta_tasks.meta_task import PlannedEvent
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.tool_client import (
    Solver,
    ToolClient,
    ToolData,
    ToolResponse,
    read_text,
)
from trainee_bench.meta_tasks.worker_clients import ClientWrapper, check_house_rules
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.knowledge import Clue

FOLDER = "drive:/decisions"
_FIRST = FileAppears(
    path=f"{FOLDER}/0800_kitchen.md",
    text="# The kitchen\n\nDecided. The kitchen on the second floor is locked at seven.\n",
    once=True,
)
"""What was decided before anybody came: it shows what such files are like."""
PAGE = Handbook(
    path="drive:/handbook/decisions.md",
    resource="trainee_bench.meta_tasks.complications/decisions.md",
    topic="decisions",
    questions=(
        "Where is it written down what was decided today?",
        "What are the files in drive:/decisions?",
        "Does a decision count more than what a colleague says?",
        "Does a proposal count?",
        "Until when can something be decided about a task?",
    ),
    referral="How decisions are taken and where they are written down stands in {path}.",
)
RULES = (
    "Each decision is written down in a file of its own in drive:/decisions",
    "A decision prevails over what colleagues tell you",
    "What is only proposed changes nothing",
)
EARLIEST, LATEST, BEFORE_END = 60, 180, 75
_PROPOSED = 10, 40
"""Minutes between a decision and a proposal of something else."""
_OTHER_SECRETS = 300
"""How far the draws of a proposal are from those of the decision."""
_MADE_UP = -1
"""The number of a message that stands for a decision: nobody has sent it."""


@dataclass(frozen=True)
class Decision:
    """What people call the task that it is about, who tells something else, and what holds."""

    label: str
    name: str
    fact: str


_CONVERTERS = {"label": LINE, "name": FULL_NAME, "fact": TEXT}
DECIDED = TextTemplate(
    Decision,
    "# {label}\n\nDecided. In place of what {name} tells, this holds: {fact}\n",
    _CONVERTERS,
)
PROPOSED = TextTemplate(
    Decision,
    "# {label}\n\nProposed. In place of what {name} tells, this is to hold: {fact}\n",
    _CONVERTERS,
)


class UnannouncedDecision(Complication):
    """What the responsible colleague tells is overtaken by what was decided without them."""

    name: ClassVar[str] = "unannounced_decision"
    kind: ClassVar[ComplicationKind] = ComplicationKind.CHANGE
    stage: ClassVar[Stage] = Stage.NEWS
    announced: ClassVar[bool] = False
    about: ClassVar[str] = (
        "A decision on the drive replaces what a colleague tells, and a proposal does not."
    )
    needs: ClassVar[frozenset[SceneFeature]] = frozenset(
        {SceneFeature.RECORDED_FACT, SceneFeature.REPEATABLE}
    )

    def apply(self, scene: Scene) -> Complicated:
        """The decision is taken some time after the task has come; of two possible values one is
        decided, another proposed before or after it."""
        context, told = scene.context, scene.held_clues()
        moment = scene.moment(self.name, EARLIEST, LATEST, BEFORE_END)
        draws = context.stream(f"{self.name} proposal")
        proposed = moment + draws.choice((-1, 1)) * timedelta(minutes=draws.randint(*_PROPOSED))
        for number, clue in enumerate(told, start=1):
            first = scene.own_secret(clue)
            other, _ = scene.exchanged(clue, first + _OTHER_SECRETS)
            decided, scene = scene.exchanged(clue, first)
            written = _written(scene, DECIDED, decided, moment, number)
            scene = scene.with_events(at(moment, written))
            if other.payload not in (clue.payload, decided.payload):
                written = _written(scene, PROPOSED, other, proposed, number)
                background = (*scene.instance.background, written.path)
                scene = scene.with_events(at(proposed, written)).changed(background=background)
        context.share_path(_FIRST.path)
        scene = scene.with_events(PlannedEvent(_FIRST), *PAGE.events(context))
        background = (*scene.instance.background, _FIRST.path)
        scene = scene.changed(background=background).with_note(HOUSE_RULES)
        return Complicated(scene.taking(*(clue.id for clue in told)))

    async def work(self, client: ToolClient, do: Solver) -> None:
        """Do the task by what is decided, and once more if something is decided later."""
        await check_house_rules(client, PAGE.path, RULES)
        deciding = _DecidedClient(client)
        await deciding.heard()
        await do_again_after_change(deciding, do, deciding.heard)


def _written(
    scene: Scene, template: TextTemplate[Decision], clue: Clue, moment: datetime, number: int
) -> FileAppears:
    """The file that says so at *moment*, of those about the task the one with this number."""
    name = scene.context.company.person(clue.holder).name
    topic = re.sub(r"\W+", "_", scene.label.casefold()).strip("_")
    path = f"{FOLDER}/{moment:%H%M}_{topic}{'' if number == 1 else f'_{number}'}.md"
    text = template.render(Decision(scene.label, name, clue.payload))
    return FileAppears(path=scene.context.reserve_path(path), text=text)


class _DecidedClient(ClientWrapper):
    """What colleagues tell for the task is read as it was decided."""

    def __init__(self, client: ToolClient):
        super().__init__(client)
        self._read = set[str]()
        self._decided = dict[str, str]()

    async def heard(self) -> bool:
        """Read what is new in the folder of decisions; whether one of them is about the task."""
        new, about = False, re.compile(rf"_{self.task.casefold()}(_\d+)?\.md")
        listed = await self.client.call("files_list", folder=FOLDER)
        for path in (str(entry["path"]) for entry in listed.data["entries"]):
            if path in self._read or not about.search(path):
                continue
            self._read.add(path)
            decision = DECIDED.search(await read_text(self.client, path))
            if decision is not None and decision.label.endswith(f"({self.task})"):
                self._decided[await id_of(self.client, decision.name)] = decision.fact
                new = True
        return new

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool; what was decided stands before what is told instead, and after it as if
        whoever told it had corrected it."""
        done = await self.client.call(tool, **arguments)
        if tool != "chat_read_history":
            return done
        messages = [self._as_decided(one) for one in done.data["messages"]]
        if not done.data["later"]:
            made_up: ToolData = {"id": _MADE_UP, "answers": None, "automatic": False}
            messages += [
                {**made_up, "sender": sender, "text": fact}
                for sender, fact in self._decided.items()
            ]
        return replace(done, data={**done.data, "messages": messages})

    def _as_decided(self, message: ToolData) -> ToolData:
        fact = self._decided.get(str(message["sender"])) if message["answers"] else None
        return {**message, "text": f"{fact} {message['text']}"} if fact else message
