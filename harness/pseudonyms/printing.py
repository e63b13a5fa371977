"""The report on a pseudonymised office, for a terminal."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from trainee_bench.harness.pseudonyms.report import PseudonymReport
from trainee_bench.harness.support.terminal import output_console
from trainee_bench.harness.support.text import one_line

_SHOWN = 60


def print_pseudonyms(report: PseudonymReport) -> None:
    """Print what was replaced, each place of which it is not sure, and files not looked into."""
    console = output_console()
    counts = ", ".join(f"{count:,} {kind}" for kind, count in sorted(report.replaced.items()))
    console.print(f"Replaced: {counts or 'nothing'}. Renamed files: {report.renamed:,}.")
    doubtful = [*report.left_over, *report.uncertain]
    if doubtful:
        table = Table("file", "words", "what was done", "why", title="Look at these places")
        for place in doubtful[:_SHOWN]:
            lines = ", ".join(map(str, place.lines[:5]))
            table.add_row(
                escape(one_line(f"{place.file} {place.part} {lines}")),
                escape(one_line(place.words)),
                "replaced" if place.replaced else "left",
                escape(one_line(place.why)),
            )
        console.print(table)
        if len(doubtful) > _SHOWN:
            console.print(f"{len(doubtful) - _SHOWN:,} more places are doubtful.")
    for file in report.not_looked_into:
        console.print(f"Not looked into: {escape(one_line(file.file))}: {escape(file.why)}")
