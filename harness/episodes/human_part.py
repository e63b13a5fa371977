"""What people did in a day, read from its log: guidance, approvals, colleagues whom they played.

The log alone says it, so a result's identity can be settled again by whoever has the world.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from trainee_bench.harness.records.human_part import GivenGuidance, GuidanceKind
from trainee_bench.harness.records.results import ResultIdentity
from trainee_bench.mcp_servers.guide import MENTOR
from trainee_bench.world.action_log import LogEntry

APPROVAL_EFFECT = "approval"
"""Logged effect: what a person said, when asked whether a call may be made."""
PLAYED_EFFECT = "played_by_person"
"""Logged effect: the ids of the colleagues whose replies a person wrote."""
PERSON_BRAIN = "person"
_VERDICTS = (GuidanceKind.APPROVED.value, GuidanceKind.REFUSED.value)


def with_human_part(identity: ResultIdentity, log: Sequence[LogEntry]) -> ResultIdentity:
    """*identity*, with what people did in the day of *log*."""
    brain = identity.npc_brain
    if any(PLAYED_EFFECT in entry.effects for entry in log):
        brain = f"{brain}+{PERSON_BRAIN}"
    return identity.model_copy(update={"guided": tuple(guidance_in(log)), "npc_brain": brain})


def guidance_in(log: Sequence[LogEntry]) -> Iterator[GivenGuidance]:
    """Every act of guidance in *log*; what was refused to the mentor is none."""
    for entry in log:
        verdict = entry.effects.get(APPROVAL_EFFECT)
        if entry.actor == MENTOR and entry.ok:
            yield _of_mentor(entry)
        elif verdict in _VERDICTS:
            yield GivenGuidance(seq=entry.seq, kind=GuidanceKind(str(verdict)))


def _of_mentor(entry: LogEntry) -> GivenGuidance:
    given: dict[str, JsonValue] = entry.data or {}
    tier, task = given.get("tier"), given.get("task")
    if not isinstance(tier, int) or not isinstance(task, str):
        return GivenGuidance(seq=entry.seq, kind=GuidanceKind.MESSAGE)
    return GivenGuidance(seq=entry.seq, kind=GuidanceKind.HINT, tier=tier, task=task)
