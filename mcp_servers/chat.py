"""The chat server: the people directory, messages to people and groups, their history."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field, TypeAdapter

from trainee_bench.mcp_servers.serving.toolbox import Toolbox
from trainee_bench.world.apps.chat import MAX_ADDRESSEES, Chat, ChatGroup, ChatMessage
from trainee_bench.world.colleagues.availability import Availability
from trainee_bench.world.colleagues.model_reply import ReplyDraft
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.name_forms import is_plain, loose_key
from trainee_bench.world.company.people import Person
from trainee_bench.world.desk_records import format_clock
from trainee_bench.world.errors import Invalid, NotFound
from trainee_bench.world.folding import folded
from trainee_bench.world.transaction import Result, Transaction

TOOLS = Toolbox(
    "chat",
    "Look up people, write to them or to groups, read their answers.",
    opt_in=False,
    examples=(
        ("chat_create_group", {"name": "hello", "members": ["{colleague}"]}),
        ("chat_send_message", {"to": "{colleague}", "text": "Hello, how are you?"}),
    ),
)

PAGE_PEOPLE = 50
PAGE_CHARACTERS = 10_000
GROUP_COST_FACTOR = 2
"""How many times longer a message to a group takes than one to a person."""

DRAFTS_EFFECT = "drafts"
"""The name of the effect that holds the replies drafted by a model."""
_DRAFTS = TypeAdapter(dict[str, ReplyDraft])

Peer = Annotated[str, Field(description="A person's id, name or e-mail, or a group's id")]


class DirectoryEntry(BaseModel, frozen=True):
    """A person in the directory. ``hours`` are the daily working hours, such as "08:30-17:30".
    ``away`` is the end of a known absence, or None."""

    id: str
    name: str
    title: str
    department: str
    hours: str
    away: datetime | None


class PeoplePage(BaseModel, frozen=True):
    """One page of the directory; ``next_cursor`` is None on the last."""

    people: tuple[DirectoryEntry, ...]
    total: int
    next_cursor: int | None


class SentMessage(BaseModel, frozen=True):
    """A message that was sent."""

    message: ChatMessage


class ChatHistory(BaseModel, frozen=True):
    """Messages, newest last; ``earlier`` and ``later`` count those left out."""

    messages: tuple[ChatMessage, ...]
    earlier: int
    later: int


class GroupList(BaseModel, frozen=True):
    """Groups."""

    groups: tuple[ChatGroup, ...]


@TOOLS.tool(read_only=True)
def chat_list_people(
    tx: Transaction,
    department: Annotated[str, Field(description="Only this department")] = "",
    query: Annotated[str, Field(description="Part of a name or title")] = "",
    cursor: Annotated[int, Field(ge=0, description="next_cursor of the previous page")] = 0,
) -> Result[PeoplePage]:
    """List your colleagues: id, title, department, working hours and announced absences. Use it to
    find out whom to ask, and until when they answer."""
    directory = Directory(tx)
    everybody = directory.everybody()
    named = directory.department_called(department)
    listed = _in_department(everybody, named) if named else everybody
    wanted = folded(query.strip())
    found = [
        person
        for person in listed
        if (
            wanted in folded(f"{person.name}\n{person.title}\n{person.id}")
            or _is_called(person, query)
        )
        and person.id != tx.actor
    ]
    if cursor and cursor >= len(found):
        raise Invalid(f"There are only {len(found)}; start without a cursor.")
    page = tuple(_entry(tx, person) for person in found[cursor : cursor + PAGE_PEOPLE])
    end = cursor + len(page)
    counted = "1 person" if len(found) == 1 else f"{len(found)} people"
    lines = [f"{counted}: id | name | title | department | at work"] if page else []
    lines += [
        f"{p.id} | {p.name} | {p.title} | {p.department} | {p.hours}"
        + (f" | away until {p.away:%a %H:%M}" if p.away else "")
        for p in page
    ]
    more = end if end < len(found) else None
    lines += [] if more is None else [f"({end} of {len(found)}; continue with cursor={end})"]
    text = "\n".join(lines) or "Nobody found; leave out the query or the department."
    return Result(text, PeoplePage(people=page, total=len(found), next_cursor=more))


def _is_called(person: Person, query: str) -> bool:
    """Return whether *query* is a part of a name that is not plain, apart from accents."""
    return not is_plain(person.name) and loose_key(query) in loose_key(person.name)


@TOOLS.tool(minutes=5, effort=10)
def chat_send_message(
    tx: Transaction,
    to: Peer,
    text: Annotated[str, Field(description="In a group, name up to five people who should answer")],
) -> Result[SentMessage]:
    """Write to a colleague or a group; a group takes twice as long. Write about one matter
    in a message; it may ask the same about several people, files or other items. Answers come as
    messages, usually before this call ends."""
    chat = Chat(tx)
    message = chat.send(to, text, _drafts(tx))
    answering = chat.responders(message)
    if isinstance(chat.resolve(message.to), ChatGroup):
        tx.extend_until(tx.now + GROUP_COST_FACTOR * (tx.until - tx.now))
    remarks = [f"Sent as message {message.id}.", *_expected_answers(tx, message, answering)]
    return Result(" ".join(remarks), SentMessage(message=message))


@TOOLS.tool(read_only=True)
def chat_read_history(
    tx: Transaction,
    peer: Annotated[str, Field(description="A person or a group's id; default: all chats")] = "",
    after: Annotated[int, Field(ge=0, description="Only messages after this number")] = 0,
    before: Annotated[int, Field(ge=0, description="Only messages before this number")] = 0,
    limit: Annotated[int, Field(ge=1, le=100, description="Maximum messages")] = 20,
) -> Result[ChatHistory]:
    """Read messages, newest last: with `after`, the first ones after it; otherwise the latest."""
    found = Chat(tx).history(peer, after, before)
    messages = (
        _first_that_fit(found[:limit]) if after else _first_that_fit(found[::-1][:limit])[::-1]
    )
    rest = len(found) - len(messages)
    earlier, later = (0, rest) if after else (rest, 0)
    names = {person.id: person.name for person in Directory(tx).everybody()}
    lines = [_line(tx, message, names) for message in messages]
    if earlier:
        lines.insert(0, f"({earlier} earlier; continue with before={messages[0].id})")
    if later:
        lines.append(f"({later} later; continue with after={messages[-1].id})")
    text = "\n".join(lines) or "No messages."
    return Result(text, ChatHistory(messages=messages, earlier=earlier, later=later))


@TOOLS.tool()
def chat_create_group(
    tx: Transaction,
    name: Annotated[str, Field(description="Name of the group")],
    members: Annotated[list[str], Field(description="Ids, names or e-mails; you always belong")],
) -> Result[GroupList]:
    """Create a group, to write to several people at once."""
    group = Chat(tx).create_group(name, members)
    return Result(_in_words(group), GroupList(groups=(group,)))


@TOOLS.tool(read_only=True)
def chat_list_groups(tx: Transaction) -> Result[GroupList]:
    """List your groups with their ids and members."""
    groups = Chat(tx).groups()
    text = "\n".join(map(_in_words, groups)) or "No groups; create one with chat_create_group."
    return Result(text, GroupList(groups=groups))


def _drafts(tx: Transaction) -> dict[str, ReplyDraft]:
    """Return the replies drafted by the model that plays colleagues, by colleague id."""
    given = tx.effect(DRAFTS_EFFECT)
    return _DRAFTS.validate_json(json.dumps(given)) if given else {}


def _in_department(people: list[Person], department: str) -> list[Person]:
    """Return the people of the department. Raises NotFound, which lists all departments."""
    wanted = department.casefold()
    found = [person for person in people if person.department.casefold() == wanted]
    if not found:
        known = ", ".join(sorted({person.department for person in people}))
        raise NotFound(f"There is no department {department[:40]!r}. Departments: {known}.")
    return found


def _entry(tx: Transaction, person: Person) -> DirectoryEntry:
    absence = Availability(tx).absence(person.id)
    return DirectoryEntry(
        id=person.id,
        name=person.name,
        title=person.title,
        department=person.department,
        hours=f"{person.hours.starts:%H:%M}-{person.hours.ends:%H:%M}",
        away=absence.until if absence and absence.public else None,
    )


def _expected_answers(
    tx: Transaction, message: ChatMessage, answering: tuple[Person, ...]
) -> list[str]:
    """Return what to expect: that nobody will answer, or who will answer later."""
    if not answering and message.to != tx.employee:
        named = len(Chat(tx).named_members(message))
        why = f"names {named} members of the group, and each will leave it to the others"
        if not named:
            why = "names no member of the group"
        return [f"It {why}, so nobody will answer: name up to {MAX_ADDRESSEES} who should."]
    return [
        f"{person.name} is at work from {person.hours.starts:%H:%M}."
        for person in answering
        if tx.now.time() < person.hours.starts
    ]


def _first_that_fit(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    """Return as many of the first messages as fit into a result, at least one."""
    room = PAGE_CHARACTERS
    for number, message in enumerate(messages):
        room -= len(message.text) + 60
        if room < 0 and number:
            return messages[:number]
    return messages


def _line(tx: Transaction, message: ChatMessage, names: dict[str, str]) -> str:
    who = "you" if message.sender == tx.actor else names[message.sender]
    to = "you" if message.to == tx.actor else names.get(message.to, message.to)
    answering = f" (answers {message.answers})" if message.answers else ""
    return f"{message.id}{answering} {format_clock(tx, message.at)} {who} to {to}: {message.text}"


def _in_words(group: ChatGroup) -> str:
    return f"{group.id} {group.name}: {', '.join(group.members)}"
