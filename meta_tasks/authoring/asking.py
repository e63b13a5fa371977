"""How an oracle asks colleagues: whom, and until the answer is there.

    answer = await ask(client, person, "Who keeps the rates?")     one question, its answer's text
    rates = await ask_fact(client, person, RATES, {"file": name})  what it tells, as a value

Answers take minutes: send all questions first (`send`), work, then read each (`answer_to`).
Several people are asked the same in groups (`send_to_each`), which takes less time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar

from trainee_bench.meta_tasks.authoring.hidden_fact import NO_DETAILS, HiddenFact
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolData, ToolFailed
from trainee_bench.world.apps.chat import MAX_ADDRESSEES

T = TypeVar("T")
MAX_WAIT_FOR_ANSWER = timedelta(hours=9)
"""Somebody may be in meetings until shortly before they go home."""
MINUTES_BETWEEN_LOOKS = 3
"""How often an oracle looks whether it has been answered."""
SMALLEST_GROUP = 3
"""So many people are asked in a group: to make one and to write to it takes eleven minutes, to
write to each person five."""
SOON = timedelta(minutes=15)
MINUTES_LATER = 10
"""How often it looks when the answer has not come soon."""


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


async def people(client: ToolClient, query: str = "", department: str = "") -> list[Contact]:
    """The people whom the directory finds, the first page of them."""
    given = {"query": query, "department": department}
    found = await client.call("chat_list_people", **{k: v for k, v in given.items() if v})
    return [
        Contact(one["id"], one["name"], one["title"], one["department"])
        for one in found.data["people"]
    ]


async def person_called(client: ToolClient, name: str) -> Contact | None:
    """The person of this full name, if there is one."""
    found = await people(client, query=name) if name else []
    return next((person for person in found if person.name == name), None)


async def id_of(client: ToolClient, name: str) -> str:
    """The id of the person of this full name. Raises ToolFailed if the directory has nobody."""
    person = await person_called(client, name)
    if person is None:
        raise ToolFailed(f"nobody is called {name}")
    return person.id


async def manager_of(client: ToolClient, department: str, name: str = "") -> Contact:
    """Who manages *department*: the one of this *name*, or without one the first that is listed.

    Raises ToolFailed if there is no such manager.
    """
    for person in await people(client, department=department):
        if person.is_manager and name in ("", person.name):
            return person
    raise ToolFailed(f"nobody manages {department}")


# questions and answers --------------------------------------------------------------------


@dataclass(frozen=True)
class SentQuestion:
    """A question that was sent: to whom, in which words, its message's number, when, and in which
    group, if not in private. One to a group is answered by each whom it names."""

    person: str
    text: str
    number: int
    at: datetime
    group: str = ""

    def is_answered_by(self, message: ToolData) -> bool:
        """Whether *message*, of the chat's history, answers it for this person."""
        return message["answers"] == self.number and (
            not self.group or message["sender"] == self.person
        )


async def send(client: ToolClient, person: str, text: str) -> SentQuestion:
    """Write to *person* (id or full name) without waiting for the answer."""
    sent = await client.call("chat_send_message", to=person, text=text)
    return SentQuestion(person, text, sent.data["message"]["id"], sent.time)


async def send_to_each(
    client: ToolClient, people: Mapping[str, str], text: str
) -> list[SentQuestion]:
    """Write the same to all of *people* (names by ids): in groups, where that takes less time."""
    sent = list[SentQuestion]()
    ids = list(people)
    for first in range(0, len(ids), MAX_ADDRESSEES):
        some = ids[first : first + MAX_ADDRESSEES]
        if len(some) < SMALLEST_GROUP:
            sent += [await send(client, person, text) for person in some]
            continue
        made = await client.call("chat_create_group", name=f"For {client.task}", members=[*some])
        (group,) = made.data["groups"]
        addressed = f"{', '.join(people[person] for person in some)}: {text}"
        to_all = await send(client, group["id"], addressed)
        sent += [replace(to_all, person=person, group=group["id"]) for person in some]
    return sent


async def automatic_reply(client: ToolClient, question: SentQuestion) -> str | None:
    """What the mailbox of who is away replied at once to a question that was just sent."""
    place = question.group or question.person
    history = await client.call("chat_read_history", peer=place, after=question.number)
    for message in history.data["messages"]:
        if message["automatic"] and question.is_answered_by(message):
            return str(message["text"])
    return None


async def answer_to(
    client: ToolClient,
    question: SentQuestion,
    minutes_between_looks: int = MINUTES_BETWEEN_LOOKS,
) -> str:
    """Wait for the answer to this very message; its text. Automatic replies (somebody is away) do
    not count.

    Raises ToolFailed if none comes within `MAX_WAIT_FOR_ANSWER`.
    """
    while True:
        history = await client.call(
            "chat_read_history", peer=question.group or question.person, after=question.number
        )
        for message in history.data["messages"]:
            if question.is_answered_by(message) and not message["automatic"]:
                return str(message["text"])
        if history.time >= question.at + MAX_WAIT_FOR_ANSWER:
            raise ToolFailed(f"{question.person} has not answered: {question.text}")
        soon = history.time < question.at + SOON
        await client.wait_at_least(minutes_between_looks if soon else MINUTES_LATER)


async def ask(client: ToolClient, person: str, text: str) -> str:
    """Write to *person* and wait for the answer to this very message; its text.

    Raises ToolFailed if nobody answers within `MAX_WAIT_FOR_ANSWER`.
    """
    return await answer_to(client, await send(client, person, text))


async def ask_all(client: ToolClient, questions: Sequence[tuple[str, str]]) -> list[str]:
    """Send all questions (to whom, what), then wait for the answer to each; their texts.

    Raises ToolFailed if one does not come within `MAX_WAIT_FOR_ANSWER`.
    """
    sent = [await send(client, person, text) for person, text in questions]
    return [await answer_to(client, question) for question in sent]


async def ask_fact(
    client: ToolClient, person: str, fact: HiddenFact[T], about: Mapping[str, str] = NO_DETAILS
) -> T:
    """Ask *person* for *fact*; what they tell.

    Raises ToolFailed if nobody answers, or the answer tells something else.
    """
    return fact.told_in(await ask(client, person, fact.question(about)))


async def ask_in_turn(
    client: ToolClient,
    persons: Sequence[str],
    fact: HiddenFact[T],
    about: Mapping[str, str] = NO_DETAILS,
) -> T | None:
    """Ask *persons* for *fact*, one after the other, until one tells it; None if nobody does."""
    for person in persons:
        told = fact.answer.search(await ask(client, person, fact.question(about)))
        if told is not None:
            return told
    return None
