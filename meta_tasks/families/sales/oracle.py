"""The honest way to analyse sales: ask the managers, read the files, leave out, add up."""

from __future__ import annotations

import re

from trainee_bench.meta_tasks.families.sales.deliverables import compute_figures
from trainee_bench.meta_tasks.families.sales.orders import SalesOrder, parse_orders
from trainee_bench.meta_tasks.families.sales.query import (
    RankingEnd,
    SalesQuery,
    SalesQueryType,
    TrendDirection,
)
from trainee_bench.meta_tasks.tool_client import (
    MAX_WAIT_FOR_ANSWER,
    ToolClient,
    ToolFailed,
    ToolResponse,
    first_match,
    read_text,
    wait_for_task,
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


async def analyse_sales(client: ToolClient) -> None:
    """Hand in the figures that the task asks for.

    Raises ToolFailed if a manager did not tell which orders were cancelled.
    """
    text = str((await wait_for_task(client))["objective"])
    wanted = _wanted(text.partition("\n")[0])
    sent = {
        department: await _ask(client, await _manager(client, department, text), department, wanted)
        for department in wanted.departments
    }
    orders = await _orders(client, wanted, first_match(_SAMPLE, text))
    cancelled = {id for question in sent.values() for id in await _told(client, *question)}
    figures = compute_figures(wanted, [order for order in orders if order.id not in cancelled])
    path = first_match(_OUTPUT, text).group(1)
    await client.call("files_write", path=path, text=figures.model_dump_json(indent=2))
    await client.call("desk_submit", task=client.task)


def _wanted(sentence: str) -> SalesQuery:
    """What the first sentence of the task asks for."""
    several = _SEVERAL.search(sentence)
    (quarter, year), *_ = _QUARTER.findall(sentence)
    return SalesQuery(
        type=_type(sentence),
        departments=tuple(_DEPARTMENT.findall(sentence)),
        quarter=int(quarter),
        year=int(year),
        mode=RankingEnd.BOTTOM if " lowest " in sentence else RankingEnd.TOP,
        n=int(several.group(1)) if several else 1,
        direction=TrendDirection.DOWN if " lower " in sentence else TrendDirection.UP,
    )


def _type(sentence: str) -> SalesQueryType:
    if sentence.startswith("Count the employees"):
        return SalesQueryType.PEOPLE_COUNT
    if sentence.startswith("Count the departments"):
        return SalesQueryType.DEPARTMENTS_COUNT
    if sentence.startswith("Work out"):
        return SalesQueryType.AVERAGES if " each of " in sentence else SalesQueryType.STATISTICS
    return SalesQueryType.TOP_ACROSS if " together" in sentence else SalesQueryType.TOP_EACH


async def _manager(client: ToolClient, department: str, text: str) -> str:
    """The id of who manages *department*: whom the task names, or the only one."""
    people = (await client.call("chat_list_people", department=department)).data["people"]
    named = {department: name for name, department in _NAMED.findall(text)}
    for person in people:
        if named.get(department) in (None, person["name"]) and "Manager" in person["title"]:
            return str(person["id"])
    raise ToolFailed(f"nobody manages {department}")


async def _ask(
    client: ToolClient, person: str, department: str, wanted: SalesQuery
) -> tuple[str, ToolResponse]:
    """Ask for the cancelled orders; whom, and what the chat said to the message."""
    quarters = " and ".join(f"Q{quarter}" for quarter in wanted.quarters)
    question = (
        f"Which orders of {department} in {quarters} {wanted.year} were cancelled after the books "
        "were closed?"
    )
    return person, await client.call("chat_send_message", to=person, text=question)


async def _told(client: ToolClient, person: str, sent: ToolResponse) -> list[str]:
    """The ids that *person* names in the answer to what was sent. Raises ToolFailed if there
    is no such answer."""
    number = sent.data["message"]["id"]
    while True:
        history = await client.call("chat_read_history", peer=person, after=number)
        for message in history.data["messages"]:
            if message["answers"] == number and not message["automatic"]:
                text = str(message["text"])
                if _TOLD not in text:
                    raise ToolFailed(f"{person} does not say which orders were cancelled: {text}")
                return _ORDER_ID.findall(text)
        if history.time >= sent.time + MAX_WAIT_FOR_ANSWER:
            raise ToolFailed(f"{person} has not answered")
        await client.wait_at_least(_BETWEEN_LOOKS)


async def _orders(
    client: ToolClient, wanted: SalesQuery, sample: re.Match[str]
) -> list[SalesOrder]:
    """All orders of the departments and quarters."""
    found: list[SalesOrder] = []
    for department in wanted.departments:
        for quarter in wanted.quarters:
            name = f"{department}_Q{quarter}_{wanted.year}"
            found += parse_orders(await read_text(client, name.join(sample.groups())))
    return found
