"""``python -m harness.catalog``: every rule with its id, domain, label and parameters.

As JSON also what a rule asks of an agent, measured on a few instances of it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import anyio
import typer

from trainee_bench.harness.batch.plan_builder import load_benchmark
from trainee_bench.harness.generation.rule_catalog import catalog_entries, rule_efforts
from trainee_bench.harness.generation.schedule_slack import benchmark_slack, slack_rows
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.task_context import CompositionError


def command(
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="As JSON, with checkpoints, clues, hops and the oracle's calls."
        ),
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(help="Of this benchmark (a file or a shipped name), how tight its days are."),
    ] = None,
) -> None:
    """List every rule with its id, domain, label and parameters; or a benchmark's days."""
    if config is not None:
        _list_days(config, as_json)
        return
    listed = catalog_entries()
    if as_json:
        asks = anyio.run(rule_efforts)
        whole = [entry.model_dump() | asks[entry.id].model_dump() for entry in listed]
        typer.echo(json.dumps(whole, indent=1))
        return
    for entry in listed:
        knobs = ", ".join(f"{name}={value}" for name, value in entry.parameters.items())
        drawn = f"  (drawn: {', '.join(entry.open)})" if entry.open else ""
        typer.echo(f"{entry.id:40} {entry.label:5} {entry.domain:24} {knobs}{drawn}")
    typer.echo(f"{len(listed)} rules in {len({entry.family for entry in listed})} families")


def _list_days(config: Path, as_json: bool) -> None:
    try:
        times = benchmark_slack(load_benchmark(config, None).scenarios, os.cpu_count() or 1)
    except (PlanError, UnknownRuleError, CompositionError) as error:
        typer.echo(f"trainee-bench catalog: {error}", err=True)
        raise typer.Exit(2) from None
    if as_json:
        typer.echo(json.dumps([one.model_dump(mode="json") for one in times], indent=1))
        return
    for line in slack_rows(times):
        typer.echo(line)


if __name__ == "__main__":
    typer.run(command)
