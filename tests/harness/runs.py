"""The command line as somebody types it, and small runs: a benchmark file, its run, its lines."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from click.testing import Result
from rich.console import Console
from typer.testing import CliRunner

from trainee_bench.harness.batch.pipeline import create_run, execute
from trainee_bench.harness.cli import app
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult, ResultFile

MEETING, LINKS = "meeting_attend.sum.u1", "kb_fix.easy"


def call(*words: object, exits: int | None = 0, given: str | None = None) -> Result:
    """What ``trainee-bench WORDS`` prints, which reads *given* and ends with the code *exits*."""
    done = CliRunner().invoke(app, [str(word) for word in words], input=given)
    assert exits is None or done.exit_code == exits, done.output
    return done


def invoke(*arguments: object, exits: int | None = 0) -> Result:
    """What ``trainee-bench run ARGUMENTS`` prints, which ends with the code *exits*."""
    return call("run", *arguments, exits=exits)


def day(*rules: str) -> dict[str, object]:
    """A day of tasks of these rules, for `config`."""
    return {"tasks": [{"rule": rule} for rule in rules]}


def config(folder: Path, **scenarios: list[dict[str, object]]) -> Path:
    """A benchmark file of scenarios, each a list of days."""
    path = folder / "mine.json"
    listed = [
        {
            "name": name,
            "seed": 5,
            "days": [{"name": f"day_{n}", **d} for n, d in enumerate(days, 1)],
        }
        for name, days in scenarios.items()
    ]
    path.write_text(json.dumps({"name": "mine", "scenarios": listed}), encoding="utf-8")
    return path


def week_file(folder: Path, *days: dict[str, object]) -> Path:
    """A benchmark file of one week."""
    path = config(folder, one=list(days))
    written = json.loads(path.read_text(encoding="utf-8"))
    written["scenarios"][0]["week"] = True
    path.write_text(json.dumps(written), encoding="utf-8")
    return path


def run_day(
    folder: Path,
    *options: object,
    rules: tuple[str, ...] = (LINKS,),
    exits: int | None = 0,
    out: str = "out",
) -> Path:
    """The folder *out* in *folder*, of a run of one day with tasks of *rules*."""
    path = config(folder, one=[day(*rules)])
    invoke("--config", path, *options, "--out", folder / out, exits=exits)
    return folder / out


def read(folder: Path) -> list[EpisodeResult]:
    """The results of the run in *folder*."""
    return ResultFile(folder / "results.jsonl").read()


def carried_out(plan: RunPlan, folder: Path) -> list[EpisodeResult]:
    """The results of a run of *plan* in *folder*, of which none broke."""
    results = execute(create_run(plan, folder), Console(quiet=True)).results
    assert not any(result.broken for result in results)
    return list(results)


def named(*agents: str) -> list[str]:
    """The options that name these agents."""
    return [word for agent in agents for word in ("--agent", agent)]


def process(*words: object) -> list[str]:
    """The command ``trainee-bench WORDS``, for a process of its own."""
    return [sys.executable, "-m", "trainee_bench.harness", *map(str, words)]
