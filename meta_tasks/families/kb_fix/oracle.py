"""The honest way to correct links: read the articles, ask each owner, change only the ids."""

from __future__ import annotations

import re

from trainee_bench.meta_tasks.authoring.asking import MAX_WAIT_FOR_ANSWER, ask, id_of
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, read_text, wait_for_task

_PAIR = re.compile(r"^- (drive:/\S+) -> (workspace:/\S+)$", re.MULTILINE)
_LINK = re.compile(r"^Chart: \[.*\]\(\S+/(OLD\d{6})\), owner: (.+)$", re.MULTILINE)
_STANDS_IN = re.compile(r"Please turn to ([A-Z][a-z]+ [A-Z][a-z]+) \(")
_MAPPED = re.compile(r"\b(OLD\d{6}) is now (NEW\d{6})\b")


async def correct_articles(client: ToolClient) -> None:
    """Hand in a corrected copy of each article the task names.

    Raises ToolFailed, after all else is done, if an owner did not tell a new id.
    """
    objective = str((await wait_for_task(client))["objective"])
    untold: list[str] = []
    stand_ins: dict[str, str] = {}
    for source, target in _PAIR.findall(objective):
        text = await read_text(client, source)
        new_ids = await _new_ids(client, text, stand_ins)
        missing = [old for old, _ in _LINK.findall(text) if old not in new_ids]
        if missing:
            untold += missing
            continue
        for old, new in new_ids.items():
            text = text.replace(old, new)
        await client.call("files_write", path=target, text=text)
    if untold:
        raise ToolFailed(f"nobody has told what became of {', '.join(untold)}")
    await client.call("desk_submit", task=client.task)


async def _new_ids(client: ToolClient, text: str, stand_ins: dict[str, str]) -> dict[str, str]:
    """What the owners of the outdated charts in an article tell, or those of *stand_ins* (by
    the owner's name) in their place: old ids to new ones."""
    told: dict[str, str] = {}
    for old, owner in _LINK.findall(text):
        if old not in told:
            answer = await _asked(client, owner, f"What is the new id of chart {old}?", stand_ins)
            told |= dict(_MAPPED.findall(answer))
    return told


async def _asked(client: ToolClient, owner: str, question: str, stand_ins: dict[str, str]) -> str:
    """What *owner* answers, or, if they are away, whoever stands in for them."""
    if owner not in stand_ins:
        first = await _first_answer(client, await id_of(client, owner), question)
        stand_in = _STANDS_IN.search(first)
        if stand_in is None:
            return first
        stand_ins[owner] = stand_in.group(1)
    return await ask(client, await id_of(client, stand_ins[owner]), question)


async def _first_answer(client: ToolClient, person: str, question: str) -> str:
    """What *person* answers, or what their mailbox says of who stands in for them."""
    sent = await client.call("chat_send_message", to=person, text=question)
    number = sent.data["message"]["id"]
    while True:
        history = await client.call("chat_read_history", peer=person, after=number)
        for message in history.data["messages"]:
            text = str(message["text"])
            if message["answers"] == number and (
                not message["automatic"] or _STANDS_IN.search(text)
            ):
                return text
        if history.time >= sent.time + MAX_WAIT_FOR_ANSWER:
            raise ToolFailed(f"{person} has not answered: {question}")
        await client.wait_at_least(3)
