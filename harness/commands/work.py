"""``trainee-bench work WORLD STEP``: work a staged day or week by hand, through its MCP server.

``prompt`` prints the prompt that an agent gets, and ``tools`` lists the tools. ``call`` reads calls
from standard input, one line of JSON each. ``next-day`` begins the next day of a week. Exit code 0,
1 if no day follows, 2 for a file that is not a world.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import anyio
import typer

from trainee_bench.harness.episodes.manual_work import (
    answer_lines,
    morning_prompt,
    next_day,
    tool_lines,
)
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.mcp_servers.office import AppUnavailable, UnknownApp
from trainee_bench.world.errors import Refused, WorldFileError


class WorkStep(StrEnum):
    """The steps of working by hand."""

    PROMPT = "prompt"
    TOOLS = "tools"
    CALL = "call"
    NEXT_DAY = "next-day"


def command(
    world: Annotated[Path, typer.Argument(help="World file.", metavar="WORLD")],
    step: Annotated[
        WorkStep,
        typer.Argument(
            help=(
                "prompt: print the prompt that an agent gets. tools: list the tools as JSON lines. "
                'call: read calls from standard input, each a line {"tool": …, "args": {…}}. '
                "next-day: end this day of a week and begin the next."
            ),
            metavar="STEP",
        ),
    ],
) -> None:
    """Work a staged day or week by hand, through its MCP server."""
    with exit_on_error("work", WorldFileError, UnknownApp, AppUnavailable):
        if step is WorkStep.PROMPT:
            typer.echo(anyio.run(morning_prompt, world))
        elif step is WorkStep.TOOLS:
            typer.echo("\n".join(anyio.run(tool_lines, world)))
        elif step is WorkStep.CALL:
            anyio.run(_call, world)
        else:
            _begin_next_day(world)


async def _call(world: Path) -> None:
    async for line in answer_lines(world, sys.stdin):
        typer.echo(line)
        sys.stdout.flush()


def _begin_next_day(world: Path) -> None:
    try:
        typer.echo(anyio.run(next_day, world))
    except Refused as error:
        typer.echo(f"trainee-bench work: {error}", err=True)
        raise typer.Exit(1) from None
