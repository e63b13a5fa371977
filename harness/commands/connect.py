"""``trainee-bench connect CLIENT``: the configuration with which an MCP client works a day.

    trainee-bench connect claude-desktop              print it
    trainee-bench connect codex --write               add it to the client's own file
    trainee-bench connect cursor --scenario NAME --world my-day.world --write

Exit code 0 if it was printed or written, 2 for a usage error or a file that cannot be changed.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Annotated

import anyio
import typer

from trainee_bench.harness.clients.client_table import CLIENTS, server_command
from trainee_bench.harness.clients.config_file import (
    CannotConfigure,
    ConfigChange,
    render_config,
    write_config,
)
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.mcp_servers.office import OFFICE
from trainee_bench.meta_tasks.benchmark import (
    Benchmark,
    BenchmarkError,
    find_scenario,
    parse_benchmark,
)
from trainee_bench.meta_tasks.offices.opened import find_office
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World

_NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")
"""The longest server name: clients prefix tool names with it, and both may have 64 characters."""


def command(
    client: Annotated[str, typer.Argument(help=f"One of {', '.join(CLIENTS)}.", metavar="CLIENT")],
    scenario: Annotated[
        str | None,
        typer.Option(help="Scenario of the day to work (default: the quickstart's first)."),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="Your own benchmark file that has the scenario.")
    ] = None,
    world: Annotated[
        Path | None,
        typer.Option(
            help="World file of the day (default: SCENARIO.world in this folder). It is created "
            "when the client starts the server."
        ),
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the server in the client.")] = OFFICE,
    write: Annotated[
        bool,
        typer.Option("--write", help="Write it to the client's file instead of printing it."),
    ] = False,
    file: Annotated[
        Path | None, typer.Option(help="The client's configuration file, if it is elsewhere.")
    ] = None,
) -> None:
    """Print or write the configuration with which an MCP client works a day."""
    with exit_on_error("connect", CannotConfigure, BenchmarkError, WorldFileError):
        if client not in CLIENTS:
            raise CannotConfigure(f"unknown client {client!r}; it may be {', '.join(CLIENTS)}.")
        if not _NAME.fullmatch(name):
            raise CannotConfigure(
                f"--name {name}: use at most 32 letters, digits, hyphens and underscores."
            )
        wanted = find_scenario(scenario, _own_benchmark(config))
        world = (world or Path(f"{wanted.name}.world")).absolute()
        anyio.run(_check_world, world, None if scenario is None and config is None else wanted.name)
        office = find_office(wanted.office).folder if wanted.office else None
        chosen, line = CLIENTS[client], server_command(world, config, scenario, office)
        path = (file or chosen.file()).absolute()
        if write:
            change = write_config(path, chosen, name, line)
            message = f"{path}: the server {name!r} {_CHANGES[change]}."
        else:
            typer.echo(render_config(chosen, name, line), nl=False)
            message = f"{chosen.title} reads it from {path}; --write adds it there."
    opened = ["--office", str(office)] if office is not None else []
    grade = shlex.join(["trainee-bench", "grade", str(world), *opened])
    for text in (message, chosen.hint, f"Grade the day: {grade}"):
        if text:
            typer.echo(text, err=True)


_CHANGES = {
    ConfigChange.ADDED: "was added; nothing else was changed",
    ConfigChange.REPLACED: "was brought up to date; nothing else was changed",
    ConfigChange.SAME: "was there already, and nothing was changed",
}


def _own_benchmark(config: Path | None) -> Benchmark | None:
    """Return the benchmark in *config*. Raises BenchmarkError, naming the file."""
    if config is None:
        return None
    try:
        return parse_benchmark(config.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, BenchmarkError) as error:
        raise BenchmarkError(f"--config {config}: {error}") from None


async def _check_world(path: Path, wanted: str | None) -> None:
    """Raise WorldFileError if *path* cannot become a world, or holds another scenario."""
    if not path.exists():
        if not path.parent.is_dir():
            raise WorldFileError(f"There is no folder {path.parent}; create it or choose another.")
        return
    async with await World.open(path) as world:
        held = json.loads(await world.read(lambda tx: tx.fact("scenario")))
    there = held.get("scenario", {}).get("name")
    if wanted not in (None, there):
        raise WorldFileError(
            f"{path.name} holds the scenario {there!r}; leave --scenario out, or name a new file "
            "with --world."
        )
