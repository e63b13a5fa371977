"""Lost value by cause, and what it is based on: spans, each call's task, the oracle's days."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.harness.days import composed_day, day_spec
from trainee_bench.harness.records.schedule_figures import TaskTiming
from trainee_bench.harness.scheduling import reference
from trainee_bench.harness.scheduling.attribution import attribute_calls
from trainee_bench.harness.scheduling.day_trace import DayTrace, read_day_trace
from trainee_bench.harness.scheduling.measure import measure_value
from trainee_bench.harness.scheduling.reference import ReferenceDay, ReferenceStore
from trainee_bench.harness.scheduling.spans import Span, cut_at, joined, overlap, total_minutes
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.action_log import LogEntry

NOON = datetime(2025, 10, 1, 12)


@dataclass(frozen=True)
class Delivered:
    """The part of a grade that counts."""

    task: str
    score: float | None
    worth: int | None = None
    harm: tuple[str, ...] = ()
    days: int = 1

    @property
    def success(self) -> bool:
        return self.score == 1 and not self.harm


def timing(task: str, *, calls: int = 5, submitted: bool = True) -> TaskTiming:
    return TaskTiming(
        task=task, published=NOON, deadline=NOON, began=NOON if calls else None,
        submitted=NOON if submitted else None, minutes_late=0 if submitted else None,
        calls=calls, minutes=calls,
    )  # fmt: skip


def test_each_task_loses_what_its_score_lacks_to_its_own_cause() -> None:
    graded = [Delivered("T1", 0.0), Delivered("T2", 0.25), Delivered("T3", 0.5),
              Delivered("T4", 1.0, harm=("a file was lost",))]  # fmt: skip
    timings = [timing("T1", calls=0, submitted=False), timing("T2", submitted=False),
               timing("T3"), timing("T4")]  # fmt: skip
    value = measure_value(graded, timings, None)
    assert value is not None
    assert (value.optimum, value.delivered) == (4, 0.75)
    assert (value.never_begun, value.late, value.wrong, value.harmed) == (1, 0.75, 0.5, 1)


def test_tasks_that_the_best_plan_leaves_out_are_no_loss() -> None:
    graded = [Delivered("T1", 1.0, 30), Delivered("T2", 0.0, 10)]
    value = measure_value(graded, [timing("T1"), timing("T2", calls=0, submitted=False)], 30)
    assert value is not None and value.lost == 0 and value.delivered == value.optimum == 30


def test_a_value_keeps_the_bound_and_loses_nothing_by_it() -> None:
    graded, timings = [Delivered("T1", 1.0, 30), Delivered("T2", 0.0, 10)], [timing("T1")]
    timings.append(timing("T2", calls=0, submitted=False))
    value = measure_value(graded, timings, 30, 40)
    plain = measure_value(graded, timings, 30)
    assert value is not None and plain is not None
    assert (value.optimum, value.bound, value.lost) == (30, 40, 0)
    assert value.model_copy(update={"bound": None}) == plain
    assert "bound" not in plain.model_dump()


def test_an_agent_that_chose_the_lesser_task_lost_the_difference() -> None:
    graded = [Delivered("T1", 0.0, 30), Delivered("T2", 1.0, 10)]
    value = measure_value(graded, [timing("T1", calls=0, submitted=False), timing("T2")], 30)
    assert value is not None and value.never_begun == value.lost == 20


def test_where_worth_counts_half_of_a_task_delivers_nothing() -> None:
    graded = [Delivered("T1", 0.5, 30), Delivered("T2", 1.0, 10)]
    value = measure_value(graded, [timing("T1"), timing("T2")], 40)
    assert value is not None and (value.delivered, value.wrong) == (10, 30)


def test_a_day_with_a_task_that_could_not_be_graded_has_no_value() -> None:
    assert measure_value([Delivered("T1", None)], [timing("T1")], None) is None


TASKS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(1, 40), st.booleans(), st.booleans(), st.booleans()),
    min_size=1,
    max_size=6,
)


@given(TASKS, st.floats(0.2, 1))
def test_the_causes_add_up_to_what_was_not_delivered(
    drawn: list[tuple[float, int, bool, bool, bool]], share: float
) -> None:
    graded, timings = [], []
    for number, (score, worth, begun, submitted, harmed) in enumerate(drawn):
        graded.append(Delivered(f"T{number}", score, worth, ("harm",) if harmed else ()))
        timings.append(timing(f"T{number}", calls=3 * begun, submitted=submitted))
    best = max(1, round(share * sum(worth for _, worth, *_ in drawn)))
    value = measure_value(graded, timings, best)
    assert value is not None
    assert abs(value.lost - max(0.0, value.optimum - value.delivered)) < 1e-4
    assert min(value.never_begun, value.late, value.wrong, value.harmed) >= 0


START = datetime(2025, 10, 1, 8)


def span(first: int, last: int) -> Span:
    return Span(START + timedelta(minutes=first), START + timedelta(minutes=last))


SPANS = st.lists(
    st.tuples(st.integers(0, 90), st.integers(0, 90)).map(sorted).map(lambda p: span(*p))
)


@given(SPANS)
def test_joined_spans_cover_the_same_minutes_and_never_touch(spans: list[Span]) -> None:
    minutes = {
        n for n in range(90) if any(span.holds(START + n * timedelta(minutes=1)) for span in spans)
    }
    found = joined(spans)
    assert total_minutes(found) == total_minutes(spans) == len(minutes)
    assert all(one.ends < other.starts for one, other in pairwise(found))


@given(SPANS, st.lists(st.integers(0, 90)))
def test_a_cut_loses_nothing(spans: list[Span], places: list[int]) -> None:
    moments = [START + timedelta(minutes=place) for place in places]
    for span in joined(spans):
        assert joined(cut_at(span, moments)) == (span,)


def test_an_overlap_is_what_lies_in_both() -> None:
    assert overlap([span(0, 30), span(20, 40), span(50, 60)], span(10, 55)) == (
        span(10, 40),
        span(50, 55),
    )


SALES, MORE_SALES = "sales.sales_statistics", "sales.top_sales_employee"
SITE, MEETING = "website_analysis.slow_page", "meeting_attend.sum.u1"


@pytest.fixture(scope="module")
def trace() -> DayTrace:
    """A day of four tasks, two of which use the same files; nothing is done in it."""
    composition = composed_day(SALES, MORE_SALES, SITE, MEETING, name="attributed", seed=7)

    async def read() -> DayTrace:
        day = await stage_day(composition)
        async with day.world:
            return await read_day_trace(day.world, composition)

    return anyio.run(read)


def called(trace: DayTrace, *calls: tuple[str, dict[str, JsonValue]]) -> list[str]:
    """Return the rule of the task that each call belongs to; "" for none."""
    start = trace.window.starts
    log = tuple(
        LogEntry(
            seq=number, at=start, until=start, actor=trace.employee, tool=tool,
            arguments=arguments, ok=False, text="", data=None, notices=(), effects={},
        )
        for number, (tool, arguments) in enumerate(calls, start=1)
    )  # fmt: skip
    rules = {task.id: task.rule for task in trace.composition.tasks}
    return [rules.get(call.task, "") for call in attribute_calls(replace(trace, whole_log=log))]


def deliverable(trace: DayTrace, rule: str) -> str:
    (task,) = (task for task in trace.composition.tasks if task.rule == rule)
    return task.instance.told.deliverable_paths[0]


def test_a_shared_file_belongs_to_the_task_that_was_worked_on_last(trace: DayTrace) -> None:
    shared: tuple[str, dict[str, JsonValue]] = (
        "files_read", {"path": "drive:/sales/sales_handbook.md"},
    )  # fmt: skip
    begin: tuple[str, dict[str, JsonValue]] = (
        "files_write", {"path": deliverable(trace, MORE_SALES), "text": "x"},
    )  # fmt: skip
    assert called(trace, shared, begin, shared) == ["", MORE_SALES, MORE_SALES]


def test_a_meeting_and_the_website_s_instruments_belong_to_the_task_of_their_scene(
    trace: DayTrace,
) -> None:
    keys = [meeting.id for meeting in trace.meetings.values()]
    assert called(
        trace, ("calendar_attend", {"meeting": keys[0]}), ("monitor_get_summary", {})
    ) == [MEETING, SITE]


def test_the_id_is_stronger_than_a_file(trace: DayTrace) -> None:
    (site,) = (task.id for task in trace.composition.tasks if task.rule == SITE)
    note = f"{deliverable(trace, SALES)} is ready"
    assert called(trace, ("desk_submit", {"task": site.lower(), "note": note})) == [SITE]


def test_a_call_that_names_nothing_of_a_task_belongs_to_none(trace: DayTrace) -> None:
    assert called(trace, ("desk_tasks", {}), ("files_list", {"folder": "workspace:/"})) == ["", ""]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
NAMES = st.sampled_from(["task", "path", "meeting", "to", "text"]) | st.text(max_size=6)


@given(
    tool=st.sampled_from(["chat_send_message", "calendar_book", "desk_submit", "no_such_tool"]),
    arguments=st.dictionaries(NAMES, JSON, max_size=4),
)
def test_any_call_of_an_agent_is_attributed(
    trace: DayTrace, tool: str, arguments: dict[str, JsonValue]
) -> None:
    assert len(called(trace, (tool, arguments))) == 1


def day(seed: int = 3) -> ComposedDay:
    return composed_day("sales.sales_statistics", name="kept", seed=seed)


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The seeds of the days that the oracle worked."""
    seeds: list[int] = []
    work = reference.reference_days

    async def counted(composition: ComposedDay) -> tuple[ReferenceDay, ...]:
        seeds.append(composition.scenario_day.scenario.seed)
        return await work(composition)

    monkeypatch.setattr(reference, "reference_days", counted)
    return seeds


