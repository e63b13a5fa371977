"""``python -m harness.experiment NAME``: one of the paper's experiments, from runs to its page.

    python -m harness.experiment main --model scripted
    python -m harness.experiment workload --from runs/main-001

Exit 0 when every episode ran, 1 when one broke or is missing, 2 on wrong use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from trainee_bench.harness.analysis.experiments.continual import ContinualExperiment
from trainee_bench.harness.analysis.experiments.difficulty import DifficultyExperiment
from trainee_bench.harness.analysis.experiments.experiment import Experiment
from trainee_bench.harness.analysis.experiments.folder import ExperimentFolder
from trainee_bench.harness.analysis.experiments.guidance import GuidanceExperiment
from trainee_bench.harness.analysis.experiments.main import MainExperiment
from trainee_bench.harness.analysis.experiments.workload import WorkloadExperiment
from trainee_bench.harness.batch import options
from trainee_bench.harness.batch.forecast_table import show_forecast
from trainee_bench.harness.batch.pipeline import resume_plan, with_executor
from trainee_bench.harness.batch.plan_builder import RunOptions
from trainee_bench.harness.documents.console import console_table
from trainee_bench.harness.records.plan import PlanError, Transport
from trainee_bench.harness.records.results import ResultFileError
from trainee_bench.harness.run import execute_plan
from trainee_bench.harness.session.agent_session import EpisodeLimits
from trainee_bench.harness.support.console import output_console
from trainee_bench.harness.support.signals import sigterm_as_interrupt

EXPERIMENTS: dict[str, Experiment] = {
    made.name: made
    for made in (
        MainExperiment(),
        WorkloadExperiment(),
        DifficultyExperiment(),
        ContinualExperiment(),
        GuidanceExperiment(),
    )
}
ExperimentName = StrEnum("Name", {name.upper(): name for name in EXPERIMENTS})  # type: ignore[misc]
FromOption = Annotated[
    Path | None,
    typer.Option(
        "--from", help="Run nothing: use the results in this folder (main, workload, difficulty)."
    ),
]
ResumeOption = Annotated[
    Path | None, typer.Option(help="Go on with the experiment in this folder.")
]


def command(
    experiment: Annotated[
        ExperimentName, typer.Argument(help="Which; the paper's Tables 2-5, Figure 4.")
    ],
    model: options.Model = None,
    config: options.Config = None,
    scenario: options.Scenario = None,
    limit: options.Limit = None,
    seed: options.Seed = None,
    modality: options.Modality = None,
    epochs: options.Epochs = 1,
    agent: options.Agent = None,
    agent_command: options.AgentCommand = None,
    agent_isolation: options.AgentIsolation = None,
    agent_env: options.AgentEnv = None,
    agent_allow: options.AgentAllow = None,
    npc_model: options.NpcModel = None,
    api_config: options.ApiConfig = None,
    system_prompt: options.SystemPrompt = "",
    history: options.History = "",
    service: options.Service = "",
    transport: options.Transport = Transport.MEMORY,
    max_concurrency: options.MaxConcurrency = None,
    executor: options.Executor = None,
    workers: options.Workers = None,
    max_steps: options.MaxSteps = options.DEFAULT_STEPS,
    max_tokens: options.MaxTokens = None,
    max_cost: options.MaxCost = None,
    max_seconds: options.MaxSeconds = None,
    out: options.Out = None,
    resume: ResumeOption = None,
    source: FromOption = None,
    dry_run: options.DryRun = False,
) -> None:
    """Run one of the paper's experiments and write its table and figure."""
    asked = RunOptions(
        config=config,
        agents=agent or (),
        scenarios=scenario or (),
        limit=limit,
        seed=seed,
        modality=modality,
        transport=transport,
        max_concurrency=max_concurrency,
        executor=executor,
        workers=workers,
        epochs=epochs,
        models=model or (),
        npc_model=npc_model,
        api_config=api_config,
        commands=agent_command or (),
        isolation=agent_isolation,
        agent_env=agent_env or (),
        agent_allow=agent_allow or (),
        system_prompt=system_prompt,
        history=history,
        service=service,
        limits=EpisodeLimits(
            steps=max_steps, tokens=max_tokens, cost_usd=max_cost, seconds=max_seconds
        ),
        allow_missing_keys=dry_run,
    )
    raise typer.Exit(
        int(_begin_or_resume(EXPERIMENTS[experiment.value], asked, out, resume, source))
    )


