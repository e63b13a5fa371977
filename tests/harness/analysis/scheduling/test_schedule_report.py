"""Schedules in a report: tables by agent and day, and a picture above the optimal day."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import anyio
import pytest

from tests.harness.builders import episode, figures, plan, task, week
from tests.harness.days import composed_day
from trainee_bench.harness.analysis.charts.svg import text_width
from trainee_bench.harness.analysis.report.run_document import build_run_document
from trainee_bench.harness.analysis.scheduling.schedule_picture import (
    SchedulePanel,
    draw_schedule,
    optimal_panel,
)
from trainee_bench.harness.analysis.scheduling.schedule_section import schedule_section
from trainee_bench.harness.analysis.scheduling.schedule_summary import schedule_summaries
from trainee_bench.harness.documents.document import Document, Grid
from trainee_bench.harness.documents.markdown import render_markdown
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.schedule_figures import (
    ScheduleFigures,
)
from trainee_bench.harness.scheduling.reference import ReferenceDay, agent_days
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Scenario


def day(agent: str, scenario: str, schedule: ScheduleFigures | None) -> EpisodeResult:
    return episode(agent, scenario, task(1.0), schedule=schedule)


RESULTS = [
    day("slow", "one", figures(idle=60, switches=2, lost=2, late=15)),
    day("slow", "two", figures(idle=20, switches=4)),
    day("quick", "one", figures(idle=0, switches=1)),
    day("quick", "two", None),
]
REFERENCES = {("one", "day_1"): [figures(idle=1)], ("two", "day_1"): [figures(idle=3)]}


def test_an_agent_s_figures_are_means_over_its_days() -> None:
    quick, slow, optimal = schedule_summaries(RESULTS, REFERENCES)
    assert (quick.agent, slow.agent, optimal.agent) == ("quick", "slow", "optimal day")
    assert slow.lost is not None and slow.lost.mean == slow.late == 0.25
    assert slow.idle is not None and slow.idle.mean == 40
    assert (slow.tasks_late, slow.minutes_late, slow.avoidable_wait) == (0.5, 15, 10)
    assert slow.lost.low is not None, "two scenarios give an interval"
    assert quick.days == 1, "a day without a schedule counts nowhere"
    assert optimal.idle is not None and optimal.idle.mean == 2


def test_the_report_has_a_table_by_agent_and_one_by_day_beside_the_optimal_one() -> None:
    document = build_run_document(
        plan("one", "two", agents=("slow", "quick")), RESULTS, references=REFERENCES
    )
    text = render_markdown(document)
    assert re.search(r"^\| slow \| 25 % \(0-50\) \|", text, re.M)
    assert re.search(r"^\| optimal day \| 0 % \|", text, re.M)
    assert "| one · day_1 | 2.00 (0.00) | 15 (0) | 0 (0) | 60 (1) | 2 (0) | 30 (30) |" in text


def test_without_optimal_days_the_tables_have_the_agents_alone() -> None:
    section = schedule_section(RESULTS, {})
    assert section is not None
    by_agent, _, *by_day = Document("", (section,)).every(Grid)
    assert [row[0] for row in by_agent.rows] == ["quick", "slow"]
    assert not any("(" in cell for grid in by_day for row in grid.rows for cell in row)


def test_results_of_older_versions_have_no_section() -> None:
    assert schedule_section([day("slow", "one", None)], {}) is None


def test_a_week_loses_the_share_of_all_its_days_and_waits_as_on_a_mean_day() -> None:
    worked = week("slow", "one", figures(idle=30, lost=4), figures(idle=10))
    (slow,) = schedule_summaries([worked], {})
    assert slow.days == 2
    assert slow.lost is not None and slow.lost.mean == 0.5
    assert slow.idle is not None and slow.idle.mean == 20
    section = schedule_section([worked], {("one", "week"): [figures(idle=1), figures(idle=2)]})
    assert section is not None
    by_day = list(Document("", (section,)).every(Grid))[-1]
    shown = [(row[0], row[1], row[4]) for row in by_day.rows]
    assert shown == [
        ("one · Monday", "4.00 (0.00)", "30 (1)"),
        ("one · Tuesday", "0.00 (0.00)", "10 (2)"),
        ("one · week", "4.00 (0.00)", "40 (3)"),
    ]


@pytest.fixture(scope="module")
def drawn() -> tuple[ReferenceDay, ReferenceDay]:
    """A day of an agent that does nothing, and of the oracle."""
    composition = composed_day("sales.sales_statistics", "kb_fix.easy", name="drawn", seed=7)

    async def both() -> tuple[ReferenceDay, ReferenceDay]:
        (own,), (best,) = [await agent_days(name, composition) for name in ("in_order", "oracle")]
        return own, best

    return anyio.run(both)


def picture(drawn: tuple[ReferenceDay, ReferenceDay], name: str = "in_order") -> str:
    own, best = drawn
    return draw_schedule(
        SchedulePanel(name, own.day, own.figures), optimal_panel(best.day, best.figures)
    )


def test_the_picture_shows_both_days_task_by_task(
    drawn: tuple[ReferenceDay, ReferenceDay],
) -> None:
    root = ElementTree.fromstring(picture(drawn))
    panels = [group for group in root.iter("g") if group.get("class") in ("own", "best")]
    assert [panel.get("class") for panel in panels] == ["own", "best"]
    for panel in panels:
        kinds = [node.get("class") for node in panel.iter()]
        assert kinds.count("open") == kinds.count("due") == kinds.count("flag") == 2
        assert kinds.count("work") == 2 and "ask" in kinds


@pytest.fixture(scope="module")
def drawn_in_week() -> tuple[ReferenceDay, ReferenceDay]:
    """The first day of a week, with a task that is due on the second."""
    first = {"tasks": [{"rule": "sales.sales_statistics", "due_day": 1}, {"rule": "kb_fix.easy"}]}
    scenario = {"name": "drawn", "seed": 7, "week": True, "days": [first, {"tasks": []}]}
    composition = compose_day(Scenario.model_validate(scenario))

    async def both() -> tuple[ReferenceDay, ReferenceDay]:
        own, best = [await agent_days(name, composition) for name in ("nothing", "oracle")]
        return own[0], best[0]

    return anyio.run(both)


def test_a_task_that_is_due_on_a_later_day_is_open_to_the_end_of_the_picture(
    drawn_in_week: tuple[ReferenceDay, ReferenceDay],
) -> None:
    root = ElementTree.fromstring(picture(drawn_in_week, "nothing"))
    own, _ = (group for group in root.iter("g") if group.get("class") in ("own", "best"))
    kinds = [node.get("class") for node in own.iter()]
    assert (kinds.count("open"), kinds.count("due")) == (2, 1)
    said = [label.text or "" for label in own.iter("text")]
    assert "due Tue 20:00" in said and "not begun" in said
    assert "nothing: 0 of 1 task handed in in time" in (root.get("aria-label") or "")


@pytest.mark.parametrize("which", ["drawn", "drawn_in_week"])
def test_no_label_of_the_picture_touches_another(
    which: str, request: pytest.FixtureRequest
) -> None:
    shown = picture(request.getfixturevalue(which), "an agent with quite a long name indeed")
    root = ElementTree.fromstring(shown)
    boxes = []
    for label in root.iter("text"):
        size = 10.5 if "m" in (label.get("class") or "").split() else 12
        width, x, y = text_width(label.text or "", size), float(label.get("x", 0)), label.get("y")
        anchor = (label.get("class") or "").split()
        left = x - width if "e" in anchor else x - width / 2 if "c" in anchor else x
        boxes.append((float(y or 0), left, left + width, label.text))
    for number, (y, left, right, text) in enumerate(boxes):
        assert left >= -1 and right <= 1001, text
        for other_y, other_left, other_right, other in boxes[number + 1 :]:
            apart = abs(y - other_y) >= 9 or right <= other_left or other_right <= left
            assert apart, (text, other)


def test_titles_are_escaped_in_the_picture(drawn: tuple[ReferenceDay, ReferenceDay]) -> None:
    own, best = drawn
    lanes = tuple(replace(lane, title="<script>") for lane in own.day.lanes)
    own = ReferenceDay(replace(own.day, lanes=lanes), own.figures)
    assert "<script>" not in picture((own, best))
