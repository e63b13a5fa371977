"""Reports of a run whose agent writes markup wherever it can: none of it comes to life."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

from rich.console import Console

from tests.harness.analysis.report.markup import Page
from trainee_bench.harness.analysis.report.publish import print_and_publish
from trainee_bench.harness.batch.pipeline import Run, create_run, execute
from trainee_bench.harness.records.plan import AgentConfig, RunPlan
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec

HTML = "</svg></details><script>alert(1)</script><img src=http://evil.example/>"
MARKDOWN = "\n\n| a | b |\n|---|---|\n| ![x](http://evil.example/) | </details> |\n\n# heading"


class Vandal:
    """Writes markup into its file, a meeting's title, a note, and into calls that fail."""

    async def work(self, session: AgentSession) -> None:
        report = {
            "abnormal_suppliers": [HTML, MARKDOWN],
            "counted_payments": 1,
            "counted_amount": 1,
            "largest_payment": HTML + MARKDOWN,
        }
        path = "workspace:/transaction_data_review_report.json"
        await session.call("files_write", path=path, text=json.dumps(report))
        day = str((await session.call("desk_now")).time)[:10]
        await session.call(
            "calendar_book", title=HTML, room="Room_01", attendees=[],
            starts=f"{day}T10:00", ends=f"{day}T11:00",
        )  # fmt: skip
        await session.call(HTML, text=MARKDOWN)
        await session.call("desk_submit", task="T1", note=HTML + MARKDOWN)
        raise RuntimeError(HTML + MARKDOWN)


def run(this_run: Run) -> None:
    console = Console(file=StringIO())
    outcome = execute(this_run, console)
    print_and_publish(this_run, outcome.results, console)
    (result,) = outcome.results
    assert HTML in str(result.tasks) and HTML in str(result.agent_error)


def test_an_agent_that_writes_markup_everywhere_reaches_no_report(tmp_path: Path) -> None:
    task = TaskSpec(rule="transactions.just_below.s2")
    of = RunPlan(
        benchmark="test",
        scenarios=(Scenario(name="s1", days=(DaySpec(tasks=(task,)),)),),
        agents=(AgentConfig(name="vandal", agent=f"{__name__}:Vandal"),),
    )
    this_run = create_run(of, tmp_path / "run")
    run(this_run)
    folder = this_run.folder
    source = (folder.path / "report.html").read_text(encoding="utf-8")
    page = Page(source)
    assert page.faults == []
    assert {"script", "img"}.isdisjoint(page.tags)
    assert '<svg class="day" role="img"' in source
    assert f"10:00-11:00 {HTML}: missed" in page.text
    text = folder.report.read_text(encoding="utf-8")
    assert "<script" not in text and "<img" not in text and "![" not in text
    assert text.count("</details>") == text.count("<details>")
    assert not [line for line in text.splitlines() if line.startswith(("|---|---|", "# heading"))]
