"""``trainee-bench serve``: serve the office, one app, or the verifier to an MCP client.

``python -m mcp_servers`` does the same and starts faster, since it does not load the harness.
"""

from __future__ import annotations

import gc
import signal

if __name__ == "__main__":
    gc.disable()  # imported modules are never garbage; collecting takes a sixth of the start
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # an interrupt while importing is quiet

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp.server.lowlevel import Server

from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.office import (
    OFFICE,
    AppUnavailable,
    UnknownApp,
    UnknownPerson,
    build_office_server,
)
from trainee_bench.mcp_servers.serving.argument_values import (
    host_and_port,
    seconds,
    url_path,
)
from trainee_bench.mcp_servers.serving.bearer_tokens import read_token
from trainee_bench.mcp_servers.serving.dispatcher import NO_SIDE_EFFECTS
from trainee_bench.mcp_servers.serving.result_text import ResultView
from trainee_bench.mcp_servers.serving.stdio import LineTooLong, run_stdio
from trainee_bench.mcp_servers.serving.toolbox import SideEffect
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World

VERIFIER = "verifier"
_EPILOG = (
    "Without --world, a new file is created in a temporary folder and its path is printed. To "
    "serve your own day, describe it in a benchmark file and pass that with --config."
)
_PROGRAM = "python -m mcp_servers"
_WRONG_USE = 2


class UsageError(Exception):
    """The command line is invalid; the text says how to correct it."""


@dataclass(frozen=True)
class ServeOptions:
    """The parsed command line.

    ``http`` is host and port, None for stdio. ``path`` is the path of its URL, None for a random
    path. ``token_file`` has its bearer token, None for a random one. ``npc_model`` is the alias of
    the model that plays colleagues, None for scripted replies.
    """

    app: str
    world: Path | None
    config: Path | None
    offices: Sequence[str] | None
    scenario: str | None
    person: str
    results: ResultView
    http: tuple[str, int] | None
    path: str | None
    no_token: bool
    token_file: Path | None
    drain_seconds: float
    npc_model: str | None
    api_config: Path | None


def main(arguments: Sequence[str] | None = None, program: str = _PROGRAM) -> None:
    """Serve until the client disconnects. Raises SystemExit: 0 on success, 2 on wrong usage.

    *program* is what the user typed; help and errors name it.
    """
    options = _parse_arguments(arguments, program)
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        asyncio.run(_serve(options))
    except (
        UsageError, WorldFileError, UnknownApp, UnknownPerson, AppUnavailable, LineTooLong,
    ) as error:  # fmt: skip
        print(f"{program}: {error}", file=sys.stderr)
        raise SystemExit(_WRONG_USE) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BaseExceptionGroup as group:
        if group.split(BrokenPipeError)[1] is not None:
            raise
        # The client left without reading the last answers, which Python would flush again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    raise SystemExit(0)


def _parse_arguments(arguments: Sequence[str] | None, program: str) -> ServeOptions:
    parser = argparse.ArgumentParser(
        prog=program,
        description="Serve a simulated office to an MCP client, over stdio unless --http is given.",
        epilog=_EPILOG,
    )
    apps = [*discover_toolboxes(), OFFICE, VERIFIER]
    parser.add_argument(
        "app", nargs="?", default=OFFICE, choices=apps, metavar="APP",
        help=f"app to serve: one of {', '.join(apps)}; default: {OFFICE}, all apps of the employee",
    )  # fmt: skip
    parser.add_argument(
        "--world", type=Path, metavar="FILE", help="world file; created if it does not exist"
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE",
        help="your own benchmark file with the day to create; default: the shipped benchmarks",
    )  # fmt: skip
    parser.add_argument(
        "--office", dest="offices", action="append", type=_open_office, metavar="FOLDER|PACKAGE",
        help="own office that the day is in; code in its tasks runs on this machine; repeatable",
    )  # fmt: skip
    parser.add_argument(
        "--scenario", metavar="NAME",
        help="scenario whose first day is created; default: the first of FILE or the quickstart",
    )  # fmt: skip
    parser.add_argument(
        "--as", dest="person", default="", metavar="PERSON",
        help="act as this person (id, address or name); default: the employee under test",
    )  # fmt: skip
    parser.add_argument(
        "--results", choices=[view.value for view in ResultView], default=ResultView.TEXT.value,
        help="text (default): as models read it, with pictures; structured: also as data, for "
        "programs. Many clients then show a model only the data, which is longer, and no pictures",
    )  # fmt: skip
    _add_http_options(parser)
    parser.add_argument(
        "--npc-model", metavar="ALIAS",
        help="model that plays colleagues; default: scripted replies",
    )  # fmt: skip
    parser.add_argument(
        "--api-config", type=Path, metavar="FILE",
        help="file that defines models; default: api_config.json in the working directory",
    )  # fmt: skip
    given = parser.parse_args(arguments)
    given.results = ResultView(given.results)
    options = ServeOptions(**vars(given))
    for_http = (options.path, options.token_file, options.no_token, options.drain_seconds)
    if options.http is None and any(for_http):
        parser.error("--path, --no-token, --token-file and --drain-seconds need --http HOST:PORT")
    if options.no_token and options.token_file is not None:
        parser.error("--no-token and --token-file exclude each other")
    return options