def _begin_or_resume(
    experiment: Experiment,
    asked: RunOptions,
    out: Path | None,
    resume: Path | None,
    source: Path | None,
) -> bool:
    """Begin the experiment or take it up and carry it out; whether anything broke or is missing."""
    try:
        if asked.allow_missing_keys:
            _show_forecasts(experiment, asked, [out, resume, source])
            return False
        folder = _folder(experiment, asked, out, resume, source)
        with sigterm_as_interrupt():
            return run_experiment(experiment, folder, output_console(), asked)
    except (PlanError, ResultFileError) as error:
        typer.echo(f"trainee-bench experiment: {error}", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        typer.echo("Interrupted; go on with --resume and the experiment's folder.", err=True)
        raise typer.Exit(130) from None


def _show_forecasts(
    experiment: Experiment, asked: RunOptions, folders: Sequence[Path | None]
) -> None:
    """Tell what the experiment would take; nothing is asked and nothing written."""
    if any(folders):
        raise PlanError(
            "--dry-run is of a new experiment, and writes nothing: leave out --out, --resume and "
            "--from."
        )
    console, plans = output_console(), experiment.plans(asked)
    for name, plan in plans.items():
        if len(plans) > 1:
            console.print(f"{experiment.name}: {name}", markup=False)
        show_forecast(console, plan)


def run_experiment(
    experiment: Experiment, folder: ExperimentFolder, console: Console, asked: RunOptions
) -> bool:
    """Run what *folder* still lacks and write its page; whether anything broke or is missing.

    Of what was *asked* only says how: how many at a time, by which executor.

    Raises PlanError if somebody else works on a run, ResultFileError if a result file is damaged.
    """
    if not folder.borrowed:
        for name, run in folder.runs.items():
            if len(folder.runs) > 1:
                console.print(f"{experiment.name}: {name}", markup=False)
            plan = with_executor(run.plan(), asked.executor, asked.workers)
            execute_plan(plan, run, console, asked.max_concurrency)
    found = folder.read_results()
    page = experiment.page(found)
    written = folder.publish(page)
    console.print()
    console.print(page.title, markup=False)
    console.print(console_table(page.main_grid))
    console.print(f"Page: {written}", markup=False, soft_wrap=True)
    planned = sum(1 for plan in found.plans.values() for _ in plan.episode_specs())
    return len(found.all) < planned or any(result.broken for result in found.all)


def _folder(
    experiment: Experiment,
    asked: RunOptions,
    out: Path | None,
    resume: Path | None,
    source: Path | None,
) -> ExperimentFolder:
    """The folder to work in, new or taken up again. Raises PlanError."""
    plain = replace(asked, max_concurrency=None, executor=None, workers=None) == RunOptions()
    if resume is not None:
        if out is not None or source is not None or not plain:
            raise PlanError(
                "--resume goes on with what the experiment recorded; besides it only "
                "--max-concurrency, --executor and --workers can be given."
            )
        folder = ExperimentFolder.open(resume)
        if folder.experiment != experiment.name:
            raise PlanError(
                f"{resume} holds the experiment {folder.experiment}: go on with it by "
                f"`experiment {folder.experiment} --resume {resume}`."
            )
        for run in folder.runs.values() if not folder.borrowed else ():
            resume_plan(run, asked.executor, asked.workers)
        return folder
    if source is None:
        return ExperimentFolder.create(out, experiment.name, experiment.plans(asked))
    if not experiment.any_run or not plain:
        raise PlanError(
            "--from takes the results of a run as they are, for main, workload and difficulty; "
            "besides it only --out can be given."
        )
    return ExperimentFolder.create_from(out, experiment.name, source)


if __name__ == "__main__":
    typer.run(command)
