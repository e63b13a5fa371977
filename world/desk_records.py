"""What lies on the desk, as its employee sees it: tasks and notes."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict


class DeskTask(BaseModel):
    """A published task as its employee sees it; ``submitted`` is the latest submission."""

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    objective: str
    deadline: datetime
    by: str
    assignments: tuple[str, ...] = ()
    submitted: datetime | None = None


class Note(BaseModel):
    """An entry in an employee's notebook."""

    model_config = ConfigDict(frozen=True)

    id: int
    at: datetime
    text: str