def _add_http_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--http", type=host_and_port, metavar="HOST:PORT",
        help="serve streamable HTTP at this address",
    )  # fmt: skip
    parser.add_argument(
        "--path", type=url_path, metavar="/PATH",
        help="path of the HTTP address, such as /mcp; default: a random path",
    )  # fmt: skip
    parser.add_argument(
        "--no-token", action="store_true",
        help="serve HTTP to everyone who can reach the port; for a sidecar in a closed network",
    )  # fmt: skip
    parser.add_argument(
        "--token-file", type=Path, metavar="FILE",
        help="file with the bearer token that clients must send; default: a random token",
    )  # fmt: skip
    parser.add_argument(
        "--drain-seconds", type=seconds, default=0.0, metavar="SECONDS",
        help="how long the server still answers after SIGTERM, while /readyz says that it ends",
    )  # fmt: skip


async def _serve(options: ServeOptions) -> None:
    try:
        token = None if options.token_file is None else read_token(options.token_file)
    except ValueError as error:
        raise UsageError(f"--token-file {options.token_file}: {error}") from None
    async with _colleagues(options) as side_effects, await _open(options) as world:
        server = await _server(options, world, side_effects)
        gc.freeze()
        gc.enable()
        stopped, hurry = _stop_signals()
        if options.http is None:
            await _serve_stdio(server, world, stopped)
        else:
            await _serve_http(
                server,
                *options.http,
                stopped,
                options.path,
                with_token=not options.no_token,
                token=token,
                drain=(options.drain_seconds, hurry),
            )


@asynccontextmanager
async def _colleagues(options: ServeOptions) -> AsyncIterator[Mapping[str, SideEffect]]:
    """Yield the side effects that ask a model for colleagues' replies. Raises UsageError."""
    if options.npc_model is None:
        if options.api_config is not None:
            raise UsageError(
                "--api-config needs --npc-model: name the model that plays colleagues."
            )
        yield NO_SIDE_EFFECTS
        return
    # Imports a model client, which other runs do not need.
    from trainee_bench.mcp_servers.llm.api_config import (
        DEFAULT_API_CONFIG,
        ApiConfigError,
        load_model_config,
    )
    from trainee_bench.mcp_servers.llm.client import ModelUnavailable
    from trainee_bench.mcp_servers.llm_colleagues.drafting import open_drafter

    async with AsyncExitStack() as stack:
        try:
            config = load_model_config(options.npc_model, options.api_config or DEFAULT_API_CONFIG)
            colleagues = await stack.enter_async_context(open_drafter(config))
        except (ApiConfigError, ModelUnavailable) as error:
            raise UsageError(f"--npc-model {options.npc_model}: {error}") from None
        yield colleagues.side_effects


async def _server(
    options: ServeOptions, world: World, side_effects: Mapping[str, SideEffect]
) -> Server[Any]:
    if options.app != VERIFIER:
        return await build_office_server(
            world, options.person, options.app, side_effects, options.results
        )
    from trainee_bench.mcp_servers.grading.verifier_server import (
        build_verifier,  # imports the scenario generator, which other servers do not need
    )

    return build_verifier(world)


async def _open(options: ServeOptions) -> World:
    """Open the requested world, or create it. Raises UsageError, WorldFileError."""
    path = options.world
    if path is not None and path.exists():
        return await _check_scenario(await World.open(path), options.scenario)
    return await _stage(path, options.config, options.scenario)


async def _check_scenario(world: World, name: str | None) -> World:
    """Return *world*. Raises UsageError if it does not hold the scenario *name*."""
    there = json.loads(await world.read(lambda tx: tx.fact("scenario")))
    held = there.get("scenario", {}).get("name")
    if name is None or name == held:
        return world
    await world.close()
    raise UsageError(f"The world holds the scenario {held!r}; omit --scenario, or name a new "
                   "file with --world.")  # fmt: skip


