"""What the solvers share: files, pictures, the directory, and asking until there is an answer."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from PIL import Image

WAIT_MINUTES = 30
LAST_HOUR = 19
"""From then on an answer would come too late."""
MAX_REPEATS = 2
STAND_IN = re.compile(r"[Pp]lease contact ([^(]+?) \(")
ASKED_BACK = re.compile(r"“[^”]*\?”|“[^”]*”.*\?")
"""Only a colleague who wants to know whether that is the question quotes it."""

Colour = tuple[int, int, int]
Pixels = list[list[Colour]]
"""A picture's rows from the top, each from the left."""


class ShownPicture(Protocol):
    """A picture in the answer of a tool."""

    @property
    def data(self) -> bytes: ...


class ToolAnswer(Protocol):
    """What a tool answers."""

    @property
    def text(self) -> str: ...
    @property
    def data(self) -> Any: ...
    @property
    def failed(self) -> bool: ...
    @property
    def pictures(self) -> Sequence[ShownPicture]: ...


class Session(Protocol):
    """A day's session, as the tutorial "Your agent" describes it."""

    now: datetime

    async def call(self, name: str, /, **arguments: Any) -> ToolAnswer: ...


class Refused(Exception):
    """A tool refused a call; says what it answered."""


class NoAnswer(Exception):
    """A colleague did not answer in time, or not to the question."""


@dataclass(frozen=True)
class Task:
    """A task on the desk."""

    id: str
    objective: str


@dataclass(frozen=True)
class Person:
    """A colleague in the directory."""

    id: str
    name: str
    title: str
    department: str
    away: bool


@dataclass(frozen=True)
class Message:
    """A chat message; ``answers`` is the number of the message that it answers, or 0."""

    id: int
    sender: str
    text: str
    automatic: bool
    answers: int


def find(pattern: str, text: str) -> re.Match[str]:
    """The first match of *pattern*, line by line. Raises ValueError if there is none."""
    match = re.search(pattern, text, re.MULTILINE)
    if match is None:
        raise ValueError(f"{pattern} is not in: {text}")
    return match


def asked_fields(text: str) -> list[str]:
    """The names of the fields at the top of a JSON object that *text* describes."""
    return re.findall(r"^- `(\w+)` \(", text, re.MULTILINE)


def target_file(objective: str, ending: str = "json") -> str:
    """The file of *ending* that is to be handed in."""
    return find(rf"Hand in (workspace:/\S+?\.{ending})\b", objective)[1]


