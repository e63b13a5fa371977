"""One agent's results in one run, by instance: the unit of comparisons.

run folder or results.jsonl ──load_compared_runs()──► ComparedRun, ComparedRun, …
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult, ResultFile, ResultFileError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.meta_tasks.scenario import Scenario

InstanceKey = tuple[str, str]
"""A scenario and one of its days, by name."""


class IncomparableRuns(Exception):
    """The runs cannot be compared; the message says why, and what to do."""


@dataclass(frozen=True)
class ComparedRun:
    """One agent in one run.

    ``scenarios`` are those of its run.json, None without one. ``verified`` says whether
    `trainee-bench verify` found the run in order. ``origin`` is the file with the run's results.
    """

    label: str
    agent: str
    results: tuple[EpisodeResult, ...]
    scenarios: dict[str, Scenario] | None = None
    verified: bool = False
    origin: Path | None = None

    def graded_episodes(self) -> dict[InstanceKey, list[EpisodeResult]]:
        """Return the episodes in which everything was graded, by instance, sorted."""
        return {
            instance: graded
            for instance, attempts in self.episodes_by_instance().items()
            if (
                graded := [
                    result for result in attempts if result.score is not None and not result.broken
                ]
            )
        }

    def episodes_by_instance(self) -> dict[InstanceKey, list[EpisodeResult]]:
        """Return all episodes, by instance, sorted."""
        every: dict[InstanceKey, list[EpisodeResult]] = {}
        for result in sorted(self.results, key=lambda r: (r.scenario, r.day, r.attempt)):
            every.setdefault((result.scenario, result.day), []).append(result)
        return every

    @property
    def dropped(self) -> int:
        """The number of episodes left out because a task in them was not graded."""
        return len(self.results) - sum(map(len, self.graded_episodes().values()))


@dataclass(frozen=True)
class _Run:
    path: Path
    file: Path
    results: tuple[EpisodeResult, ...]
    scenarios: dict[str, Scenario] | None
    verified: bool

    @property
    def agents(self) -> list[str]:
        return sorted({result.agent for result in self.results})


def load_compared_runs(paths: Sequence[Path], agents: Sequence[str] = ()) -> list[ComparedRun]:
    """Return the agents to compare: all agents of one run, or the only agent of each of several.

    *agents* selects some by name. Raises IncomparableRuns.
    """
    runs = [_read(path) for path in paths]
    known = sorted({agent for run in runs for agent in run.agents})
    for agent in agents:
        if agent not in known:
            raise IncomparableRuns(f"No agent is named {agent}; available: {', '.join(known)}.")
    selected: list[tuple[_Run, str]] = []
    for run in runs:
        own = [agent for agent in run.agents if not agents or agent in agents]
        if not own:
            raise IncomparableRuns(
                f"{run.path} has none of these agents; available: {', '.join(run.agents)}."
            )
        if len(runs) > 1 and len(own) > 1 and not agents:
            raise IncomparableRuns(
                f"{run.path} has several agents ({', '.join(own)}). Select one with --agent NAME."
            )
        selected += [(run, agent) for agent in own]
    if len(selected) < 2:
        raise IncomparableRuns("A comparison needs two: add another run, or another --agent.")
    labels = _labels(selected)
    return [
        ComparedRun(
            label,
            agent,
            tuple(r for r in run.results if r.agent == agent),
            run.scenarios,
            run.verified,
            run.file.resolve(),
        )
        for label, (run, agent) in zip(labels, selected, strict=True)
    ]


def _read(path: Path) -> _Run:
    """Read the run in *path*: a folder, its result file, or a folder that contains one such
    folder."""
    file = path if path.is_file() else path / "results.jsonl"
    if not file.is_file():
        inner = sorted(path.glob("*/results.jsonl"))
        if len(inner) != 1:
            if inner:
                hint = f"give one of {', '.join(str(found.parent) for found in inner)}"
            elif (path / "experiment.json").is_file():
                hint = "it shows the results of another folder, which its experiment.json names"
            else:
                hint = "give a run's folder or its results.jsonl"
            raise IncomparableRuns(f"{path} has no results.jsonl: {hint}.")
        file = inner[0]
    try:
        read = ResultFile(file).read()
    except (OSError, ResultFileError) as error:
        raise IncomparableRuns(f"{path}: {error}") from None
    if not read:
        raise IncomparableRuns(f"{file} has no results yet.")
    if any(result.forked_from is not None for result in read):
        raise IncomparableRuns(
            f"{path} continues another run from a step, so its scores are not those of whole days "
            "and cannot be compared. The studio shows both days side by side."
        )
    verified = file.name == "results.jsonl" and RunFolder(file.parent).verified
    return _Run(path, file, tuple(read), _scenarios(file.parent / "run.json"), verified)


def _scenarios(record: Path) -> dict[str, Scenario] | None:
    if not record.is_file():
        return None
    try:
        plan = RunPlan.model_validate_json(record.read_bytes())
    except ValidationError:
        raise IncomparableRuns(f"{record} is not a run.json of this version.") from None
    return {scenario.name: scenario for scenario in plan.scenarios}


def _labels(selected: Sequence[tuple[_Run, str]]) -> list[str]:
    """Return the shortest labels that distinguish the runs."""
    for label in (
        lambda run, agent: agent,
        lambda run, agent: run.path.name,
        lambda run, agent: f"{run.path.name} {agent}",
        lambda run, agent: f"{run.path} {agent}",
    ):
        labels: list[str] = [label(run, agent) for run, agent in selected]
        if len(set(labels)) == len(labels):
            return labels
    counted: Counter[str] = Counter()
    labels = [agent for _, agent in selected]
    for place, name in enumerate(labels):
        counted[name] += 1
        labels[place] = f"{name} #{counted[name]}"
    return labels
