"""The options that commands share: their types, bounds and what --help says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trainee_bench.harness.records import plan
from trainee_bench.harness.session.agent_session import EpisodeLimits
from trainee_bench.meta_tasks import task_context

Config = Annotated[
    Path | None,
    typer.Option(help="A benchmark: a JSON file of ours or the original's, or a shipped name."),
]
Agent = Annotated[
    list[str] | None,
    typer.Option(help="An agent of ours, or your own as module:Class. Repeat for several."),
]
Scenario = Annotated[
    list[str] | None, typer.Option(help="Only the scenario of this name. Repeatable.")
]
Limit = Annotated[
    int | None, typer.Option("--limit", "-n", min=1, help="At most so many scenarios.")
]
Transport = Annotated[plan.Transport, typer.Option(help="How agents reach the servers.")]
MaxConcurrency = Annotated[
    int | None, typer.Option(min=1, help="Episodes at a time; 4 if not given.")
]
Executor = Annotated[
    plan.ExecutorName | None,
    typer.Option(help="What episodes are spread over; async, which is this process, if not given."),
]
Workers = Annotated[
    int | None,
    typer.Option(min=1, help="For processes and ray: how many; one per processor if not given."),
]
Epochs = Annotated[int, typer.Option(min=1, help="How often each agent tries each day.")]
Seed = Annotated[
    int | None, typer.Option(help="Instead of the seeds in the file (where it has any).")
]
Model = Annotated[
    list[str] | None,
    typer.Option(help="An alias in api_config.json, or a scripted model. Repeatable."),
]
NpcModel = Annotated[
    str | None, typer.Option(help="The model that plays colleagues; scripted if not given.")
]
ApiConfig = Annotated[
    Path | None, typer.Option(help="Where models are described; api_config.json if not given.")
]
AgentCommand = Annotated[
    list[str] | None,
    typer.Option(help="An agent as a command line with {mcp_config} and {prompt_file}."),
]
AgentIsolation = Annotated[
    str | None,
    typer.Option(help="What hides this machine from the command: none, sandbox, or user:NAME."),
]
AgentEnv = Annotated[
    list[str] | None,
    typer.Option(help="A variable of the environment that the command gets. Repeatable."),
]
AgentAllow = Annotated[
    list[Path] | None,
    typer.Option(help="A path the command sees in its sandbox, read-only. Repeatable."),
]
SystemPrompt = Annotated[str, typer.Option(help="Another system prompt: a name, or module:Class.")]
History = Annotated[str, typer.Option(help="Another history: a name, or module:Class.")]
Service = Annotated[
    str,
    typer.Option(help="How a model is asked: completions, streaming, or your own module:Class."),
]
Guidance = Annotated[
    int | None, typer.Option(min=0, max=3, help="Hints: 1 strategy, 2 where to look, 3 how.")
]
Modality = Annotated[
    task_context.Modality | None,
    typer.Option(help="Pictures as pictures, or tables in their place for who cannot see."),
]
MaxSteps = Annotated[int, typer.Option(min=1, help="Turns in an episode.")]
MaxTokens = Annotated[int | None, typer.Option(min=1, help="Tokens an episode may take.")]
MaxCost = Annotated[
    float | None, typer.Option(min=0.000_001, help="US dollars an episode may cost.")
]
MaxSeconds = Annotated[
    float | None, typer.Option(min=0.000_001, help="Real seconds an episode may take.")
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Only tell the tokens and the cost to expect. Needs no key."),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="A new folder; runs/NAME-NUMBER if not given."),
]
Resume = Annotated[Path | None, typer.Option(help="Go on with the interrupted run in this folder.")]
DEFAULT_STEPS = EpisodeLimits().steps
