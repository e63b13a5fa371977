"""The options of a run, each defined once: name, type, default, bounds and help.

    command line ──typer──► RunOptions ──build_plan──► RunPlan

``run`` and ``experiment`` offer these fields as options; their order is the order of --help.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

import typer

from trainee_bench.harness.records.plan import ExecutorName, PlanError, Transport
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.mcp_servers.serving.result_text import ResultView
from trainee_bench.meta_tasks.task_context import Modality

EXECUTION = frozenset({"max_concurrency", "executor", "workers"})
"""Options that change how a run is executed, not its results; they combine with --resume."""


@dataclass(frozen=True)
class RunOptions:
    """The options of one run; None and "" mean the default."""

    config: Annotated[
        Path | None,
        typer.Option(help="Benchmark: a JSON file, or the name of a shipped benchmark."),
    ] = None
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="A built-in agent, or your own as module:Class. Repeatable (default: the oracle "
            "and the sprayer, with the model scripted-fair)."
        ),
    ] = None
    agent_command: Annotated[
        list[str] | None,
        typer.Option(
            help="A program as an agent: its command line with {mcp_config} and {prompt_file}. "
            "Repeatable."
        ),
    ] = None
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="A model's alias in api_config.json, or a scripted model. Repeatable; combines "
            "with --agent."
        ),
    ] = None
    npc_model: Annotated[
        str | None,
        typer.Option(help="Model that plays the colleagues (default: they follow a script)."),
    ] = None
    api_config: Annotated[
        Path | None,
        typer.Option(help="File that defines the models (default: api_config.json)."),
    ] = None
    scenario: Annotated[
        list[str] | None, typer.Option(help="Run only the scenario with this name. Repeatable.")
    ] = None
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, help="Run at most this many scenarios.")
    ] = None
    seed: Annotated[int | None, typer.Option(help="Override the scenarios' seeds.")] = None
    epochs: Annotated[int, typer.Option(min=1, help="Attempts per agent and day.")] = 1
    guidance: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=3,
            help="Hints in tasks: 1 strategy, 2 also where to look, 3 also how to do it.",
        ),
    ] = None
    ask_confidence: Annotated[
        bool,
        typer.Option(
            "--ask-confidence",
            help="Ask agents to say with each submission how sure they are that it is right, in "
            "percent. The report shows whether they are right so often.",
        ),
    ] = False
    modality: Annotated[
        Modality | None,
        typer.Option(help="Show visual material as pictures, or as tables for text-only models."),
    ] = None
    system_prompt: Annotated[
        str, typer.Option(help="System prompt: a built-in name, or module:Class.")
    ] = ""
    history: Annotated[
        str, typer.Option(help="Conversation history: a built-in name, or module:Class.")
    ] = ""
    service: Annotated[
        str, typer.Option(help="Model service: completions, streaming, or module:Class.")
    ] = ""
    record_tokens: Annotated[
        bool,
        typer.Option(
            "--record-tokens",
            help="Record the token ids and log-probabilities of model replies, if the model's "
            "server returns them.",
        ),
    ] = False
    agent_isolation: Annotated[
        str | None,
        typer.Option(help="Isolation of --agent-command: none, sandbox, or user:NAME."),
    ] = None
    agent_env: Annotated[
        list[str] | None,
        typer.Option(help="Environment variable to pass to --agent-command. Repeatable."),
    ] = None
    agent_allow: Annotated[
        list[Path] | None,
        typer.Option(help="Path that --agent-command may read in its sandbox. Repeatable."),
    ] = None
    agent_results: Annotated[
        ResultView | None,
        typer.Option(
            help="Format of tool results for --agent-command: text (default), or structured, which "
            "adds the same as data. Many programs show a model only the data."
        ),
    ] = None
    max_steps: Annotated[int, typer.Option(min=1, help="Limit of turns per day.")] = (
        EpisodeLimits().steps
    )
    max_tokens: Annotated[
        int | None,
        typer.Option(min=1, help="Limit of tokens per day, prompts and replies together."),
    ] = None
    max_cost: Annotated[
        float | None, typer.Option(min=0.000_001, help="Limit of cost per day in US dollars.")
    ] = None
    max_seconds: Annotated[
        float | None, typer.Option(min=0.000_001, help="Limit of real seconds per day.")
    ] = None
    thinking: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Let thinking take time: N output tokens of a model take a simulated minute "
            "(default: none).",
        ),
    ] = None
    transport: Annotated[Transport, typer.Option(help="How agents reach the MCP servers.")] = (
        Transport.MEMORY
    )
    max_concurrency: Annotated[
        int | None, typer.Option(min=1, help="Episodes at the same time (default: 4).")
    ] = None
    executor: Annotated[
        ExecutorName | None, typer.Option(help="Execution backend (default: async).")
    ] = None
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="Workers of the backends processes and ray (default: one per CPU)."
        ),
    ] = None
    part: Annotated[
        str | None,
        typer.Option(
            metavar="K/N",
            help="Run only part K of N; `merge` joins the parts of several machines.",
        ),
    ] = None
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="New folder for the results (default: runs/NAME-NUMBER)."),
    ] = None
    resume: Annotated[
        Path | None, typer.Option(help="Continue the interrupted run in this folder.")
    ] = None
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Forecast tokens and cost without running anything. Needs no key."
        ),
    ] = False

    @property
    def limits(self) -> EpisodeLimits:
        """Return the limits of each episode."""
        return EpisodeLimits(
            steps=self.max_steps,
            tokens=self.max_tokens,
            cost_usd=self.max_cost,
            seconds=self.max_seconds,
            tokens_per_minute=self.thinking,
        )

    def changed(self) -> frozenset[str]:
        """Return the names of the fields that differ from their defaults; an empty list does
        not."""
        return frozenset(
            field.name
            for field in fields(self)
            if getattr(self, field.name) not in (field.default, [])
        )

    def check_resume(self) -> None:
        """Raise PlanError if --resume comes with an option that is not in `EXECUTION`."""
        if self.changed() - EXECUTION - {"resume"}:
            raise PlanError(
                "--resume continues with the recorded configuration; it combines only with "
                "--max-concurrency, --executor and --workers."
            )

    def check_dry_run(self) -> None:
        """Raise PlanError if --dry-run comes with a folder to write to or to read from."""
        if self.changed() & {"out", "resume", "source"}:
            raise PlanError(
                "--dry-run forecasts a new run and writes nothing; it does not combine with "
                "--out, --resume or --from."
            )


@dataclass(frozen=True)
class ExperimentOptions(RunOptions):
    """The options of one experiment."""

    resume: Annotated[
        Path | None, typer.Option(help="Continue the interrupted experiment in this folder.")
    ] = None
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="Use the results in this folder instead of running (main, workload, "
            "difficulty, reliability).",
        ),
    ] = None
    people: Annotated[
        Path | None,
        typer.Option(help="A run that people guided, to compare with our hints (guidance)."),
    ] = None
