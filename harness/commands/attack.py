"""``trainee-bench attack CONFIG``: the best score that is reached without doing the work.

    trainee-bench attack core-50                      new seeds of all scenarios
    trainee-bench attack core-50 --sample 5 --seeds 1 a quick look
    trainee-bench attack quickstart --same-seeds      what a player by rote gets where it has been

It runs every cheat, and the agents that play an oracle's day by rote. Where the benchmark has
complications, it also tries workers that handle them without looking.

Exit code 0 if no bound is broken, 1 if one is, 2 for a usage error. With --same-seeds the score of
the players by rote is no error, so the exit code is 0.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from trainee_bench.harness.attack.presentation import attack_data, attack_document
from trainee_bench.harness.attack.self_attack import AttackOptions, attack_benchmark
from trainee_bench.harness.attack.trials import AttackReport
from trainee_bench.harness.batch.benchmarks import load_benchmark
from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.documents.html import render_html
from trainee_bench.harness.documents.markdown import render_markdown
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.support.commands import (
    CannotWriteOutput,
    check_output,
    exit_on_error,
    write_output,
)
from trainee_bench.harness.support.terminal import output_console
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.task_context import CompositionError

_SEEDS = 3
_ERRORS = (PlanError, UnknownRuleError, CompositionError, CannotWriteOutput)


def command(
    config: Annotated[
        str,
        typer.Argument(help="A JSON file, or a shipped benchmark's name.", metavar="CONFIG"),
    ],
    seeds: Annotated[
        int | None, typer.Option(min=1, help="New seeds for each scenario (default: 3).")
    ] = None,
    same_seeds: Annotated[
        bool,
        typer.Option(
            "--same-seeds",
            help="Attack the scenarios with their own seeds, which the players by rote know.",
        ),
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="Attack only this many scenarios, at equal distances."),
    ] = None,
    attacks: Annotated[
        list[str] | None,
        typer.Option("--attack", help="Make only this attack. Repeatable.", metavar="NAME"),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes.")] = os.cpu_count() or 1,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all figures to this file, as JSON.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the report to this file, as a page.")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", help="Write the report to this file, as Markdown.")
    ] = None,
) -> None:
    """Run every attack on a benchmark, and print the best score reached without work."""
    console = output_console()
    named = {"--json": json_file, "--html": html, "--markdown": markdown}
    files = {option: path for option, path in named.items() if path is not None}
    with exit_on_error("attack", *_ERRORS, interrupted="Interrupted."):
        if same_seeds and seeds is not None:
            raise PlanError("--same-seeds draws no new seeds: leave out --seeds.")
        benchmark = load_benchmark(Path(config), None)
        for option, path in files.items():
            check_output(path, option)
        drawn = 0 if same_seeds else seeds or _SEEDS
        options = AttackOptions(drawn, jobs, sample, tuple(attacks or ()))
        report = attack_benchmark(
            benchmark,
            options,
            lambda line: console.print(line, markup=False, highlight=False, soft_wrap=True),
        )
        print_document(attack_document(report), console)
        for option, path in files.items():
            write_output(path, _text(report, option), option)
    raise typer.Exit(1 if any(report.broken()) and not same_seeds else 0)


def _text(report: AttackReport, option: str) -> str:
    """Return *report* in the form of the file that *option* names."""
    if option == "--json":
        return json.dumps(attack_data(report), indent=1) + "\n"
    render = render_html if option == "--html" else render_markdown
    return render(attack_document(report))
