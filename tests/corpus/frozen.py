"""What the frozen benchmarks are made of, and how it is recorded.

    python -m tests.corpus.frozen              records digests.json and trajectories.jsonl.xz anew
    python -m tests.corpus.frozen ladder-core  adds the digests of a benchmark that is frozen newly

Record anew only after SCORE_VERSION or GENERATOR_VERSION was raised on purpose.
"""

from __future__ import annotations

import json
import lzma
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path

import anyio
from pydantic import BaseModel, JsonValue

from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.session.frozen import FrozenDigests, frozen_digests
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.mcp_servers.verifier import DayGrade, grade_world
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day, create_world
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION, Scenario
from trainee_bench.world.pictures.render import renderer_digest

HERE = Path(__file__).parent
DIGESTS = HERE / "digests.json"
TRAJECTORIES = HERE / "trajectories.jsonl.xz"
LARGE = ("core-50", "full-350", "continual-50")
FROZEN = (*LARGE, "guidance-20", "expert-50", "week-10", "ladder-core")
RECORDED = "core-50"
AGENTS = ("oracle", "in_order", "careless", "sprayer")


class FrozenGrade(BaseModel):
    """A task's grade as it was: score, success, and the checkpoints that were passed."""

    score: float | None
    success: bool
    passed: list[str]


class Trajectory(BaseModel):
    """One recorded day: who worked which, every call, and the grades."""

    scenario: str
    agent: str
    calls: list[tuple[str, dict[str, JsonValue]]]
    grades: dict[str, FrozenGrade]


class Digests(BaseModel):
    """What agents are shown on every day of the frozen benchmarks, and by which versions.

    ``digests`` (of worlds) and ``prompts`` are keyed by benchmark and "scenario/day", ``tools`` by
    benchmark. ``pictures`` is that of *pillow*'s version. A family later than ``families`` is
    in no frozen benchmark.
    """

    generator: int
    score: int
    families: list[str]
    tools: dict[str, list[str]]
    pillow: str
    pictures: str
    prompts: dict[str, dict[str, str]]
    digests: dict[str, dict[str, str]]


def frozen_grades(grade: DayGrade) -> dict[str, FrozenGrade]:
    """*grade* as it is recorded."""
    return {
        task.task: FrozenGrade(
            score=None if task.score is None else round(task.score, 6),
            success=task.success,
            passed=[check.name for check in task.checkpoints if check.passed],
        )
        for task in grade.tasks
    }


async def digests_of(scenario: Scenario) -> dict[str, FrozenDigests]:
    """The digests of each staged day of *scenario*; a week is staged as a whole, on its first."""
    found = {}
    for number, day in enumerate(scenario.days[:1] if scenario.week else scenario.days):
        async with await create_world(None, scenario, number) as world:
            found[f"{scenario.name}/{day.name}"] = await frozen_digests(world)
    return found


async def record(scenario: Scenario, agent: str) -> Trajectory:
    """The first day of *scenario* as *agent* works it."""
    done = await run_in_process(agent, compose_day(scenario))
    calls = [(entry.tool, dict(entry.arguments)) for entry in done.log]
    return Trajectory(
        scenario=scenario.name, agent=agent, calls=calls, grades=frozen_grades(done.grade)
    )


async def regrade(trajectory: Trajectory, composition: ComposedDay) -> dict[str, FrozenGrade]:
    """The grades that the recorded calls earn today."""
    day = await stage_day(composition)
    async with day.world:
        for tool, arguments in trajectory.calls:
            await day.observe(tool, arguments)
        return frozen_grades(await grade_world(day.world))


def recorded() -> Iterator[Trajectory]:
    """All recorded days."""
    with lzma.open(TRAJECTORIES, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield Trajectory.model_validate_json(line)


def recorded_digests() -> Digests:
    """The recorded digests."""
    return Digests.model_validate_json(DIGESTS.read_text())


def digests_in_process(scenario: Scenario) -> dict[str, FrozenDigests]:
    """The digests of one scenario; a worker process runs this."""
    return anyio.run(digests_of, scenario)


def _record_in_process(task: tuple[Scenario, str]) -> str:
    return anyio.run(record, *task).model_dump_json()


def _families_used() -> set[str]:
    """The families of all tasks of the large benchmarks."""
    days = [day for name in LARGE for s in load_shipped_benchmark(name).scenarios for day in s.days]
    return {task.rule.partition(".")[0] for day in days for task in day.tasks}


def add(name: str) -> None:
    """Add the digests of a benchmark to those that are recorded."""
    then, days = recorded_digests(), dict[str, FrozenDigests]()
    for scenario in load_shipped_benchmark(name).scenarios:
        days |= digests_in_process(scenario)
    then.tools[name] = sorted({shown.tools for shown in days.values()})
    then.prompts[name] = {key: shown.prompts for key, shown in days.items()}
    then.digests[name] = {key: shown.world for key, shown in days.items()}
    _write(then)


def _write(digests: Digests) -> None:
    DIGESTS.write_text(json.dumps(digests.model_dump(), indent=0) + "\n")


def main() -> None:
    """Record everything anew, or add what is named."""
    if names := sys.argv[1:]:
        for name in names:
            add(name)
        return
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found: dict[str, dict[str, FrozenDigests]] = {}
        for name in FROZEN:
            parts = pool.map(
                digests_in_process, load_shipped_benchmark(name).scenarios, chunksize=5
            )
            found[name] = {key: digest for part in parts for key, digest in part.items()}
        made = Digests(
            generator=GENERATOR_VERSION,
            score=SCORE_VERSION,
            families=sorted(_families_used()),
            tools={
                name: sorted({shown.tools for shown in days.values()})
                for name, days in found.items()
            },
            pillow=version("pillow"),
            pictures=renderer_digest(),
            prompts={
                name: {key: shown.prompts for key, shown in days.items()}
                for name, days in found.items()
            },
            digests={
                name: {key: shown.world for key, shown in days.items()}
                for name, days in found.items()
            },
        )
        _write(made)
        tasks = [(s, agent) for s in load_shipped_benchmark(RECORDED).scenarios for agent in AGENTS]
        with lzma.open(TRAJECTORIES, "wt", encoding="utf-8", preset=9) as lines:
            for line in pool.map(_record_in_process, tasks):
                lines.write(line + "\n")


if __name__ == "__main__":
    main()
