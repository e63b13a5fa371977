"""The JSON of the page "Runs": the list of runs, and a run as a table of scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path

from pydantic import BaseModel

from trainee_bench.harness.analysis.statistics.summary import score_in_mean
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import CheckpointResult, TaskResult
from trainee_bench.harness.studio.episode_table import ending, run_path
from trainee_bench.harness.studio.exported_page import RunDocument, documents_of
from trainee_bench.harness.studio.opened_run import EpisodeState, OpenedRun, ScoreMark, ShownEpisode
from trainee_bench.harness.studio.shown_days import day_key


class RunLine(BaseModel):
    """A run in the list; ``error`` says why it cannot be shown."""

    run: int
    name: str
    path: str
    benchmark: str
    agents: int
    episodes: int
    states: dict[EpisodeState, int]
    error: str
    episode: str | None = None
    """The only episode, if the run is a single world file."""


class RunList(BaseModel):
    """All runs."""

    runs: tuple[RunLine, ...]


class CellTask(BaseModel):
    """A task of an episode, with the values that the filters use."""

    task: str
    rule: str
    family: str
    score: float | None
    success: bool
    harm: int
    passed: tuple[str, ...]
    missed: tuple[str, ...]


class RunCell(BaseModel):
    """An episode in the table; it is not shown while a person has ``taken`` it."""

    episode: str
    agent: str
    scenario: str
    day: str
    day_mark: str
    """A mark that is equal for episodes of the same day in any run; "" for a single world file."""
    attempt: int
    state: EpisodeState
    taken: bool
    score: float | None
    broken_as_0: float | None
    """The score when ungraded parts count as 0; None until the episode has ended."""
    marks: tuple[ScoreMark, ...]
    success: bool
    ended: str
    calls: int
    cost_usd: float | None
    tasks: tuple[CellTask, ...]


class RunTable(BaseModel):
    """A run: its agents and days in order, its episodes, and its documents."""

    run: int
    name: str
    path: str
    benchmark: str
    agents: tuple[str, ...]
    days: tuple[tuple[str, str], ...]
    cells: tuple[RunCell, ...]
    documents: tuple[RunDocument, ...]


def run_line(run: OpenedRun) -> RunLine:
    """Return the line of *run* in the list."""
    episodes = run.episodes()
    counts = dict.fromkeys(EpisodeState, 0)
    for episode in episodes:
        counts[episode.state] += 1
    alone = run.path.is_file()
    return RunLine(
        run=run.number,
        name=run.name,
        path=run_path(run),
        benchmark=run.plan.benchmark if run.plan is not None else "",
        agents=len(run.plan.agents) if run.plan is not None else 0,
        episodes=len(episodes),
        states=counts,
        error=run.error,
        episode=episodes[0].key if alone else None,
    )


def run_table(run: OpenedRun, opened: Sequence[Path] = ()) -> RunTable:
    """Return the table of *run*; *opened* are the folders that people have opened."""
    cells = tuple(_cell(episode) for episode in run.episodes())
    agents = run.plan.agents if run.plan is not None else ()
    return RunTable(
        run=run.number,
        name=run.name,
        path=run_path(run),
        benchmark=run.plan.benchmark if run.plan is not None else "",
        agents=tuple(agent.name for agent in agents),
        days=tuple(dict.fromkeys((cell.scenario, cell.day) for cell in cells)),
        cells=cells,
        documents=documents_of(run, opened),
    )


def _cell(episode: ShownEpisode) -> RunCell:
    spec, result = episode.spec, episode.result
    return RunCell(
        episode=episode.key,
        agent=spec.agent if spec else "",
        scenario=spec.scenario.name if spec else episode.name,
        day=spec.day_name if spec else "",
        day_mark=_day_mark(spec) if spec else "",
        attempt=spec.attempt if spec else 1,
        state=episode.state,
        taken=episode.taken,
        score=result.score if result else None,
        broken_as_0=score_in_mean(result, broken_as_0=True) if result else None,
        marks=episode.marks,
        success=result.success if result else False,
        ended=ending(result),
        calls=result.tool_calls if result else 0,
        cost_usd=result.cost_usd if result else None,
        tasks=tuple(_task(task) for task in result.tasks) if result else (),
    )


def _day_mark(spec: EpisodeSpec) -> str:
    key = day_key(spec.scenario, spec.day).encode()
    return blake2b(key, digest_size=9).hexdigest()


def _task(task: TaskResult) -> CellTask:
    return CellTask(
        task=task.task,
        rule=task.rule,
        family=task.family,
        score=task.score,
        success=task.success,
        harm=len(task.harm),
        passed=_names(check for check in task.checkpoints if check.passed),
        missed=_names(check for check in task.checkpoints if not check.passed),
    )


def _names(checkpoints: Iterable[CheckpointResult]) -> tuple[str, ...]:
    return tuple(check.name for check in checkpoints)
