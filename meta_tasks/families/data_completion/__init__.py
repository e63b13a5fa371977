"""Tables with missing values: each follows from the rest by a relation that a manual states.

Told: the table, the manual and its section, the name of the copy. Hidden, for two of twelve
kinds: the rates of the month that is being closed, which one colleague knows. Without them
nothing of that month can be worked out; the older rates of the complete rows are wrong there.

    table + section of the manual (+ keeper's rates) ──► every blank of the copy
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, JsonValue, field_validator

from trainee_bench.meta_tasks.deliverable import InvalidDeliverable
from trainee_bench.meta_tasks.families.data_completion.colleague_clues import (
    MANUAL,
    draw_rate_holder,
    manual_referral,
    rate_holder_referral,
    rates_clue,
    rates_noun,
)
from trainee_bench.meta_tasks.families.data_completion.dataset_kinds import DATASET_KINDS
from trainee_bench.meta_tasks.families.data_completion.grading import (
    FilledCells,
    compare_with_table,
)
from trainee_bench.meta_tasks.families.data_completion.oracle import complete_table
from trainee_bench.meta_tasks.families.data_completion.rate_datasets import (
    RATES_CLUE,
    RateDatasetKind,
)
from trainee_bench.meta_tasks.families.data_completion.table import (
    TABLE_SIZES,
    GappedTable,
    TableDifficulty,
    month_and_year,
    previous_month,
)
from trainee_bench.meta_tasks.meta_task import (
    Checkpoint,
    Difficulty,
    Domain,
    GradingContext,
    Hints,
    MetaTask,
    PlannedEvent,
    Rule,
    TaskInstance,
    Verdict,
    checkpoint,
    declared_checkpoints,
)
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.meta_tasks.tool_client import ToolClient
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.knowledge import Clue

FOLDER = "drive:/data_completion"
MOSTLY_FILLED_SHARE = 0.75
"""The share of the blanks that already earns something."""


class DatasetName(StrEnum):
    """The kinds of data set."""

    QUARTER_FROM_MONTHS = "sales.quarter_from_months"
    QOQ_RATE = "sales.qoq_rate"
    TAX_FEE = "transactions.tax_fee"
    TOTAL_FROM_ITEMS = "transactions.total_from_items"
    ENDING_FROM_FLOW = "inventory.ending_from_flow"
    DAILY_INTERPOLATION = "inventory.daily_interpolation"
    ACCOUNT_BALANCE = "finance.account_balance_from_details"
    DEPRECIATION = "finance.depreciation_straight_line"
    ETA_DISTANCE_SLA = "logistics.eta_distance_sla"
    SEGMENT_TIME_SUM = "logistics.segment_time_sum"
    ROLLING_AVG = "web.rolling_avg"
    FUNNEL = "web.funnel"


@dataclass(frozen=True)
class CompletionTruth:
    """The table as it is graded, and where its copy is handed in."""

    path: str
    table: GappedTable

    def filled(self, case: GradingContext[CompletionTruth]) -> FilledCells | InvalidDeliverable:
        """What the copy holds."""
        text = case.text(self.path)
        if text is None:
            return InvalidDeliverable(f"there is no text file {self.path}")
        return compare_with_table(text, self.table)


class PublishedDataCompletion(BaseModel):
    """An entry's arguments in the original's files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    domain: str
    task_type: str
    difficulty: TableDifficulty

    @field_validator("difficulty", mode="before")
    @classmethod
    def _with_blanks(cls, given: object) -> object:
        return given.replace(" ", "_") if isinstance(given, str) else given


