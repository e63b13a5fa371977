"""How honest workers deal with complications: their tools, with something added around them.

Each client here has the same tools as the one it wraps; the family's oracle works with it as ever.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pydantic import JsonValue

from trainee_bench.meta_tasks.authoring.asking import SentQuestion, answer_to
from trainee_bench.meta_tasks.authoring.handbook import HOUSE_RULES
from trainee_bench.meta_tasks.authoring.meetings import attend
from trainee_bench.meta_tasks.authoring.solving import check_rules
from trainee_bench.meta_tasks.meta_task import NOTES_HEADING
from trainee_bench.meta_tasks.tool_client import (
    ToolClient,
    ToolData,
    ToolFailed,
    ToolResponse,
    read_text,
    wait_for_task,
)
from trainee_bench.meta_tasks.work.careless import as_believed

NEWS_POLL_MINUTES = 10
"""How often a worker looks whether somebody has written."""
LAST_LOOK = timedelta(minutes=15)
"""How long before the deadline a worker looks for the last time."""
PATIENCE = 30
"""Minutes that an impatient worker waits."""
MAKING = ("files_write", "files_copy", "sheets_create")
"""Tools that make a file."""
BEFORE_MEETING = timedelta(minutes=15)
"""Nothing is begun so shortly before a meeting."""
FollowUp = Callable[[SentQuestion, str], Awaitable[str | SentQuestion]]
"""Makes of an answer to a question what it comes to, or asks on: then that answer counts."""


class ClientWrapper:
    """The tools of *client*, as they are."""

    def __init__(self, client: ToolClient):
        self.client = client

    @property
    def task(self) -> str:
        """The id of the task."""
        return self.client.task

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool."""
        return await self.client.call(tool, **arguments)

    async def wait_until(self, time: datetime) -> None:
        """Keep an appointment."""
        await self.client.wait_until(time)

    def keep_file(self, path: str) -> None:
        """Take note that the file at *path* was made before and is not made again, since it would
        be the same."""
        if isinstance(self.client, ClientWrapper):
            self.client.keep_file(path)

    async def promise(self, time: datetime) -> None:
        """Keep an appointment later."""
        await self.client.promise(time)

    async def wait_at_least(self, minutes: int) -> None:
        """Come back later."""
        await self.client.wait_at_least(minutes)

    async def give_way(self, until: datetime) -> bool:
        """Let others work."""
        return await self.client.give_way(until)


class ImpatientClient(ClientWrapper):
    """Who gives up on somebody who does not answer soon: if only a mailbox has replied after
    `PATIENCE` minutes of waiting in all."""

    def __init__(self, client: ToolClient):
        super().__init__(client)
        self._waited = 0

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool. Raises ToolFailed when it is enough."""
        done = await self.client.call(tool, **arguments)
        if tool == "chat_read_history" and self._waited >= PATIENCE:
            for message in done.data["messages"]:
                if message["automatic"]:
                    raise ToolFailed(f"only a mailbox has replied: {message['text']}")
        return done

    async def wait_at_least(self, minutes: int) -> None:
        """Come back later, which takes patience."""
        self._waited += minutes
        await self.client.wait_at_least(minutes)


class WritingClient(ClientWrapper):
    """Remembers which files were made, or kept: ``written`` are their paths, each once."""

    def __init__(self, client: ToolClient):
        super().__init__(client)
        self.written: dict[str, None] = {}

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool, and note what it makes."""
        done = await self.client.call(tool, **arguments)
        if tool in MAKING:
            self.written[str(arguments.get("path") or arguments["target"])] = None
        return done

    def keep_file(self, path: str) -> None:
        """Note what is kept, too."""
        self.written[path] = None
        super().keep_file(path)


class UnsubmittedClient(WritingClient):
    """Everything but submitting: the worker has something to do before."""

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool; instead of submitting look at the clock."""
        if tool == "desk_submit":
            return await self.client.call("desk_now")
        return await super().call(tool, **arguments)


class SubmittingClient(ClientWrapper):
    """Submits with a *note*."""

    def __init__(self, client: ToolClient, note: str):
        super().__init__(client)
        self._note = note

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool; to submitting, add the note."""
        if tool == "desk_submit":
            arguments = {**arguments, "note": self._note}
        return await self.client.call(tool, **arguments)


