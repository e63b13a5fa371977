"""A colleague has to sign the work off, and finds that something has changed since.

file ──"please sign off"──► what has changed ──► the file, revised ──► signed off
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from trainee_bench.meta_tasks.authoring.asking import ask
from trainee_bench.meta_tasks.authoring.converters import FULL_NAME, PATH, listed
from trainee_bench.meta_tasks.authoring.solving import check_rules
from trainee_bench.meta_tasks.authoring.text_template import TextTemplate
from trainee_bench.meta_tasks.blind_steps import own_task
from trainee_bench.meta_tasks.checkpoints import GradingContext
from trainee_bench.meta_tasks.complication import (
    Complicated,
    Complication,
    ComplicationKind,
    DoTask,
    ForeignCall,
    Stage,
)
from trainee_bench.meta_tasks.complication_scene import Scene, at, outsider
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.secret_draws import SecretDraws
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, read_text
from trainee_bench.meta_tasks.work.achieving import Submitted
from trainee_bench.meta_tasks.work.asking import Answered, Sent, Unasked
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import PersonCalled, Task
from trainee_bench.meta_tasks.work.sources import Inbox, ReadMessage
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.reviews import ChangedWording, FileReview, ReviewAdded

SIGNED = "signed_off"
APPROVAL = "The file is correct. I have signed it off."
_FINDINGS = (
    (
        "I can't sign it off yet. I have just checked with {holders}. Something has changed since "
        "you asked, and {answer} they gave you no longer {holds}. The right {now}: {changes} "
        "Please correct the file and write to me again."
    ),
    (
        "Not yet, I am afraid. {holders} told me just now that {answer} they gave you {was} wrong. "
        "The right {now}: {changes} Please correct the file and write to me again."
    ),
    (
        "Almost. I have checked with {holders} again, and {answer} they gave you {was} out of "
        "date. The right {now}: {changes} Please correct the file and write to me again."
    ),
)
_ONE_CHANGE = {"answer": "an answer that", "holds": "holds", "was": "was", "now": "answer is"}
_MORE_CHANGES = {"answer": "answers that", "holds": "hold", "was": "were", "now": "answers are"}
_TWO_ROUNDS = 60
"""The minutes that it takes to show a file twice."""


@dataclass(frozen=True)
class SignOffNote:
    """A file, and the reviewer who signs it off."""

    path: str
    reviewer: str


NOTE = TextTemplate(
    SignOffNote,
    "{reviewer} checks results this week and has to sign off {path}; otherwise it does not count. "
    "When the file is ready, write to {reviewer} in the chat and name it. If {reviewer} finds a "
    "mistake, correct the file and write again, until you are told that it is signed off. Then "
    "submit.",
    {"path": PATH, "reviewer": FULL_NAME},
)
RULES = ("finds a mistake, correct the file and write again", "Then submit")


@dataclass(frozen=True)
class Signers(Need[tuple[tuple[str, str], ...]]):
    """The paths of a task's files that have to be signed off, each with its reviewer (an id)."""

    task: str

    async def satisfy(self, work: Work) -> tuple[tuple[str, str], ...]:
        """Read the notes. Raises ToolFailed if they ask for something else."""
        notes = (await work(Task(self.task))).notes
        found = list(NOTE.find_all(notes))
        if found:
            check_rules("the note on who signs off", notes, RULES)
        reviewers = await work.all(PersonCalled(note.reviewer) for note in found)
        return tuple((note.path, by.id) for note, by in zip(found, reviewers, strict=True))


@dataclass(frozen=True)
class SignedOff(Need[None]):
    """A signature for a file that was made as *results* say."""

    task: str
    path: str
    reviewer: str
    results: tuple[Need[Any], ...]

    async def satisfy(self, work: Work) -> None:
        """Show the file. Raises ToolFailed if the reviewer finds a fault, which counts as told."""
        text = f"Please sign off {self.path}."
        sent = await work(Sent(self.task, self.reviewer, text, repr(self.results)))
        said = (await work(Answered(self.reviewer, sent))).text
        if APPROVAL not in said:
            raise ToolFailed(f"{self.path} is not signed off: {said}")


class HasWorkSignedOff(Habit):
    """A habit: has files signed off before they are handed in, where a note says so. Faults that a
    reviewer finds count as told."""

    name = "has work signed off"

    @around(Submitted)
    async def _submitted(self, work: Work, need: Submitted, inner: Inner[None]) -> None:
        for path, reviewer in await work(Signers(need.task)):
            await work(SignedOff(need.task, path, reviewer, need.results))
        await inner()

    @around(Unasked)
    async def _unasked(
        self, work: Work, need: Unasked, inner: Inner[tuple[ReadMessage, ...]]
    ) -> tuple[ReadMessage, ...]:
        known, signers = await inner(), await work(Signers(need.task))
        if not signers:
            return known
        messages = await work(Inbox())
        shown = {
            (message.id, reviewer)
            for path, reviewer in signers
            for message in messages
            if path in message.text and message.to == reviewer
        }
        found = (heard for heard in messages if (heard.answers, heard.sender) in shown)
        return (*known, *found)


