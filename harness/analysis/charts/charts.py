"""Bars and lines with their 95 % intervals, as inline SVG.

Each chart is one ``<svg>`` with its own style. In a page it takes the page's colours (``--ink``,
``--muted``, ``--rule`` and ``--hue-1`` … ``--hue-6``) if they are defined, otherwise the colour of
the surrounding text. A chart in a separate file follows the reader's light or dark scheme.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from trainee_bench.harness.analysis.charts.svg import (
    element,
    escape_xml,
    pixels,
    shortened,
    text_label,
    text_width,
    tooltip,
)
from trainee_bench.harness.analysis.statistics.bootstrap import Estimate

WIDTH = 400
SERIES_COLOURS = 6
_SIZE = 12.0
_LIGHT = ("#2f66a5", "#c46a1c", "#1d8577", "#a1447c", "#85741a", "#5f6f85")
_DARK = ("#7fb0e6", "#eba45f", "#5fc5b4", "#de93bf", "#cdbb5e", "#a5b2c4")


def _palette(ink: str, muted: str, rule: str, hues: Sequence[str]) -> str:
    named = [("ink", ink), ("muted", muted), ("rule", rule)]
    named += [(f"hue-{place}", hue) for place, hue in enumerate(hues, start=1)]
    return "".join(f"--c-{name}:var(--{name},{colour});" for name, colour in named)


_STYLE = (
    ".tb-chart{font:12px/1.2 Inter,system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;"
    + _palette("currentColor", "#75818e", "#87929e59", _LIGHT)
    + "}:root.tb-chart{color-scheme:light dark;color:#1c2530}"
    "@media(prefers-color-scheme:dark){:root.tb-chart{color:#e7eaee;"
    + _palette("currentColor", "#98a3b1", "#353d47", _DARK)
    + "}.tb-chart rect{fill-opacity:.72}}"  # whiskers stay visible on bright bars
    ".tb-chart text{fill:var(--c-ink);font-variant-numeric:tabular-nums}"
    ".tb-chart .m{fill:var(--c-muted)}.tb-chart .t{font-weight:600;font-size:13px}"
    ".tb-chart .v{font-size:11px}.tb-chart .e{text-anchor:end}.tb-chart .c{text-anchor:middle}"
    ".tb-chart .g{stroke:var(--c-rule);stroke-width:1;fill:none}"
    ".tb-chart .w{stroke:var(--c-ink);stroke-width:1.2;stroke-opacity:.75;fill:none}"
    ".tb-chart .k{fill:none;stroke-opacity:.6}"
    ".tb-chart .l{fill:none;stroke-width:2;stroke-linejoin:round}"
    + "".join(
        f".tb-chart .h{n}{{fill:var(--c-hue-{n})}}.tb-chart .s{n}{{stroke:var(--c-hue-{n})}}"
        for n in range(1, SERIES_COLOURS + 1)
    )
)


@dataclass(frozen=True)
class Series:
    """The values of one agent (or model, or setting): one for each category, None if there is none.

    ``hue`` is a number from 1 to 6; without it, colours follow the order of the series.
    """

    name: str
    values: tuple[Estimate | None, ...]
    hue: int | None = None


@dataclass(frozen=True)
class _Scale:
    """Maps values from ``bottom`` to ``top`` onto pixels from ``start`` to ``end``."""

    bottom: float
    top: float
    start: float
    end: float

    def at(self, value: float) -> float:
        share = (value - self.bottom) / (self.top - self.bottom)
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return round values, including zero if it is on the axis."""
        rough = (self.top - self.bottom) / 4
        power = 10.0 ** floor(log10(rough))
        step = next(n * power for n in (1, 2, 2.5, 5, 10) if n * power >= rough * 0.999)
        first, last = ceil(self.bottom / step - 1e-9), floor(self.top / step + 1e-9)
        return [number * step for number in range(first, last + 1)]


def bar_chart(
    title: str,
    categories: Sequence[str],
    series: Sequence[Series],
    top: float = 1.0,
    *,
    bottom: float = 0.0,
    digits: int = 2,
) -> str:
    """Draw horizontal bars: for each category one per series, with interval and value.

    The axis reaches from *bottom* to *top*; bars below zero grow to the left. Raises ValueError if
    a series does not have one value per category.
    """
    _check(categories, series, bottom, top)
    names = max((text_width(name, _SIZE) for name in categories), default=0)
    left = min(max(names + 12, 40), WIDTH * 0.4)
    scale = _Scale(bottom, top, left, WIDTH - 46)
    legend, y = _legend(series, 32)
    thick, gap = (16, 14) if len(series) == 1 else (10, 12)
    marks, begin = [], y
    for place, category in enumerate(categories):
        height = len(series) * (thick + 2) - 2
        shown = shortened(category, left - 12, _SIZE)
        name = text_label(left - 10, y + height / 2 + 4.2, shown, "e")
        marks.append(name if shown == category else element("g", tooltip(category), name))
        for number, agent in enumerate(series):
            across = (y + number * (thick + 2), thick)
            marks.append(_bar(agent, place, category, number, across, scale, digits))
        y += height + gap
    grid = _grid(scale, begin - 6, y - gap + 6, digits)
    return chart_svg(title, _described(categories, series, digits), y + 14, grid + legend + marks)


