"""Solvers for the completion task.

The honest one reads the table and its section of the manual, asks for rates and calculates. The
shortcut repeats the cell above.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from trainee_bench.meta_tasks.authoring import (
    MONTH,
    WORD,
    TextTemplate,
    ToolClient,
    hand_in,
    read_brief,
    read_text,
)
from trainee_bench.meta_tasks.families.data_completion.brief import (
    HANDBOOK,
    HIDDEN_RATES,
    MANUAL_RULES,
    OBJECTIVE,
    OBJECTIVE_RULES,
    SECTION_RULES,
    DataCompletionBrief,
    ToldRates,
    rules_for,
)
from trainee_bench.meta_tasks.families.data_completion.subject.dataset import (
    parse_number,
    round_half_away,
)
from trainee_bench.meta_tasks.work.achieving import FileHas, HandedIn
from trainee_bench.meta_tasks.work.asking import FactQuestion
from trainee_bench.meta_tasks.work.need import All, Work
from trainee_bench.meta_tasks.work.reading import FileText, Page, TaskBrief
from trainee_bench.meta_tasks.work.referring import ToldBySomebody, WhoKnows

RatesByCategory = Mapping[str, Mapping[str, Fraction]]
"""Told rates: by category, each rate by its name in the manual."""
Rows = list[dict[str, str]]
"""The rows of a table, each with its cells by column."""


@dataclass(frozen=True)
class ManualLine:
    """A line of the manual: a column, the formula for its missing values, and the decimals."""

    column: str
    formula: str
    decimals: int


_MANUAL_LINE = TextTemplate(ManualLine, "| {column} | {formula} | {decimals} |", {"column": WORD})


def section_lines(manual: str, title: str) -> dict[str, ManualLine]:
    """Return the lines of the manual's section *title* by column."""
    section = manual.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return {line.column: line for line in _MANUAL_LINE.find_all(section)}


# calculating --------------------------------------------------------------------------------


def complete_text(
    text: str, section: str, lines: Mapping[str, ManualLine], rates: RatesByCategory
) -> str:
    """Fill every blank of the table in *text* (CSV without quotes) by the manual's *lines*.

    Repeats until nothing is blank, since some values depend on others that are missing. Raises
    LookupError if the remaining cells cannot be calculated.
    """
    columns, *cells = [line.split(",") for line in text.splitlines()]
    rows = [dict(zip(columns, row, strict=True)) for row in cells]
    from_other_rows = _FROM_OTHER_ROWS.get(section)
    while blanks := [(n, name) for n, row in enumerate(rows) for name in columns if not row[name]]:
        found = {}
        for number, column in blanks:
            value = (
                from_other_rows(rows, number, column)
                if from_other_rows
                else _by_formula(lines[column].formula, _known(rows, number, rates))
            )
            if value is not None:
                found[number, column] = round_half_away(value, lines[column].decimals)
        if not found:
            raise LookupError("the other empty cells cannot be calculated")
        for (number, column), cell in found.items():
            rows[number][column] = cell
    return "".join(f"{','.join(line)}\n" for line in (columns, *(row.values() for row in rows)))


def _known(rows: Rows, number: int, rates: RatesByCategory) -> dict[str, Fraction]:
    """Return the known values for a row, by their names in the manual."""
    row = rows[number]
    cells = dict(row)
    if "qoq" in row:
        quarters = [quarter for quarter in rows if quarter["entity"] == row["entity"]]
        at = quarters.index(row)
        for name, near in (("last", quarters[at - 1 : at]), ("next", quarters[at + 1 : at + 2])):
            for quarter in near:
                cells |= {name: quarter["quarter_total"], f"{name}_qoq": quarter["qoq"]}
    numbers = {name: parse_number(cell) for name, cell in cells.items()}
    known = {name: value for name, value in numbers.items() if value is not None}
    for cell in row.values():
        known |= rates.get(cell, {})
    return known


