"""The desk: the tasks of the day, the clock an employee can read, and a notebook.

The desk is the only source of tasks: mails that announce them are made from the same row. An
assignment given in a meeting is added to its task.
"""

from trainee_bench.world.apps.desk.events import (
    CHANGED_SUBJECT,
    DEADLINE_REMINDER_LEAD,
    DeadlineMoved,
    RequestChanged,
    TaskPublished,
)
from trainee_bench.world.apps.desk.tasks import (
    SCHEMA,
    Desk,
    further_tasks_sentence,
    may_change_sentence,
)

__all__ = [
    "CHANGED_SUBJECT",
    "DEADLINE_REMINDER_LEAD",
    "SCHEMA",
    "DeadlineMoved",
    "Desk",
    "RequestChanged",
    "TaskPublished",
    "further_tasks_sentence",
    "may_change_sentence",
]
