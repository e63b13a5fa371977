"""SkyRL's own registry makes the environment, and a rollout works a day by texts alone."""

from __future__ import annotations

from typing import Any

import pytest

from trainee_bench.harness.integrations.training.rows import NoDayGiven
from trainee_bench.harness.integrations.training.written_calls import write_call
from trainee_bench.harness.parity.script import ParityScript, parity_scripts
from trainee_bench.meta_tasks.scenario import ScenarioDay

skyrl_gym = pytest.importorskip("skyrl_gym", reason="skyrl-gym is not installed")
environment = pytest.importorskip("trainee_bench.harness.integrations.skyrl.environment")

VALID, MALFORMED, _ = parity_scripts()
EMPTY = [{"role": "user", "content": ""}]


def made(script: ParityScript = VALID, **extras: object) -> Any:
    """Return the environment of *script*'s day as SkyRL makes it."""
    environment.register_office()
    day = ScenarioDay(scenario=script.scenario, day=script.number).model_dump_json()
    given = {"day": day, "max_turns": 200, **extras}
    return skyrl_gym.make(environment.ENV_CLASS, env_config={}, extras=given)


def test_the_oracles_calls_earn_the_score_and_the_world_of_the_seat() -> None:
    env = made()
    env.init(EMPTY)
    steps = [env.step(write_call(call)) for call in VALID.calls]
    assert sum(step["reward"] for step in steps) == pytest.approx(1)
    assert not any(step["done"] for step in steps)
    assert env.step("Done.")["done"]
    assert env.get_metrics() == {"score": 1.0, "success": 1.0, "calls": len(VALID.calls)}
    assert env.digest() == VALID.at_the_seat().digest


def test_a_text_without_a_call_ends_the_rollout_without_reward() -> None:
    env = made()
    env.init(EMPTY)
    step = env.step("<think><tool_call>{}</tool_call></think>I give up.")
    assert (step["reward"], step["done"], step["observations"]) == (0, True, [])
    assert env.get_metrics() == {"score": 0.0, "success": 0.0, "calls": 0}


def test_the_prompt_has_the_tools_and_the_tasks_of_the_day() -> None:
    messages, _ = made().init([{"role": "system", "content": "Be brief."}, *EMPTY])
    assert [message["role"] for message in messages] == ["system", "user"]
    assert messages[0]["content"].startswith("Be brief.\n\n")
    assert '"name": "desk_finish_day"' in messages[0]["content"]
    assert "Your tasks:" in messages[1]["content"]


def test_every_call_that_can_be_read_reaches_the_office() -> None:
    env = made(MALFORMED)
    env.init(EMPTY)
    env.step("\n".join(map(write_call, MALFORMED.calls)))
    assert env.digest() == MALFORMED.at_the_seat().digest


@pytest.mark.parametrize(
    "written", ["<tool_call>desk_tasks</tool_call>", '<tool_call>{"name": 1}', "<tool_call>[]"]
)
def test_a_call_that_cannot_be_read_is_answered_and_costs_nothing(written: str) -> None:
    env = made()
    env.init(EMPTY)
    before = env.digest()
    step = env.step(written)
    assert "Not done" in step["observations"][0]["content"]
    assert not step["done"]
    assert env.digest() == before


def test_the_last_turn_ends_the_rollout() -> None:
    env = made(max_turns=2)
    env.init(EMPTY)
    assert [env.step('<tool_call>{"name": "desk_now"}')["done"] for _ in range(2)] == [False, True]


def test_a_row_without_a_day_is_refused() -> None:
    environment.register_office()
    for wrong in ({}, {"day": "{}"}):
        with pytest.raises(NoDayGiven, match="training_rows"):
            skyrl_gym.make(environment.ENV_CLASS, env_config={}, extras=wrong)


def test_a_step_before_the_day_is_refused() -> None:
    with pytest.raises(environment.TextDayNotBegun, match="init"):
        made().step("")
