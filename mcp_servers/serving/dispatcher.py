"""Dispatches an employee's tool calls: toolboxes bound to one world and one person.

Servers, replay and grading all call tools through a dispatcher. It knows nothing of MCP.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import BaseModel, JsonValue

from trainee_bench.mcp_servers.serving.arguments import is_serializable
from trainee_bench.mcp_servers.serving.toolbox import SideEffect, Tool, Toolbox
from trainee_bench.world.errors import NotFound, Refused, WorldError
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import ActionResult, World

__all__ = ["CallGate", "GateVerdict", "ToolDispatcher"]

_LONGEST_NAME = 64
UNLISTED_EFFECT = "unlisted"
"""Logged effect: the tool was not listed. A replay lists all tools, so it needs this."""
REFUSED_EFFECT = "refused_outside"
"""Logged effect: the text with which a side effect refused, for replays."""
NO_SIDE_EFFECTS: Mapping[str, SideEffect] = {}
_UNSERIALIZABLE_LOGGED: Mapping[str, JsonValue] = {"unspeakable": "\0"}
"""Logged instead of arguments that cannot be stored; a replay refuses them with the same text."""


@dataclass(frozen=True)
class GateVerdict:
    """Whether a call may be made. ``refusal`` is the text that refuses it, "" if it may be made.
    ``effects`` are logged with the call and change nothing."""

    refusal: str = ""
    effects: Mapping[str, JsonValue] = field(default_factory=dict)


class CallGate(Protocol):
    """People who may delay, allow and refuse calls. A replay does not need them."""

    async def arrive(self, name: str) -> None:
        """Wait until the next call, of the tool *name*, may go on."""

    async def judge(self, world: World, tool: Tool, arguments: BaseModel) -> GateVerdict:
        """Return the verdict on a valid call, before any of its side effects."""


class ToolDispatcher:
    """The tools that *person* can use in *world*. Raises TypeError if two tools share a name.

    *side_effects*, keyed by tool name, run before the tool's transaction, after the side effect
    that the tool itself declares. A replay does not need them. Every call passes *gate*, if given,
    before anything else happens.
    """

    def __init__(
        self,
        world: World,
        person: str,
        toolboxes: Iterable[Toolbox],
        side_effects: Mapping[str, SideEffect] = NO_SIDE_EFFECTS,
        gate: CallGate | None = None,
    ):
        self._gate = gate
        self.world = world
        self.person = person
        self._side_effects = side_effects
        self.tools: dict[str, Tool] = {}
        for tool in (tool for box in toolboxes for tool in box):
            if tool.name in self.tools:
                raise TypeError(f"two tools are called {tool.name}")
            self.tools[tool.name] = tool

    async def call(
        self,
        name: str,
        arguments: Mapping[str, JsonValue],
        effects: Mapping[str, JsonValue] | None = None,
    ) -> ActionResult[BaseModel]:
        """Call a tool. Every call is a logged action with a result or an error for the caller.

        *effects* are recorded results of side effects; if given, no side effect runs.
        """
        if self._gate is not None:
            await self._gate.arrive(name)
        tool = self.tools.get(name)
        if tool is None or (effects is not None and UNLISTED_EFFECT in effects):
            return await self._refuse_name(name, arguments)
        try:
            parsed = tool.parse(arguments)
        except WorldError as error:
            return await self.refuse(name, arguments, error)
        try:
            effects = await self._run_side_effects(tool, parsed) if effects is None else effects
        except WorldError as error:
            return await self.refuse(name, arguments, error, {REFUSED_EFFECT: str(error)})
        if REFUSED_EFFECT in effects:
            return await self.refuse(
                name, arguments, Refused(str(effects[REFUSED_EFFECT])), effects
            )
        values = vars(parsed)

        def verb(tx: Transaction) -> Result[BaseModel]:
            return tool.verb(tx, **values)

        if tool.expensive:
            await self.world.precompute(self.person, verb)
        return await self.world.execute(
            self.person,
            name,
            arguments,
            verb,
            minutes=tool.minutes,
            effects=effects,
            after_hours=tool.after_hours,
        )

    async def _run_side_effects(self, tool: Tool, parsed: BaseModel) -> Mapping[str, JsonValue]:
        """Run the tool's side effects and return their results. Raises WorldError if one
        refuses."""
        effects: dict[str, JsonValue] = {}
        if self._gate is not None:
            verdict = await self._gate.judge(self.world, tool, parsed)
            effects |= verdict.effects
            if verdict.refusal:
                return {**effects, REFUSED_EFFECT: verdict.refusal}
        for side_effect in (tool.side_effect, self._side_effects.get(tool.name)):
            if side_effect is not None:
                effects |= await side_effect(self.world, self.person, parsed)
        return effects

    async def _refuse_name(
        self, name: str, arguments: Mapping[str, JsonValue]
    ) -> ActionResult[BaseModel]:
        sound = name.encode(errors="replace").decode()[:_LONGEST_NAME]
        error = NotFound(f"There is no tool {sound!r} here; use one of the listed tools.")
        return await self.refuse(sound, arguments, error, {UNLISTED_EFFECT: True})

    async def refuse(
        self,
        name: str,
        arguments: Mapping[str, JsonValue],
        error: WorldError,
        effects: Mapping[str, JsonValue] | None = None,
    ) -> ActionResult[BaseModel]:
        """Log a call of *name* that is refused with *error*, without running the tool."""

        def verb(tx: Transaction) -> Result[BaseModel]:
            raise error

        if not is_serializable(arguments):
            arguments = _UNSERIALIZABLE_LOGGED
        return await self.world.execute(self.person, name, arguments, verb, effects=effects)