def line_chart(
    title: str,
    categories: Sequence[str],
    series: Sequence[Series],
    top: float = 1.0,
    *,
    bottom: float = 0.0,
    digits: int = 2,
) -> str:
    """Draw a line per series over *categories* in their order, each with its name at its end.

    Raises ValueError if a series does not have one value per category.
    """
    _check(categories, series, bottom, top)
    ends = max(
        (text_width(f"{agent.name} {_ending(agent, digits)}", 11) for agent in series), default=0
    )
    right = WIDTH - min(max(ends + 24, 30), WIDTH * 0.42)
    scale = _Scale(bottom, top, 232, 40)
    step = (right - 44) / max(len(categories) - 1, 1)
    parts = []
    for value in scale.ticks():
        y = scale.at(value)
        parts.append(element("path", d=f"M36 {pixels(y)}H{pixels(right + 6)}", class_="g"))
        parts.append(text_label(30, y + 4, _figure(value, digits), "v m e"))
    for place, category in enumerate(categories):
        shown = shortened(category, max(step - 6, 24), 11)
        text = text_label(44 + place * step, 252, shown, "v c")
        parts.append(text if shown == category else element("g", tooltip(category), text))
    for number, agent in enumerate(series):
        aside = (number - (len(series) - 1) / 2) * min(5.0, step / (len(series) + 1))
        parts.append(_line(agent, categories, number, [44 + aside, step], scale, digits))
    parts += _ends(series, right + 12, scale, digits)
    return chart_svg(title, _described(categories, series, digits), 262, parts)


def _bar(
    agent: Series,
    place: int,
    category: str,
    number: int,
    across: tuple[float, float],
    scale: _Scale,
    digits: int,
) -> str:
    """Draw the bar of one value, its whisker, and the number next to them."""
    value, hue, (y, thick) = agent.values[place], _hue(agent, number), across
    zero = scale.at(0 if scale.bottom <= 0 <= scale.top else scale.bottom)
    if value is None:
        return text_label(zero + 5, y + thick / 2 + 4, "–", "v m")
    end, middle = scale.at(value.mean), y + thick / 2
    parts = [tooltip(f"{agent.name}, {category}: {_value_text(value, digits)}")]
    long = max(abs(end - zero), 1)
    parts.append(
        element("rect", x=min(zero, end), y=y, width=long, height=thick, rx=1.5, class_=f"h{hue}")
    )
    furthest = max(end, zero)
    if value.low is not None and value.high is not None and value.low != value.high:
        low, high = scale.at(value.low), scale.at(value.high)
        ends = "".join(f"M{pixels(x)} {pixels(middle - 3)}v6" for x in (low, high))
        line = f"M{pixels(low)} {pixels(middle)}H{pixels(high)}{ends}"
        parts.append(element("path", d=line, class_="w"))
        furthest = max(furthest, high)
    parts.append(text_label(furthest + 5, middle + 4, _figure(value.mean, digits), "v"))
    return element("g", *parts)


def _line(
    agent: Series,
    categories: Sequence[str],
    number: int,
    across: Sequence[float],
    scale: _Scale,
    digits: int,
) -> str:
    """Draw the line of one series, broken at missing values, with its points and whiskers."""
    hue, path, parts, drawing = _hue(agent, number), "", [], False
    for place, value in enumerate(agent.values):
        if value is None:
            drawing = False
            continue
        x, y = across[0] + place * across[1], scale.at(value.mean)
        path += f"{'L' if drawing else 'M'}{pixels(x)} {pixels(y)}"
        drawing = True
        if value.low is not None and value.high is not None and value.low != value.high:
            low, high = pixels(scale.at(value.low)), pixels(scale.at(value.high))
            whisker = f"M{pixels(x)} {low}V{high}M{pixels(x - 3)} {low}h6M{pixels(x - 3)} {high}h6"
            parts.append(element("path", d=whisker, class_=f"w s{hue}"))
        what = tooltip(f"{agent.name}, {categories[place]}: {_value_text(value, digits)}")
        parts.append(_marker(number, x, y, f"h{hue}", what))
    return element("path", d=path, class_=f"l s{hue}") + "".join(parts) if path else ""


