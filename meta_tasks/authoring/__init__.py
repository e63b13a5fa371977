"""Everything that an author of families needs, in one import.

| what                                                       | module             |
|------------------------------------------------------------|--------------------|
| texts that one definition writes and reads back            | `text_template`    |
| how a value is written in such a text                      | `converters`       |
| amounts of money in cents, months in words                 | `converters`       |
| facts that one colleague knows, or that everybody tells    | `facts`            |
| how a script asks colleagues                               | `asking`           |
| how a script reads its task and hands in a file            | `solving`          |
| handbook pages that say what counts                        | `handbook`         |
| picking people for a role                                  | `holders`          |
| meetings: an hour for them, and being there on time        | `meetings`         |
| kinds of text, and when two answers are the same           | `answers`          |
| CSV files that the agent reads, and tables it hands in     | `tables`           |
| checkpoints: told facts, rows, and which apply             | `checkpoints`      |
"""

from __future__ import annotations

from trainee_bench.meta_tasks.answers import (
    AnswerKeys,
    ClockText,
    Code,
    PathText,
    PersonRef,
    RecordId,
    Text,
    mentions,
    same_text,
    text_key,
)
from trainee_bench.meta_tasks.authoring.asking import Contact, ask, people
from trainee_bench.meta_tasks.authoring.checkpoints import (
    DifferenceWords,
    RowDifference,
    choose_checkpoints,
    compare_lists,
    compare_rows,
    lists_of,
    same_numbers,
    was_told,
    were_told,
)
from trainee_bench.meta_tasks.authoring.converters import (
    CENTS,
    CLOCK,
    DATE,
    EUROS,
    EUROS_IN_GROUPS,
    FULL_NAME,
    INTEGER,
    LINE,
    MONTH,
    MONTH_NAMES,
    PATH,
    TENTHS,
    TEXT,
    WHOLE_EUROS,
    WORD,
    Converter,
    english_list,
    fields_of,
    format_euros,
    listed,
    month_before,
    one_of,
    optional,
    or_nothing,
    pairs,
    separated,
    to_cents,
)
from trainee_bench.meta_tasks.authoring.facts import HiddenFact, KnownFact, Precondition
from trainee_bench.meta_tasks.authoring.handbook import Handbook, resource_text
from trainee_bench.meta_tasks.authoring.holders import (
    first_groups,
    head_of,
    pick_colleagues,
    pick_free,
)
from trainee_bench.meta_tasks.authoring.meetings import (
    attend,
    find_invitation,
    punctuality,
    reserve_hours,
    was_on_time,
)
from trainee_bench.meta_tasks.authoring.solving import check_rules, hand_in, read_brief, read_rules
from trainee_bench.meta_tasks.authoring.tables import CsvFile, TableRow, cells_of, read_table
from trainee_bench.meta_tasks.authoring.text_template import (
    FirstOf,
    TextTemplate,
    ValueTemplate,
    Wording,
)
from trainee_bench.meta_tasks.checkpoints import (
    Checkpoint,
    FoundResult,
    GradingContext,
    Unreadable,
    Verdict,
    checkpoint,
    forbidden,
)
from trainee_bench.meta_tasks.deliverable import Deliverable, InvalidDeliverable, values_in
from trainee_bench.meta_tasks.meta_task import (
    Difficulty,
    Domain,
    GradedPart,
    HiddenPart,
    Hints,
    MetaTask,
    PlannedEvent,
    PublishedEntry,
    Rule,
    SolverVariant,
    TaskInstance,
    ToldPart,
    rules_of,
)
from trainee_bench.meta_tasks.scene_features import ColumnKind, RecordFile, SceneFeature
from trainee_bench.meta_tasks.task_context import (
    CompositionError,
    Modality,
    OutputType,
    TaskContext,
    TaskOutput,
)
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, read_text, wait_for_task

__all__ = [
    "CENTS", "CLOCK", "DATE", "EUROS", "EUROS_IN_GROUPS", "FULL_NAME", "INTEGER", "LINE", "MONTH",
    "MONTH_NAMES", "PATH", "TENTHS", "TEXT", "WHOLE_EUROS", "WORD", "AnswerKeys", "Checkpoint",
    "ClockText", "Code", "ColumnKind", "CompositionError", "Contact", "Converter", "CsvFile",
    "Deliverable", "DifferenceWords", "Difficulty", "Domain", "FirstOf", "FoundResult",
    "GradedPart", "GradingContext", "Handbook", "HiddenFact", "HiddenPart", "Hints",
    "InvalidDeliverable",
    "KnownFact", "MetaTask", "Modality", "OutputType", "PathText", "PersonRef", "PlannedEvent",
    "Precondition", "PublishedEntry", "RecordFile", "RecordId", "RowDifference", "Rule",
    "SceneFeature", "SolverVariant", "TableRow", "TaskContext", "TaskInstance", "TaskOutput",
    "Text", "TextTemplate", "ToldPart", "ToolClient", "ToolFailed", "Unreadable", "ValueTemplate",
    "Verdict", "Wording", "ask", "attend", "cells_of", "check_rules", "checkpoint",
    "choose_checkpoints", "compare_lists", "compare_rows", "english_list", "fields_of",
    "find_invitation", "first_groups", "forbidden", "format_euros", "hand_in", "head_of", "listed",
    "lists_of", "mentions", "month_before", "one_of", "optional", "or_nothing", "pairs", "people",
    "pick_colleagues", "pick_free", "punctuality", "read_brief", "read_rules", "read_table",
    "read_text", "reserve_hours", "resource_text", "rules_of", "same_numbers", "same_text",
    "separated", "text_key", "to_cents", "values_in", "wait_for_task", "was_on_time", "was_told",
    "were_told",
]  # fmt: skip
