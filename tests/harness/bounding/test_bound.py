"""Bounds of shipped days: no agent exceeds them, and nothing else depends on them.

Small days have the optimum that is known by hand."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.harness.builders import plan
from tests.harness.runs import call
from tests.quick_round import quick_first
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.bounding.bound import day_bound, decisive_clues, with_bounds
from trainee_bench.harness.bounding.least_day import (
    LeastCall,
    LeastDay,
    LeastTask,
    Message,
    least_day,
)
from trainee_bench.harness.bounding.model import SolverMissing, most_worth
from trainee_bench.harness.generation.benchmark_file import render_benchmark
from trainee_bench.harness.submissions.rules import is_whole_benchmark
from trainee_bench.harness.testbench.staged_day import StagedDay, stage_day
from trainee_bench.meta_tasks.benchmark import Benchmark, find_scenario, load_shipped_benchmark
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.apps.chat import Chat

pytest.importorskip("ortools")
OVERLOADED = [
    scenario
    for scenario in load_shipped_benchmark("expert-50").scenarios
    if any(day.best for day in scenario.days)
]
DELIVERED_BY_A_MODEL = {"expert-50-24": 145, "expert-50-48": 190}
"""What a capable model has delivered of a day, more than the planner's best."""


def day_of(name: str) -> DaySpec:
    return find_scenario(name).days[0]


def test_each_overloaded_day_of_expert_50_has_a_bound_from_its_best_to_all_of_its_worth() -> None:
    assert len(OVERLOADED) == 16
    for scenario in OVERLOADED:
        (day,) = scenario.days
        assert day.best_worth is not None and day.bound is not None
        assert day.best_worth <= day.bound <= sum(task.worth or 0 for task in day.tasks)


@pytest.mark.parametrize("name", DELIVERED_BY_A_MODEL)
def test_what_a_model_has_delivered_lies_under_the_bound(name: str) -> None:
    bound = day_of(name).bound
    assert bound is not None and DELIVERED_BY_A_MODEL[name] <= bound


def test_the_stored_bound_is_computed_again() -> None:
    scenario = OVERLOADED[1]
    assert day_bound(scenario.without_bounds(), 0) == scenario.days[0].bound


def own_day(due: str, **fields: object) -> Scenario:
    """A day of somebody's own, with two tasks that are *due* then."""
    rules = ("attendance.has_late_or_early.L1", "sales.per_dept_avg_sales")
    tasks = [{"rule": rule, "worth": 10, "deadline": due} for rule in rules]
    day = {"tasks": tasks, "best": rules}
    return Scenario.model_validate({"name": "own", "days": [day], **fields})


@pytest.mark.parametrize("tools", [["desk", "files"], ["chat"], ["desk", "chat", "terminal"]])
def test_a_day_without_some_apps_has_a_bound(tools: list[str]) -> None:
    assert day_bound(own_day("18:00", tools=tools), 0) == 20


def test_a_best_that_nobody_can_do_is_named_by_the_command(tmp_path: Path) -> None:
    file = tmp_path / "own.json"
    file.write_text(render_benchmark(Benchmark(name="own", scenarios=(own_day("08:10"),))))
    done = call("bound", file, "--jobs", "1", exits=2)
    assert "nobody can do more than" in " ".join(done.output.split())


@pytest.mark.parametrize("agent", ["oracle", "in_order", "sprayer"])
@pytest.mark.parametrize("place", quick_first([15, 0, 5]))
async def test_no_agent_delivers_more_than_the_bound(agent: str, place: int) -> None:
    scenario = OVERLOADED[place]
    worked = await run_in_process(agent, compose_day(scenario))
    delivered = sum(task.worth or 0 for task in worked.grade.tasks if task.success)
    assert delivered <= (scenario.days[0].bound or 0)
    assert delivered > 0 or agent == "sprayer"


@pytest.mark.parametrize("place", quick_first([5, 0]))
async def test_whoever_succeeds_has_done_all_that_the_bound_counts_when_it_counts_it(
    place: int,
) -> None:
    composition = compose_day(OVERLOADED[place])
    least = least_day(composition, decisive_clues(composition))
    day = await stage_day(composition)
    async with day.world:
        await day.work()
        graded = {grade.task for grade in await day.grades() if grade.success}
        log = await day.world.log()
        made = await day.world.read(lambda tx: Chat(tx).groups_made_by(tx.employee))
        groups = {group.id: group.members for group in made}
    assert graded
    for task in least.tasks:
        if task.id in graded:
            _check(day, task, log, groups)


