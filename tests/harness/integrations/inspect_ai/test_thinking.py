"""Thinking that takes time in Inspect: whose tokens count, and where it is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.session.turns import ToolCall as OwnCall
from trainee_bench.meta_tasks.benchmark import find_scenario

inspect_ai = pytest.importorskip("inspect_ai", reason="Inspect is not installed")

from inspect_ai.log import EvalLog  # noqa: E402
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model  # noqa: E402
from inspect_ai.tool import ToolCall  # noqa: E402

from tests.harness.integrations.inspect_ai.test_tasks import (  # noqa: E402
    ORACLE,
    WEEK,
    _rubbish_is_collected_here,
    only,
    own_config,
    said,
    told,
    worked,
)
from trainee_bench.harness.integrations.inspect_ai.registry import office_loop  # noqa: E402
from trainee_bench.harness.integrations.inspect_ai.staged_days import staged_count  # noqa: E402

__all__ = ["_rubbish_is_collected_here"]
pytestmark = [
    # Inspect itself uses deprecated features and leaves streams to the garbage collector.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
PACE = 300
CACHED = {"input_tokens_cache_read": 50}


def output(tool: str, usage: ModelUsage | None) -> ModelOutput:
    """A reply that calls *tool*, with this *usage*."""
    made = said([ToolCall("a", tool, {})])
    made.usage = usage
    return made


def making(*made: ModelOutput) -> Model:
    """A model that gives these replies, and then some without a call and without tokens."""
    outputs = [*made, *(said("Hm.") for _ in range(9))]
    return get_model("mockllm/model", custom_outputs=outputs, memoize=False)


def writing(*usages: ModelUsage) -> Model:
    """A model that looks at the clock once for each of *usages*."""
    return making(*(output("desk_now", usage) for usage in usages))


def timed(folder: Path, model: Any, **options: Any) -> EvalLog:
    return worked(folder, model, solver=office_loop(thinking=PACE), **options)


def at_the_seat(*tokens: int) -> str:
    """The digest of a day with these output tokens before each look at the clock."""
    day = Day(find_scenario(), tokens_per_minute=PACE)
    day.reset()
    for written in tokens:
        day.step([OwnCall("desk_now")], written)
    digest = day.digest()
    day.close()
    return digest


def test_output_tokens_take_the_minutes_that_they_take_at_the_seat(tmp_path: Path) -> None:
    usages = [ModelUsage(output_tokens=tokens) for tokens in (900, 299, 1)]
    sample = only(timed(tmp_path, writing(*usages)))
    assert told(sample)["digest"] == at_the_seat(900, 299, 1) != at_the_seat(0, 0, 0)
    assert told(sample)["identity"]["limits"]["tokens_per_minute"] == PACE
    assert told(sample)["incidents"] == {"no_call": 4}
    assert any("one minute for every 300 tokens" in message.text for message in sample.messages)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"output_tokens": 700, "reasoning_tokens": 600, "total_tokens": 800}, 700),
        ({"output_tokens": 100, "reasoning_tokens": 600, "total_tokens": 800}, 700),
        ({"output_tokens": 100, "reasoning_tokens": 600, "total_tokens": 850, **CACHED}, 700),
        ({"output_tokens": 700}, 700),
    ],
    ids=["a-part-of-the-output", "in-the-total-alone", "with-a-cache", "none"],
)
def test_reasoning_counts_once_wherever_the_service_counts_it(
    tmp_path: Path, usage: dict[str, int], tokens: int
) -> None:
    sample = only(timed(tmp_path, writing(ModelUsage(input_tokens=100, **usage))))
    assert told(sample)["digest"] == at_the_seat(tokens)


def test_a_model_of_ours_writes_no_tokens_so_it_is_refused(tmp_path: Path) -> None:
    log = timed(tmp_path, ORACLE)
    assert log.status == "error" and log.error is not None
    assert "trainee_bench/oracle writes no tokens" in log.error.message
    assert "Leave out -S thinking=300" in log.error.message
    assert staged_count() == 0


def test_each_morning_of_a_week_begins_without_tokens_of_the_day_before(tmp_path: Path) -> None:
    def digest(tokens: int) -> str:
        """The digest if each day has one call, after so many tokens."""
        usage = ModelUsage(output_tokens=tokens)
        model = making(output("desk_finish_day", usage), output("desk_now", usage))
        sample = only(timed(tmp_path, model, config=own_config(tmp_path, WEEK)))
        assert told(sample)["days_begun"] == 2
        return str(told(sample)["digest"])

    assert digest(0) == digest(200) != digest(300)
