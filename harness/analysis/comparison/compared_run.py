"""Who is compared: one agent's results in one run, and which instances they were won on.

folder or results.jsonl ──entrants()──► Entrant, Entrant, …: label, episodes by instance
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult, ResultFile, ResultFileError
from trainee_bench.meta_tasks.scenario import Scenario

InstanceKey = tuple[str, str]
"""A scenario and one of its days, by name."""


class IncomparableRuns(Exception):
    """What was asked cannot be compared; says why, and what would be right."""


@dataclass(frozen=True)
class ComparedRun:
    """One agent in one run. ``scenarios`` are those the run recorded, None without a record."""

    label: str
    agent: str
    results: tuple[EpisodeResult, ...]
    scenarios: dict[str, Scenario] | None = None

    def graded_episodes(self) -> dict[InstanceKey, list[EpisodeResult]]:
        """The episodes in which everything was graded, by instance, sorted."""
        found: dict[InstanceKey, list[EpisodeResult]] = {}
        ordered = sorted(self.results, key=lambda r: (r.scenario, r.day, r.attempt))
        for result in ordered:
            if result.score is not None and not result.broken:
                found.setdefault((result.scenario, result.day), []).append(result)
        return found

    @property
    def dropped(self) -> int:
        """How many episodes are left out, because something in them was not graded."""
        return len(self.results) - sum(map(len, self.graded_episodes().values()))


@dataclass(frozen=True)
class _Run:
    path: Path
    results: tuple[EpisodeResult, ...]
    scenarios: dict[str, Scenario] | None

    @property
    def agents(self) -> list[str]:
        return sorted({result.agent for result in self.results})


def load_compared_runs(paths: Sequence[Path], agents: Sequence[str] = ()) -> list[ComparedRun]:
    """The agents to compare: all of one run, or in each of several runs its only one.

    *agents* are the names of those meant. Raises Incomparable, ResultFileError.
    """
    runs = [_read(path) for path in paths]
    known = sorted({agent for run in runs for agent in run.agents})
    for agent in agents:
        if agent not in known:
            raise IncomparableRuns(
                f"--agent {agent}: there is none of that name, but {_all(known)}."
            )
    found: list[tuple[_Run, str]] = []
    for run in runs:
        meant = [agent for agent in run.agents if not agents or agent in agents]
        if not meant:
            raise IncomparableRuns(f"{run.path} has none of those agents, but {_all(run.agents)}.")
        if len(runs) > 1 and len(meant) > 1 and not agents:
            raise IncomparableRuns(
                f"{run.path} has {_all(meant)}: say whom you mean by --agent NAME."
            )
        found += [(run, agent) for agent in meant]
    if len(found) < 2:
        raise IncomparableRuns("A comparison takes two: name another run, or another --agent.")
    labels = _labels(found)
    return [
        ComparedRun(label, agent, tuple(r for r in run.results if r.agent == agent), run.scenarios)
        for label, (run, agent) in zip(labels, found, strict=True)
    ]


def _read(path: Path) -> _Run:
    """The run in *path*: a folder, its result file, or a folder with one such folder in it."""
    file = path if path.is_file() else path / "results.jsonl"
    if not file.is_file():
        inner = sorted(path.glob("*/results.jsonl"))
        if len(inner) != 1:
            names = _all([str(one.parent) for one in inner])
            hint = f"name one of {names}" if inner else "name a run's folder or its result file"
            if not inner and (path / "experiment.json").is_file():
                hint = (
                    "it shows the results of another folder, which the file experiment.json names"
                )
            raise IncomparableRuns(f"{path} has no results.jsonl: {hint}.")
        file = inner[0]
    try:
        read = ResultFile(file).read()
    except (OSError, ResultFileError) as error:
        raise IncomparableRuns(f"{path}: {error}") from None
    results = {result.episode: result for result in read}
    if not results:
        raise IncomparableRuns(f"{file} has no results yet.")
    return _Run(path, tuple(results.values()), _scenarios(file.parent / "run.json"))


def _scenarios(record: Path) -> dict[str, Scenario] | None:
    if not record.is_file():
        return None
    try:
        plan = RunPlan.model_validate_json(record.read_bytes())
    except ValidationError:
        raise IncomparableRuns(f"{record} is not a plan of this version of the program.") from None
    return {scenario.name: scenario for scenario in plan.scenarios}


def _labels(found: Sequence[tuple[_Run, str]]) -> list[str]:
    """What each is called: as briefly as they can be told apart."""
    for label in (
        lambda run, agent: agent,
        lambda run, agent: run.path.name,
        lambda run, agent: f"{run.path.name} {agent}",
        lambda run, agent: f"{run.path} {agent}",
    ):
        labels: list[str] = [label(run, agent) for run, agent in found]
        if len(set(labels)) == len(labels):
            return labels
    counted: Counter[str] = Counter()
    labels = [agent for _, agent in found]
    for place, name in enumerate(labels):
        counted[name] += 1
        labels[place] = f"{name} #{counted[name]}"
    return labels


def _all(names: Sequence[str]) -> str:
    return ", ".join(names)
