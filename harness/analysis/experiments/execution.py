"""The experiments by name, and how to execute one: its runs, as ``run`` does them, then its
page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from rich.console import Console

from trainee_bench.harness.analysis.experiments.continual import ContinualExperiment
from trainee_bench.harness.analysis.experiments.difficulty import DifficultyExperiment
from trainee_bench.harness.analysis.experiments.experiment import Experiment
from trainee_bench.harness.analysis.experiments.folder import ExperimentFolder
from trainee_bench.harness.analysis.experiments.guidance import GuidanceExperiment
from trainee_bench.harness.analysis.experiments.learning import LearningExperiment
from trainee_bench.harness.analysis.experiments.main import MainExperiment
from trainee_bench.harness.analysis.experiments.reliability import ReliabilityExperiment
from trainee_bench.harness.analysis.experiments.thinking import ThinkingExperiment
from trainee_bench.harness.analysis.experiments.workload import WorkloadExperiment
from trainee_bench.harness.analysis.report.publish import print_and_publish
from trainee_bench.harness.batch.forecast import show_forecast
from trainee_bench.harness.batch.options import EXECUTION, ExperimentOptions
from trainee_bench.harness.batch.pipeline import Run, execute, open_run, resume_run
from trainee_bench.harness.documents.console import console_table
from trainee_bench.harness.records.plan import PlanError

EXPERIMENTS: Mapping[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        MainExperiment(),
        WorkloadExperiment(),
        DifficultyExperiment(),
        ContinualExperiment(),
        GuidanceExperiment(),
        LearningExperiment(),
        ReliabilityExperiment(),
        ThinkingExperiment(),
    )
}


@dataclass(frozen=True)
class OpenedExperiment:
    """An experiment in its folder, and the runs to execute, by name; none for borrowed results."""

    experiment: Experiment
    folder: ExperimentFolder
    runs: Mapping[str, Run]


def open_experiment(experiment: Experiment, options: ExperimentOptions) -> OpenedExperiment:
    """Open the experiment in a new folder, or in the one to resume.

    Raises PlanError for contradictory options and for requirements that this machine lacks, and
    ResultFileError for a damaged result file.
    """
    folder = _open_folder(experiment, options)
    paths = {} if folder.borrowed else {name: run.path for name, run in folder.runs.items()}
    if options.resume is None:  # just planned, so already validated
        runs = {name: open_run(path) for name, path in paths.items()}
    else:
        runs = {name: resume_run(path, options) for name, path in paths.items()}
    return OpenedExperiment(experiment, folder, runs)


def run_experiment(opened: OpenedExperiment, console: Console) -> bool:
    """Execute the missing episodes and write the page; return whether every episode was graded.

    Raises PlanError if another process works on a run, and ResultFileError for a damaged result
    file.
    """
    experiment = opened.experiment
    for name, run in opened.runs.items():
        if len(opened.runs) > 1:
            console.print(f"{experiment.name}: {name}", markup=False)
        print_and_publish(run, execute(run, console).results, console)
    found = opened.folder.read_results()
    page = experiment.page(found)
    written = opened.folder.publish(page)
    console.print()
    console.print(page.title, markup=False)
    console.print(console_table(page.main_grid))
    if page.lead:
        console.print(page.lead, markup=False, highlight=False)
    console.print(f"Page: {written[0]}, as text: {written[1]}", markup=False, soft_wrap=True)
    planned = sum(1 for plan in found.plans.values() for _ in plan.episode_specs())
    refused = any(plan.refused for plan in found.plans.values())
    broken = any(result.broken for result in found.all)
    return len(found.all) >= planned and not broken and not refused


def show_experiment_forecast(
    experiment: Experiment, options: ExperimentOptions, console: Console
) -> None:
    """Print the forecast of each run of *experiment*. Raises PlanError."""
    plans = experiment.plans(options)
    for name, plan in plans.items():
        if len(plans) > 1:
            console.print(f"{experiment.name}: {name}", markup=False)
        show_forecast(console, plan)


def _open_folder(experiment: Experiment, options: ExperimentOptions) -> ExperimentFolder:
    if options.resume is not None:
        options.check_resume()
        folder = ExperimentFolder.open(options.resume)
        if folder.experiment != experiment.name:
            again = ("experiment", folder.experiment, "--resume", str(options.resume))
            raise PlanError(
                f"{options.resume} holds the experiment {folder.experiment}: continue it with "
                f"`{shlex.join(again)}`."
            )
        return folder
    if options.people is not None and not experiment.takes_people:
        raise PlanError(
            "--people shows a run that people guided; only the experiment guidance takes it."
        )
    if options.source is None:
        plans = experiment.plans(options)
        return ExperimentFolder.create(options.out, experiment.name, plans, options.people)
    if not experiment.any_run or options.changed() - EXECUTION - {"source", "out"}:
        raise PlanError(
            "--from uses the results of a run as they are. Only main, workload, difficulty and "
            "reliability take it, and it combines only with --out."
        )
    return ExperimentFolder.create_from(options.out, experiment.name, options.source)
