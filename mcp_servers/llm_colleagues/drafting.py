"""Asking a model for colleagues' answers, outside any transaction; what it drafts is an effect."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import anyio
from openai.types.chat import ChatCompletion
from pydantic import BaseModel, JsonValue

from trainee_bench.mcp_servers.chat import DRAFTS_EFFECT
from trainee_bench.mcp_servers.llm.api_config import ModelConfig
from trainee_bench.mcp_servers.llm.client import ChatClient, ModelUnavailable, PromptTooLong
from trainee_bench.mcp_servers.llm_colleagues.draft_parsing import (
    MALFORMED_DRAFT,
    UNAVAILABLE_DRAFT,
    parse_draft,
)
from trainee_bench.mcp_servers.llm_colleagues.prompt import (
    DRAFT_RESPONSE_FORMAT,
    MAX_REPLY_TOKENS,
    prompt_messages,
)
from trainee_bench.mcp_servers.llm_colleagues.situation import ChatSituation, chat_situations
from trainee_bench.mcp_servers.llm_colleagues.token_usage import DRAFT_USAGE_EFFECT, DraftUsage
from trainee_bench.mcp_servers.serving.toolbox import SideEffect
from trainee_bench.world.colleagues.model_reply import ReplyDraft
from trainee_bench.world.world import World

MAX_TRIES = 3
REPLY_TIMEOUT = 60.0
"""Seconds for one reply: an agent waits for it."""
TOTAL_TIMEOUT = 180.0
"""Seconds for all replies to one message; then the script stands in."""
FAILURES_BEFORE_BACKOFF, BACKOFF_INTERVAL = 5, 10
"""After so many replies in a row that could not be had, only one in so many is asked for: an
agent shall not wait the whole day for a server that is down."""


class ColleagueDrafter:
    """All colleagues of an office, played by the model behind *endpoint*."""

    def __init__(self, endpoint: ChatClient, patience: float = TOTAL_TIMEOUT):
        self._endpoint = endpoint
        self._patience = patience
        self._missed = 0

    @property
    def side_effects(self) -> Mapping[str, SideEffect]:
        """What has to happen before tools, by name, for a seat."""
        return {"chat_send_message": self._drafts}

    async def _drafts(
        self, world: World, actor: str, arguments: BaseModel
    ) -> Mapping[str, JsonValue]:
        """A draft for each colleague who will answer the message, to be recorded."""
        given = arguments.model_dump()
        to, text = str(given["to"]), str(given["text"])
        heard = await world.read(lambda tx: chat_situations(tx, actor, to, text))
        if not heard:
            return {}
        drafts = {situation.colleague.id: UNAVAILABLE_DRAFT for situation in heard}
        spent: list[DraftUsage] = []

        async def play(situation: ChatSituation) -> None:
            drafts[situation.colleague.id] = await self._draft(situation, spent)

        with anyio.move_on_after(self._patience) as waiting:
            async with anyio.create_task_group() as group:
                for situation in heard:
                    group.start_soon(play, situation)
        self._missed += waiting.cancelled_caught
        return {
            DRAFTS_EFFECT: {id: draft.model_dump(mode="json") for id, draft in drafts.items()},
            DRAFT_USAGE_EFFECT: sum(spent, DraftUsage()).model_dump(mode="json"),
        }

    async def _draft(self, situation: ChatSituation, spent: list[DraftUsage]) -> ReplyDraft:
        """What the model would answer; what it took is added to *spent*."""
        if self._missed >= FAILURES_BEFORE_BACKOFF and self._missed % BACKOFF_INTERVAL:
            self._missed += 1
            return UNAVAILABLE_DRAFT
        try:
            completion = await self._endpoint.complete(
                prompt_messages(situation),
                response_format=DRAFT_RESPONSE_FORMAT,
                max_completion_tokens=MAX_REPLY_TOKENS,
            )
        except (ModelUnavailable, PromptTooLong):
            self._missed += 1
            return UNAVAILABLE_DRAFT
        self._missed = 0
        spent.append(_taken(completion))
        choice = completion.choices[0]
        if choice.finish_reason == "length":
            return MALFORMED_DRAFT
        return parse_draft(choice.message.content or "", [topic.id for topic in situation.topics])


@asynccontextmanager
async def open_drafter(config: ModelConfig) -> AsyncIterator[ColleagueDrafter]:
    """Colleagues played by the model of *config*, as long as the block lasts.

    Raises ModelUnavailable where its key or proxy cannot be had.
    """
    async with ChatClient(config, tries=MAX_TRIES, timeout=REPLY_TIMEOUT) as endpoint:
        yield ColleagueDrafter(endpoint)


def _taken(completion: ChatCompletion) -> DraftUsage:
    usage = completion.usage
    if usage is None:
        return DraftUsage()
    cached = usage.prompt_tokens_details
    return DraftUsage(
        replies=1,
        prompt_tokens=usage.prompt_tokens,
        cached_tokens=(cached.cached_tokens or 0) if cached else 0,
        completion_tokens=usage.completion_tokens,
    )
