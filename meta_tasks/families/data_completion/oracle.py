"""The honest way to complete a table: read it and its section of the manual, ask, calculate."""

from __future__ import annotations

import re
from fractions import Fraction

from meta_tasks.families.data_completion.calculations import Line, Rates, Sheet, complete
from meta_tasks.hands import Hands, ToolFailed, ask, first_match, my_task, read_text

_FILES = re.compile(r"In (drive:/\S+\.csv) .*? Hand in (workspace:/\S+\.csv)", re.DOTALL)
_MANUAL = re.compile(r'(drive:/\S+\.md), section "([\w.]+)"')
_LINE = re.compile(r"^\| (\w+) \| (.+) \| (\d) \|$", re.MULTILINE)
_ASKED = re.compile(r"The ([^.]+) of (\w+ \d{4}) are not written down. Somebody in (\w+) knows")
_KEEPER = r"(\S+ \S+) in {department} knows the"
_NUMBER = r"(\d+(?:\.\d+)?)"
_FEE = re.compile(rf"\b([A-Z]) {_NUMBER} %")
_CARRIER = re.compile(rf"\b([A-Z]) {_NUMBER} km/h and {_NUMBER} h")


async def complete_table(hands: Hands) -> None:
    """Hand in the completed copy. Raises ToolFailed, with nothing handed in, where nobody
    tells the rates that are needed."""
    objective = str((await my_task(hands))["objective"])
    source, target = first_match(_FILES, objective).groups()
    path, section = first_match(_MANUAL, objective).groups()
    manual = _section(await read_text(hands, path), section)
    lines = {
        column: Line(formula, int(decimals)) for column, formula, decimals in _LINE.findall(manual)
    }
    sheet = Sheet.parse(await read_text(hands, source))
    asked = _ASKED.search(objective)
    rates = await _asked(hands, source.rpartition("/")[2], *asked.groups()) if asked else {}
    done = complete(section, sheet, lines, rates)
    await hands.call("files_write", path=target, text=done)
    await hands.call("desk_submit", task=hands.task)


async def _asked(hands: Hands, file: str, what: str, month: str, department: str) -> Rates:
    """The rates, from somebody of the department or from whom they name."""
    question = f"What are the {what} of {month} for {file}?"
    listed = await hands.call("chat_list_people", department=department)
    first = str(listed.data["people"][0]["id"])
    rates = _told(await ask(hands, first, question), file)
    if not rates:
        said = await ask(hands, first, f"Who keeps the {what} for {file}?")
        keeper = re.search(_KEEPER.format(department=department), said)
        rates = _told(await ask(hands, keeper.group(1), question), file) if keeper else {}
    if not rates:
        raise ToolFailed(f"nobody has told the {what} of {month} for {file}")
    return rates


def _told(answer: str, file: str) -> Rates:
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
