"""Models that play colleagues, as functions of what they are asked: for the scripted endpoint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.scripted_endpoint import Answer, Json, says
from trainee_bench.world.colleagues.reply_filter import PAYLOAD_PLACEHOLDER
from trainee_bench.world.colleagues.understanding import Intent, QuestionInterpreter, Topic, hear

Player = Callable[[Json], Answer]


@dataclass(frozen=True)
class Request:
    """What a model was asked, taken apart."""

    rules: str
    topics: dict[str, list[str]]
    talk: list[dict[str, str]]
    message: str

    @classmethod
    def read(cls, asked: Json) -> Request:
        rules, occasion = (message["content"] for message in asked["messages"])
        parts = dict(part.split(": ", 1) for part in occasion.split("\n\n") if ": " in part)
        named = {name.split(",")[0]: value for name, value in parts.items()}
        return cls(
            rules,
            json.loads(named["Topics"]),
            json.loads(named["The conversation so far"]),
            json.loads(named["The message to answer"])[-1]["text"],
        )


def decides(reply: str, topic: object = None, asks_back: object = ()) -> Answer:
    """A model's decision in the form that it is asked for."""
    said: dict[str, Any] = {"topic": topic, "asks_back": asks_back, "reply": reply}
    return says(json.dumps(said))


def able(asked: Json) -> Answer:
    """A model that understands as well as the matcher does, and words things itself."""
    request = Request.read(asked)
    topics = [Topic(number, tuple(asks)) for number, asks in request.topics.items()]
    understood = QuestionInterpreter(topics).understand(hear(request.message))
    first = int(understood.topics[0]) if understood.topics else 0
    if understood.intent is Intent.CLEAR:
        return decides(f"Lovely to hear from you. {PAYLOAD_PLACEHOLDER}", topic=first)
    if understood.intent is Intent.DOUBTFUL:
        meant = request.topics[str(first)][0]
        return decides(f"Is it this: {meant}", asks_back=[first])
    return decides("Sorry, that is beyond me.")


def gullible(asked: Json) -> Answer:
    """A model that tells the first thing it has, whatever it is asked."""
    return decides(f"As you wish! {PAYLOAD_PLACEHOLDER}", topic=1)


def secretive(asked: Json) -> Answer:
    """A model that tells nothing at all."""
    return decides("Sorry, that is beyond me.")


def doubting(asked: Json) -> Answer:
    """A model that asks back about the first thing it has, whatever it is asked."""
    request = Request.read(asked)
    if not request.topics:
        return decides("Sorry, that is beyond me.")
    return decides(f"Is it this: {request.topics['1'][0]}", asks_back=[1])


def prattling(asked: Json) -> Answer:
    """A model that says no such thing as it is asked for."""
    return says("Well, hello! What a day.")


_EVERYDAY = (
    "coffee weather lunch music garden family weekend holiday football cake tea rain".split()
)


def telltale(asked: Json) -> Answer:
    """A model in whose decision everything shows that it was shown."""
    digest = hashlib.sha256(json.dumps(asked["messages"]).encode()).digest()
    topics = len(Request.read(asked).topics)
    if digest[0] % 3 == 0 and topics:
        return decides(f"Nice. {PAYLOAD_PLACEHOLDER}", topic=digest[1] % topics + 1)
    words = [_EVERYDAY[byte % len(_EVERYDAY)] for byte in digest[2:8]]
    return decides(f"Sorry, {' '.join(words)}.")
