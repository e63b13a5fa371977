"""The honest way to complete a table: read it and its section of the manual, ask, calculate."""

from __future__ import annotations

import re
from fractions import Fraction

from trainee_bench.meta_tasks.authoring.asking import ask
from trainee_bench.meta_tasks.families.data_completion.formulas import (
    FormulaLine,
    RatesByCategory,
    WorkingTable,
    fill_blanks,
)
from trainee_bench.meta_tasks.tool_client import (
    ToolClient,
    ToolFailed,
    first_match,
    read_text,
    wait_for_task,
)

_FILES = re.compile(r"In (drive:/\S+\.csv) .*? Hand in (workspace:/\S+\.csv)", re.DOTALL)
_MANUAL = re.compile(r'(drive:/\S+\.md), section "([\w.]+)"')
_LINE = re.compile(r"^\| (\w+) \| (.+) \| (\d) \|$", re.MULTILINE)
_ASKED = re.compile(r"The ([^.]+) of (\w+ \d{4}) are not written down. Somebody in (\w+) knows")
_KEEPER = r"(\S+ \S+) in {department} knows the"
_NUMBER = r"(\d+(?:\.\d+)?)"
_FEE = re.compile(rf"\b([A-Z]) {_NUMBER} %")
_CARRIER = re.compile(rf"\b([A-Z]) {_NUMBER} km/h and {_NUMBER} h")


async def complete_table(client: ToolClient) -> None:
    """Hand in the completed copy. Raises ToolFailed, with nothing handed in, where nobody
    tells the rates that are needed."""
    objective = str((await wait_for_task(client))["objective"])
    source, target = first_match(_FILES, objective).groups()
    path, section = first_match(_MANUAL, objective).groups()
    manual = _section(await read_text(client, path), section)
    lines = {
        column: FormulaLine(formula, int(decimals))
        for column, formula, decimals in _LINE.findall(manual)
    }
    sheet = WorkingTable.parse(await read_text(client, source))
    asked = _ASKED.search(objective)
    rates = await _asked(client, source.rpartition("/")[2], *asked.groups()) if asked else {}
    done = fill_blanks(section, sheet, lines, rates)
    await client.call("files_write", path=target, text=done)
    await client.call("desk_submit", task=client.task)


async def _asked(
    client: ToolClient, file: str, what: str, month: str, department: str
) -> RatesByCategory:
    """The rates, from somebody of the department or from whom they name."""
    question = f"What are the {what} of {month} for {file}?"
    listed = await client.call("chat_list_people", department=department)
    first = str(listed.data["people"][0]["id"])
    rates = _told(await ask(client, first, question), file)
    if not rates:
        said = await ask(client, first, f"Who keeps the {what} for {file}?")
        keeper = re.search(_KEEPER.format(department=department), said)
        rates = _told(await ask(client, keeper.group(1), question), file) if keeper else {}
    if not rates:
        raise ToolFailed(f"nobody has told the {what} of {month} for {file}")
    return rates


def _told(answer: str, file: str) -> RatesByCategory:
    """The rates in an answer about *file*, by category, under their names in the manual."""
    if f"For {file}," not in answer:
        return {}
    fees = {key: {"rate": Fraction(share) / 100} for key, share in _FEE.findall(answer)}
    carriers = {
        key: {"speed": Fraction(speed), "handling": Fraction(handling)}
        for key, speed, handling in _CARRIER.findall(answer)
    }
    return fees | carriers


def _section(manual: str, title: str) -> str:
    """What stands under a title of the manual."""
    return manual.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
