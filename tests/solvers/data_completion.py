"""Solver of the family data_completion: fills the empty cells of a table by the manual."""

from __future__ import annotations

import ast
import csv
import io
import re
from decimal import ROUND_HALF_UP, Decimal

from tests.solvers.office import Office, Session, find, target_file

MANUAL_ROW = re.compile(r"^\| *(\w+) *\| *([^|]+?) *\| *(\d+) *\|$", re.MULTILINE)
MAX_QUESTIONS = 4
Figures = dict[str, dict[str, Decimal]]
"""Figures by name, for each carrier or category."""


def evaluate(expression: str, values: dict[str, Decimal]) -> Decimal:
    """Calculate an arithmetic expression with names, without eval."""

    def walk(node: ast.AST) -> Decimal:
        if isinstance(node, ast.Expression):
            return walk(node.body)
        if isinstance(node, ast.Name):
            return values[node.id]
        if isinstance(node, ast.Constant):
            return Decimal(str(node.value))
        if isinstance(node, ast.BinOp):
            left, right = walk(node.left), walk(node.right)
            if isinstance(node.op, ast.Add):
                return left + right
            if isinstance(node.op, ast.Sub):
                return left - right
            return left * right if isinstance(node.op, ast.Mult) else left / right
        raise ValueError(expression)

    return walk(ast.parse(expression, mode="eval"))


