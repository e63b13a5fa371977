"""The facts of one episode as JSON: its result, its timeline, an app at a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import BaseModel, SerializeAsAny

from trainee_bench.harness.records.human_part import ForkPoint
from trainee_bench.harness.records.provenance_figures import FactOrigin, ProvenanceFigures
from trainee_bench.harness.records.results import DayResult, ResultIdentity, TaskResult
from trainee_bench.harness.scheduling.day_trace import submitted_task
from trainee_bench.harness.studio.history import EpisodeHistory
from trainee_bench.harness.studio.opened_run import (
    EpisodeState,
    OfficeDay,
    ScoreMark,
    ShownEpisode,
)
from trainee_bench.harness.studio.states import ItemChange
from trainee_bench.harness.studio.views import APP_VIEWS, AppView, ViewRequest
from trainee_bench.mcp_servers.desk import FINISH_DAY_TOOL
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.apps.calendar import Calendar
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.transaction import Transaction


class EpisodeFacts(BaseModel):
    """An episode: its agent, its day, how it ended, which tasks were missed. Fields of the result
    are empty until there is one."""

    episode: str
    run: int
    run_name: str
    name: str
    scenario: str
    day: str
    agent: str
    attempt: int
    state: EpisodeState
    steps: int
    employee: str
    day_starts: datetime
    day_ends: datetime
    apps: tuple[str, ...]
    marks: tuple[ScoreMark, ...] = ()
    score: float | None = None
    success: bool = False
    ended: str = ""
    agent_error: str | None = None
    error: str | None = None
    tasks: tuple[TaskResult, ...] = ()
    days: tuple[DayResult, ...] = ()
    cost_usd: float | None = None
    wall_seconds: float | None = None
    identity: ResultIdentity | None = None
    forked_from: ForkPoint | None = None
    provenance: ShownProvenance | None = None
    model: str = ""
    """The alias of the model that its agent uses; "" if it uses none."""
    week: bool = False
    """Whether it is a week, which nobody can continue from a step."""
    staged: ShownStaged | None = None
    """The page of the own office for which the studio staged it; None for a recorded episode."""


class ShownStaged(BaseModel):
    """A day that the studio staged and worked honestly: the office and the task of its page, what
    tells the day from others, which claim broke in it, and why honest work failed."""

    office: str
    company: str
    task: str
    words: str
    why: str
    failures: tuple[str, ...]


class ShownFact(BaseModel):
    """A fact that was delivered with a task: its name, its origin (see `FactOrigin`), and the step
    that first revealed it. For a stale fact, that step revealed an earlier version; None if no step
    did."""

    name: str
    origin: str
    step: int | None


class ShownProvenance(BaseModel):
    """The delivered facts of each task by its id, and how the agent asked (see
    `ProvenanceFigures`). A share of nothing is None."""

    tasks: Mapping[str, tuple[ShownFact, ...]]
    questions: int
    telling: int
    recall: float | None


class TaskSpan(BaseModel):
    """A task on the timeline: when it was given, when it is due, and its submissions."""

    task: str
    title: str
    given: datetime
    deadline: datetime
    submitted: tuple[datetime, ...]


class MeetingSpan(BaseModel):
    """A meeting of the employee on the timeline."""

    title: str
    starts: datetime
    ends: datetime
    attended: bool
    cancelled: bool


class EpisodeTimeline(BaseModel):
    """The tasks and meetings that the timeline draws behind the steps, up to the current time."""

    tasks: tuple[TaskSpan, ...]
    meetings: tuple[MeetingSpan, ...]
    finished: int | None
    """The step in which the agent ended the day; None if it did not."""


class AppState(BaseModel):
    """An app after a step: its view (see `views`), the items that the step changed, and the changed
    parts of the opened item."""

    step: int
    app: str
    now: datetime
    view: SerializeAsAny[BaseModel]
    changed: Mapping[str, ItemChange]
    within: Sequence[str]


class ChangeOrigin(BaseModel):
    """The last step that changed something; None if it was there from the start."""

    step: int | None


class UnknownView(LookupError):
    """Raised for an app that the studio does not show."""


def episode_facts(episode: ShownEpisode, history: EpisodeHistory) -> EpisodeFacts:
    """Return the known facts of *episode*."""
    spec, result = episode.spec, episode.result
    facts = EpisodeFacts(
        episode=episode.key,
        run=episode.run.number,
        run_name=episode.run.name,
        name=episode.name,
        scenario=spec.scenario.name if spec else episode.name,
        day=spec.day_name if spec else "",
        agent=spec.agent if spec else "",
        attempt=spec.attempt if spec else 1,
        state=episode.state,
        steps=len(history.entries),
        employee=history.employee,
        day_starts=history.day.starts,
        day_ends=history.day.ends,
        apps=tuple(APP_VIEWS),
        marks=episode.marks,
        forked_from=spec.forked_from if spec else None,
        model=(spec.agent_config.model or "") if spec else "",
        week=spec is not None and spec.scenario.week,
    )
    if (staged := episode.run.staged) is not None:
        return facts.model_copy(update=_staged(staged))
    if result is None:
        return facts
    return facts.model_copy(
        update={
            "score": result.score,
            "success": result.success,
            "ended": result.ended.value if result.ended is not None else "",
            "agent_error": result.agent_error,
            "error": result.error,
            "tasks": result.tasks,
            "days": result.days,
            "cost_usd": result.cost_usd,
            "wall_seconds": result.wall_seconds,
            "identity": result.identity,
            "provenance": _provenance(result.provenance),
        }
    )


def _staged(day: OfficeDay) -> Mapping[str, object]:
    """Return the facts of a day that the studio staged."""
    return {
        "score": day.grade.score if day.grade is not None else None,
        "success": day.grade is not None and day.grade.success,
        "tasks": day.tasks,
        "staged": ShownStaged(
            office=day.office,
            company=day.composition.company.name,
            task=day.task,
            words=day.words,
            why=day.why,
            failures=day.failures,
        ),
    }


def _provenance(figures: ProvenanceFigures | None) -> ShownProvenance | None:
    if figures is None:
        return None
    tasks: dict[str, tuple[ShownFact, ...]] = {}
    for fact in figures.facts:
        if (origin := fact.origin) is None:
            continue
        step = {FactOrigin.SEEN: fact.told, FactOrigin.STALE: fact.earlier}.get(origin)
        name = fact.fact.partition("/")[2]
        shown = ShownFact(name=name, origin=origin, step=step)
        tasks[fact.task] = (*tasks.get(fact.task, ()), shown)
    return ShownProvenance(
        tasks=tasks,
        questions=figures.questions,
        telling=figures.telling,
        recall=figures.recall,
    )


async def episode_timeline(history: EpisodeHistory) -> EpisodeTimeline:
    """Return the timeline of the day after the last step."""
    log = tuple(history.entries)
    return await history.read(len(log), lambda tx: _timeline(tx, log, history))


def _timeline(tx: Transaction, log: Sequence[LogEntry], history: EpisodeHistory) -> EpisodeTimeline:
    desk, calendar = Desk(tx), Calendar(tx)
    tasks = [
        TaskSpan(
            task=task.id,
            title=task.title,
            given=desk.published_at(task.id) or history.day.starts,
            deadline=task.deadline,
            submitted=tuple(entry.at for entry in log if _submits(entry, task.id)),
        )
        for task in desk.tasks()
    ]
    first = history.day.starts.date()
    meetings = [
        MeetingSpan(
            title=meeting.title,
            starts=meeting.starts,
            ends=meeting.ends,
            attended=calendar.attendance(tx.employee, meeting.id) is not None,
            cancelled=meeting.cancelled,
        )
        for meeting in calendar.meetings_of(tx.employee, first)
    ]
    ends = (entry.seq for entry in log if entry.tool == FINISH_DAY_TOOL and entry.until > entry.at)
    return EpisodeTimeline(tasks=tuple(tasks), meetings=tuple(meetings), finished=next(ends, None))


def _submits(entry: LogEntry, task: str) -> bool:
    return entry.ok and submitted_task(entry) == task.casefold()


async def app_state(history: EpisodeHistory, step: int, app: str, request: ViewRequest) -> AppState:
    """Return what *app* shows after *step*. Raises UnknownView, NoSuchState, WorldFileError."""
    view = _view(app)
    changed = (await history.changes(step)).get(app, {})
    before = None
    if changed.get(request.item) is ItemChange.CHANGED:
        before = await history.read(step - 1, lambda tx: view.show(tx, request))
    shown = await history.read(step, lambda tx: view.show(tx, request))
    within = view.within(before, shown) if before is not None else ()
    now = history.entries[step - 1].until if step else history.day.starts
    return AppState(step=step, app=app, now=now, view=shown, changed=changed, within=within)


async def change_origin(
    history: EpisodeHistory, app: str, request: ViewRequest, part: str, before: int
) -> ChangeOrigin:
    """Return the last step, up to *before*, that changed an item, or the *part* of it named by
    `AppView.within`. Raises the errors of `app_state`."""
    view = _view(app)
    step = await history.origin(app, request.item, before)
    while part and step is not None:
        kind = (await history.changes(step))[app][request.item]
        if kind is not ItemChange.CHANGED:
            break
        if part in await _parts_changed(history, view, step, request):
            break
        step = await history.origin(app, request.item, step - 1)
    return ChangeOrigin(step=step)


async def _parts_changed(
    history: EpisodeHistory, view: AppView, step: int, request: ViewRequest
) -> Sequence[str]:
    before = await history.read(step - 1, lambda tx: view.show(tx, request))
    after = await history.read(step, lambda tx: view.show(tx, request))
    return view.within(before, after)


def _view(app: str) -> AppView:
    found = APP_VIEWS.get(app)
    if found is None:
        raise UnknownView(f"The studio shows no app of this name; it shows {', '.join(APP_VIEWS)}.")
    return found
