"""The smallest differences that a benchmark of some size can tell, by pair of agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from trainee_bench.harness.analysis.charts.charts import Series, line_chart
from trainee_bench.harness.analysis.comparison.paired import MIN_DIFFERING_SCENARIOS
from trainee_bench.harness.analysis.comparison.presentation import format_detectable
from trainee_bench.harness.analysis.experiments.attempt_values import (
    MEASURES,
    AttemptMeasure,
    Values,
    values_by_day,
)
from trainee_bench.harness.analysis.statistics.bootstrap import Estimate
from trainee_bench.harness.analysis.statistics.variance import (
    FEW_DAYS,
    UNLIMITED,
    DifferenceComponents,
    alike_agents,
    difference_components,
    variance_components,
)
from trainee_bench.harness.documents.document import (
    Block,
    Chart,
    Charts,
    Column,
    Grid,
    Paragraph,
    meanings_of,
)
from trainee_bench.harness.documents.formatting import NO_VALUE, format_number, pluralize
from trainee_bench.harness.records.results import EpisodeResult

_DIFFERENCE_NOTE = (
    "The smallest true difference between two agents that is detected with a chance of 80 %, at "
    "the two-sided 5 % level, if both work the same days: (z(0.975) + z(0.8)) times the standard "
    "error of the mean difference. The other columns have more days or attempts than this run. "
    "With unlimited attempts, only the choice of days is left to chance."
)
_LIMITS_NOTE = (
    "A dash means that this run shows no variance from which the figure could be estimated, not "
    "that any difference can be told. “Above 1” means that no difference is large enough. Where "
    "nearly all or nearly no days are complete, the figures are too small, because the variance "
    "grows with the difference. The command compare also calls a difference a tie unless at least "
    f"{MIN_DIFFERING_SCENARIOS} scenarios differ."
)
_ALIKE_NOTE = (
    "A row for one agent is about that agent and another with the same variances. If the same days "
    "are hard for both, the days cancel out; if other days are hard, they do not."
)
_NO_PAIR = "Without two days in common, of which each attempted one twice:"
_TOO_FEW = (
    "The variance cannot be split: no agent has two days of which one was attempted twice. Run "
    "several days with --epochs 3."
)


@dataclass(frozen=True)
class ComparedPair:
    """Two agents with the components of their difference; ``alone``, one and an equal of it."""

    name: str
    measure: str
    components: DifferenceComponents
    alone: bool = False


def difference_pairs(results: Sequence[EpisodeResult], names: Sequence[str]) -> list[ComparedPair]:
    """Return each pair of agents whose difference can be split, and each agent without such a pair
    with its equals."""
    found: list[ComparedPair] = []
    for measure in MEASURES:
        values = {name: values_by_day(results, name, measure) for name in names}
        paired = set[str]()
        for one, other in combinations(names, 2):
            components = difference_components(values[one], values[other])
            if components is not None:
                found.append(ComparedPair(_pair_name(one, other), measure.title, components))
                paired |= {one, other}
        for name in names:
            if name not in paired:
                found += _equals(name, measure, values[name])
    return found


def _pair_name(one: str, other: str) -> str:
    return f"{one} – {other}"


def _equals(agent: str, measure: AttemptMeasure, values: Values) -> list[ComparedPair]:
    components = variance_components(values.values())
    if components is None:
        return []
    unlike = alike_agents(components, days_in_common=False)
    alike = alike_agents(components, days_in_common=True)
    return [
        ComparedPair(f"{agent}, other days hard", measure.title, unlike, alone=True),
        ComparedPair(f"{agent}, same days hard", measure.title, alike, alone=True),
    ]


_GROWTH: tuple[tuple[str, float, float], ...] = (
    ("this run", 1, 1),
    ("2 × days", 2, 1),
    ("4 × days", 4, 1),
    ("2 × attempts", 1, 2),
    ("4 × attempts", 1, 4),
    ("unlimited attempts", 1, UNLIMITED),
)
"""Sizes of a benchmark: times as many days, and times as many attempts, as in this run."""
_CHART_ATTEMPTS = (1, 2, 4, 8, 16)
_CHART_DAYS = (1, 2, 4)


_DIFFERENCE_COLUMNS = (
    Column("pair"),
    Column("measure"),
    Column(
        "days × attempts",
        "days that both attempted; attempts of each at a day. If these differ, it is the number "
        "that would tell as much",
    ),
    Column("difference", "mean difference in this run, the first agent minus the second"),
    *(Column(name) for name, *_ in _GROWTH),
)


def told_in_words(pairs: Sequence[ComparedPair]) -> str:
    """Return a sentence on the smallest differences that this run can tell; "" if it tells none."""
    found = []
    for measure in MEASURES:
        told = {
            format_detectable(value): value
            for pair in pairs
            if pair.measure == measure.title and (value := _growth(pair.components)[0])
        }
        if told:
            ends = dict.fromkeys((min(told, key=told.__getitem__), max(told, key=told.__getitem__)))
            found.append(f"{' to '.join(ends)} in {measure.noun}")
    if not found:
        return ""
    sentence = f"The smallest difference that a run of this size can tell is {' and '.join(found)}."
    return sentence if (days := _fewest_days(pairs)) >= FEW_DAYS else f"{sentence} {_rough(days)}"


def difference_blocks(pairs: Sequence[ComparedPair], names: Sequence[str]) -> tuple[Block, ...]:
    """Return the table of smallest differences, what limits them, and a chart for each measure.

    It names each two of the agents in *names* that are no pair.
    """
    if not pairs:
        return (Paragraph(_TOO_FEW, "warning"),)
    rows = [
        [
            pair.name,
            pair.measure,
            f"{pair.components.days} × {format_number(pair.components.attempts, 1)}",
            NO_VALUE if pair.alone else f"{pair.components.mean:+z.3f}",
            *(format_detectable(value) for value in _growth(pair.components)),
        ]
        for pair in pairs
    ]
    grid = Grid.from_rows(_DIFFERENCE_COLUMNS, rows, left_columns=2)
    alone = any(pair.alone for pair in pairs)
    drawn = _first_pairs(pairs)
    named = "; ".join(dict.fromkeys(pair.name for pair in drawn))
    return (
        grid,
        *(
            (Paragraph(_rough(days), "warning"),)
            if (days := _fewest_days(pairs)) < FEW_DAYS
            else ()
        ),
        *_missing_pairs(pairs, names),
        Paragraph(_DIFFERENCE_NOTE, "note"),
        Paragraph(_LIMITS_NOTE, "note"),
        *((Paragraph(_ALIKE_NOTE, "note"),) if alone else ()),
        meanings_of(grid),
        Charts(tuple(_chart(first) for first in drawn)),
        Paragraph(f"The pictures show: {named}.", "note"),
    )


def _missing_pairs(pairs: Sequence[ComparedPair], names: Sequence[str]) -> tuple[Paragraph, ...]:
    found = {pair.name for pair in pairs}
    missing = [name for two in combinations(names, 2) if (name := _pair_name(*two)) not in found]
    if not missing:
        return ()
    return (Paragraph(f"{_NO_PAIR} {'; '.join(missing)}."),)


def _fewest_days(pairs: Sequence[ComparedPair]) -> int:
    return min(pair.components.days for pair in pairs)


def _rough(days: int) -> str:
    """Warn of the normal approximation, because the row with the fewest has so few *days*."""
    return (
        f"This is rough, because a row has only {pluralize(days, 'day')}: with fewer than about "
        f"{FEW_DAYS}, equal agents are called different too often."
    )


def _first_pairs(pairs: Sequence[ComparedPair]) -> list[ComparedPair]:
    """Return the first pair of each measure."""
    first: dict[str, ComparedPair] = {}
    for pair in pairs:
        first.setdefault(pair.measure, pair)
    return list(first.values())


def _growth(components: DifferenceComponents) -> list[float]:
    return [
        components.detectable(components.days * days, components.attempts * attempts)
        for _, days, attempts in _GROWTH
    ]


def _chart(pair: ComparedPair) -> Chart:
    """Draw the smallest difference over the number of attempts, a line for each number of days."""
    components = pair.components
    lines = [
        Series(
            pluralize(components.days * times, "day"),
            tuple(
                Estimate(components.detectable(components.days * times, attempts), None, None)
                for attempts in _CHART_ATTEMPTS
            ),
        )
        for times in _CHART_DAYS
    ]
    top = max((value.mean for line in lines for value in line.values if value), default=0.0)
    title = f"Smallest difference ({pair.measure}), by attempts"
    labels = [str(attempts) for attempts in _CHART_ATTEMPTS]
    return Chart(f"figure-{pair.measure}", title, line_chart(title, labels, lines, top or 1.0))
