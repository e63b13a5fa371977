"""What a dialect is: one form in which clients talk to a language model over HTTP."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from trainee_bench.harness.parity import dialects
from trainee_bench.harness.session.turns import ToolCall

__all__ = ["DialectReply", "DialectRequest", "ModelDialect", "ServerEvent", "find_dialects"]

PROMPT_TOKENS, REPLY_TOKENS = 100, 10
"""The usage that every reply names, because some clients need one. It stays small, so that no
client begins to shorten its history."""


@dataclass(frozen=True)
class DialectRequest:
    """What a client asks of a model.

    ``tools`` are the names of those on offer, ``calls`` is how many tool calls the history has,
    ``results`` are the texts of their results by the ids of the calls, and ``pictures`` is how
    many pictures the history has, in results or after them. ``schema`` is set where the reply must
    be JSON.
    """

    tools: tuple[str, ...]
    calls: int
    results: Mapping[str, str]
    pictures: int
    streamed: bool
    schema: Mapping[str, JsonValue] | None = None


@dataclass(frozen=True)
class DialectReply:
    """What the model says: a call, or a text if there is none. ``model`` is what it is called."""

    model: str
    text: str = ""
    call: ToolCall | None = None


@dataclass(frozen=True)
class ServerEvent:
    """An event of a stream: its data, and its name, "" for none. Text is sent as it is."""

    data: JsonValue
    name: str = ""


class ModelDialect(ABC):
    """One form of requests and replies. Subclasses lie in ``dialects`` and are found there."""

    @abstractmethod
    def speaks(self, path: str) -> bool:
        """Whether requests to the URL's *path* are in this dialect."""

    @abstractmethod
    def read(self, path: str, body: Mapping[str, JsonValue]) -> DialectRequest:
        """The request with this decoded *body*."""

    @abstractmethod
    def reply(self, reply: DialectReply) -> JsonValue:
        """*reply* as one answer."""

    @abstractmethod
    def stream(self, reply: DialectReply) -> Iterator[ServerEvent]:
        """*reply* as events."""

    def counts_tokens(self, path: str) -> bool:
        """Whether requests to *path* ask for no reply, only how many tokens the prompt has."""
        return False

    def token_count(self) -> JsonValue:
        """The answer to a request that counts tokens."""
        return {}


def find_dialects() -> list[ModelDialect]:
    """All dialects."""
    found: list[ModelDialect] = []
    for info in pkgutil.iter_modules(dialects.__path__):
        name = f"{dialects.__name__}.{info.name}"
        for one in vars(importlib.import_module(name)).values():
            if inspect.isclass(one) and issubclass(one, ModelDialect) and one.__module__ == name:
                found.append(one())
    return found


def members(value: object, kind: str = "", key: str = "type") -> list[dict[str, JsonValue]]:
    """The objects in the list *value*, only those whose *key* is *kind* if that is given; none if
    *value* is no list."""
    found = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    return [one for one in found if not kind or one.get(key) == kind]


def halves(text: str) -> tuple[str, str]:
    """*text* in two parts, as streams bring it."""
    middle = len(text) // 2
    return text[:middle], text[middle:]


def text_of(content: object) -> str:
    """The texts in the *content* of a result: a text, or a list of blocks with a ``text``."""
    if isinstance(content, str):
        return content
    return "\n".join(str(block["text"]) for block in members(content) if "text" in block)


def count_objects(value: object, kinds: Collection[str]) -> int:
    """How many objects of one of *kinds* (their ``type``) there are in *value*, at any depth."""
    if isinstance(value, dict):
        own = value.get("type") in kinds
        return own + sum(count_objects(inner, kinds) for inner in value.values())
    return sum(count_objects(inner, kinds) for inner in value) if isinstance(value, list) else 0
