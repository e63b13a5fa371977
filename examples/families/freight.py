"""A family with two hidden facts: one colleague knows the price by road, another by rail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from trainee_bench.meta_tasks import needs
from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    PATH,
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
    TextTemplate,
    ToldPart,
    ToolClient,
    Verdict,
    checkpoint,
    hand_in,
    pick_colleagues,
    read_brief,
    read_text,
    rules_of,
    were_told,
)
from trainee_bench.world.apps.files import FileAppears

WAYS = ("road", "rail")


@dataclass(frozen=True)
class Pallets:
    """The list on the drive: the number of pallets by each way."""

    road: int
    rail: int


@dataclass(frozen=True)
class Brief:
    """The values in the objective: the list's path, the holders, the file to submit."""

    list: str
    road: str
    rail: str
    output: str


@dataclass(frozen=True)
class Price:
    """The fact that a colleague tells: the price of a pallet, in euros."""

    way: str
    euros: int


PALLETS = TextTemplate(Pallets, "Pallets by road: {road}\nPallets by rail: {rail}\n")
OBJECTIVE = TextTemplate(
    Brief,
    "{list} says how many pallets go by road and by rail. {road} knows what a pallet costs by "
    "road, {rail} what one costs by rail; ask both in the chat. Write {output}: a JSON object with "
    "the numbers `pallets` and `total_euros`.",
    {"list": PATH, "road": FULL_NAME, "rail": FULL_NAME, "output": PATH},
)
PRICE = HiddenFact(
    name="price_{way}",
    questions=(
        "What does a pallet cost by {way}?",
        "What do we pay for a pallet that goes by {way}?",
        "How much is the freight of one pallet by {way}?",
        "Which price per pallet applies by {way}?",
        "Can you tell me the price of a pallet by {way}?",
    ),
    answer=TextTemplate(Price, "A pallet costs EUR {euros} by {way}."),
)


class Freight(Deliverable):
    """The file that the agent submits."""

    pallets: int
    total_euros: int


@dataclass(frozen=True)
class Truth:
    """The ground truth: the file, and its right content."""

    path: str
    right: Freight


class FreightTask(MetaTask[Truth]):
    """The cost of today's pallets."""

    family: ClassVar[str] = "freight"
    domain: ClassVar[Domain] = Domain.INQUIRY
    rule_id: ClassVar[str] = "freight.easy"

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """The only rule; it has no parameters."""
        return rules_of([cls()], hard=lambda rule: False)

    def generate(self, context: TaskContext) -> TaskInstance[Truth]:
        """Put the list on the drive, and draw two colleagues with a price each."""
        draws = context.stream("pallets")
        pallets = Pallets(road=draws.randrange(20, 90), rail=draws.randrange(20, 90))
        holders = dict(zip(WAYS, pick_colleagues(context, "holders", count=2), strict=True))
        prices = {
            way: context.secret_stream(PRICE.clue_name({"way": way})).randrange(105, 995)
            for way in WAYS
        }
        clues = tuple(
            PRICE.clue(context, holders[way], Price(way, prices[way]), about={"way": way})
            for way in WAYS
        )
        listed = context.reserve_path("drive:/warehouse/pallets.txt")
        output = context.reserve_path("workspace:/freight.json")
        brief = Brief(listed, holders["road"].name, holders["rail"].name, output)
        return TaskInstance(
            ToldPart(
                title="Freight",
                objective=OBJECTIVE.render(brief),
                hints=Hints("Read, then ask.", "A list and two colleagues.", "Multiply, then add."),
                requester=context.employee.manager or "",
                deliverable_paths=(output,),
            ),
            HiddenPart(
                clues=clues,
                events=(PlannedEvent(FileAppears(path=listed, text=PALLETS.render(pallets))),),
            ),
            GradedPart(truth=Truth(output, freight(pallets, prices))),
        )

    @checkpoint("The number of pallets and the total are right", weight=4, only_after="told")
    def total(self, grading: GradingContext[Truth]) -> Verdict:
        """The file has exactly the right content."""
        given = grading.read(grading.truth.path, Freight)
        right = given == grading.truth.right
        return Verdict(right, f"{given.pallets} pallets, {given.total_euros} euros")

    @checkpoint("Both colleagues told you their price", only_with="total")
    def told(self, grading: GradingContext[Truth]) -> Verdict:
        """Knowing one price is not enough."""
        clues = [PRICE.clue_name({"way": way}) for way in WAYS]
        return were_told(grading, clues, "colleagues have told you")

    @staticmethod
    async def honest_work(work: needs.Work, task: str) -> None:
        """Read the list, ask both colleagues, multiply and add."""
        brief = await work(needs.TaskBrief(task, OBJECTIVE))
        pallets = PALLETS.parse(await work(needs.FileText(brief.list, task)))
        prices = {}
        for way, name in (("road", brief.road), ("rail", brief.rail)):
            told = await needs.fact_from(work, task, name, PRICE, {"way": way})
            prices[way] = told.euros
        await needs.hand_in(work, task, brief.output, freight(pallets, prices))

    @staticmethod
    async def shortcut(client: ToolClient) -> None:
        """Ask nobody, and take a round price."""
        brief = await read_brief(client, OBJECTIVE)
        pallets = PALLETS.parse(await read_text(client, brief.list))
        await hand_in(client, brief.output, freight(pallets, dict.fromkeys(WAYS, 500)))


def freight(pallets: Pallets, prices: dict[str, int]) -> Freight:
    """The right file, from the list and the two prices."""
    total = pallets.road * prices["road"] + pallets.rail * prices["rail"]
    return Freight(pallets=pallets.road + pallets.rail, total_euros=total)
