"""The solver's bound of small days whose optimum is known by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainee_bench.harness.bounding.least_day import LeastCall, LeastDay, LeastTask, Message
from trainee_bench.harness.bounding.model import most_worth

pytest.importorskip("ortools")
ENDS = 480


def day(*tasks: LeastTask) -> LeastDay:
    return LeastDay(tasks, ENDS, message=10, group=20)


def task(
    id: str,
    worth: int,
    due: int,
    *,
    acts: Sequence[LeastCall] = (),
    results: Sequence[LeastCall] = (),
    messages: Sequence[Message] = (),
) -> LeastTask:
    return LeastTask(id, worth, due, tuple(acts), tuple(results), tuple(messages))


def question(person: str, opens: int = 0, **fields: int) -> Message:
    made = Message(person, opens, reads=0, delay=1, leaves=ENDS, holds=0, feeds=True)
    return replace(made, **fields)


def test_of_two_tasks_for_which_there_is_no_time_the_dearer_one_counts() -> None:
    hour = [LeastCall(60, opens=0, closes=40)]
    assert most_worth(day(task("T1", 20, 40, acts=hour), task("T2", 30, 40, acts=hour))) == 30


def test_of_two_tasks_one_after_the_other_both_count() -> None:
    hour = [LeastCall(60, opens=0, closes=60)]
    assert most_worth(day(task("T1", 20, 60, acts=hour), task("T2", 30, 60, acts=hour))) == 50


def test_a_call_that_can_begin_only_after_the_deadline_is_never_made_in_time() -> None:
    assert most_worth(day(task("T1", 20, 60, acts=[LeastCall(1, opens=61, closes=60)]))) == 0


def test_what_two_tasks_need_at_the_same_moment_only_one_gets() -> None:
    meeting = [LeastCall(20, opens=100, closes=100)]
    assert most_worth(day(task("T1", 5, 200, acts=meeting), task("T2", 7, 200, acts=meeting))) == 7


@pytest.mark.parametrize(("closes", "worth"), [(119, 0), (120, 10)])
def test_a_result_waits_for_the_answer_that_it_needs(closes: int, worth: int) -> None:
    asked = [question("ada", opens=30, delay=90)]
    result = [LeastCall(10, opens=0, closes=closes)]
    assert most_worth(day(task("T1", 10, closes, results=result, messages=asked))) == worth


@pytest.mark.parametrize(("due", "worth"), [(39, 0), (40, 10)])
def test_a_report_is_heard_by_the_deadline_and_no_result_waits_for_it(due: int, worth: int) -> None:
    told = [question("ada", opens=30, delay=10, feeds=0)]
    result = [LeastCall(10, opens=0, closes=0)]
    assert most_worth(day(task("T1", 10, due, results=result, messages=told))) == worth


def test_nobody_answers_after_they_have_left() -> None:
    asked = [question("ada", opens=400, leaves=400)]
    assert most_worth(day(task("T1", 10, ENDS, messages=asked))) == 0


@pytest.mark.parametrize(
    ("people", "minutes"), [(1, 10), (2, 20), (3, 20), (5, 20), (6, 30), (7, 40)]
)
def test_a_group_answers_five_people_for_the_time_of_two_messages(
    people: int, minutes: int
) -> None:
    asked = [question(f"person {number}") for number in range(people)]
    for closes, worth in ((minutes - 1, 0), (minutes, 10)):
        result = [LeastCall(10, opens=0, closes=closes)]
        found = most_worth(day(task("T1", 10, ENDS, results=result, messages=asked)))
        assert found == worth


def test_two_tasks_can_ask_the_same_person_in_one_message() -> None:
    asked, result = [question("ada")], [LeastCall(0, opens=0, closes=10)]
    first = task("T1", 10, ENDS, results=result, messages=asked)
    assert most_worth(day(first, replace(first, id="T2"))) == 20


ACTS = st.lists(
    st.builds(LeastCall, st.integers(1, 60), st.integers(0, 60), st.integers(0, 120)), max_size=2
).map(tuple)
MESSAGES = st.lists(
    st.builds(
        question,
        st.sampled_from(["ada", "tom", "mara"]),
        st.integers(0, 60),
        delay=st.integers(0, 60),
    ),
    max_size=2,
).map(tuple)
TASKS = st.lists(
    st.builds(
        LeastTask, st.just("T"), st.integers(1, 40), st.integers(60, 160), ACTS, ACTS, MESSAGES
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=40, deadline=None)
@given(TASKS)
def test_a_day_without_one_of_its_tasks_has_no_greater_bound_and_lacks_at_most_its_worth(
    tasks: list[LeastTask],
) -> None:
    whole = most_worth(day(*tasks))
    assert 0 <= whole <= sum(one.worth for one in tasks)
    for place, left_out in enumerate(tasks):
        rest = most_worth(day(*tasks[:place], *tasks[place + 1 :]))
        assert rest <= whole <= rest + left_out.worth


@settings(max_examples=40, deadline=None)
@given(TASKS, st.integers(1, 60))
def test_later_deadlines_lower_no_bound(tasks: list[LeastTask], minutes: int) -> None:
    def later(act: LeastCall) -> LeastCall:
        return replace(act, closes=act.closes + minutes)

    put_off = [
        replace(
            one,
            due=one.due + minutes,
            acts=tuple(map(later, one.acts)),
            results=tuple(map(later, one.results)),
        )
        for one in tasks
    ]
    assert most_worth(day(*tasks)) <= most_worth(day(*put_off))
