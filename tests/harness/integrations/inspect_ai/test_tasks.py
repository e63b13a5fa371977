"""Our days as Inspect tasks, worked by models that need no key."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.parity.script import parity_scripts
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.meta_tasks.benchmark import find_scenario, shipped_benchmark_names

inspect_ai = pytest.importorskip("inspect_ai", reason="Inspect is not installed")

from inspect_ai import eval as evaluate  # noqa: E402
from inspect_ai.agent import react  # noqa: E402
from inspect_ai.approval import (  # noqa: E402
    Approval,
    ApprovalPolicy,
    Approver,
    approver,
    auto_approver,
)
from inspect_ai.event import ModelEvent, ToolEvent  # noqa: E402
from inspect_ai.log import EvalLog, EvalSample  # noqa: E402
from inspect_ai.model import (  # noqa: E402
    ChatMessage,
    ChatMessageTool,
    ContentImage,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import generate  # noqa: E402
from inspect_ai.tool import ToolCall, ToolCallView  # noqa: E402

from trainee_bench.harness.integrations.inspect_ai import registry  # noqa: E402
from trainee_bench.harness.integrations.inspect_ai.native_tools import office_tools  # noqa: E402
from trainee_bench.harness.integrations.inspect_ai.registry import (  # noqa: E402
    each_day,
    from_config,
    office_loop,
    office_react,
)
from trainee_bench.harness.integrations.inspect_ai.staged_days import staged_count  # noqa: E402

pytestmark = [
    # Inspect itself uses deprecated features and leaves streams to the garbage collector.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
ORACLE, NOTHING = "trainee_bench/oracle", "trainee_bench/nothing"
WEEK: dict[str, Any] = {
    "name": "short_week",
    "week": True,
    "days": [{"tasks": [{"rule": "kb_fix.easy"}]}, {"name": "day_2", "tasks": []}],
}


def worked(
    folder: Path, model: str | Model = NOTHING, config: str = "quickstart", **options: Any
) -> EvalLog:
    given = {"limit": 1, "log_realtime": False, "display": "none"} | options
    (log,) = evaluate(from_config(config), model, log_dir=str(folder), **given)
    return log


def only(log: EvalLog) -> EvalSample:
    assert log.status == "success", log.error
    assert log.samples is not None
    (sample,) = log.samples
    return sample


def told(sample: EvalSample) -> dict[str, Any]:
    assert sample.scores is not None
    metadata = sample.scores["day_score"].metadata
    assert metadata is not None
    return metadata


def value(sample: EvalSample) -> Any:
    assert sample.scores is not None
    return sample.scores["day_score"].value


def own_config(folder: Path, *scenarios: dict[str, Any]) -> str:
    path = folder / "mine.json"
    path.write_text(json.dumps({"name": "mine", "scenarios": scenarios}), encoding="utf-8")
    return str(path)


def said(reply: Sequence[ToolCall] | str) -> ModelOutput:
    """Return a model's reply with its usage; without it, Inspect downloads files to count
    tokens."""
    made = ModelOutput.from_content("mockllm", reply if isinstance(reply, str) else "")
    if not isinstance(reply, str):
        made.choices[0].message.tool_calls = list(reply)
    made.usage = ModelUsage()
    return made


def saying(*replies: Sequence[ToolCall]) -> Model:
    """Return a model that gives these replies, and then some without a call."""
    outputs = [*map(said, replies), *(said("Hm.") for _ in range(9))]
    return get_model("mockllm/model", custom_outputs=outputs, memoize=False)


@pytest.fixture(scope="module", autouse=True)
def _rubbish_is_collected_here() -> Iterator[None]:
    """Collect Inspect's garbage here, so that its warnings do not appear in another test."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """The first day, worked twice with the oracle's calls."""
    return worked(tmp_path_factory.mktemp("twice"), ORACLE, epochs=2)


def test_every_shipped_benchmark_is_a_task() -> None:
    assert {name.replace("-", "_") for name in shipped_benchmark_names()} == {*registry.SHIPPED}
    assert len(registry.SHIPPED["core_50"]().dataset) == 50
    assert len(registry.SHIPPED["core_50"](rules="website_analysis.*").dataset) < 50


def test_an_inspect_command_imports_only_those_modules_of_ours_that_it_needs() -> None:
    program = (
        f"import sys, {registry.__name__}; "
        "ours = [name.split('.') for name in sys.modules if name.startswith('trainee_bench.')]; "
        "print(sorted({parts[1] for parts in ours}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "['configs', 'harness']", done.stderr


def test_several_seeds_may_come_as_texts_as_the_command_line_gives_them() -> None:
    samples = list(from_config("quickstart", seeds=["7", "8"], rules="kb_fix.*").dataset)
    assert len(samples) == 4
    assert samples[1].metadata is not None
    assert samples[1].metadata["scenario"]["seed"] == 8
    with pytest.raises(PlanError, match="seeds must be whole numbers"):
        from_config("quickstart", seeds=["x"])


def test_the_oracle_s_calls_earn_the_full_score_in_every_epoch(twice: EvalLog) -> None:
    assert twice.status == "success"
    assert twice.samples is not None
    assert [sample.epoch for sample in twice.samples] == [1, 2]
    assert [value(sample) for sample in twice.samples] == [{"score": 1.0, "success": 1.0}] * 2
    assert twice.results is not None
    assert [score.metrics["mean"].value for score in twice.results.scores] == [1.0, 1.0]


def test_the_world_is_the_one_that_the_same_calls_make_at_the_seat(twice: EvalLog) -> None:
    assert twice.samples is not None
    valid = parity_scripts()[0].at_the_seat()
    assert {told(sample)["digest"] for sample in twice.samples} == {valid.digest}


def test_a_sample_has_the_conversation_and_each_call_as_an_event(twice: EvalLog) -> None:
    assert twice.samples is not None
    sample = twice.samples[0]
    roles = [message.role for message in sample.messages]
    assert roles[:4] == ["system", "user", "assistant", "tool"]
    assert "You may make up to 3 calls in one turn" in sample.messages[1].text
    calls = parity_scripts()[0].calls
    events = [event for event in sample.events if isinstance(event, ToolEvent)]
    assert [event.function for event in events] == [call.name for call in calls]
    answered = [message for message in sample.messages if isinstance(message, ChatMessageTool)]
    assert [message.tool_call_id for message in answered] == [event.id for event in events]


def test_a_score_tells_its_identity_and_explains_every_checkpoint(twice: EvalLog) -> None:
    assert twice.samples is not None
    sample = twice.samples[0]
    assert sample.scores is not None
    identity = told(sample)["identity"]
    assert identity["limits"]["steps"] == 150
    assert identity["isolation"] == "insider"
    assert identity["results"] == "text"
    assert identity["refused_by_inspect"] == 0
    explanation = sample.scores["day_score"].explanation or ""
    checks = [check for task in told(sample)["tasks"] for check in task["checkpoints"]]
    assert len(checks) > 3
    assert all(check["sentence"].rstrip(".") in explanation for check in checks)


@pytest.mark.parametrize("solver", [office_loop, office_react], ids=["own", "react"])
def test_a_day_that_runs_into_inspect_s_limit_of_messages_is_scored(
    tmp_path: Path, solver: Any
) -> None:
    sample = only(worked(tmp_path, ORACLE, message_limit=44, solver=solver()))
    assert sample.limit is not None
    assert sample.limit.type == "message"
    assert 0 < value(sample)["score"] < 1
    assert told(sample)["ended"] == []


def test_react_gets_the_same_score_and_a_prompt_without_limits_of_turns(tmp_path: Path) -> None:
    sample = only(worked(tmp_path, ORACLE, solver=office_react()))
    assert value(sample) == {"score": 1.0, "success": 1.0}
    assert told(sample)["digest"] == parity_scripts()[0].at_the_seat().digest
    assert told(sample)["identity"]["limits"] is None
    assert not any("turns" in message.text for message in sample.messages[:2])


def test_any_solver_finds_the_tools_in_the_state(tmp_path: Path) -> None:
    model = saying([ToolCall("a", "desk_tasks", {}), ToolCall("b", "desk_wait", {"minutes": "x"})])
    sample = only(worked(tmp_path, model, solver=generate()))
    day = Day(find_scenario())
    offered = {tool.name for tool in day.reset().tools}
    day.close()
    asked = next(event for event in sample.events if isinstance(event, ModelEvent))
    assert {tool.name for tool in asked.tools} == offered
    assert told(sample)["tool_calls"] == 1
    assert told(sample)["identity"]["refused_by_inspect"] == 1


def test_arguments_that_are_not_json_go_back_to_the_model_and_take_no_time(tmp_path: Path) -> None:
    torn = ToolCall("a", "desk_tasks", {}, parse_error="Error parsing {'")
    sample = only(worked(tmp_path, saying([torn])))
    (answer,) = [message for message in sample.messages if isinstance(message, ChatMessageTool)]
    assert "Error parsing {'" in answer.text
    assert "no time passed" in answer.text
    assert told(sample)["tool_calls"] == 0
    assert told(sample)["ended"] == ["gave_up"]


def test_limits_of_our_own_loop_hold_and_are_part_of_the_identity(tmp_path: Path) -> None:
    calls = [[ToolCall(f"c{n}", "desk_now", {})] for n in range(5)]
    sample = only(worked(tmp_path, saying(*calls), solver=office_loop(steps=2)))
    assert told(sample)["tool_calls"] == 2
    assert told(sample)["ended"] == ["step_limit"]
    assert told(sample)["identity"]["limits"]["steps"] == 2


def test_an_approver_is_asked_before_a_call_is_made(tmp_path: Path) -> None:
    @approver(name="never")
    def never() -> Approver:
        async def approve(
            message: str, call: ToolCall, view: ToolCallView, history: list[ChatMessage]
        ) -> Approval:
            return Approval(decision="reject", explanation="Not today.")

        return approve

    policies = [ApprovalPolicy(never(), "desk_now"), ApprovalPolicy(auto_approver(), "*")]
    model = saying([ToolCall("a", "desk_now", {}), ToolCall("b", "desk_tasks", {})])
    sample = only(worked(tmp_path, model, approval=policies))
    first, second = (message for message in sample.messages if isinstance(message, ChatMessageTool))
    assert "Not today." in first.text
    assert second.error is None
    assert told(sample)["tool_calls"] == 1


def test_a_week_is_one_sample_whose_mornings_begin_with_an_empty_conversation(
    tmp_path: Path,
) -> None:
    asked: list[list[str]] = []

    def idle(messages: list[ChatMessage], *_: object) -> ModelOutput:
        asked.append([message.text for message in messages])
        return said("Hm.")

    model = get_model("mockllm/model", custom_outputs=idle, memoize=False)
    sample = only(worked(tmp_path, model, own_config(tmp_path, WEEK)))
    assert sample.id == "short_week.week"
    assert told(sample)["days_begun"] == 2
    assert told(sample)["ended"] == ["gave_up", "gave_up"]
    first, second = (texts for texts in asked if len(texts) == 2)
    assert "2025-10-06" in first[1]
    assert "2025-10-07" in second[1]
    assert {first[1], second[1]} <= {message.text for message in sample.messages}


def test_another_agent_works_every_day_of_a_week_only_inside_each_day(tmp_path: Path) -> None:
    config, agent = own_config(tmp_path, WEEK), react(tools=[office_tools()], submit=False)
    whole = only(worked(tmp_path, NOTHING, config, solver=each_day(agent)))
    assert told(whole)["days_begun"] == 2
    part = only(worked(tmp_path, NOTHING, config, solver=agent))
    assert told(part)["days_begun"] == 1
    assert part.scores is not None
    assert "Only 1 of the 2 days" in (part.scores["day_score"].explanation or "")


def test_pictures_reach_the_model(tmp_path: Path) -> None:
    plan = {"name": "ads", "days": [{"tasks": [{"rule": "ads_strategy.balanced.very_easy"}]}]}
    sample = only(worked(tmp_path, ORACLE, own_config(tmp_path, plan)))
    shown = [message for message in sample.messages if isinstance(message, ChatMessageTool)]
    parts = [
        part for message in shown if isinstance(message.content, list) for part in message.content
    ]
    assert any(isinstance(part, ContentImage) for part in parts)
    assert value(sample)["score"] == 1


def test_no_world_stays_open_not_even_after_an_error(tmp_path: Path) -> None:
    def broken(*_: object) -> ModelOutput:
        raise RuntimeError("the service is down")

    model = get_model("mockllm/model", custom_outputs=broken, memoize=False)
    log = worked(tmp_path, model, solver=office_loop())
    assert log.status == "error"
    assert staged_count() == 0
