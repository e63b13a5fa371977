"""What a family is written with: one import for the contract and the vocabulary.

| what                                                  | module            |
|-------------------------------------------------------|-------------------|
| a text that is written and read back                  | `text_template`   |
| how a value stands in it                              | `converters`      |
| months in words, and the one before                   | `months`          |
| a fact that one colleague knows                       | `hidden_fact`     |
| a fact that every colleague tells                     | `known_fact`      |
| asking, as an oracle does                             | `asking`          |
| asking a whole department at once                     | `asking_everybody` |
| an oracle's beginning and end                         | `solving`         |
| a page that says what counts                          | `handbook`        |
| who is picked for a role                              | `holders`         |
| rows compared, numbers within a tolerance             | `rows`            |
| tables in workbooks and CSV files that are handed in  | `tables`          |
| CSV files that the agent reads                        | `csv_files`       |
| having been told; the checkpoints of some parameters  | `checkpoints`     |
"""

from __future__ import annotations

from trainee_bench.meta_tasks.authoring.asking import (
    MAX_WAIT_FOR_ANSWER,
    Contact,
    SentQuestion,
    answer_to,
    ask,
    ask_all,
    ask_fact,
    ask_in_turn,
    id_of,
    manager_of,
    people,
    person_called,
    send,
)
from trainee_bench.meta_tasks.authoring.asking_everybody import ask_everybody, everybody_in
from trainee_bench.meta_tasks.authoring.checkpoints import choose_checkpoints, was_told, were_told
from trainee_bench.meta_tasks.authoring.converters import (
    CLOCK,
    DATE,
    FULL_NAME,
    INTEGER,
    LINE,
    PATH,
    TENTHS,
    TEXT,
    WORD,
    Converter,
    english_list,
    fields_of,
    listed,
    one_of,
    optional,
    or_nothing,
    pairs,
    separated,
)
from trainee_bench.meta_tasks.authoring.csv_files import CENTS, WHOLE_EUROS, CsvFile
from trainee_bench.meta_tasks.authoring.handbook import Handbook, resource_text
from trainee_bench.meta_tasks.authoring.hidden_fact import HiddenFact, Precondition
from trainee_bench.meta_tasks.authoring.holders import (
    first_groups,
    head_of,
    pick_colleagues,
    pick_free,
)
from trainee_bench.meta_tasks.authoring.known_fact import KnownFact
from trainee_bench.meta_tasks.authoring.months import MONTH, MONTH_NAMES, month_before
from trainee_bench.meta_tasks.authoring.rows import (
    DifferenceWords,
    RowDifference,
    compare_lists,
    compare_rows,
    lists_of,
    same_numbers,
)
from trainee_bench.meta_tasks.authoring.solving import (
    hand_in,
    hand_in_table,
    read_brief,
    read_rules,
)
from trainee_bench.meta_tasks.authoring.tables import TableRow, cells_of, read_table
from trainee_bench.meta_tasks.authoring.text_template import (
    FirstOf,
    TextTemplate,
    ValueTemplate,
    Wording,
)
from trainee_bench.meta_tasks.deliverable import Deliverable, InvalidDeliverable, fold_text
from trainee_bench.meta_tasks.meta_task import (
    Checkpoint,
    Difficulty,
    Domain,
    GradingContext,
    Hints,
    MetaTask,
    PlannedEvent,
    PublishedEntry,
    Rule,
    SolverVariant,
    TaskInstance,
    Unreadable,
    Verdict,
    checkpoint,
    forbidden,
    rules_of,
)
from trainee_bench.meta_tasks.task_context import (
    CompositionError,
    Modality,
    OutputType,
    TaskContext,
    TaskOutput,
)
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, read_text, wait_for_task

__all__ = [
    "CENTS",
    "CLOCK",
    "DATE",
    "FULL_NAME",
    "INTEGER",
    "LINE",
    "MAX_WAIT_FOR_ANSWER",
    "MONTH",
    "MONTH_NAMES",
    "PATH",
    "TENTHS",
    "TEXT",
    "WHOLE_EUROS",
    "WORD",
    "Checkpoint",
    "CompositionError",
    "Contact",
    "Converter",
    "CsvFile",
    "Deliverable",
    "DifferenceWords",
    "Difficulty",
    "Domain",
    "FirstOf",
    "GradingContext",
    "Handbook",
    "HiddenFact",
    "Hints",
    "InvalidDeliverable",
    "KnownFact",
    "MetaTask",
    "Modality",
    "OutputType",
    "PlannedEvent",
    "Precondition",
    "PublishedEntry",
    "RowDifference",
    "Rule",
    "SentQuestion",
    "SolverVariant",
    "TableRow",
    "TaskContext",
    "TaskInstance",
    "TaskOutput",
    "TextTemplate",
    "ToolClient",
    "ToolFailed",
    "Unreadable",
    "ValueTemplate",
    "Verdict",
    "Wording",
    "answer_to",
    "ask",
    "ask_all",
    "ask_everybody",
    "ask_fact",
    "ask_in_turn",
    "cells_of",
    "checkpoint",
    "choose_checkpoints",
    "compare_lists",
    "compare_rows",
    "english_list",
    "everybody_in",
    "fields_of",
    "first_groups",
    "fold_text",
    "forbidden",
    "hand_in",
    "hand_in_table",
    "head_of",
    "id_of",
    "listed",
    "lists_of",
    "manager_of",
    "month_before",
    "one_of",
    "optional",
    "or_nothing",
    "pairs",
    "people",
    "person_called",
    "pick_colleagues",
    "pick_free",
    "read_brief",
    "read_rules",
    "read_table",
    "read_text",
    "resource_text",
    "rules_of",
    "same_numbers",
    "send",
    "separated",
    "wait_for_task",
    "was_told",
    "were_told",
]  # fmt: skip
