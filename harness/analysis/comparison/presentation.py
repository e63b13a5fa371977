"""A comparison as tables and a note, for the console and for experiments' pages."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.analysis.comparison.paired import (
    MIN_DIFFERING_SCENARIOS,
    Comparison,
    PairComparison,
    PairedDifference,
    RankedRun,
)
from trainee_bench.harness.analysis.comparison.paired_schedules import (
    ScheduleComparison,
    ScheduleDifference,
    ScheduleMeasure,
    SchedulePair,
)
from trainee_bench.harness.analysis.scheduling.schedule_section import schedule_grid
from trainee_bench.harness.analysis.statistics.bootstrap import format_estimate
from trainee_bench.harness.analysis.statistics.summary import BROKEN_AS_0, BROKEN_AS_0_MEANS
from trainee_bench.harness.documents.document import (
    EVERYWHERE,
    FILES,
    Block,
    Column,
    Document,
    Grid,
    Paragraph,
    Row,
)
from trainee_bench.harness.documents.formatting import format_count, format_number

COMPARISON_NOTE = Paragraph(
    "Complete: share of days or weeks with every task a success; success: share of tasks; pass^k: "
    "chance that k attempts at a day are all complete. "
    "Ranks and verdicts come from a paired bootstrap over scenarios. A tie means that the 95 % "
    "confidence interval of the difference includes 0, or that fewer than "
    f"{MIN_DIFFERING_SCENARIOS} scenarios differ. Each interval is for its own pair, without "
    "correction for several pairs. Detectable at 80 % power: the smallest true difference that "
    "this many scenarios would reveal in 80 % of cases; above 1, none would. With fewer than about "
    f"12 scenarios it is revealed less often, because {MIN_DIFFERING_SCENARIOS} have to differ. "
    "Left out: episodes with a task that could not be graded; "
    f"\u201c{BROKEN_AS_0}\u201d is {BROKEN_AS_0_MEANS}.",
    tone="note",
)
_PAIR_COLUMNS = (
    Column("pair"),
    Column("measure"),
    Column("mean difference (95 % CI)"),
    Column("verdict"),
    Column("scenarios (differing)"),
    Column("detectable at 80 % power"),
)


_OWN_CONDITIONS = "Some of these agents have limits of their own or know secrets of the days:"
SCHEDULE_NOTE = Paragraph(
    "Scheduling does not affect the score. Differences are means over the days on which both have "
    "the figure (for questions, over each day's mean), and for value lost over days and whole "
    "weeks. Less is not always better: the optimal day has switches, too.",
    tone="note",
)
_SCHEDULE_COLUMNS = (
    Column("pair"),
    Column("scheduling"),
    Column("means"),
    Column("mean difference (95 % CI)"),
    Column("verdict"),
    Column("scenarios (differing)"),
)


def comparison_document(
    comparison: Comparison, schedules: ScheduleComparison | None = None
) -> Document:
    """Return ranks, paired differences, those of schedules if there are any, and how to read
    them."""
    blocks: list[Block] = [standings_grid(comparison), pairs_grid([comparison]), COMPARISON_NOTE]
    if comparison.own_conditions:
        blocks.insert(1, Paragraph(f"{_OWN_CONDITIONS} {'; '.join(comparison.own_conditions)}."))
    if schedules is not None and schedules.runs:
        blocks += [schedule_grid(schedules.runs), schedule_pairs_grid(schedules), SCHEDULE_NOTE]
    unverified = [standing.label for standing in comparison.standings if not standing.verified]
    if unverified:
        blocks.append(
            Paragraph(
                f"Not verified: {', '.join(unverified)}. The command trainee-bench verify repeats "
                "every episode of a run and grades it again.",
                tone="note",
            )
        )
    return Document(title="Comparison", blocks=tuple(blocks))


def standings_grid(comparison: Comparison) -> Grid:
    """Return a row per compared run, the best ranks first; equal ranks are marked with =.

    Columns that tell a terminal's reader nothing appear only in files.
    """
    standings = sorted(comparison.standings, key=_standing_order)
    partly = any(standing.broken_as_0 != standing.score for standing in standings)
    dropped = any(standing.dropped for standing in standings)
    columns = (
        (Column("agent or run"), [standing.label for standing in standings]),
        (
            Column("rank by days complete"),
            _ranks([standing.complete_rank for standing in standings]),
        ),
        (Column("complete"), [format_estimate(standing.complete) for standing in standings]),
        (Column("rank by score"), _ranks([standing.score_rank for standing in standings])),
        (Column("score"), [format_estimate(standing.score) for standing in standings]),
        (
            _telling(BROKEN_AS_0, partly),
            [format_estimate(standing.broken_as_0) for standing in standings],
        ),
        (
            Column("rank by success", media=FILES),
            _ranks([standing.success_rank for standing in standings]),
        ),
        (Column("success"), [format_estimate(standing.success) for standing in standings]),
        (Column("episodes"), [str(standing.episodes) for standing in standings]),
        (_telling("left out", dropped), [format_count(standing.dropped) for standing in standings]),
        (
            _telling("coverage", any(standing.coverage < 1 for standing in standings)),
            [format_number(standing.coverage) for standing in standings],
        ),
    )
    return Grid.from_columns(columns, always=[column.title for column, _ in columns])


def _telling(title: str, tells: bool) -> Column:
    return Column(title, media=EVERYWHERE if tells else FILES)


def pairs_grid(comparisons: Sequence[Comparison]) -> Grid:
    """Return for each pair of each comparison a row per measure: days complete, score, success, and
    pass^k if days were attempted several times."""
    rows = [
        row
        for comparison in comparisons
        for pair in comparison.pairs
        for row in _pair_rows(comparison, pair)
    ]
    return Grid.from_rows(_PAIR_COLUMNS, rows, left_columns=2)


def schedule_pairs_grid(schedules: ScheduleComparison) -> Grid:
    """Return for each pair a row for each figure of scheduling that both have."""
    rows = [
        [
            f"{pair.one} – {pair.other}",
            found.measure.title,
            " – ".join(_figure(mean, found.measure) for mean in (found.one, found.other)),
            _schedule_difference(found),
            _less(found.by, pair),
            f"{found.by.scenarios} ({found.by.differing})",
        ]
        for pair in schedules.pairs
        for found in pair.differences
    ]
    return Grid.from_rows(_SCHEDULE_COLUMNS, rows, left_columns=2)


def _figure(value: float, measure: ScheduleMeasure, sign: str = "") -> str:
    return f"{value:{sign}z.{measure.decimals}f}{measure.unit}"


def _schedule_difference(found: ScheduleDifference) -> str:
    by, measure = found.by, found.measure
    mean = _figure(by.mean, measure, "+")
    if by.low is None or by.high is None or by.low == by.high:
        return mean
    return f"{mean} ({by.low:+z.{measure.decimals}f} to {by.high:+z.{measure.decimals}f})"


def _less(by: PairedDifference, pair: SchedulePair) -> str:
    """Say which run has less of it, or that it is a tie."""
    if by.tie:
        return describe_difference(by, pair.one, pair.other)
    return f"{pair.one if by.mean < 0 else pair.other} has less"


def describe_difference(by: PairedDifference, first: str, second: str) -> str:
    """Say which is better, or that it is a tie, and whether there were too few scenarios."""
    if not by.tie:
        return f"{first if by.mean > 0 else second} is better"
    decided = by.low is not None and by.high is not None and not by.low <= 0 <= by.high
    return "tie: too few scenarios" if decided or by.scenarios < MIN_DIFFERING_SCENARIOS else "tie"


def format_detectable(difference: float | None) -> str:
    """Return a smallest detectable difference of two figures from 0 to 1 as text.

    None and 0 become a dash: without variance in the run, nothing is known.
    """
    if difference is not None and difference > 1:
        return "above 1"
    return format_number(difference or None, 3)


def _pair_rows(comparison: Comparison, pair: PairComparison) -> list[Row]:
    first, second = (comparison.standings[place].label for place in (pair.one, pair.other))
    return [
        [
            f"{first} – {second}",
            measure,
            _difference(by),
            describe_difference(by, first, second),
            f"{by.scenarios} ({by.differing})",
            format_detectable(by.detectable),
        ]
        for measure, by in (
            ("complete", pair.complete),
            ("score", pair.score),
            ("success", pair.success),
            (f"pass^{pair.attempts}", pair.all_complete),
        )
        if by is not None
    ]


def _standing_order(run: RankedRun) -> tuple[int, int, float, float, str]:
    """Sort key: by ranks, and among equal ranks by the measured means."""
    complete, score = (-(mean.mean if mean else -1) for mean in (run.complete, run.score))
    return run.complete_rank, run.score_rank, complete, score, run.label


def _difference(by: PairedDifference) -> str:
    if by.low is None or by.high is None:
        return _signed(by.mean)
    return f"{_signed(by.mean)} ({_signed(by.low)} to {_signed(by.high)})"


def _signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}" if round(value, 3) else "0.000"


def _ranks(ranks: Sequence[int]) -> list[str]:
    return [f"{rank}=" if ranks.count(rank) > 1 else str(rank) for rank in ranks]
