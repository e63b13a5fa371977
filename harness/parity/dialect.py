"""The interface of a dialect: one form in which clients talk to a language model over HTTP."""

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
"""The usage that every reply reports, because some clients need it. It is small, so that no client
begins to shorten its history."""


@dataclass(frozen=True)
class DialectRequest:
    """A client's request to a model.

    ``tools`` are the names of the offered tools. ``calls`` counts the tool calls in the history,
    and ``results`` are the texts of their results by call id. ``pictures`` counts the pictures in
    the history, in results or after them. ``schema`` is set if the reply must be JSON.
    """

    tools: tuple[str, ...]
    calls: int
    results: Mapping[str, str]
    pictures: int
    streamed: bool
    schema: Mapping[str, JsonValue] | None = None


@dataclass(frozen=True)
class DialectReply:
    """The model's reply: a call, or a text without one. ``model`` is the name to give."""

    model: str
    text: str = ""
    call: ToolCall | None = None


@dataclass(frozen=True)
class ServerEvent:
    """An event of a stream: its data, and its name, "" for none. Text is sent literally."""

    data: JsonValue
    name: str = ""


class ModelDialect(ABC):
    """One form of requests and replies. Subclasses in ``dialects`` are found automatically."""

    @abstractmethod
    def speaks(self, path: str) -> bool:
        """Return whether requests to the URL's *path* are in this dialect."""

    @abstractmethod
    def read(self, path: str, body: Mapping[str, JsonValue]) -> DialectRequest:
        """Return the request with this decoded *body*."""

    @abstractmethod
    def reply(self, reply: DialectReply) -> JsonValue:
        """Return *reply* as one answer."""

    @abstractmethod
    def stream(self, reply: DialectReply) -> Iterator[ServerEvent]:
        """Yield *reply* as events."""

    def counts_tokens(self, path: str) -> bool:
        """Return whether requests to *path* only ask for the number of tokens in the prompt."""
        return False

    def token_count(self) -> JsonValue:
        """Return the answer to a request that counts tokens."""
        return {}


def find_dialects() -> list[ModelDialect]:
    """Return all dialects."""
    found: list[ModelDialect] = []
    for info in pkgutil.iter_modules(dialects.__path__):
        name = f"{dialects.__name__}.{info.name}"
        for member in vars(importlib.import_module(name)).values():
            if (
                inspect.isclass(member)
                and issubclass(member, ModelDialect)
                and member.__module__ == name
            ):
                found.append(member())
    return found


def members(value: object, kind: str = "", key: str = "type") -> list[dict[str, JsonValue]]:
    """Return the objects in the list *value*, only those whose *key* is *kind* if *kind* is given.
    Return none if *value* is not a list."""
    found = [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []
    return [part for part in found if not kind or part.get(key) == kind]


def halves(text: str) -> tuple[str, str]:
    """Return *text* in two parts, as a stream would send it."""
    middle = len(text) // 2
    return text[:middle], text[middle:]


def text_of(content: object) -> str:
    """Return the texts in the *content* of a result: a text, or a list of blocks with a
    ``text``."""
    if isinstance(content, str):
        return content
    return "\n".join(str(block["text"]) for block in members(content) if "text" in block)


def count_objects(value: object, kinds: Collection[str]) -> int:
    """Return the number of objects in *value*, at any depth, whose ``type`` is one of *kinds*."""
    if isinstance(value, dict):
        own = value.get("type") in kinds
        return own + sum(count_objects(inner, kinds) for inner in value.values())
    return sum(count_objects(inner, kinds) for inner in value) if isinstance(value, list) else 0
