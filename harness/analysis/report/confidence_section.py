"""The section on how sure agents said to be: figures by agent, and a reliability diagram."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trainee_bench.harness.analysis.charts.charts import SERIES_COLOURS, Series, line_chart
from trainee_bench.harness.analysis.report.attempts_section import omitted_from_picture
from trainee_bench.harness.analysis.statistics.bootstrap import Estimate, format_estimate
from trainee_bench.harness.analysis.statistics.calibration import (
    BINS,
    OVERCLAIM_FROM,
    Calibration,
    calibrations,
    submissions,
)
from trainee_bench.harness.documents.document import (
    FILES,
    Chart,
    Charts,
    Column,
    Grid,
    Paragraph,
    Section,
    meanings_of,
)
from trainee_bench.harness.documents.formatting import format_count, format_number
from trainee_bench.harness.records.results import EpisodeResult

_NOTE = (
    "Only the last submission before a deadline counts. These figures change no score. In "
    "brackets: 95 % bootstrap confidence interval over scenarios."
)
SHOWN = SERIES_COLOURS - 1
"""The greatest number of agents in the diagram."""
_EXACT = "as sure as right"
"""The name of the diagonal in the diagram."""


def confidence_sections(results: Sequence[EpisodeResult]) -> list[Section]:
    """Return the section; none if no agent said how sure it was."""
    found = calibrations(results)
    if not found:
        return []
    grid = confidence_grid(found)
    notes = (
        Paragraph(_NOTE, "note"),
        *_silent(found, results),
        *omitted_from_picture(len(found), SHOWN),
    )
    details = Section("", (*notes, meanings_of(grid)), media=FILES)
    blocks = (grid, Charts((reliability_diagram(found),)), details)
    return [Section("How sure the agents said they were", blocks, "confidence", FILES)]


def _silent(
    found: Sequence[Calibration], results: Sequence[EpisodeResult]
) -> tuple[Paragraph, ...]:
    """Name the agents with graded submissions that never said how sure they were; nothing if there
    are none."""
    stated = {own.agent for own in found}
    silent = {
        result.agent
        for result in results
        if result.agent not in stated
        and any(task.success is not None for task in submissions([result]))
    }
    if not silent:
        return ()
    text = (
        f"Not in the table, since they never said how sure they were: {', '.join(sorted(silent))}."
    )
    return (Paragraph(text, "note"),)


def confidence_grid(found: Sequence[Calibration]) -> Grid:
    """Return a row per agent. Columns in which nobody has anything are left out."""
    columns = [(column, [cell(own) for own in found]) for column, cell in _COLUMNS]
    return Grid.from_columns(columns, always=("confidence of", "over-claims"))


def reliability_diagram(found: Sequence[Calibration]) -> Chart:
    """Draw the share of successes of each agent by how sure it said to be.

    On the diagonal, agents are right as often as they say. It has one of the colours, so at most
    `SHOWN` agents are drawn.
    """
    exact = tuple(_point((place + 0.5) / BINS) for place in range(BINS))
    series = [
        *(Series(own.agent, _shares(own), number) for number, own in enumerate(found[:SHOWN], 1)),
        Series(_EXACT, exact, SERIES_COLOURS),
    ]
    title = "Share of tasks right, by how sure (percent)"
    tenths = [f"{round(100 * (place + 0.5) / BINS)}" for place in range(BINS)]
    return Chart("confidence", title, line_chart(title, tenths, series))


def _shares(own: Calibration) -> tuple[Estimate | None, ...]:
    by_tenth = {group.tenth: group.right for group in own.bins}
    return tuple(by_tenth.get(place) for place in range(BINS))


def _point(value: float) -> Estimate:
    return Estimate(value, None, None)


_COLUMNS: tuple[tuple[Column, Callable[[Calibration], str]], ...] = (
    (Column("confidence of"), lambda own: own.agent),
    (Column("stated", "graded submissions that say how sure"), lambda own: str(own.stated)),
    (
        Column("not stated", "graded submissions that do not say how sure"),
        lambda own: format_count(own.unstated),
    ),
    (
        Column("not graded", "submissions that could not be graded; no figure includes them"),
        lambda own: format_count(own.ungraded),
    ),
    (
        Column("episodes broken", "episodes that could not be run; no figure includes them"),
        lambda own: format_count(own.broken),
    ),
    (
        Column("mean stated", "mean of the stated chances to be right"),
        lambda own: format_estimate(own.said),
    ),
    (
        Column("right", "share of these submissions whose task was a success"),
        lambda own: format_estimate(own.right),
    ),
    (
        Column("Brier", "mean squared difference between stated chance and outcome; 0 is best"),
        lambda own: format_estimate(own.brier),
    ),
    (
        Column(
            "Brier of the mean", "the same if the share that is right had been stated each time"
        ),
        lambda own: format_number(own.base_brier),
    ),
    (
        Column(
            "calibration error",
            "mean distance between stated chance and share right over tenths of the stated "
            "chance; with few submissions, chance makes it larger",
        ),
        lambda own: format_number(own.calibration_error),
    ),
    (
        Column("claims", f"submissions stated at {OVERCLAIM_FROM} % or more"),
        lambda own: format_count(own.claims),
    ),
    (
        Column("over-claims", "share of these claims whose task was no success"),
        lambda own: format_estimate(own.overclaims),
    ),
)
