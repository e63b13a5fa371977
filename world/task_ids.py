"""The ids of tasks: how they are made, what they look like, and their order.

T1, T2, …      tasks with a time of their own
T2b, T2c, …    tasks that follow from T2
"""

from __future__ import annotations

import re
import string

_FOLLOWERS = string.ascii_lowercase[1:]
"""The letters of tasks that follow from another task."""
MOST_FOLLOWERS = len(_FOLLOWERS)
"""The number of tasks that can follow from one task."""
TASK_ID = rf"T\d+[{_FOLLOWERS[0]}-{_FOLLOWERS[-1]}]?"
"""The form of every id, as part of a regular expression."""
_IN_ANY_CASE = re.compile(TASK_ID, re.IGNORECASE)


def is_task_id(text: str) -> bool:
    """Return whether *text* has the form of a task's id, in any case."""
    return _IN_ANY_CASE.fullmatch(text) is not None


def numbered_id(number: int) -> str:
    """Return the id of the task with this number, from 1 on."""
    return f"T{number}"


def follower_id(cause: str, place: int) -> str:
    """Return the id of the follower of the task *cause* at this *place* among them, from 0 on."""
    return f"{cause}{_FOLLOWERS[place]}"


def published_order(id: str) -> tuple[int, str]:
    """Return a key that sorts ids: T1, T2, T2b, T10."""
    number = id[1:].rstrip(_FOLLOWERS)
    return int(number), id[1 + len(number) :]
