"""The honest way to a meeting: be there on time, and do what is asked for there."""

from __future__ import annotations

from datetime import datetime

from trainee_bench.meta_tasks.authoring import Deliverable
from trainee_bench.meta_tasks.families.meeting_attend.brief import (
    ASSIGNMENT,
    LIMITS_TEXT,
    OBJECTIVE,
    OBJECTIVE_RULES,
    RULES_PATH,
    Assignment,
)
from trainee_bench.meta_tasks.families.meeting_attend.data import (
    CostedRequestList,
    DecisionList,
    Limits,
    costed_list,
)
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.achieving import Attended, FileHas, HandedIn
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.reading import FileText, InvitedMeeting, TaskBrief


async def honest_work(work: Work, task: str) -> None:
    """Attend the meeting that the task names, and write down what is asked for there."""
    brief = await work(TaskBrief(task, OBJECTIVE, OBJECTIVE_RULES))
    starts = datetime.combine(brief.day, brief.starts)
    work.promise(starts)
    meeting = await work(InvitedMeeting(task, brief.room, starts))
    heard = await work(Attended(meeting.id, starts))
    assignment = ASSIGNMENT.parse("\n".join(map(str, heard["announcements"])))
    limits = await _limits(work, task) if assignment.checked else None
    text = _deliverable(assignment, limits).model_dump_json(indent=2)
    await work(HandedIn(task, (FileHas(assignment.path, text),)))


async def _limits(work: Work, task: str) -> Limits:
    """The limits that the procurement rules on the drive state. Raises ToolFailed without them."""
    limits = LIMITS_TEXT.search(await work(FileText(RULES_PATH, task)))
    if limits is None:
        raise ToolFailed(f"{RULES_PATH} does not state the limits")
    return limits


def _deliverable(assignment: Assignment, limits: Limits | None) -> Deliverable:
    """What is handed in for *assignment*."""
    if not assignment.requests:
        return DecisionList(decisions=list(assignment.decisions))
    costed = costed_list(assignment.to_list(limits))
    return costed if assignment.model is CostedRequestList else costed.without_costs()
