"""Tables with missing values, each calculated from the rest by a formula in a manual.

Told: the table, the manual and its section, the name of the copy. Hidden, for two of the twelve
kinds: the rates of the month that is being closed, which one colleague knows. Values of that month
cannot be calculated without them; the older rates of the complete rows do not apply.

    table + section of the manual (+ keeper's rates) ──► every blank of the copy
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from pydantic import field_validator

from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    Domain,
    GradedPart,
    GradingContext,
    HiddenPart,
    Hints,
    InvalidDeliverable,
    MetaTask,
    PlannedEvent,
    PublishedEntry,
    RecordFile,
    Rule,
    SceneFeature,
    TaskContext,
    TaskInstance,
    ToldPart,
    Unreadable,
    Verdict,
    checkpoint,
    choose_checkpoints,
    month_before,
    pick_free,
    rules_of,
    was_told,
)
from trainee_bench.meta_tasks.families.data_completion import work
from trainee_bench.meta_tasks.families.data_completion.brief import (
    HANDBOOK,
    HIDDEN_RATES,
    OBJECTIVE,
    CategoryRate,
    DataCompletionBrief,
    Keeper,
    ToldRates,
)
from trainee_bench.meta_tasks.families.data_completion.data import DATASET_KINDS, DatasetName
from trainee_bench.meta_tasks.families.data_completion.deliverables import (
    CompletionTruth,
    count_right,
)
from trainee_bench.meta_tasks.families.data_completion.subject.dataset import (
    TABLE_SIZES,
    TableDifficulty,
)
from trainee_bench.meta_tasks.families.data_completion.subject.rates import RATES_CLUE, RateTable
from trainee_bench.meta_tasks.meta_task import HonestWay, Shortcut
from trainee_bench.world.apps.files import FileAppears

FOLDER = "drive:/data_completion"
MOSTLY_FILLED_SHARE = 0.75
"""Share of the blanks from which an incomplete table earns points."""
HINTS = Hints(
    strategy="Every missing value can be calculated exactly; do not estimate. First find out how "
    "the columns are related, then check which values each empty cell depends on.",
    where="The manual on the drive explains how the columns are related, in the section that the "
    "task names. If the section mentions rates that are not in the table, colleagues know them.",
    how="Read the section and the table with files_read, page by page. Copy the table into your "
    "workspace with files_copy, under the name that the task gives. Calculate each empty cell with "
    "sheets_calculate or by hand, and write it with sheets_write (null leaves a cell unchanged). "
    "If you need rates, ask for them with chat_send_message, naming the file and the month.",
)


_DIGIT = re.compile(r"(?<=\.)\d(?=\d*(?:,|$))")
"""The first decimal of a number in a table."""


class PublishedDataCompletion(PublishedEntry):
    """Arguments of a published entry, whose difficulties are spelled with blanks."""

    domain: str
    task_type: str
    difficulty: TableDifficulty

    @field_validator("difficulty", mode="before")
    @classmethod
    def _without_blanks(cls, given: object) -> object:
        return given.replace(" ", "_") if isinstance(given, str) else given

    def parameters(self) -> Mapping[str, object]:
        """Return our parameters; ``data`` joins the original's domain and type."""
        return {"data": f"{self.domain}.{self.task_type}", "difficulty": self.difficulty}


