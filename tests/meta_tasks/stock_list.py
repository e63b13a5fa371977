"""A complete family of two rules in one file: which items to order, handed in as a workbook.

Told: the stock list. Hidden: the level to fill up to, which one colleague in Finance knows.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic import Field

from trainee_bench.meta_tasks import needs
from trainee_bench.meta_tasks.authoring import (
    INTEGER,
    PATH,
    Domain,
    GradedPart,
    GradingContext,
    HiddenFact,
    HiddenPart,
    Hints,
    MetaTask,
    PlannedEvent,
    Rule,
    TableRow,
    TaskContext,
    TaskInstance,
    Text,
    TextTemplate,
    ToldPart,
    ValueTemplate,
    Verdict,
    checkpoint,
    compare_rows,
    read_table,
    rules_of,
    was_told,
)
from trainee_bench.world.apps.files import FileAppears

ITEMS = ("lamps", "chairs", "desks", "cables", "pens", "mugs", "boards", "plants", "files", "clips")

# what is told -----------------------------------------------------------------------------


class OrderLine(TableRow):
    """An order of one item."""

    item: Text = Field(description="as in the stock list")
    pieces: int = Field(description="how many are missing")


@dataclass(frozen=True)
class Brief:
    """The values in the objective."""

    stock: str
    who: str
    output: str


OBJECTIVE = TextTemplate(
    Brief,
    "{stock} says how many pieces of each item we have. Every item of which there are fewer than "
    "the target level has to be ordered, as many as are missing. {who} knows the target level; "
    "ask in the chat.\n"
    "Hand in {output}, a workbook with one row for each item to be ordered, in these columns:\n"
    + OrderLine.describe(),
    {"stock": PATH, "output": PATH},
)

# what is hidden ---------------------------------------------------------------------------

LEVEL = HiddenFact(
    name="level",
    questions=(
        "What is the target level of our stock?",
        "Which stock level should every item have?",
        "How many pieces of each item should be in stock?",
        "Up to which level do we order?",
        "What is the target for the number of pieces in stock?",
    ),
    answer=ValueTemplate("The target level is {value} pieces of each item.", INTEGER),
)


@dataclass(frozen=True)
class Missing:
    """The truth: the file and its rows."""

    path: str
    lines: tuple[OrderLine, ...]


def missing(stock: dict[str, int], level: int) -> tuple[OrderLine, ...]:
    """Return what has to be ordered."""
    return tuple(
        OrderLine(item=item, pieces=level - pieces)
        for item, pieces in stock.items()
        if pieces < level
    )


class StockList(MetaTask[Missing]):
    """The family: order items that are running low."""

    family: ClassVar[str] = "stock_list"
    domain: ClassVar[Domain] = Domain.INQUIRY

    items: Literal[5, 10]

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Return the rules: five items, or ten."""
        return rules_of([cls(items=5), cls(items=10)], hard=lambda task: task.items == 10)

    @property
    def rule_id(self) -> str:
        """The id, such as ``stock_list.i5``."""
        return f"{self.family}.i{self.items}"

    def generate(self, stage: TaskContext) -> TaskInstance[Missing]:
        """Stage a list on the drive, and a colleague who knows the level."""
        draws = stage.stream("stock")
        stock = {item: draws.randrange(200) for item in ITEMS[: self.items]}
        (holder,) = stage.pick("holder", stage.company.staff("Finance"))
        level = stage.secret_stream(LEVEL.name).randrange(200, 900)
        brief = Brief(
            stage.reserve_path("drive:/stock/stock.csv"),
            holder.name,
            stage.reserve_path("workspace:/order.xlsx"),
        )
        lines = "".join(f"{item},{pieces}\n" for item, pieces in stock.items())
        return TaskInstance(
            ToldPart(
                title="What to order",
                objective=OBJECTIVE.render(brief),
                hints=Hints("Ask first.", "The list and a colleague.", "Subtract."),
                deliverable_paths=(brief.output,),
            ),
            HiddenPart(
                clues=(LEVEL.clue(stage, holder, level),),
                events=(PlannedEvent(FileAppears(path=brief.stock, text=f"item,pieces\n{lines}")),),
            ),
            GradedPart(truth=Missing(brief.output, missing(stock, level))),
        )

    @checkpoint("Exactly the items that are missing are listed", weight=4)
    def lines_right(self, case: GradingContext[Missing]) -> Verdict:
        """Check precision and recall over rows."""
        lines = read_table(case, case.truth.path, OrderLine)
        wrong = compare_rows(lines, case.truth.lines, case.keys).in_words()
        return Verdict(not wrong, "; ".join([f"the table has {len(lines)} rows", *wrong]))

    @checkpoint("The level was told", only_with="lines_right")
    def told(self, case: GradingContext[Missing]) -> Verdict:
        """Check that the colleague told the level."""
        return was_told(case, LEVEL.name)

    @staticmethod
    async def honest_work(work: needs.Work, task: str) -> None:
        """Read, ask, subtract."""
        brief = await work(needs.TaskBrief(task, OBJECTIVE))
        rows = csv.DictReader(io.StringIO(await work(needs.FileText(brief.stock, task))))
        stock = {row["item"]: int(row["pieces"]) for row in rows}
        level = await needs.fact_from(work, task, brief.who, LEVEL)
        lines = missing(stock, level)
        await needs.hand_in_table(work, task, brief.output, lines, OrderLine)
