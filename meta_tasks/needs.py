"""Everything that honest work and habits need, in one import.

| what                                                      | module      |
|-----------------------------------------------------------|-------------|
| what work may do: await needs, call tools, pause          | `need`      |
| what the office shows at one look                         | `sources`   |
| the task, pages with rules, files, people                 | `reading`   |
| questions to colleagues, and their answers                | `asking`    |
| files, meetings, mails, and submitted work                | `achieving` |
| what a careful worker does besides the task               | `habits`    |
| what is done today for tasks of later days                | `standing`  |
"""

from __future__ import annotations

from trainee_bench.meta_tasks.work.achieving import (
    Afterwards,
    Attended,
    Beside,
    Booked,
    DoesBeside,
    FileHas,
    HandedIn,
    MailReplied,
    MailSent,
    MoreResults,
    Once,
    ResultOf,
    SubmitNote,
    Submitted,
    TableHas,
    hand_in,
    hand_in_table,
)
from trainee_bench.meta_tasks.work.asking import (
    Answered,
    FactQuestion,
    Preface,
    Question,
    Says,
    Sent,
    Successors,
    Told,
    Unasked,
    fact_from,
)
from trainee_bench.meta_tasks.work.habits import Around, Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Achievement, All, ExtensionPoint, Need, Source, Work
from trainee_bench.meta_tasks.work.reading import (
    FileNews,
    FileText,
    ManagerOf,
    Page,
    PersonCalled,
    Task,
    TaskBrief,
)
from trainee_bench.meta_tasks.work.sources import (
    DirectorySearch,
    FoundMail,
    Inbox,
    Listing,
    MailSearch,
    Meetings,
    ReadText,
    Table,
    ToolReading,
    ViewedPicture,
)
from trainee_bench.meta_tasks.work.standing import ForLaterDays
from trainee_bench.meta_tasks.work.worker import Worked

__all__ = [
    "Achievement", "Afterwards", "All", "Answered", "Around", "Attended", "Beside", "Booked",
    "DirectorySearch", "DoesBeside", "ExtensionPoint", "FactQuestion", "FileHas", "FileNews",
    "FileText", "ForLaterDays", "FoundMail", "Habit", "HandedIn", "Inbox", "Inner", "Listing",
    "MailReplied", "MailSearch", "MailSent", "ManagerOf", "Meetings", "MoreResults", "Need", "Once",
    "Page", "PersonCalled", "Preface", "Question", "ReadText", "ResultOf", "Says", "Sent", "Source",
    "SubmitNote", "Submitted", "Successors", "Table", "TableHas", "Task", "TaskBrief", "Told",
    "ToolReading", "Unasked", "ViewedPicture", "Work", "Worked", "around", "fact_from", "hand_in",
    "hand_in_table",
]  # fmt: skip
