"""The JSON of the page "Overview": how well each agent did on each task family, the causes of lost
points, and the flags on its steps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel

from trainee_bench.harness.analysis.report.worth_section import worth_sections
from trainee_bench.harness.analysis.scheduling.schedule_section import causes_section
from trainee_bench.harness.analysis.scheduling.schedule_summary import NO_REFERENCES
from trainee_bench.harness.documents.document import Grid, Medium, Paragraph, Section
from trainee_bench.harness.records.results import EpisodeResult, TaskResult
from trainee_bench.harness.records.worth import StoredWorths
from trainee_bench.harness.studio.episode_table import run_path
from trainee_bench.harness.studio.exported_page import RunDocument, documents_of
from trainee_bench.harness.studio.folder_endpoints import ShownFlags, shown_flags
from trainee_bench.harness.studio.opened_run import OpenedRun, ScoreMark, ShownEpisode


class FamilyCell(BaseModel):
    """The graded tasks of one agent in one family: their number, how many are complete, as a share,
    and their mean score. The share and the score are None without a task. ``ungraded`` counts the
    tasks that could not be graded."""

    agent: str
    family: str
    tasks: int
    ungraded: int
    complete: int
    share: float | None
    score: float | None


class LossTable(BaseModel):
    """The causes of lost points, as worded in the report: a row for each agent."""

    heading: str
    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


class FlaggedStep(BaseModel):
    """A flag in the list of a run."""

    episode: str
    agent: str
    scenario: str
    day: str
    attempt: int
    step: int
    at: datetime
    tool: str
    note: str


class RunFlags(BaseModel):
    """The flags of a run; ``flaws`` say which cannot be shown, and why."""

    flags: tuple[FlaggedStep, ...]
    flaws: tuple[str, ...]


class RunOverview(BaseModel):
    """A run: its agents in order, its task families, and a cell for each pair, by family. ``marks``
    are the marks on each agent's scores."""

    run: int
    name: str
    path: str
    benchmark: str
    episodes: int
    over: int
    agents: tuple[str, ...]
    marks: dict[str, tuple[ScoreMark, ...]]
    families: tuple[str, ...]
    cells: tuple[FamilyCell, ...]
    lost: tuple[LossTable, ...]
    documents: tuple[RunDocument, ...]
    badges: dict[str, str] = {}
    """How each task of an own office was certified when the run began, by rule."""


class WorkedTask(BaseModel):
    """A task behind a cell, and how many checkpoints it missed."""

    episode: str
    scenario: str
    day: str
    attempt: int
    task: str
    rule: str
    score: float | None
    success: bool
    harm: int
    missed: int
    marks: tuple[ScoreMark, ...]


class WorkedTasks(BaseModel):
    """The tasks behind a cell."""

    tasks: tuple[WorkedTask, ...]


class RunOverviews:
    """Overviews of runs; the causes of lost points are read again only after a change."""

    def __init__(self) -> None:
        self._lost: dict[Path, tuple[object, tuple[LossTable, ...]]] = {}

    def of(self, run: OpenedRun, opened: Sequence[Path]) -> RunOverview:
        """Return the overview of *run*; *opened* are the folders that people have opened."""
        episodes = run.episodes()
        results = [episode.result for episode in episodes if episode.result is not None]
        agents = tuple(agent.name for agent in run.plan.agents) if run.plan is not None else ()
        cells = tuple(_cells(results, agents))
        return RunOverview(
            run=run.number,
            name=run.name,
            path=run_path(run),
            benchmark=run.plan.benchmark if run.plan is not None else "",
            episodes=len(episodes),
            over=len(results),
            agents=agents,
            marks=_marks(episodes),
            families=tuple(dict.fromkeys(cell.family for cell in cells)),
            cells=cells,
            lost=self._lost_in(run, results, agents),
            documents=documents_of(run, opened),
            badges=run.plan.badges if run.plan is not None else {},
        )

    def _lost_in(
        self, run: OpenedRun, results: Sequence[EpisodeResult], agents: Sequence[str]
    ) -> tuple[LossTable, ...]:
        state = (len(results), tuple(_stored(run.path)))
        known = self._lost.get(run.path)
        if known is None or known[0] != state:
            stored = StoredWorths(run.path)
            read = ((result.episode, stored.read(result)) for result in results)
            worths = {episode: worth for episode, worth in read if worth is not None}
            sections = worth_sections(results, agents, worths)
            sections = sections or causes_section(results, NO_REFERENCES)
            known = state, tuple(map(_table, sections))
            self._lost[run.path] = known
        return known[1]


