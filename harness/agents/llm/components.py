"""The replaceable components of a model agent: a built-in name or ``module:Class``.

system prompt   instructions for the model             SystemPrompt
history         the part of the day that it reads      ConversationHistory
model service   the source of its replies              ModelService in models/conversation.py
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from trainee_bench.harness.models.conversation import ModelReply, ModelRequest, ToolMessage
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.turns import ToolInfo
from trainee_bench.harness.support.plugin_loader import PluginError, is_plugin_name, load_plugin
from trainee_bench.harness.support.text import describe_error

Part = TypeVar("Part")


class UnknownComponent(Exception):
    """There is no such component; the message lists those that exist."""


class SystemPrompt(Protocol):
    """A system prompt: the instructions that a model gets."""

    def text(self, session: AgentSession) -> str:
        """Return the system prompt for the day of *session*; the tasks follow in a user message."""


@dataclass(frozen=True)
class Exchange:
    """A reply of the model with the results of its calls, in order.

    ``said`` is a user message that follows them ("" for none).
    """

    reply: ModelReply
    answers: tuple[ToolMessage, ...] = ()
    said: str = ""


@dataclass(frozen=True)
class HistoryContext:
    """The fixed facts of a day, and the functions that a history may call.

    ``ask`` sends the model a request outside of the day's turns, which is recorded.
    ``count_incident`` counts a problem by its kind.
    """

    system: str
    opening: str
    tools: tuple[ToolInfo, ...]
    ask: Callable[[ModelRequest], Awaitable[ModelReply]]
    count_incident: Callable[[str], None]


class ConversationHistory(Protocol):
    """The part of its day that a model reads."""

    def begin(self, frame: HistoryContext) -> None:
        """Begin a new day and forget the one before."""

    def add(self, exchange: Exchange) -> None:
        """Add the outcome of the latest request."""

    async def request(self) -> ModelRequest:
        """Return the next request; each reply with calls is followed by all their results."""

    async def shorten(self) -> bool:
        """Make the next request shorter, because the latest one was too long for the model.

        Returns False if that is impossible.
        """


def resolve_component(
    what: str, named: str, builtin: Mapping[str, Callable[[str], Part]], needs: tuple[str, ...]
) -> Part:
    """Return the component called *named*.

    It is one of *builtin*, whose factory gets the text after a colon in *named*. Or it is an
    instance of a user's ``module:Class``, which must have the methods *needs*. Raises
    UnknownComponent.
    """
    name, _, rest = named.partition(":")
    if name in builtin:
        return builtin[name](rest)
    made: Any = load_component_class(what, named, tuple(builtin))
    try:
        part: Part = made()
    except Exception as error:  # a user's code may raise anything
        raise UnknownComponent(
            f"{what} {named} cannot be created without arguments: {describe_error(error)}"
        ) from error
    lacking = [method for method in needs if not callable(getattr(part, method, None))]
    if lacking:
        raise UnknownComponent(f"{what} {named} has no method {' and no '.join(lacking)}.")
    return part


def load_component_class(what: str, named: str, builtin: tuple[str, ...]) -> Callable[[], object]:
    """Return a user's class, named as ``module:Class``. Raises UnknownComponent, naming
    *builtin*."""
    if not is_plugin_name(named):
        raise UnknownComponent(
            f"There is no {what} {named!r}. There are {', '.join(builtin)}; your own is named as "
            "module:Class."
        )
    try:
        made: Any = load_plugin(named, f"a {what}")
    except PluginError as error:
        raise UnknownComponent(f"{what} {named}: {error}") from error
    if not callable(made):
        module, _, name = named.partition(":")
        raise UnknownComponent(f"{what} {named}: {module} has no class {name!r}.")
    kind: Callable[[], object] = made
    return kind
