"""The picture of a day: where the line falls, what the labels say, and for which losses."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from trainee_bench.harness.analysis.charts.hour_scale import PAGE, HourScale
from trainee_bench.harness.analysis.scheduling.schedule_picture import SchedulePanel
from trainee_bench.harness.analysis.worth.day_picture import HEIGHT, describe_day, draw_day
from trainee_bench.harness.analysis.worth.takeover_picture import Takeover, draw_takeover
from trainee_bench.harness.analysis.worth.value_line import (
    drop_cause,
    drop_in_words,
    drop_within,
)
from trainee_bench.harness.records.schedule_figures import ScheduleFigures, TaskTiming
from trainee_bench.harness.records.worth import (
    EpisodeWorth,
    LossOrigin,
    StepLoss,
    TaskLoss,
    WorthPoint,
)
from trainee_bench.harness.scheduling.measure import MeasuredDay, TaskLane
from trainee_bench.harness.scheduling.spans import Span
from trainee_bench.harness.worth.moments import EarnedScore
from trainee_bench.world.transaction import WorkingDay

MORNING = datetime(2025, 10, 1, 8)
EVENING = MORNING + timedelta(hours=12)
HOURS = HourScale(MORNING, EVENING)
LINE = re.compile(r"M([\d.]+) ([\d.]+)H([\d.]+)")


def at(minutes: int) -> datetime:
    return MORNING + timedelta(minutes=minutes)


def point(step: int, minutes: int, value: float, did: str, at_most: float) -> WorthPoint:
    return WorthPoint(
        step=step, did=did, at=at(minutes), value=value, at_most=at_most,
        tasks={"T1": value, "T2": 1.0}, successes=("T2",), harm={},
    )  # fmt: skip


def loss(step: int, minutes: int, lost: float, did: str, *tasks: str) -> StepLoss:
    return StepLoss(
        step=step, at=at(minutes), did=did, lost=lost, harm=(),
        tasks=tuple(
            TaskLoss(task=task, lost=lost, share=lost, checkpoints=(), success_lost=True,
                     origin=LossOrigin.IDLE)
            for task in tasks
        ),
    )  # fmt: skip


def worth(did: str = "waited until 14:13", at_most: float = 0.75) -> EpisodeWorth:
    """A wait of 298 minutes from 09:15 costs 0.60, a look of a minute at 14:13 costs 0.15."""
    points = (
        point(0, 0, 1.0, "the work began", 1.0),
        point(1, 75, 1.0, "tasks looked at", 1.0),
        point(2, 373, 0.4, did, at_most),
        point(3, 374, 0.25, "messages read", 0.25),
    )
    return EpisodeWorth(
        episode="one.day_1.agent.1", scenario="one", day="day_1", agent="agent", digest="",
        points=points, end=points[-1], decisions=(), cautions=(), forks=4,
        losses=(loss(2, 75, 0.6, did, "T1"), loss(3, 373, 0.15, "messages read", "T1", "T2")),
    )  # fmt: skip


def panel(starts: datetime = MORNING) -> SchedulePanel:
    window = WorkingDay(starts, starts + timedelta(hours=12))
    figures = ScheduleFigures(
        tasks=(), questions=(), facts_never_told=0, waiting_minutes=0, idle_minutes=0, switches=0,
        other_calls=0, other_minutes=0,
    )  # fmt: skip
    day = MeasuredDay(window, (), (), (), window.ends, figures)
    return SchedulePanel("agent", day, figures)


def drawn(day: EpisodeWorth, starts: datetime = MORNING) -> ElementTree.Element:
    return ElementTree.fromstring(draw_day(day, panel(starts)))


def lane(task: str, begins: int, ends: int) -> TaskLane:
    timing = TaskTiming(
        task=task, published=MORNING, deadline=EVENING, began=at(begins), submitted=None,
        minutes_late=None, calls=1, minutes=ends - begins,
    )  # fmt: skip
    return TaskLane(timing, task, (Span(at(begins), at(ends)),), (), (), ())


def texts_of(drawing: str) -> list[str | None]:
    root = ElementTree.fromstring(drawing)
    return [element.text for element in root.iter() if element.tag.endswith("text")]


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if name in (element.get("class") or "").split()]


def test_the_line_falls_where_the_costly_step_begins_and_lies_by_time() -> None:
    root = drawn(worth(at_most=0.4))
    (line,) = of_class(root, "value")
    spans = [float(edge) for x, _, end in LINE.findall(line.get("d", "")) for edge in (x, end)]
    waited, looked, left = HOURS.x(at(75)), HOURS.x(at(373)), HOURS.x(at(374))
    edges = [HOURS.x(MORNING), waited, looked, left, HOURS.x(EVENING)]
    flat = [edge for pair in pairwise(edges) for edge in pair]
    assert spans == pytest.approx(flat, abs=0.06)
    drops = [drop for drop in of_class(root, "drop") if drop.tag == "g"]
    falls = [path.get("d", "") for drop in drops for path in drop.iter("path")]
    assert [float(fall[1:].split(" ")[0]) for fall in falls] == pytest.approx(
        [waited, looked], abs=0.06
    )


def test_scores_use_a_height_at_which_the_line_can_be_read() -> None:
    (line,) = of_class(drawn(worth(at_most=0.4)), "value")
    heights = [float(y) for _, y, _ in LINE.findall(line.get("d", ""))]
    assert HEIGHT >= 150
    assert max(heights) - min(heights) == pytest.approx(0.75 * HEIGHT, abs=0.1)


def test_words_name_time_minutes_and_price_of_the_two_costliest_steps() -> None:
    day = worth(at_most=0.4)
    assert [drop_in_words(day, loss) for loss in day.losses] == [
        "09:15 waited 298 min: −0.60",
        "14:13 messages read: −0.15",
    ]
    told = [element.text for element in of_class(drawn(day), "told")]
    assert sorted(filter(None, told)) == sorted(drop_in_words(day, loss) for loss in day.losses)
    assert "1.00 in the morning, 0.25 at the end. 09:15 waited 298 min" in describe_day(day)


def test_a_task_that_ended_well_is_told_no_loss_and_a_bound_is_told_as_one() -> None:
    sure, unsure = worth(at_most=0.4), worth()
    assert drop_cause(sure, sure.losses[1]) == "lost on T1: deadline passed while idle"
    assert drop_cause(unsure, unsure.losses[1]).endswith("; as far as is known")
    assert len(of_class(drawn(sure), "least")) == 0
    (dashed,) = of_class(drawn(unsure), "least")
    ((start, _, end),) = LINE.findall(dashed.get("d", ""))
    assert (float(start), float(end)) == pytest.approx(
        (HOURS.x(at(75)), HOURS.x(at(373))), abs=0.06
    )


def test_a_loss_names_the_task_that_lost_and_the_one_that_kept_the_agent_busy() -> None:
    base = worth(at_most=0.4)
    wait, look = base.losses
    busy = look.tasks[0].model_copy(update={"origin": LossOrigin.BUSY, "task": "T2"})
    end = base.end.model_copy(update={"tasks": {"T1": 0.25, "T2": 0.0}, "successes": ()})
    losses = (wait, look.model_copy(update={"tasks": (busy,)}))
    day = base.model_copy(update={"end": end, "losses": losses})
    at_work = replace(panel().day, lanes=(lane("T1", 373, 374), lane("T2", 374, 375)))
    (_, told) = [drop_cause(day, loss, at_work) for loss in day.losses]
    assert told == "lost on T2: deadline passed while busy with T1"
    own = replace(panel().day, lanes=(lane("T2", 373, 374),))
    assert drop_cause(day, day.losses[1], own) == "lost on T2: deadline passed while busy"


def test_where_there_is_little_room_the_price_stays() -> None:
    day = worth("a" * 50, at_most=0.4)
    told = drop_within(day, day.losses[0], room=180, size=13)
    assert re.fullmatch(r"09:15 a+…: −0\.60", told)
    assert drop_within(day, day.losses[0], room=900, size=13) == drop_in_words(day, day.losses[0])


def test_columns_have_names_and_the_key_explains_line_and_colours() -> None:
    base = worth(at_most=0.4)
    scored = replace(panel(), scores={"T1": 1.0, "T2": 0.0})
    texts = texts_of(draw_day(base, scored, panel(), key=True))
    assert texts.count("handed in") == 3 and texts.count("score") == texts.count("work") == 1
    for meaning in ("best score that was still possible", "step that cost points", "optimal day",
                    "full score", "no points"):  # fmt: skip
        assert meaning in texts, meaning
    assert "part of its score" not in texts
    assert "how long it took" not in texts_of(draw_day(base, scored, panel()))


def test_a_takeover_says_that_it_shows_what_was_earned_and_before_which_step() -> None:
    own = (EarnedScore(at(0), 0.0), EarnedScore(at(60), 0.2))
    others = (EarnedScore(at(0), 0.0), EarnedScore(at(30), 1.0))
    takeover = Takeover("slow", "oracle", 0, "waited until 14:13", own, others)
    texts = texts_of(draw_takeover(takeover, PAGE, EVENING))
    assert "just before slow's first costly step: waited until 14:13" in texts
    assert {"earned so far", "oracle took over", "slow alone"} <= set(texts)
    assert "still possible" not in texts


def test_a_long_costly_step_is_a_band_over_the_minutes_that_it_took() -> None:
    (band,) = of_class(drawn(worth(at_most=0.4)), "spent")
    x, wide = float(band.get("x", "")), float(band.get("width", ""))
    assert (x, x + wide) == pytest.approx((HOURS.x(at(75)), HOURS.x(at(373))), abs=0.11)


def test_what_agents_write_is_text_in_the_picture() -> None:
    hostile = "<script>alert(1)</script>\x00 &\u202e read"
    root = drawn(worth(did=hostile))
    assert not [element for element in root.iter() if element.tag.endswith("script")]
    assert any("<script>" in (element.text or "") for element in of_class(root, "told"))


def test_a_day_of_a_week_shows_its_own_steps_alone() -> None:
    root = drawn(worth(at_most=0.4), MORNING + timedelta(days=1))
    assert of_class(root, "told") == [] and of_class(root, "drop") == []
