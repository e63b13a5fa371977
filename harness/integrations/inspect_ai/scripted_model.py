"""A model without a key: it makes the calls that one of our agents would make on the sample's day.

    inspect eval trainee_bench/quickstart --model trainee_bench/oracle

It shows that everything is in place, and what the scores of an agent look like.
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

from trainee_bench.harness.agents.agent import ModelAgent
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.agents.runtime.registry import discover_agents
from trainee_bench.harness.integrations.inspect_ai.staged_days import SampleDay, sample_day
from trainee_bench.harness.records.plan import PlanError

ID = "call-"
"""What the ids of calls begin with; then comes their number, from 1."""
_NO_WORDS = "My calls are known beforehand; I have nothing to say."
_COMMAND = "command"
"""The agent that is a program, which has to be named, too."""
_CALLS_PER_TURN = 3
_NO_CONFIG = GenerateConfig()


class KnownCallsModel(ModelAPI):
    """Calls that are known beforehand, up to three in a reply; on a day of which none are left,
    replies without calls.

    *model_name* is the agent, such as ``oracle`` or ``in_order``, that works the day beforehand in
    a world of its own. With *calls*, each a name with arguments, these are made on the first day
    instead, one in a reply; their ids are call-1, call-2 and so on. ``shown`` are the results that
    it was sent, by the ids of the calls. Raises PlanError for an agent that does not exist or needs
    a model itself.
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
        there = [
            name
            for name, kind in discover_agents().items()
            if name != _COMMAND and not issubclass(kind, ModelAgent)
        ]
        if calls is None and model_name not in there:
            raise PlanError(
                f"--model trainee_bench/{model_name}: no such agent; try {', '.join(there)}"
            )
        self.shown: dict[str, ChatMessageTool] = {}
        self._given = calls
        self._at_once = _CALLS_PER_TURN if calls is None else 1
        self._left: WeakKeyDictionary[SampleDay, list[list[ToolCall]]] = WeakKeyDictionary()

    def tool_result_images(self) -> bool:
        """Yes: results may have pictures."""
        return True

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """The next calls; none if there are no *tools*, as when a summary is asked for."""
        answers = (one for one in input if isinstance(one, ChatMessageTool) and one.tool_call_id)
        self.shown |= {str(one.tool_call_id): one for one in answers}
        day = sample_day()
        if day not in self._left:
            self._left[day] = await self._script(day)
        left = self._left[day][day.place]
        calls = left[: self._at_once] if tools else []
        del left[: len(calls)]
        said = ChatMessageAssistant(
            content="" if calls else _NO_WORDS,
            tool_calls=calls or None,
            model=self.model_name,
            source="generate",
        )
        choice = ChatCompletionChoice(message=said, stop_reason="tool_calls" if calls else "stop")
        return ModelOutput(
            model=self.model_name,
            choices=[choice],
            usage=ModelUsage(),  # else tokens are counted, with files that are downloaded
        )

    async def _script(self, day: SampleDay) -> list[list[ToolCall]]:
        """The calls to make on each of the days."""
        days = day.day.composition.days
        script: list[list[ToolCall]] = [[] for _ in days]
        if self._given is not None:
            made = [(0, str(call["name"]), call["arguments"]) for call in self._given]
        else:
            log = (await run_in_process(self.model_name, day.day.composition)).log
            made = [
                (sum(one.starts <= entry.at for one in days) - 1, entry.tool, entry.arguments)
                for entry in log
                if entry.actor
            ]
        for number, (place, name, arguments) in enumerate(made, start=1):
            assert isinstance(arguments, Mapping)
            script[place].append(ToolCall(f"{ID}{number}", name, dict(arguments)))
        return script
