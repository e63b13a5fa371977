"""By which cause value is lost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.harness.records.schedule_figures import TaskTiming
from trainee_bench.harness.scheduling.measure import measure_value

NOON = datetime(2025, 10, 1, 12)


@dataclass(frozen=True)
class Delivered:
    """What counts of a grade."""

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


def test_what_the_best_plan_leaves_is_no_loss() -> None:
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


def test_who_chose_the_lesser_task_lost_the_difference() -> None:
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
