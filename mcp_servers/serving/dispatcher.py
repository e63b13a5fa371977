"""An employee's seat: some toolboxes bound to one world and one person.

This is the door through which servers, replay and grading all call tools; it knows
nothing of MCP.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import BaseModel, JsonValue

from trainee_bench.mcp_servers.serving.arguments import is_serializable
from trainee_bench.mcp_servers.serving.toolbox import SideEffect, Tool, Toolbox
from trainee_bench.world.errors import NotFound, Refused, WorldError
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import ActionResult, World

__all__ = ["ToolDispatcher"]

_LONGEST_NAME = 64
_UNLISTED = "unlisted"
"""The effect by which a replay knows that a seat with fewer tools did not list this one."""
_REFUSED = "refused_outside"
"""The effect by which a replay knows the words in which something outside refused."""
NO_SIDE_EFFECTS: Mapping[str, SideEffect] = {}
_UNSERIALIZABLE_LOGGED: Mapping[str, JsonValue] = {"unspeakable": "\0"}
"""Stands in the log for arguments that cannot be kept; refused in the same words."""


class ToolDispatcher:
    """The tools *person* can use in *world*. Raises TypeError for two tools of one name.

    *outside* says for tools, by name, what must happen before their transaction in this seat
    beyond what they ask for themselves; a replay has no need of it.
    """

    def __init__(
        self,
        world: World,
        person: str,
        toolboxes: Iterable[Toolbox],
        outside: Mapping[str, SideEffect] = NO_SIDE_EFFECTS,
    ):
        self.world = world
        self.person = person
        self._brought = outside
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
        """Call a tool: always an action, with its result or the error the caller is told.

        *effects* replays what was once brought from outside instead of bringing it anew.
        """
        tool = self.tools.get(name)
        if tool is None or (effects is not None and _UNLISTED in effects):
            return await self._refuse_name(name, arguments)
        try:
            parsed = tool.parse(arguments)
        except WorldError as error:
            return await self._refuse(name, arguments, error)
        try:
            effects = await self._outside(tool, parsed) if effects is None else effects
        except WorldError as error:
            return await self._refuse(name, arguments, error, {_REFUSED: str(error)})
        if _REFUSED in effects:
            return await self._refuse(name, arguments, Refused(str(effects[_REFUSED])), effects)
        values = dict(parsed)

        def verb(tx: Transaction) -> Result[BaseModel]:
            return tool.verb(tx, **values)

        return await self.world.execute(
            self.person, name, arguments, verb, minutes=tool.minutes, effects=effects
        )

    async def _outside(self, tool: Tool, parsed: BaseModel) -> Mapping[str, JsonValue]:
        """What the tool needs from outside the transaction; WorldError if that refuses."""
        effects: dict[str, JsonValue] = {}
        for outside in (tool.side_effect, self._brought.get(tool.name)):
            if outside is not None:
                effects |= await outside(self.world, self.person, parsed)
        return effects

    async def _refuse_name(
        self, name: str, arguments: Mapping[str, JsonValue]
    ) -> ActionResult[BaseModel]:
        sound = name.encode(errors="replace").decode()[:_LONGEST_NAME]
        error = NotFound(f"There is no tool {sound!r} here; use one of those listed.")
        return await self._refuse(sound, arguments, error, {_UNLISTED: True})

    async def _refuse(
        self,
        name: str,
        arguments: Mapping[str, JsonValue],
        error: WorldError,
        effects: Mapping[str, JsonValue] | None = None,
    ) -> ActionResult[BaseModel]:
        def verb(tx: Transaction) -> Result[BaseModel]:
            raise error

        if not is_serializable(arguments):
            arguments = _UNSERIALIZABLE_LOGGED
        return await self.world.execute(self.person, name, arguments, verb, effects=effects)
