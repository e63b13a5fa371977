"""What the pages of a run show, as plain data for their templates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from trainee_bench.harness.analysis.report.day_record import DayRecord, TaskRecord
from trainee_bench.harness.analysis.report.table import UNKNOWN, format_number
from trainee_bench.harness.analysis.report.terms import pluralize
from trainee_bench.harness.analysis.report.timeline import (
    END_REASON_LABELS,
    draw_timeline,
    outcome_class,
)
from trainee_bench.harness.analysis.report.usage import uses_model
from trainee_bench.harness.records.plan import EpisodeSpec, RunPlan
from trainee_bench.harness.records.results import CheckpointResult, EpisodeResult, TaskResult

MAX_EMBEDDED_EPISODES = 60
"""Episodes whose days are folded into one page; more are pages of their own."""
DayDrawing = DayRecord | str
"""A day, or why it cannot be drawn."""


@dataclass(frozen=True)
class TaskView:
    """A task of an episode, in words."""

    name: str
    score: str
    outcome: str
    percent: int
    meta: str
    checks: tuple[CheckpointResult, ...]
    harm: tuple[str, ...]
    error: str | None


@dataclass(frozen=True)
class EpisodeView:
    """An episode, in words and as a picture. ``paginate_cells`` is where it lies if not in this page."""

    anchor: str
    agent: str
    attempt: int | None
    score: str
    how: str
    bad: bool
    counts: str
    tasks: tuple[TaskView, ...]
    timeline: Markup | None
    undrawn: str
    error: str | None
    agent_error: str | None
    page: str | None
    open: bool

    @property
    def file(self) -> str:
        """The name of its page."""
        return f"{self.anchor}.html"


@dataclass(frozen=True)
class GroupView:
    """The episodes of one day of one scenario."""

    anchor: str
    title: str
    episodes: tuple[EpisodeView, ...]


def group_views(
    plan: RunPlan,
    results: Sequence[EpisodeResult],
    agents: Sequence[str],
    days: Mapping[str, DayDrawing],
) -> list[GroupView]:
    """All episodes, by scenario and day in the plan's order, the best agent of all first."""
    by_id = {result.episode: result for result in results}
    together: dict[tuple[str, int], list[EpisodeResult]] = {}
    for order in plan.episode_specs():
        if order.id in by_id:
            key = (order.scenario.name, order.day)
            together.setdefault(key, []).append(by_id.pop(order.id))
    for _, other in sorted(by_id.items()):  # of a plan that is not this one
        together.setdefault((other.scenario, -1), []).append(other)
    rank = {agent: place for place, agent in enumerate(agents)}
    apart, made = len(results) > MAX_EMBEDDED_EPISODES, []
    for (scenario, day), episodes in together.items():
        episodes.sort(key=lambda one: (rank[one.agent], one.agent, one.attempt))
        several = len({one.day for one in results if one.scenario == scenario}) > 1
        title = f"{scenario} · {episodes[0].day}" if several else scenario
        views = [
            _episode(plan, one, days.get(one.episode, "its world is missing."), apart)
            for one in episodes
        ]
        made.append(GroupView(f"day-{_safe(scenario)}-{day + 1}", title, tuple(views)))
    if made and not apart:
        first, *others = made[0].episodes
        opened = EpisodeView(**{**vars(first), "open": True})
        made[0] = GroupView(made[0].anchor, made[0].title, (opened, *others))
    return made


def is_drawable(order: EpisodeSpec, result: EpisodeResult) -> bool:
    """Whether there is a world to draw the episode from."""
    return result.world is not None and bool(order.scenario.days[order.day].tasks)


def _episode(plan: RunPlan, result: EpisodeResult, day: DayDrawing, apart: bool) -> EpisodeView:
    recorded = {task.id: task for task in day.tasks} if isinstance(day, DayRecord) else {}
    anchor = _safe(result.episode)
    bad = result.broken or result.agent_error is not None
    bad = bad or (result.ended is not None and result.ended.limited)
    return EpisodeView(
        anchor=anchor,
        agent=result.agent,
        attempt=result.attempt if plan.epochs > 1 else None,
        score=format_number(result.score),
        how=_how(result, day),
        bad=bad,
        counts=_counts(plan, result),
        tasks=tuple(_task(task, recorded.get(task.task)) for task in result.tasks),
        timeline=Markup(draw_timeline(day, result)) if isinstance(day, DayRecord) else None,  # noqa: S704 - made of escaped parts
        undrawn=day if isinstance(day, str) else "",
        error=result.error,
        agent_error=result.agent_error,
        page=f"days/{anchor}.html" if apart else None,
        open=False,
    )


def _how(result: EpisodeResult, day: DayDrawing) -> str:
    """How the episode ended, in a word or two."""
    if result.error is not None:
        return "broke"
    said = END_REASON_LABELS[result.ended] if result.ended else "ended"
    return f"{said} {day.stopped:%H:%M}" if isinstance(day, DayRecord) else said


def _counts(plan: RunPlan, result: EpisodeResult) -> str:
    """What the episode took, in one line."""
    said = [pluralize(result.steps, "step"), pluralize(result.tool_calls, "call")]
    said += [f"{result.failed_calls} of them failed"] if result.failed_calls else []
    said += [f"{result.refused_calls} refused"] if result.refused_calls else []
    if uses_model(plan, result):
        tokens = (result.prompt_tokens, result.completion_tokens)
        known = [f"{count:,}" if count is not None else UNKNOWN for count in tokens]
        said.append(f"tokens: {known[0]} read, {known[1]} written")
        cost = UNKNOWN if result.cost_usd is None else f"${result.cost_usd:,.4f}"
        said.append(f"cost: {cost}")
    said += [f"{kind.replace('_', ' ')} × {n}" for kind, n in sorted(result.incidents.items())]
    return " · ".join(said)


def _task(task: TaskResult, recorded: TaskRecord | None) -> TaskView:
    title = recorded.title if recorded else task.rule
    said = [task.rule] if recorded else []
    said += [task.label, task.domain.replace("_", " ")]
    if task.submitted:
        said.append("handed in")
    elif task.late_minutes:
        said.append(f"handed in {task.late_minutes} minutes late")
    elif task.score is not None:
        said.append("not handed in")
    return TaskView(
        name=f"{task.task} {title}".strip(),
        score=format_number(task.score),
        outcome=outcome_class(task),
        percent=round(100 * (task.score or 0)),
        meta=" · ".join(part for part in said if part),
        checks=task.checkpoints,
        harm=task.harm,
        error=task.error,
    )


def _safe(name: str) -> str:
    """*name* as an anchor and the name of a file."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).lstrip(".") or "-"
