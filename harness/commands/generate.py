"""``trainee-bench generate``: unlimited scenarios, each solved by the oracle before it is written.

    trainee-bench generate --scenarios 50 --days 1 --tasks 2-6 --seed 1 --out mine.json
    trainee-bench generate --weeks 10 --tasks 2-3 --hours 8-18 --seed 1 --out weeks.json

The same options give the same file, except with --private. `trainee-bench bound` adds upper bounds
to days with more work than hours. OUT.part keeps the finished scenarios until all are finished.
After an interruption, the same command continues from there. Exit code 0 if the file was written,
2 for a usage error.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.progress import track

from trainee_bench.harness.generation.benchmark_file import (
    FinishedScenarios,
    describe_shortfalls,
    describe_spec,
    generate_scenarios,
    parse_hours,
    parse_range,
    parse_slack,
    render_benchmark,
)
from trainee_bench.harness.generation.scenarios import ScenarioGenerationFailed
from trainee_bench.harness.generation.spec import (
    ArrivalPattern,
    DrawMode,
    GenerationSpec,
    InvalidGenerationSpec,
    SeedSplit,
)
from trainee_bench.harness.generation.weeks import WeekSpec, describe_weeks, generate_weeks
from trainee_bench.harness.support.commands import (
    CannotWriteOutput,
    check_output,
    exit_on_error,
    write_output,
)
from trainee_bench.harness.support.terminal import output_console
from trainee_bench.mcp_servers.desk import ASKING_CONFIDENCE
from trainee_bench.meta_tasks.benchmark import Benchmark
from trainee_bench.meta_tasks.scenario import Scenario

_OPTIONS = {
    "fewest": "tasks", "most": "tasks", "most_complications": "complications",
    "company_size": "company", "preferred": "prefer",
}  # fmt: skip
"""Fields of a spec whose option has another name, with that name."""

_CORES = os.cpu_count() or 1
_Scenarios = Annotated[int | None, typer.Option(min=1, help="Number of scenarios.")]
_Weeks = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Number of weeks, instead of --scenarios. A week has five days, and duties that last "
        "the whole week.",
    ),
]
_Returning = Annotated[
    bool,
    typer.Option(
        "--returning",
        help="With --weeks: repeat rules on later days, so that agents can learn them.",
    ),
]
_Out = Annotated[Path, typer.Option("--out", "-o", help="File to write.")]
_Days = Annotated[
    int, typer.Option(min=1, help="Days per scenario. All have the same rules, with new values.")
]
_Tasks = Annotated[
    str | None,
    typer.Option(help="Tasks per day: N or MIN-MAX (default: 2-6; for weeks 2-3)."),
]
_Seed = Annotated[int, typer.Option(min=0, help="Seed of the generator.")]
_Rules = Annotated[
    list[str] | None,
    typer.Option(help="Use only matching rules, such as 'kb_fix.*'. Repeatable."),
]
_Draw = Annotated[
    DrawMode,
    typer.Option(help="Draw a family first and then one of its rules, or draw from all rules."),
]
_Arrival = Annotated[
    ArrivalPattern,
    typer.Option(help="When tasks arrive: all at the start, during the day, or mixed."),
]
_Split = Annotated[
    SeedSplit, typer.Option(help="Split to draw seeds from. The seeds of splits never overlap.")
]
_Complications = Annotated[str, typer.Option(help="Complications per task: N or MIN-MAX.")]
_Unannounced = Annotated[
    int,
    typer.Option(
        min=0,
        help="Give each task this many complications that only the handbook mentions.",
    ),
]
_Prefer = Annotated[
    list[str] | None,
    typer.Option(help="Give this complication to every task that it fits. Repeatable."),
]
_Demanding = Annotated[
    bool,
    typer.Option(
        "--demanding",
        help="Keep only days on which an agent that works one task at a time is late.",
    ),
]
_Hardest = Annotated[
    float,
    typer.Option(help="Use only the most demanding hard rules: this share per family (1: all)."),
]
_Slack = Annotated[
    str,
    typer.Option(
        help="Give each task of a streamed day this many times the time that the oracle needs: "
        "MIN-MAX, such as 1.05-1.35."
    ),
]
_OverloadEvery = Annotated[
    int,
    typer.Option(min=0, help="Give every Nth scenario more work than hours (0: none)."),
]
_Effort = Annotated[
    bool,
    typer.Option(
        "--effort", help="Charge more minutes for writing and calculating than for reading."
    ),
]
_AskConfidence = Annotated[
    bool,
    typer.Option(
        "--ask-confidence",
        help="Let each submission ask how sure the agent is that it is right, in percent.",
    ),
]
_Hours = Annotated[str, typer.Option(help="Working hours, FROM-TO in full hours.")]
_Company = Annotated[int, typer.Option(help="People in the company.")]
_Private = Annotated[
    bool,
    typer.Option(
        "--private",
        help="Add 128 random bits, so that nobody can derive a seed from the day.",
    ),
]
_Name = Annotated[
    str | None, typer.Option(help="Name of the benchmark (default: the file's name).")
]
_Jobs = Annotated[int, typer.Option(min=1, help="Worker processes.")]


def command(
    out: _Out,
    scenarios: _Scenarios = None,
    weeks: _Weeks = None,
    returning: _Returning = False,
    days: _Days = 1,
    tasks: _Tasks = None,
    seed: _Seed = 0,
    rules: _Rules = None,
    draw: _Draw = DrawMode.FAMILIES,
    arrival: _Arrival = ArrivalPattern.MIXED,
    split: _Split = SeedSplit.TRAIN,
    complications: _Complications = "0",
    demanding: _Demanding = False,
    overload_every: _OverloadEvery = 0,
    unannounced: _Unannounced = 0,
    prefer: _Prefer = None,
    hardest: _Hardest = 1,
    slack: _Slack = "",
    effort: _Effort = False,
    ask_confidence: _AskConfidence = False,
    hours: _Hours = "8-20",
    company: _Company = 50,
    private: _Private = False,
    name: _Name = None,
    jobs: _Jobs = _CORES,
) -> None:
    """Generate scenarios that the built-in solver, the oracle, solves with full score."""
    with exit_on_error(
        "generate", InvalidGenerationSpec, ScenarioGenerationFailed, CannotWriteOutput,
        interrupted="Interrupted; run the same command again to continue.",
    ):  # fmt: skip
        _check_kind(scenarios, weeks, returning, chosen=bool(tasks) or complications != "0")
        fewest, most = parse_range(tasks or ("2-3" if weeks else "2-6"), "--tasks")
        simple, hard = parse_range(complications, "--complications")
        starts, ends = parse_hours(hours)
        try:
            spec = GenerationSpec(
                name=name or out.stem, scenarios=scenarios or weeks or 1, days=days, fewest=fewest,
                most=most, seed=seed, globs=tuple(rules or ("*",)), draw=draw, flow=arrival,
                split=split, salt=token_hex(16) if private else "", fewest_complications=simple,
                most_complications=hard, starts=starts, ends=ends, company_size=company,
                demanding=demanding, overload_every=overload_every, unannounced=unannounced,
                hardest=hardest, slack=parse_slack(slack), effort=effort,
                preferred=tuple(prefer or ()),
            )  # fmt: skip
        except ValidationError as error:
            raise InvalidGenerationSpec(_describe_flaw(error)) from None
        check_output(out, "--out")
        finished = None if private else FinishedScenarios(out, spec)
        order = None if weeks is None else WeekSpec.of(spec, returning)
        drawn, about = _draw(spec, order, jobs, finished)
        variants = ASKING_CONFIDENCE if ask_confidence else {}
        made = tuple(_with_progress(drawn, spec.scenarios, variants))
        benchmark = Benchmark(name=spec.name, about=about, scenarios=made)
        write_output(out, render_benchmark(benchmark), "--out")
        if finished is not None:
            finished.remove()
    _say_what_is_made(out, spec, "scenario" if weeks is None else "week", made)


def _say_what_is_made(out: Path, spec: GenerationSpec, what: str, made: Sequence[Scenario]) -> None:
    """Print where the file is, and which options of *spec* do not fit all tasks."""
    many = f"1 {what}" if spec.scenarios == 1 else f"{spec.scenarios} {what}s, each"
    typer.echo(f"{out}: {many} solved by the oracle with full score")
    for shortfall in describe_shortfalls(spec, made):
        typer.echo(shortfall)


def _draw(
    spec: GenerationSpec, weeks: WeekSpec | None, jobs: int, finished: FinishedScenarios | None
) -> tuple[Iterable[Scenario], str]:
    """Return the scenarios of *spec*, or its *weeks*, as they are drawn, and a description of
    them."""
    if weeks is not None:
        return generate_weeks(weeks, jobs), describe_weeks(weeks)
    spec.rules()
    return generate_scenarios(spec, jobs, finished), describe_spec(spec)


def _with_progress(
    drawn: Iterable[Scenario], count: int, variants: Mapping[str, str]
) -> Iterator[Scenario]:
    """Yield *drawn* with these *variants* of tools; a progress bar counts up to *count*."""
    console = output_console()
    for scenario in track(drawn, "Generating", total=count, console=console, transient=True):
        yield scenario.with_variants(variants)


def _check_kind(scenarios: int | None, weeks: int | None, returning: bool, chosen: bool) -> None:
    """Raise InvalidGenerationSpec unless exactly one of *scenarios* and *weeks* is given.

    *returning* needs weeks, and combines with no option *chosen* for their tasks.
    """
    if (scenarios is None) == (weeks is None):
        raise InvalidGenerationSpec("give either --scenarios N or --weeks N")
    if returning and (weeks is None or chosen):
        raise InvalidGenerationSpec(
            "--returning needs --weeks, and combines with neither --tasks nor --complications"
        )


def _describe_flaw(error: ValidationError) -> str:
    """Return the first flaw in *error*, with the option that it concerns.

    A flaw of several options together names them in its own message.
    """
    flaw = error.errors(include_url=False, include_input=False)[0]
    if not flaw["loc"]:
        return flaw["msg"].removeprefix("Value error, ")
    field = str(flaw["loc"][0])
    return f"--{_OPTIONS.get(field, field)}: {flaw['msg']}"
