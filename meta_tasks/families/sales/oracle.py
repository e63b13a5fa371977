"""The honest way to analyse sales: ask the managers, read the files, leave out, add up."""

from __future__ import annotations

import re

from meta_tasks.families.sales.figures import work_out
from meta_tasks.families.sales.orders import Order, orders_in
from meta_tasks.families.sales.wanted import Direction, Mode, Type, Wanted
from meta_tasks.hands import (
    MAX_WAIT_FOR_ANSWER,
    Answer,
    Hands,
    ToolFailed,
    first_match,
    my_task,
    read_text,
)

_DEPARTMENT = re.compile(r"\bSales_\d\b")
_QUARTER = re.compile(r"\bQ(\d) (\d{4})\b")
_SAMPLE = re.compile(r"such as (drive:/\S+/sales_)Sales_\d_Q\d_\d{4}(\.csv)\.")
_OUTPUT = re.compile(r"^Hand in (workspace:/\S+\.json),", re.MULTILINE)
_SEVERAL = re.compile(r"\bthe (\d) employees\b")
_NAMED = re.compile(r"([A-Z][a-z]+ [A-Z][a-z]+) in (Sales_\d)\b")
_TOLD = "cancelled after the books were closed: "
_BETWEEN_LOOKS = 6
_ORDER_ID = re.compile(r"\bS\d-\d\d-\d{5}\b")


async def analyse(hands: Hands) -> None:
    """Hand in the figures that the task asks for.

    Raises ToolFailed if a manager did not tell which orders were cancelled.
    """
    text = str((await my_task(hands))["objective"])
    wanted = _wanted(text.partition("\n")[0])
    sent = {
        department: await _ask(hands, await _manager(hands, department, text), department, wanted)
        for department in wanted.departments
    }
    orders = await _orders(hands, wanted, first_match(_SAMPLE, text))
    cancelled = {id for question in sent.values() for id in await _told(hands, *question)}
    figures = work_out(wanted, [order for order in orders if order.id not in cancelled])
    path = first_match(_OUTPUT, text).group(1)
    await hands.call("files_write", path=path, text=figures.model_dump_json(indent=2))
    await hands.call("desk_submit", task=hands.task)


def _wanted(sentence: str) -> Wanted:
    """What the first sentence of the task asks for."""
    several = _SEVERAL.search(sentence)
    (quarter, year), *_ = _QUARTER.findall(sentence)
    return Wanted(
        type=_type(sentence),
        departments=tuple(_DEPARTMENT.findall(sentence)),
        quarter=int(quarter),
        year=int(year),
        mode=Mode.BOTTOM if " lowest " in sentence else Mode.TOP,
        n=int(several.group(1)) if several else 1,
        direction=Direction.DOWN if " lower " in sentence else Direction.UP,
    )


def _type(sentence: str) -> Type:
    if sentence.startswith("Count the employees"):
        return Type.PEOPLE_COUNT
    if sentence.startswith("Count the departments"):
        return Type.DEPARTMENTS_COUNT
    if sentence.startswith("Work out"):
        return Type.AVERAGES if " each of " in sentence else Type.STATISTICS
    return Type.TOP_ACROSS if " together" in sentence else Type.TOP_EACH


async def _manager(hands: Hands, department: str, text: str) -> str:
    """The id of who manages *department*: whom the task names, or the only one."""
    people = (await hands.call("chat_list_people", department=department)).data["people"]
    named = {department: name for name, department in _NAMED.findall(text)}
    for person in people:
        if named.get(department) in (None, person["name"]) and "Manager" in person["title"]:
            return str(person["id"])
    raise ToolFailed(f"nobody manages {department}")


async def _ask(hands: Hands, person: str, department: str, wanted: Wanted) -> tuple[str, Answer]:
    """Ask for the cancelled orders; whom, and what the chat said to the message."""
    quarters = " and ".join(f"Q{quarter}" for quarter in wanted.quarters)
    question = (
        f"Which orders of {department} in {quarters} {wanted.year} were cancelled after the books "
        "were closed?"
    )
    return person, await hands.call("chat_send_message", to=person, text=question)


async def _told(hands: Hands, person: str, sent: Answer) -> list[str]:
    """The ids that *person* names in the answer to what was sent. Raises ToolFailed if there
    is no such answer."""
    number = sent.data["message"]["id"]
    while True:
        history = await hands.call("chat_read_history", peer=person, after=number)
        for message in history.data["messages"]:
            if message["answers"] == number and not message["automatic"]:
                text = str(message["text"])
                if _TOLD not in text:
                    raise ToolFailed(f"{person} does not say which orders were cancelled: {text}")
                return _ORDER_ID.findall(text)
        if history.time >= sent.time + MAX_WAIT_FOR_ANSWER:
            raise ToolFailed(f"{person} has not answered")
        await hands.rest(_BETWEEN_LOOKS)


async def _orders(hands: Hands, wanted: Wanted, sample: re.Match[str]) -> list[Order]:
    """All orders of the departments and quarters."""
    found: list[Order] = []
    for department in wanted.departments:
        for quarter in wanted.quarters:
            name = f"{department}_Q{quarter}_{wanted.year}"
            found += orders_in(await read_text(hands, name.join(sample.groups())))
    return found
