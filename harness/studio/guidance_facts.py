"""The JSON of guidance: what was given and when, and what may be given next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel

from trainee_bench.harness.episodes.manual_work import guidance_in
from trainee_bench.harness.records.human_part import GuidanceKind
from trainee_bench.harness.studio.attended_servers import AttendedEpisode
from trainee_bench.harness.studio.guidance import ControlSnapshot
from trainee_bench.harness.studio.played_colleagues import ColleagueQuestion
from trainee_bench.mcp_servers.guide import TIERS
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.transaction import Transaction


class GuidanceLine(BaseModel):
    """One act of guidance. ``tool`` is the call that it was about, ``text`` what was said."""

    step: int
    at: datetime
    kind: GuidanceKind
    tier: int | None
    task: str | None
    tool: str
    text: str


class TaskHints(BaseModel):
    """The hints of a task. ``opened`` tiers the agent has; ``next`` is the text that comes next,
    "" if it has all."""

    task: str
    title: str
    tiers: tuple[str, ...]
    opened: int
    next: str


class PlayableColleague(BaseModel):
    """A colleague whom a person may play; ``knows`` says whether a clue of the day is theirs."""

    id: str
    name: str
    title: str
    knows: bool


class EpisodeGuidance(BaseModel):
    """The guidance of an episode: ``control`` is None if nobody can reach its agent. Of the
    ``colleagues`` a person plays those in ``chosen`` (ids), all if that is None. ``thinks`` is what
    the agent said with the turn at hand."""

    control: ControlSnapshot | None
    thinks: str
    questions: tuple[ColleagueQuestion, ...]
    plays_colleagues: bool
    colleagues: tuple[PlayableColleague, ...]
    chosen: tuple[str, ...] | None
    tasks: tuple[TaskHints, ...]
    given: tuple[GuidanceLine, ...]


def given_lines(log: Sequence[LogEntry]) -> tuple[GuidanceLine, ...]:
    """Every act of guidance in *log*."""
    entries = {entry.seq: entry for entry in log}
    return tuple(
        GuidanceLine(
            step=given.seq,
            at=entries[given.seq].at,
            kind=given.kind,
            tier=given.tier,
            task=given.task,
            tool=entries[given.seq].tool,
            text=_said(entries[given.seq], given.kind),
        )
        for given in guidance_in(log)
    )


def _said(entry: LogEntry, kind: GuidanceKind) -> str:
    if kind in (GuidanceKind.HINT, GuidanceKind.MESSAGE):
        return str(entry.arguments.get("text", ""))
    return entry.text if kind is GuidanceKind.REFUSED else ""


def published_tasks(tx: Transaction) -> tuple[str, ...]:
    """The ids of the tasks that the employee has by now."""
    return tuple(task.id for task in Desk(tx).tasks())


def playable_colleagues(tx: Transaction) -> tuple[PlayableColleague, ...]:
    """The employee's colleagues by name, those first who know something of the day."""
    holders = {clue.holder for clue in Knowledge(tx).clues()}
    found = [
        PlayableColleague(
            id=one.id,
            name=one.name,
            title=f"{one.title}, {one.department}",
            knows=one.id in holders,
        )
        for one in Directory(tx).everybody()
        if one.id != tx.employee
    ]
    return tuple(sorted(found, key=lambda one: (not one.knows, one.name)))


def task_hints(
    composition: ComposedDay, published: Sequence[str], log: Sequence[LogEntry]
) -> tuple[TaskHints, ...]:
    """The hints of the *published* tasks, as far as *log* and the scenario have opened them."""
    given = tuple(guidance_in(log))
    found = []
    for task in composition.tasks:
        if task.id not in published:
            continue
        own = [one.tier or 0 for one in given if one.task == task.id]
        opened = max([composition.scenario_day.scenario.guidance, *own])
        hints = task.instance.told.hints
        texts = (hints.strategy, hints.where, hints.how)
        following = texts[opened] if opened < len(texts) else ""
        found.append(
            TaskHints(
                task=task.id,
                title=task.instance.told.title,
                tiers=TIERS,
                opened=opened,
                next=following,
            )
        )
    return tuple(found)


def episode_guidance(
    attended: AttendedEpisode | None,
    tasks: tuple[TaskHints, ...],
    log: Sequence[LogEntry],
    colleagues: tuple[PlayableColleague, ...] = (),
) -> EpisodeGuidance:
    """All of it together, but for what the agent thinks."""
    played = attended.colleagues if attended is not None else None
    return EpisodeGuidance(
        control=attended.control.snapshot() if attended is not None else None,
        thinks="",
        questions=played.questions() if played is not None else (),
        plays_colleagues=played is not None,
        colleagues=colleagues,
        chosen=played.chosen if played is not None else None,
        tasks=tasks,
        given=given_lines(log),
    )
