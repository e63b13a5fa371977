"""The sales family at work: grading, and the orders that only managers know."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tests import quick_round
from tests.meta_tasks.days import (
    context_of,
    day_with,
    graded,
    hand_in,
    listener_of,
    staged,
    texts_of,
    told_by,
)
from tests.meta_tasks.families.sales_days import (
    RULES,
    SEEDS,
    TYPES,
    all_orders,
    as_files_say,
    scene_of,
    seller,
    wanted_of,
    worked_example,
)
from trainee_bench.meta_tasks.deliverable import InvalidDeliverable
from trainee_bench.meta_tasks.families.sales.brief import HANDBOOK
from trainee_bench.meta_tasks.families.sales.data import CANCELLATION_SETS, draw_all_orders
from trainee_bench.meta_tasks.families.sales.deliverables import DELIVERABLE_MODELS, compute_figures
from trainee_bench.meta_tasks.families.sales.subject import (
    ANALYSES,
    DEPARTMENTS,
    SalesQuery,
    SalesQueryType,
)
from trainee_bench.meta_tasks.grade import feedback
from trainee_bench.meta_tasks.sent_texts import check_clue_collisions
from trainee_bench.world.colleagues.understanding import Intent, hear
from trainee_bench.world.company.people import create_company

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
def test_any_deliverable_is_read_or_rejected(work: Any, kind: SalesQueryType) -> None:
    """In the original, malformed figures aborted the grading of all tasks."""
    read = DELIVERABLE_MODELS[kind].parse(json.dumps(work))
    assert isinstance(read, InvalidDeliverable | DELIVERABLE_MODELS[kind])


async def test_feedback_and_hints_name_nobody_and_no_amount() -> None:
    async with staged(ACROSS, 5) as day:
        right: Any = day.composition.tasks[0].instance.graded.truth.right
        await hand_in(day, {"employees": [DOV], "departments": TOTALS})
        hints = day.composition.tasks[0].instance.told.hints
        said = feedback(await graded(day), 3) + hints.strategy + hints.where + hints.how
        for seller in right.employees:
            assert seller.name not in said and str(seller.total_sales) not in said


# what managers know -----------------------------------------------------------------------


ORDER_ID = re.compile(r"\bS\d-\d\d-\d{5}\b")
QOQ = [kind for kind in TYPES if ANALYSES[kind].compares]
QUESTIONS = (
    "Hi! Which orders of {d} in {q} {y} got cancelled after the books had been closed?",
    "Were there any cancellations in {d} in {q} {y} that are not in the files yet?",
    "I am working on the {q} {y} figures of {d}. Which cancelled order ids should I leave out?",
    "Do any {q} {y} orders no longer count because customers cancelled them?",
    "Please tell me which orders in sales_{d}_{q}_{y}.csv have been canceled.",
)

# the secret ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TYPES)
@quick_round.seeds(3, sweep=12)
def test_the_files_alone_give_a_wrong_answer_for_every_cancellation(
    kind: SalesQueryType, seeds: range
) -> None:
    for seed in seeds:
        wanted = wanted_of(kind, seed)
        teams = {d: create_company(seed).staff(d) for d in DEPARTMENTS}
        books = draw_all_orders(context_of(seed).stream("orders"), wanted, teams)
        for department in wanted.departments:
            book, alone = books[department], _alone(wanted, department)
            naive = compute_figures(alone, book.within(wanted.quarters)).model_dump()
            assert len(book.choices) == len(set(book.choices)) == CANCELLATION_SETS
            answers = []
            for choice in book.choices:
                assert 1 <= len(choice) <= 3
                kept = [o for o in book.within(wanted.quarters) if o.id not in choice]
                right = compute_figures(alone, kept).model_dump()
                assert right != naive
                assert len({o.employee for o in kept}) == len(teams[department])
                if ANALYSES[kind].compares:
                    assert right["count"] != naive["count"]
                answers.append(str(right))
            assert len(set(answers)) == CANCELLATION_SETS


@pytest.mark.parametrize("kind", [kind for kind in TYPES if ANALYSES[kind].ranks])
@quick_round.seeds(3, sweep=12)
def test_guessing_a_changed_order_of_people_is_not_enough(
    kind: SalesQueryType, seeds: range
) -> None:
    """Each department has a listed employee who lost an order, or its total is required."""
    for seed in seeds:
        instance, wanted = scene_of(kind, seed), wanted_of(kind, seed)
        told = {id for clue in instance.hidden.clues for id in ORDER_ID.findall(clue.payload)}
        lost = {(o.department, o.employee) for o in all_orders(instance) if o.id in told}
        right: Any = instance.graded.truth.right
        listed = {(seller.department, seller.employee_id) for seller in right.employees}
        for department in wanted.departments:
            assert ANALYSES[kind].across or department in {name for name, _ in listed & lost}


def _alone(wanted: SalesQuery, department: str) -> SalesQuery:
    return SalesQuery(
        wanted.type, (department,), wanted.quarter, wanted.year, wanted.mode, wanted.n,
        wanted.direction,
    )  # fmt: skip


@pytest.mark.parametrize("kind", TYPES)
@quick_round.seeds(3, sweep=12)
def test_without_any_one_manager_the_answer_is_wrong_and_with_all_it_is_right(
    kind: SalesQueryType, seeds: range
) -> None:
    for seed in seeds:
        instance, wanted = scene_of(kind, seed), wanted_of(kind, seed)
        told = [frozenset(ORDER_ID.findall(clue.payload)) for clue in instance.hidden.clues]
        everything = frozenset[str]().union(*told)
        assert as_files_say(instance, wanted, everything) == instance.graded.truth.right
        assert as_files_say(instance, wanted, frozenset()) != instance.graded.truth.right
        for ids in told:
            without = as_files_say(instance, wanted, everything - ids)
            assert ids and without != instance.graded.truth.right


@pytest.mark.parametrize("kind", QOQ)
@quick_round.seeds(3, sweep=12)
def test_the_files_alone_give_another_count(kind: SalesQueryType, seeds: range) -> None:
    for seed in seeds:
        instance, wanted = scene_of(kind, seed), wanted_of(kind, seed)
        naive: Any = as_files_say(instance, wanted, frozenset())
        right: Any = instance.graded.truth.right
        assert naive.count != right.count


@pytest.mark.parametrize("kind", [kind for kind in TYPES if ANALYSES[kind].ranks])
@quick_round.seeds(3, sweep=12)
def test_no_two_people_who_are_ranked_together_come_near_each_other(
    kind: SalesQueryType, seeds: range
) -> None:
    for seed in seeds:
        instance, wanted = scene_of(kind, seed), wanted_of(kind, seed)
        told = {id for clue in instance.hidden.clues for id in ORDER_ID.findall(clue.payload)}
        totals: Counter[tuple[str, str]] = Counter()
        for order in all_orders(instance):
            if order.department in wanted.departments and order.quarter == wanted.quarter:
                totals[order.department, order.employee] += order.cents * (order.id not in told)
        for (one, first), (other, second) in combinations(totals.items(), 2):
            if ANALYSES[kind].across or one[0] == other[0]:
                assert abs(first - second) >= 100, "a euro is twenty tolerances"


def test_no_file_on_the_drive_reveals_cancelled_orders() -> None:
    for seed in SEEDS:
        instance = scene_of(SalesQueryType.DEPARTMENTS_COUNT, seed)
        told = {id for clue in instance.hidden.clues for id in ORDER_ID.findall(clue.payload)}
        said = [instance.told.objective, texts_of(instance)[HANDBOOK.path], instance.told.hints.how]
        said += [text for clue in instance.hidden.clues for text in (*clue.asks, *clue.keys)]
        assert told and not ORDER_ID.findall(" ".join(said))


@pytest.mark.sweep  # in the quick round, at four seeds of some rules: test_every_family.py
def test_answers_vary_with_the_seed() -> None:
    for kind in (
        SalesQueryType.PEOPLE_COUNT,
        SalesQueryType.DEPARTMENTS_COUNT,
        SalesQueryType.TOP_EMPLOYEE,
    ):
        answers = Counter(
            scene_of(kind, seed).graded.truth.right.model_dump_json() for seed in range(30)
        )
        assert answers.most_common(1)[0][1] == 1
    counts = Counter(
        _count(scene_of(SalesQueryType.PEOPLE_COUNT, seed).graded.truth.right) for seed in range(30)
    )
    assert len(counts) >= 3


def _count(figures: Any) -> int:
    return int(figures.count)


# asking ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [SalesQueryType.STATISTICS, SalesQueryType.DEPARTMENTS_COUNT])
def test_fresh_words_are_understood_by_the_manager(kind: SalesQueryType) -> None:
    for seed in range(4):
        instance, wanted = scene_of(kind, seed), wanted_of(kind, seed)
        for clue, department in zip(instance.hidden.clues, wanted.departments, strict=True):
            listener = listener_of(instance, create_company(seed), clue.holder)
            for question, quarter in product(QUESTIONS, wanted.quarters):
                ask = question.format(d=department, q=f"Q{quarter}", y=wanted.year)
                assert listener.understand(hear(ask)).intent is Intent.CLEAR, ask
            for quarter in {1, 2, 3, 4} - set(wanted.quarters):
                other = f"Which orders of {department} in Q{quarter} {wanted.year} were cancelled?"
                assert listener.understand(hear(other)).intent is Intent.NONE, other


def test_two_tasks_on_one_day_differ_in_years_files_and_clues() -> None:
    for seed in range(3):
        day = day_with(RULES[6], RULES[6], RULES[8], RULES[1], seed=seed)
        scenes = [task.instance for task in day.tasks]
        check_clue_collisions(scenes)
        paths = [path for instance in scenes for path in texts_of(instance)]
        assert len(set(paths)) == 4 * 12 + 1
        shared = {path for path in paths if paths.count(path) > 1}  # placed once, with the first
        assert shared == {HANDBOOK.path}
        assert {path[-8:-4] for path in paths if path.endswith("csv")} == {
            "2021", "2022", "2023", "2024",
        }  # fmt: skip
        assert len({path for instance in scenes for path in instance.told.deliverable_paths}) == 4
