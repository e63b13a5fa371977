"""Connected tasks: causes, inputs, deadlines that move."""

from __future__ import annotations

import pytest

from tests import quick_round
from tests.meta_tasks.days import staged
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.mcp_servers.verifier import grade_world
from trainee_bench.meta_tasks.arrivals import in_dependency_order
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.tool_client import ToolClient, wait_for_task
from trainee_bench.meta_tasks.work.scripted import scripted
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.colleagues.availability import AbsenceBegins

MEETING, LINKS = "meeting_attend.write.u1", "kb_fix.easy"


def scenario(*tasks: dict[str, object], **changes: object) -> Scenario:
    made = {"name": "chains", "seed": 5, "days": [{"tasks": list(tasks)}]} | changes
    return Scenario.model_validate(made)


def follows(cause: str, when: str) -> dict[str, object]:
    return {"rule": LINKS, "follows": {"task": cause, "when": when}}


@pytest.mark.parametrize("when", ["announcement", "submission"])
async def test_a_task_follows_another_and_both_reach_full_score(when: str) -> None:
    composition = compose_day(scenario({"rule": MEETING}, follows(MEETING, when)))
    async with staged(composition) as day:
        assert [(t.id, t.title) for t in await day.world.read(lambda tx: Desk(tx).tasks())] == [
            ("T1", composition.tasks[0].instance.told.title)
        ]
        assert [task.id for task in composition.tasks] == ["T1", "T1b"]
        assert await day.work() == {}
        assert (await grade_world(day.world)).success


async def test_a_task_whose_cause_never_comes_is_never_published_and_scores_nothing() -> None:
    composition = compose_day(scenario({"rule": MEETING}, follows(MEETING, "announcement")))
    async with staged(composition) as day:
        await day.call("desk_finish_day", {})
        assert len(await day.world.read(lambda tx: Desk(tx).tasks())) == 1
        assert [grade.score for grade in (await grade_world(day.world)).tasks] == [0, 0]


async def test_the_day_does_not_depend_on_the_order_in_which_cause_and_effect_are_listed() -> None:
    tasks = [{"rule": MEETING}, follows(MEETING, "submission")]
    digests = set()
    for listed in (tasks, tasks[::-1]):
        async with staged(compose_day(scenario(*listed))) as day:
            digests.add(await day.world.digest())
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ([follows(MEETING, "submission")], "exactly one task of that rule"),
        ([{"rule": "website_analysis.slow_page"},
          follows("website_analysis.slow_page", "announcement")], "nothing is announced"),
        ([{"rule": MEETING}, follows(MEETING, "submission") | {"arrives": "09:00"}],
         "no time of arrival"),
        ([{"rule": MEETING}, follows(MEETING, "submission")
          | {"moved": {"at": "09:00", "to": "15:00"}}], "cannot move"),
        ([{"rule": MEETING}, follows(MEETING, "announcement") | {"deadline": "08:05"}],
         "it must arrive before it is due"),
        ([{"rule": MEETING}, {"rule": LINKS, "takes_from": MEETING}], "cannot take its input"),
        ([{"rule": MEETING, "follows": {"task": LINKS, "when": "submission"}},
          follows(MEETING, "submission")], "needs itself or another of them first"),
    ],
)  # fmt: skip
def test_chains_that_cannot_be_are_refused_in_words(
    tasks: list[dict[str, object]], said: str
) -> None:
    with pytest.raises(CompositionError, match=said):
        compose_day(scenario(*tasks))


@pytest.mark.parametrize(
    ("moved", "fits"),
    [
        ({"at": "10:00", "to": "12:00"}, True),
        ({"at": "10:00", "to": "19:00"}, True),
        ({"at": "07:00", "to": "12:00"}, False),
        ({"at": "12:00", "to": "12:00"}, False),
        ({"at": "16:00", "to": "18:00"}, False),
        ({"at": "10:00", "to": "15:00"}, False),
        ({"at": "10:00", "to": "21:00"}, False),
    ],
)
def test_a_deadline_moves_only_between_arrival_and_both_deadlines(
    moved: dict[str, str], fits: bool
) -> None:
    task = {"rule": LINKS, "arrives": "08:30", "deadline": "15:00", "moved": moved}
    if fits:
        (composed,) = compose_day(scenario(task)).tasks
        assert f"{composed.deadline:%H:%M}" == moved["to"]
        assert f"{composed.first_deadline:%H:%M}" == "15:00"
    else:
        with pytest.raises(CompositionError):
            compose_day(scenario(task))


async def test_work_after_the_moved_deadline_does_not_count_and_before_it_does() -> None:
    task = {"rule": LINKS, "deadline": "15:00", "moved": {"at": "08:10", "to": "08:20"}}
    for minutes, complete in ((0, False), (600, True)):
        later = task | ({"moved": {"at": "08:10", "to": "19:00"}} if minutes else {})
        async with staged(compose_day(scenario(later))) as day:
            await day.call("desk_wait", {"minutes": 25, "wake": False})
            await day.work()
            assert (await grade_world(day.world)).success is complete


def test_an_objective_does_not_name_a_deadline_that_may_move() -> None:
    task = {"rule": MEETING, "deadline": "19:35", "moved": {"at": "08:10", "to": "18:25"}}
    (composed,) = compose_day(scenario(task)).tasks
    assert "19:35" not in composed.instance.told.objective


def test_causes_come_first_and_all_else_keeps_its_order() -> None:
    specs = [
        TaskSpec(rule="a", takes_from="c"),
        TaskSpec(rule="b"),
        TaskSpec(rule="c", takes_from="d"),
        TaskSpec(rule="d"),
    ]
    ordered = [spec.rule for _, spec in in_dependency_order(list(enumerate(specs)))]
    assert ordered == ["b", "d", "c", "a"]