def _on_straight_line(rows: Rows, number: int, column: str) -> Fraction:
    """Interpolate between the last value before a gap and the first value after it."""
    shown = [at for at, row in enumerate(rows) if row[column]]
    before = max(at for at in shown if at < number)
    after = min(at for at in shown if at > number)
    start, end = Fraction(rows[before][column]), Fraction(rows[after][column])
    return start + (end - start) * (number - before) / (after - before)


def _rolling_mean(rows: Rows, number: int, column: str) -> Fraction:
    """Return the mean of the metric over up to seven days."""
    window = [Fraction(row["metric"]) for row in rows[max(0, number - 6) : number + 1]]
    return sum(window, Fraction(0)) / len(window)


_FROM_OTHER_ROWS: Mapping[str, Callable[[Rows, int, str], Fraction]] = {
    "inventory.daily_interpolation": _on_straight_line,
    "web.rolling_avg": _rolling_mean,
}
"""Calculations for sections that describe the missing value in words, not as a formula."""
_OPERATORS: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _by_formula(formulas: str, names: Mapping[str, Fraction]) -> Fraction | None:
    """Evaluate the first formula of "A, or B" whose names are all known, or return None."""
    for formula in formulas.split(", or "):
        tree = ast.parse(formula, mode="eval")
        if all(node.id in names for node in ast.walk(tree) if isinstance(node, ast.Name)):
            return _value(tree.body, names)
    return None


def _value(node: ast.expr, names: Mapping[str, Fraction]) -> Fraction:
    """Evaluate a formula of names, whole numbers, + - * / and brackets."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_value(left, names), _value(right, names))
        case ast.Name(id=name):
            return names[name]
        case ast.Constant(value=int(number)):
            return Fraction(number)
        case _:
            raise AssertionError(f"not a formula: {ast.dump(node)}")


@dataclass(frozen=True)
class RatesOfMonth(FactQuestion[ToldRates]):
    """The rates of a month for a file."""

    def read(self, text: str) -> Mapping[str, ToldRates]:
        """Return the rates in *text* by subject, for any file and month."""
        told = self.fact.answer.search(text)
        return {f"{self.name} {told.file} {MONTH.render(told.month)}": told} if told else {}


async def honest_work(work: Work, task: str) -> None:
    """Read the table and the manual while colleagues answer, then fill and hand in the copy."""
    brief = await work(TaskBrief(task, OBJECTIVE, OBJECTIVE_RULES, rules_for))
    rules = (*MANUAL_RULES, *SECTION_RULES.get(brief.section, ()))
    asked = (_rates(task, brief),) if brief.month else ()
    manual, text, answers = await work.three(
        Page(HANDBOOK.path, rules), FileText(brief.source, task), All(asked)
    )
    rates = {
        rate.category: rate.rate._asdict()
        for need, told in zip(asked, answers, strict=True)
        for rate in told[need.question.subjects[0]].rates
    }
    lines = section_lines(manual, brief.section)
    table = complete_text(text, brief.section, lines, rates)
    await work(HandedIn(task, (FileHas(brief.target, table),)))


def _rates(task: str, brief: DataCompletionBrief) -> ToldBySomebody[ToldRates]:
    """Ask who knows the rates in the department that the objective names, then ask them."""
    hidden, where, matter = HIDDEN_RATES[brief.section], brief.department, f"{brief.noun} for "
    who = WhoKnows(
        hidden.keeper.question(brief.about),
        others=f" in {where} knows the {matter}{brief.file}.",
        own=f"I know the {matter}{brief.file}.",
    )
    question = RatesOfMonth(matter, hidden.fact, tuple(brief.about.items()))
    return ToldBySomebody(task, where, who, question)


async def repeat_the_cell_above(client: ToolClient) -> None:
    """Hand in the table with each blank filled from the cell above, or else below."""
    brief = await read_brief(client, OBJECTIVE)
    header, *lines = (await read_text(client, brief.source)).splitlines()
    rows = [line.split(",") for line in lines]
    for order in (rows, rows[::-1]):
        above = [""] * len(header.split(","))
        for row in order:
            row[:] = above = [cell or before for cell, before in zip(row, above, strict=True)]
    await hand_in(
        client, brief.target, "".join(f"{line}\n" for line in (header, *map(",".join, rows)))
    )
