"""An experiment from its options to its page.

options ──open_experiment──► ExperimentFolder ──run_experiment──► runs, experiment.html
"""

from __future__ import annotations

from dataclasses import dataclass
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
from trainee_bench.harness.analysis.report.run_and_report import run_and_report
from trainee_bench.harness.batch.forecast_table import show_forecast
from trainee_bench.harness.batch.options import EXECUTION_OPTIONS, RunOptions
from trainee_bench.harness.batch.pipeline import Run, resume_run, with_executor
from trainee_bench.harness.documents.console import console_table
from trainee_bench.harness.records.plan import PlanError

EXPERIMENTS: dict[str, Experiment] = {
    one.name: one
    for one in (
        MainExperiment(),
        WorkloadExperiment(),
        DifficultyExperiment(),
        ContinualExperiment(),
        GuidanceExperiment(),
    )
}


@dataclass(frozen=True)
class ExperimentOptions(RunOptions):
    """The options of an experiment: those of a run, and where its results come from."""

    resume: Annotated[
        Path | None, typer.Option(help="Continue the interrupted experiment in this folder.")
    ] = None
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="Run nothing: use the results in this folder (main, workload, difficulty).",
        ),
    ] = None


def show_forecasts(experiment: Experiment, options: ExperimentOptions, console: Console) -> None:
    """Print the tokens and cost to expect of each run. Raises PlanError."""
    if options.out is not None or options.resume is not None or options.source is not None:
        raise PlanError("--dry-run writes nothing: leave out --out, --resume and --from.")
    plans = experiment.plans(options)
    for name, plan in plans.items():
        if len(plans) > 1:
            console.print(f"{experiment.name}: {name}", markup=False)
        show_forecast(console, plan)


def open_experiment(experiment: Experiment, options: ExperimentOptions) -> ExperimentFolder:
    """The experiment's folder: new, resumed, or with the results of another run.

    Raises PlanError for options that do not go together or a folder that cannot be used.
    """
    given = options.given()
    if options.resume is not None:
        if given - EXECUTION_OPTIONS - {"resume"}:
            raise PlanError(
                "--resume continues with the recorded options; only --max-concurrency, --executor "
                "and --workers can be given as well."
            )
        return _resume(experiment, options, options.resume)
    if options.source is None:
        return ExperimentFolder.create(options.out, experiment.name, experiment.plans(options))
    if not experiment.any_run or given - EXECUTION_OPTIONS - {"source", "out"}:
        raise PlanError(
            "--from uses the results of a run as they are, for main, workload and difficulty; only "
            "--out can be given as well."
        )
    return ExperimentFolder.create_from(options.out, experiment.name, options.source)


def _resume(experiment: Experiment, options: ExperimentOptions, path: Path) -> ExperimentFolder:
    folder = ExperimentFolder.open(path)
    if folder.experiment != experiment.name:
        raise PlanError(
            f"{path} holds the experiment {folder.experiment}: continue it with "
            f"`experiment {folder.experiment} --resume {path}`."
        )
    for run in folder.runs.values() if not folder.borrowed else ():
        resume_run(run, options.executor, options.workers)
    return folder


def run_experiment(
    experiment: Experiment, folder: ExperimentFolder, options: ExperimentOptions, console: Console
) -> bool:
    """Run what *folder* still lacks and write its page; whether every episode ran.

    Of *options* only those in EXECUTION_OPTIONS count; the plans are recorded. Raises PlanError
    if another process works on a run, ResultFileError if a result file is damaged.
    """
    if not folder.borrowed:
        for name, run in folder.runs.items():
            if len(folder.runs) > 1:
                console.print(f"{experiment.name}: {name}", markup=False)
            plan = with_executor(run.plan(), options.executor, options.workers)
            run_and_report(Run(plan, run, options.max_concurrency), console)
    results = folder.read_results()
    page = experiment.page(results)
    written = folder.publish(page)
    console.print()
    console.print(page.title, markup=False)
    console.print(console_table(page.main_grid))
    console.print(f"Page: {written}", markup=False, soft_wrap=True)
    planned = sum(1 for plan in results.plans.values() for _ in plan.episode_specs())
    return len(results.all) >= planned and not any(one.broken for one in results.all)