TAKING = [
    ("sales.top_sales_employee", "meeting_book.capacity.c2"),
    ("sales.cross_depts_extreme_employee", "meeting_book.department.c1"),
    ("meeting_attend.sum.u1", "ads_strategy.balanced.easy"),
    ("meeting_attend.check_sum.u3", "ads_strategy.campus_heavy.hard"),
]


def fitting(giver: str, taker: str, start: int = 0) -> ComposedDay:
    """Return a day on which *taker* takes the result of *giver*."""
    for seed in range(start, start + 40):
        try:
            return compose_day(
                scenario({"rule": giver}, {"rule": taker, "takes_from": giver}, seed=seed)
            )
        except CompositionError:
            continue
    raise AssertionError(f"{taker} never goes with {giver}")


@pytest.mark.parametrize("pair", quick_round.quick_first(TAKING, 3), ids="-".join)
async def test_one_worker_does_a_task_and_another_that_takes_its_result(
    pair: tuple[str, str],
) -> None:
    composition = fitting(*pair)
    async with staged(composition) as day:
        assert await day.work() == {}
        assert (await grade_world(day.world)).success


@pytest.mark.parametrize(
    ("giver", "taker", "seed"),
    [
        ("sales.cross_depts_extreme_employee+retraction", "meeting_book.capacity.c1", 2),
        ("sales.cross_depts_extreme_employee+corrected_file", "meeting_book.manager.c2", 5),
    ],
)
async def test_a_worker_that_takes_a_changing_result_books_again_with_the_right_person(
    giver: str, taker: str, seed: int
) -> None:
    giving = {"rule": giver, "changes_from": "arrival"}
    tasks = (giving, {"rule": taker, "takes_from": giver})
    async with staged(compose_day(scenario(*tasks, name="x", seed=seed))) as day:
        assert await day.work() == {}
        assert [grade.score for grade in (await grade_world(day.world)).tasks] == [1, 1]
        (objective,) = (
            task.instance.told.objective for task in day.composition.tasks if task.rule == taker
        )
        assert "If that result changes before the meeting begins, cancel the meeting" in objective


@pytest.mark.parametrize(
    ("giver", "changes", "said"),
    [
        ("sales.cross_depts_extreme_employee+retraction", {"arrival": "streamed", "seed": 2},
         "the result for T1 changes at 11:35, too late for .*, which has to know it by 11:00"),
        ("sales.cross_depts_extreme_employee+changed_request", {"seed": 5},
         "cannot take its input from sales.cross_depts_extreme_employee.changed_request"),
    ],
)  # fmt: skip
def test_a_result_that_changes_too_late_or_lies_in_a_file_to_come_is_not_taken(
    giver: str, changes: dict[str, object], said: str
) -> None:
    taking = {"rule": "meeting_book.capacity.c1", "takes_from": giver}
    with pytest.raises(CompositionError, match=said):
        compose_day(
            scenario({"rule": giver, "changes_from": "arrival"}, taking, name="x", **changes)
        )


@pytest.mark.parametrize(("giver", "taker"), TAKING)
async def test_without_the_first_result_the_second_task_is_not_done_rightly(
    giver: str, taker: str
) -> None:
    composition = fitting(giver, taker)
    alone = compose_day(scenario({"rule": taker}, seed=composition.scenario_day.scenario.seed))
    (taking,) = (task for task in composition.tasks if task.rule == taker)
    assert taking.instance.graded.truth != alone.tasks[0].instance.graded.truth
    async with staged(composition) as day:

        async def idle(client: ToolClient) -> None:
            await wait_for_task(client)

        (giving,) = (task.id for task in composition.tasks if task.rule == giver)
        await day.work({giving: scripted(idle)})
        grades = {grade.task: grade for grade in (await grade_world(day.world)).tasks}
        assert not grades[taking.id].success


@pytest.mark.parametrize(("giver", "taker"), TAKING)
def test_nothing_that_lies_ready_for_the_second_task_depends_on_the_first(
    giver: str, taker: str
) -> None:
    composition = fitting(giver, taker)
    alone = compose_day(scenario({"rule": taker}, seed=composition.scenario_day.scenario.seed))
    (taking,) = (task.instance for task in composition.tasks if task.rule == taker)
    bodies = [
        {planned.event.model_dump_json().replace(id, "T") for planned in instance.hidden.events}
        for instance, id in ((taking, "T2"), (taking, "T1"), (alone.tasks[0].instance, "T1"))
    ]
    assert bodies[2] in (bodies[0], bodies[1])


async def test_nobody_has_to_answer_who_another_task_sends_away() -> None:
    refused = 0
    for seed in range(12):
        rules = [{"rule": "event_planning.A1"}, {"rule": "kb_fix.away.hard"}]
        try:
            composition = compose_day(scenario(*rules, seed=seed))
        except CompositionError:
            refused += 1
            continue
        away = {
            planned.event.person
            for task in composition.tasks
            for planned in task.instance.hidden.events
            if isinstance(planned.event, AbsenceBegins)
        }
        assert away
        holders = {clue.holder for task in composition.tasks for clue in task.instance.hidden.clues}
        assert not away & holders
    assert refused < 12


def test_nobody_who_is_away_becomes_responsible_for_what_another_task_asks() -> None:
    scenario = single_task_day("kb_fix.away.hard+unannounced_handover", 6).scenario_day.scenario
    twice = DaySpec(tasks=scenario.days[0].tasks * 2)
    with pytest.raises(CompositionError, match="viljo.koistinen, who has to answer for T1/charts"):
        compose_day(scenario.model_copy(update={"days": (twice,)}))
