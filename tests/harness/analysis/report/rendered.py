"""A run's report as its renderers write it, without drawn days."""

from __future__ import annotations

from collections.abc import Sequence

from trainee_bench.harness.analysis.report.publish import render_pages
from trainee_bench.harness.analysis.report.run_document import build_run_document
from trainee_bench.harness.documents.markdown import render_markdown
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult


def html_pages(plan: RunPlan, results: Sequence[EpisodeResult]) -> dict[str, str]:
    """Return the HTML pages by name."""
    return render_pages(build_run_document(plan, results), plan, results, {})


def markdown_text(plan: RunPlan, results: Sequence[EpisodeResult]) -> str:
    """Return the text of report.md."""
    return render_markdown(build_run_document(plan, results))
