"""The meeting family at work: honest work, what is graded, on time, what is given away."""

from __future__ import annotations

from datetime import datetime

import pytest
from pydantic import JsonValue

from tests.meta_tasks.days import day_with, graded, hand_in, staged, told_by, truth_of
from tests.meta_tasks.families.meeting_days import (
    KEPT,
    NAMES,
    RULES,
    SUM_OF_ALL,
    SUM_OF_KEPT,
    WORKED,
    attend,
    meeting_of,
    row,
    rows,
    worked_example,
)
from trainee_bench.meta_tasks.families.meeting_attend.brief import RULES_PATH
from trainee_bench.meta_tasks.families.meeting_attend.deliverables import DecisionEntry, costed_list
from trainee_bench.meta_tasks.grade import feedback
from trainee_bench.meta_tasks.scenario import TaskSpec
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.world.apps.calendar import Calendar
from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.transaction import Transaction

# honest work -----------------------------------------------------------------------------


async def test_attending_releases_the_assignment_and_puts_it_on_the_desk() -> None:
    async with staged("meeting_attend.write.u2", 4) as day:
        await attend(day)
        (task,) = (await day.call("desk_tasks", {})).data["tasks"]
        assert task["assignments"] == [day.composition.tasks[0].instance.hidden.clues[0].payload]

        def told(tx: Transaction) -> datetime | None:
            return Knowledge(tx).told_at("T1/assignment", tx.employee)

        assert await day.world.read(told) is not None


@pytest.mark.parametrize("rule", ["meeting_attend.check.u1", "meeting_attend.check_sum.u3"])
async def test_without_the_rules_on_the_drive_honest_work_falls_short(rule: str) -> None:
    async with staged(rule, 4) as day:
        await day.call("files_delete", {"path": RULES_PATH})
        assert RULES_PATH in str((await day.work())["T1"])
        assert (await graded(day)).score == 0


@pytest.mark.parametrize(
    ("rule", "announced"),
    [
        ("meeting_attend.sum.u3", "including any that break the procurement rules"),
        ("meeting_attend.check.u2", "only the purchase requests that comply"),
    ],
)
async def test_from_the_meeting_on_colleagues_repeat_which_requests_to_list(
    rule: str, announced: str
) -> None:
    questions = (
        "Which purchase requests should I list: all four, or only those within the rules?",
        "Should meeting_summary.json also contain requests that break the procurement rules?",
        "Should I list a request that breaks a limit of the procurement rules, or leave it out?",
    )
    async with staged(rule, 4) as day:
        meeting = meeting_of(day.composition.tasks[0].instance)
        assert announced not in await told_by(day, meeting.organizer, questions[0])
        await attend(day)
        for colleague in (meeting.organizer, meeting.attendees[0]):
            for question in questions:
                assert announced in await told_by(day, colleague, question)


# what is graded --------------------------------------------------------------------------


async def test_the_worked_example_is_right_as_calculated_by_hand() -> None:
    for rule, names, grand in (
        ("meeting_attend.sum.u3", NAMES, SUM_OF_ALL),
        ("meeting_attend.check_sum.u3", KEPT, SUM_OF_KEPT),
    ):
        async with staged(worked_example(rule)) as day:
            await attend(day)
            work: dict[str, JsonValue] = {
                "requests": rows(*names, total=True),
                "total_cost": grand / 100,
            }
            assert all((await hand_in(day, work)).values())
            assert (await graded(day)).success
    for rule, names in (("meeting_attend.write.u3", NAMES), ("meeting_attend.check.u3", KEPT)):
        async with staged(worked_example(rule)) as day:
            await attend(day)
            assert all((await hand_in(day, {"requests": rows(*names)})).values())


@pytest.mark.parametrize(
    "rule, names",
    [
        ("meeting_attend.check.u3", NAMES),
        ("meeting_attend.check.u3", KEPT[:1]),
        ("meeting_attend.check.u3", (*KEPT, "Cleo Marr")),
        ("meeting_attend.write.u3", KEPT),
        ("meeting_attend.write.u3", NAMES[:4]),
    ],
)
async def test_too_many_and_too_few_requests_both_fail(rule: str, names: tuple[str, ...]) -> None:
    async with staged(worked_example(rule)) as day:
        await attend(day)
        assert not any((await hand_in(day, {"requests": rows(*names)})).values())


@pytest.mark.parametrize(
    "field, wrong",
    [
        ("quantity", 4),
        ("quantity", 2),
        ("unit_price", 34.91),
        ("unit_price", 34.904),
        ("unit_price", 3490),
        ("name", "Ada Quisp"),
        ("item", "mouse"),
    ],
)
async def test_amounts_are_exact(field: str, wrong: JsonValue) -> None:
    async with staged(worked_example("meeting_attend.write.u3")) as day:
        await attend(day)
        listed = [row(wish, total=False) for wish in WORKED]
        listed[0][field] = wrong
        assert not any((await hand_in(day, {"requests": list(listed)})).values())


async def test_a_request_listed_twice_fails() -> None:
    async with staged(worked_example("meeting_attend.write.u3")) as day:
        await attend(day)
        work = {"requests": [*rows(), *rows("Ada Quist")]}
        assert not any((await hand_in(day, work)).values())


async def test_totals_and_the_grand_total_are_judged_each_by_itself() -> None:
    async with staged(worked_example("meeting_attend.sum.u3")) as day:
        await attend(day)
        right = rows(total=True)
        wrong = [{**row(wish, total=True), "total": 104.69} for wish in WORKED]
        only_grand = await hand_in(day, {"requests": [*wrong], "total_cost": 2715})
        assert only_grand == {
            "requests_listed": True,
            "totals_right": False,
            "grand_total_right": True,
            "punctual": True,
            "present": True,
        }
        only_totals = await hand_in(day, {"requests": right, "total_cost": 2715.01})
        assert only_totals["totals_right"] and not only_totals["grand_total_right"]


