"""Asking a model for colleagues' answers, outside any transaction; what it drafts is an effect."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import anyio
from openai.types.chat import ChatCompletion
from pydantic import BaseModel, JsonValue

from mcp_servers.chat import DRAFTS
from mcp_servers.colleagues.prompt import ANSWER_TOKENS, FORM, messages
from mcp_servers.colleagues.reading import MALFORMED, UNAVAILABLE, read
from mcp_servers.colleagues.situation import Situation, situations
from mcp_servers.colleagues.spending import SPENT, Spent
from mcp_servers.models.api_config import ModelConfig
from mcp_servers.models.endpoint import Endpoint, TooLong, Unavailable
from mcp_servers.serving.toolbox import Outside
from world.drafted import Draft
from world.world import World

TRIES = 3
TIMEOUT = 60.0
"""Seconds for one reply: an agent waits for it."""
PATIENCE = 180.0
"""Seconds for all replies to one message; then the script stands in."""
PERSISTENCE, ASKED_AGAIN = 5, 10
"""After so many replies in a row that could not be had, only one in so many is asked for: an
agent shall not wait the whole day for a server that is down."""


class Colleagues:
    """All colleagues of an office, played by the model behind *endpoint*."""

    def __init__(self, endpoint: Endpoint, patience: float = PATIENCE):
        self._endpoint = endpoint
        self._patience = patience
        self._missed = 0

    @property
    def outside(self) -> Mapping[str, Outside]:
        """What has to happen before tools, by name, for a seat."""
        return {"chat_send_message": self._drafts}

    async def _drafts(
        self, world: World, actor: str, arguments: BaseModel
    ) -> Mapping[str, JsonValue]:
        """A draft for each colleague who will answer the message, to be recorded."""
        given = arguments.model_dump()
        to, text = str(given["to"]), str(given["text"])
        heard = await world.look(lambda turn: situations(turn, actor, to, text))
        if not heard:
            return {}
        drafts = {situation.colleague.id: UNAVAILABLE for situation in heard}
        spent: list[Spent] = []

        async def play(situation: Situation) -> None:
            drafts[situation.colleague.id] = await self._draft(situation, spent)

        with anyio.move_on_after(self._patience) as waiting:
            async with anyio.create_task_group() as group:
                for situation in heard:
                    group.start_soon(play, situation)
        self._missed += waiting.cancelled_caught
        return {
            DRAFTS: {id: draft.model_dump(mode="json") for id, draft in drafts.items()},
            SPENT: sum(spent, Spent()).model_dump(mode="json"),
        }

    async def _draft(self, situation: Situation, spent: list[Spent]) -> Draft:
        """What the model would answer; what it took is added to *spent*."""
        if self._missed >= PERSISTENCE and self._missed % ASKED_AGAIN:
            self._missed += 1
            return UNAVAILABLE
        try:
            completion = await self._endpoint.complete(
                messages(situation), response_format=FORM, max_completion_tokens=ANSWER_TOKENS
            )
        except (Unavailable, TooLong):
            self._missed += 1
            return UNAVAILABLE
        self._missed = 0
        spent.append(_taken(completion))
        choice = completion.choices[0]
        if choice.finish_reason == "length":
            return MALFORMED
        return read(choice.message.content or "", [topic.id for topic in situation.topics])


@asynccontextmanager
async def played_by(config: ModelConfig) -> AsyncIterator[Colleagues]:
    """Colleagues played by the model of *config*, as long as the block lasts.

    Raises Unavailable where its key or proxy cannot be had.
    """
    async with Endpoint(config, tries=TRIES, timeout=TIMEOUT) as endpoint:
        yield Colleagues(endpoint)


def _taken(completion: ChatCompletion) -> Spent:
    usage = completion.usage
    if usage is None:
        return Spent()
    cached = usage.prompt_tokens_details
    return Spent(
        replies=1,
        prompt_tokens=usage.prompt_tokens,
        cached_tokens=(cached.cached_tokens or 0) if cached else 0,
        completion_tokens=usage.completion_tokens,
    )
