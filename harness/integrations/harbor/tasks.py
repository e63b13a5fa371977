"""The export of days as a folder of tasks.

The oracle works each day first. Its calls are the task's solution; a day that they do not solve is
refused.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.integrations.harbor.task_folder import (
    CannotExportTasks,
    Containers,
    PackageSource,
    TaskDay,
    render,
    task_files,
    task_name,
)
from trainee_bench.harness.session.prompt import build_prompt
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.mcp_servers import UnknownApp, select_toolboxes
from trainee_bench.mcp_servers.serving.server import package_version
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.offices.office import Office, files_digest, office_files
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.world import World

_README = "README.md"


@dataclass(frozen=True)
class TaskOptions:
    """Options for writing tasks: how they are divided into containers, and the minutes of real
    time that an agent may take."""

    containers: Containers = field(default_factory=PackageSource)
    agent_minutes: int = 120


def export_tasks(
    benchmark: str,
    scenarios: Sequence[Scenario],
    folder: Path,
    options: TaskOptions,
    report: Callable[[str], None],
) -> int:
    """Write every day of *scenarios* as a task into the new folder *folder*; return their number.
    *report* is called with the name of each.

    Raises CannotExportTasks, CompositionError or UnknownRuleError, and then leaves nothing in
    *folder*.
    """
    days = _checked(scenarios)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CannotExportTasks(f"{folder} is not empty; name a new folder.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as made:
        draft = Path(made) / "tasks"
        for scenario, number in days:
            day = anyio.run(_solved, benchmark, scenario, number)
            write_task(day, draft / day.name, options)
            report(day.name)
        facts = {
            "benchmark": benchmark,
            "count": pluralize(len(days), "task"),
            "from_agent": options.containers.from_agent,
            "offices": list(dict.fromkeys(s.office for s in scenarios if s.office)),
            "seed_file": options.containers.seed_file,
            "version": package_version(),
        }
        (draft / _README).write_text(render(f"{_README}.jinja", facts), encoding="utf-8")
        if folder.exists():
            folder.rmdir()
        shutil.move(draft, folder)
    return len(days)


def write_task(day: TaskDay, folder: Path, options: TaskOptions) -> None:
    """Write the files of the task *day* into *folder*."""
    for path, content in task_files(day, options.containers, options.agent_minutes).items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        if target.suffix == ".sh":
            target.chmod(0o755)


async def prompt_of(composition: ComposedDay) -> str:
    """Return the prompt for an agent without a turn limit when the day begins."""
    world = await World.create_inline(composition.world_config(), composition.populate)
    async with world:
        return await world.read(lambda tx: build_prompt(tx, None))


async def _solved(benchmark: str, scenario: Scenario, number: int) -> TaskDay:
    """Return the day with the oracle's calls. Raises CannotExportTasks if they do not solve it."""
    composition = composed(scenario, number)
    worked = await run_in_process("oracle", composition)
    name = task_name(scenario, number)
    if worked.grade.score != 1:
        raise CannotExportTasks(
            f"{name}: its oracle earns {worked.grade.score} and not 1, so the task would have no "
            "solution; leave the day out, or fix it (trainee-bench certify says what is wrong)."
        )
    calls = [ToolCall(entry.tool, entry.arguments) for entry in worked.log if entry.actor]
    office = _carried(composition.office) if composition.office is not None else {}
    return TaskDay(benchmark, scenario, number, await prompt_of(composition), calls, office)


def _carried(office: Office) -> dict[str, bytes]:
    """Return the files of *office*, which a task carries along. Raises CannotExportTasks if they
    have changed since it was read."""
    files = office_files(office.folder)
    if files_digest(files) != office.digest:
        raise CannotExportTasks(f"{office.folder} has changed meanwhile; export again.")
    return files


def _checked(scenarios: Sequence[Scenario]) -> list[tuple[Scenario, int]]:
    """Return all days, each as its scenario and number. Raises CannotExportTasks if one cannot be a
    task, or two would have the same name."""
    found: dict[str, tuple[Scenario, int]] = {}
    for scenario in scenarios:
        _check(scenario)
        for number in scenario.world_days:
            name = task_name(scenario, number)
            if name in found:
                raise CannotExportTasks(f"two days would be called {name}; rename one of them.")
            found[name] = scenario, number
    return list(found.values())


def _check(scenario: Scenario) -> None:
    if scenario.week:
        raise CannotExportTasks(
            f"{scenario.name} is a week, but a Harbor task is one day: its prompt is written in "
            "advance, while the prompt of a later morning depends on the days before. "
            "Export a benchmark of days, or work weeks with trainee-bench run."
        )
    try:
        boxes = select_toolboxes(scenario.tools)
    except UnknownApp as error:
        raise CannotExportTasks(f"{scenario.name}: {error}") from None
    if further := sorted(name for name, box in boxes.items() if box.opt_in):
        raise CannotExportTasks(
            f"{scenario.name} offers the app {further[0]}, which runs programs in a sandbox that a "
            "container cannot make; leave it out of the scenario's tools."
        )