def worked_tasks(run: OpenedRun, agent: str, family: str) -> WorkedTasks:
    """Return the tasks of *family* that *agent* was given in *run*, the lowest score first."""
    found = [
        _worked(episode, task)
        for episode in run.episodes()
        if episode.result is not None and episode.result.agent == agent
        for task in episode.result.tasks
        if task.family == family
    ]
    return WorkedTasks(tasks=tuple(sorted(found, key=lambda task: task.score or 0.0)))


def run_flags(episodes: Iterable[ShownEpisode]) -> RunFlags:
    """Return the flags on steps of *episodes*."""
    read = [(episode, shown_flags(episode)) for episode in episodes]
    return RunFlags(
        flags=tuple(flag for episode, shown in read for flag in _flags(episode, shown)),
        flaws=tuple(shown.flaw for _, shown in read if shown.flaw),
    )


def _cells(results: Sequence[EpisodeResult], agents: Sequence[str]) -> Iterator[FamilyCell]:
    """Yield the cells by family, without the report's bootstrap, which would take seconds."""
    tasks: dict[tuple[str, str], list[TaskResult]] = defaultdict(list)
    for result in results:
        for task in result.tasks:
            tasks[task.family, result.agent].append(task)
    for family in sorted({family for family, _ in tasks}):
        for agent in agents:
            yield _cell(agent, family, tasks[family, agent])


def _cell(agent: str, family: str, tasks: Sequence[TaskResult]) -> FamilyCell:
    scores = [task.score for task in tasks if task.score is not None]
    complete = sum(task.success for task in tasks if task.score is not None)
    return FamilyCell(
        agent=agent,
        family=family,
        tasks=len(scores),
        ungraded=len(tasks) - len(scores),
        complete=complete,
        share=complete / len(scores) if scores else None,
        score=sum(scores) / len(scores) if scores else None,
    )


def _marks(episodes: Iterable[ShownEpisode]) -> dict[str, tuple[ScoreMark, ...]]:
    """Return the marks on the scores of each agent that has any."""
    found: dict[str, set[ScoreMark]] = defaultdict(set)
    for episode in episodes:
        if episode.result is not None:
            found[episode.result.agent].update(episode.marks)
    return {agent: tuple(sorted(marks)) for agent, marks in found.items() if marks}


def _stored(run: Path) -> Iterator[tuple[str, int, int]]:
    """Yield name, time and size of each file with the worth of steps of *run*."""
    for file in sorted((run / "worth").glob("*.json")):
        try:
            found = file.stat()
        except OSError:  # removed meanwhile, or a link to nothing
            continue
        yield file.name, found.st_mtime_ns, found.st_size


def _table(section: Section) -> LossTable:
    """Return the table of *section* and its notes, as the report's page shows them."""
    grids = [block.shown_in(Medium.HTML) for block in section.blocks if isinstance(block, Grid)]
    notes = [block.text for block in section.blocks if isinstance(block, Paragraph)]
    return LossTable(
        heading=section.heading,
        titles=grids[0].titles,
        rows=tuple(tuple(row) for row in grids[0].rows),
        notes=tuple(notes),
    )


def _worked(episode: ShownEpisode, task: TaskResult) -> WorkedTask:
    assert episode.spec is not None
    return WorkedTask(
        episode=episode.key,
        scenario=episode.spec.scenario.name,
        day=episode.spec.day_name,
        attempt=episode.spec.attempt,
        task=task.task,
        rule=task.rule,
        score=task.score,
        success=task.success,
        harm=len(task.harm),
        missed=sum(not check.passed for check in task.checkpoints),
        marks=episode.marks,
    )


def _flags(episode: ShownEpisode, shown: ShownFlags) -> Iterator[FlaggedStep]:
    assert episode.spec is not None
    for flag in shown.flags:
        yield FlaggedStep(
            episode=episode.key,
            agent=episode.spec.agent,
            scenario=episode.spec.scenario.name,
            day=episode.spec.day_name,
            attempt=episode.spec.attempt,
            step=flag.step,
            at=flag.at,
            tool=flag.tool,
            note=flag.note,
        )
