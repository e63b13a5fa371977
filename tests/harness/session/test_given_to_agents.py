"""What an agent is given through any transport: its prompt, its results, and what its day cost."""

from __future__ import annotations

from datetime import datetime

from mcp import Client

from tests.harness.builders import episode, task
from trainee_bench.harness.analysis.statistics.summary import agent_summaries
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.session.prompt import build_people_prompt, build_prompt
from trainee_bench.harness.session.tool_transports import InProcessToolTransport, McpToolTransport
from trainee_bench.harness.session.turns import NO_THOUGHT, ModelUsage, Thought, total_usage
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.mcp_servers.office import BEGIN_HINT, build_office_server
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.transaction import NoticeKind

SCENARIO = load_shipped_benchmark().scenarios[0]


async def test_it_says_who_when_how_and_every_task_word_for_word() -> None:
    day = await stage_day(compose_day(SCENARIO))
    async with day.world:
        said = await day.world.read(
            lambda tx: build_prompt(tx, EpisodeLimits(steps=77, calls_per_turn=2))
        )
        tasks = await day.world.read(lambda tx: Desk(tx).tasks())
    trainee = day.composition.company.trainee
    assert said.startswith(f"You are {trainee.name}, ")
    assert "Wednesday, 2025-10-01 08:00" in said
    assert BEGIN_HINT in said
    assert "Until its deadline, a task may still change" in said
    assert "up to 2 calls" in said and "77 turns" in said
    assert len(tasks) == 3
    for told in tasks:
        assert f"{told.id}: {told.title} (due {told.deadline:%H:%M})\n{told.objective}" in said


async def test_people_are_told_the_same_in_words_for_people() -> None:
    day = await stage_day(compose_day(SCENARIO))
    async with day.world:
        said = await day.world.read(lambda tx: build_people_prompt(tx, EpisodeLimits(steps=77)))
        tasks = await day.world.read(lambda tx: Desk(tx).tasks())
    assert said.startswith(f"You are {day.composition.company.trainee.name}, ")
    assert "you have 77 steps today" in said
    for told in tasks:
        assert f"{told.id}: {told.title} (due {told.deadline:%H:%M})\n{told.objective}" in said
    rules = said.partition("Your tasks:")[0]
    for word in ("desk_", "tool", "turn", "call"):
        assert word not in rules, word


async def test_tasks_that_come_in_later_are_not_told_before() -> None:
    streamed = SCENARIO.model_validate({**SCENARIO.model_dump(), "arrival": "streamed"})
    composition = compose_day(streamed)
    later = [task for task in composition.tasks if task.arrives > composition.day.starts]
    assert later
    day = await stage_day(composition)
    async with day.world:
        said = await day.world.read(lambda tx: build_prompt(tx, EpisodeLimits()))
    assert not any(task.instance.told.objective in said for task in later)


NINE = datetime(2025, 10, 1, 9)


async def test_both_doors_give_the_same_tools_and_the_same_answers() -> None:
    composition = single_task_day("kb_fix.easy", 3)
    left, right = await stage_day(composition), await stage_day(composition)
    async with left.world, right.world, Client(await build_office_server(right.world)) as client:
        seat, remote = InProcessToolTransport(left.seat), McpToolTransport(client)
        assert seat.tools({}) == await remote.tools()
        calls = [("desk_wait", {"until": "09:00", "wake": False}), ("files_read", {"path": "x"})]
        for name, arguments in calls:
            assert await seat.call(name, arguments) == await remote.call(name, arguments)


async def test_an_answer_carries_what_is_new() -> None:
    day = await stage_day(single_task_day("kb_fix.easy", 3))
    async with day.world:
        answer = await InProcessToolTransport(day.seat).call(
            "desk_wait", {"until": "09:00", "wake": False}
        )
    assert (answer.time, answer.failed) == (NINE, False)
    assert [notice.kind for notice in answer.notices] == [NoticeKind.TASK]
    assert answer.notices[0].text in answer.text
    assert answer.data == {"now": NINE.isoformat()}


async def test_a_refusal_is_a_failed_answer_without_data() -> None:
    day = await stage_day(single_task_day("kb_fix.easy", 3))
    async with day.world:
        answer = await InProcessToolTransport(day.seat).call(
            "files_read", {"path": "workspace:/missing.md"}
        )
    assert (answer.failed, answer.data) == (True, None)
    assert "There is no file" in answer.text


def test_nothing_was_spent_by_who_has_no_model() -> None:
    assert total_usage([NO_THOUGHT, Thought("I look.")]) == ModelUsage(None, None, None, None)


def test_tokens_and_cost_are_sums_and_words_without_a_model_take_nothing() -> None:
    thoughts = [
        Thought("a", None, "m", 10, 2, 0.5, 8),
        NO_THOUGHT,
        Thought("b", None, "m", 5, 1, 0.0),
    ]
    assert total_usage(thoughts) == ModelUsage(15, 3, 8, 0.5)


def test_one_unknown_price_makes_the_whole_cost_unknown() -> None:
    known, unknown = Thought("a", None, "m", 10, 2, 0.5), Thought("b", None, "m", 5, 1)
    assert total_usage([known, unknown]) == ModelUsage(15, 3, None, None)
    assert total_usage([known, Thought("", model="m")]).cost_usd is None


def test_a_table_tells_no_cost_where_that_of_an_episode_is_unknown() -> None:
    one = episode("a", "one", task(1), prompt_tokens=10, completion_tokens=1, cost_usd=0.5)
    two = episode("a", "two", task(1), prompt_tokens=10, completion_tokens=1)
    by_nobody = episode("a", "three", task(1))
    assert agent_summaries([one, two])[0].cost_usd is None
    assert agent_summaries([one, by_nobody])[0].cost_usd == 0.5
