"""``python -m harness.run``: a batch of episodes, its table and its report.

Without arguments: the quickstart, with the agents ``oracle`` and ``nothing``.
Exit 0 when every episode ran, 1 when one broke, 2 on wrong use.
"""

from __future__ import annotations

from pathlib import Path

import anyio
import typer
from rich.console import Console

from trainee_bench.harness.analysis.report.publish import publish_report
from trainee_bench.harness.batch import options
from trainee_bench.harness.batch.batch_runner import pending_sequences, run_batch
from trainee_bench.harness.batch.executors.factory import create_executor
from trainee_bench.harness.batch.forecast_table import show_forecast
from trainee_bench.harness.batch.pipeline import resume_plan
from trainee_bench.harness.batch.plan_builder import RunOptions, build_plan
from trainee_bench.harness.batch.progress import show_progress
from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.documents.document import Document
from trainee_bench.harness.records.plan import PlanError, RunPlan, Transport
from trainee_bench.harness.records.results import EpisodeResult, ResultFileError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.session.agent_session import EpisodeLimits
from trainee_bench.harness.support.console import output_console
from trainee_bench.harness.support.signals import sigterm_as_interrupt


def command(
    config: options.Config = None,
    agent: options.Agent = None,
    scenario: options.Scenario = None,
    limit: options.Limit = None,
    transport: options.Transport = Transport.MEMORY,
    max_concurrency: options.MaxConcurrency = None,
    executor: options.Executor = None,
    workers: options.Workers = None,
    epochs: options.Epochs = 1,
    seed: options.Seed = None,
    model: options.Model = None,
    npc_model: options.NpcModel = None,
    api_config: options.ApiConfig = None,
    agent_command: options.AgentCommand = None,
    agent_isolation: options.AgentIsolation = None,
    agent_env: options.AgentEnv = None,
    agent_allow: options.AgentAllow = None,
    system_prompt: options.SystemPrompt = "",
    history: options.History = "",
    service: options.Service = "",
    guidance: options.Guidance = None,
    modality: options.Modality = None,
    max_steps: options.MaxSteps = options.DEFAULT_STEPS,
    max_tokens: options.MaxTokens = None,
    max_cost: options.MaxCost = None,
    max_seconds: options.MaxSeconds = None,
    out: options.Out = None,
    resume: options.Resume = None,
    dry_run: options.DryRun = False,
) -> None:
    """Run agents on the days of a benchmark, grade them, and write a report."""
    asked = RunOptions(
        config=config,
        agents=agent or (),
        scenarios=scenario or (),
        limit=limit,
        transport=transport,
        max_concurrency=max_concurrency,
        executor=executor,
        workers=workers,
        epochs=epochs,
        seed=seed,
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
        guidance=guidance,
        modality=modality,
        limits=EpisodeLimits(
            steps=max_steps, tokens=max_tokens, cost_usd=max_cost, seconds=max_seconds
        ),
        allow_missing_keys=dry_run,
    )
    raise typer.Exit(int((_show_forecast if dry_run else _carry_out)(asked, out, resume)))


def _show_forecast(asked: RunOptions, out: Path | None, resume: Path | None) -> bool:
    """Tell what the run would take; nothing is asked and nothing written, nothing is missing."""
    try:
        if resume is not None or out is not None:
            raise PlanError(
                "--dry-run is of a new run, and writes nothing: leave out --out/--resume."
            )
        show_forecast(output_console(), build_plan(asked))
    except PlanError as error:
        typer.echo(f"trainee-bench run: {error}", err=True)
        raise typer.Exit(2) from None
    return False


def _carry_out(asked: RunOptions, out: Path | None, resume: Path | None) -> bool:
    """Make or take up the run and execute it; whether anything broke or is missing."""
    try:
        plan, folder = _resume_run(asked, out, resume) if resume else _create_run(asked, out)
        with sigterm_as_interrupt():
            results = execute_plan(plan, folder, output_console(), asked.max_concurrency)
    except (PlanError, ResultFileError) as error:
        typer.echo(f"trainee-bench run: {error}", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        typer.echo("Interrupted; go on with --resume and the run's folder.", err=True)
        raise typer.Exit(130) from None
    missing = sum(1 for _ in plan.episode_specs()) - len(results)
    return missing > 0 or any(result.broken for result in results)


def execute_plan(
    plan: RunPlan,
    folder: RunFolder,
    console: Console,
    concurrency: int | None = None,
) -> list[EpisodeResult]:
    """Run what *plan* still lacks, show and write what came of all; every result.

    Raises PlanError if somebody else works on the run or its executor is not to be had,
    ResultFileError if its result file is damaged.
    """
    executor = create_executor(plan.executor, plan.workers)
    with folder.locked():
        done = folder.prepare_results()
        courses = pending_sequences(plan, {result.episode for result in done})
        orders = [order for course in courses for order in course]
        with show_progress(console, orders, len(done)) as watch:
            at_a_time = concurrency or plan.max_concurrency
            anyio.run(run_batch, courses, folder, executor, at_a_time, watch)
        results = folder.ledger.read()
        report = anyio.run(publish_report, folder, plan, results)
    _show(console, folder, report)
    return results


def _create_run(asked: RunOptions, out: Path | None) -> tuple[RunPlan, RunFolder]:
    plan = build_plan(asked)
    return plan, RunFolder.create(out, plan)


def _resume_run(asked: RunOptions, out: Path | None, resume: Path) -> tuple[RunPlan, RunFolder]:
    """The plan and the folder of the run in *resume*. Raises PlanError for any other option."""
    plain = RunOptions(
        max_concurrency=asked.max_concurrency, executor=asked.executor, workers=asked.workers
    )
    if out is not None or asked != plain:
        raise PlanError(
            "--resume goes on with the configuration that the run recorded; besides it only "
            "--max-concurrency, --executor and --workers can be given."
        )
    folder = RunFolder.open(resume)
    return resume_plan(folder, asked.executor, asked.workers), folder


def _show(console: Console, folder: RunFolder, report: Document) -> None:
    """The table, what could not be graded, and where the report is."""
    console.print()
    print_document(report, console)
    pages = f"Report: {folder.path / 'report.html'}, its tables: {folder.report}"
    console.print(pages, markup=False, soft_wrap=True)


if __name__ == "__main__":
    typer.run(command)
