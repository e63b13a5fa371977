"""The parts of a thinking agent that can be replaced: ours by name, anybody's as ``module:Class``.

system prompt   what the model is told about its work      SystemPrompt
history         what it reads of the day so far            History
model service   who answers                                harness/models/conversation.py
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from trainee_bench.harness.models.conversation import ModelReply, ModelRequest, ToolMessage
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.tool_types import ToolInfo
from trainee_bench.harness.support.plugin_loader import PluginError, is_plugin_name, load_plugin

Part = TypeVar("Part")


class UnknownComponent(Exception):
    """There is no such part; says which there are."""


class SystemPrompt(Protocol):
    """What a model is told about its work, before all else."""

    def text(self, session: AgentSession) -> str:
        """The system prompt for a day in *session*; the tasks are said after it."""


@dataclass(frozen=True)
class Exchange:
    """A reply of the model and what came of it: an answer to each of its calls, in order, and
    what it was told besides, "" for nothing."""

    reply: ModelReply
    answers: tuple[ToolMessage, ...] = ()
    said: str = ""


@dataclass(frozen=True)
class HistoryContext:
    """What stays the same over a day, and what a history may do besides remembering.

    ``ask`` asks the model outside of the day's turns, which is recorded; ``mishap`` counts
    what went wrong, by kind.
    """

    system: str
    opening: str
    tools: tuple[ToolInfo, ...]
    ask: Callable[[ModelRequest], Awaitable[ModelReply]]
    count_incident: Callable[[str], None]


class ConversationHistory(Protocol):
    """What a model reads of its day."""

    def begin(self, frame: HistoryContext) -> None:
        """Begin a new day; what was kept of the one before is gone."""

    def add(self, exchange: Exchange) -> None:
        """Keep what came of the latest request."""

    async def request(self) -> ModelRequest:
        """What to ask the model now: each reply with calls is followed by all their answers."""

    async def shorten(self) -> bool:
        """The model could not read the latest request: make the next one shorter.

        False if that cannot be done.
        """


def resolve_component(
    what: str, named: str, builtin: Mapping[str, Callable[[str], Part]], needs: tuple[str, ...]
) -> Part:
    """The part called *named*: one of *builtin*, made of what follows a colon in it, or an object
    of anybody's ``module:Class``, which must have the methods *needs*.

    Raises UnknownComponent, saying what would be right.
    """
    name, _, rest = named.partition(":")
    if name in builtin:
        return builtin[name](rest)
    made: Any = load_component_class(what, named, tuple(builtin))
    try:
        part: Part = made()
    except Exception as error:  # anybody's code, which may raise anything
        raise UnknownComponent(
            f"{what} {named} cannot be made without arguments: {type(error).__name__}: {error}"
        ) from error
    lacking = [method for method in needs if not callable(getattr(part, method, None))]
    if lacking:
        raise UnknownComponent(f"{what} {named} has no method {' and no '.join(lacking)}.")
    return part


def load_component_class(what: str, named: str, builtin: tuple[str, ...]) -> Callable[[], object]:
    """Anybody's class, named as ``module:Class``. Raises UnknownComponent, naming *builtin*."""
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
