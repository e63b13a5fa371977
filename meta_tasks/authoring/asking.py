"""How scripts ask colleagues: whom, and until the answer is there.

    answer = await ask(client, person, "Who keeps the rates?")

Honest work asks by needs instead, such as `meta_tasks.needs.fact_from`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed

_PATIENCE = timedelta(hours=9)
"""Somebody may be in meetings until shortly before they go home."""
_SOON, _OFTEN, _LATER = timedelta(minutes=15), 3, 10
"""Until when a script looks often for an answer; after how many minutes then, and later."""


@dataclass(frozen=True)
class Contact:
    """A person as the directory lists them."""

    id: str
    name: str
    title: str
    department: str

    @property
    def is_manager(self) -> bool:
        """Whether the title says so."""
        return "Manager" in self.title


async def people(client: ToolClient, department: str) -> list[Contact]:
    """The people of *department*, the first page of them."""
    found = await client.call("chat_list_people", department=department)
    return [
        Contact(person["id"], person["name"], person["title"], person["department"])
        for person in found.data["people"]
    ]


async def ask(client: ToolClient, person: str, text: str) -> str:
    """Write to *person* (id or full name) and wait for the answer to this very message; its text.
    Automatic replies (somebody is away) do not count.

    Raises ToolFailed if no answer comes within nine hours.
    """
    sent = await client.call("chat_send_message", to=person, text=text)
    number = sent.data["message"]["id"]
    while True:
        history = await client.call("chat_read_history", peer=person, after=number)
        for message in history.data["messages"]:
            if message["answers"] == number and not message["automatic"]:
                return str(message["text"])
        if history.time >= sent.time + _PATIENCE:
            raise ToolFailed(f"{person} has not answered: {text}")
        soon = history.time < sent.time + _SOON
        await client.wait_at_least(_OFTEN if soon else _LATER)
