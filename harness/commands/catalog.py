"""``trainee-bench catalog``: every rule with its id, domain, difficulty and parameters, and every
complication with the families it fits.

For rules, JSON adds what a rule requires of an agent, measured on a few instances. With --config it
lists how much slack each day of a benchmark has.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import anyio
import typer

from trainee_bench.harness.batch.benchmarks import load_benchmark
from trainee_bench.harness.generation.rule_catalog import (
    catalog_entries,
    catalog_rows,
    complication_entries,
    complication_rows,
    rule_efforts,
)
from trainee_bench.harness.generation.schedule_slack import benchmark_slack, slack_rows
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.task_context import CompositionError


def command(
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print JSON. For rules it adds checkpoints, clues, hops and the oracle's calls.",
        ),
    ] = False,
    complications: Annotated[
        bool, typer.Option("--complications", help="List only the complications.")
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            help="List the days of this benchmark with their slack: a JSON file, or a shipped name."
        ),
    ] = None,
) -> None:
    """List all rules (kinds of tasks) and complications, or a benchmark's days."""
    if config is not None:
        _list_days(config, as_json)
        return
    if complications:
        _list_complications(as_json)
        return
    entries = catalog_entries()
    if as_json:
        efforts = anyio.run(rule_efforts)
        whole = [entry.model_dump() | efforts[entry.id].model_dump() for entry in entries]
        typer.echo(json.dumps(whole, indent=1))
        return
    for line in catalog_rows(entries):
        typer.echo(line)
    _list_complications(as_json=False)


def _list_complications(as_json: bool) -> None:
    listed = complication_entries()
    if as_json:
        typer.echo(json.dumps([entry.model_dump() for entry in listed], indent=1))
        return
    for line in complication_rows(listed):
        typer.echo(line)


def _list_days(config: Path, as_json: bool) -> None:
    with exit_on_error("catalog", PlanError, UnknownRuleError, CompositionError):
        days = benchmark_slack(load_benchmark(config, None).scenarios, os.cpu_count() or 1)
    if as_json:
        typer.echo(json.dumps([day.model_dump(mode="json") for day in days], indent=1))
        return
    for line in slack_rows(days):
        typer.echo(line)
