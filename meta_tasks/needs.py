"""Everything that honest work is written with, in one import.

| what                                                      | module      |
|-----------------------------------------------------------|-------------|
| what a way may do: await needs, call tools, pause         | `need`      |
| what the office shows at one look                         | `sources`   |
| the task, pages with rules, files, people                 | `reading`   |
| questions to colleagues, and what they tell               | `asking`    |
| files, meetings, mails, and work that is handed in        | `achieving` |
| what a careful worker does beside the task                | `habits`    |
"""

from __future__ import annotations

from trainee_bench.meta_tasks.work.achieving import (
    Attended,
    Booked,
    FileHas,
    HandedIn,
    MailSent,
    Once,
    ResultOf,
    TableHas,
    hand_in,
    hand_in_table,
)
from trainee_bench.meta_tasks.work.asking import FactQuestion, Question, Told, fact_from
from trainee_bench.meta_tasks.work.habits import Around, Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Achievement, All, Need, Source, Work
from trainee_bench.meta_tasks.work.reading import (
    FileText,
    ManagerOf,
    Page,
    PersonCalled,
    Task,
    TaskBrief,
)
from trainee_bench.meta_tasks.work.sources import (
    DirectorySearch,
    Inbox,
    Listing,
    MailSearch,
    Meetings,
    ReadText,
    Table,
    ToolReading,
    ViewedPicture,
)

__all__ = [
    "Achievement", "All", "Around", "Attended", "Booked", "DirectorySearch", "FactQuestion",
    "FileHas", "FileText", "Habit", "HandedIn", "Inbox", "Inner", "Listing", "MailSearch",
    "MailSent", "ManagerOf", "Meetings", "Need", "Once", "Page", "PersonCalled", "Question",
    "ReadText", "ResultOf", "Source", "Table", "TableHas", "Task", "TaskBrief", "Told",
    "ToolReading", "ViewedPicture", "Work", "around", "fact_from",
    "hand_in", "hand_in_table",
]  # fmt: skip