async def test_harmless_differences_pass() -> None:
    async with staged(worked_example("meeting_attend.sum.u3")) as day:
        await attend(day)
        listed = [row(wish, total=True) for wish in reversed(WORKED)]
        for entry in listed:
            entry["name"] = f"  {str(entry['name']).upper()} "
            entry["unit_price"] = str(entry["unit_price"])
            entry["quantity"] = float(str(entry["quantity"]))
        listed[0]["total"] = 499.99999999999994 * 2
        work: dict[str, JsonValue] = {"total_cost": 2715.0000000001, "requests": [*listed]}
        assert all((await hand_in(day, work)).values())


async def test_a_field_nobody_asked_for_is_a_flaw() -> None:
    async with staged(worked_example("meeting_attend.write.u3")) as day:
        await attend(day)
        assert not any((await hand_in(day, {"requests": rows(), "total_cost": 2715})).values())


@pytest.mark.parametrize("field", ["topic", "owner", "due", "budget"])
async def test_a_decision_counts_with_all_its_parts_only(field: str) -> None:
    async with staged("meeting_attend.none.u3", 6) as day:
        await attend(day)
        truth = truth_of(day)
        right = [noted(decision) for decision in truth.decisions]
        assert all((await hand_in(day, {"decisions": list(reversed(right))})).values())
        other = {"topic": "lunch", "owner": "Ada Quist", "due": "2026-01-01", "budget": 1}
        wrong = [{**right[0], field: other[field]}, *right[1:]]
        assert not any((await hand_in(day, {"decisions": [*wrong]})).values())
        assert not any((await hand_in(day, {"decisions": [*right[:-1]]})).values())


def noted(decision: DecisionEntry) -> dict[str, JsonValue]:
    return {
        "topic": decision.topic,
        "owner": decision.owner,
        "due": decision.due.isoformat(),
        "budget": decision.budget,
    }


# on time ---------------------------------------------------------------------------------


async def test_nobody_attends_at_eight_and_nothing_is_handed_over() -> None:
    async with staged("meeting_attend.none.u1", 3) as day:
        with pytest.raises(ToolFailed, match="begins"):
            await day.call("calendar_attend", {"meeting": 1})
        (task,) = (await day.call("desk_tasks", {})).data["tasks"]
        assert task["assignments"] == []
        assert (await graded(day)).score == 0


@pytest.mark.parametrize("late, on_time", [(-5, True), (0, True), (5, True), (6, False)])
async def test_on_time_is_five_minutes_around_the_start(late: int, on_time: bool) -> None:
    async with staged(worked_example("meeting_attend.write.u3")) as day:
        await attend(day, late)
        checks = await hand_in(day, {"requests": rows()})
        assert checks == {"requests_listed": True, "punctual": on_time, "present": True}
        assert ((await graded(day)).score == 1) is on_time


async def test_too_early_is_refused_by_the_minute() -> None:
    async with staged(worked_example("meeting_attend.write.u3")) as day:
        with pytest.raises(ToolFailed, match="Come from"):
            await attend(day, -6)


async def test_being_there_earns_nothing_without_the_work() -> None:
    for rule in RULES:
        async with staged(rule, 8) as day:
            await attend(day)
            grade = await graded(day)
            assert grade.score == 0
            punctual = grade.checkpoints[-1]
            assert "counts only with" in punctual.seen


@pytest.mark.parametrize(("missed", "score"), [(6, 0.85), (15, 0.85), (16, 0), (29, 0)])
async def test_an_agent_that_misses_more_than_half_of_the_meeting_was_not_there(
    missed: int, score: float
) -> None:
    spec = TaskSpec(rule="meeting_attend.write.u3", parameters={"hours": 0.5})
    async with staged(day_with(spec, seed=3, name="half an hour")) as day:
        await attend(day, missed)
        truth = truth_of(day)
        listed = costed_list(truth.listed).without_costs()
        await hand_in(day, listed.model_dump())
        assert (await graded(day)).score == score


async def test_the_right_list_without_the_meeting_is_no_success() -> None:
    """An agent that got the list elsewhere was not in the meeting."""
    async with staged(worked_example("meeting_attend.write.u3")) as day:
        assert await hand_in(day, {"requests": rows()}) == {
            "requests_listed": False,
            "punctual": False,
            "present": False,
        }

        def came(tx: Transaction) -> object:
            return Calendar(tx).attendance(tx.employee, 1)

        assert await day.world.read(came) is None


# what is given away ----------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
async def test_feedback_and_hints_never_contain_an_answer(rule: str) -> None:
    for seed in range(3):
        async with staged(rule, seed) as day:
            instance = day.composition.tasks[0].instance
            texts = [
                instance.told.hints.strategy,
                instance.told.hints.where,
                instance.told.hints.how,
            ]
            for work in (
                {"requests": []},
                {"decisions": []},
                {"requests": [], "total_cost": 1},
            ):
                await hand_in(day, work)
                texts.append(feedback(await graded(day), 3))
            said = "\n".join(texts)
            truth = instance.graded.truth
            for wish in truth.wishes:
                for secret in (wish.name, wish.item, f"{wish.price / 100:.2f}"):
                    assert secret not in said
            for decision in truth.decisions:
                for secret in (decision.topic, decision.owner, str(decision.budget)):
                    assert secret not in said
            grand = sum(wish.total for wish in truth.listed)
            assert not grand or f"{grand / 100}" not in said
