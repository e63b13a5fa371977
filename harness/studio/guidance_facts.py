"""The JSON of guidance: the guidance given so far, and the hints that may follow."""

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
    """One act of guidance. ``tool`` is the call that it concerns, ``text`` its wording."""

    step: int
    at: datetime
    kind: GuidanceKind
    tier: int | None
    task: str | None
    tool: str
    text: str


class TaskHints(BaseModel):
    """The hints of a task. The agent has the first ``opened`` tiers; ``next`` is the text of the
    following one, "" if there is none."""

    task: str
    title: str
    tiers: tuple[str, ...]
    opened: int
    next: str


class PlayableColleague(BaseModel):
    """A colleague whom a person may play; ``knows`` says whether they have a clue of the day."""

    id: str
    name: str
    title: str
    knows: bool


class EpisodeGuidance(BaseModel):
    """The guidance of an episode. ``control`` is None if nobody can reach its agent. A person plays
    the ``colleagues`` whose ids are in ``chosen``, or all of them if that is None. ``thinks`` is
    the agent's text in the current turn."""

    control: ControlSnapshot | None
    thinks: str
    questions: tuple[ColleagueQuestion, ...]
    plays_colleagues: bool
    colleagues: tuple[PlayableColleague, ...]
    chosen: tuple[str, ...] | None
    tasks: tuple[TaskHints, ...]
    given: tuple[GuidanceLine, ...]


def given_lines(log: Sequence[LogEntry]) -> tuple[GuidanceLine, ...]:
    """Return every act of guidance in *log*."""
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
    """Return the ids of the tasks that the employee has so far."""
    return tuple(task.id for task in Desk(tx).tasks())


def playable_colleagues(tx: Transaction) -> tuple[PlayableColleague, ...]:
    """Return the employee's colleagues; those with a clue of the day come first, then by name."""
    holders = {clue.holder for clue in Knowledge(tx).clues()}
    found = [
        PlayableColleague(
            id=person.id,
            name=person.name,
            title=f"{person.title}, {person.department}",
            knows=person.id in holders,
        )
        for person in Directory(tx).everybody()
        if person.id != tx.employee
    ]
    return tuple(sorted(found, key=lambda colleague: (not colleague.knows, colleague.name)))


def task_hints(
    composition: ComposedDay, published: Sequence[str], log: Sequence[LogEntry]
) -> tuple[TaskHints, ...]:
    """Return the hints of the *published* tasks; *log* and the scenario tell which are opened."""
    given = tuple(guidance_in(log))
    found = []
    for task in composition.tasks:
        if task.id not in published:
            continue
        own = [act.tier or 0 for act in given if act.task == task.id]
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
    """Return the guidance of an episode, without the agent's current text."""
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
