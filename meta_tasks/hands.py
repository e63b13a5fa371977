"""What an oracle has to work with: the employee's tools, and time.

An oracle gets Hands and nothing else: no seed, no knobs, no truth. It reads its task with
``desk_tasks`` like everybody, and finds there the entry called ``hands.task``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from pydantic import JsonValue

MAX_WAIT_FOR_ANSWER = timedelta(hours=3)
MINUTES_BETWEEN_LOOKS = 5
"""How often an oracle looks whether its task has been published."""
MINUTES_BETWEEN_TRIES = 10
"""How often it looks whether another task's result is there."""


@dataclass(frozen=True)
class Answer:
    """What a tool answered: the text a model would read, the data, the time after it, and the
    bytes of the picture it showed, if any."""

    text: str
    data: dict[str, Any]
    time: datetime
    picture: bytes | None = None


class ToolFailed(Exception):
    """A tool refused a call: its text is the tool's, ``time`` the time after it."""

    def __init__(self, text: str, time: datetime | None = None):
        super().__init__(text)
        self.time = time


class Hands(Protocol):
    """The employee's tools as one oracle uses them, among others on the same day."""

    @property
    def task(self) -> str:
        """The id of the task this oracle works on, as ``desk_tasks`` lists it."""

    async def call(self, tool: str, **arguments: JsonValue) -> Answer:
        """Call a tool. Raises ToolFailed with the tool's own words."""

    async def until(self, time: datetime) -> None:
        """An appointment: come back exactly at *time*, no other call running into it."""

    async def rest(self, minutes: int) -> None:
        """Come back in *minutes* or later; others may work meanwhile.

        Raises ToolFailed, as `until` does, where the day ends before.
        """


Work = Callable[[Hands], Coroutine[Any, Any, None]]
"""A way to do a task, such as an oracle's."""


async def my_task(hands: Hands) -> dict[str, Any]:
    """The entry of ``desk_tasks`` this oracle works on, as soon as it is published.

    Raises ToolFailed if the day ends before.
    """
    while True:
        listed = await hands.call("desk_tasks")
        for task in listed.data["tasks"]:
            if task["id"] == hands.task:
                found: dict[str, Any] = task
                return found
        await hands.rest(MINUTES_BETWEEN_LOOKS)


def first_match(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    """The first match; AssertionError if what was said is not as an oracle expects it."""
    match = pattern.search(text)
    assert match, f"nothing like {pattern.pattern!r} in: {text}"
    return match


async def read_text(hands: Hands, path: str) -> str:
    """The whole text of a file, page by page. Raises ToolFailed if there is none."""
    text, offset, column = "", 0, 0
    while True:
        page = await hands.call("files_read", path=path, offset=offset, column=column)
        text += str(page.data["text"])
        if page.data["next_offset"] is None:
            return text
        offset, column = page.data["next_offset"], page.data["next_column"]


async def id_of(hands: Hands, name: str) -> str:
    """The id of the person of this name. Raises ToolFailed if the directory has nobody."""
    found = await hands.call("chat_list_people", query=name)
    for person in found.data["people"]:
        if person["name"] == name:
            return str(person["id"])
    raise ToolFailed(f"nobody is called {name}: {found.text}")


async def written_for_another(hands: Hands, path: str) -> str:
    """The text of the file that another task of the day hands in, as soon as it is there.

    Raises ToolFailed if the day ends before.
    """
    while True:
        try:
            return await read_text(hands, path)
        except ToolFailed:
            await hands.rest(MINUTES_BETWEEN_TRIES)


async def ask(hands: Hands, person: str, question: str) -> str:
    """Write to *person* and wait for the answer to this very message; its text.

    Raises ToolFailed if nobody answers within three hours.
    """
    (answer,) = await ask_all(hands, [(person, question)])
    return answer


async def ask_all(hands: Hands, questions: Sequence[tuple[str, str]]) -> list[str]:
    """Send all questions (to whom, what), then wait for the answer to each; their texts.

    Raises ToolFailed if one does not come within three hours.
    """
    asked = []
    for person, question in questions:
        sent = await hands.call("chat_send_message", to=person, text=question)
        asked.append(_Asked(person, question, sent.data["message"]["id"], sent.time))
    return [await _answer(hands, one) for one in asked]


@dataclass(frozen=True)
class _Asked:
    """A question that was sent: the number of its message, and when."""

    person: str
    question: str
    number: int
    at: datetime


async def _answer(hands: Hands, asked: _Asked) -> str:
    while True:
        history = await hands.call("chat_read_history", peer=asked.person, after=asked.number)
        for message in history.data["messages"]:
            if message["answers"] == asked.number and not message["automatic"]:
                return str(message["text"])
        if history.time >= asked.at + MAX_WAIT_FOR_ANSWER:
            raise ToolFailed(f"{asked.person} has not answered: {asked.question}")
        await hands.rest(3)
