"""The reports of a run: files in its folder, and a summary on the console."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
from rich.console import Console

from trainee_bench.harness.analysis.report.html import write_pages
from trainee_bench.harness.analysis.report.markdown import render_markdown_report
from trainee_bench.harness.analysis.report.table import console_table
from trainee_bench.harness.analysis.statistics.summary import agent_summaries, unsupported_tasks
from trainee_bench.harness.batch.pipeline import Run
from trainee_bench.harness.records.results import EpisodeResult


def publish(run: Run, results: Sequence[EpisodeResult], console: Console) -> None:
    """Write ``report.md`` and ``report.html`` of *run*, and print its table and faults."""
    folder = run.folder
    folder.report.write_text(render_markdown_report(run.plan, results), encoding="utf-8")
    anyio.run(write_pages, folder, run.plan, results)
    console.print()
    console.print(console_table(agent_summaries(results)))
    unsupported = unsupported_tasks(results)
    if unsupported:
        total = sum(unsupported.values())
        console.print(f"Not graded, because their family is not built: {total} tasks", markup=False)
        for name, count in unsupported.items():
            console.print(f"  {name}: {count}", markup=False)
    for result in results:
        if result.error is not None:
            _print(console, f"Broken: {result.episode}: {result.error}")
        elif result.agent_error is not None:
            _print(console, f"The agent failed: {result.episode}: {result.agent_error}")
    _print(console, f"Report: {folder.path / 'report.html'}, its tables: {folder.report}")


def _print(console: Console, line: str) -> None:
    console.print(line, markup=False, soft_wrap=True)
