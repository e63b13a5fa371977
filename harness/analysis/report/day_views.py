"""The episodes of a run by day, as plain data for the templates of the HTML report."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from trainee_bench.harness.analysis.report.day_record import DayRecord, TaskRecord
from trainee_bench.harness.analysis.report.provenance_section import task_facts
from trainee_bench.harness.analysis.report.timeline import draw_timeline, outcome_class
from trainee_bench.harness.analysis.report.usage import END_REASON_LABELS, uses_model
from trainee_bench.harness.analysis.report.worth_section import NO_WORTHS, Worths, costliest_steps
from trainee_bench.harness.analysis.statistics.summary import agent_summaries
from trainee_bench.harness.documents.formatting import UNKNOWN, format_number, pluralize
from trainee_bench.harness.records.plan import EpisodeSpec, RunPlan
from trainee_bench.harness.records.results import (
    CheckpointResult,
    DayResult,
    EpisodeResult,
    TaskResult,
)
from trainee_bench.harness.records.worth import EpisodeWorth
from trainee_bench.world.week import name_day, span_weeks

DayDrawing = tuple[DayRecord, ...] | str
"""An episode's day, or the days of its week, or the reason why they cannot be drawn."""


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
class TimelineView:
    """The pictures of a day: its events, and its schedule above the optimal one, None if unknown.

    ``heading`` says which day of its week it is, "" without a week. ``valued`` means that the
    schedule shows what was still possible.
    """

    heading: str
    picture: Markup
    schedule: Markup | None
    valued: bool


@dataclass(frozen=True)
class EpisodeView:
    """An episode, in words and as pictures of its day, or of each day of its week.

    ``episode`` is its id, and ``page`` the address of its own page, None if it is embedded in the
    report. ``undrawn`` says why there are no ``timelines``. ``bad`` marks an end that the agent did
    not choose. ``costliest`` describes the steps that cost most.
    """

    episode: str
    anchor: str
    agent: str
    attempt: int | None
    score: str
    ending: str
    bad: bool
    counts: str
    tasks: tuple[TaskView, ...]
    timelines: tuple[TimelineView, ...]
    undrawn: str
    error: str | None
    agent_error: str | None
    page: str | None
    open: bool
    costliest: tuple[str, ...]

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
    days: Mapping[str, DayDrawing],
    schedules: Mapping[str, Sequence[str]],
    *,
    apart: bool,
    worths: Worths = NO_WORTHS,
) -> list[GroupView]:
    """Return all episodes by scenario and day in the plan's order, the agent best overall first.

    *schedules* has the pictures of each episode's schedules, day by day, by its id. With *apart*
    each episode has its own page; otherwise the very first is unfolded.
    """
    ranks = {summary.agent: rank for rank, summary in enumerate(agent_summaries(results))}
    groups = []
    for (scenario, day), episodes in _by_day(plan, results).items():
        episodes.sort(key=lambda result: (ranks[result.agent], result.agent, result.attempt))
        days_of_scenario = {result.day for result in results if result.scenario == scenario}
        has_several_days = len(days_of_scenario) > 1
        title = f"{scenario} · {episodes[0].day}" if has_several_days else scenario
        views = tuple(
            _episode_view(
                plan,
                result,
                days.get(result.episode, "its world is missing."),
                schedules.get(result.episode, ()),
                apart,
                worths.get(result.episode),
            )
            for result in episodes
        )
        groups.append(GroupView(f"day-{_safe(scenario)}-{day + 1}", title, views))
    if groups and not apart:
        first, *others = groups[0].episodes
        groups[0] = replace(groups[0], episodes=(replace(first, open=True), *others))
    return groups


def _by_day(
    plan: RunPlan, results: Sequence[EpisodeResult]
) -> dict[tuple[str, int], list[EpisodeResult]]:
    """Return *results* by scenario and number of the day; results of no planned day come last."""
    by_id = {result.episode: result for result in results}
    grouped: dict[tuple[str, int], list[EpisodeResult]] = {}
    for episode in plan.episode_specs():
        if episode.id in by_id:
            key = (episode.scenario.name, episode.day)
            grouped.setdefault(key, []).append(by_id.pop(episode.id))
    for _, unplanned in sorted(by_id.items()):
        grouped.setdefault((unplanned.scenario, -1), []).append(unplanned)
    return grouped


def is_drawable(episode: EpisodeSpec, result: EpisodeResult) -> bool:
    """Return whether there is a world from which to draw the episode."""
    return result.world is not None and bool(episode.tasks)


