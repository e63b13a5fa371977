"""The unfinished items of a day, read from tool results and kept word for word.

These are tasks, assignments from meetings, unanswered messages, questions and other messages from
colleagues, appointments and unread mails. A model's summary may lose them, so they are kept
separately.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import ValidationError

from trainee_bench.harness.models.conversation import ToolMessage
from trainee_bench.mcp_servers.calendar import (
    AttendResult,
    MeetingDetails,
    MeetingLine,
    MeetingPage,
)
from trainee_bench.mcp_servers.chat import ChatHistory, SentMessage
from trainee_bench.mcp_servers.desk import ReturnReceipt, SubmissionReceipt, TaskEntry, TaskList
from trainee_bench.world.apps.chat import ChatMessage
from trainee_bench.world.colleagues.understanding.asking import has_question_mark
from trainee_bench.world.transaction import Notice, NoticeKind

_MESSAGE = re.compile(r"Message (\d+) from (.+?)(?: in (G\d+) \(.*?\))?: (.*)", re.DOTALL)
_MEETING = re.compile(r"[Mm]eeting (\d+)\b")
_MAIL = re.compile(r"Mail (\d+) from ")
_HOURS = re.compile(r"(\d{4}-\d\d-\d\d) \d\d:\d\d-(\d\d:\d\d)")
_AUTOMATIC = "Automatic reply"
_MESSAGE_CHARS = 600
"""Characters kept of a message; the rest can be read again in the chat."""
_SHORT_MESSAGE_CHARS = 120
_MANY_MESSAGES = 30


@dataclass
class _SentQuestion:
    """A sent message, and messages received since that do not answer it."""

    message: ChatMessage
    heard: list[str] = field(default_factory=list)


class OpenItems:
    """The unfinished items after the latest tool result."""

    def __init__(self) -> None:
        self._tasks: dict[str, TaskEntry] = {}
        self._submitted: set[str] = set()
        self._news: list[str] = []
        self._assignments: list[str] = []
        self._asked: dict[int, _SentQuestion] = {}
        self._answered: set[int] = set()
        self._heard: dict[int, tuple[str, str]] = {}
        self._meetings: dict[int, MeetingLine] = {}
        self._invited: dict[int, list[str]] = {}
        self._done_meetings: set[int] = set()
        self._mails: dict[int, str] = {}
        self._other_news: list[str] = []
        self._now: datetime | None = None
        self._readers: Mapping[str, Callable[[object], None]] = {
            "desk_tasks": self._listed,
            "desk_submit": self._handed_in,
            "desk_return": self._given_back,
            "chat_send_message": self._sent,
            "chat_read_history": self._history,
            "calendar_list": self._calendar,
            "calendar_read_meeting": self._details,
            "calendar_book": self._meeting,
            "calendar_respond": self._meeting,
            "calendar_cancel": self._meeting,
            "calendar_attend": self._attended,
        }

    def update(self, answered: ToolMessage) -> None:
        """Update with the result of a call."""
        answer, call = answered.answer, answered.call
        self._now = answer.time or self._now
        reader = self._readers.get(call.name)
        if reader is not None and not answer.failed and answer.data is not None:
            with contextlib.suppress(ValidationError):  # another server's tool of the same name
                reader(answer.data)
        for notice in answer.notices:
            self._told(notice)
        if call.name == "mail_read" and not answer.failed:
            self._mails.pop(_number((call.arguments or {}).get("mail")), None)

    # tool results ------------------------------------------------------------------

    def _listed(self, data: object) -> None:
        for task in TaskList.model_validate(data).tasks:
            self._tasks[task.id] = self._with_text(task)
            self._news = [text for text in self._news if not _names(text, task.id)]
            if task.submitted:
                self._submitted.add(task.id)
            else:  # a changed request is open again
                self._submitted.discard(task.id)

    def _with_text(self, task: TaskEntry) -> TaskEntry:
        """Return *task* with the text that was read earlier, if the list has no room for it."""
        known = self._tasks.get(task.id)
        if task.objective is not None or task.submitted or known is None:
            return task
        kept = {"objective": known.objective, "assignments": known.assignments}
        return task.model_copy(update=kept)

    def _handed_in(self, data: object) -> None:
        self._submitted.add(SubmissionReceipt.model_validate(data).task)

    def _given_back(self, data: object) -> None:
        self._submitted.add(ReturnReceipt.model_validate(data).task)

    def _sent(self, data: object) -> None:
        message = SentMessage.model_validate(data).message
        again = (message.to, message.text)
        for id in [n for n, a in self._asked.items() if (a.message.to, a.message.text) == again]:
            del self._asked[id]
        for id, (to, text) in tuple(self._heard.items()):
            if to == message.to and has_question_mark(text):
                del self._heard[id]
        if message.to != message.sender:
            self._asked[message.id] = _SentQuestion(message)

    def _history(self, data: object) -> None:
        for message in ChatHistory.model_validate(data).messages:
            if message.id in self._answered:
                continue
            if message.answers in self._asked and not message.automatic:
                self._answered.add(message.id)
                if not message.to.startswith("G"):
                    del self._asked[message.answers]
                    if has_question_mark(message.text):
                        told = f"Message {message.id} from {message.sender}: {message.text}"
                        self._heard[message.id] = (message.sender, _clip(told, _MESSAGE_CHARS))
                else:
                    self._hear(message.answers, f"{message.sender} has answered")

    def _calendar(self, data: object) -> None:
        for line in MeetingPage.model_validate(data).meetings:
            self._know(line)

    def _details(self, data: object) -> None:
        self._know(MeetingDetails.model_validate(data).meeting)

    def _meeting(self, data: object) -> None:
        self._know(MeetingLine.model_validate(data))

    def _know(self, line: MeetingLine) -> None:
        self._meetings[line.id] = line
        self._invited.pop(line.id, None)
        if line.attended or line.cancelled:
            self._done_meetings.add(line.id)

    def _attended(self, data: object) -> None:
        attended = AttendResult.model_validate(data)
        self._done_meetings.add(attended.meeting)
        for text in attended.announcements:
            if text not in self._assignments:
                self._assignments.append(text)

    # notices --------------------------------------------------------------

    def _told(self, notice: Notice) -> None:
        """Sort a notice; keep a notice of an unknown kind, such as a new app's, unchanged."""
        kind, text = notice.kind, notice.text
        if kind is NoticeKind.TASK:
            self._news.append(text)
        elif kind is NoticeKind.MESSAGE and _MESSAGE.match(text):
            self._message(text)
        elif kind is NoticeKind.MEETING and _MEETING.search(text):
            self._invitation(text)
        elif kind is NoticeKind.MAIL and (found := _MAIL.match(text)):
            self._mails[int(found[1])] = text
        elif kind not in (NoticeKind.DEADLINE, NoticeKind.CHATTER):  # desk_tasks tells deadlines
            self._other_news.append(_clip(text, _MESSAGE_CHARS))

    def _message(self, text: str) -> None:
        """Handle a message: it answers the oldest question to its sender.

        A message that answers nothing is kept; a question is kept until its sender gets a message.
        """
        found = _MESSAGE.match(text)
        if not found or int(found[1]) in self._answered:
            return
        number, name, group, message = found.groups()
        to = group or ".".join(name.casefold().split())
        waiting = [id for id, question in self._asked.items() if question.message.to == to]
        if message.startswith(_AUTOMATIC):
            if waiting:
                self._hear(waiting[-1], message)
            return
        if not waiting or has_question_mark(message):
            self._heard[int(number)] = (to, _clip(text, _MESSAGE_CHARS))
        if not waiting:
            return
        self._answered.add(int(number))
        if group:
            self._hear(waiting[-1], f"{name} has answered")
        else:
            del self._asked[waiting[0]]

    def _hear(self, id: int, what: str) -> None:
        if what not in self._asked[id].heard:
            self._asked[id].heard.append(what)

    def _invitation(self, text: str) -> None:
        if not (found := _MEETING.search(text)):
            return
        id = int(found[1])
        if text.startswith("Cancelled:"):
            self._done_meetings.add(id)
            return
        told = self._invited.setdefault(id, [])
        if text not in told:
            told.append(text)

    # output ----------------------------------------------------------------------

    def text(self, known: str) -> str:
        """Return all items as text; a task whose objective is in *known* is listed without it."""
        parts = [
            self._task_lines(known),
            self._assignment_lines(),
            self._question_lines(),
            self._heard_lines(),
            self._meeting_lines(),
            ["Mails you have not read:", *self._mails.values()] if self._mails else [],
            self._other_lines(),
        ]
        return "\n".join(line for part in parts for line in part)

    def _task_lines(self, known: str) -> list[str]:
        lines = ["Tasks:"]
        for task in self._tasks.values():
            state = "submitted" if task.id in self._submitted else "NOT SUBMITTED YET"
            lines.append(f"- {task.id}: {task.title}, due {task.deadline:%H:%M}: {state}")
            if task.id not in self._submitted:
                told = task.objective is None or task.objective in known
                lines += [] if told else [str(task.objective)]
                lines += [f"Assignment heard in a meeting: {text}" for text in task.assignments]
        lines += [f"- submitted: {id}" for id in sorted(self._submitted - set(self._tasks))]
        lines += [f"- {text}" for text in dict.fromkeys(self._news)]
        return lines if len(lines) > 1 else []

    def _assignment_lines(self) -> list[str]:
        shown = [text for task in self._tasks.values() for text in task.assignments]
        left = [text for text in self._assignments if text not in shown]
        told = [f"- {text}" for text in left]
        return ["Announced in meetings you attended:", *told] if told else []

    def _question_lines(self) -> list[str]:
        if not self._asked:
            return []
        words = _MESSAGE_CHARS if len(self._asked) <= _MANY_MESSAGES else _SHORT_MESSAGE_CHARS
        lines = ["Messages you sent that nobody has answered yet:"]
        for question in self._asked.values():
            sent = question.message
            heard = f" (since then: {'; '.join(question.heard)})" if question.heard else ""
            text = _clip(sent.text, words)
            lines.append(f"- {sent.id} to {sent.to}, {sent.at:%H:%M}: {text}{heard}")
        return lines

    def _heard_lines(self) -> list[str]:
        told = [f"- {text}" for _, text in self._heard.values()]
        return ["Messages to you that were not answers:", *told[-_MANY_MESSAGES:]] if told else []

    def _meeting_lines(self) -> list[str]:
        ids = sorted({*self._meetings, *self._invited} - self._done_meetings)
        lines = [line for id in ids for line in self._ahead(id)]
        return ["Appointments ahead:", *lines] if lines else []

    def _other_lines(self) -> list[str]:
        told = [f"- {text}" for text in dict.fromkeys(self._other_news)]
        return ["Other news:", *told[-_MANY_MESSAGES:]] if told else []

    def _ahead(self, id: int) -> list[str]:
        """Return lines about a meeting, none if it is over."""
        told = self._invited.get(id, [])
        line = self._meetings.get(id)
        if line is not None:
            hours = f"{line.starts:%Y-%m-%d %H:%M}-{line.ends:%H:%M} in {line.room}"
            told = [f"Meeting {id} {line.title!r}, {hours}", *told]
        ends = [end for text in told if (end := _end(text))]
        if self._now is not None and ends and max(ends) <= self._now:
            return []
        return [f"- {text}" for text in told]


def _end(text: str) -> datetime | None:
    """Return when the meeting in *text* ends, if the text says so."""
    found = _HOURS.search(text)
    return datetime.fromisoformat(f"{found[1]}T{found[2]}") if found else None


def _names(text: str, task: str) -> bool:
    return re.search(rf"\b{re.escape(task)}\b", text) is not None


def _number(value: object) -> int:
    return int(str(value)) if str(value).isdecimal() else -1


def _clip(text: str, length: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[:length]}… (chat_read_history)"
