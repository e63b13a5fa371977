"""The chance of a complete world over its number of tasks, one curve per agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from trainee_bench.harness.analysis.charts.charts import SERIES_COLOURS, WIDTH, chart_svg
from trainee_bench.harness.analysis.charts.svg import (
    element,
    pixels,
    shortened,
    text_label,
    text_width,
    tooltip,
)
from trainee_bench.harness.analysis.statistics.capacity import Capacity
from trainee_bench.harness.analysis.statistics.proportion import wilson_share
from trainee_bench.harness.documents.formatting import pluralize

_LEFT, _RIGHT, _TOP, _BOTTOM = 40.0, WIDTH - 14.0, 40.0, 232.0
_STEPS = 96
_MOST = 128


@dataclass(frozen=True)
class WorkedSize:
    """The worlds of one size: how many were worked, and how many of these are complete."""

    tasks: int
    worlds: int
    complete: int


@dataclass(frozen=True)
class CapacityCurve:
    """An agent's worlds by size, and the capacity that they show."""

    name: str
    capacity: Capacity
    sizes: tuple[WorkedSize, ...]


def capacity_chart(title: str, curves: Sequence[CapacityCurve]) -> str:
    """Draw for each agent the share of complete worlds of each size, and the fitted curve.

    A bar at one half spans the interval of the capacity. An arrow is an end outside the axis, or no
    end. Whiskers are drawn for a single agent.
    """
    most = max([_MOST] + [size.tasks for curve in curves for size in curve.sizes])
    axis = _Axis(most)
    parts = [*_grid(axis), *_legend(curves)]
    for number, curve in enumerate(curves):
        hue = number % SERIES_COLOURS + 1
        parts += _fitted(curve, axis, hue)
        parts += _interval(curve, axis, hue, number, len(curves) == 1)
        parts += [_point(curve, size, axis, hue, len(curves) == 1) for size in curve.sizes]
    rows = -(-len(curves) // 2) if len(curves) > 1 else 0
    return chart_svg(title, _described(curves), 280 + 18 * rows, parts)


@dataclass(frozen=True)
class _Axis:
    """Maps numbers of tasks from 1 to *most*, and chances, to pixels."""

    most: int

    def x(self, tasks: float) -> float:
        share = log2(max(tasks, 1e-9)) / log2(self.most)
        return _LEFT + min(max(share, 0.0), 1.0) * (_RIGHT - _LEFT)

    def y(self, chance: float) -> float:
        return _BOTTOM - chance * (_BOTTOM - _TOP)

    def ticks(self) -> list[int]:
        """Return the powers of two on the axis."""
        return [2**power for power in range(int(log2(self.most)) + 1)]


def _grid(axis: _Axis) -> list[str]:
    parts = []
    for chance in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = axis.y(chance)
        dashes = "3 3" if chance == 0.5 else None
        line = f"M{pixels(_LEFT)} {pixels(y)}H{pixels(_RIGHT)}"
        parts.append(element("path", d=line, class_="g", stroke_dasharray=dashes))
        parts.append(text_label(_LEFT - 6, y + 4, f"{chance:.2f}", "v m e"))
    for tasks in axis.ticks():
        parts.append(text_label(axis.x(tasks), _BOTTOM + 17, str(tasks), "v m c"))
    middle = (_LEFT + _RIGHT) / 2
    parts.append(text_label(middle, _BOTTOM + 35, "tasks in a world", "v m c"))
    return parts


def _legend(curves: Sequence[CapacityCurve]) -> list[str]:
    """Return the names with their capacities, two in a row, below the axis."""
    if len(curves) < 2:
        return []
    parts = []
    for number, curve in enumerate(curves):
        x, y = (number % 2) * WIDTH / 2, _BOTTOM + 50 + number // 2 * 18
        capacity = str(curve.capacity)
        name = shortened(curve.name, WIDTH / 2 - 32 - text_width(capacity, 11), 11)
        hue = number % SERIES_COLOURS + 1
        box = element("rect", x=x, y=y, width=10, height=10, rx=2, class_=f"h{hue}")
        label = text_label(x + 15, y + 9, f"{name} · {capacity}", "v")
        parts.append(element("g", tooltip(f"{curve.name}: {capacity}"), box, label))
    return parts


def _fitted(curve: CapacityCurve, axis: _Axis, hue: int) -> list[str]:
    if curve.capacity.estimate is None:
        return []
    path = ""
    for step in range(_STEPS + 1):
        tasks = axis.most ** (step / _STEPS)
        chance = curve.capacity.chance(tasks) or 0.0
        path += f"{'L' if path else 'M'}{pixels(axis.x(tasks))} {pixels(axis.y(chance))}"
    return [element("path", d=path, class_=f"l s{hue}")]


def _interval(curve: CapacityCurve, axis: _Axis, hue: int, number: int, alone: bool) -> list[str]:
    """Draw the interval of the capacity at one half; several agents' bars lie side by side."""
    capacity = curve.capacity
    if capacity.low is None and capacity.high is None:
        return []
    y = axis.y(0.5) + number * 4
    open_end = capacity.only_lower_bound or capacity.high is None or capacity.high > axis.most
    left = axis.x(capacity.low or 0.0)
    right = _RIGHT if open_end else axis.x(capacity.high or 0.0)
    if (capacity.low or 0.0) < 1:
        ends = f"M{pixels(left + 6)} {pixels(y - 4)}l-6 4l6 4"
    else:
        ends = f"M{pixels(left)} {pixels(y - 4)}v8"
    if open_end:
        ends += f"M{pixels(right - 6)} {pixels(y - 4)}l6 4l-6 4"
    elif right > left:
        ends += f"M{pixels(right)} {pixels(y - 4)}v8"
    what = tooltip(f"{curve.name}: capacity {capacity}")
    bar = f"M{pixels(left)} {pixels(y)}H{pixels(right)}{ends}"
    shown = [element("path", what, d=bar, class_=f"w s{hue}")]
    within = capacity.estimate is not None and 1 <= capacity.estimate <= axis.most
    if capacity.estimate is not None and within and not capacity.only_lower_bound:
        x = axis.x(capacity.estimate)
        tick = f"M{pixels(x)} {pixels(y - 7)}v14"
        shown.append(element("path", what, d=tick, class_=f"w s{hue}"))
    if alone:
        shown.append(_told(str(capacity), left, right, y))
    return shown


def _told(text: str, left: float, right: float, y: float) -> str:
    """Write *text* beside a bar from *left* to *right*, where there is room for it."""
    width = text_width(text, 11)
    if right + 8 + width <= _RIGHT:
        return text_label(right + 8, y + 4, text, "v")
    if left - 8 - width >= _LEFT:
        return text_label(left - 8, y + 4, text, "v e")
    return text_label(left + 4, y - 10, text, "v")


def _point(curve: CapacityCurve, size: WorkedSize, axis: _Axis, hue: int, whiskers: bool) -> str:
    """Draw the share of complete worlds of one size; more worlds make a larger point."""
    share = wilson_share(size.complete, size.worlds)
    assert share is not None
    x, y = axis.x(size.tasks), axis.y(share.mean)
    worlds = f"{size.complete} of {pluralize(size.worlds, 'world')} complete"
    parts = [tooltip(f"{curve.name}, {pluralize(size.tasks, 'task')}: {worlds}")]
    if whiskers and share.low is not None and share.high is not None:
        low, high = axis.y(share.low), axis.y(share.high)
        parts.append(
            element("path", d=f"M{pixels(x)} {pixels(low)}V{pixels(high)}", class_=f"k s{hue}")
        )
    radius = min(3 + size.worlds**0.5, 8)
    parts.append(element("circle", cx=x, cy=y, r=radius, class_=f"h{hue}", fill_opacity="0.8"))
    return element("g", *parts)


def _described(curves: Sequence[CapacityCurve]) -> str:
    return ". ".join(
        f"{curve.name}: capacity {curve.capacity}; complete worlds: "
        + ", ".join(
            f"{size.complete} of {size.worlds} with {pluralize(size.tasks, 'task')}"
            for size in curve.sizes
        )
        for curve in curves
    )