class Office:
    """The office as one employee meets it during a day."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._me = ""
        self._last_message = 0

    async def call(self, tool: str, /, **arguments: Any) -> Any:
        """Make a call; its data. Raises Refused."""
        answer = await self.session.call(tool, **arguments)
        if answer.failed:
            raise Refused(f"{tool}: {answer.text}")
        return answer.data

    # tasks and files

    async def tasks(self) -> list[Task]:
        """The tasks of the day."""
        listed = (await self.call("desk_tasks"))["tasks"]
        return [Task(task["id"], task["objective"]) for task in listed]

    async def hand_in(self, task: Task, path: str, text: str) -> None:
        """Write the file that *task* wants, and submit the task."""
        await self.call("files_write", path=path, text=text)
        await self.submit(task)

    async def submit(self, task: Task) -> None:
        """Submit a task."""
        await self.call("desk_submit", task=task.id)

    async def finish_day(self) -> None:
        """End the day."""
        await self.call("desk_finish_day")

    async def read(self, path: str) -> str:
        """The whole text of a file, page by page."""
        text, offset, column = "", 0, 0
        while True:
            page = await self.call("files_read", path=path, offset=offset, column=column)
            text += str(page["text"])
            if page["next_offset"] is None:
                return text
            offset, column = page["next_offset"], page["next_column"] or 0

    async def look(self, path: str) -> Pixels:
        """The pixels of a picture."""
        answer = await self.session.call("files_view_image", path=path)
        if answer.failed:
            raise Refused(answer.text)
        image = Image.open(io.BytesIO(answer.pictures[0].data)).convert("RGB")
        data = image.tobytes()
        pixels = list(zip(data[0::3], data[1::3], data[2::3], strict=True))
        return [pixels[at : at + image.width] for at in range(0, len(pixels), image.width)]

    async def list_files(self, folder: str) -> list[str]:
        """The paths of the files in a folder."""
        entries = await self._pages("files_list", "entries", folder=folder)
        return [entry["path"] for entry in entries if entry["kind"] != "folder"]

    # colleagues

    async def people(self, department: str = "") -> list[Person]:
        """The colleagues of a department, or all of them."""
        listed = await self._pages("chat_list_people", "people", department=department)
        return [
            Person(one["id"], one["name"], one["title"], one["department"], bool(one["away"]))
            for one in listed
        ]

    async def _pages(self, tool: str, key: str, **arguments: Any) -> list[Any]:
        """What *tool* lists under *key*, on all pages."""
        listed: list[Any] = []
        cursor: int | None = 0
        while cursor is not None:
            page = await self.call(tool, cursor=cursor, **arguments)
            listed += page[key]
            cursor = page["next_cursor"]
        return listed

    async def send(self, to: str, text: str) -> int:
        """Write to a colleague; the message's number."""
        message = (await self.call("chat_send_message", to=to, text=text))["message"]
        self._me = message["sender"]
        return int(message["id"])

    async def news(self) -> list[Message]:
        """What colleagues have written since the last time."""
        read = await self.call("chat_read_history", after=self._last_message, limit=100)
        messages = [
            Message(one["id"], one["sender"], one["text"], one["automatic"], one["answers"])
            for one in read["messages"]
        ]
        self._last_message = max((self._last_message, *(message.id for message in messages)))
        return [message for message in messages if message.sender != self._me]

    async def wait(self, minutes: int = WAIT_MINUTES) -> None:
        """Wait for news. Raises NoAnswer if it is too late for any."""
        if self.session.now.hour >= LAST_HOUR:
            raise NoAnswer("the day is nearly over")
        await self.call("desk_wait", minutes=minutes)

    async def ask(
        self, to: str, question: str, serves: Callable[[str], bool] = lambda _: True
    ) -> str:
        """Ask one colleague; the answer, as `ask_all` gets it."""
        return (await self.ask_all([(to, question)], serves))[0]

    async def ask_all(
        self, questions: Sequence[tuple[str, str]], serves: Callable[[str], bool] = lambda _: True
    ) -> list[str]:
        """Ask *questions*, each with the colleague it goes to; the answers in the same order.

        Says yes when asked back, turns to whoever stands in for a colleague, and repeats a
        question if *serves* says that the answer does not. Raises NoAnswer.
        """
        asked = {await self.send(*question): place for place, question in enumerate(questions)}
        answers: dict[int, str] = {}
        repeats: Counter[int] = Counter()
        while True:
            for message in await self.news():
                place = asked.get(message.answers)
                if place is None or place in answers:
                    continue
                question = questions[place][1]
                stand_in = STAND_IN.search(message.text) if message.automatic else None
                if stand_in:
                    asked[await self.send(stand_in[1], question)] = place
                elif message.automatic:
                    continue
                elif ASKED_BACK.search(message.text):
                    asked[await self.send(message.sender, "Yes, exactly.")] = place
                elif serves(message.text):
                    answers[place] = message.text
                elif repeats[place] < MAX_REPEATS:
                    repeats[place] += 1
                    again = f"To be precise: {question}"
                    asked[await self.send(message.sender, again)] = place
                else:
                    raise NoAnswer(f"{question} {message.text}")
            if len(answers) == len(questions):
                return [answers[place] for place in range(len(questions))]
            await self.wait()
