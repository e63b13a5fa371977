"""How an oracle asks many people the same: all are written to first, then all answers are read
at once, so that a large department takes no more looks than a small one.

    members = await everybody_in(client, "Engineering")
    answers = await ask_everybody(client, members, question, lambda text: "November" in text)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from pydantic import JsonValue

from trainee_bench.meta_tasks.authoring.asking import MAX_WAIT_FOR_ANSWER, send
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed

_MINUTES_BETWEEN_LOOKS = 10


async def everybody_in(client: ToolClient, department: str) -> list[str]:
    """The ids of all people of *department*, however many pages the directory has of them."""
    found: list[str] = []
    cursor: JsonValue = 0
    while cursor is not None:
        page = await client.call("chat_list_people", department=department, cursor=cursor)
        found += [str(person["id"]) for person in page.data["people"]]
        cursor = page.data["next_cursor"]
    return found


async def ask_everybody(
    client: ToolClient, persons: Sequence[str], question: str, answers: Callable[[str], bool]
) -> list[str]:
    """Put *question* to all *persons*, at least one; what each of them answers, in their order.

    Raises ToolFailed for somebody who says something that *answers* does not take for an
    answer, or nothing within three hours.
    """
    sent = [await send(client, person, question) for person in persons]
    people = {one.number: one.person for one in sent}
    while True:
        told = await _answers_to(client, people)
        missing = [person for number, person in people.items() if number not in told]
        silent = [people[number] for number, text in told.items() if not answers(text)]
        if not missing and not silent:
            return [told[number] for number in people]
        now = (await client.call("desk_now")).time
        if silent or now >= sent[-1].at + MAX_WAIT_FOR_ANSWER:
            raise ToolFailed(f"{', '.join(silent or missing)} did not answer: {question}")
        await client.wait_at_least(_MINUTES_BETWEEN_LOOKS)


async def _answers_to(client: ToolClient, numbers: Collection[int]) -> dict[int, str]:
    """The answers there are to the messages of these *numbers*, by number."""
    found: dict[int, str] = {}
    last = min(numbers)
    while True:
        page = await client.call("chat_read_history", after=last, limit=100)
        messages = page.data["messages"]
        for message in messages:
            if message["answers"] in numbers and not message["automatic"]:
                found[message["answers"]] = str(message["text"])
        if not page.data["later"]:
            return found
        last = messages[-1]["id"]
