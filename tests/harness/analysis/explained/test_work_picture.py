"""The picture of honest work contains names, times and minutes; texts of worlds stay plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta
from functools import cache
from xml.etree import ElementTree

import anyio
import pytest

from trainee_bench.harness.analysis.charts.hour_scale import HourScale
from trainee_bench.harness.analysis.explained.work_picture import (
    FRAME,
    describe_work,
    draw_work,
)
from trainee_bench.harness.analysis.explained.work_rows import in_words
from trainee_bench.harness.testbench.explained_day import ExplainedDay, explain_day, explain_days
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.work.engine import Act
from trainee_bench.meta_tasks.work.explain import ExplainedNeed, Explanation
from trainee_bench.world.transaction import WorkingDay

MORNING = datetime(2025, 10, 1, 8)
HOSTILE = "<script>alert(1)</script>\x00 &\u202e"


@cache
def worked(until: time | None = None) -> ExplainedDay:
    return anyio.run(explain_day, single_task_day("kb_fix.easy", 1), 0, None, until)


def at(minutes: int) -> datetime:
    return MORNING + timedelta(minutes=minutes)


def act(begins: int, ends: int, tool: str = "files_read") -> Act:
    return Act(at(begins), at(ends), tool, {"path": HOSTILE}, ())


def need(
    kind: str,
    *fields: str,
    acts: Sequence[Act] = (),
    waits_for: str = "",
    error: str = "",
    parts: Sequence[ExplainedNeed] = (),
    repeated: bool = False,
) -> ExplainedNeed:
    return ExplainedNeed(
        kind, fields, tuple(acts), waits_for, error, tuple(parts), repeated, repeated
    )


def day_of(*parts: ExplainedNeed, **more: object) -> ExplainedDay:
    acts = [act for part in parts for act in part.acts]
    graph = Explanation((need("TaskRoot", "T1", parts=parts),), ())
    window = WorkingDay(MORNING, at(720))
    made = ExplainedDay(window, {"T1": HOSTILE}, graph, {"T1": acts}, (), {})
    return replace(made, **more)  # type: ignore[arg-type]


def drawn(day: ExplainedDay) -> ElementTree.Element:
    return ElementTree.fromstring(draw_work(day))


def texts(root: ElementTree.Element) -> list[str]:
    """Return the text in the picture, without tooltips and what needs are about."""
    return [
        (label.text or "") + "".join(inner.tail or "" for inner in label if inner.tag == "title")
        for label in root.iter("text")
    ]


def titles(root: ElementTree.Element) -> list[str]:
    return [title.text or "" for title in root.iter("title")]


def calls(root: ElementTree.Element) -> list[ElementTree.Element]:
    """Return the bars and ticks of calls; those of the legend have no tooltip."""
    kinds = {"took", "tick"}
    return [
        node
        for node in root.iter()
        if kinds & set((node.get("class") or "").split()) and node.find("title") is not None
    ]


def test_each_call_of_the_day_has_a_bar_at_its_time_as_long_as_it_took() -> None:
    day = worked()
    bars = calls(drawn(day))
    made = sorted({id(act): act for act in day.acts["T1"]}.values(), key=lambda act: act.at)
    told = sorted((bar.find("title").text or "") for bar in bars)  # type: ignore[union-attr]
    assert len(told) == len(made) > 5
    assert [line.split()[:2] for line in told] == [[f"{act.at:%H:%M}", act.tool] for act in made]
    asked = next(act for act in made if act.tool == "chat_send_message")
    (bar,) = (bar for bar in bars if "chat_send_message" in (bar[0].text or ""))
    last = max(act.until for act in (*made, *day.waits))
    hours = HourScale(MORNING, last.replace(minute=0) + timedelta(hours=1), FRAME)
    assert float(bar.get("x", "")) == pytest.approx(hours.x(asked.at), abs=0.06)
    wide = hours.x(asked.until) - hours.x(asked.at)
    assert asked.until - asked.at == timedelta(minutes=5)
    assert float(bar.get("width", "")) == pytest.approx(wide, abs=0.11)


def test_needs_are_named_in_words_with_what_they_are_about_and_what_they_took() -> None:
    root = drawn(worked())
    full = titles(root)
    assert any(line.startswith("Read text drive:/kb/articles/") for line in full)
    assert "Desk listing" in texts(root)
    assert any(line.startswith("T1 ") for line in full)
    assert "1 min" in texts(root) and "5 min" in texts(root)
    assert describe_work(worked()) == root.get("aria-label")
    assert in_words("FileText") == "File text" and in_words("_Kept") == "Kept"


def test_needs_without_effort_are_left_out_and_repeated_needs_appear_once() -> None:
    inbox = need("Inbox", acts=[act(1, 2, "chat_read_history")])
    again = replace(inbox, repeated=True)
    idle = need("MoreResults", "T1")
    root = drawn(day_of(need("Told", "eve", parts=[inbox]), need("Holders", parts=[again]), idle))
    names = [line.split()[0] for line in titles(root)]
    assert names.count("Inbox") == 1
    assert not {"Holders", "More"} & set(names)


def test_a_call_that_takes_no_time_is_a_tick() -> None:
    root = drawn(day_of(need("Inbox", acts=[act(10, 10), act(10, 11)])))
    assert [call.tag for call in calls(root)] == ["path", "rect"]
    assert "took no time" in texts(root)


def test_a_stopped_day_shows_what_waits_and_when_it_stopped() -> None:
    day = worked(time(8, 10))
    root = drawn(day)
    assert day.stopped == MORNING + timedelta(minutes=10)
    assert any(line.endswith("waits for news, until 17:10") for line in titles(root) + texts(root))
    (stop,) = (path for path in root.iter("path") if path.get("class") == "stop")
    marks = [circle for circle in root.iter("circle") if circle.get("class") == "pending"]
    line = float((stop.get("d") or "")[1:].split(" ")[0])
    waiting = [float(mark.get("cx", "")) for mark in marks if mark.get("cy") != "6"]
    assert len(waiting) > 2 and waiting == pytest.approx([line] * len(waiting), abs=0.06)
    assert not any("desk_submit" in line for line in titles(root))
    assert "stopped at 08:10" in describe_work(day)


def test_a_failed_need_is_marked_with_the_reason() -> None:
    failed = need("FileText", "drive:/a", acts=[act(1, 2)], error="there is no such file")
    root = drawn(day_of(failed, failures={"T1": "T1 was not finished"}))
    assert "failed: there is no such file" in texts(root)
    assert "failed: T1 was not finished" in texts(root)
    assert len([path for path in root.iter("path") if path.get("class") == "late"]) == 2
    assert ", not done: T1." in describe_work(day_of(failed, failures={"T1": "why"}))


def test_texts_of_a_world_stay_texts_and_long_ones_are_cut() -> None:
    hostile = need("FileText", HOSTILE * 20, acts=[act(1, 2)], waits_for=f"FileText {HOSTILE}")
    root = drawn(day_of(hostile, failures={"T1": HOSTILE}))
    allowed = {"svg", "g", "path", "rect", "circle", "text", "tspan", "title"}
    assert {node.tag for node in root.iter()} <= allowed
    spans = [span.text or "" for span in root.iter("tspan")]
    assert any(span.startswith("<script>") and span.endswith("…") for span in spans)


def test_a_wide_tree_is_not_indented_out_of_the_picture() -> None:
    deep = need("Inbox", acts=[act(1, 2)])
    for _ in range(40):
        deep = need("FileText", "drive:/a", parts=[deep])
    xs = [float(label.get("x", "0")) for label in drawn(day_of(deep)).iter("text")]
    assert max(x for x in xs if x < FRAME.left) < FRAME.left / 2


def test_a_day_without_any_work_is_drawn_too() -> None:
    root = drawn(day_of())
    assert root.get("aria-label") == "How the day can be worked: 1 task, no call."


async def test_meetings_for_tasks_of_later_days_have_a_row_of_their_own() -> None:
    *before, last = await explain_days(single_task_day("sales.top_sales_employee+told_before", 1))
    shown = ["Standing work" in draw_work(day) for day in before]
    assert sorted(shown) == [False, True]
    assert shown == ["calendar_attend" in day.as_text() for day in before]
    assert "Standing work" not in draw_work(last)
