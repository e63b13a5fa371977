"""``trainee-bench export sft|otel|inspect RUN OUT``: a run's episodes for other programs;
``export harbor CONFIG DIR``: the days of a benchmark as Harbor tasks.

Exit code 0 if the output was written, 2 if there is nothing to export or a file cannot be read or
written.
"""

from __future__ import annotations

import importlib.util
import json
import shlex
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from trainee_bench.harness.batch.benchmarks import LoadedBenchmark, load_benchmark
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.exports.otel import otel_trace
from trainee_bench.harness.exports.recorded_episodes import (
    CannotExport,
    JsonObject,
    RecordedEpisode,
    recorded_episodes,
)
from trainee_bench.harness.exports.sft import sft_examples
from trainee_bench.harness.exports.turn_rewards import turn_rewards
from trainee_bench.harness.integrations.harbor.task_folder import (
    CannotExportTasks,
    Containers,
    OneContainer,
    PackageSource,
)
from trainee_bench.harness.integrations.harbor.tasks import TaskOptions, export_tasks
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import ResultFileError
from trainee_bench.harness.support.commands import (
    CannotWriteOutput,
    check_output,
    exit_on_error,
    write_output,
)
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.task_context import CompositionError

command = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Write a run's episodes, or the days of a benchmark, for other programs.",
)
_Run = Annotated[Path, typer.Argument(help="Folder of the run.", metavar="RUN")]
_Out = Annotated[Path, typer.Argument(help="File to write (JSON lines).", metavar="OUT")]
_Logs = Annotated[Path, typer.Argument(help="Folder to write logs into.", metavar="OUT")]
_Agent = Annotated[str, typer.Option(help="Export only this agent's episodes.")]
_LeastScore = Annotated[
    float, typer.Option(min=0, max=1, help="Export only episodes with at least this score.")
]


@command.command("sft")
def sft(
    run: _Run,
    out: _Out,
    agent: _Agent = "",
    least_score: _LeastScore = 1.0,
    rewards: Annotated[
        bool,
        typer.Option(help="Add a reward to each message of the agent; run `worth RUN` first."),
    ] = False,
) -> None:
    """Write examples for supervised fine-tuning: chat messages and tools."""
    with exit_on_error("export", *_ERRORS):
        check_output(out, "OUT")
        chosen = (
            episode
            for episode in recorded_episodes(run, agent)
            if episode.result.score is not None and episode.result.score >= least_score
        )

        def render(episode: RecordedEpisode) -> list[JsonObject]:
            if not rewards:
                return sft_examples(episode)
            start, earned = turn_rewards(run, episode)
            examples = sft_examples(episode, earned)
            return [example | {"start_value": start} for example in examples]

        message = _write(out, chosen, render, "try a smaller --least-score or another --agent")
    typer.echo(message)


@command.command("otel")
def otel(run: _Run, out: _Out, agent: _Agent = "") -> None:
    """Write traces in OpenTelemetry's JSON encoding: turns, calls and scores."""
    with exit_on_error("export", *_ERRORS):
        check_output(out, "OUT")

        def render(episode: RecordedEpisode) -> list[JsonObject]:
            return [otel_trace(episode)]

        message = _write(out, recorded_episodes(run, agent), render, "try another --agent")
    typer.echo(message)


@command.command("inspect")
def inspect(run: _Run, out: _Logs, agent: _Agent = "") -> None:
    """Write logs for `inspect view`, one for each agent."""
    with exit_on_error("export", *_ERRORS):
        if importlib.util.find_spec("inspect_ai") is None:
            raise CannotExport(
                "Inspect is not installed here; run pip install 'trainee-bench[inspect]'"
            )
        # It takes two seconds to import, and most commands do not need it.
        from trainee_bench.harness.integrations.inspect_ai.run_logs import write_run_logs

        logs = write_run_logs(run, out, agent)
    for log in logs:
        typer.echo(log)
    typer.echo(f"Show them with: inspect view --log-dir {shlex.quote(str(out))}")


