"""How an oracle asks many people the same: all are written to first, then all answers are read
at once, so that a large department takes no more looks than a small one.

    members = await everybody_in(client, "Engineering")
    answers = await ask_everybody(client, members, question, lambda text: "November" in text)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pydantic import JsonValue

from trainee_bench.meta_tasks.authoring.asking import (
    MAX_WAIT_FOR_ANSWER,
    SentQuestion,
    send_to_each,
)
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed

_MINUTES_BETWEEN_LOOKS = 10


async def everybody_in(client: ToolClient, department: str) -> dict[str, str]:
    """The names of all people of *department*, by their ids, however many pages the directory has
    of them."""
    found: dict[str, str] = {}
    cursor: JsonValue = 0
    while cursor is not None:
        page = await client.call("chat_list_people", department=department, cursor=cursor)
        found |= {str(person["id"]): str(person["name"]) for person in page.data["people"]}
        cursor = page.data["next_cursor"]
    return found


async def ask_everybody(
    client: ToolClient, people: Mapping[str, str], question: str, answers: Callable[[str], bool]
) -> list[str]:
    """Put *question* to all *people* (names by ids), at least one; what each of them answers, in
    their order.

    Raises ToolFailed for somebody who says something that *answers* does not take for an
    answer, or nothing within five hours.
    """
    sent = await send_to_each(client, people, question)
    while True:
        told = await _answers_to(client, sent)
        missing = [person for person in people if person not in told]
        others = [person for person, text in told.items() if not answers(text)]
        if not missing and not others:
            return [told[person] for person in people]
        now = (await client.call("desk_now")).time
        if others or now >= sent[-1].at + MAX_WAIT_FOR_ANSWER:
            raise ToolFailed(f"{', '.join(others or missing)} did not answer: {question}")
        await client.wait_at_least(_MINUTES_BETWEEN_LOOKS)


async def _answers_to(client: ToolClient, sent: Sequence[SentQuestion]) -> dict[str, str]:
    """The answers there are to the questions *sent*, by the id of whose they are."""
    found: dict[str, str] = {}
    last = min(question.number for question in sent)
    while True:
        page = await client.call("chat_read_history", after=last, limit=100)
        messages = page.data["messages"]
        for message in messages:
            for question in sent:
                if question.is_answered_by(message) and not message["automatic"]:
                    found[question.person] = str(message["text"])
        if not page.data["later"]:
            return found
        last = messages[-1]["id"]
