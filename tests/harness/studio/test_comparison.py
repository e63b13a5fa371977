"""Calls are aligned by what was called with what; what fits to nothing stands alone."""

from __future__ import annotations

from datetime import datetime

from trainee_bench.harness.studio.comparison import AlignmentKind, align_logs
from trainee_bench.world.action_log import LogEntry

EIGHT = datetime(2025, 10, 1, 8)


def log(*calls: tuple[str, str, str]) -> list[LogEntry]:
    """Actions of a tool with an argument and an answer."""
    return [
        LogEntry(
            seq=number, at=EIGHT, until=EIGHT, actor="me", tool=tool, arguments={"x": given},
            ok=True, text=text, data=None, notices=(), effects={},
        )
        for number, (tool, given, text) in enumerate(calls, 1)
    ]  # fmt: skip


def kinds(a: list[LogEntry], b: list[LogEntry]) -> list[tuple[int | None, int | None, str]]:
    return [(line.a, line.b, line.kind.value) for line in align_logs(a, b).lines]


def test_the_same_calls_stand_beside_each_other_whatever_lies_between() -> None:
    a = log(("now", "", "8"), ("read", "f", "text"), ("send", "x", "sent"))
    b = log(("tasks", "", "T1"), ("read", "f", "text"), ("send", "y", "sent"), ("end", "", ""))
    assert kinds(a, b) == [
        (1, None, "only_a"),
        (None, 1, "only_b"),
        (2, 2, "same"),
        (3, 3, "other_arguments"),
        (None, 4, "only_b"),
    ]
    assert align_logs(a, b).first_difference == 0


def test_the_same_call_with_another_answer_is_a_difference() -> None:
    a, b = log(("now", "", "8:00"), ("now", "", "9")), log(("now", "", "8:00"), ("now", "", "10"))
    aligned = align_logs(a, b)
    assert [line.kind for line in aligned.lines] == [
        AlignmentKind.SAME,
        AlignmentKind.OTHER_RESULT,
    ]
    assert aligned.first_difference == 1


def test_nothing_is_aligned_with_nothing() -> None:
    assert kinds([], []) == []
    assert kinds(log(("now", "", "")), []) == [(1, None, "only_a")]