def rounded(value: Decimal, decimals: int) -> str:
    """Write a number with a fixed number of decimals."""
    return str(value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


class Table:
    """A CSV table with empty cells, and the manual's rules for its columns."""

    def __init__(self, text: str, section: str) -> None:
        self.text = text
        self.header, *self.rows = list(csv.reader(io.StringIO(text)))
        self.rules = {m[1]: (m[2], int(m[3])) for m in MANUAL_ROW.finditer(section)}

    def column(self, name: str) -> int:
        """A column's position."""
        return self.header.index(name)

    def empty_cells(self) -> list[tuple[int, str]]:
        """Row and column name of each empty cell."""
        return [
            (row, name)
            for row, cells in enumerate(self.rows)
            for name, cell in zip(self.header, cells, strict=True)
            if cell == ""
        ]

    def numbers(self, row: int) -> dict[str, Decimal]:
        """A row's numbers by column."""
        found: dict[str, Decimal] = {}
        for name, cell in zip(self.header, self.rows[row], strict=True):
            if re.fullmatch(r"-?\d+(\.\d+)?", cell):
                found[name] = Decimal(cell)
        return found

    def fill_by_formula(self, extra: Figures) -> None:
        """Fill each cell from its row; *extra* has more figures for texts in the row."""
        for row, name in self.empty_cells():
            values = self.numbers(row)
            for cell in self.rows[row]:
                values.update(extra.get(cell, {}))
            expression, decimals = self.rules[name]
            self.rows[row][self.column(name)] = rounded(evaluate(expression, values), decimals)

    def fill_means(self) -> None:
        """Fill the means of the last seven days."""
        metric, target = self.column("metric"), self.column("rolling_7d")
        for row, _ in self.empty_cells():
            days = [Decimal(cells[metric]) for cells in self.rows[max(0, row - 6) : row + 1]]
            mean = sum(days, Decimal(0)) / len(days)
            self.rows[row][target] = rounded(mean, self.rules["rolling_7d"][1])

    def fill_lines(self) -> None:
        """Fill gaps in the stock along a straight line."""
        level = self.column("stock_level")
        known = [row for row, cells in enumerate(self.rows) if cells[level] != ""]
        for row, _ in self.empty_cells():
            before = max(k for k in known if k < row)
            after = min(k for k in known if k > row)
            first, last = Decimal(self.rows[before][level]), Decimal(self.rows[after][level])
            value = first + (last - first) * (row - before) / (after - before)
            self.rows[row][level] = rounded(value, self.rules["stock_level"][1])

    def fill_growth(self) -> None:
        """Fill totals from the neighbouring quarters, then the growth."""
        total, qoq = self.column("quarter_total"), self.column("qoq")
        entity = self.column(self.header[0])
        branches: dict[str, list[list[str]]] = {}
        for cells in self.rows:
            branches.setdefault(cells[entity], []).append(cells)
        for _ in range(len(self.rows)):
            open_cells = len(self.empty_cells())
            for quarters in branches.values():
                self.fill_branch(quarters, total, qoq)
            if len(self.empty_cells()) == open_cells:
                return

    def fill_branch(self, quarters: list[list[str]], total: int, qoq: int) -> None:
        """Fill what one branch's quarters allow now."""
        for position, cells in enumerate(quarters):
            last = quarters[position - 1] if position else None
            following = quarters[position + 1] if position + 1 < len(quarters) else None
            if cells[total] == "":
                if last and last[total] and cells[qoq] not in ("", "n/a"):
                    value = Decimal(last[total]) * (1 + Decimal(cells[qoq]))
                elif following and following[total] and following[qoq] not in ("", "n/a"):
                    value = Decimal(following[total]) / (1 + Decimal(following[qoq]))
                else:
                    continue
                cells[total] = rounded(value, 0)
            if cells[qoq] == "" and last and last[total]:
                before = Decimal(last[total])
                cells[qoq] = rounded((Decimal(cells[total]) - before) / before, 6)

    def written(self) -> str:
        """The table as text, with the line ends of the original."""
        end = "\r\n" if "\r\n" in self.text else "\n"
        stream = io.StringIO()
        csv.writer(stream, lineterminator=end).writerows([self.header, *self.rows])
        text = stream.getvalue()
        return text if self.text.endswith("\n") else text.removesuffix(end)


def figures_in(answer: str, keys: set[str], name: str) -> Figures:
    """The figures that an answer gives for each carrier or category."""
    found: Figures = {}
    places = sorted(
        (match.start(), match.end(), key)
        for key in keys
        for match in re.finditer(rf"\b{re.escape(key)}\b(?= [\d:=is]|:)", answer)
    )
    for place, (_, start, key) in enumerate(places):
        end = places[place + 1][0] if place + 1 < len(places) else len(answer)
        part = answer[start:end]
        if "eta" in name:
            speed = Decimal(find(r"([\d.]+) km/h", part)[1])
            found[key] = {"speed": speed, "handling": Decimal(find(r"([\d.]+) h\b", part)[1])}
        else:
            rate = find(r"(\d+(?:\.\d+)?) ?(%|per cent)?", part)
            found[key] = {"rate": Decimal(rate[1]) / (100 if rate[2] else 1)}
    return found


async def ask_for_figures(
    office: Office, objective: str, table: Table, file: str, name: str
) -> Figures:
    """Find out who knows this month's figures, and ask that colleague."""
    department = find(r"A colleague in (\w+) knows", objective)[1]
    thing = find(r"[Tt]he ([^.]*?) are in neither", objective)[1]
    people = await office.people(department)
    keys = {cell for cells in table.rows for cell in cells if re.fullmatch(r"[A-Za-z ]+", cell)}
    person = next(person for person in people if not person.away)
    question = f"Who in {department} knows the {thing} for {file}?"
    for _ in range(MAX_QUESTIONS):
        answer = await office.ask(person.id, question)
        figures = figures_in(answer, keys, name)
        if figures.keys() >= keys - {"n/a"}:
            return figures
        person = next((p for p in people if f"{p.name} in {department}" in answer), person)
        question = f"What are the {thing}, for {file}?"
    raise ValueError(f"nobody tells the {thing} for {file}")


async def fill(office: Office, objective: str, table: Table, source: str, name: str) -> None:
    """Fill the empty cells of *table*, read from *source*, by the manual's section *name*."""
    if "are in neither the table" in objective:
        file = source.rpartition("/")[2]
        table.fill_by_formula(await ask_for_figures(office, objective, table, file, name))
    elif name.endswith("qoq_rate"):
        table.fill_growth()
    elif name.endswith("rolling_avg"):
        table.fill_means()
    elif name.endswith("interpolation"):
        table.fill_lines()
    else:
        table.fill_by_formula({})


async def solve(session: Session) -> None:
    """Complete the table of every task."""
    office = Office(session)
    for task in await office.tasks():
        source = find(r"In (drive:/\S+) some cells", task.objective)[1]
        path = find(r"(drive:/\S+\.md), section", task.objective)[1]
        name = find(r'section "([\w.]+)"', task.objective)[1]
        section = (await office.read(path)).split(f"## {name}\n", 1)[1].split("\n## ", 1)[0]
        table = Table(await office.read(source), section)
        await fill(office, task.objective, table, source, name)
        await office.hand_in(task, target_file(task.objective, "csv"), table.written())
    await office.finish_day()
