"""The section of a report on schedules: by agent, and day by day next to the optimal one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from trainee_bench.harness.analysis.scheduling.schedule_summary import (
    OPTIMAL,
    References,
    ScheduleSummary,
    avoidable_wait,
    mean_delay,
    schedule_summaries,
)
from trainee_bench.harness.analysis.statistics.bootstrap import Estimate
from trainee_bench.harness.documents.document import (
    FILES,
    Block,
    Column,
    Grid,
    Medium,
    Paragraph,
    Section,
    meanings_of,
)
from trainee_bench.harness.documents.formatting import NO_VALUE, format_number
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.schedule_figures import (
    ScheduleFigures,
    ValueFigures,
    total_schedule,
)

_HTML = frozenset({Medium.HTML})
_BESIDE = f"In brackets: the {OPTIMAL}."
_ZEROS = frozenset({NO_VALUE, "0", "0.0"})
_WHAT_IS_OPTIMAL = (
    f"The {OPTIMAL} is the oracle's own day on the same scenario: no known plan delivers more. Its "
    "idle minutes, switches and questions are those of one good day, not the least possible."
)


def schedule_section(
    results: Sequence[EpisodeResult], references: References, *, causes: bool = True
) -> Section | None:
    """Return the section; None if no day was measured.

    *references* has the optimal days as far as they could be worked. *causes* is false if a
    `causes_section` shows the causes.
    """
    summaries = schedule_summaries(results, references)
    if not summaries:
        return None
    details: list[Block] = [*schedule_details(summaries, causes=causes)]
    if references:
        details.insert(1, Paragraph(_WHAT_IS_OPTIMAL, "note"))
    ordered = sorted(results, key=lambda result: (result.scenario, result.day, result.attempt))
    for agent in (summary.agent for summary in summaries):
        days = day_grid([result for result in ordered if result.agent == agent], references)
        if days is not None:
            notes = (Paragraph(_BESIDE, "note"),) if references else ()
            details.append(Section(f"Day by day: {agent}", (days, *notes), folds_in=_HTML))
    shown = Section("", tuple(details), media=FILES)
    return Section("Scheduling", (schedule_grid(summaries), shown), key="scheduling")


def causes_section(results: Sequence[EpisodeResult], references: References) -> list[Section]:
    """Return the value that agents lost by each cause, for the head of a report; none if none lost
    any."""
    summaries = [
        summary for summary in schedule_summaries(results, references) if summary.agent != OPTIMAL
    ]
    if not any(summary.lost is not None and summary.lost.mean for summary in summaries):
        return []
    note = (
        "Shares of the best possible value. The command trainee-bench worth finds the steps after "
        "which points could no longer be earned, and draws them."
    )
    blocks = (cause_grid(summaries), Paragraph(note, "note"))
    return [Section("Value lost, by cause", blocks, key="worth", media=FILES)]


def schedule_details(
    summaries: Sequence[ScheduleSummary], *, causes: bool = True
) -> tuple[Block, ...]:
    """Return the blocks below the `schedule_grid` of *summaries*: a note and what the columns mean.

    With *causes*, a table of the value that each cause lost is between them.
    """
    grid, by_cause = schedule_grid(summaries), cause_grid(summaries)
    intervals = any(
        summary.lost is not None and summary.lost.low is not None for summary in summaries
    )
    note = "Means per day." + (
        " In brackets: 95 % bootstrap confidence interval over scenarios." if intervals else ""
    )
    return (Paragraph(note, "note"), *((by_cause,) if causes else ()), meanings_of(grid, by_cause))


def schedule_grid(summaries: Sequence[ScheduleSummary]) -> Grid:
    """Return a row per agent, and one for the optimal day, without empty columns.

    A column in which all have 0 appears only in files.
    """
    columns = [(column, [cell(summary) for summary in summaries]) for column, cell in _COLUMNS]
    telling = [(_in_files_if_zero(column, cells), cells) for column, cells in columns]
    return Grid.from_columns(telling, always=("schedule of", "value lost"))


def _in_files_if_zero(column: Column, cells: Sequence[str]) -> Column:
    zero = column.title != "value lost" and all(cell in _ZEROS for cell in cells)
    return replace(column, media=FILES) if zero else column


def cause_grid(summaries: Sequence[ScheduleSummary]) -> Grid:
    """Return for each agent the value that each cause lost, as shares of the optimum."""
    rows = [[cell(summary) for _, cell in _CAUSES] for summary in summaries]
    return Grid.from_rows([column for column, _ in _CAUSES], rows)


def day_grid(results: Sequence[EpisodeResult], references: References) -> Grid | None:
    """Return a row per measured day of one agent, in the order of *results*, and one per whole
    week.

    None without any.
    """
    rows = []
    several = len({(result.scenario, result.day, result.attempt) for result in results}) > len(
        {(result.scenario, result.day) for result in results}
    )
    for result in results:
        attempt = f" · {result.attempt}" if several else ""
        for name, own, best in _measured(result, references):
            cells = (_beside(cell, own, best) for _, cell in _DAY_COLUMNS)
            rows.append([f"{result.scenario} · {name}{attempt}", *cells])
    return Grid.from_rows(["day", *(title for title, _ in _DAY_COLUMNS)], rows) if rows else None


def _measured(
    result: EpisodeResult, references: References
) -> Iterator[tuple[str, ScheduleFigures, ScheduleFigures | None]]:
    """Yield each measured day of *result* with its optimal one, and the sums of its week."""
    best = references.get((result.scenario, result.day), ())
    own = [figures for _, figures in result.schedules]
    known = len(best) == len(own)
    for place, (name, figures) in enumerate(result.schedules):
        yield name, figures, best[place] if known else None
    if len(own) > 1:
        yield result.day, total_schedule(own), total_schedule(best) if known else None


def schedule_line(figures: ScheduleFigures) -> str:
    """Return the figures of one day in a line."""
    delay = mean_delay(figures)
    waited = f"waited {figures.waiting_minutes} min ({figures.idle_minutes} idle)"
    parts = [waited, _switches(figures.switches)]
    value = figures.value
    if value is not None and value.optimum:
        parts.insert(0, _delivered(value))
    if delay is not None:
        parts.append(f"questions {delay:.0f} min late")
    return " · ".join(parts)


def _delivered(value: ValueFigures) -> str:
    """Return what was delivered, and of how much. With a bound, the true optimum is unknown."""
    if value.bound is None or value.bound == value.optimum:
        return f"delivered {value.delivered:.3g} of {value.optimum:.3g}"
    return (
        f"delivered {value.delivered:.3g}; the optimum is between {value.optimum:.3g} (the "
        f"planner's best) and {value.bound:.3g} (a bound)"
    )


def _switches(count: int) -> str:
    return "1 switch" if count == 1 else f"{count} switches"


def _beside(
    cell: Callable[[ScheduleFigures], str], own: ScheduleFigures, best: ScheduleFigures | None
) -> str:
    return cell(own) if best is None else f"{cell(own)} ({cell(best)})"


def _lost(figures: ScheduleFigures) -> str:
    return NO_VALUE if figures.value is None else format_number(figures.value.lost)


def _late(figures: ScheduleFigures) -> str:
    return str(sum(task.minutes_late or 0 for task in figures.tasks))


def _missing(figures: ScheduleFigures) -> str:
    return str(sum(task.minutes_late is None for task in figures.tasks))


def _delay(figures: ScheduleFigures) -> str:
    return format_number(mean_delay(figures), 0)


_DAY_COLUMNS: tuple[tuple[str, Callable[[ScheduleFigures], str]], ...] = (
    ("value lost", _lost),
    ("minutes late", _late),
    ("never handed in", _missing),
    ("idle min", lambda day: str(day.idle_minutes)),
    ("switches", lambda day: str(day.switches)),
    ("questions late, min", _delay),
    ("wait saved, min", lambda day: str(avoidable_wait(day))),
)


def _percent(share: float | None) -> str:
    return NO_VALUE if share is None else f"{100 * share:.0f} %"


def _percent_estimate(estimate: Estimate | None) -> str:
    if (
        estimate is None
        or estimate.low is None
        or estimate.high is None
        or estimate.low == estimate.high
    ):
        return _percent(estimate.mean if estimate else None)
    return f"{_percent(estimate.mean)} ({100 * estimate.low:.0f}-{100 * estimate.high:.0f})"


def _minutes(estimate: Estimate | None) -> str:
    if (
        estimate is None
        or estimate.low is None
        or estimate.high is None
        or estimate.low == estimate.high
    ):
        return format_number(estimate.mean if estimate else None, 0)
    return f"{estimate.mean:.0f} ({estimate.low:.0f}-{estimate.high:.0f})"


def _column(
    title: str, meaning: str, cell: Callable[[ScheduleSummary], str], *, wide: bool = False
) -> tuple[Column, Callable[[ScheduleSummary], str]]:
    return (Column(title, meaning, FILES) if wide else Column(title, meaning), cell)


_COLUMNS: tuple[tuple[Column, Callable[[ScheduleSummary], str]], ...] = (
    (Column("schedule of"), lambda summary: summary.agent),
    _column(
        "value lost",
        "share of the best possible that was not delivered right and in time",
        lambda summary: _percent_estimate(summary.lost),
    ),
    _column(
        "tasks late", "tasks first handed in after their final deadline",
        lambda summary: format_number(summary.tasks_late, 1),
    ),
    _column(
        "minutes past", "mean minutes past the deadline of tasks handed in late",
        lambda summary: format_number(summary.minutes_late, 0), wide=True,
    ),
    _column(
        "never handed in", "tasks never submitted, not even late, or not after a change",
        lambda summary: format_number(summary.never_handed_in, 1),
    ),
    _column(
        "idle min", "minutes waited while a task could have been worked on",
        lambda summary: _minutes(summary.idle),
    ),
    _column(
        "waiting min", "all minutes waited, in meetings of no task, or left of the day",
        lambda summary: format_number(summary.waiting, 0), wide=True,
    ),
    _column(
        "thinking min", "minutes that thinking took; they are neither waiting nor calls",
        lambda summary: format_number(summary.thinking, 0),
    ),
    _column(
        "switches", "changes from calls of one task to calls of another",
        lambda summary: _minutes(summary.switches),
    ),
    _column(
        "questions late", "mean minutes from when a fact could be asked for to the question",
        lambda summary: _minutes(summary.question_delay),
    ),
    _column(
        "wait saved", "minutes of waiting for answers that earlier questions would have saved",
        lambda summary: format_number(summary.avoidable_wait, 0), wide=True,
    ),
    _column(
        "never asked", "facts that could have been asked for but were never told",
        lambda summary: format_number(summary.facts_never_told, 1), wide=True,
    ),
    _column(
        "other calls", "calls that belong to no task",
        lambda summary: format_number(summary.other_calls, 0), wide=True,
    ),
)  # fmt: skip

_CAUSES: tuple[tuple[Column, Callable[[ScheduleSummary], str]], ...] = (
    (Column("value lost by"), lambda summary: summary.agent),
    _column(
        "never begun", "no call belongs to the task", lambda summary: _percent(summary.never_begun)
    ),
    _column(
        "too late", "begun, not handed in by the deadline", lambda summary: _percent(summary.late)
    ),
    _column(
        "wrong", "handed in in time, checkpoints missed", lambda summary: _percent(summary.wrong)
    ),
    _column("harmed", "worth nothing because of harm", lambda summary: _percent(summary.harmed)),
)
