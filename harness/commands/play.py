"""``trainee-bench play [SCENARIO]``: work a day yourself, in this terminal.

Each line is a call: ``mail_send to=anna.ek subject=Hello body=@text.md``. A line that begins with ?
costs nothing. The result is a run like any other, of the agent ``person``. Exit code 0 when the day
is over, 1 after an internal error, 2 for a usage error. The code is 130 if the day was interrupted,
or its input ended too early; ``--resume`` continues it.
"""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated

import anyio
import typer
from anyio.to_thread import run_sync

from trainee_bench.harness.agents.person import PersonHasLeft
from trainee_bench.harness.analysis.report.publish import publish_report
from trainee_bench.harness.batch.benchmarks import LoadedBenchmark, load_benchmark
from trainee_bench.harness.batch.person_run import PersonRun, create_person_run, resume_person_run
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import EpisodeResult, ResultFileError
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.harness.support.terminal import output_console
from trainee_bench.harness.terminal_seat.desk import TerminalDesk
from trainee_bench.harness.terminal_seat.lines import CannotRead, read_line
from trainee_bench.meta_tasks.benchmark import shipped_benchmark_names
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.errors import WorldFileError

_ERRORS = (PlanError, CompositionError, ResultFileError, WorldFileError)


def command(
    scenario: Annotated[
        str | None,
        typer.Argument(help="Scenario (default: the benchmark's first).", metavar="SCENARIO"),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            help="Benchmark: a JSON file, or the name of a shipped benchmark (default: the first "
            "that has the scenario)."
        ),
    ] = None,
    day: Annotated[
        int, typer.Option(min=1, help="Number of the day, from 1. A week counts as one day.")
    ] = 1,
    person: Annotated[
        str, typer.Option(help="Your name in the results: letters, digits, - and _.")
    ] = "",
    out: Annotated[Path, typer.Option(help="Create the run's folder in this one.")] = Path("runs"),
    resume: Annotated[
        Path | None, typer.Option(help="Continue the unfinished day of this run.")
    ] = None,
) -> None:
    """Work a day yourself in this terminal, one line per call, under the rules for agents."""
    with exit_on_error("play", *_ERRORS):
        if resume is not None:
            _refuse_choices(scenario, config, day, person)
            run = anyio.run(resume_person_run, resume)
        else:
            run = create_person_run(_benchmark(config, scenario), scenario, day - 1, out, person)
    folder = shlex.quote(str(run.folder.path))
    again = f"Interrupted. To continue: trainee-bench play --resume {folder}"
    with exit_on_error("play", *_ERRORS, interrupted=again):
        result = anyio.run(_play, run)
        if result is None:
            typer.echo(again, err=True)
            raise typer.Exit(130)
        if result.error is not None:
            typer.echo(f"trainee-bench play: the day failed: {result.error}", err=True)
            raise typer.Exit(1)
        anyio.run(publish_report, run.folder, run.plan, [result])
    done = sum(task.success for task in result.tasks)
    typer.echo(f"Score {result.score:.2f}; {done} of {pluralize(len(result.tasks), 'task')} done.")
    typer.echo(f"The run is in {run.folder.path}; trainee-bench studio {folder} shows it.")


def _refuse_choices(scenario: str | None, config: Path | None, day: int, person: str) -> None:
    """Raise PlanError for an option that the resumed run has already decided."""
    if scenario is not None or config is not None or day != 1 or person:
        raise PlanError(
            "--resume keeps the day, benchmark and person of its run: leave SCENARIO, --config, "
            "--day and --person out."
        )


def _benchmark(config: Path | None, scenario: str | None) -> LoadedBenchmark:
    """Return the benchmark *config*, or else the first shipped benchmark that has *scenario*."""
    if config is not None or scenario is None:
        return load_benchmark(config, None)
    for name in shipped_benchmark_names():
        found = load_benchmark(Path(name), None)
        if any(listed.name == scenario for listed in found.scenarios):
            return found
    return load_benchmark(None, None)


async def _play(run: PersonRun) -> EpisodeResult | None:
    """Let the person at the terminal work the day; return None if the input ends before the day."""
    results: list[EpisodeResult] = []
    failed: list[Exception] = []
    async with anyio.create_task_group() as group:

        async def work() -> None:
            try:
                results.append(await run.work())
            except (PlanError, ResultFileError) as error:
                failed.append(error)
            group.cancel_scope.cancel()  # no further input is needed

        group.start_soon(work)
        await run.person.begun.wait()
        if await _type(run):
            await anyio.sleep_forever()  # until the day is graded
        group.cancel_scope.cancel()
    for error in failed:
        raise error
    return results[0] if results else None


async def _type(run: PersonRun) -> bool:
    """Make the typed calls. Return True if the day is over, False if the input ended first."""
    person = run.person
    session = person.session
    assert session is not None, "a day that has begun has a session"
    desk = TerminalDesk(output_console(), session.tools)
    desk.begin(session.prompt, [*run.earlier, *run.made])
    tools = {tool.name: tool for tool in session.tools}
    async for line in _lines(desk):
        session = person.session or session
        try:
            wanted = read_line(line, tools)
            if not isinstance(wanted, ToolCall):
                desk.explain(wanted)
                continue
            if not desk.agrees(wanted, session.now):
                desk.say("Not done; nothing happened and no time passed.")
                continue
            desk.show(await person.call(wanted.name, wanted.arguments))
        except (CannotRead, PersonHasLeft) as flaw:
            desk.say(str(flaw))
        if person.day_over:
            break
    else:
        return False
    person.leave(desk.remark())
    return True


async def _lines(desk: TerminalDesk) -> AsyncIterator[str]:
    """Yield the typed lines."""
    while True:
        line = await run_sync(desk.read, abandon_on_cancel=True)
        if line is None:
            return
        if line.strip():
            yield line
