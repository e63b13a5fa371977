"""A colleague has to sign the work off, and finds that something has changed since.

file ──"please sign off"──► what has changed ──► the file, revised ──► signed off
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from trainee_bench.meta_tasks.authoring.asking import ask, id_of
from trainee_bench.meta_tasks.authoring.converters import FULL_NAME, PATH
from trainee_bench.meta_tasks.authoring.solving import check_rules
from trainee_bench.meta_tasks.authoring.text_template import TextTemplate
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, at, outsider
from trainee_bench.meta_tasks.meta_task import GradingContext
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.tool_client import Solver, ToolClient, ToolFailed
from trainee_bench.meta_tasks.worker_clients import UnsubmittedClient, own_task
from trainee_bench.world.colleagues.reviews import FileReview, ReviewAdded

SIGNED = "signed_off"
APPROVAL = "That is right now. I sign it off."
_FINDINGS = (
    (
        "Not yet: something has changed since you asked, and your file has it as it was. This is "
        "how it is now, instead of what you were told: {changes} Please revise the file and write "
        "to me again."
    ),
    (
        "I cannot sign this. Something is different now. In place of what you were told: {changes} "
        "Write to me again when the file says so."
    ),
    (
        "Almost, but you have worked with something that is out of date. By now it is this "
        "instead: {changes} Put that right, please, and I shall look at it again."
    ),
)
_TWO_ROUNDS = 60
"""Minutes that it takes to show a file twice."""
_OTHER_SECRETS = 300
"""How far its draws are from those of a colleague who takes something back."""


@dataclass(frozen=True)
class SignOffNote:
    """Who signs which file off."""

    path: str
    reviewer: str


NOTE = TextTemplate(
    SignOffNote,
    "{path} counts only once {reviewer} has signed it off. Write to {reviewer} in the chat when it "
    "is ready, naming the file. If something is wrong with it, mend it and write again, until you "
    "are told that it is signed off; then submit.",
    {"path": PATH, "reviewer": FULL_NAME},
)
RULES = ("If something is wrong with it, mend it and write again", "then submit")


class SignOff(Complication):
    """Somebody has to sign the file off, and does so only for a revised one."""

    name: ClassVar[str] = "sign_off"
    kind: ClassVar[ComplicationKind] = ComplicationKind.PEOPLE
    stage: ClassVar[Stage] = Stage.SIGNING
    takes: ClassVar[int] = _TWO_ROUNDS
    leaves: ClassVar[int] = 150
    asks: ClassVar[int] = 30
    about: ClassVar[str] = (
        "A colleague has to sign the work off, finds that a fact has changed and wants it revised."
    )
    needs: ClassVar[frozenset[SceneFeature]] = frozenset(
        {SceneFeature.RECORDED_FACT, SceneFeature.REPEATABLE}
    )

    def apply(self, scene: Scene) -> Complicated:
        """The reviewer knows what has changed; then the holders know it, too."""
        clues, reviewer = (
            scene.held_clues(),
            outsider(scene, self.name, scene.context.company.people),
        )
        scene.moment(self.name, 0, 0, 150)  # time enough for two rounds
        revisions, believed, changes = dict[str, str](), dict[str, str](), list[str]()
        for clue in clues:
            first = scene.own_secret(clue) + _OTHER_SECRETS
            revised, scene = scene.exchanged(clue, first)
            revisions[clue.id] = believed_text = revised.payload
            believed[believed_text] = clue.payload
            changes.append(revised.payload)
        path = scene.instance.deliverable_paths[0]
        holders = " and ".join(
            sorted({scene.context.company.person(clue.holder).name for clue in clues})
        )
        review = FileReview(
            id=scene.context.clue_id(SIGNED),
            reviewer=reviewer.id,
            path=path,
            finding=scene.context.stream(self.name)
            .choice(_FINDINGS)
            .format(changes=" ".join(changes)),
            approval=APPROVAL,
            after=tuple(clue.id for clue in clues),
            first=f"Ask {holders} first for what only they know, then write to me again.",
            revisions=revisions,
        )
        if scene.instance.records:
            # the revision may come to nothing with earlier records: it would never be signed
            scene = scene.taking_records()
        event = at(scene.context.arrives, ReviewAdded(review=review))
        note = NOTE.render(SignOffNote(path, reviewer.name))
        scene = scene.with_events(event).with_note(note, standing=False)
        return Complicated(scene.taking(*revisions).later(_TWO_ROUNDS), believed=believed)

    def withholds(self, grading: GradingContext[Any]) -> str:
        """Without the signature nothing counts."""
        return "" if grading.expectation_met_at(SIGNED) else "it was not signed off"

    async def work(self, client: ToolClient, do: Solver) -> None:
        """Show it, revise it, show it again, and only then submit."""
        notes = (await own_task(client)).notes
        note = NOTE.search(notes)
        if note is None:  # not what is asked for now
            await do(client)
            return
        check_rules("the note on who signs off", notes, RULES)
        reviewer = await id_of(client, note.reviewer)
        for _ in range(3):
            await do(UnsubmittedClient(client))
            if APPROVAL in await ask(client, reviewer, f"Please sign off {note.path}."):
                await client.call("desk_submit", task=client.task)
                return
        raise ToolFailed(f"{note.reviewer} does not sign {note.path} off")
