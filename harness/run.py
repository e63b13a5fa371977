"""``python -m harness.run``: a batch of episodes, its table and its report.

Without arguments: the quickstart, with the agents ``oracle`` and ``nothing``.
Exit 0 when every episode ran, 1 when one broke, 2 on wrong use.
"""

from __future__ import annotations

from pathlib import Path

import anyio
import typer
from rich.console import Console

from harness import options
from harness.batch import pending, run_batch
from harness.configuration import Asked, make_plan, refuse_unofferable
from harness.employment import refuse_unemployable
from harness.execution.executor import chosen, refuse_unavailable
from harness.interrupts import terminable
from harness.models.choosing import chosen_models, chosen_npc_model
from harness.outside.exposure import refuse_exposed, refuse_unworkable
from harness.plan import ExecutorName, Plan, PlanError, Transport
from harness.progress import watching
from harness.report.html import write_pages
from harness.report.markdown import markdown
from harness.report.outlook import show_forecast
from harness.report.summary import lines, unbuilt
from harness.report.table import console_table
from harness.results import EpisodeResult, LedgerError
from harness.run_folder import RunFolder
from harness.screen import screen
from harness.workplace import Limits


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
    max_steps: options.MaxSteps = options.STEPS,
    max_tokens: options.MaxTokens = None,
    max_cost: options.MaxCost = None,
    max_seconds: options.MaxSeconds = None,
    out: options.Out = None,
    resume: options.Resume = None,
    dry_run: options.DryRun = False,
) -> None:
    """Run agents on the days of a benchmark, grade them, and write a report."""
    asked = Asked(
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
        limits=Limits(steps=max_steps, tokens=max_tokens, cost_usd=max_cost, seconds=max_seconds),
        keyless=dry_run,
    )
    raise typer.Exit(int((_foretell if dry_run else _carry_out)(asked, out, resume)))


def _foretell(asked: Asked, out: Path | None, resume: Path | None) -> bool:
    """Tell what the run would take; nothing is asked and nothing written, nothing is missing."""
    try:
        if resume is not None or out is not None:
            raise PlanError(
                "--dry-run is of a new run, and writes nothing: leave out --out/--resume."
            )
        show_forecast(screen(), make_plan(asked))
    except PlanError as error:
        typer.echo(f"trainee-bench run: {error}", err=True)
        raise typer.Exit(2) from None
    return False


def _carry_out(asked: Asked, out: Path | None, resume: Path | None) -> bool:
    """Make or take up the run and execute it; whether anything broke or is missing."""
    try:
        plan, folder = _resumed(asked, out, resume) if resume else _begun(asked, out)
        with terminable():
            results = execute(plan, folder, screen(), asked.max_concurrency)
    except (PlanError, LedgerError) as error:
        typer.echo(f"trainee-bench run: {error}", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        typer.echo("Interrupted; go on with --resume and the run's folder.", err=True)
        raise typer.Exit(130) from None
    missing = sum(1 for _ in plan.orders()) - len(results)
    return missing > 0 or any(result.broken for result in results)


def execute(
    plan: Plan,
    folder: RunFolder,
    console: Console,
    concurrency: int | None = None,
) -> list[EpisodeResult]:
    """Run what *plan* still lacks, show and write what came of all; every result.

    Raises PlanError if somebody else works on the run or its executor is not to be had,
    LedgerError if its result file is damaged.
    """
    executor = chosen(plan.executor, plan.workers)
    with folder.claimed():
        done = folder.take_up()
        courses = pending(plan, {result.episode for result in done})
        orders = [order for course in courses for order in course]
        with watching(console, orders, len(done)) as watch:
            at_a_time = concurrency or plan.max_concurrency
            anyio.run(run_batch, courses, folder, executor, at_a_time, watch)
        results = folder.ledger.read()
        folder.report.write_text(markdown(plan, results), encoding="utf-8")
        anyio.run(write_pages, folder, plan, results)
    _show(console, folder, results)
    return results


def _begun(asked: Asked, out: Path | None) -> tuple[Plan, RunFolder]:
    plan = make_plan(asked)
    return plan, RunFolder.create(out, plan)


def _resumed(asked: Asked, out: Path | None, resume: Path) -> tuple[Plan, RunFolder]:
    """The plan and the folder of the run in *resume*. Raises PlanError for any other option."""
    plain = Asked(
        max_concurrency=asked.max_concurrency, executor=asked.executor, workers=asked.workers
    )
    if out is not None or asked != plain:
        raise PlanError(
            "--resume goes on with the configuration that the run recorded; besides it only "
            "--max-concurrency, --executor and --workers can be given."
        )
    folder = RunFolder.open(resume)
    return taken_up(folder, asked.executor, asked.workers), folder


def taken_up(folder: RunFolder, executor: ExecutorName | None, workers: int | None) -> Plan:
    """The plan of a run that is to go on, by *executor* if one is named.

    Raises PlanError for whatever is not at hand (any more) that it needs, LedgerError.
    """
    plan = folder.plan()
    refuse_unofferable(plan.scenarios)
    refuse_unemployable(plan.candidates)
    refuse_unworkable(plan.candidates, plan.backing)
    _refuse_unserved(plan, folder)
    plan = spread(plan, executor, workers)
    refuse_exposed(folder.path, plan)
    return plan


def _refuse_unserved(plan: Plan, folder: RunFolder) -> None:
    """Raise PlanError if a model that is still to be asked is not described or has no key."""
    done = {result.episode for result in folder.ledger.read() if result.error is None}
    orders = [order for course in pending(plan, done) for order in course]
    described = Path(plan.backing.api_config) if plan.backing.api_config else None
    chosen_models([order.candidate.model for order in orders if order.candidate.model], described)
    if orders:
        chosen_npc_model(plan.backing.npc_model, described)


def spread(plan: Plan, executor: ExecutorName | None, workers: int | None) -> Plan:
    """*plan* carried out by another executor, where one is named. Raises PlanError."""
    name = executor or plan.executor
    kept = plan.workers if name is plan.executor else None
    refuse_unavailable(name, workers or kept)
    return plan.model_copy(update={"executor": name, "workers": workers or kept})


def _show(console: Console, folder: RunFolder, results: list[EpisodeResult]) -> None:
    """The table, what could not be graded, and where the report lies."""
    console.print()
    console.print(console_table(lines(results)))
    missing = unbuilt(results)
    if missing:
        total = sum(missing.values())
        console.print(f"Not graded, because their family is not built: {total} tasks", markup=False)
        for name, count in missing.items():
            console.print(f"  {name}: {count}", markup=False)
    for result in results:
        if result.error is not None:
            console.print(f"Broke: {result.episode}: {result.error}", markup=False, soft_wrap=True)
        elif result.agent_error is not None:
            text = f"Own error of the agent: {result.episode}: {result.agent_error}"
            console.print(text, markup=False, soft_wrap=True)
    pages = f"Report: {folder.path / 'report.html'}, its tables: {folder.report}"
    console.print(pages, markup=False, soft_wrap=True)


if __name__ == "__main__":
    typer.run(command)
