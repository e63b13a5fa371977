"""Calls are aligned by what was called with what, tasks of one day by their rules; what fits to
nothing stands alone, and differences that changed something come first."""

from __future__ import annotations

from datetime import datetime

from trainee_bench.harness.records.results import TaskResult
from trainee_bench.harness.studio.comparison import (
    AlignmentKind,
    align_logs,
    join_tasks,
    order_differences,
)
from trainee_bench.harness.studio.states import ItemChange
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


def task(id: str, rule: str, given: int | None = None) -> TaskResult:
    return TaskResult(
        task=id, rule=rule, family=rule, domain="", label="", score=1.0, success=True,
        published_day=given,
    )  # fmt: skip


def joined(
    a: list[TaskResult], b: list[TaskResult], *, same_day: bool = True
) -> list[tuple[str, str]]:
    return [
        (pair.a.task if pair.a else "", pair.b.task if pair.b else "")
        for pair in join_tasks(a, b, same_day)
    ]


def test_tasks_of_one_day_are_joined_by_their_rules_whatever_they_are_called() -> None:
    a = [task("T1", "sales"), task("T2", "kb_fix"), task("T3", "sales")]
    b = [task("T1", "kb_fix"), task("T2", "sales"), task("T4", "sales"), task("T5", "travel")]
    assert joined(a, b) == [("T1", "T2"), ("T2", "T1"), ("T3", "T4"), ("", "T5")]


def test_tasks_of_a_week_are_joined_within_their_days() -> None:
    a = [task("T1", "sales", 0), task("T2", "sales", 1)]
    assert joined(a, [task("T1", "sales", 1)]) == [("T1", ""), ("T2", "T1")]


def test_tasks_of_different_days_are_not_joined() -> None:
    alike = [task("T1", "sales")]
    assert joined(alike, alike, same_day=False) == [("T1", ""), ("", "T1")]


def test_differences_that_changed_something_come_first() -> None:
    a = log(("now", "", "8"), ("send", "x", "sent"), ("read", "f", "text"))
    b = log(("now", "", "9"), ("send", "y", "sent"), ("read", "f", "text"), ("write", "", ""))
    sent = {"mail": {"1": ItemChange.ADDED}}
    known = [{}, {}, sent, {}, {"files": {"f": ItemChange.CHANGED}}]
    found = order_differences(align_logs(a, b), known[:4], known)
    assert [(difference.line, difference.a, difference.b) for difference in found.differences] == [
        (1, ("mail",), ("mail",)),
        (3, (), ("files",)),
        (0, (), ()),
    ]
    assert found.changing == 2
    unknown = order_differences(align_logs(a, b), [{}], [{}])
    assert [difference.line for difference in unknown.differences] == [
        0,
        1,
        3,
    ] and unknown.changing == 0
