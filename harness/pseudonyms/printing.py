"""The report on a pseudonymised office, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from trainee_bench.harness.pseudonyms.report import PseudonymReport, Uncertain
from trainee_bench.harness.support.terminal import output_console
from trainee_bench.harness.support.text import one_line

_SHOWN = 60


def print_pseudonyms(report: PseudonymReport) -> None:
    """Print what was replaced, each place of which it is not sure, and files not looked into."""
    console = output_console()
    counts = ", ".join(f"{count:,} {kind}" for kind, count in sorted(report.replaced.items()))
    console.print(f"Replaced: {counts or 'nothing'}. Renamed files: {report.renamed:,}.")
    groups = _grouped([*report.left_over, *report.uncertain])
    if groups:
        table = Table(
            "words", "what was done", "why", "places", "first", title="Look at these words"
        )
        for places in groups[:_SHOWN]:
            first = places[0]
            table.add_row(
                escape(one_line(first.words)),
                "replaced" if first.replaced else "left",
                escape(one_line(first.why)),
                f"{sum(len(place.lines) for place in places):,}",
                escape(one_line(f"{first.file} {first.part} {first.lines[0]}")),
            )
        console.print(table)
        console.print("`--also WORD` replaces a word that was left, `--keep WORD` keeps one.")
        if len(groups) > _SHOWN:
            console.print(f"{len(groups) - _SHOWN:,} more words are doubtful; --json lists them.")
    for file in report.not_looked_into:
        console.print(f"Not looked into: {escape(one_line(file.file))}: {escape(file.why)}")


def _grouped(places: Sequence[Uncertain]) -> list[list[Uncertain]]:
    """Return the places by word and reason: words that were left first, the most frequent first."""
    groups: dict[tuple[str, str, bool], list[Uncertain]] = {}
    for place in places:
        groups.setdefault((place.words, place.why, place.replaced), []).append(place)
    return sorted(
        groups.values(),
        key=lambda group: (group[0].replaced, -sum(len(place.lines) for place in group)),
    )
