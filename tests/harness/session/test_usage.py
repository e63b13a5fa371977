"""What a day cost: asides count, and what is known in part is not told as the whole."""

from __future__ import annotations

from tests.harness.builders import episode, task
from trainee_bench.harness.analysis.statistics.summary import agent_summaries
from trainee_bench.harness.session.turns import NO_THOUGHT, ModelUsage, Thought, total_usage


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
