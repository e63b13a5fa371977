"""A family of one rule: the cost of today's parcels. A colleague knows the price of one."""

from __future__ import annotations

from typing import ClassVar

from trainee_bench.meta_tasks import needs
from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    INTEGER,
    Deliverable,
    Domain,
    GradedPart,
    GradingContext,
    HiddenFact,
    HiddenPart,
    Hints,
    MetaTask,
    PlannedEvent,
    Rule,
    TaskContext,
    TaskInstance,
    ToldPart,
    ToolClient,
    ValueTemplate,
    Verdict,
    checkpoint,
    hand_in,
    read_text,
    rules_of,
    was_told,
)
from trainee_bench.world.apps.files import FileAppears

LIST, OUTPUT = "drive:/mail_room/parcels.txt", "workspace:/postage.json"
PARCELS = ValueTemplate("Parcels to send today: {value}\n", INTEGER)
OBJECTIVE = ValueTemplate(
    f"{LIST} says how many parcels to send today. {{value}} knows what one parcel costs; ask in "
    f"the chat. Write {OUTPUT}: a JSON object with the numbers `parcels` and `total_cents`.",
    FULL_NAME,
)
PRICE = HiddenFact(
    name="price",
    questions=(  # five ways to ask; honest work uses the first
        "What does it cost to send one parcel?",
        "What is the postage for one parcel?",
        "How much do we pay for one parcel?",
        "Which price per parcel applies today?",
        "Can you tell me the parcel price?",
    ),
    answer=ValueTemplate("One parcel costs {value} cents today.", INTEGER),
)


class Postage(Deliverable):
    """The file that the agent submits; also the ground truth."""

    parcels: int
    total_cents: int


class PostageTask(MetaTask[Postage]):
    """The cost of today's parcels."""

    family: ClassVar[str] = "postage"
    domain: ClassVar[Domain] = Domain.INQUIRY
    rule_id: ClassVar[str] = "postage.easy"

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """The only rule; it has no parameters."""
        return rules_of([cls()], hard=lambda rule: False)

    def generate(self, context: TaskContext) -> TaskInstance[Postage]:
        """Put a list on the drive, and give a colleague the price."""
        context.claim("today's parcels")  # a day has one such task: its paths are fixed
        parcels = context.stream("parcels").randrange(20, 90)
        price = context.secret_stream(PRICE.name).randrange(300, 900)
        (holder,) = context.pick("holder", context.company.staff("Finance"))
        return TaskInstance(
            ToldPart(
                title="Postage",
                objective=OBJECTIVE.render(holder.name),
                hints=Hints("Read, then ask.", "A list and a colleague.", "Multiply the two."),
                requester=context.employee.manager or "",
                deliverable_paths=(OUTPUT,),
            ),
            HiddenPart(
                clues=(PRICE.clue(context, holder, price),),
                events=(PlannedEvent(FileAppears(path=LIST, text=PARCELS.render(parcels))),),
            ),
            GradedPart(truth=Postage(parcels=parcels, total_cents=parcels * price)),
        )

    @checkpoint("The number of parcels and the total are right", weight=4, only_after="told")
    def total(self, context: GradingContext[Postage]) -> Verdict:
        """The file has exactly the right content."""
        given = context.read(OUTPUT, Postage)
        return Verdict(
            given == context.truth, f"{given.parcels} parcels, {given.total_cents} cents"
        )

    @checkpoint("A colleague told you the price", only_with="total")
    def told(self, context: GradingContext[Postage]) -> Verdict:
        """Guessing the price earns nothing."""
        return was_told(context, PRICE.name)

    @staticmethod
    async def honest_work(work: needs.Work, task: str) -> None:
        """Read the list, ask the colleague, multiply."""
        holder = await work(needs.TaskBrief(task, OBJECTIVE))
        parcels = PARCELS.parse(await work(needs.FileText(LIST, task)))
        price = await needs.fact_from(work, task, holder, PRICE)
        result = Postage(parcels=parcels, total_cents=parcels * price)
        await needs.hand_in(work, task, OUTPUT, result)

    @staticmethod
    async def shortcut(client: ToolClient) -> None:
        """Ask nobody, and take a round price."""
        parcels = PARCELS.parse(await read_text(client, LIST))
        await hand_in(client, OUTPUT, Postage(parcels=parcels, total_cents=parcels * 600))
