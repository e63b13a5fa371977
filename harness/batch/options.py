"""The options of a run: one definition, from which commands, their help and plans are made.

RunOptions ──make_command──► trainee-bench run, trainee-bench experiment
           ──build_plan───► RunPlan
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, TypeVar, get_type_hints

import typer

from trainee_bench.harness.records.plan import ExecutorName, Transport
from trainee_bench.harness.session.agent_session import EpisodeLimits
from trainee_bench.meta_tasks.task_context import Modality

_DEFAULT_STEPS = EpisodeLimits().steps


@dataclass(frozen=True)
class RunOptions:
    """The options of a run by their names on the command line, in the order of ``--help``.

    None stands for the default that the help names.
    """

    config: Annotated[
        Path | None,
        typer.Option(help="Benchmark: a shipped name or a JSON file. Default: quickstart."),
    ] = None
    scenario: Annotated[
        list[str] | None, typer.Option(help="Run only the scenario with this name. Repeatable.")
    ] = None
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, help="Run at most this many scenarios.")
    ] = None
    seed: Annotated[int | None, typer.Option(help="Override the scenarios' seeds.")] = None
    modality: Annotated[
        Modality | None,
        typer.Option(help="Show pictures, or tables instead of pictures for text-only models."),
    ] = None
    guidance: Annotated[
        int | None,
        typer.Option(min=0, max=3, help="Hints: 0 none, 1 strategy, 2 where to look, 3 how."),
    ] = None
    epochs: Annotated[int, typer.Option(min=1, help="Attempts of each agent at each day.")] = 1
    agent: Annotated[
        list[str] | None,
        typer.Option(help="Agent: a built-in name or your own module:Name. Repeatable."),
    ] = None
    model: Annotated[
        list[str] | None,
        typer.Option(help="Model: an alias in api_config.json, or scripted. Repeatable."),
    ] = None
    npc_model: Annotated[
        str | None, typer.Option(help="Model that plays colleagues. Default: scripted colleagues.")
    ] = None
    api_config: Annotated[
        Path | None, typer.Option(help="File that defines models. Default: api_config.json.")
    ] = None
    service: Annotated[
        str, typer.Option(help="How models are called: completions, streaming, or module:Class.")
    ] = ""
    system_prompt: Annotated[
        str, typer.Option(help="System prompt for models: a name or module:Class.")
    ] = ""
    history: Annotated[
        str, typer.Option(help="Message history for models: a name or module:Class.")
    ] = ""
    agent_command: Annotated[
        list[str] | None,
        typer.Option(
            help="Command line of an external agent; may use {mcp_config}, {prompt_file}."
        ),
    ] = None
    agent_isolation: Annotated[
        str | None,
        typer.Option(help="What hides this machine from that command: none, sandbox, user:NAME."),
    ] = None
    agent_env: Annotated[
        list[str] | None,
        typer.Option(help="Environment variable to pass to that command. Repeatable."),
    ] = None
    agent_allow: Annotated[
        list[Path] | None,
        typer.Option(help="Path that command may read in its sandbox. Repeatable."),
    ] = None
    transport: Annotated[Transport, typer.Option(help="How agents reach the MCP servers.")] = (
        Transport.MEMORY
    )
    executor: Annotated[
        ExecutorName | None, typer.Option(help="Execution backend. Default: async (this process).")
    ] = None
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Workers of processes and ray. Default: one per processor."),
    ] = None
    max_concurrency: Annotated[
        int | None, typer.Option(min=1, help="Episodes that run at the same time. Default: 4.")
    ] = None
    max_steps: Annotated[int, typer.Option(min=1, help="Turns per episode.")] = _DEFAULT_STEPS
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens per episode.")] = None
    max_cost: Annotated[
        float | None, typer.Option(min=0.000_001, help="US dollars per episode.")
    ] = None
    max_seconds: Annotated[
        float | None, typer.Option(min=0.000_001, help="Wall-clock seconds per episode.")
    ] = None
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="New folder to write. Default: runs/NAME-NUMBER."),
    ] = None
    resume: Annotated[
        Path | None, typer.Option(help="Continue the interrupted run in this folder.")
    ] = None
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only estimate tokens and cost. Needs no key.")
    ] = False

    @property
    def limits(self) -> EpisodeLimits:
        """The limits of each episode."""
        return EpisodeLimits(
            steps=self.max_steps,
            tokens=self.max_tokens,
            cost_usd=self.max_cost,
            seconds=self.max_seconds,
        )

    def given(self) -> frozenset[str]:
        """The names of the options whose value is not the default."""
        return frozenset(
            one.name for one in fields(self) if getattr(self, one.name) not in (one.default, [], ())
        )


EXECUTION_OPTIONS = frozenset({"executor", "max_concurrency", "workers"})
"""How a plan is executed, not what it is: these can be given with ``--resume``, too."""

Options = TypeVar("Options", bound=RunOptions)


def make_command(
    handler: Callable[..., None],
    options: type[Options],
    *arguments: inspect.Parameter,
    without: Collection[str] = (),
) -> Callable[..., None]:
    """A typer command that calls *handler* with *arguments* by name and ``options=``.

    Its signature is *arguments* and the fields of *options*, except those called in *without*.
    """
    hints = get_type_hints(options, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        *arguments,
        *(
            inspect.Parameter(one.name, keyword, default=one.default, annotation=hints[one.name])
            for one in fields(options)
            if one.name not in without
        ),
    ]

    def command(**values: object) -> None:
        leading = {one.name: values.pop(one.name) for one in arguments}
        handler(**leading, options=options(**values))  # type: ignore[arg-type] # typer checked them

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__doc__, command.__name__ = handler.__doc__, handler.__name__
    return command
