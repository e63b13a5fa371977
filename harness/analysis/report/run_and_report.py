"""Executing a run and publishing its report: what both commands and the Python API do."""

from __future__ import annotations

from functools import partial

import anyio
from rich.console import Console

from trainee_bench.harness.analysis.report.publish import publish_report
from trainee_bench.harness.batch.pipeline import Run, RunOutcome, execute
from trainee_bench.harness.batch.progress import show_progress
from trainee_bench.harness.documents.console import print_document


def run_and_report(run: Run, console: Console) -> RunOutcome:
    """Execute *run*, write its report, and print the report's tables to *console*.

    Raises PlanError and ResultFileError as `execute` does.
    """
    outcome = execute(run, partial(show_progress, console))
    report = anyio.run(publish_report, run.folder, run.plan, outcome.results)
    console.print()
    print_document(report, console)
    files = f"Report: {run.folder.path / 'report.html'}, its tables: {run.folder.report}"
    console.print(files, markup=False, soft_wrap=True)
    return outcome
