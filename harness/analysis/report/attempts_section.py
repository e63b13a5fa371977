"""The section on several attempts: pass^k and pass@k by agent, as a table and as curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trainee_bench.harness.analysis.charts.charts import SERIES_COLOURS, Series, line_chart
from trainee_bench.harness.analysis.report.summary_grids import INTERVAL_NOTE
from trainee_bench.harness.analysis.statistics.attempts import (
    PassRate,
    RepeatedWork,
    repeated_work,
)
from trainee_bench.harness.analysis.statistics.bootstrap import Estimate, format_estimate
from trainee_bench.harness.documents.document import (
    FILES,
    Chart,
    Charts,
    Column,
    Grid,
    Paragraph,
    Row,
    Section,
    meanings_of,
)
from trainee_bench.harness.documents.formatting import NO_VALUE, pluralize
from trainee_bench.harness.records.results import EpisodeResult

_EACH_K = 8
"""Up to this k, tables have a row for each k; beyond, for each doubling and for the greatest."""
_NOTE = "Means over the days or tasks with at least k attempts."


def attempts_sections(results: Sequence[EpisodeResult]) -> list[Section]:
    """Return the section; none if no agent attempted a day several times."""
    found = repeated_work(results)
    if not found:
        return []
    grid = attempts_grid(found)
    omitted = omitted_from_picture(len(found), SERIES_COLOURS)
    note = f"{_NOTE} {INTERVAL_NOTE}" if _have_intervals(found) else _NOTE
    notes = (Paragraph(note, "note"), *omitted, *unequal_note(found))
    details = Section("", (*notes, meanings_of(grid)), media=FILES)
    blocks = (grid, Charts(attempts_charts(found)), details)
    return [Section("Several attempts", blocks, "attempts", FILES)]


def _have_intervals(found: Sequence[RepeatedWork]) -> bool:
    means = (
        mean
        for own in found
        for rate in (*own.days, *own.days_broken_as_failed, *own.tasks, *own.tasks_broken_as_failed)
        for mean in (rate.all_succeed, rate.any_succeeds)
    )
    return any(mean.low != mean.high for mean in means)


def attempts_grid(found: Sequence[RepeatedWork]) -> Grid:
    """Return a row for each agent and k. Where nothing broke, the columns of broken attempts are
    left out."""
    rows: list[Row] = []
    for own in found:
        sizes = [rate.k for rate in own.days_broken_as_failed]
        for k in _shown(sizes):
            rows.append([own.agent, str(k), *(cell(own, k) for _, cell in _COLUMNS)])
    broken = any(own.broken for own in found)
    titles = [Column("attempts of"), Column("k"), *(column for column, _ in _COLUMNS)]
    kept = [n for n, column in enumerate(titles) if broken or "broken" not in column.title]
    return Grid(
        tuple(titles[n] for n in kept),
        tuple(tuple(row[n] for n in kept) for row in rows),
    )


def unequal_note(found: Sequence[RepeatedWork]) -> tuple[Paragraph, ...]:
    """Say which agents have unequal numbers of graded attempts, and how many attempts broke."""
    told = [
        f"{own.agent} has {own.fewest} to {own.most} graded attempts at a day"
        + (f"; {pluralize(own.broken, 'attempt')} could not be graded" if own.broken else "")
        for own in found
        if own.fewest != own.most or own.broken
    ]
    return (Paragraph(f"Attempts are not equally many: {'. '.join(told)}."),) if told else ()


def omitted_from_picture(agents: int, shown: int) -> tuple[Paragraph, ...]:
    """Say that a picture draws only the first *shown* of so many *agents*; nothing if all."""
    if agents <= shown:
        return ()
    text = f"The picture shows only the first {shown}; the table shows all."
    return (Paragraph(text, "note"),)


def attempts_charts(found: Sequence[RepeatedWork]) -> tuple[Chart, ...]:
    """Draw the shares of days complete in all, and in any, of k attempts: a line per agent."""
    most = max(rate.k for own in found for rate in own.days_broken_as_failed)
    sizes = range(1, most + 1)
    charts = []
    for name, title, figure in (
        ("pass-all", "Days complete in all of k attempts (pass^k)", _all),
        ("pass-any", "Days complete in any of k attempts (pass@k)", _any),
    ):
        series = [
            Series(own.agent, tuple(figure(_rate(own.days, k)) for k in sizes))
            for own in found[:SERIES_COLOURS]
        ]
        svg = line_chart(title, [str(k) for k in sizes], series)
        charts.append(Chart(name, title, svg))
    return tuple(charts)


def _shown(sizes: Sequence[int]) -> list[int]:
    """Return the *sizes* that have a row of their own."""
    last = sizes[-1] if sizes else 0
    return [k for k in sizes if k <= _EACH_K or k & (k - 1) == 0 or k == last]


def _rate(rates: Sequence[PassRate], k: int) -> PassRate | None:
    return next((rate for rate in rates if rate.k == k), None)


def _all(rate: PassRate | None) -> Estimate | None:
    return None if rate is None else rate.all_succeed


def _any(rate: PassRate | None) -> Estimate | None:
    return None if rate is None else rate.any_succeeds


_Figure = Callable[[PassRate | None], Estimate | None]
_Rates = Callable[[RepeatedWork], Sequence[PassRate]]


def _cell(rates: _Rates, figure: _Figure) -> Callable[[RepeatedWork, int], str]:
    return lambda own, k: format_estimate(figure(_rate(rates(own), k)))


def _units(rates: _Rates) -> Callable[[RepeatedWork, int], str]:
    def count(own: RepeatedWork, k: int) -> str:
        rate = _rate(rates(own), k)
        return NO_VALUE if rate is None else str(rate.units)

    return count


_COLUMNS: tuple[tuple[Column, Callable[[RepeatedWork, int], str]], ...] = (
    (
        Column("days", "days or weeks with at least k graded attempts"),
        _units(lambda own: own.days),
    ),
    (
        Column("pass^k", "chance that k attempts at the same day are all complete"),
        _cell(lambda own: own.days, _all),
    ),
    (
        Column("pass@k", "chance that any of k attempts at the same day is complete"),
        _cell(lambda own: own.days, _any),
    ),
    (
        Column("pass^k, broken as failed", "pass^k if attempts that could not be graded failed"),
        _cell(lambda own: own.days_broken_as_failed, _all),
    ),
    (
        Column("pass@k, broken as failed", "pass@k if attempts that could not be graded failed"),
        _cell(lambda own: own.days_broken_as_failed, _any),
    ),
    (
        Column("tasks", "tasks with at least k graded attempts", FILES),
        _units(lambda own: own.tasks),
    ),
    (
        Column("task pass^k", "chance that k attempts at the same task all succeed"),
        _cell(lambda own: own.tasks, _all),
    ),
    (
        Column("task pass@k", "chance that any of k attempts at the same task succeeds"),
        _cell(lambda own: own.tasks, _any),
    ),
    (
        Column("task pass^k, broken as failed", "the same if ungraded tasks failed", FILES),
        _cell(lambda own: own.tasks_broken_as_failed, _all),
    ),
    (
        Column("task pass@k, broken as failed", "the same if ungraded tasks failed", FILES),
        _cell(lambda own: own.tasks_broken_as_failed, _any),
    ),
)