def _marker(number: int, x: float, y: float, class_: str, *children: str) -> str:
    """Draw a point; its shape differs too, for readers who cannot distinguish the colours."""
    if number % 3 == 0:
        return element("circle", *children, cx=x, cy=y, r=4, class_=class_)
    if number % 3 == 1:
        return element(
            "rect", *children, x=x - 3.6, y=y - 3.6, width=7.2, height=7.2, class_=class_
        )
    corner = f"M{pixels(x)} {pixels(y - 4.8)}l4.8 8.4h-9.6z"
    return element("path", *children, d=corner, class_=class_)


def _ends(series: Sequence[Series], x: float, scale: _Scale, digits: int) -> list[str]:
    """Draw the series' names next to their lines' ends, moved apart if they would overlap."""
    wanted = sorted(
        (scale.at(last.mean), number)
        for number, agent in enumerate(series)
        if (last := _last(agent)) is not None
    )
    places, free = [], 24.0
    for y, number in wanted:
        free = max(y, free + 15)
        places.append((y, free, number))
    over = max((places[-1][1] if places else 0) - 240, 0)
    parts = []
    for end, y, number in places:
        agent, hue = series[number], _hue(series[number], number)
        value = _ending(agent, digits)
        shown = f"{shortened(agent.name, WIDTH - x - 10 - text_width(value, 11), 11)} {value}"
        lead = f"M{pixels(x - 2)} {pixels(end)}L{pixels(x + 7)} {pixels(y - over)}"
        line = element("path", d=lead, class_=f"k s{hue}")
        text = text_label(x + 10, y - over + 4, shown, f"v h{hue}")
        parts.append(element("g", tooltip(agent.name), line, text))
    return parts


def _hue(agent: Series, number: int) -> int:
    return agent.hue or number % SERIES_COLOURS + 1


def _last(agent: Series) -> Estimate | None:
    return next((value for value in reversed(agent.values) if value is not None), None)


def _ending(agent: Series, digits: int) -> str:
    last = _last(agent)
    return _figure(last.mean, digits) if last else ""


def _legend(series: Sequence[Series], y: float) -> tuple[list[str], float]:
    """Return the series' names with their colours, if there are several, and the next free
    height."""
    if len(series) < 2:
        return [], y + 8
    parts, x = [], 0.0
    for number, agent in enumerate(series):
        shown = shortened(agent.name, WIDTH - 30, 11)
        room = text_width(shown, 11) + 32
        if x and x + room > WIDTH:
            x, y = 0, y + 18
        box = element(
            "rect", x=x, y=y - 1, width=10, height=10, rx=2, class_=f"h{_hue(agent, number)}"
        )
        parts.append(element("g", tooltip(agent.name), box, text_label(x + 15, y + 8, shown, "v")))
        x += room
    return parts, y + 26


def _grid(scale: _Scale, above: float, below: float, digits: int) -> list[str]:
    parts = []
    for value in scale.ticks():
        x = scale.at(value)
        parts.append(element("path", d=f"M{pixels(x)} {pixels(above)}V{pixels(below)}", class_="g"))
        parts.append(text_label(x, below + 14, _figure(value, digits), "v m c"))
    return parts


def chart_svg(title: str, description: str, height: float, parts: Sequence[str]) -> str:
    """Return the chart of *parts* as one `<svg>` with its style; *description* has it in words."""
    height = round(height + 4)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tb-chart" role="img" '
        f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">'
        f"{tooltip(title)}<desc>{escape_xml(description)}</desc><style>{_STYLE}</style>"
        f"{text_label(0, 15, title, 't')}{''.join(parts)}</svg>"
    )


def _described(categories: Sequence[str], series: Sequence[Series], digits: int) -> str:
    """Return all values in words, for readers who do not see the chart."""
    descriptions = [
        f"{agent.name}: "
        + ", ".join(
            f"{category} {_value_text(value, digits)}"
            for category, value in zip(categories, agent.values, strict=True)
        )
        for agent in series
    ]
    return ". ".join(descriptions)


def _value_text(value: Estimate | None, digits: int) -> str:
    if value is None:
        return "none"
    text = _figure(value.mean, digits)
    if value.low is not None and value.high is not None:
        text += f" ({_figure(value.low, digits)} to {_figure(value.high, digits)})"
    return text


def _figure(value: float, digits: int) -> str:
    """Return a number with a true minus sign, and none before a zero."""
    return f"{value:z.{digits}f}".replace("-", "\u2212")


def _check(categories: Sequence[str], series: Sequence[Series], bottom: float, top: float) -> None:
    if not bottom < top:
        raise ValueError(f"an axis from {bottom} to {top} has no length")
    for agent in series:
        if len(agent.values) != len(categories):
            raise ValueError(
                f"{agent.name} has {len(agent.values)} values for {len(categories)} categories"
            )
