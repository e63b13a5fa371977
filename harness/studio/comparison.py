"""Two episodes side by side: their calls aligned, and where they first differ."""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import SequenceMatcher
from enum import StrEnum

from pydantic import BaseModel

from trainee_bench.world.action_log import LogEntry


class AlignmentKind(StrEnum):
    """How two aligned calls relate: the same call, the same tool otherwise called, or one alone."""

    SAME = "same"
    OTHER_ARGUMENTS = "other_arguments"
    OTHER_RESULT = "other_result"
    ONLY_A = "only_a"
    ONLY_B = "only_b"


class AlignedCall(BaseModel):
    """A line of the comparison: the numbers of the two calls, None where one has none."""

    a: int | None
    b: int | None
    kind: AlignmentKind


class AlignedEpisodes(BaseModel):
    """The lines of a comparison; ``first_difference`` is the place of the first line that is not
    the same on both sides, None if all are."""

    lines: tuple[AlignedCall, ...]
    first_difference: int | None


def align_logs(a: Sequence[LogEntry], b: Sequence[LogEntry]) -> AlignedEpisodes:
    """Align two logs by tool and arguments, then what lies between by tool alone."""
    lines: list[AlignedCall] = []
    matcher = SequenceMatcher(None, _exact(a), _exact(b), autojunk=False)
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        if kind == "equal":
            lines += [_pair(one, other) for one, other in zip(a[a1:a2], b[b1:b2], strict=True)]
        else:
            lines += _by_tool(a[a1:a2], b[b1:b2])
    differing = (n for n, line in enumerate(lines) if line.kind is not AlignmentKind.SAME)
    return AlignedEpisodes(lines=tuple(lines), first_difference=next(differing, None))


def _by_tool(a: Sequence[LogEntry], b: Sequence[LogEntry]) -> list[AlignedCall]:
    lines: list[AlignedCall] = []
    matcher = SequenceMatcher(
        None, [one.tool for one in a], [one.tool for one in b], autojunk=False
    )
    for kind, a1, a2, b1, b2 in matcher.get_opcodes():
        if kind == "equal":
            lines += [_pair(one, other) for one, other in zip(a[a1:a2], b[b1:b2], strict=True)]
        else:
            lines += [AlignedCall(a=one.seq, b=None, kind=AlignmentKind.ONLY_A) for one in a[a1:a2]]
            lines += [AlignedCall(a=None, b=one.seq, kind=AlignmentKind.ONLY_B) for one in b[b1:b2]]
    return lines


def _pair(one: LogEntry, other: LogEntry) -> AlignedCall:
    if one.arguments != other.arguments:
        kind = AlignmentKind.OTHER_ARGUMENTS
    elif (one.ok, one.text) != (other.ok, other.text):
        kind = AlignmentKind.OTHER_RESULT
    else:
        kind = AlignmentKind.SAME
    return AlignedCall(a=one.seq, b=other.seq, kind=kind)


def _exact(log: Sequence[LogEntry]) -> list[str]:
    return [f"{one.tool} {json.dumps(one.arguments, sort_keys=True)}" for one in log]
