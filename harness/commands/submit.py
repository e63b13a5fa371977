"""``trainee-bench submit prepare RUN OUT`` and ``submit verify BUNDLE``: a run for a leaderboard.

Both repeat every episode from its log, grade it again, and apply the rules for submissions. Exit
code 0 if the run is a valid submission, 1 if not, 2 for a usage error.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Annotated

import anyio
import typer
from pydantic import ValidationError

from trainee_bench.harness.batch.benchmarks import load_benchmark, office_benchmark
from trainee_bench.harness.batch.verified_run import verify_lines, verify_record
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.episodes.verification import NOT_VERIFIED
from trainee_bench.harness.records.plan import ChangedPlan, PlanError, RunPlan
from trainee_bench.harness.records.results import ResultFileError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.submissions.bundle import (
    CannotBundleRun,
    SubmissionInfo,
    foreign_files,
    unpack_bundle,
    write_bundle,
)
from trainee_bench.harness.submissions.rules import (
    is_whole_benchmark,
    rule_problems,
    submission_figures,
)
from trainee_bench.harness.support.commands import CannotWriteOutput, check_output, exit_on_error
from trainee_bench.harness.support.text import one_line
from trainee_bench.meta_tasks.benchmark import (
    Benchmark,
    BenchmarkError,
    load_shipped_benchmark,
)
from trainee_bench.meta_tasks.offices.opened import open_offices, resolve_office

command = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Pack a run for a leaderboard, or check a submission.",
)
_ERRORS = (
    BenchmarkError, CannotBundleRun, CannotWriteOutput, PlanError, ResultFileError,
)  # fmt: skip
_LONGEST_NAME = 100
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.:@+/=-]{1,100}")
_Config = Annotated[
    Path | None,
    typer.Option(help="The leaderboard's own benchmark file, if it has one.", exists=True),
]


@command.command("prepare")
def prepare(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run.", metavar="RUN")],
    out: Annotated[Path, typer.Argument(help="File to write (.zip).", metavar="OUT")],
    name: Annotated[str, typer.Option(help="Name to show on the leaderboard.")],
    about: Annotated[str, typer.Option(help="A short description of the agent.")] = "",
    contact: Annotated[str, typer.Option(help="An address for questions about it.")] = "",
    config: _Config = None,
) -> None:
    """Check a finished run and pack it into one file."""
    with exit_on_error("submit", *_ERRORS):
        check_output(out, "OUT")
        info = _info(name, about, contact)
        folder = RunFolder.open(run)
        with folder.locked():
            folder.refuse_links_out()
            plan = _check(folder, config, unpacked=False)
            if plan is not None:
                write_bundle(out, folder, plan, info)
        if plan is not None:
            typer.echo(f"{out}: {out.stat().st_size:,} bytes")
    raise typer.Exit(0 if plan is not None else 1)


@command.command("verify")
def verify(
    bundle: Annotated[Path, typer.Argument(help="File of a submission.", metavar="BUNDLE")],
    config: _Config = None,
) -> None:
    """Repeat and grade a submission, and print its figures."""
    with (
        exit_on_error("submit", *_ERRORS),
        tempfile.TemporaryDirectory(prefix="trainee-bench-") as unpacked,
    ):
        info = unpack_bundle(bundle, Path(unpacked))
        about = one_line(info.about) or "no description"
        typer.echo(f"Submission {one_line(info.name)}: {about}")
        plan = _check(RunFolder.open(Path(unpacked)), config, unpacked=True)
    raise typer.Exit(0 if plan is not None else 1)


def _info(name: str, about: str, contact: str) -> SubmissionInfo:
    try:
        return SubmissionInfo(name=name, about=about, contact=contact)
    except ValidationError as error:
        flaw = error.errors(include_url=False, include_input=False)[0]
        raise CannotBundleRun(f"--{flaw['loc'][0]}: {flaw['msg']}") from None


def _check(folder: RunFolder, config: Path | None, *, unpacked: bool) -> RunPlan | None:
    """Print the figures of the run in *folder* and return its plan.

    If the run is not a valid submission, print every reason and return None. An *unpacked* folder
    must contain no other files.
    """
    try:
        plan = folder.plan()
    except ChangedPlan as changed:
        typer.echo(one_line(f"run.json: {changed}"))
        return None
    benchmark = _benchmark(plan, config)
    results, record = folder.ledger.read(), verify_record(folder, plan)
    problems = [*foreign_files(folder, plan)] if unpacked else []
    problems += [f"{name} ends within a line" for name in folder.incomplete_files()]
    problems += [*rule_problems(plan, results, benchmark), *record.problems]
    # otherwise a submitter could choose which days are staged
    if is_whole_benchmark(plan, benchmark):
        problems += anyio.run(_differences, folder, plan)
    for sentence in (*problems, *record.told):
        typer.echo(one_line(sentence))
    if problems:
        typer.echo(f"{pluralize(len(problems), 'problem')}: this run is not a valid submission.")
        return None
    figures = submission_figures(plan, results)
    conditions = f"custom: {'; '.join(figures.custom)}" if figures.custom else "standard"
    whose = f"{_shown_name(figures.benchmark)}, {_shown_name(figures.agent)}"
    typer.echo(
        f"{whose}: complete {figures.complete:.4f}, score {figures.score:.4f} over "
        f"{pluralize(figures.episodes, 'episode')} ({conditions})"
    )
    typer.echo(f"Not verified: {'; '.join(NOT_VERIFIED)}.")
    return plan


def _shown_name(name: str) -> str:
    """Return *name* from the plan, in quotes unless it consists of harmless characters."""
    return name if _PLAIN_NAME.fullmatch(name) else repr(one_line(name, _LONGEST_NAME))


def _benchmark(plan: RunPlan, config: Path | None) -> Benchmark:
    """Return the benchmark that a submission must have worked: the one in the file *config*, the
    tasks of an open office, or the shipped one.

    Raises PlanError or BenchmarkError if there is none, and OfficeUnavailable for days in an office
    that is not open: nothing of a submission opens one.
    """
    for scenario in plan.scenarios:
        resolve_office(scenario)
    office = open_offices().get(plan.benchmark)
    if config is not None:
        loaded = load_benchmark(config, None)
    elif office is not None:
        loaded = office_benchmark(office)
    else:
        return load_shipped_benchmark(plan.benchmark)
    return Benchmark(name=loaded.name, scenarios=loaded.scenarios)


async def _differences(folder: RunFolder, plan: RunPlan) -> list[str]:
    """Return the differences between the recorded and the repeated episodes."""
    return [
        f"{day.episode}: {problem}"
        async for day in verify_lines(folder, plan)
        for problem in day.problems
    ]
