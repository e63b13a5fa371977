"""The sales family: files of the company's people, and orders that only managers know."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import JsonValue

from tests import quick_round
from tests.meta_tasks.days import texts_of
from tests.meta_tasks.families.sales_days import (
    ORDERS,
    SEEDS,
    TYPES,
    all_orders,
    scene_of,
    seller,
    wanted_of,
    worked,
)
from trainee_bench.harness.batch.benchmarks import load_published_benchmark
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.families.sales import Sales
from trainee_bench.meta_tasks.families.sales.brief import CANCELLED, HANDBOOK
from trainee_bench.meta_tasks.families.sales.subject import (
    ANALYSES,
    DEPARTMENTS,
    ORDERS_CSV,
    RankingEnd,
    SalesQueryType,
    TrendDirection,
    employee_id,
)
from trainee_bench.meta_tasks.meta_task import Difficulty
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.company.people import create_company

ORDER_ID = re.compile(r"\bS\d-\d\d-\d{5}\b")

# the rules -------------------------------------------------------------------------------


def test_nine_rules_with_their_labels() -> None:
    labels = {rule.id.partition(".")[2]: rule.difficulty for rule in Sales.rules()}
    assert len(labels) == 9
    hard = {name for name, label in labels.items() if label is Difficulty.HARD}
    assert hard == {
        "per_dept_top_n",
        "cross_depts_top_n",
        "dept_person_qoq_count",
        "all_depts_qoq_count",
    }


@pytest.mark.parametrize("kind", TYPES)
def test_having_been_told_counts_with_an_outcome(kind: SalesQueryType) -> None:
    marks = Sales(type=kind).checkpoints()
    process = [mark for mark in marks if mark.only_with]
    assert [mark.name for mark in process] == ["told"]
    assert process[0].only_with in {mark.name for mark in marks if not mark.only_with}
    assert all(mark.where and mark.how for mark in marks)


PUBLISHED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"task_type": "cross_depts_top_n", "task_params": {"departments": ["Sales_2"], "n": 1}},
        {},
    ),
    (
        {
            "task_type": "cross_depts_top_n",
            "task_params": {"departments": ["Sales_2", "Sales_3", "Sales_1"], "n": 3},
        },
        {"departments": ("Sales_2", "Sales_3", "Sales_1"), "n": 3},
    ),
    (
        {
            "task_type": "per_dept_extreme_employee",
            "task_params": {"departments": ["Sales_2", "Sales_1"], "mode": "bottom"},
        },
        {"departments": ("Sales_2", "Sales_1"), "mode": RankingEnd.BOTTOM},
    ),
    (
        {
            "task_type": "dept_person_qoq_count",
            "task_params": {"department": "Sales_3", "quarter": 4, "direction": "up"},
        },
        {"departments": ("Sales_3",), "quarter": 4, "direction": TrendDirection.UP},
    ),
    (
        {"task_type": "all_depts_qoq_count", "task_params": {"quarter": 2, "direction": "down"}},
        {"departments": None, "quarter": 2, "direction": TrendDirection.DOWN},
    ),
]


@pytest.mark.parametrize("entry, fixed", PUBLISHED[1:])
def test_published_entries_fix_what_they_name(
    entry: Mapping[str, JsonValue], fixed: Mapping[str, Any]
) -> None:
    made = Sales.from_published(entry)
    assert made.rule_id == f"sales.{entry['task_type']}"
    assert {name: getattr(made, name) for name in fixed} == fixed


@pytest.mark.parametrize(
    "entry",
    [
        PUBLISHED[0][0],
        {},
        {"task_type": "best_of_all"},
        {"task_type": "sales_statistics", "task_params": {"department": "Sales"}},
        {"task_type": "sales_statistics", "task_params": {"departments": ["Sales_1", "Sales_2"]}},
        {"task_type": "sales_statistics", "task_params": {"department": "Sales_1", "n": 2}},
        {"task_type": "all_depts_qoq_count", "task_params": {"quarter": 1}},
        {"task_type": "per_dept_avg_sales", "task_params": {"departments": ["Sales_1"] * 2}},
    ],
)
def test_entries_that_make_no_analysis_are_refused(entry: Mapping[str, JsonValue]) -> None:
    with pytest.raises(ValueError):
        Sales.from_published(entry)


def test_a_published_file_loads_and_composes() -> None:
    tasks: list[JsonValue] = [{"name": "Sales Analysis", "arguments": e} for e, _ in PUBLISHED[1:]]
    days: list[JsonValue] = [{"name": f"day_{n}", "tasks": [t]} for n, t in enumerate(tasks)]
    document: JsonValue = {"scenarios": [{"name": "s", "days": days}]}
    read = load_published_benchmark(document, 3)
    (scenario,), unbuilt = read.scenarios, read.unsupported
    for day in range(len(days)):
        (task,) = compose_day(scenario, day).tasks
        assert task.instance.told.deliverable_paths
    assert not [entry for entry in unbuilt if entry.name == "Sales Analysis"]


# the worked example ----------------------------------------------------------------------


def test_rankings_of_the_worked_example_are_as_calculated_by_hand() -> None:
    ada, ben = seller("Ada Quist", "Sales_1", 2700.0), seller("Ben Olafsen", "Sales_1", 600.75)
    dov, eva = seller("Dov Lind", "Sales_2", 3000.0), seller("Eva Rossi", "Sales_2", 2300.0)
    both = "Sales_1", "Sales_2"
    totals = [
        {"department": "Sales_1", "total_sales": 5200.8},
        {"department": "Sales_2", "total_sales": 5300.0},
    ]
    assert worked(SalesQueryType.TOP_EMPLOYEE, "Sales_1") == {"employees": [ada]}
    assert worked(SalesQueryType.TOP_ACROSS, *both, n=2) == {
        "employees": [dov, ada],
        "departments": totals,
    }
    assert worked(SalesQueryType.EXTREME_ACROSS, *both, mode=RankingEnd.BOTTOM) == {
        "employees": [ben],
        "departments": totals,
    }
    assert worked(SalesQueryType.TOP_EACH, *both) == {"employees": [ada, dov]}
    assert worked(SalesQueryType.EXTREME_EACH, *both, mode=RankingEnd.BOTTOM) == {
        "employees": [ben, eva]
    }
    best_in_the_files = worked(SalesQueryType.TOP_EMPLOYEE, "Sales_1", kept=False)
    assert best_in_the_files == {"employees": [seller("Ben Olafsen", "Sales_1", 3100.75)]}


def test_figures_and_averages_of_the_worked_example_are_as_calculated_by_hand() -> None:
    one = {"employees": 3, "total_sales": 5200.8, "avg_sales_per_person": 1733.6}
    two = {"employees": 2, "total_sales": 5300.0, "avg_sales_per_person": 2650.0}
    assert worked(SalesQueryType.STATISTICS, "Sales_1") == one
    assert worked(SalesQueryType.AVERAGES, "Sales_1", "Sales_2") == {
        "departments": [{"department": "Sales_1"} | one, {"department": "Sales_2"} | two]
    }


def test_rises_and_falls_of_the_worked_example_are_as_calculated_by_hand() -> None:
    people = worked(SalesQueryType.PEOPLE_COUNT, "Sales_1")
    assert people["count"] == 1
    assert people["employees"] == [
        {"employee_id": id, "name": name, "previous_sales": before, "current_sales": now}
        for id, name, before, now in (
            ("ada_quist", "Ada Quist", 3000.5, 2700.0),
            ("ben_olafsen", "Ben Olafsen", 2000.5, 600.75),
            ("cleo_marr", "Cleo Marr", 1600.1, 1900.05),
        )
    ]
    assert (
        worked(SalesQueryType.PEOPLE_COUNT, "Sales_1", direction=TrendDirection.DOWN)["count"] == 2
    )
    assert worked(SalesQueryType.PEOPLE_COUNT, "Sales_1", kept=False)["count"] == 2
    all_up = worked(SalesQueryType.DEPARTMENTS_COUNT, *DEPARTMENTS)
    assert all_up == {
        "count": 1,
        "departments": [
            {"department": "Sales_1", "previous_sales": 6601.1, "current_sales": 5200.8},
            {"department": "Sales_2", "previous_sales": 5250.5, "current_sales": 5300.0},
            {"department": "Sales_3", "previous_sales": 5000.0, "current_sales": 5000.0},
        ],
    }
    assert (
        worked(SalesQueryType.DEPARTMENTS_COUNT, *DEPARTMENTS, direction=TrendDirection.DOWN)[
            "count"
        ]
        == 1
    )


def test_written_orders_are_read_back() -> None:
    assert tuple(ORDERS_CSV.parse(ORDERS_CSV.render(ORDERS))) == ORDERS


# the data --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TYPES)
@quick_round.seeds(4, sweep=12)
def test_twelve_files_hold_a_year_of_orders_of_the_company_s_own_people(
    kind: SalesQueryType, seeds: range
) -> None:
    for seed in seeds:
        instance, company = scene_of(kind, seed), create_company(seed)
        files = texts_of(instance)
        named = {f"drive:/sales/sales_{d}_Q{q}_2024.csv" for d in DEPARTMENTS for q in range(1, 5)}
        assert set(files) == named | {HANDBOOK.path}
        for path in named:
            orders = ORDERS_CSV.parse(files[path])
            department, quarter = path[len("drive:/sales/sales_") :].split("_Q")
            people = {employee_id(p): p.name for p in company.staff(department)}
            assert files[path].startswith("order_id,date,employee_id,name,department,amount\n")
            assert {o.employee: o.name for o in orders} == people
            assert {(o.department, o.quarter, o.day.year) for o in orders} == {
                (department, int(quarter[0]), 2024)
            }
            assert [o.day for o in orders] == sorted(o.day for o in orders)
            counts = Counter(o.employee for o in orders).values()
            assert min(counts) >= 4 and max(counts) <= 16
        ids = [order.id for order in all_orders(instance)]
        assert len(set(ids)) == len(ids) and all(ORDER_ID.fullmatch(id) for id in ids)


def test_d5_the_handbook_is_on_the_drive_and_defines_what_counts() -> None:
    """D5: the original never copied it."""
    instance = scene_of(SalesQueryType.STATISTICS, 1)
    text = texts_of(instance)[HANDBOOK.path]
    assert "cancelled" in text and "manager" in text and HANDBOOK.path in instance.told.objective


@pytest.mark.parametrize("kind", TYPES)
@quick_round.seeds(4, sweep=12)
def test_d6_each_department_concerned_has_a_manager_who_knows(
    kind: SalesQueryType, seeds: range
) -> None:
    """D6: the original looked for a department called Sales, so nobody knew the facts."""
    for seed in seeds:
        instance, company = scene_of(kind, seed), create_company(seed)
        wanted = wanted_of(kind, seed)
        assert instance.graded.truth.clues == tuple(
            CANCELLED.clue_name({"department": d}) for d in wanted.departments
        )
        for clue, department in zip(instance.hidden.clues, wanted.departments, strict=True):
            holder = company.person(clue.holder)
            assert holder.department == department and holder.is_manager
            assert department in clue.payload


@pytest.mark.parametrize("kind", TYPES)
def test_texts_name_only_existing_departments(kind: SalesQueryType) -> None:
    """The original's texts named a department called Sales."""
    names = {department.name for department in create_company(1).departments}
    instance = scene_of(kind, 1)
    spoken = " ".join(
        [instance.told.title, instance.told.objective, *(c.payload for c in instance.hidden.clues)]
    )
    found = {word for word in re.findall(r"\bSales_\w+?\b(?=[ ,.:?]|$)", spoken) if "Q" not in word}
    assert found and found <= names
    assert not re.search(r"\bdepartment (?:called )?Sales\b(?!_)", spoken)