def _episode_view(
    plan: RunPlan,
    result: EpisodeResult,
    day: DayDrawing,
    schedules: Sequence[str],
    apart: bool,
    worth: EpisodeWorth | None,
) -> EpisodeView:
    drawn = () if isinstance(day, str) else day
    records = {task.id: task for record in drawn for task in record.tasks}
    anchor = _safe(result.episode)
    bad = result.broken or result.agent_error is not None
    bad = bad or (result.ended is not None and result.ended.limited)
    return EpisodeView(
        episode=result.episode,
        anchor=anchor,
        agent=result.agent,
        attempt=result.attempt if plan.epochs > 1 else None,
        score=format_number(result.score),
        ending=_ending(result, day),
        bad=bad,
        counts=_counts(plan, result),
        tasks=tuple(
            _task_view(task, records.get(task.task), task_facts(result.provenance, task.task))
            for task in result.tasks
        ),
        timelines=tuple(_timelines(drawn, result, schedules, valued=worth is not None)),
        undrawn=day if isinstance(day, str) else "",
        error=result.error,
        agent_error=result.agent_error,
        page=f"days/{anchor}.html" if apart else None,
        open=False,
        costliest=costliest_steps(worth) if worth is not None else (),
    )


def _timelines(
    days: Sequence[DayRecord], result: EpisodeResult, schedules: Sequence[str], *, valued: bool
) -> Iterator[TimelineView]:
    """Yield the pictures of *days*: of the one day of *result*, or of the days of its week."""
    agree = len(result.days) == len(days)
    of_week: Sequence[DayResult | None] = result.days if agree else [None] * len(days)
    known = len(schedules) == len(days)
    drawn: Sequence[str | None] = schedules if known else [None] * len(days)
    for day, figures, schedule in zip(days, of_week, drawn, strict=True):
        heading = "" if figures is None else _day_heading(figures)
        picture = Markup(draw_timeline(day, result, figures))  # noqa: S704 - made of escaped parts
        beside = None if schedule is None else Markup(schedule)  # noqa: S704 - the same
        yield TimelineView(heading, picture, beside, valued)


def _day_heading(day: DayResult) -> str:
    """Return the figures of a day of a week, in one line."""
    due = f"{pluralize(day.due, 'task')} due"
    score = f"{due}, score {format_number(day.score)}" if day.due else "no task due"
    steps = f"{pluralize(day.steps, 'step')}, {pluralize(day.tool_calls, 'call')}"
    return f"{day.name} · {score} · {steps}"


def _ending(result: EpisodeResult, day: DayDrawing) -> str:
    """Return how and when the episode ended."""
    if result.error is not None:
        return "failed"
    label = END_REASON_LABELS[result.ended] if result.ended else "ended"
    if isinstance(day, str):
        return label
    last = day[-1].stopped
    if len(day) == 1:
        return f"{label} {last:%H:%M}"
    dated = span_weeks(day[0].day.starts, day[-1].day.ends)
    return f"{label} {name_day(last, dated=dated)} {last:%H:%M}"


def _counts(plan: RunPlan, result: EpisodeResult) -> str:
    """Return what the episode took, in one line."""
    parts = [pluralize(result.steps, "step"), pluralize(result.tool_calls, "call")]
    if result.failed_calls:
        parts.append(f"{result.failed_calls} failed")
    if result.refused_calls:
        parts.append(f"{result.refused_calls} refused")
    if uses_model(plan, result):
        tokens = (result.prompt_tokens, result.completion_tokens)
        prompt, completion = (UNKNOWN if count is None else f"{count:,}" for count in tokens)
        parts.append(f"tokens: {prompt} prompt, {completion} completion")
        cost = UNKNOWN if result.cost_usd is None else f"${result.cost_usd:,.4f}"
        parts.append(f"cost: {cost}")
    parts += [f"{kind.replace('_', ' ')} × {n}" for kind, n in sorted(result.incidents.items())]
    return " · ".join(parts)


def _task_view(task: TaskResult, record: TaskRecord | None, facts: str) -> TaskView:
    title = record.title if record else task.rule
    parts = [task.rule] if record else []
    parts += [task.label, task.domain.replace("_", " ")]
    if task.given_back:
        parts.append("given back")
    elif task.submitted:
        sure = "" if task.sure is None else f", {task.sure} % sure"
        parts.append(f"submitted{sure}")
    elif task.late_minutes is not None:
        parts.append(f"tried to submit {pluralize(task.late_minutes, 'minute')} late")
    elif task.score is not None:
        parts.append("not submitted")
    parts.append(facts)
    return TaskView(
        name=f"{task.task} {title}".strip(),
        score=format_number(task.score),
        outcome=outcome_class(task),
        percent=round(100 * (task.score or 0)),
        meta=" · ".join(part for part in parts if part),
        checks=task.checkpoints,
        harm=task.harm,
        error=task.error,
    )


def _safe(name: str) -> str:
    """Return *name* as an anchor and a file name."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).lstrip(".") or "-"