def _open_office(name: str) -> str:
    """Open an own office. Raises ArgumentTypeError."""
    from trainee_bench.meta_tasks.offices import opened, source

    try:
        return opened.open_source(name).name
    except source.OfficeError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


async def _stage(path: Path | None, config: Path | None, name: str | None) -> World:
    """Create a world at *path* (None: in a new folder) with the first day of scenario *name*, or
    open the one that another process creates first."""
    from trainee_bench.meta_tasks.benchmark import BenchmarkError, find_scenario, parse_benchmark
    from trainee_bench.meta_tasks.catalog import UnknownRuleError
    from trainee_bench.meta_tasks.composition import create_world
    from trainee_bench.meta_tasks.offices.source import OfficeError
    from trainee_bench.meta_tasks.task_context import CompositionError

    try:
        benchmark = None if config is None else parse_benchmark(config.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, BenchmarkError) as error:
        raise UsageError(f"--config {config}: {error}") from None
    try:
        scenario = find_scenario(name, benchmark)
    except BenchmarkError as error:
        raise UsageError(f"--scenario: {error}") from None
    if path is None:
        path = Path(tempfile.mkdtemp(prefix="trainee-bench-")) / f"{scenario.name}.world"
    try:
        world = await create_world(path, scenario)
    except (CompositionError, OfficeError, UnknownRuleError) as error:
        raise UsageError(str(error)) from None
    except WorldFileError:
        if not path.exists():
            raise
        return await _check_scenario(await World.open(path), name)
    print(f"Created the world {path}", file=sys.stderr, flush=True)
    return world


def _stop_signals() -> tuple[asyncio.Event, asyncio.Event]:
    """Return the events that the first and a second SIGINT or SIGTERM set.

    On Windows, Ctrl-C cancels the task instead.
    """
    stopped, hurry = asyncio.Event(), asyncio.Event()

    def signalled() -> None:
        (hurry if stopped.is_set() else stopped).set()

    if sys.platform != "win32":
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, signalled)
    return stopped, hurry


async def _serve_stdio(server: Server[Any], world: World, stopped: asyncio.Event) -> None:
    """Serve until the client closes standard input or *stopped* is set."""
    if sys.stdin is None or sys.stdout is None:
        raise UsageError("Standard input and output are closed; "
                       "start this from an MCP client, or give --http HOST:PORT.")  # fmt: skip
    # Stray prints must not wait in a buffer and reach the client at exit.
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    serving = asyncio.ensure_future(run_stdio(server))
    signalled = asyncio.ensure_future(stopped.wait())
    await asyncio.wait({serving, signalled}, return_when=asyncio.FIRST_COMPLETED)
    if not serving.done():
        # The thread that reads standard input cannot be interrupted and would keep us alive.
        await world.close()
        os._exit(0)
    signalled.cancel()
    await serving


async def _serve_http(
    server: Server[Any],
    host: str,
    port: int,
    stopped: asyncio.Event,
    path: str | None = None,
    *,
    with_token: bool = True,
    token: str | None = None,
    drain: tuple[float, asyncio.Event] | None = None,
) -> None:
    """Serve until *stopped* is set, then drain: the seconds, and the event that shortens them."""
    # imports a web server, which stdio does not need
    from trainee_bench.mcp_servers.serving.http import LOOPBACK, HttpHost
    from trainee_bench.mcp_servers.serving.operators import Operators

    if host not in LOOPBACK and with_token:
        print(
            f"Warning: {host} can be reached from elsewhere, and this is plain HTTP: anyone who "
            "sees the traffic can read the token. Serve 127.0.0.1 behind a TLS proxy instead.",
            file=sys.stderr,
        )
    elif host not in LOOPBACK:
        print(
            f"Warning: {host} can be reached from elsewhere, and no token is needed: anyone who "
            "reaches the port can work the day. Do this only in a closed network.",
            file=sys.stderr,
        )
    operators = Operators()
    async with AsyncExitStack() as stack:
        try:
            # Draining has given pending requests their time.
            opened = HttpHost(host, port, around=operators.around, closing_seconds=0.0)
            http = await stack.enter_async_context(opened)
        except OSError as error:
            raise UsageError(f"--http {host}:{port}: {error.strerror}; choose another.") from None
        mounting = http.mount(server, path, with_token=with_token, token=token)
        address = await stack.enter_async_context(mounting)
        print(f"Serving {address.url}", file=sys.stderr)
        if token is None:  # a given one is known, and logs are no place for it
            for name, value in address.headers.items():
                print(f"{name}: {value}", file=sys.stderr)
        sys.stderr.flush()
        await stopped.wait()
        await operators.drain(*(drain or (0.0, stopped)))


if __name__ == "__main__":
    main()
