"""The report of a run: files in its folder, and its tables on the console."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
from rich.console import Console

from trainee_bench.harness.analysis.report.publish import publish_report
from trainee_bench.harness.batch.pipeline import Run
from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import EpisodeResult


def publish(run: Run, results: Sequence[EpisodeResult], console: Console) -> None:
    """Write ``report.md`` and ``report.html`` of *run*, and print its tables and faults.

    Raises PlanError if they cannot be written.
    """
    try:
        report = anyio.run(publish_report, run.folder, run.plan, results)
    except OSError as error:
        raise PlanError(
            f"The report cannot be written ({error.strerror}); all {len(results)} results are in "
            f"{run.folder.ledger.path}. --resume {run.folder.path} writes the report."
        ) from None
    console.print()
    print_document(report, console)
    files = f"Report: {run.folder.path / 'report.html'}, its tables: {run.folder.report}"
    console.print(files, markup=False, soft_wrap=True)
