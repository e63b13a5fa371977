"""A model without a key: it makes the calls of one of our agents on the sample's day.

    inspect eval trainee_bench/quickstart --model trainee_bench/oracle

It checks the installation and shows how an agent's scores look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo
from pydantic import JsonValue

from trainee_bench.harness.agents.agent import ModelAgent, RepeatingAgent
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.agents.runtime.registry import discover_agents
from trainee_bench.harness.integrations.inspect_ai.staged_days import SampleDay, sample_day
from trainee_bench.harness.records.plan import PlanError

ID = "call-"
"""The prefix of call ids; their number follows, from 1."""
_NO_WORDS = "My calls are fixed in advance; I have nothing to say."
_COMMAND = "command"
"""The agent that is an external program, whose command would also be needed."""
_CALLS_PER_TURN = 3
_NO_CONFIG = GenerateConfig()


class KnownCallsModel(ModelAPI):
    """A model with fixed calls, up to three in a reply. When none are left, it replies without
    calls.

    *model_name* is the agent, such as ``oracle`` or ``in_order``, that works the day in advance in
    a separate world. If *calls* are given (names with arguments), they are made on the first day
    instead, one in each reply, with the ids call-1, call-2 and so on. ``shown`` are the results
    that the model was sent, by call id. Raises PlanError for an agent that does not exist or itself
    needs a model.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = _NO_CONFIG,
        calls: Sequence[Mapping[str, JsonValue]] | None = None,
    ):
        super().__init__(model_name, base_url, api_key, [], config)
        known = [
            name
            for name, kind in discover_agents().items()
            if name != _COMMAND and not issubclass(kind, ModelAgent | RepeatingAgent)
        ]
        if calls is None and model_name not in known:
            raise PlanError(
                f"--model trainee_bench/{model_name}: no such agent; try {', '.join(known)}"
            )
        self.shown: dict[str, ChatMessageTool] = {}
        self._given = calls
        self._at_once = _CALLS_PER_TURN if calls is None else 1
        self._left: WeakKeyDictionary[SampleDay, list[list[ToolCall]]] = WeakKeyDictionary()

    def tool_result_images(self) -> bool:
        """Return True: results may have pictures."""
        return True

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Return the next calls; none without *tools*, for example when a summary is requested."""
        answers = (
            message
            for message in input
            if isinstance(message, ChatMessageTool) and message.tool_call_id
        )
        self.shown |= {str(answer.tool_call_id): answer for answer in answers}
        day = sample_day()
        if day not in self._left:
            self._left[day] = await self._script(day)
        left = self._left[day][day.place]
        calls = left[: self._at_once] if tools else []
        del left[: len(calls)]
        reply = ChatMessageAssistant(
            content="" if calls else _NO_WORDS,
            tool_calls=calls or None,
            model=self.model_name,
            source="generate",
        )
        choice = ChatCompletionChoice(message=reply, stop_reason="tool_calls" if calls else "stop")
        return ModelOutput(
            model=self.model_name,
            choices=[choice],
            usage=ModelUsage(),  # else Inspect downloads files to count tokens
        )

    async def _script(self, day: SampleDay) -> list[list[ToolCall]]:
        """Return the calls to make on each of the days."""
        days = day.day.composition.days
        script: list[list[ToolCall]] = [[] for _ in days]
        if self._given is not None:
            made = [(0, str(call["name"]), call["arguments"]) for call in self._given]
        else:
            log = (await run_in_process(self.model_name, day.day.composition)).log
            made = [
                (sum(begun.starts <= entry.at for begun in days) - 1, entry.tool, entry.arguments)
                for entry in log
                if entry.actor
            ]
        for number, (place, name, arguments) in enumerate(made, start=1):
            assert isinstance(arguments, Mapping)
            script[place].append(ToolCall(f"{ID}{number}", name, dict(arguments)))
        return script