# companies, chains -----------------------------------------------------------------------


@pytest.mark.parametrize("size", [10, 30, 120])
def test_companies_of_every_size_have_sales(size: int) -> None:
    for kind in TYPES:
        instance = scene_of(kind, 1, size)
        assert instance.hidden.clues and instance.graded.truth.right.model_dump()
        managers = len(create_company(1, size).department("Sales_1").managers)
        assert (
            create_company(1, size).person(instance.hidden.clues[0].holder).name
            in instance.told.objective
        ) is (managers > 1)


def test_asking_for_more_people_than_exist_is_refused() -> None:
    with pytest.raises(CompositionError, match="3 people, but there are 1"):
        scene_of(SalesQueryType.TOP_EACH, 1, size=10, n=3)


def test_a_result_with_one_person_hands_that_person_on() -> None:
    for kind in (SalesQueryType.TOP_EMPLOYEE, SalesQueryType.EXTREME_ACROSS):
        for seed in SEEDS:
            instance, company = scene_of(kind, seed), create_company(seed)
            right: Any = instance.graded.truth.right
            (named,) = right.employees
            assert (
                instance.graded.task_output is not None
                and instance.graded.task_output.path == instance.told.deliverable_paths[0]
            )
            assert company.person(instance.graded.task_output.person).name == named.name
    assert scene_of(SalesQueryType.AVERAGES, 1).graded.task_output is None
    assert scene_of(SalesQueryType.TOP_ACROSS, 1, n=2).graded.task_output is None


@pytest.mark.parametrize(
    "kind", [kind for kind, analysis in ANALYSES.items() if analysis.ranks], ids=str
)
def test_employees_who_are_ranked_together_never_have_equal_sales(kind: SalesQueryType) -> None:
    for seed in range(4):
        instance, wanted = scene_of(kind, seed), wanted_of(kind, seed)
        who = "of these employees" if wanted.analysis.across else "employees of the same department"
        assert f"No two {who} have equal sales." in instance.told.objective
        gone = " ".join(clue.payload for clue in instance.hidden.clues)
        for left_out in (True, False):  # neither without the cancelled orders nor with them
            totals = Counter[tuple[str, str]]()
            for order in all_orders(instance):
                if order.quarter in wanted.quarters and not (left_out and order.id in gone):
                    totals[order.department, order.employee] += order.cents
            groups = [wanted.departments] if wanted.analysis.across else [
                (department,) for department in wanted.departments
            ]  # fmt: skip
            for group in groups:
                sums = [cents for (department, _), cents in totals.items() if department in group]
                assert len(set(sums)) == len(sums) > 1
