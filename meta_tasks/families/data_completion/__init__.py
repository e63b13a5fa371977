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

from meta_tasks.deliverable import Flaw
from meta_tasks.families.data_completion.filled import Filled, compared
from meta_tasks.families.data_completion.kinds import KINDS
from meta_tasks.families.data_completion.lookups import CLUE, Lookup
from meta_tasks.families.data_completion.oracle import complete_table
from meta_tasks.families.data_completion.table import (
    SIZES,
    Difficulty,
    Table,
    in_words,
    month_before,
)
from meta_tasks.families.data_completion.telling import (
    MANUAL,
    keeper,
    keeper_known,
    manual_known,
    noun,
    rates_clue,
)
from meta_tasks.hands import Hands
from meta_tasks.meta_task import (
    Case,
    Checkpoint,
    Domain,
    Hints,
    Label,
    MetaTask,
    Planned,
    Rule,
    Scene,
    Verdict,
    checkpoint,
    declared_checkpoints,
)
from meta_tasks.stage import Stage
from world.apps.files import FileAppears
from world.npc import Clue

FOLDER = "drive:/data_completion"
MOST = 0.75
"""The share of the blanks that already earns something."""


class Data(StrEnum):
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
class Completion:
    """The table as it is graded, and where its copy is handed in."""

    path: str
    table: Table

    def filled(self, case: Case[Completion]) -> Filled | Flaw:
        """What the copy holds."""
        text = case.text(self.path)
        if text is None:
            return Flaw(f"there is no text file {self.path}")
        return compared(text, self.table)


class _Published(BaseModel):
    """An entry's arguments in the original's files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    domain: str
    task_type: str
    difficulty: Difficulty

    @field_validator("difficulty", mode="before")
    @classmethod
    def _with_blanks(cls, given: object) -> object:
        return given.replace(" ", "_") if isinstance(given, str) else given


class DataCompletion(MetaTask[Completion]):
    """A table whose empty cells are to be filled."""

    family: ClassVar[str] = "data_completion"
    domain: ClassVar[Domain] = Domain.INFORMATION
    published_name: ClassVar[str] = "Data Completion"

    data: Data
    difficulty: Difficulty

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """One for each kind of data set and difficulty."""
        made = [cls(data=data, difficulty=level) for data in Data for level in Difficulty]
        return tuple(Rule(one.rule_id, one._label, one) for one in made)

    @property
    def rule_id(self) -> str:
        """Such as ``data_completion.sales.qoq_rate.easy``."""
        return f"{self.family}.{self.data}.{self.difficulty}"

    @property
    def _label(self) -> Label:
        hard = {Difficulty.HARD, Difficulty.VERY_HARD}
        if isinstance(KINDS[self.data], Lookup):
            hard.add(Difficulty.MEDIUM)
        return Label.HARD if self.difficulty in hard else Label.EASY

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> DataCompletion:
        """The kind and difficulty an entry of the original's files names. Raises ValueError."""
        entry = _Published.model_validate(arguments)
        return cls(data=Data(f"{entry.domain}.{entry.task_type}"), difficulty=entry.difficulty)

    # the scene ------------------------------------------------------------------------

    def scene(self, stage: Stage) -> Scene[Completion]:
        """The table and the manual on the drive, and perhaps a colleague who knows rates."""
        kind = KINDS[self.data]
        source = stage.file(f"{FOLDER}/{self.data.replace('.', '/')}.csv")
        name = source.rpartition("/")[2]
        target = stage.file(f"workspace:/data_completion_{name}")
        table = kind.table(stage, SIZES[self.difficulty])
        told = ""
        clues: tuple[Clue, ...] = ()
        events = [Planned(FileAppears(path=source, text=table.csv))]
        if stage.commons.files.setdefault(MANUAL, stage.task) == stage.task:
            events += [Planned(FileAppears(path=MANUAL, text=_manual())), Planned(manual_known())]
        if isinstance(kind, Lookup):
            month, holder = in_words(month_before(stage.day.starts.date())), keeper(stage, kind)
            clues = (rates_clue(stage, kind, holder, name, month, table.told),)
            events.append(Planned(keeper_known(kind, holder, name, month)))
            told = _to_be_asked(kind, month)
        return Scene(
            title=f"Missing values in {name}",
            objective=_objective(source, target, self.data) + told,
            truth=Completion(target, table),
            hints=_HINTS,
            clues=clues,
            events=tuple(events),
            outputs=(target,),
            requester=stage.employee.manager or "",
        )

    @staticmethod
    async def oracle(hands: Hands) -> None:
        """Read, ask, calculate, write."""
        await complete_table(hands)

    # what is graded ---------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """That rates were told counts only where they are needed."""
        return tuple(
            mark
            for mark in declared_checkpoints(type(self))
            if mark.only_with is None or isinstance(KINDS[self.data], Lookup)
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
    def complete(self, case: Case[Completion]) -> Verdict:
        """All blanks."""
        filled = case.truth.filled(case)
        if isinstance(filled, Flaw):
            return Verdict(False, filled.seen)
        return Verdict(filled.right == filled.blanks, _share(filled))

    @checkpoint(
        "At least three quarters of the empty cells hold the right value, and everything else is "
        "as it was",
        where="The empty cells that are still to be filled, or were filled by another rule.",
        how="Look for a column whose values you have all worked out in the same way, and check "
        "that way against a row of the table that is complete.",
    )
    def most(self, case: Case[Completion]) -> Verdict:
        """Nearly all blanks."""
        filled = case.truth.filled(case)
        if isinstance(filled, Flaw):
            return Verdict(False, filled.seen)
        return Verdict(filled.right >= MOST * filled.blanks, _share(filled))

    @checkpoint(
        "The rates of the month that is being closed were told by the colleague who keeps them",
        only_with="complete",
        where="The department that the task names; any colleague knows who keeps the rates.",
        how="Ask somebody there for the rates, naming file and month; if they do not know them, "
        "ask who keeps them, and write to that person.",
    )
    def told(self, case: Case[Completion]) -> Verdict:
        """Whether the clue was released, whatever the employee wrote themself."""
        when = case.released(CLUE)
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


def _to_be_asked(kind: Lookup, month: str) -> str:
    return (
        f"\nThe rows with empty cells are all of {month}, the month that is being closed; the "
        f"complete rows are of earlier months. The {noun(kind)} of {month} are not written down. "
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
    resource = files("meta_tasks.families.data_completion") / "manual.md"
    return resource.read_text(encoding="utf-8")


# how it is graded -----------------------------------------------------------------------


def _share(filled: Filled) -> str:
    return f"{filled.right} of {filled.blanks} empty cells hold the right value"
