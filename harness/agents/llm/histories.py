"""The built-in histories: ``summarising`` (or ``summarising:40000``, in tokens) and ``whole``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trainee_bench.harness.agents.llm.components import (
    ConversationHistory,
    UnknownComponent,
    resolve_component,
)
from trainee_bench.harness.agents.llm.full_history import FullHistory
from trainee_bench.harness.agents.llm.summarising_history import (
    DEFAULT_TOKEN_THRESHOLD,
    SummarisingHistory,
)

DEFAULT_HISTORY = "summarising"
MIN_TOKEN_THRESHOLD = 2_000
_NEEDS = ("begin", "add", "request", "shorten")


def _summarising(rest: str) -> ConversationHistory:
    if not rest:
        return SummarisingHistory()
    if not rest.isascii() or not rest.isdigit() or int(rest) < MIN_TOKEN_THRESHOLD:
        raise UnknownComponent(
            f"The history summarising:{rest} is not valid: write a number of tokens after the "
            f"colon, {MIN_TOKEN_THRESHOLD} at least, such as summarising:40000."
        )
    return SummarisingHistory(int(rest))


def _whole(rest: str) -> ConversationHistory:
    if rest:
        raise UnknownComponent(f"The history whole takes nothing after its name, not {rest!r}.")
    return FullHistory()


BUILTIN_HISTORIES: Mapping[str, Callable[[str], ConversationHistory]] = {
    "summarising": _summarising,
    "whole": _whole,
}


def create_history(named: str) -> ConversationHistory:
    """The history called *named*, "" for the default. Raises UnknownComponent."""
    return resolve_component("history", named or DEFAULT_HISTORY, BUILTIN_HISTORIES, _NEEDS)


def history_token_limit(named: str) -> int | None:
    """The most tokens of a request with the history *named*; None if it has no known limit."""
    name, _, rest = (named or DEFAULT_HISTORY).partition(":")
    if name != "summarising":
        return None
    return int(rest) if rest.isdigit() else DEFAULT_TOKEN_THRESHOLD
