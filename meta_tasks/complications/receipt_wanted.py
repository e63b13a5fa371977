"""The requester wants to hear that the task was seen: answer with the number that they name."""

from __future__ import annotations

from dataclasses import dataclass

from trainee_bench.meta_tasks.authoring.converters import INTEGER
from trainee_bench.meta_tasks.authoring.text_template import ValueTemplate
from trainee_bench.meta_tasks.checkpoints import GradingContext, Verdict, checkpoint
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, at
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.meta_tasks.work.achieving import DoesBeside
from trainee_bench.meta_tasks.work.asking import Sent, WrittenAbout
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.world.apps.chat import MessageArrives
from trainee_bench.world.colleagues.knowledge import Expectation

CONFIRMED = "receipt_confirmed"
ASKED = ValueTemplate(
    "Please send me the number {value} in the chat before the task is due, so that I know that you "
    "have seen it.",
    INTEGER,
)


@dataclass(frozen=True)
class _Confirmed(Need[None]):
    """A confirmation that the task was seen, for each person who asked for it."""

    task: str

    async def satisfy(self, work: Work) -> None:
        """Send each of them the number that they name."""
        for message in await work(WrittenAbout(self.task)):
            if (number := ASKED.search(message.text)) is not None:
                await work(Sent(self.task, message.sender, f"I have it: number {number}."))


class ConfirmsReceipt(DoesBeside):
    """A habit: confirms that a task was seen, where somebody asks for it."""

    name = "confirms receipt"
    beside = _Confirmed


class ReceiptWanted(Complication):
    """The requester asks whether the task was seen."""

    name = "receipt_wanted"
    kind = ComplicationKind.PEOPLE
    stage = Stage.BESIDE
    takes = 20
    leaves = 60
    about = "The requester wants it confirmed, with a number, that the task was seen."
    drawn = False
    habits = (ConfirmsReceipt(),)

    def apply(self, scene: Scene) -> Complicated:
        """Let the requester write some time after the task has come."""
        context, asker = scene.context, scene.told.requester
        number = _receipt_number(context, self.name)
        moment = scene.moment(self.name, self.takes, 90, self.leaves)
        text = f"I have put “{scene.label}” on your desk. {ASKED.render(number)}"
        asks = MessageArrives(sender=asker, to=context.employee.id, text=text)
        wanted = Expectation(
            id=context.clue_id(CONFIRMED),
            holder=asker,
            values=((str(number),),),
            reply="Thank you, good to know that it has reached you.",
            since=moment,
        )
        return Complicated(scene.with_events(at(moment, asks)).with_expectations(wanted))

    @checkpoint(
        "You have confirmed that you have the task",
        where="Your chat with whoever gave you the task.",
        how="Answer them in the chat with the number that they name.",
    )
    def confirmed(self, grading: GradingContext[None]) -> Verdict:
        """Check that the requester was told the number."""
        came = grading.expectation_met_at(CONFIRMED) is not None
        return Verdict(came, "they were told the number" if came else "nobody told them the number")


def _receipt_number(context: TaskContext, purpose: str) -> int:
    """Draw a number of four digits from the open stream *purpose*; where tasks may be alike, one
    that no other task has."""
    draws = context.stream(purpose)
    while True:
        number = draws.randint(1_000, 9_999)
        if not context.copies or context.claim_if_free(f"the receipt {number}"):
            return number
