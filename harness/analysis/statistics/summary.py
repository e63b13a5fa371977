"""Figures of a run, from its results alone: per agent, and by kind of task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from trainee_bench.harness.analysis.statistics.attempts import all_succeed, task_attempts
from trainee_bench.harness.analysis.statistics.bootstrap import (
    Estimate,
    ScenarioTotal,
    bootstrap_mean,
)
from trainee_bench.harness.records.results import UNSUPPORTED, EpisodeResult, TaskResult
from trainee_bench.meta_tasks.grade import score_with_all

BROKEN_AS_0 = "broken as 0"
"""Name of the second mean in every table."""
BROKEN_AS_0_MEANS = "the score if every day and task that could not be graded counted as 0"


def score_in_mean(result: EpisodeResult, *, broken_as_0: bool) -> float | None:
    """Return the contribution of *result* to a mean of scores; None if it has none."""
    return score_with_all(result.score, result.tasks) if broken_as_0 else result.score


Results = Sequence[EpisodeResult]
T = TypeVar("T")
TaskFilter = Callable[[EpisodeResult, TaskResult], bool]
"""Selects the tasks that a figure is about."""


NO_COMPLICATION = "none"
"""Name of tasks without complications next to tasks that have some."""


@dataclass(frozen=True)
class AgentSummary:
    """One agent's figures.

    ``success`` is the share of tasks with every checkpoint and no harm. ``complete`` is the share
    of fully graded episodes that were a success. ``score`` is the mean of the episodes' scores,
    ``broken_as_0`` the same with ungraded tasks as 0, ``family_score`` the mean over families of
    their tasks' mean.

    Steps and calls are means per episode. ``coverage`` is the share of tasks that were graded.
    ``cost_usd`` is also None if any episode's cost is unknown. ``pass_all`` is pass^k for k =
    ``attempts``, the most that any task had.
    """

    agent: str
    episodes: int
    broken: int
    coverage: float
    success: Estimate | None
    complete: Estimate | None
    score: Estimate | None
    broken_as_0: Estimate | None
    family_score: float | None
    steps: float
    tool_calls: float
    submitted: float | None
    late_minutes: float | None
    tokens: float | None
    cost_usd: float | None
    agent_errors: int
    limited: int
    pass_all: float | None
    attempts: int


@dataclass(frozen=True)
class SummaryCell:
    """A group of tasks of one agent: their number, success and score."""

    tasks: int
    success: Estimate | None
    score: Estimate | None


@dataclass(frozen=True)
class Breakdown:
    """The same figures by some property: ``cells[group][agent]``."""

    title: str
    agents: tuple[str, ...]
    cells: dict[str, dict[str, SummaryCell]]


def agent_summaries(results: Results) -> list[AgentSummary]:
    """Return a summary per agent, the greatest share of complete days first, then the best
    score."""
    by_agent = _grouped(results, lambda result: result.agent)
    summaries = [_summary(agent, episodes) for agent, episodes in by_agent.items()]
    return sorted(
        summaries, key=lambda line: (-_known(line.complete), -_known(line.score), line.agent)
    )


def _known(mean: Estimate | None) -> float:
    return -1.0 if mean is None else mean.mean


def breakdowns(results: Results) -> list[Breakdown]:
    """Return figures by number of tasks, label, domain and family, also by day and complication.

    The last two appear if there are several. A task with several complications counts for each.
    """
    agents = tuple(line.agent for line in agent_summaries(results))
    kinds: list[tuple[str, Callable[[EpisodeResult, TaskResult], Sequence[str]]]] = [
        ("tasks in the day", lambda episode, _: (str(len(episode.tasks)),)),
        ("label", lambda _, task: (task.label,)),
        ("domain", lambda _, task: (task.domain.replace("_", " "),)),
        ("family", lambda _, task: (task.family,)),
        ("complication", lambda _, task: task.rule.split("+")[1:] or (NO_COMPLICATION,)),
        ("day", lambda episode, _: (episode.day,)),
    ]
    every = [_breakdown(title, agents, results, key) for title, key in kinds]
    alone = {"day": 1, "complication": int(not _are_complicated(results))}
    return [b for b in every if len(b.cells) > alone.get(b.title, 0)]


def _are_complicated(results: Results) -> bool:
    return any("+" in task.rule for result in results for task in result.tasks)


def unsupported_tasks(results: Results) -> dict[str, int]:
    """Return the tasks whose family this version lacks: the number of scenario days by name."""
    seen = {
        (result.scenario, result.day, place, task.rule)
        for result in results
        for place, task in enumerate(result.tasks)
        if task.error == UNSUPPORTED
    }
    counted: dict[str, int] = defaultdict(int)
    for _, _, _, name in sorted(seen):
        counted[name] += 1
    return dict(counted)


def _summary(agent: str, episodes: Results) -> AgentSummary:
    tasks = [task for episode in episodes for task in episode.tasks]
    graded = [task for task in tasks if task.score is not None]
    worked = [episode for episode in episodes if episode.error is None]
    late = [task.late_minutes for task in graded if task.late_minutes is not None]
    return AgentSummary(
        agent=agent,
        episodes=len(episodes),
        broken=sum(episode.broken for episode in episodes),
        coverage=_mean([float(task.score is not None) for task in tasks]) or 0.0,
        success=bootstrap_mean(_task_units(episodes, _success), agent, "success"),
        complete=bootstrap_mean(_complete_units(episodes), agent, "complete"),
        score=bootstrap_mean(_episode_units(episodes, broken_as_0=False), agent, "score"),
        broken_as_0=bootstrap_mean(_episode_units(episodes, broken_as_0=True), agent, "score"),
        family_score=_family_score(graded),
        steps=_mean([float(episode.steps) for episode in worked]) or 0.0,
        tool_calls=_mean([float(episode.tool_calls) for episode in worked]) or 0.0,
        submitted=_mean([float(task.submitted) for task in graded]),
        late_minutes=_mean([float(minutes) for minutes in late]),
        tokens=_sum(e.prompt_tokens for e in worked) + _sum(e.completion_tokens for e in worked)
        if any(e.prompt_tokens is not None for e in worked)
        else None,
        cost_usd=_cost(worked),
        agent_errors=sum(episode.agent_error is not None for episode in episodes),
        limited=sum(episode.ended is not None and episode.ended.limited for episode in episodes),
        pass_all=_pass_all(episodes),
        attempts=_most_repeats(episodes),
    )


def _family_score(graded: Sequence[TaskResult]) -> float | None:
    by_family = _grouped(graded, lambda task: task.family)
    return _mean([_mean([_score(task) for task in tasks]) or 0.0 for tasks in by_family.values()])


def pass_power(episodes: Results, k: int) -> float | None:
    """Return pass^k of one agent: the chance that *k* attempts at the same task all succeed.

    It is the mean over tasks of `all_succeed` for their graded attempts. Tasks with fewer graded
    attempts are left out. Return None if no task has enough.
    """
    units = [unit for unit in task_attempts(episodes) if unit.graded >= k]
    return _mean([all_succeed(unit.successes, unit.graded, k) for unit in units])


def _pass_all(episodes: Results) -> float | None:
    """Return pass^k for the most attempts that any task had; None if nothing was repeated."""
    k = _most_repeats(episodes)
    return pass_power(episodes, k) if k > 1 else None


def _most_repeats(episodes: Results) -> int:
    return max((unit.graded for unit in task_attempts(episodes)), default=0)


def _breakdown(
    title: str,
    agents: tuple[str, ...],
    results: Results,
    key: Callable[[EpisodeResult, TaskResult], Sequence[str]],
) -> Breakdown:
    groups = sorted(
        {group for e in results for t in e.tasks if t.score is not None for group in key(e, t)}
    )
    cells: dict[str, dict[str, SummaryCell]] = {}
    for group in groups:
        cells[group] = {}
        for agent in agents:
            episodes = [e for e in results if e.agent == agent]
            units = [
                [t for t in e.tasks if t.score is not None and group in key(e, t)] for e in episodes
            ]
            by_scenario = _grouped(
                [(e.scenario, t) for e, kept in zip(episodes, units, strict=True) for t in kept],
                lambda pair: pair[0],
            )
            tasks = [[task for _, task in pairs] for pairs in by_scenario.values()]
            cells[group][agent] = SummaryCell(
                tasks=sum(map(len, tasks)),
                success=bootstrap_mean(_units(tasks, _success), agent, title, group, "success"),
                score=bootstrap_mean(_units(tasks, _score), agent, title, group, "score"),
            )
    return Breakdown(title, agents, cells)


def _task_units(episodes: Results, value: Callable[[TaskResult], float]) -> list[ScenarioTotal]:
    by_scenario = _grouped(episodes, lambda episode: episode.scenario)
    return _units(
        [
            [task for episode in group for task in episode.tasks if task.score is not None]
            for group in by_scenario.values()
        ],
        value,
    )


def _episode_units(episodes: Results, *, broken_as_0: bool) -> list[ScenarioTotal]:
    by_scenario = _grouped(episodes, lambda episode: episode.scenario)
    units = []
    for group in by_scenario.values():
        given = [score_in_mean(episode, broken_as_0=broken_as_0) for episode in group]
        scores = [score for score in given if score is not None]
        units.append(ScenarioTotal(sum(scores), len(scores)))
    return units


def _complete_units(episodes: Results) -> list[ScenarioTotal]:
    by_scenario = _grouped(episodes, lambda episode: episode.scenario)
    whole = [[result for result in group if not result.broken] for group in by_scenario.values()]
    return [ScenarioTotal(sum(result.success for result in group), len(group)) for group in whole]


def _units(
    groups: Iterable[Sequence[TaskResult]], value: Callable[[TaskResult], float]
) -> list[ScenarioTotal]:
    return [ScenarioTotal(sum(value(task) for task in tasks), len(tasks)) for tasks in groups]


def _success(task: TaskResult) -> float:
    return float(task.success)


def _score(task: TaskResult) -> float:
    return task.score or 0.0


def _grouped(items: Iterable[T], key: Callable[[T], str]) -> dict[str, list[T]]:
    groups: dict[str, list[T]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return {name: groups[name] for name in sorted(groups)}


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _cost(worked: Results) -> float | None:
    """Return the total cost; None if nothing cost anything, or if any price is unknown."""
    if any(e.cost_usd is None and e.prompt_tokens is not None for e in worked):
        return None
    return _sum(e.cost_usd for e in worked) if any(e.cost_usd is not None for e in worked) else None


def _sum(values: Iterable[float | None]) -> float:
    return sum(value for value in values if value is not None)
