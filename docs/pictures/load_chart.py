"""The table and the picture of the OpenEnv server under load, for docs/deploy.md.

`python -m benchmarks.load --json docs/images/load.json` measures the figures. Nothing else writes
a figure here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from benchmarks.load_table import LoadTable, Row, markdown
from trainee_bench.harness.analysis.charts.svg import element, escape_xml, pixels, text_label
from trainee_bench.harness.commands.explain import Scheme, picture_file
from trainee_bench.harness.documents.formatting import pluralize

FIGURES = "load.json"
BEGIN, END = "<!-- load: begin -->", "<!-- load: end -->"
_BLOCK = re.compile(f"{BEGIN}.*{END}", re.DOTALL)
_WIDTH, _TOP, _HEIGHT, _BOTTOM = 828, 44.0, 190.0, 34.0
_LINES = ("value", "other", "self", "plan-line")
"""Classes of the lines; `worth.css` has them."""
_NOT_MEASURED = (
    "The table is not measured yet. `python -m benchmarks.load --json docs/images/load.json` "
    "measures it, and `python -m docs.pictures --load` puts it here with its picture."
)


@dataclass(frozen=True)
class _Panel:
    """A diagram over the numbers of sessions, with a y axis from ``bottom`` to ``top``."""

    title: str
    left: float
    right: float
    sessions: Sequence[int]
    ticks: Sequence[float]
    scaled: Callable[[float], float]

    def x(self, sessions: int) -> float:
        """The place of so many sessions; the places are equally far apart."""
        step = (self.right - self.left - 20) / max(len(self.sessions) - 1, 1)
        return self.left + 10 + self.sessions.index(sessions) * step

    def y(self, value: float) -> float:
        """The height of *value*, inside of the panel."""
        low, high = self.scaled(self.ticks[0]), self.scaled(self.ticks[-1])
        share = (self.scaled(max(value, self.ticks[0])) - low) / (high - low)
        return _TOP + _HEIGHT * (1 - min(share, 1.0))

    def frame(self) -> list[str]:
        """Draw the title, the ticks and the numbers of sessions."""
        parts = [text_label(self.left, _TOP - 24, self.title, "axis")]
        for tick in self.ticks:
            y = self.y(tick)
            line = f"M{pixels(self.left)} {pixels(y)}H{pixels(self.right)}"
            parts.append(element("path", d=line, class_="grid"))
            parts.append(text_label(self.left - 6, y + 4, f"{tick:,g}", "m e"))
        for sessions in self.sessions:
            parts.append(text_label(self.x(sessions), _TOP + _HEIGHT + 18, f"{sessions:,}", "m c"))
        return parts

    def line(self, class_: str, points: Sequence[tuple[int, float]]) -> list[str]:
        """Draw a line through *points*, numbers of sessions with values."""
        places = [(self.x(sessions), self.y(value)) for sessions, value in points]
        path = "L".join(f"{pixels(x)} {pixels(y)}" for x, y in places)
        marks = [element("circle", cx=x, cy=y, r=3, class_="handover") for x, y in places]
        return [element("path", d=f"M{path}", class_=class_), *marks]


def read_load_table(images: Path) -> LoadTable | None:
    """Return the figures in the folder *images*; None if they are not measured yet."""
    file = images / FIGURES
    return LoadTable.model_validate_json(file.read_text("utf-8")) if file.exists() else None


def load_pictures(table: LoadTable | None) -> dict[str, str]:
    """Return the pictures of *table*, as text by the name of the file; none without figures."""
    if table is None or not _complete(table):
        return {}
    drawing = draw_load(_complete(table))
    return {f"load-{scheme}.svg": picture_file(drawing, scheme) for scheme in Scheme}


def load_page(page: Path, table: LoadTable | None) -> str:
    """Return the text of *page* with *table* between its marks. Raises ValueError without them."""
    text = page.read_text(encoding="utf-8")
    if len(_BLOCK.findall(text)) != 1:
        raise ValueError(f"{page.name} needs one {BEGIN} … {END}")
    block = _NOT_MEASURED if table is None else _measured(table)
    return _BLOCK.sub(lambda _: f"{BEGIN}\n{block}\n{END}", text)


def _complete(table: LoadTable) -> list[Row]:
    return [row for row in table.rows if not row.stopped]


def _measured(table: LoadTable) -> str:
    told, settings = table.conditions, table.conditions.settings
    versions = ", ".join(f"{name} {version}" for name, version in told.packages.items())
    memory, processors = told.megabytes / 1024, pluralize(told.processors, "processor")
    conditions = (
        f"Measured on {told.measured[:10]} with commit {told.commit or 'unknown'} on {processors} "
        f"with {memory:.0f} GB, at a load average of {told.load:.1f}. Python {told.python}, "
        f"{versions}. Each cell worked for {settings.seconds:g} s. Sessions were saved "
        f"{_interval(settings.save_every)}. Processes that step days, for each worker: "
        f"{settings.processes}."
    )
    parts = [conditions, markdown(table.rows)]
    if rows := _complete(table):
        parts.insert(0, _picture(in_words(rows)))
    return "\n\n".join(parts)


def _picture(alt: str) -> str:
    return (
        '<picture><source media="(prefers-color-scheme: dark)" srcset="images/load-dark.svg">'
        f'<img src="images/load-light.svg" width="860" alt="{escape(alt)}"></picture>'
    )


def in_words(rows: Sequence[Row]) -> str:
    """Say what the picture shows: the steps a second of the most sessions of each line."""
    ends = [
        f"{name}: {last.rate:,.0f} steps a second with {pluralize(last.cell.sessions, 'session')}"
        for name, last in ((name, own[-1]) for name, own in _series(rows).items())
    ]
    return f"The OpenEnv server under load. {'; '.join(ends)}."


def draw_load(rows: Sequence[Row]) -> str:
    """Draw steps a second and P99 over the numbers of sessions, as an inline ``<svg>``."""
    sessions = sorted({row.cell.sessions for row in rows})
    rates = _Panel(
        "Steps a second, by sessions",
        48,
        390,
        sessions,
        _even_ticks(max(row.rate for row in rows)),
        float,
    )
    slowest = [1000 * row.clients.p99 for row in rows]
    waits = _Panel(
        "P99 of a step in ms, by sessions",
        462,
        808,
        sessions,
        _decades(min(slowest), max(slowest)),
        _decade,
    )
    parts = [*rates.frame(), *waits.frame()]
    for number, (name, own) in enumerate(_series(rows).items()):
        class_ = _LINES[number % len(_LINES)]
        parts += rates.line(class_, [(row.cell.sessions, row.rate) for row in own])
        parts += waits.line(class_, [(row.cell.sessions, 1000 * row.clients.p99) for row in own])
        x, y = 48 + 196 * (number % 4), _TOP + _HEIGHT + 46 + 18 * (number // 4)
        parts.append(element("path", d=f"M{pixels(x)} {pixels(y - 4)}h22", class_=class_))
        parts.append(text_label(x + 28, y, name, "m"))
    more = 18 * ((len(_series(rows)) - 1) // 4)
    height = round(_TOP + _HEIGHT + _BOTTOM + 22 + more)
    drawn = element("g", *parts, class_="worth")
    return (
        f'<svg class="day plan" role="img" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
        f'height="{height}" aria-label="{escape_xml(in_words(rows))}">{drawn}</svg>'
    )


def _interval(steps: int) -> str:
    return "after each step" if steps == 1 else f"every {steps} steps"


def _series(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each line by its name, with the sessions in order."""
    found: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: row.cell.sessions):
        cell = row.cell
        thinking = f"{cell.thinking:g} s of thinking" if cell.thinking else "no thinking"
        found.setdefault(f"{pluralize(cell.workers, 'worker')}, {thinking}", []).append(row)
    return dict(sorted(found.items()))


def _even_ticks(most: float) -> list[float]:
    """Round values from 0 to at least *most*."""
    power = 10.0 ** math.floor(math.log10(max(most, 1.0)))
    step = next(n * power for n in (0.25, 0.5, 1, 2.5) if 5 * n * power >= most)
    return [number * step for number in range(math.ceil(max(most, 1) / step) + 1)]


def _decades(least: float, most: float) -> list[float]:
    """Powers of ten from at most *least* to at least *most*, two at least."""
    first = math.floor(_decade(least))
    return [10.0**power for power in range(first, max(math.ceil(_decade(most)), first + 1) + 1)]


def _decade(value: float) -> float:
    return math.log10(max(value, 0.1))