class FollowingUpClient(ClientWrapper):
    """Answers in the chat are followed up before the oracle sees them: *follow_up* gets the
    question and the answer's text. All are followed up before any of them is waited for."""

    def __init__(self, client: ToolClient, follow_up: FollowUp):
        super().__init__(client)
        self._follow_up = follow_up
        self._asked: dict[int, SentQuestion] = {}
        self._answered: set[int] = set()
        self._followed: set[int] = set()
        self._final: dict[int, str] = {}

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool; of the chat's history, follow up the answers."""
        done = await self.client.call(tool, **arguments)
        if tool == "chat_send_message":
            number = int(done.data["message"]["id"])
            question = SentQuestion(str(arguments["to"]), str(arguments["text"]), number, done.time)
            self._asked[number] = question
        elif tool == "chat_read_history":
            while await self._follow(done.data["messages"]):  # which takes time: others may answer
                done = await self.client.call(tool, **arguments)
            messages = [
                {**message, "text": self._final.get(message["id"], message["text"])}
                for message in done.data["messages"]
            ]
            return replace(done, data={**done.data, "messages": messages})
        return done

    async def _follow(self, messages: Iterable[ToolData]) -> bool:
        """Follow up the answers among *messages* that were not before, and then those to all other
        questions; whether any were waited for."""
        further = await self._asked_on(messages)
        if further and (unanswered := self._asked.keys() - self._answered):
            page = await self.client.call("chat_read_history", after=min(unanswered), limit=100)
            further |= await self._asked_on(page.data["messages"])
        for number, question in further.items():
            self._final[number] = await answer_to(self.client, question)
        return bool(further)

    async def _asked_on(self, messages: Iterable[ToolData]) -> dict[int, SentQuestion]:
        """What was asked on after new answers among *messages*, by the answers' numbers."""
        further: dict[int, SentQuestion] = {}
        for message in messages:
            question = self._asked.get(message["answers"])
            if question is None or message["automatic"] or message["id"] in self._followed:
                continue
            self._followed.add(message["id"])
            self._answered.add(message["answers"])
            asked = replace(question, person=str(message["sender"]))  # it may be in a group
            comes_to = await self._follow_up(asked, str(message["text"]))
            if isinstance(comes_to, str):
                self._final[message["id"]] = comes_to
            else:
                further[message["id"]] = comes_to
        return further


@dataclass(frozen=True)
class OwnTask:
    """The worker's task as it stands on the desk."""

    label: str
    """What people call it: its title and its id."""
    objective: str
    notes: str
    deadline: datetime


async def own_task(client: ToolClient) -> OwnTask:
    """The worker's task, as soon as it is there. Raises ToolFailed if the day ends before."""
    listed = await wait_for_task(client)
    objective, _, notes = str(listed["objective"]).partition(NOTES_HEADING)
    return OwnTask(
        f"{listed['title']} ({client.task})",
        objective,
        notes,
        datetime.fromisoformat(listed["deadline"]),
    )


async def check_house_rules(client: ToolClient, page: str, rules: Iterable[str]) -> None:
    """Read the *page* of the handbook to which a note under the task refers.

    Raises ToolFailed if there is no such note, or if the page does not say one of the *rules*.
    """
    if HOUSE_RULES not in (await own_task(client)).notes:
        raise ToolFailed("the task does not refer to the handbook")
    check_rules(page, await read_text(client, page), tuple(rules))


@dataclass(frozen=True)
class HeardMessage:
    """A chat message to the worker: its number, its sender's name, and its text."""

    number: int
    sender: str
    text: str


async def find_message(
    client: ToolClient, wanted: Callable[[str], bool], after: int = 0
) -> tuple[HeardMessage | None, datetime]:
    """The first chat message, of those *after* a number, whose text is *wanted*, None if there is
    none yet; and what time it is then."""
    messages, time = await _messages(client, after)
    for message in messages:
        number, text = int(message["id"]), str(message["text"])
        if wanted(text):
            return HeardMessage(number, str(message["sender"]), text), time
    return None, time


async def wait_for_message(
    client: ToolClient, wanted: Callable[[str], bool], after: int = 0
) -> HeardMessage | None:
    """The first chat message, of those *after* a number, whose text is *wanted*; None if there is
    none shortly before the deadline."""
    task = await own_task(client)
    while True:
        found, time = await find_message(client, wanted, after)
        if found is not None:
            return found
        if time + LAST_LOOK > task.deadline:
            return None
        await client.wait_at_least(NEWS_POLL_MINUTES)


