"""Notices: news for the agent, added to the next result of a call."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel


class NoticeKind(StrEnum):
    """The subject of a notice; a scenario may hide the less urgent kinds from the agent."""

    MAIL = "mail"
    MESSAGE = "message"
    MEETING = "meeting"
    TASK = "task"
    DEADLINE = "deadline"
    NEWS = "news"
    """Any other notice of an app; the kind for a new app's notices."""
    CHATTER = "chatter"
    """A colleague's small talk, which ends no wait."""
    GUIDANCE = "guidance"
    """A hint or message from the agent's mentor; no scenario hides it."""


URGENT_NOTICES = frozenset({NoticeKind.MEETING, NoticeKind.TASK, NoticeKind.DEADLINE})


class Verbosity(StrEnum):
    """The notices that are added to results: none, the urgent ones, or all."""

    OFF = "off"
    DUE = "due"
    ALL = "all"


class Notice(BaseModel, frozen=True, extra="forbid"):
    """News for the agent, added to the next result: the time, the kind, and one line of text."""

    at: datetime
    kind: NoticeKind
    text: str
