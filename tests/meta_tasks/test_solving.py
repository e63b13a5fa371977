"""What is read at the start of a task."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import pytest
from pydantic import JsonValue

from tests.meta_tasks.days import staged
from trainee_bench.meta_tasks.authoring import TextTemplate, ToolFailed, read_brief
from trainee_bench.meta_tasks.authoring.solving import collect_stated_rules
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.tool_client import ToolResponse

RULES = (
    "kb_fix.away.easy",
    "meeting_attend.check_sum.u1",
    "meeting_book.moved.c2",
    "sales.sales_statistics",
    "website_analysis.slow_page",
)


@pytest.mark.parametrize("guidance", [1, 3])
@pytest.mark.parametrize("rule", RULES)
async def test_hints_behind_the_objective_are_not_taken_for_a_part_of_it(
    rule: str, guidance: int
) -> None:
    days = (DaySpec(tasks=(TaskSpec(rule=rule),)),)
    async with staged(compose_day(Scenario(name="hints", days=days, guidance=guidance))) as day:
        assert await day.work() == {}
        (grade,) = await day.grades()
        assert grade.success


@dataclass(frozen=True)
class Counted:
    """What a made-up objective states."""

    what: str
    twice: bool = False


COUNTED = TextTemplate(Counted, "Count the {what}. Round up. Hand in the number.")


class Desk:
    """An office that only lists one task."""

    task = "T1"

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        objective = "Count the boxes. Round up. Hand in the number."
        tasks = [{"id": "T1", "objective": objective}]
        return ToolResponse("", {"tasks": tasks}, datetime(2025, 10, 1, 8))

    async def wait_until(self, time: datetime) -> None:
        raise AssertionError("the task is there")

    async def wait_at_least(self, minutes: int) -> None:
        raise AssertionError("the task is there")


async def test_rules_that_depend_on_what_is_stated_are_checked_and_collected() -> None:
    with collect_stated_rules() as stated:
        brief = await read_brief(
            Desk(), COUNTED, ["Round up."], lambda counted: (f"Count the {counted.what}.",)
        )
    assert brief == Counted("boxes")
    assert (stated.briefs, stated.rules) == (1, ["Round up.", "Count the boxes."])
    with pytest.raises(ToolFailed, match="the objective does not say: Count all boxes"):
        await read_brief(Desk(), COUNTED, (), lambda counted: (f"Count all {counted.what}.",))
    assert stated.briefs == 1
