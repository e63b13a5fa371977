"""``python -m harness.run``: a batch of episodes, its table and its report.

Without arguments: the quickstart, with the agents ``oracle`` and ``nothing``.
Exit 0 when every episode ran, 1 when one broke, 2 on wrong use.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import anyio
import typer
from rich.console import Console

from harness.batch import pending, run_batch
from harness.configuration import Asked, make_plan, refuse_unofferable
from harness.plan import Plan, PlanError, Transport
from harness.progress import watching
from harness.report.markdown import markdown
from harness.report.summary import lines, unbuilt
from harness.report.table import console_table
from harness.results import EpisodeResult, LedgerError
from harness.run_folder import RunFolder
from harness.screen import screen


def command(
    config: Annotated[
        Path | None,
        typer.Option(help="A benchmark: a JSON file of ours or the original's, or a shipped name."),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(help="An agent of ours, or your own as module:Class. Repeat for several."),
    ] = None,
    scenario: Annotated[
        list[str] | None, typer.Option(help="Only the scenario of this name. Repeatable.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, help="At most so many scenarios.")
    ] = None,
    transport: Annotated[
        Transport, typer.Option(help="How agents reach the servers.")
    ] = Transport.MEMORY,
    max_concurrency: Annotated[
        int | None, typer.Option(min=1, help="Episodes at a time; 4 if not given.")
    ] = None,
    epochs: Annotated[int, typer.Option(min=1, help="How often each agent tries each day.")] = 1,
    seed: Annotated[
        int | None, typer.Option(help="Instead of the seeds in the file (where it has any).")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="A new folder; runs/NAME-NUMBER if not given."),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Go on with the interrupted run in this folder.")
    ] = None,
) -> None:
    """Run agents on the days of a benchmark, grade them, and write a report."""
    asked = Asked(
        config=config,
        agents=agent or (),
        scenarios=scenario or (),
        limit=limit,
        transport=transport,
        max_concurrency=max_concurrency,
        epochs=epochs,
        seed=seed,
    )
    try:
        plan, folder = _resumed(asked, out, resume) if resume else _begun(asked, out)
        results = execute(plan, folder, screen(), max_concurrency)
    except (PlanError, LedgerError) as error:
        typer.echo(f"trainee-bench run: {error}", err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        typer.echo("Interrupted; go on with --resume and the run's folder.", err=True)
        raise typer.Exit(130) from None
    missing = sum(1 for _ in plan.orders()) - len(results)
    raise typer.Exit(int(missing > 0 or any(result.broken for result in results)))


def execute(
    plan: Plan,
    folder: RunFolder,
    console: Console,
    concurrency: int | None = None,
) -> list[EpisodeResult]:
    """Run what *plan* still lacks, show and write what came of all; every result.

    Raises PlanError if somebody else works on the run, LedgerError if its result file is
    damaged.
    """
    with folder.claimed():
        done = folder.take_up()
        courses = pending(plan, {result.episode for result in done})
        orders = [order for course in courses for order in course]
        with watching(console, orders, len(done)) as watch:
            anyio.run(run_batch, courses, folder, concurrency or plan.max_concurrency, watch)
        results = folder.ledger.read()
        folder.report.write_text(markdown(plan, results), encoding="utf-8")
    _show(console, plan, folder, results)
    return results


def _begun(asked: Asked, out: Path | None) -> tuple[Plan, RunFolder]:
    plan = make_plan(asked)
    return plan, RunFolder.create(out, plan)


def _resumed(asked: Asked, out: Path | None, resume: Path) -> tuple[Plan, RunFolder]:
    """The plan and the folder of the run in *resume*. Raises PlanError for any other option."""
    plain = Asked(max_concurrency=asked.max_concurrency)
    if out is not None or asked != plain:
        raise PlanError(
            "--resume goes on with the configuration that the run recorded; besides it only "
            "--max-concurrency can be given."
        )
    folder = RunFolder.open(resume)
    plan = folder.plan()
    refuse_unofferable(plan.scenarios)
    return plan, folder


def _show(console: Console, plan: Plan, folder: RunFolder, results: list[EpisodeResult]) -> None:
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
    console.print(f"Report: {folder.report}", markup=False, soft_wrap=True)


if __name__ == "__main__":
    typer.run(command)
