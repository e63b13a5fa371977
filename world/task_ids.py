"""The ids of tasks: how they are made, what they look like, and their order.

T1, T2, …      tasks that come at a time of their own
T2b, T2c, …    tasks that follow from T2
"""

from __future__ import annotations

import string

_FOLLOWERS = string.ascii_lowercase[1:]
"""The letter of each task that follows from another."""
MOST_FOLLOWERS = len(_FOLLOWERS)
"""The number of tasks that can follow from one."""
TASK_ID = rf"T\d+[{_FOLLOWERS[0]}-{_FOLLOWERS[-1]}]?"
"""The form of every id, as part of a regular expression."""


def numbered_id(number: int) -> str:
    """The id of the task with this number, from 1 on."""
    return f"T{number}"


def follower_id(cause: str, place: int) -> str:
    """The id of the follower of the task *cause* that has this *place* among them, from 0 on."""
    return f"{cause}{_FOLLOWERS[place]}"


def published_order(id: str) -> tuple[int, str]:
    """Sorts ids: T1, T2, T2b, T10."""
    number = id[1:].rstrip(_FOLLOWERS)
    return int(number), id[1 + len(number) :]