def _check(
    day: StagedDay, task: LeastTask, log: list[LogEntry], groups: dict[str, tuple[str, ...]]
) -> None:
    """The log has each message, and of each result a call that wrote it, in their windows."""
    starts = day.composition.day.starts
    done = [(entry, (entry.at - starts).total_seconds() / 60) for entry in log if entry.ok]
    for message in task.messages:
        assert any(
            entry.tool == "chat_send_message"
            and at >= message.opens
            and message.person in groups.get(str(entry.arguments["to"]), (entry.arguments["to"],))
            for entry, at in done
        ), (task.id, message)
    (composed,) = (one for one in day.composition.tasks if one.id == task.id)
    paths = composed.instance.told.deliverable_paths
    written = {
        path: max(at for entry, at in done if entry.arguments.get("path") == path) for path in paths
    }
    assert len(task.results) == len(paths)
    assert max(written.values()) >= max(act.opens for act in task.results)
    assert min(written.values()) >= min(act.opens for act in task.results)


def test_neither_a_day_nor_its_world_depends_on_a_bound() -> None:
    scenario = OVERLOADED[0]
    plain = compose_day(scenario.without_bounds())
    assert compose_day(scenario) == plain
    assert compose_day(scenario).world_config() == plain.world_config()


def test_a_run_from_before_the_bounds_is_still_one_of_the_whole_benchmark() -> None:
    benchmark = Benchmark(name="some", scenarios=(OVERLOADED[0],))
    before = (OVERLOADED[0].without_bounds(),)
    ran = plan("any").model_copy(update={"scenarios": before})
    assert is_whole_benchmark(ran, benchmark)
    other = before[0].model_copy(update={"seed": 1})
    assert not is_whole_benchmark(ran.model_copy(update={"scenarios": (other,)}), benchmark)


def test_a_bound_below_the_best_or_of_a_day_without_a_best_is_refused() -> None:
    day = OVERLOADED[0].days[0]
    for wrong in ({"bound": (day.best_worth or 0) - 1}, {"best": (), "order": ()}):
        with pytest.raises(ValidationError, match="only a day with best has a bound|have a worth"):
            DaySpec.model_validate({**day.model_dump(), **wrong})


def test_a_day_on_which_all_can_be_done_gets_no_bound() -> None:
    scenario = find_scenario("expert-50-01")
    assert with_bounds(scenario) == scenario


def test_with_hardly_any_time_nothing_can_be_delivered() -> None:
    scenario = OVERLOADED[0].without_bounds()
    minutes = {**scenario.minutes, "desk_submit": 24 * 60}
    composition = compose_day(scenario.model_copy(update={"minutes": minutes}))
    one = max(task.worth or 0 for task in composition.tasks)
    # the last call may go on after the deadline
    assert most_worth(least_day(composition, frozenset())) == one


def test_the_command_prints_and_writes_bounds(tmp_path: Path) -> None:
    scenario = OVERLOADED[1]
    given, out = tmp_path / "given.json", tmp_path / "out.json"
    benchmark = Benchmark(name="some", scenarios=(scenario.without_bounds(),))
    given.write_text(render_benchmark(benchmark), encoding="utf-8")
    done = call("bound", given, "--out", out, "--jobs", "1")
    day = scenario.days[0]
    assert f"planner's best {day.best_worth}  bound {day.bound}" in done.output
    made = Benchmark.model_validate_json(out.read_text(encoding="utf-8"))
    assert made.scenarios == (Scenario.model_validate(scenario.model_dump()),)


def test_without_the_solver_it_is_said_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def importing(name: str, *rest: object) -> ModuleType:
        if name.startswith("ortools"):
            raise ImportError(name)
        return real(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", importing)
    with pytest.raises(SolverMissing, match=r"trainee-bench\[bound\]"):
        most_worth(least_day(compose_day(OVERLOADED[0]), frozenset()))


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
