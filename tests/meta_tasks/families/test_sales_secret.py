"""What managers of Sales know: it changes every answer, shows nowhere, and is told when asked."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations, product
from typing import Any

import pytest

from tests import quick_round
from tests.meta_tasks.days import context_of, day_with, listener_of, texts_of
from tests.meta_tasks.families.sales_days import (
    RULES,
    SEEDS,
    TYPES,
    all_orders,
    as_files_say,
    scene_of,
    wanted_of,
)
from trainee_bench.meta_tasks.families.sales.brief import HANDBOOK
from trainee_bench.meta_tasks.families.sales.data import CANCELLATION_SETS, draw_all_orders
from trainee_bench.meta_tasks.families.sales.deliverables import compute_figures
from trainee_bench.meta_tasks.families.sales.subject import (
    ANALYSES,
    DEPARTMENTS,
    SalesQuery,
    SalesQueryType,
)
from trainee_bench.meta_tasks.sent_texts import check_clue_collisions
from trainee_bench.world.colleagues.understanding import Intent, hear
from trainee_bench.world.company.people import create_company

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
def test_whatever_was_cancelled_the_files_alone_give_another_answer(
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
def test_guessing_who_falls_back_is_not_enough(kind: SalesQueryType, seeds: range) -> None:
    """Of those listed, somebody of each department lost an order, or else the department's total
    is asked for."""
    for seed in seeds:
        instance, wanted = scene_of(kind, seed), wanted_of(kind, seed)
        told = {id for clue in instance.hidden.clues for id in ORDER_ID.findall(clue.payload)}
        lost = {(o.department, o.employee) for o in all_orders(instance) if o.id in told}
        right: Any = instance.graded.truth.right
        listed = {(one.department, one.employee_id) for one in right.employees}
        for department in wanted.departments:
            assert ANALYSES[kind].across or {one for one in listed & lost if one[0] == department}


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
        for one in told:
            assert (
                one
                and as_files_say(instance, wanted, everything - one) != instance.graded.truth.right
            )


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


def test_nothing_on_the_drive_tells_what_was_cancelled() -> None:
    for seed in SEEDS:
        instance = scene_of(SalesQueryType.DEPARTMENTS_COUNT, seed)
        told = {id for clue in instance.hidden.clues for id in ORDER_ID.findall(clue.payload)}
        said = [instance.told.objective, texts_of(instance)[HANDBOOK.path], instance.told.hints.how]
        said += [text for clue in instance.hidden.clues for text in (*clue.asks, *clue.keys)]
        assert told and not ORDER_ID.findall(" ".join(said))


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


def test_two_tasks_on_one_day_have_years_files_and_clues_of_their_own() -> None:
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
