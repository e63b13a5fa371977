"""Asking colleagues in scripts: whom to ask, and waiting for the answer.

    answer = await ask(client, person, "Who keeps the rates?")

Honest work uses needs instead, such as `meta_tasks.needs.fact_from`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from operator import itemgetter
from typing import Protocol, TypeVar

from trainee_bench.meta_tasks.patience import (
    ANSWER_SOON,
    ANSWER_TAKES,
    LOOK_FOR_ANSWER_LATER,
    LOOK_FOR_ANSWER_SOON,
)
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed

_MINUTE = timedelta(minutes=1)
_LEADS = ("Head", "Director", "Leader", "Lead", "Manager")
"""Words of titles, the most certain first."""


@dataclass(frozen=True)
class Contact:
    """A person as the directory lists them; ``hours`` are the daily ones, such as "09:00-17:00"."""

    id: str
    name: str
    title: str
    department: str
    hours: str = ""

    @property
    def is_manager(self) -> bool:
        """Whether the title says so."""
        return "Manager" in self.title


class Titled(Protocol):
    """Somebody with a title."""

    @property
    def title(self) -> str:
        """Their title, such as Head of Sales."""


Somebody = TypeVar("Somebody", bound=Titled)


def heads_first(people: Iterable[Somebody]) -> list[Somebody]:
    """Return those of *people* whose titles say that they lead others, the clearest first: a Head
    of Sales before an Account Manager. Equals keep their order."""
    ranks = [(_rank(person.title), person) for person in people]
    leading = sorted((rank for rank in ranks if rank[0] < len(_LEADS)), key=itemgetter(0))
    return [person for _, person in leading]


def _rank(title: str) -> int:
    words = title.split()
    return next((rank for rank, word in enumerate(_LEADS) if word in words), len(_LEADS))


async def people(client: ToolClient, department: str) -> list[Contact]:
    """Return the people of *department*, first page only."""
    found = await client.call("chat_list_people", department=department)
    return [
        Contact(person["id"], person["name"], person["title"], person["department"])
        for person in found.data["people"]
    ]


async def ask(client: ToolClient, person: str, text: str) -> str:
    """Write to *person* (id or full name), wait for the answer to this very message, and return its
    text. Automatic replies (somebody is away) do not count.

    Raises ToolFailed if no answer comes within nine hours.
    """
    sent = await client.call("chat_send_message", to=person, text=text)
    number = sent.data["message"]["id"]
    while True:
        history = await client.call("chat_read_history", peer=person, after=number)
        for message in history.data["messages"]:
            if message["answers"] == number and not message["automatic"]:
                return str(message["text"])
        if history.time >= sent.time + ANSWER_TAKES:
            raise ToolFailed(f"{person} has not answered: {text}")
        soon = history.time < sent.time + ANSWER_SOON
        often = LOOK_FOR_ANSWER_SOON if soon else LOOK_FOR_ANSWER_LATER
        await client.wait_at_least(often // _MINUTE)
