"""Who does a task again remembers what colleagues have told them, and what they have written.

A question that was answered is not put again. What whoever answered it has written since, unasked,
and what somebody has answered about a file that was written for the task, may correct the answer
and is read before it. A file is written again only if it comes to something else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from pydantic import JsonValue

from trainee_bench.meta_tasks.tool_client import ToolClient, ToolData, ToolResponse
from trainee_bench.meta_tasks.worker_clients import ClientWrapper
from trainee_bench.world.task_ids import TASK_ID

_ASKING = ("chat_create_group", "chat_send_message")
_WRITING = ("files_write", "sheets_create")
CORRECTS = "corrects"
"""In a message that stands for what was learned elsewhere, the number of the question that it
answers anew."""
_LABEL = re.compile(rf"\(({TASK_ID})\)”")
"""The end of what people call a task when they write about it unasked."""


@dataclass
class _Answer:
    """What one person has answered: the number of the message, whose it is, and the numbers of the
    messages that have corrected it since."""

    number: int
    sender: str
    corrected_by: list[int] = field(default_factory=list)


@dataclass
class TaskMemory:
    """What is remembered of one task; empty at first."""

    made: dict[str, ToolResponse] = field(default_factory=dict)
    """What came of each question, group and file, by what was asked for."""
    members: dict[str, int] = field(default_factory=dict)
    """How many others are in each group, by its id."""
    answers: dict[int, list[_Answer]] = field(default_factory=dict)
    """Who has answered each question, by its number."""
    texts: dict[int, str] = field(default_factory=dict)
    """What each answer came to, by its number; what corrects it stands before it."""
    written: dict[str, str] = field(default_factory=dict)
    """What was written last into each file, by its path."""
    rounds: int = 0
    """How often the task was begun."""


class RememberingClient(ClientWrapper):
    """The tools of *client* for who has done the task before as *memory* says."""

    def __init__(self, client: ToolClient, memory: TaskMemory):
        super().__init__(client)
        self._memory = memory
        memory.rounds += 1
        self._now: datetime | None = None

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool, unless what it would do is done."""
        what = f"{tool} {sorted(arguments.items())}"
        made = self._memory.made.get(what)
        if made is not None and self._now is not None and await self._stands(tool, arguments, made):
            if tool in _WRITING:
                self.keep_file(str(arguments["path"]))
            return replace(made, time=self._now, notices=())
        done = await self.client.call(tool, **arguments)
        self._now = done.time
        if tool in _ASKING + _WRITING:
            self._memory.made[what] = done
        if tool == "chat_create_group":
            (group,) = done.data["groups"]
            self._memory.members[group["id"]] = len(group["members"]) - 1
        elif tool in _WRITING:
            self._memory.written[str(arguments["path"])] = what
        elif tool == "chat_read_history":
            return await self._as_known(done, arguments.get("peer") in self._memory.members)
        return done

    async def _stands(self, tool: str, arguments: dict[str, JsonValue], made: ToolResponse) -> bool:
        """Whether what was *made* by the same call before still holds."""
        if tool in _WRITING:
            path = str(arguments["path"])
            return self._memory.written[path] == f"{tool} {sorted(arguments.items())}"
        if tool == "chat_create_group":
            return True
        number = int(made.data["message"]["id"])
        answers = self._memory.answers.get(number, [])
        if len(answers) < self._memory.members.get(str(arguments["to"]), 1):
            return False
        await self._correct(number, answers)
        return True

    async def _as_known(self, done: ToolResponse, in_group: bool) -> ToolResponse:
        """A page of messages, of a group or not, in which each answer is what it came to at
        first."""
        memory, page = self._memory, list[ToolData](done.data["messages"])
        new = dict[int, _Answer]()
        for message in page:
            if message["answers"] and not message["automatic"]:
                answers = memory.answers.setdefault(message["answers"], [])
                if message["id"] not in [one.number for one in answers]:
                    new[message["id"]] = answer = _Answer(message["id"], message["sender"])
                    answers.append(answer)
                    memory.texts.setdefault(message["id"], message["text"])
        later = page
        if new and in_group and memory.rounds > 1:  # whoever takes something back writes in private
            later = await self._messages_after(min(new))
        for number, answer in new.items():
            self._correct_at_once(answer, [one for one in later if one["id"] > number])
        messages = [
            {**one, "text": memory.texts[one["id"]]} if one["id"] in memory.texts else one
            for one in page
        ]
        return replace(done, data={**done.data, "messages": messages})

    def _correct_at_once(self, answer: _Answer, later: Sequence[ToolData]) -> None:
        """Put before *answer*, read for the first time, what its sender has written about the task
        *later*."""
        for message in later:
            own = self.task in _LABEL.findall(message["text"])
            if own and message["sender"] == answer.sender and not message["answers"]:
                self._put_before(answer, message)

    def _put_before(self, answer: _Answer, message: ToolData) -> None:
        """Let *answer* begin with *message*, which corrects it, unless it does already."""
        if message["id"] not in answer.corrected_by:
            answer.corrected_by.append(message["id"])
            text = self._memory.texts[answer.number]
            self._memory.texts[answer.number] = f"{message['text']} {text}"

    async def _correct(self, number: int, answers: list[_Answer]) -> None:
        """Put before each of *answers* to the question with this number, unless it is there, what
        its sender has written since, unasked and about no other task or question, and what somebody
        has answered about a file that was written: the latest first."""
        names = [path.rpartition("/")[2] for path in self._memory.written]
        asked: dict[int, str] = {}
        for message in await self._messages_after(min(one.number for one in answers)):
            asked[message["id"]] = message["text"]
            about = asked.get(message["answers"], "")
            reviewed = any(name in about for name in names)
            tasks = _LABEL.findall(message["text"])
            own = (not tasks or self.task in tasks) and message.get(CORRECTS, number) == number
            for answer in answers:
                unasked = own and message["sender"] == answer.sender and not message["answers"]
                if reviewed or unasked:
                    self._put_before(answer, message)

    async def _messages_after(self, number: int) -> list[ToolData]:
        """All messages after this number, in whatever chat."""
        found, last = list[ToolData](), number
        while True:
            page = await self.client.call("chat_read_history", after=last, limit=100)
            self._now = page.time
            found += page.data["messages"]
            if not page.data["later"]:
                return found
            last = found[-1]["id"]
