"""The employee's office: the apps of their day as one MCP server, or one app alone.

Which apps there are is the day's business: a scenario may offer fewer than exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from anyio.to_thread import run_sync
from mcp.server.lowlevel import Server

from trainee_bench.mcp_servers import default_toolboxes, discover_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import NO_SIDE_EFFECTS, ToolDispatcher
from trainee_bench.mcp_servers.serving.server import build_server
from trainee_bench.mcp_servers.serving.toolbox import SideEffect, Toolbox
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import COMPANY_NAME
from trainee_bench.world.errors import NotFound
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

__all__ = ["AppUnavailable", "UnknownApp", "UnknownPerson", "build_office_server"]

OFFICE = "office"
"""The name of the server that holds all apps."""

BEGIN_HINT = "Begin with desk_tasks: it lists your tasks and when they are due."
"""The first step of every day; prompts and instructions all say it in these words."""

_TIME = (
    "Time is simulated: it passes only with your calls, as each tool's description says, and "
    "every result tells the time and what is new."
)
_TASKS_ELSEWHERE = "Your tasks stand on the desk server; begin there with desk_tasks."


class UnknownApp(Exception):
    """An app that does not exist, or that the day does not offer; says which ones there are."""


class AppUnavailable(Exception):
    """This machine cannot offer an app that the day names; says what it lacks."""


class UnknownPerson(Exception):
    """Nobody in this world is called so."""


async def build_office_server(
    world: World,
    person: str = "",
    app: str = OFFICE,
    outside: Mapping[str, SideEffect] = NO_SIDE_EFFECTS,
) -> Server[Any]:
    """An MCP server of the apps that *world*'s day offers, or of one *app*, for *person*.

    *person* is an id, an address or a name, "" the employee whose day it is; *outside* is
    what a seat is to do before tools, such as to ask a model that plays colleagues. Raises
    UnknownApp, UnknownPerson, or Unofferable if the machine lacks what the day's apps need.
    """
    seat, said, costs = await _seat(world, person, app, outside)
    return build_server(app, seat, said, costs)


def offered_toolboxes(tx: Transaction) -> tuple[Toolbox, ...]:
    """The apps of the day, by name. Raises UnknownApp if it names one that does not exist."""
    there = discover_toolboxes()
    names = tuple(default_toolboxes()) if tx.offered_apps is None else tx.offered_apps
    for name in names:
        if name not in there:
            raise UnknownApp(f"This day needs the app {name!r}; here are: {', '.join(there)}.")
    return tuple(there[name] for name in names)


def instructions(tx: Transaction, person: str, boxes: Iterable[Toolbox]) -> str:
    """What an MCP client is told of a server that holds *boxes*: who one is, where to begin."""
    me = Directory(tx).person(person)
    apps = {box.app: box.about for box in boxes}
    about = " ".join(f"{app}: {about}" for app, about in apps.items())
    begin = BEGIN_HINT if "desk" in apps else _TASKS_ELSEWHERE
    return f"You are {me.name}, {me.title.lower()} at {COMPANY_NAME}. {begin} {_TIME} {about}"


async def _seat(
    world: World, person: str, app: str, outside: Mapping[str, SideEffect]
) -> tuple[ToolDispatcher, str, dict[str, int]]:
    """The seat of *person* at *app*, the instructions, and what the scenario lets tools cost."""

    await _check_offerable(await world.read(offered_toolboxes))

    def see(tx: Transaction) -> tuple[str, tuple[Toolbox, ...], str, dict[str, int]]:
        boxes = offered_toolboxes(tx)
        if app != OFFICE:
            boxes = tuple(box for box in boxes if box.app == app)
        if not boxes:
            there = ", ".join(box.app for box in offered_toolboxes(tx))
            raise UnknownApp(f"This day offers no app {app!r}; it offers {there}, or {OFFICE}.")
        try:
            id = Directory(tx).find(person or tx.employee).id
        except NotFound as error:
            raise UnknownPerson(str(error)) from None
        return id, boxes, instructions(tx, id, boxes), tx.minutes_by_tool

    id, boxes, said, costs = await world.read(see)
    return ToolDispatcher(world, id, boxes, outside), said, costs


async def _check_offerable(boxes: Iterable[Toolbox]) -> None:
    """Raise Unofferable if the machine lacks something: a day without one of its apps would be
    another day."""
    for box in boxes:
        if box.opt_in and (lacking := await run_sync(box.missing_requirement)):
            raise AppUnavailable(lacking)
