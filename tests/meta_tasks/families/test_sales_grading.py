"""The sales family at work: honest work, what is graded, what is given away."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.meta_tasks.days import graded, hand_in, staged, told_by
from tests.meta_tasks.families.sales_days import (
    RULES,
    seller,
    worked_example,
)
from trainee_bench.meta_tasks.authoring import AnswerKeys, compare_rows
from trainee_bench.meta_tasks.deliverable import InvalidDeliverable
from trainee_bench.meta_tasks.families.sales.brief import HANDBOOK
from trainee_bench.meta_tasks.families.sales.deliverables import (
    DELIVERABLE_MODELS,
    TOLERANCE,
    SellersAcross,
)
from trainee_bench.meta_tasks.families.sales.subject import SalesQuery, SalesQueryType
from trainee_bench.meta_tasks.grade import feedback

BOTH = ("Sales_1", "Sales_2")
DOV, ADA = seller("Dov Lind", "Sales_2", 3000.0), seller("Ada Quist", "Sales_1", 2700.0)
BEN = seller("Ben Olafsen", "Sales_1", 600.75)
TOTALS: list[dict[str, Any]] = [
    {"department": "Sales_1", "total_sales": 5200.8},
    {"department": "Sales_2", "total_sales": 5300.0},
]
ACROSS = "sales.cross_depts_top_n"
TWO_BEST = SalesQuery(SalesQueryType.TOP_ACROSS, BOTH, 2, 2024, n=2)


# asking ---------------------------------------------------------------------------------


async def test_the_handbook_can_be_found_by_asking_anybody() -> None:
    async with staged(RULES[1], 2) as day:
        person = day.composition.company.staff("Marketing")[1].id
        assert HANDBOOK.path in await told_by(day, person, "Where is the sales handbook?")


# what is graded --------------------------------------------------------------------------


async def test_rankings_need_everybody_asked_for_with_the_right_sales_and_nobody_else() -> None:
    right: JsonValue = {"employees": [ADA, DOV], "departments": TOTALS[::-1]}
    full = {"people_right": True, "departments_right": True, "told": True}
    wrong_people: list[JsonValue] = [
        {"employees": rows, "departments": TOTALS}
        for rows in (
            [DOV],
            [DOV, ADA, BEN],
            [DOV, DOV],
            [DOV, ADA | {"total_sales": 2700.06}],
            [DOV, ADA | {"department": "Sales_2"}],
            [DOV, ADA | {"employee_id": "ada_quistt"}],
            [DOV, ADA | {"name": "Ben Olafsen"}],
            [],
        )
    ]
    async with staged(worked_example(ACROSS, TWO_BEST), told=True) as day:
        assert await hand_in(day, right) == full
        assert await hand_in(
            day, {**right, "employees": [DOV, ADA | {"total_sales": 2699.95}]}
        ) == (full)
        for work in wrong_people:
            assert await hand_in(day, work) == full | {"people_right": False}, work


async def test_department_totals_are_graded_both_ways() -> None:
    async with staged(worked_example(ACROSS, TWO_BEST), told=True) as day:
        for totals in (
            TOTALS[:1],
            [*TOTALS, {"department": "Sales_3", "total_sales": 5000.0}],
            [TOTALS[0], TOTALS[1] | {"total_sales": 6300.0}],
            [TOTALS[0], TOTALS[0]],
        ):
            given = await hand_in(day, {"employees": [DOV, ADA], "departments": totals})
            assert given == {"people_right": True, "departments_right": False, "told": False}


@pytest.mark.parametrize("change", [{"employees": 2}, {"avg_sales_per_person": 1733.7}])
async def test_every_figure_of_a_department_counts(change: dict[str, float]) -> None:
    one = {"employees": 3, "total_sales": 5200.8, "avg_sales_per_person": 1733.6}
    wanted = SalesQuery(SalesQueryType.STATISTICS, BOTH[:1], 2, 2024)
    async with staged(worked_example("sales.sales_statistics", wanted), told=True) as day:
        assert (await hand_in(day, one))["statistics_right"]
        assert not (await hand_in(day, one | change))["statistics_right"]


async def test_a_right_count_with_wrong_sales_earns_nothing() -> None:
    rows: list[dict[str, Any]] = [
        {"employee_id": id, "name": name, "previous_sales": before, "current_sales": now}
        for id, name, before, now in (
            ("ada_quist", "Ada Quist", 3000.5, 2700.0),
            ("ben_olafsen", "Ben Olafsen", 2000.5, 600.75),
            ("cleo_marr", "Cleo Marr", 1600.1, 1900.05),
        )
    ]
    wanted = SalesQuery(SalesQueryType.PEOPLE_COUNT, BOTH[:1], 2, 2024)
    async with staged(worked_example("sales.dept_person_qoq_count", wanted), told=True) as day:
        right = await hand_in(day, {"count": 1, "employees": rows})
        assert right["count_right"] and right["quarters_right"]
        miscounted = await hand_in(day, {"count": 2, "employees": rows})
        assert miscounted["quarters_right"] and not miscounted["count_right"]
        naive = [*rows[:1], rows[1] | {"current_sales": 3100.75}, *rows[2:]]
        for guess in (naive, [], rows[:2]):
            assert not any((await hand_in(day, {"count": 1, "employees": guess})).values())


async def test_asking_counts_only_with_the_right_answer() -> None:
    async with staged(RULES[1], 4) as day:
        await day.work()
        (path,) = day.composition.deliverable_paths
        text = (await day.call("files_read", {"path": path})).data["text"]
        full = json.loads(text)
        assert all((await hand_in(day, full)).values())
        assert not any((await hand_in(day, full | {"employees": 9})).values())


# files of any shape ----------------------------------------------------------------------

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["employees", "departments", "count", "x"]), inner)
    ),
    max_leaves=8,
)


@given(work=_JSON, kind=st.sampled_from(list(SalesQueryType)))
def test_whatever_is_handed_in_is_read_or_called_flawed(work: Any, kind: SalesQueryType) -> None:
    """Malformed figures aborted the grading of all tasks."""
    read = DELIVERABLE_MODELS[kind].parse(json.dumps(work))
    assert isinstance(read, InvalidDeliverable | DELIVERABLE_MODELS[kind])


@given(
    order=st.permutations(range(2)),
    blanks=st.sampled_from(["Ada Quist", " ada  quist ", "ADA QUIST"]),
)
def test_order_and_the_writing_of_names_do_not_matter(order: list[int], blanks: str) -> None:
    right = SellersAcross.model_validate({"employees": [ADA, DOV], "departments": TOTALS})
    rows = [[ADA | {"name": blanks}, DOV][place] for place in order]
    given = SellersAcross.model_validate({"employees": rows, "departments": TOTALS})
    assert compare_rows(given.employees, right.employees, AnswerKeys(), TOLERANCE).none


async def test_feedback_and_hints_name_nobody_and_no_amount() -> None:
    async with staged(ACROSS, 5) as day:
        right: Any = day.composition.tasks[0].instance.graded.truth.right
        await hand_in(day, {"employees": [DOV], "departments": TOTALS})
        hints = day.composition.tasks[0].instance.told.hints
        said = feedback(await graded(day), 3) + hints.strategy + hints.where + hints.how
        for one in right.employees:
            assert one.name not in said and str(one.total_sales) not in said
