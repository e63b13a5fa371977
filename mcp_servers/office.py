"""The office: one MCP server with all apps of an employee's day, or with one app alone.

The day decides which apps it offers; a scenario may offer fewer than exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from anyio.to_thread import run_sync
from mcp.server.lowlevel import Server

from trainee_bench.mcp_servers import UnknownApp, select_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import NO_SIDE_EFFECTS, CallGate, ToolDispatcher
from trainee_bench.mcp_servers.serving.result_text import ResultView
from trainee_bench.mcp_servers.serving.server import build_server
from trainee_bench.mcp_servers.serving.tool_variants import tool_variants
from trainee_bench.mcp_servers.serving.toolbox import SideEffect, Toolbox
from trainee_bench.world.apps.desk import further_tasks_sentence, may_change_sentence
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.errors import NotFound
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

__all__ = ["AppUnavailable", "UnknownApp", "UnknownPerson", "build_office_server"]

OFFICE = "office"
"""The name of the server with all apps of the day."""

BEGIN_HINT = "Begin with desk_tasks: it lists your tasks and when they are due."
"""The first step of every day; prompts and instructions all use this sentence."""

_TIME = (
    "Time is simulated: it passes only with your calls, as each tool's description says. "
    "Every result tells you the time and what is new."
)
_TASKS_ELSEWHERE = "Your tasks are on the desk server; begin there with desk_tasks."


class AppUnavailable(Exception):
    """This machine cannot run an app of the day; the text says what is missing."""


class UnknownPerson(Exception):
    """Nobody in this world has this id, address or name."""


async def build_office_server(
    world: World,
    person: str = "",
    app: str = OFFICE,
    side_effects: Mapping[str, SideEffect] = NO_SIDE_EFFECTS,
    view: ResultView = ResultView.STRUCTURED,
    gate: CallGate | None = None,
) -> Server[Any]:
    """Build an MCP server for *person* with the apps that *world*'s day offers, or with one *app*.

    *person* is an id, an address or a name; "" means the employee under test. *side_effects* run
    before the tools they are keyed by, for example to ask a model for colleagues' replies. *view*
    selects how results are shown. Calls pass *gate*, if given. Raises UnknownApp, UnknownPerson, or
    AppUnavailable if this machine cannot run an app.
    """
    dispatcher, text, costs = await _bind(world, person, app, side_effects, gate)
    return build_server(app, dispatcher, text, costs, view)


def offered_toolboxes(tx: Transaction) -> tuple[Toolbox, ...]:
    """The toolboxes of the day, by name. Raises UnknownApp if one does not exist."""
    return tuple(select_toolboxes(tx.offered_apps, tool_variants(tx)).values())


def instructions(tx: Transaction, person: str, boxes: Iterable[Toolbox]) -> str:
    """Write the instructions of a server with *boxes*: who the client acts as, where to begin,
    until when tasks may come, and that they may change."""
    directory = Directory(tx)
    me, company = directory.person(person), directory.company_name
    apps = {box.app: box.about for box in boxes}
    about = " ".join(f"{app}: {about}" for app, about in apps.items())
    begin = BEGIN_HINT if "desk" in apps else _TASKS_ELSEWHERE
    sentences = [further_tasks_sentence(tx), may_change_sentence(tx)]
    more = "".join(f"{said} " for said in sentences if said) if person == tx.employee else ""
    return f"You are {me.name}, {me.title.lower()} at {company}. {begin} {more}{_TIME} {about}"


async def _bind(
    world: World,
    person: str,
    app: str,
    side_effects: Mapping[str, SideEffect],
    gate: CallGate | None,
) -> tuple[ToolDispatcher, str, Mapping[str, int]]:
    """Return *person*'s dispatcher for *app*, the instructions, and the day's tool costs."""
    await _check_offerable(await world.read(offered_toolboxes))

    def resolve(tx: Transaction) -> tuple[str, tuple[Toolbox, ...], str, Mapping[str, int]]:
        boxes = offered_toolboxes(tx)
        if app != OFFICE:
            boxes = tuple(box for box in boxes if box.app == app)
        if not boxes:
            there = ", ".join(box.app for box in offered_toolboxes(tx))
            raise UnknownApp(
                f"This day offers no app {app!r}; it offers {there}, or {OFFICE}. A scenario "
                "offers the apps that it names among its tools."
            )
        try:
            id = Directory(tx).find(person or tx.employee).id
        except NotFound as error:
            raise UnknownPerson(str(error)) from None
        return id, boxes, instructions(tx, id, boxes), tx.minutes_by_tool

    id, boxes, text, costs = await world.read(resolve)
    return ToolDispatcher(world, id, boxes, side_effects, gate), text, costs


async def _check_offerable(boxes: Iterable[Toolbox]) -> None:
    """Raise AppUnavailable if this machine cannot run an app. Without it, the day would be
    different."""
    for box in boxes:
        if box.opt_in and (lacking := await run_sync(box.missing_requirement)):
            raise AppUnavailable(lacking)
