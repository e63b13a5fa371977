"""The build: changed parts are worked again, nothing else is, and finished acts are not
repeated."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.meta_tasks.work.toy_office import (
    Change,
    Checked,
    Choice,
    Kept,
    NoteSays,
    PairSays,
    Sum,
    ToyOffice,
    employed,
    fresh,
)
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.explain import explain
from trainee_bench.meta_tasks.work.need import Need

NOTES = 4
MODULI = st.sampled_from((2, 100))
notes = st.integers(0, NOTES - 1).map(NoteSays)
pairs = st.integers(0, NOTES - 2).map(PairSays)
needs: st.SearchStrategy[Need[int]] = st.recursive(
    st.one_of(notes, pairs),
    lambda inner: st.one_of(
        st.builds(
            Sum, st.lists(inner, min_size=1, max_size=4).map(tuple), st.sampled_from((2, 100))
        ),
        st.builds(Choice, inner, inner, inner),
        st.builds(Checked, inner),
    ),
    max_leaves=12,
)
changes = st.lists(
    st.builds(Change, st.integers(2, 25), st.integers(0, NOTES - 1), st.integers(0, 5)), max_size=8
).map(lambda found: sorted(found, key=lambda change: change.after))
values = st.lists(st.integers(0, 5), min_size=NOTES, max_size=NOTES)


@given(needs, values, changes)
def test_whatever_changes_the_end_is_that_of_a_fresh_build(
    need: Need[int], said: list[int], to_come: list[Change]
) -> None:
    office = ToyOffice([*said], to_come)
    _, planner = employed(office, need)
    assert asyncio.run(planner.run()) == {}
    assert not office.changes
    assert office.written[-1] == fresh(need, office.notes)


@given(needs, values, changes)
def test_nothing_is_written_twice_in_a_row(
    need: Need[int], said: list[int], to_come: list[Change]
) -> None:
    office = ToyOffice([*said], to_come)
    _, planner = employed(office, need)
    asyncio.run(planner.run())
    assert all(one != other for one, other in pairwise(office.written))


@given(needs, values)
def test_where_nothing_changes_each_note_is_looked_at_once_and_one_thing_written(
    need: Need[int], said: list[int]
) -> None:
    office = ToyOffice([*said])
    _, planner = employed(office, need)
    asyncio.run(planner.run())
    seen = [act.why for act in planner.engine.acts if act.tool == "look"]
    assert all(seen.count(why) == (2 if isinstance(why[0], PairSays) else 1) for why in seen)
    assert office.written == [fresh(need, said)]


def test_news_that_come_with_the_last_call_of_a_need_are_looked_at() -> None:
    office = ToyOffice([1, 0, 0, 0], [Change(3, 0, 2)])
    _, planner = employed(office, Checked(NoteSays(0)))
    asyncio.run(planner.run())
    assert office.written == [2]


def test_news_that_come_with_another_call_while_a_long_look_is_taken_are_looked_at() -> None:
    office = ToyOffice([1, 0, 0, 5], [Change(4, 0, 2)])
    _, planner = employed(office, Sum((NoteSays(3), PairSays(0), Kept(3)), 100))
    asyncio.run(planner.run())
    assert [tool for tool, _ in office.log][:5] == ["desk_now", "look", "look", "check", "look"]
    assert office.written[-1] == 7


def test_an_early_cut_off_leaves_what_comes_to_the_same_alone() -> None:
    office = ToyOffice([1, 1, 0, 0], [Change(4, 0, 3)])
    _, planner = employed(office, Sum((NoteSays(0), NoteSays(1)), 2))
    asyncio.run(planner.run())
    assert office.notes[0] == 3
    assert office.written == [0]
    assert sum(tool == "look" for tool, _ in office.log) == 4


def test_a_fault_in_honest_work_ends_the_work_but_what_is_missing_fails_only_its_task() -> None:
    _, planner = employed(ToyOffice([1, 2, 0, 0]), NoteSays(9))
    failures = asyncio.run(planner.run())
    assert [type(failure) for failure in failures.values()] == [ToolFailed]
    _, planner = employed(ToyOffice([1, 2, 0, 0]), Sum((NoteSays(0),), 0))
    with pytest.raises(ZeroDivisionError):
        asyncio.run(planner.run())


def test_a_graph_shows_each_need_with_the_calls_that_served_it() -> None:
    office = ToyOffice([1, 2, 0, 0])
    engine, planner = employed(office, Sum((NoteSays(0), NoteSays(1)), 100))
    asyncio.run(planner.run())
    explained = explain(engine, engine.roots, engine.acts)
    assert explained.as_text(everything=True).splitlines()[:6] == [
        "TaskRoot T1",
        "├─ Sum modulo=100",
        "│  ├─ NoteSays number=0   [08:01 look (1 min; pressing)]",
        "│  └─ NoteSays number=1   [08:02 look (1 min; pressing)]",
        "└─ Written value=3   [08:03 write (1 min; pressing)]",
        "   └─ LastDone value",
    ]
