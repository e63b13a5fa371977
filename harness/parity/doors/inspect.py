"""Inspect AI: our own loop, and Inspect's `react` over native tools, both with a scripted model.

Inspect checks the arguments of native tools itself; through our own loop all calls arrive.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from trainee_bench.harness.parity.door import Door, DoorFailed, DoorRun
from trainee_bench.harness.parity.script import ParityScript
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.benchmark import Benchmark

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample
    from inspect_ai.model import Model, ModelAPI
    from inspect_ai.solver import Solver


class InspectDoor(Door):
    """``inspect eval`` with the default solver."""

    name = "inspect"
    packages = ("inspect-ai",)

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        """Evaluate a model that makes the calls on the day."""
        from inspect_ai.model import get_model

        calls = [{"name": call.name, "arguments": dict(call.arguments)} for call in script.calls]
        model = get_model("trainee_bench/script", calls=calls, memoize=False)
        sample = self._evaluated(script, model, folder)
        if sample.error is not None:
            raise DoorFailed(sample.error.message)
        score = (sample.scores or {})["day_score"]
        assert isinstance(score.value, dict)
        assert score.metadata is not None
        earned = score.value["score"]
        assert isinstance(earned, float)
        refused = script.refused(_arrived(sample))
        return DoorRun(score.metadata["digest"], earned, refused, *_shown(model.api))

    def solver(self) -> Solver | None:
        """Return the solver to use instead of the task's own; None for the task's own."""
        return None

    def _evaluated(self, script: ParityScript, model: Model, folder: Path) -> EvalSample:
        from inspect_ai import eval as evaluate
        from inspect_ai.log import resolve_sample_attachments

        from trainee_bench.harness.integrations.inspect_ai.registry import from_config

        config = folder / "parity.json"
        benchmark = Benchmark(name="parity", scenarios=(script.scenario,))
        config.write_text(benchmark.model_dump_json(), encoding="utf-8")
        (log,) = evaluate(
            from_config(str(config)),
            model,
            solver=self.solver(),
            limit=(script.number, script.number + 1),
            log_dir=str(folder / "logs"),
            display="none",
        )
        if not log.samples:
            raise DoorFailed(log.error.message if log.error else f"the log is {log.status}")
        return resolve_sample_attachments(log.samples[0], "full")


class InspectReactDoor(InspectDoor):
    """The same with native tools and Inspect's own agent."""

    name = "inspect-react"

    def solver(self) -> Solver:
        """Return the agent, which ends when the model makes no call."""
        from inspect_ai.agent import react

        from trainee_bench.harness.integrations.inspect_ai.native_tools import office_tools
        from trainee_bench.harness.integrations.inspect_ai.registry import each_day

        return each_day(react(tools=[office_tools()], submit=False))


def _arrived(sample: EvalSample) -> list[ToolCall]:
    """Return the calls that Inspect itself did not refuse."""
    from inspect_ai.event import ToolEvent

    return [
        ToolCall(event.function, event.arguments)
        for event in sample.events
        if isinstance(event, ToolEvent) and not (event.error and event.error.type == "parsing")
    ]


def _shown(api: ModelAPI) -> tuple[dict[int, str], int]:
    """Return the results that the model saw, by the places of the calls, and its number of
    pictures."""
    from inspect_ai.model import ContentImage

    from trainee_bench.harness.integrations.inspect_ai.scripted_model import ID, KnownCallsModel

    assert isinstance(api, KnownCallsModel)
    texts: dict[int, str] = {}
    pictures = 0
    for id, message in api.shown.items():
        texts[int(id.removeprefix(ID)) - 1] = (
            message.error.message if message.error else message.text
        )
        parts = message.content if isinstance(message.content, list) else []
        pictures += sum(isinstance(part, ContentImage) for part in parts)
    return texts, pictures