async def test_a_day_is_worked_once_and_then_read_as_it_was(
    tmp_path: Path, worked: list[int]
) -> None:
    first = await ReferenceStore(tmp_path / "optimal").days(day())
    again = await ReferenceStore(tmp_path / "optimal").days(day())
    assert worked == [3]
    assert again == first and again[0].day.lanes and again[0].figures.value is not None


async def test_a_week_is_kept_day_by_day(tmp_path: Path, worked: list[int]) -> None:
    rules = ("kb_fix.easy", "sales.sales_statistics")
    days = tuple(map(day_spec, rules))
    week = compose_day(Scenario(name="kept", seed=5, days=days, week=True))
    store = ReferenceStore(tmp_path)
    assert await store.days(week) == await store.days(week)
    assert worked == [5] and len(await store.days(week)) == 2


def cut_short(text: str) -> str:
    return text[: len(text) // 2]


def another_figure(text: str) -> str:
    return text.replace(r"\"switches\":0", r"\"switches\":9")


def older(text: str) -> str:
    return text.replace("generator ", "generator 0")


def no_text(text: str) -> str:
    return "\ud800"


@pytest.mark.parametrize("spoil", [cut_short, another_figure, older, no_text])
async def test_stored_days_that_cannot_be_trusted_are_worked_again_and_replaced(
    tmp_path: Path, worked: list[int], spoil: Callable[[str], str]
) -> None:
    first = await ReferenceStore(tmp_path).days(day())
    (file,) = tmp_path.iterdir()
    sound = file.read_text(encoding="utf-8")
    spoilt = spoil(sound)
    assert spoilt != sound
    file.write_text(spoilt, encoding="utf-8", errors="surrogatepass")
    assert await ReferenceStore(tmp_path).days(day()) == first
    assert worked == [3, 3] and file.read_text(encoding="utf-8") == sound


async def test_another_day_of_that_name_is_worked_itself(tmp_path: Path, worked: list[int]) -> None:
    await ReferenceStore(tmp_path).days(day())
    await ReferenceStore(tmp_path).days(day(seed=4))
    assert worked == [3, 4]