async def _messages(client: ToolClient, after: int) -> tuple[list[ToolData], datetime]:
    """All messages after this number, 0 for those of the whole day, and what time it is then."""
    page = await client.call("chat_read_history", after=after, limit=100)
    messages = list[ToolData](page.data["messages"])
    while page.data["earlier"] or page.data["later"]:
        if after:
            last = messages[-1]["id"]
            page = await client.call("chat_read_history", after=last, limit=100)
            messages += page.data["messages"]
        else:
            first = messages[0]["id"]
            page = await client.call("chat_read_history", before=first, limit=100)
            messages = [*page.data["messages"], *messages]
    return messages, page.time


class ReplacedFilesClient(ClientWrapper):
    """Reads, where *replacement* gives a text for a path, that instead of the file."""

    def __init__(self, client: ToolClient, replacement: Callable[[str], Awaitable[str | None]]):
        super().__init__(client)
        self._replacement = replacement

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool, or give the whole text that is read instead."""
        if tool == "files_read":
            text = await self._replacement(str(arguments["path"]))
            if text is not None:
                done = await self.client.call("desk_now")
                page: ToolData = {"text": text, "next_offset": None, "next_column": None}
                return replace(done, text=text, data=page)
        return await self.client.call(tool, **arguments)


async def read_table(client: ToolClient, path: str) -> tuple[list[str], list[list[JsonValue]]]:
    """The titles, and all rows of the first sheet of the workbook at *path*, of few columns."""
    page = await client.call("sheets_read", path=path)
    rows: list[list[JsonValue]] = [*page.data["rows"]]
    while page.data["next_range"] is not None:
        page = await client.call("sheets_read", path=path, range=page.data["next_range"])
        rows += page.data["rows"]
    return [str(title) for title in rows[0]], rows[1:]


async def wait_for_half_the_time(client: ToolClient) -> None:
    """Let half of the time pass that is left for the task: what is to come has mostly come then."""
    left = (await own_task(client)).deadline - (await client.call("desk_now")).time
    if left > timedelta(0):
        await client.wait_at_least(left // timedelta(minutes=2))


async def complain(client: ToolClient, authors: Mapping[str, str]) -> None:
    """Write to the author of each file (a full name by its path), whom one has not read, that
    records are missing in it."""
    for path, author in authors.items():
        file = path.rpartition("/")[2]
        text = f"Records are missing in {file}. Please send the rest of it."
        await client.call("chat_send_message", to=author, text=text)


class AppointmentClient(ClientWrapper):
    """Comes to *meeting* (its id), which *starts* then, whatever the oracle is at by then."""

    def __init__(self, client: ToolClient, meeting: int, starts: datetime):
        super().__init__(client)
        self._meeting = meeting
        self._starts = starts
        self._now = starts - timedelta(days=1)
        self._kept = False

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool, after the meeting if that is near."""
        if self._now + BEFORE_MEETING >= self._starts:
            await self.keep()
        done = await self.client.call(tool, **arguments)
        self._now = done.time
        return done

    async def wait_until(self, time: datetime) -> None:
        """Keep another appointment, after the meeting if that comes first."""
        if time >= self._starts:
            await self.keep()
        await self.client.wait_until(time)

    async def wait_at_least(self, minutes: int) -> None:
        """Come back later, after the meeting if it begins before that."""
        later = self._now + timedelta(minutes=minutes)
        if later + BEFORE_MEETING >= self._starts:
            await self.keep()
            minutes = (later - self._now) // timedelta(minutes=1)
        if minutes > 0:
            await self.client.wait_at_least(minutes)

    async def keep(self) -> None:
        """Wait for the meeting and come to it, unless that is done."""
        if not self._kept:
            self._kept = True
            done = await attend(self.client, self._meeting, self._starts)
            self._now = done.time


class BelievingClient(ClientWrapper):
    """Who reads, wherever a text of *believed* stands, what it is taken for."""

    def __init__(self, client: ToolClient, believed: Mapping[str, str]):
        super().__init__(client)
        self._believed = believed

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        """Call a tool; what it shows is read as it is believed."""
        done = await self.client.call(tool, **arguments)
        return as_believed(done, self._believed)