class DataCompletion(MetaTask[CompletionTruth]):
    """Fill in the empty cells of a table."""

    family = "data_completion"
    domain = Domain.INFORMATION
    features = frozenset({SceneFeature.REPEATABLE, SceneFeature.RECORDS})
    published_name = "Data Completion"
    published_entry = PublishedDataCompletion

    # parameters ---------------------------------------------------------------------------

    data: DatasetName
    difficulty: TableDifficulty

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Return one rule for each kind of data set and difficulty."""
        made = (cls(data=data, difficulty=size) for data in DatasetName for size in TableDifficulty)
        return rules_of(made, hard=cls._is_hard)

    def _is_hard(self) -> bool:
        if self.difficulty is TableDifficulty.MEDIUM:
            return self.data in HIDDEN_RATES
        return self.difficulty in (TableDifficulty.HARD, TableDifficulty.VERY_HARD)

    @property
    def rule_id(self) -> str:
        """An id such as ``data_completion.sales.qoq_rate.easy``."""
        return f"{self.family}.{self.data}.{self.difficulty}"

    # the task instance ----------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[CompletionTruth]:
        """Put the table and the manual on the drive; for some kinds a colleague knows rates."""
        source = context.reserve_path(f"{FOLDER}/{self.data.replace('.', '/')}.csv")
        name = source.rpartition("/")[2]
        target = context.reserve_path(f"workspace:/data_completion_{name}")
        table = DATASET_KINDS[self.data].table(context, TABLE_SIZES[self.difficulty])
        brief = DataCompletionBrief(source, target, self.data)
        events = [
            PlannedEvent(FileAppears(path=source, text=table.csv)),
            *HANDBOOK.events(context),
        ]
        clues = []
        if isinstance(table, RateTable):
            month, hidden = month_before(context.day.starts.date()), HIDDEN_RATES[self.data]
            brief = replace(brief, month=month)
            staff = context.company.staff(hidden.department)
            keeper = pick_free(context, "keeper", staff, f"{self.data} kept")
            rates = tuple(CategoryRate(category, rate) for category, rate in table.rates.items())
            told = ToldRates(name, month, rates)
            clues.append(hidden.fact.clue(context, keeper, told, brief.about, keys=(name,)))
            named = Keeper(keeper.name, name)
            events.append(hidden.keeper.event(named, brief.about, keys=(name,), person=keeper))
        return TaskInstance(
            ToldPart(
                title=f"Missing values in {name}",
                objective=OBJECTIVE.render(brief),
                hints=HINTS,
                requester=context.employee.manager or "",
                deliverable_paths=(target,),
            ),
            HiddenPart(
                clues=tuple(clues),
                events=tuple(events),
                records=(RecordFile(source, table.csv, _earlier(context, table.csv)),),
            ),
            GradedPart(truth=CompletionTruth(target, table)),
        )

    # checkpoints ------------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Return the checkpoints; ``told`` counts only for kinds with hidden rates."""
        outcomes = ("complete", "most")
        if self.data not in HIDDEN_RATES:
            return choose_checkpoints(DataCompletion, outcomes, only_with={})
        return choose_checkpoints(
            DataCompletion, outcomes, only_with={"told": "complete"}, only_after="told"
        )

    @checkpoint(
        "Every empty cell holds the right value, and everything else is unchanged",
        weight=3,
        where="The manual's section for this kind of table; the cells of the same row, and for "
        "tables that run over time also the rows before and after it.",
        how="Start from a fresh copy of the table. Calculate each empty cell with the line of the "
        "section that names its column, using exact numbers, and round once, to the decimals that "
        "the line gives. Leave all other cells alone.",
    )
    def complete(self, grading: GradingContext[CompletionTruth]) -> Verdict:
        """Check that all blanks are right."""
        return _filled(grading, share=1)

    @checkpoint(
        "At least three quarters of the empty cells hold the right value, and everything else is "
        "unchanged",
        where="The cells that are still empty, and those that you filled by a different rule.",
        how="Look for a column in which you calculated all values in the same way, and check that "
        "way against a complete row of the table.",
    )
    def most(self, grading: GradingContext[CompletionTruth]) -> Verdict:
        """Check that most blanks are right."""
        return _filled(grading, share=MOSTLY_FILLED_SHARE)

    @checkpoint(
        "The colleague who keeps the rates told you those of the month that is being closed",
        where="The department that the task names; any colleague knows who keeps the rates.",
        how="Ask somebody there for the rates, naming the file and the month; if they do not know "
        "them, ask who keeps them, and write to that person.",
    )
    def told(self, grading: GradingContext[CompletionTruth]) -> Verdict:
        """Check that the rates were told, independently of the deliverable."""
        return was_told(grading, RATES_CLUE)

    # honest work ----------------------------------------------------------------------------

    shortcut: ClassVar[Shortcut] = staticmethod(work.repeat_the_cell_above)
    honest_work: ClassVar[HonestWay] = staticmethod(work.honest_work)


# comparing copies ---------------------------------------------------------------------------


def _filled(grading: GradingContext[CompletionTruth], share: float) -> Verdict:
    """Check that this *share* of the blanks is right.

    Raises Unreadable if anything else was changed.
    """
    path, table = grading.truth.path, grading.truth.table
    text = grading.text(path)
    if text is None:
        raise Unreadable(InvalidDeliverable(f"there is no text file {path}"))
    right, blanks = count_right(text, table), len(table.blanks)
    if isinstance(right, InvalidDeliverable):
        raise Unreadable(right)
    return Verdict(right >= share * blanks, f"{right} of {blanks} empty cells hold the right value")


def _earlier(context: TaskContext, text: str) -> str:
    """Return an earlier version of the table in which some numbers differ."""
    draws, found = context.stream("earlier numbers"), list[int]()
    for place, line in enumerate(text.splitlines()):
        if place and _DIGIT.search(line):
            found.append(place)
    changed = set(draws.sample(found, max(1, len(found) // 3)))
    lines = [
        _DIGIT.sub(lambda digit: str((int(digit[0]) + 1) % 10), line, count=1)
        if place in changed
        else line
        for place, line in enumerate(text.splitlines())
    ]
    return "\n".join([*lines, ""])
