"""A submission that asks how sure the employee is: only where a scenario names it, and unscored."""

from __future__ import annotations

from datetime import time
from typing import Any

import pytest

from tests.harness.days import one_day
from trainee_bench.harness.session.frozen import composed_digests
from trainee_bench.harness.testbench.staged_day import StagedDay, stage_day
from trainee_bench.mcp_servers import (
    UnknownApp,
    default_toolboxes,
    names_with,
    select_toolboxes,
)
from trainee_bench.mcp_servers.desk import ASKING_CONFIDENCE, RETURN_TOOL, SUBMIT_TOOL
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Scenario, TaskSpec
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.world import World

RULE = "kb_fix.easy"
PLAIN = one_day(TaskSpec(rule=RULE, deadline=time(12)))
ASKING = PLAIN.with_variants(ASKING_CONFIDENCE)


async def staged(scenario: Scenario = ASKING) -> StagedDay:
    return await stage_day(compose_day(scenario))


def arguments(day: StagedDay) -> dict[str, Any]:
    found: dict[str, Any] = day.seat.tools[SUBMIT_TOOL].input_schema["properties"]
    return found


async def confidence(world: World, task: str = "T1") -> int | None:
    return await world.read(lambda tx: Desk(tx).stated_confidence(task))


async def test_it_is_asked_only_where_the_scenario_names_the_variant() -> None:
    for scenario, asked in ((PLAIN, False), (ASKING, True)):
        day = await staged(scenario)
        async with day.world:
            assert ("sure" in arguments(day)) is asked
            assert "sure" not in day.seat.tools[SUBMIT_TOOL].input_schema.get("required", [])
    usual = {tool.name: tool for box in default_toolboxes().values() for tool in box}
    assert "sure" not in usual[SUBMIT_TOOL].input_schema["properties"]


async def test_elsewhere_the_argument_does_not_exist() -> None:
    day = await staged(PLAIN)
    async with day.world:
        with pytest.raises(ToolFailed, match="there is no argument 'sure'"):
            await day.call(SUBMIT_TOOL, {"task": "T1", "sure": 90})
        assert await confidence(day.world) is None


async def test_the_receipt_repeats_what_was_said_and_the_desk_keeps_it() -> None:
    day = await staged()
    async with day.world:
        received = await day.call(SUBMIT_TOOL, {"task": "T1", "note": "done", "sure": 80})
        assert "You are 80 % sure that it is right." in received.text
        assert await confidence(day.world) == 80


@pytest.mark.parametrize("sure", [0, 100])
async def test_the_whole_range_is_taken(sure: int) -> None:
    day = await staged()
    async with day.world:
        await day.call(SUBMIT_TOOL, {"task": "T1", "sure": sure})
        assert await confidence(day.world) == sure


@pytest.mark.parametrize(
    ("sure", "says"),
    [
        (101, "'sure' takes at most 100"),
        (-1, "'sure' takes at least 0"),
        (0.95, "'sure' takes a whole number, not 0.95"),
        (True, "'sure' takes a whole number, not true or false"),
        (False, "'sure' takes a whole number, not true or false"),
        ("very", "'sure' takes a whole number, not a text"),
        ([90], "'sure' takes a whole number, not an array"),
    ],
)
async def test_what_is_no_percent_is_refused_in_words_and_submits_nothing(
    sure: Any, says: str
) -> None:
    day = await staged()
    async with day.world:
        with pytest.raises(ToolFailed, match=says):
            await day.call(SUBMIT_TOOL, {"task": "T1", "sure": sure})
        assert await day.world.read(lambda tx: Desk(tx).submitted_at("T1")) is None


async def test_only_the_last_submission_counts_also_one_that_says_nothing() -> None:
    day = await staged()
    async with day.world:
        for sure in (100, 30):
            await day.call(SUBMIT_TOOL, {"task": "T1", "sure": sure})
        assert await confidence(day.world) == 30
        await day.call(SUBMIT_TOOL, {"task": "T1"})
        assert await confidence(day.world) is None


async def test_a_return_takes_back_what_was_said_with_a_submission() -> None:
    composition = compose_day(ASKING.model_copy(update={"tools": names_with({RETURN_TOOL})}))
    day = await stage_day(composition)
    async with day.world:
        await day.call(SUBMIT_TOOL, {"task": "T1", "sure": 95})
        person = composition.company.people[0].id
        await day.call(RETURN_TOOL, {"task": "T1", "missing": "the ids", "asked": [person]})
        assert await confidence(day.world) is None
        await day.call(SUBMIT_TOOL, {"task": "T1", "sure": 20})
        assert await confidence(day.world) == 20


async def test_what_is_said_after_the_deadline_does_not_count() -> None:
    day = await staged()
    async with day.world:
        await day.call(SUBMIT_TOOL, {"task": "T1", "sure": 40})
        await day.call("desk_wait", {"until": "12:00", "wake": False})
        with pytest.raises(ToolFailed, match="deadline"):
            await day.call(SUBMIT_TOOL, {"task": "T1", "sure": 100})
        assert await confidence(day.world) == 40


async def test_it_changes_no_grade() -> None:
    grades = []
    for sure in (None, 0, 100):
        day = await staged()
        async with day.world:
            await day.work()
            if sure is not None:
                await day.call(SUBMIT_TOOL, {"task": "T1", "sure": sure})
            grades.append([(g.score, g.success) for g in await day.grades()])
    assert grades == [[(1.0, True)]] * 3


async def test_a_replay_repeats_what_was_said() -> None:
    day = await staged()
    async with day.world:
        await day.call(SUBMIT_TOOL, {"task": "T1", "sure": 80})
        log = await day.world.log()
        config, populate = day.composition.world_config(), day.composition.populate
        async with await World.create_inline(config, populate) as again:
            await replay_log(again, log)
            assert await again.digest() == await day.world.digest()
            assert await confidence(again) == 80


async def test_what_agents_are_shown_has_another_digest_where_it_is_asked_and_only_there() -> None:
    plain, asking = [await composed_digests(compose_day(scenario)) for scenario in (PLAIN, ASKING)]
    assert plain.tools != asking.tools
    assert plain.prompts == asking.prompts
    named = await composed_digests(compose_day(PLAIN.with_variants({})))
    assert named == plain


def test_a_scenario_without_variants_is_stored_as_before() -> None:
    assert "variants" not in PLAIN.model_dump_json()
    assert PLAIN.with_variants({}) is PLAIN
    again = Scenario.model_validate_json(ASKING.model_dump_json())
    assert again == ASKING and again.variants == {SUBMIT_TOOL: "sure"}


@pytest.mark.parametrize("variants", [{SUBMIT_TOOL: "certain"}, {"desk_guess": "sure"}])
def test_a_variant_that_no_tool_has_is_refused_with_those_that_there_are(
    variants: dict[str, str],
) -> None:
    for names in (None, ("desk",)):
        with pytest.raises(UnknownApp, match="desk_submit: sure"):
            select_toolboxes(names, variants)


def test_an_opt_in_tool_without_its_app_is_refused_with_the_app_to_name() -> None:
    with pytest.raises(UnknownApp, match=f"{RETURN_TOOL!r} without its app: name 'desk', too"):
        select_toolboxes(("files", RETURN_TOOL))
