"""A run's report says the same in every medium, and an agent's markup has no effect in it."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

from rich.console import Console

from tests.harness.analysis.report.markup import Page
from tests.harness.analysis.report.rendered import html_pages, markdown_text
from tests.harness.builders import episode, plan, task
from trainee_bench.harness.analysis.report.publish import print_and_publish
from trainee_bench.harness.analysis.report.run_document import build_run_document
from trainee_bench.harness.batch.pipeline import Run, create_run, execute
from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.documents.document import Facts, Grid, Medium
from trainee_bench.harness.records.plan import AgentConfig, RunPlan
from trainee_bench.harness.records.results import UNSUPPORTED
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec

PLAN = plan("s1", "s2", agents=("good", "bad"))
RESULTS = [
    episode("good", "s1", task(1.0), task(0.5, "b.hard", label="hard"), ended=EndReason.AGENT),
    episode("good", "s2", task(1.0), incidents={"rate_limit": 2}),
    episode("bad", "s1", task(0.0), agent_error="KeyError: 'x'"),
    episode("bad", "s2", task(None, "Sales Analysis", error=UNSUPPORTED), error="the line is dead"),
]


def test_every_table_and_fact_is_in_markdown_and_in_html() -> None:
    document = build_run_document(PLAN, RESULTS)
    markdown, page = markdown_text(PLAN, RESULTS), Page(html_pages(PLAN, RESULTS)["report.html"])
    cells = {cell for grid in document.every(Grid) for row in grid.rows for cell in row}
    cells |= {title for grid in document.every(Grid) for title in grid.titles}
    cells |= {text for facts in document.every(Facts) for pair in facts.items for text in pair}
    assert len(cells) > 40
    for cell in cells:
        assert cell in page.text, cell
        assert cell in markdown.replace("\\", "").replace("&amp;", "&"), cell


def test_the_console_has_the_main_table_and_everything_that_went_wrong() -> None:
    console = Console(file=StringIO(), width=160)
    with console.capture() as captured:
        print_document(build_run_document(PLAN, RESULTS), console)
    text = captured.get()
    for shown in (
        "not graded", "agent errors", "Sales Analysis: 1 task", "s2.day_1.bad.1: the line is dead",
        "s1.day_1.bad.1: KeyError: 'x'",
    ):  # fmt: skip
        assert shown in text
    assert "by family" not in text and "missed" not in text


def test_every_medium_shows_the_mean_beside_the_one_with_the_broken_day_at_0() -> None:
    results = [
        episode("good", "s1", task(0.8)),
        episode("good", "s2", task(None), error="the line is dead", steps=0),
    ]
    shown = plan("s1", "s2", agents=("good",))
    document = build_run_document(shown, results)
    console = Console(file=StringIO(), width=160)
    with console.capture() as captured:
        print_document(document, console)
    main = document.main_grid
    row = dict(zip(main.titles, main.rows[0], strict=True))
    assert (row["score"], row["broken as 0"]) == ("0.80", "0.40 (0.00-0.80)")
    shown_cells = ["good", "0.00", "0.80", "0.40 (0.00-0.80)"]
    assert captured_cells(captured.get(), "good")[:4] == shown_cells
    assert "| good | 0.00 | 0.80 | 0.40 (0.00-0.80) |" in markdown_text(shown, results)
    page = Page(html_pages(shown, results)["report.html"])
    assert "broken as 0" in page.text and "0.40 (0.00-0.80)" in page.text


def test_the_share_of_days_complete_comes_first_and_then_the_score() -> None:
    main = build_run_document(PLAN, RESULTS).main_grid
    assert main.titles[:3] == ("agent", "complete", "score")
    console = main.shown_in(Medium.CONSOLE)
    assert console.titles[:3] == ("agent", "complete", "score")


def test_a_column_that_says_nothing_on_the_console_is_left_to_the_files() -> None:
    plain = [
        episode("good", "s1", task(1.0), steps=4, tool_calls=4, prompt_tokens=9, cost_usd=0.0),
        episode("good", "s2", task(0.5), steps=6, tool_calls=6, prompt_tokens=9, cost_usd=0.0),
    ]
    grid = build_run_document(plan("s1", "s2", agents=("good",)), plain).main_grid
    assert grid.shown_in(Medium.CONSOLE).titles == (
        "agent", "complete", "score", "success", "steps", "episodes"
    )  # fmt: skip
    silent = {"broken as 0", "calls", "tokens", "cost $", "coverage"}
    assert silent <= set(grid.shown_in(Medium.MARKDOWN).titles)


def test_a_column_that_says_something_of_any_agent_is_on_the_console() -> None:
    results = [
        episode("paid", "s1", task(1.0), prompt_tokens=9, completion_tokens=1, cost_usd=0.5),
        episode("unpriced", "s1", task(0.5), prompt_tokens=9, completion_tokens=1),
        episode("broken", "s1", task(1.0), task(None)),
    ]
    shown = plan("s1", agents=("paid", "unpriced", "broken"))
    grid = build_run_document(shown, results).main_grid.shown_in(Medium.CONSOLE)
    said = {"broken as 0", "calls", "tokens", "cost $", "coverage", "not graded"}
    assert said <= set(grid.titles)


def captured_cells(text: str, agent: str) -> list[str]:
    """Return the cells of the console's first row that begins with *agent*."""
    line = next(line for line in text.splitlines() if line.strip().startswith(f"{agent} "))
    return [cell.strip() for cell in line.strip().split("  ") if cell.strip()]


def test_shown_columns_are_explained() -> None:
    grid = build_run_document(PLAN, RESULTS).main_grid
    assert {"score", "success", "coverage"} <= dict(grid.terms.items).keys()


def test_the_report_shows_no_backticks() -> None:
    assert "`" not in Page(html_pages(PLAN, RESULTS)["report.html"]).text
    assert "\\`" not in markdown_text(PLAN, RESULTS)


HTML = "</svg></details><script>alert(1)</script><img src=http://evil.example/>"
MARKDOWN = "\n\n| a | b |\n|---|---|\n| ![x](http://evil.example/) | </details> |\n\n# heading"


class Vandal:
    """Writes markup into its file, a meeting's title, a note, and into failing calls."""

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