class DataCompletion(MetaTask[CompletionTruth]):
    """A table whose empty cells are to be filled."""

    family: ClassVar[str] = "data_completion"
    domain: ClassVar[Domain] = Domain.INFORMATION
    published_name: ClassVar[str] = "Data Completion"

    data: DatasetName
    difficulty: TableDifficulty

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """One for each kind of data set and difficulty."""
        made = [
            cls(data=data, difficulty=level) for data in DatasetName for level in TableDifficulty
        ]
        return tuple(Rule(one.rule_id, one._label, one) for one in made)

    @property
    def rule_id(self) -> str:
        """Such as ``data_completion.sales.qoq_rate.easy``."""
        return f"{self.family}.{self.data}.{self.difficulty}"

    @property
    def _label(self) -> Difficulty:
        hard = {TableDifficulty.HARD, TableDifficulty.VERY_HARD}
        if isinstance(DATASET_KINDS[self.data], RateDatasetKind):
            hard.add(TableDifficulty.MEDIUM)
        return Difficulty.HARD if self.difficulty in hard else Difficulty.EASY

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> DataCompletion:
        """The kind and difficulty an entry of the original's files names. Raises ValueError."""
        entry = PublishedDataCompletion.model_validate(arguments)
        return cls(
            data=DatasetName(f"{entry.domain}.{entry.task_type}"), difficulty=entry.difficulty
        )

    # the scene ------------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[CompletionTruth]:
        """The table and the manual on the drive, and perhaps a colleague who knows rates."""
        kind = DATASET_KINDS[self.data]
        source = context.reserve_path(f"{FOLDER}/{self.data.replace('.', '/')}.csv")
        name = source.rpartition("/")[2]
        target = context.reserve_path(f"workspace:/data_completion_{name}")
        table = kind.table(context, TABLE_SIZES[self.difficulty])
        told = ""
        clues: tuple[Clue, ...] = ()
        events = [PlannedEvent(FileAppears(path=source, text=table.csv))]
        if context.reservations.files.setdefault(MANUAL, context.task) == context.task:
            events += [
                PlannedEvent(FileAppears(path=MANUAL, text=_manual())),
                PlannedEvent(manual_referral()),
            ]
        if isinstance(kind, RateDatasetKind):
            month, holder = (
                month_and_year(previous_month(context.day.starts.date())),
                draw_rate_holder(context, kind),
            )
            clues = (rates_clue(context, kind, holder, name, month, table.told),)
            events.append(PlannedEvent(rate_holder_referral(kind, holder, name, month)))
            told = _to_be_asked(kind, month)
        return TaskInstance(
            title=f"Missing values in {name}",
            objective=_objective(source, target, self.data) + told,
            truth=CompletionTruth(target, table),
            hints=_HINTS,
            clues=clues,
            events=tuple(events),
            deliverable_paths=(target,),
            requester=context.employee.manager or "",
        )

    @staticmethod
    async def oracle(client: ToolClient) -> None:
        """Read, ask, calculate, write."""
        await complete_table(client)

    # what is graded ---------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """That rates were told counts only where they are needed."""
        return tuple(
            mark
            for mark in declared_checkpoints(type(self))
            if mark.only_with is None or isinstance(DATASET_KINDS[self.data], RateDatasetKind)
        )

    @checkpoint(
        "Every empty cell holds the right value, and everything else is as it was",
        weight=3,
        where="The manual's section for this kind of table; the cells of the same row, and in "
        "tables that run over time those of the rows before and after it.",
        how="Begin with a fresh copy of the table. Work out each empty cell by the line of the "
        "section that names its column, with exact numbers, and round once, to the decimals that "
        "the line gives. Leave all other cells alone.",
    )
    def complete(self, case: GradingContext[CompletionTruth]) -> Verdict:
        """All blanks."""
        filled = case.truth.filled(case)
        if isinstance(filled, InvalidDeliverable):
            return Verdict(False, filled.seen)
        return Verdict(filled.right == filled.blanks, _share(filled))

    @checkpoint(
        "At least three quarters of the empty cells hold the right value, and everything else is "
        "as it was",
        where="The empty cells that are still to be filled, or were filled by another rule.",
        how="Look for a column whose values you have all worked out in the same way, and check "
        "that way against a row of the table that is complete.",
    )
    def most(self, case: GradingContext[CompletionTruth]) -> Verdict:
        """Nearly all blanks."""
        filled = case.truth.filled(case)
        if isinstance(filled, InvalidDeliverable):
            return Verdict(False, filled.seen)
        return Verdict(filled.right >= MOSTLY_FILLED_SHARE * filled.blanks, _share(filled))

    @checkpoint(
        "The rates of the month that is being closed were told by the colleague who keeps them",
        only_with="complete",
        where="The department that the task names; any colleague knows who keeps the rates.",
        how="Ask somebody there for the rates, naming file and month; if they do not know them, "
        "ask who keeps them, and write to that person.",
    )
    def told(self, case: GradingContext[CompletionTruth]) -> Verdict:
        """Whether the clue was released, whatever the employee wrote themself."""
        when = case.clue_released_at(RATES_CLUE)
        said = "nobody has told them" if when is None else f"they were told at {when:%H:%M}"
        return Verdict(when is not None, said)


# what is told ---------------------------------------------------------------------------


def _objective(source: str, target: str, section: str) -> str:
    return (
        f"In {source} some cells are empty. Hand in {target}: the same table with every empty "
        "cell filled. Header, columns, order of the rows and all cells that are not empty stay "
        "exactly as they are (n/a is not empty).\n"
        f'{MANUAL}, section "{section}", says what belongs into the empty cells of each column, '
        "and to how many decimals. A value is right if it lies within half a unit of the last of "
        "these decimals of the exact one. Write plain numbers with a point before the decimals. "
        "Do not change the files on the drive."
    )


def _to_be_asked(kind: RateDatasetKind, month: str) -> str:
    return (
        f"\nThe rows with empty cells are all of {month}, the month that is being closed; the "
        f"complete rows are of earlier months. The {rates_noun(kind)} of {month} are not written down. "
        f"Somebody in {kind.department} knows them, and their colleagues can say who: ask in the "
        "chat, naming the file."
    )


_HINTS = Hints(
    strategy="Every missing value can be worked out exactly; nothing is to be estimated. Find the "
    "relation between the columns first, then see what each empty cell lacks.",
    where="The relation stands in the manual on the drive, in the section that the task names. If "
    "the section speaks of rates that are not in the table, colleagues know them.",
    how="Read the section and the table with files_read, page by page. Copy the table into your "
    "workspace with files_copy under the name the task gives, calculate each empty cell with "
    "sheets_calculate or by hand, and put it there with sheets_write; null keeps a cell. Where "
    "rates are needed, ask for them with chat_send_message, naming the file and the month.",
)


@cache
def _manual() -> str:
    resource = files("trainee_bench.meta_tasks.families.data_completion") / "manual.md"
    return resource.read_text(encoding="utf-8")


# how it is graded -----------------------------------------------------------------------


def _share(filled: FilledCells) -> str:
    return f"{filled.right} of {filled.blanks} empty cells hold the right value"