@command.command("harbor")
def harbor(
    config: Annotated[
        Path, typer.Argument(help="JSON file or shipped benchmark.", metavar="CONFIG")
    ],
    folder: Annotated[Path, typer.Argument(help="New folder to write to.", metavar="DIR")],
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, help="Export at most this many scenarios.")
    ] = None,
    wheel: Annotated[
        Path | None,
        typer.Option(
            help="Wheel of this version for the images to install (default: from the package "
            "index).",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    one_container: Annotated[
        bool,
        typer.Option(
            "--one-container",
            help="Write tasks of one container, for providers without Docker Compose.",
        ),
    ] = False,
    image: Annotated[
        str | None,
        typer.Option(
            help="Image of all tasks with --one-container (default: "
            f"{OneContainer.DEFAULT_IMAGE}, which deploy/image/build --harbor builds).",
        ),
    ] = None,
    agent_minutes: Annotated[
        int, typer.Option(min=1, help="Real minutes that an agent may take for a day.")
    ] = 120,
) -> None:
    """Write Harbor tasks: a folder for each day of a benchmark."""
    errors = (CannotExportTasks, CompositionError, PlanError, UnknownRuleError)
    with exit_on_error("export", *errors):
        benchmark = load_benchmark(config, None)
        if benchmark.unsupported or benchmark.refused:
            raise CannotExportTasks(_left_out(benchmark))
        containers = _containers(wheel, one_container, image)
        options = TaskOptions(containers, agent_minutes)
        chosen = benchmark.scenarios[:limit]
        made = export_tasks(benchmark.name, chosen, folder, options, typer.echo)
    trial = shlex.join(["harbor", "run", "-p", str(folder), "-a", "oracle"])
    typer.echo(f"{folder}: {pluralize(made, 'task')}. Try them: {trial}")
    typer.echo(
        f"Each task contains its scenario's seed ({containers.seed_file}) and a solution. Do not "
        "publish tasks with which you want to evaluate agents."
    )


def _containers(wheel: Path | None, one_container: bool, image: str | None) -> Containers:
    """Return how tasks are divided into containers. Raises CannotExportTasks for options that do
    not fit together."""
    if not one_container:
        if image is not None:
            raise CannotExportTasks(
                "--image names the image of tasks with --one-container; add it."
            )
        return PackageSource.of(wheel)
    if wheel is not None:
        raise CannotExportTasks(
            "--wheel is installed into the images of tasks with several containers. For "
            "--one-container, build the image with it: deploy/image/build --harbor WHEEL IMAGE.tar."
        )
    return OneContainer.of(OneContainer.DEFAULT_IMAGE if image is None else image)


def _left_out(benchmark: LoadedBenchmark) -> str:
    """Return a sentence about the part of *benchmark* that cannot be exported, and why."""
    if benchmark.unsupported:
        first = benchmark.unsupported[0]
        return f"{first.scenario} has the task {first.name}, which no family can generate."
    return f"{benchmark.refused[0].name} cannot be staged: {benchmark.refused[0].reason}"


_ERRORS = (CannotExport, CannotWriteOutput, PlanError, ResultFileError)


def _write(
    out: Path,
    episodes: Iterable[RecordedEpisode],
    render: Callable[[RecordedEpisode], Sequence[JsonObject]],
    otherwise: str,
) -> str:
    """Write the lines of *episodes* to *out*; return a sentence about it.

    Raises CannotExport, with *otherwise* as advice, if there are no episodes.
    """
    rendered = [render(episode) for episode in episodes]
    if not rendered:
        raise CannotExport(f"no episode of this run fits; {otherwise}")
    lines = [json.dumps(record, ensure_ascii=False) for group in rendered for record in group]
    write_output(out, "".join(f"{line}\n" for line in lines), "OUT")
    return f"{out}: {pluralize(len(rendered), 'episode')}"
