"""The model service for OpenAI-compatible servers.

    ModelRequest ──► chat messages ──ChatClient──► completion ──► ModelReply

A user's service may inherit from it: ``module:Class`` is called with a ModelConfig.
"""

from __future__ import annotations

from collections import Counter
from types import TracebackType
from typing import Self

from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionMessageFunctionToolCall

from trainee_bench.harness.models.chat_format import (
    parse_arguments,
    to_chat_messages,
    to_chat_tools,
)
from trainee_bench.harness.models.conversation import (
    ContextOverflow,
    FinishReason,
    ModelReply,
    ModelRequest,
    ModelToolCall,
)
from trainee_bench.harness.models.prices import PriceTable, shipped_prices
from trainee_bench.harness.session.turns import InfrastructureFault, ReplyTokens, Thought
from trainee_bench.mcp_servers.llm.api_config import ModelConfig
from trainee_bench.mcp_servers.llm.client import (
    ChatClient,
    GarbledReply,
    ModelUnavailable,
    PromptTooLong,
)

_FINISHES = {"length": FinishReason.LENGTH, "content_filter": FinishReason.REFUSAL}


class OpenAIService:
    """Service of the model in *config* over chat completions, open until the block is left.

    *endpoint* sends the requests and counts incidents, *prices* gives the cost.
    """

    def __init__(
        self,
        config: ModelConfig,
        endpoint: ChatClient | None = None,
        prices: PriceTable | None = None,
    ):
        self.model = config.model_name
        self._endpoint = endpoint or ChatClient(config)
        self._prices = prices or shipped_prices()
        self.incidents: Counter[str] = self._endpoint.incidents

    async def __aenter__(self) -> Self:
        """Open the service. Raises InfrastructureFault without a key or if the proxy cannot be
        used."""
        try:
            await self._endpoint.__aenter__()
        except ModelUnavailable as error:
            raise InfrastructureFault(str(error)) from None
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._endpoint.__aexit__(kind, error, trace)

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Return the model's next message.

        A message that its server cannot parse is an empty reply, because the model caused it.
        Raises ContextOverflow and InfrastructureFault.
        """
        try:
            completion = await self._endpoint.complete(
                to_chat_messages(request), tools=to_chat_tools(request.tools)
            )
        except PromptTooLong as error:
            raise ContextOverflow(str(error)) from None
        except GarbledReply:
            return ModelReply("", thought=Thought(model=self.model))
        except ModelUnavailable as error:
            raise InfrastructureFault(str(error)) from None
        return self._parse(completion)

    def _parse(self, completion: ChatCompletion) -> ModelReply:
        choice = completion.choices[0]
        refusal = choice.message.refusal
        finish = _FINISHES.get(choice.finish_reason, FinishReason.DONE)
        text = "\n".join(part for part in (choice.message.content, refusal) if part)
        return ModelReply(
            text=text,
            calls=tuple(
                _call(call)
                for call in choice.message.tool_calls or ()
                if isinstance(call, ChatCompletionMessageFunctionToolCall)
            ),
            finish=FinishReason.REFUSAL if refusal else finish,
            thought=self._thought(text, completion),
        )

    def _thought(self, text: str, completion: ChatCompletion) -> Thought:
        """Return *text* with tokens and cost; None is what the server did not report."""
        thinking: object = getattr(completion.choices[0].message, "reasoning_content", None)
        reasoning = thinking if isinstance(thinking, str) else None
        model, usage = completion.model or self.model, completion.usage
        tokens = _tokens(completion)
        if usage is None:
            return Thought(text, reasoning, model, tokens=tokens)
        details = usage.prompt_tokens_details
        cached = details.cached_tokens if details else None
        prompt, completed = usage.prompt_tokens, _output_tokens(usage)
        cost = self._prices.cost_usd(self.model, prompt, completed, cached or 0)
        return Thought(text, reasoning, model, prompt, completed, cost, cached, tokens)


def _output_tokens(usage: CompletionUsage) -> int:
    """Return the tokens that the model wrote, its reasoning included.

    Most services count reasoning as a part of the completion, some only in the total.
    """
    details = usage.completion_tokens_details
    reasoning = (details.reasoning_tokens if details else None) or 0
    apart = usage.total_tokens == usage.prompt_tokens + usage.completion_tokens + reasoning
    return usage.completion_tokens + (reasoning if apart else 0)


def _tokens(completion: ChatCompletion) -> ReplyTokens | None:
    """Return the tokens that `parse_completion` found; None if it found none."""
    choice = completion.choices[0]
    told = (
        getattr(completion, "prompt_token_ids", None),
        getattr(choice, "token_ids", None),
        getattr(choice, "token_logprobs", None),
    )
    if told == (None, None, None):
        return None
    return ReplyTokens(*(None if part is None else tuple(part) for part in told))


def _call(call: ChatCompletionMessageFunctionToolCall) -> ModelToolCall:
    text = call.function.arguments
    return ModelToolCall(call.id, call.function.name, text, parse_arguments(text))