class SignOff(Complication):
    """A reviewer has to sign the file off, and does so only after a revision."""

    name = "sign_off"
    kind = ComplicationKind.PEOPLE
    stage = Stage.SIGNING
    takes = _TWO_ROUNDS
    leaves = 150
    asks = 30
    about = (
        "A colleague has to sign the work off, finds that a fact has changed and wants a revision."
    )
    requires = frozenset({SceneFeature.RECORDED_FACT, SceneFeature.REPEATABLE})
    habits = (HasWorkSignedOff(),)

    def apply(self, scene: Scene) -> Complicated:
        """Let the reviewer know what has changed; from then on the holders know it, too."""
        clues, reviewer = (
            scene.held_clues(),
            outsider(scene, self.name, scene.context.company.people),
        )
        scene.moment(self.name, 0, 0, self.leaves)  # time enough for two rounds
        revisions, believed, changes = dict[str, str](), dict[str, str](), list[str]()
        exchanged, changed = scene.all_exchanged(clues, SecretDraws.SIGN_OFF)
        for clue, revised in exchanged:
            revisions[clue.id] = revised.payload
            believed[revised.payload] = clue.payload
            changes.append(revised.payload)
        path = scene.told.deliverable_paths[0]
        # otherwise a guess could be tested: a signature would tell whether the file has it right
        gone = scene.hidden.superseded
        told = [
            clue for clue in scene.hidden.clues if clue.holder and clue.asks and clue.id not in gone
        ]
        review = FileReview(
            id=scene.context.clue_id(SIGNED),
            reviewer=reviewer.id,
            path=path,
            finding=scene.context.stream(self.name)
            .choice(_FINDINGS)
            .format(
                changes=" ".join(changes),
                holders=_named(scene, clues),
                **(_ONE_CHANGE if len(changes) == 1 else _MORE_CHANGES),
            ),
            approval=APPROVAL,
            right=(_changed(scene, changed),),
            after=tuple(clue.id for clue in told),
            first=f"I cannot check it yet. First ask {_named(scene, told)} for the facts that you "
            "need for it; then write to me again.",
            revisions=revisions,
        )
        scene = changed
        if scene.hidden.records:
            # with earlier records the revision may change nothing, and would never be signed
            scene = scene.taking_records()
        event = at(scene.context.arrives, ReviewAdded(review=review))
        note = NOTE.render(SignOffNote(path, reviewer.name))
        scene = scene.with_events(event).with_note(note, standing=False)
        return Complicated(scene.taking(*revisions).later(_TWO_ROUNDS), believed=believed)

    def settle(
        self, scene: Scene, before: Scene, own: Scene, later: Sequence[Mapping[str, int]]
    ) -> Scene:
        """Let the reviewer sign the file whether or not the employee knows of later changes yet."""
        right = list[ChangedWording]()
        for count in range(len(later) + 1):
            for some in combinations(later, count):
                known = {name: draw for secrets in some for name, draw in secrets.items()}
                right.append(
                    _changed(
                        scene.settled({**before.secrets, **known}),
                        scene.settled({**own.secrets, **known}),
                    )
                )
        review = scene.context.clue_id(SIGNED)
        events = tuple(
            replace(planned, event=_accepting(planned.event, right))
            if isinstance(planned.event, ReviewAdded) and planned.event.review.id == review
            else planned
            for planned in scene.hidden.events
        )
        return scene.with_hidden(events=events)

    def withholds(self, grading: GradingContext[Any]) -> str:
        """Return why nothing counts: the file, as handed in, was not signed off."""
        if self.is_dealt_with(grading):
            return ""
        if grading.expectation_met_at(SIGNED):
            return "what was signed off is not what was handed in"
        return "it was not signed off"

    def is_dealt_with(self, grading: GradingContext[Any]) -> bool:
        """Return whether the file is signed off in its present form."""
        return grading.signed_at(SIGNED) is not None

    async def work_blind(
        self, client: ToolClient, do: DoTask, elsewhere: Sequence[ForeignCall]
    ) -> None:
        """Show two different texts, and hand in what was right before."""
        note = NOTE.search((await own_task(client)).notes)
        if note is None:
            return
        await do()
        right = await read_text(client, note.path)
        for text in ("junk 1", "junk 2", right):
            await client.call("files_write", path=note.path, text=text)
            if text != right:
                await ask(client, note.reviewer, f"Please sign off {note.path}.")
        await client.call("desk_submit", task=client.task)


def _named(scene: Scene, clues: Iterable[Clue]) -> str:
    """Return the names of the people who hold *clues*."""
    people = {scene.context.company.person(clue.holder).name for clue in clues}
    return listed(sorted(people))


def _changed(before: Scene, now: Scene) -> ChangedWording:
    """Return the difference between a right file in the scene *now* and one in the scene *before*.

    Raises CompositionError where nobody can see whether a file is right.
    """
    if not now.plain.graded.right_text:
        raise CompositionError(f"nobody can look the result of {now.context.task} over")
    return ChangedWording.between(before.plain.graded.right_text, now.plain.graded.right_text)


def _each_once(right: Sequence[ChangedWording]) -> tuple[ChangedWording, ...]:
    return tuple(wording for place, wording in enumerate(right) if wording not in right[:place])


def _accepting(event: ReviewAdded, right: Sequence[ChangedWording]) -> ReviewAdded:
    review = event.review.model_copy(update={"right": _each_once(right)})
    return event.model_copy(update={"review": review})
