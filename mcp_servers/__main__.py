"""``python -m mcp_servers``: serve the office, one app, or the verifier to an MCP client.

This is what stands in an MCP client's configuration, and a tool debugger's door.
"""

from __future__ import annotations

import gc

if __name__ == "__main__":
    gc.disable()  # what is imported stays; to look for garbage in it takes a sixth of the start

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.office import (
    OFFICE,
    AppUnavailable,
    UnknownApp,
    UnknownPerson,
    build_office_server,
)
from trainee_bench.mcp_servers.serving.dispatcher import NO_SIDE_EFFECTS
from trainee_bench.mcp_servers.serving.toolbox import SideEffect
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World

VERIFIER = "verifier"
_WRONG_USE = 2


class UsageError(Exception):
    """The command line asks for what cannot be; says what would be right."""


@dataclass(frozen=True)
class ServeOptions:
    """The command line, understood. ``http`` is host and port, None for stdio.

    ``npc_model`` is the alias of the model that plays colleagues, None for the script.
    """

    app: str
    world: Path | None
    scenario: str | None
    person: str
    http: tuple[str, int] | None
    npc_model: str | None
    api_config: Path | None


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until the client leaves. Raises SystemExit: 0 served, 2 wrong use."""
    try:
        asyncio.run(_serve(_understand(arguments)))
    except (UsageError, WorldFileError, UnknownApp, UnknownPerson, AppUnavailable) as error:
        print(f"mcp_servers: {error}", file=sys.stderr)
        raise SystemExit(_WRONG_USE) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    raise SystemExit(0)


def _understand(arguments: Sequence[str] | None) -> ServeOptions:
    parser = argparse.ArgumentParser(
        prog="python -m mcp_servers",
        description="Serve a simulated office to an MCP client, over stdio unless --http is given.",
        epilog="Without --world the quickstart's first day is staged in a new file.",
    )
    apps = [*discover_toolboxes(), OFFICE, VERIFIER]
    parser.add_argument(
        "app", nargs="?", default=OFFICE, choices=apps, metavar="APP",
        help=f"one of {', '.join(apps)}; default: all apps of the employee as {OFFICE}",
    )  # fmt: skip
    parser.add_argument(
        "--world", type=Path, metavar="FILE", help="the world; staged there if there is none yet"
    )
    parser.add_argument("--scenario", metavar="NAME", help="the scenario to stage")
    parser.add_argument(
        "--as", dest="person", default="", metavar="PERSON",
        help="id, address or name of who works; default: the employee whose day it is",
    )  # fmt: skip
    parser.add_argument(
        "--http", type=_host_and_port, metavar="HOST:PORT", help="serve streamable HTTP there"
    )
    parser.add_argument(
        "--npc-model", metavar="ALIAS",
        help="the model that plays colleagues; they answer by a script if it is not given",
    )  # fmt: skip
    parser.add_argument(
        "--api-config", type=Path, metavar="FILE",
        help="where models are described; default: api_config.json in the working directory",
    )  # fmt: skip
    return ServeOptions(**vars(parser.parse_args(arguments)))


def _host_and_port(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not (host and colon and port.isdecimal() and int(port) < 2**16):
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:8000")
    return host.removeprefix("[").removesuffix("]"), int(port)


async def _serve(wanted: ServeOptions) -> None:
    async with _colleagues(wanted) as outside, await _open(wanted) as world:
        server = await _server(wanted, world, outside)
        gc.freeze()
        gc.enable()
        if wanted.http is None:
            await _serve_stdio(server, world, _stop_signal())
        else:
            await _serve_http(server, *wanted.http, _stop_signal())


@asynccontextmanager
async def _colleagues(wanted: ServeOptions) -> AsyncIterator[Mapping[str, SideEffect]]:
    """What asks the model that plays colleagues, if one does. Raises UsageError."""
    if wanted.npc_model is None:
        if wanted.api_config is not None:
            raise UsageError("--api-config describes models; name one by --npc-model, too.")
        yield NO_SIDE_EFFECTS
        return
    # A client of models, which others do without.
    from trainee_bench.mcp_servers.llm.api_config import (
        DEFAULT_API_CONFIG,
        ApiConfigError,
        load_model_config,
    )
    from trainee_bench.mcp_servers.llm.client import ModelUnavailable
    from trainee_bench.mcp_servers.llm_colleagues.drafting import open_drafter

    async with AsyncExitStack() as stack:
        try:
            config = load_model_config(wanted.npc_model, wanted.api_config or DEFAULT_API_CONFIG)
            colleagues = await stack.enter_async_context(open_drafter(config))
        except (ApiConfigError, ModelUnavailable) as error:
            raise UsageError(f"--npc-model {wanted.npc_model}: {error}") from None
        yield colleagues.side_effects


async def _server(
    wanted: ServeOptions, world: World, outside: Mapping[str, SideEffect]
) -> Server[Any]:
    if wanted.app != VERIFIER:
        return await build_office_server(world, wanted.person, wanted.app, outside)
    from trainee_bench.mcp_servers.verifier import (
        build_verifier,  # it composes scenarios; others need not
    )

    return build_verifier(world)


async def _open(wanted: ServeOptions) -> World:
    """The world that is meant, staged if it is not there. Raises UsageError, WorldFileError."""
    path = wanted.world
    if path is not None and path.exists():
        return await _check_scenario(await World.open(path), wanted.scenario)
    return await _stage(path, wanted.scenario)


async def _check_scenario(world: World, name: str | None) -> World:
    """*world*, if it is a day of the scenario of this name, where one is named."""
    there = json.loads(await world.read(lambda tx: tx.fact("scenario")))
    held = there.get("scenario", {}).get("name")
    if name is None or name == held:
        return world
    await world.close()
    raise UsageError(f"The world holds the scenario {held!r}; leave --scenario out, or name another "
                   "file in --world to stage it in.")  # fmt: skip


async def _stage(path: Path | None, name: str | None) -> World:
    """A new world at *path* (in a new folder if None); the one that somebody else was quicker
    to stage there, if so."""
    from trainee_bench.meta_tasks.benchmark import BenchmarkError, find_scenario
    from trainee_bench.meta_tasks.composition import create_world

    try:
        scenario = find_scenario(name)
    except BenchmarkError as error:
        raise UsageError(f"--scenario: {error}") from None
    if path is None:
        path = Path(tempfile.mkdtemp(prefix="trainee-bench-")) / f"{scenario.name}.world"
    try:
        world = await create_world(path, scenario)
    except WorldFileError:
        if not path.exists():
            raise
        return await _check_scenario(await World.open(path), name)
    print(f"The world is staged in {path}", file=sys.stderr, flush=True)
    return world


def _stop_signal() -> asyncio.Event:
    """Set when we are asked to stop (on Windows, Ctrl-C cancels us instead)."""
    stopped = asyncio.Event()
    if sys.platform != "win32":
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    return stopped


async def _serve_stdio(server: Server[Any], world: World, stopped: asyncio.Event) -> None:
    """Serve until the client closes our input, or we are asked to stop."""
    if sys.stdin is None or sys.stdout is None:
        raise UsageError("A client speaks over standard input and output, which are closed; "
                       "start this from an MCP client, or give --http HOST:PORT.")  # fmt: skip
    # Whatever prints by mistake must not wait in a buffer and end up on the wire at exit.
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    serving = asyncio.ensure_future(_run_stdio(server))
    signalled = asyncio.ensure_future(stopped.wait())
    await asyncio.wait({serving, signalled}, return_when=asyncio.FIRST_COMPLETED)
    if not serving.done():
        # The thread that reads our input cannot be interrupted and would keep us alive.
        await world.close()
        os._exit(0)
    signalled.cancel()
    await serving


async def _run_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def _serve_http(server: Server[Any], host: str, port: int, stopped: asyncio.Event) -> None:
    from trainee_bench.mcp_servers.serving.http import (
        HttpHost,  # a web server, which stdio does without
    )

    async with AsyncExitStack() as stack:
        try:
            http = await stack.enter_async_context(HttpHost(host, port))
        except OSError as error:
            raise UsageError(f"--http {host}:{port}: {error.strerror}; choose another.") from None
        address = await stack.enter_async_context(http.mount(server))
        print(f"Serving {address.url}\nAuthorization: Bearer {address.token}", file=sys.stderr)
        sys.stderr.flush()
        await stopped.wait()


if __name__ == "__main__":
    main()
