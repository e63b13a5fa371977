"""Episodes side by side: calls are aligned, scores marked, files and tables compared."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.harness.studio.shown import got, visitor
from trainee_bench.harness.records.human_part import GivenGuidance, GuidanceKind
from trainee_bench.harness.records.results import ResultFile, TaskResult
from trainee_bench.harness.studio.comparison import (
    AlignmentKind,
    align_logs,
    join_tasks,
    order_differences,
)
from trainee_bench.harness.studio.states import ItemChange
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.action_log import LogEntry

EIGHT = datetime(2025, 10, 1, 8)


def log(*calls: tuple[str, str, str]) -> list[LogEntry]:
    """Return actions of a tool with an argument and an answer."""
    return [
        LogEntry(
            seq=number, at=EIGHT, until=EIGHT, actor="me", tool=tool, arguments={"x": given},
            ok=True, text=text, data=None, notices=(), effects={},
        )
        for number, (tool, given, text) in enumerate(calls, 1)
    ]  # fmt: skip


def kinds(a: list[LogEntry], b: list[LogEntry]) -> list[tuple[int | None, int | None, str]]:
    return [(line.a, line.b, line.kind.value) for line in align_logs(a, b).lines]


def test_the_same_calls_are_aligned_whatever_is_between_them() -> None:
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


def test_the_same_call_with_a_different_answer_is_a_difference() -> None:
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


async def test_tasks_of_two_agents_on_one_day_are_joined(ran: Path) -> None:
    async with visitor(ran) as client:
        compared = await got(client, "/api/compare?a=0-0&b=0-2")
        assert compared["same_day"] is True
        assert [task["a"]["task"] for task in compared["tasks"]] == ["T1", "T2"]
        assert all(task["a"]["rule"] == task["b"]["rule"] for task in compared["tasks"])


async def test_days_with_the_same_name_and_other_tasks_are_different_days(
    ran: Path, short: Path
) -> None:
    async with visitor(ran, short) as client:
        compared = await got(client, "/api/compare?a=0-0&b=1-0")
        assert compared["a"]["scenario"] == compared["b"]["scenario"]
        assert compared["a"]["day"] == compared["b"]["day"]
        assert compared["same_day"] is False
        assert all(task["a"] is None or task["b"] is None for task in compared["tasks"])
        cells = [
            cell for run in (0, 1) for cell in (await got(client, f"/api/runs/{run}"))["cells"]
        ]
        assert [cell["day_mark"] == cells[0]["day_mark"] for cell in cells] == [True] * 3 + [
            False
        ] * 3


async def test_differences_name_the_apps_in_which_a_call_changed_something(ran: Path) -> None:
    async with visitor(ran) as client:
        lines = (await got(client, "/api/compare?a=0-0&b=0-1"))["aligned"]["lines"]
        found = await got(client, "/api/compare/differences?a=0-0&b=0-1")
        differing = {n for n, line in enumerate(lines) if line["kind"] != "same"}
        assert {difference["line"] for difference in found["differences"]} == differing
        changing = [bool(difference["a"] or difference["b"]) for difference in found["differences"]]
        assert changing == sorted(changing, reverse=True) and sum(changing) == found["changing"] > 0
        first = found["differences"][0]
        for side, episode in (("a", "0-0"), ("b", "0-1")):
            if first[side]:
                step = await got(
                    client, f"/api/episodes/{episode}/steps/{lines[first['line']][side]}"
                )
                assert set(step["changes"]) == set(first[side])


async def test_a_guided_score_is_marked_in_the_table_and_with_its_episode(
    copied: Path,
) -> None:
    guide_first(copied)
    async with visitor(copied) as client:
        marks = [cell["marks"] for cell in (await got(client, "/api/runs/0"))["cells"]]
        assert marks == [["guided"], [], []]
        assert (await got(client, "/api/episodes/0-0"))["marks"] == ["guided"]
        compared = await got(client, "/api/compare?a=0-0&b=0-1")
        assert (compared["a"]["marks"], compared["b"]["marks"]) == (["guided"], [])


def guide_first(run: Path) -> None:
    """Change the result of *run* so that the oracle was guided."""
    file = ResultFile(run / "results.jsonl")
    given = (GivenGuidance(seq=1, kind=GuidanceKind.MESSAGE),)
    results = []
    for result in file.read():
        if result.agent == "oracle" and result.identity is not None:
            identity = result.identity.model_copy(update={"guided": given})
            result = result.model_copy(update={"identity": identity})
        results.append(result)
    file.rewrite(results)


PLACE = "/api/episodes/0-0/difference"
TEXT, TABLE = "workspace:/notes.md", "workspace:/table.xlsx"
MANY = "\n".join(f"line {number}" for number in range(1, 41))
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("files_write", {"path": TEXT, "text": MANY}),
    (
        "files_write",
        {"path": TEXT, "text": MANY.replace("line 20", "line twenty")},
    ),
    ("sheets_create", {"path": TABLE}),
    ("sheets_write", {"path": TABLE, "start": "A1", "rows": [["Name", "Hours"], ["Ann", 3]]}),
    ("sheets_write", {"path": TABLE, "start": "B2", "rows": [[4]]}),
    ("files_write", {"path": "workspace:/notes_old.md", "text": "line 1"}),
)


@pytest.fixture
async def worked(tmp_path: Path) -> Path:
    path = tmp_path / "day.world"
    async with await create_world(path, find_scenario()) as world:
        me = await world.read(lambda tx: tx.employee)
        calls = ToolDispatcher(world, me, default_toolboxes().values())
        for tool, arguments in CALLS:
            done = await calls.call(tool, arguments)
            assert done.error is None, (tool, done.error)
    return path


async def difference(client: httpx2.AsyncClient, place: str = PLACE, **query: object) -> Any:
    return await got(client, place, **query)


async def test_lines_that_differ_between_two_steps_are_shown_with_their_context(
    worked: Path,
) -> None:
    async with visitor(worked) as client:
        found = (await difference(client, path=TEXT, step=2, before_step=1))["difference"]
        same = (await difference(client, path=TEXT, step=3, before_step=2))["difference"]
        new = (await difference(client, path=TEXT, step=1, before_step=0))["difference"]
    changed = [(line["kind"], line["text"]) for line in found["lines"]]
    assert ("removed", "line 20") in changed and ("added", "line twenty") in changed
    assert [kind for kind, _ in changed].count("same") == 6
    assert changed[0][0] == "left out"
    assert same["same"] is True and same["lines"] == []
    assert {line["kind"] for line in new["lines"]} == {"added"} and len(new["lines"]) == 40


async def test_cells_that_differ_are_named_with_both_values(worked: Path) -> None:
    async with visitor(worked) as client:
        found = (await difference(client, path=TABLE, step=5, before_step=4))["difference"]
        whole = (await difference(client, path=TABLE, step=5, before_step=3))["difference"]
    assert [(c["cell"], c["before"], c["after"]) for c in found["cells"]] == [("B2", 3, 4)]
    assert [c["cell"] for c in whole["cells"]] == ["A1", "B1", "A2", "B2"]


async def test_a_file_is_compared_with_its_source_by_the_most_similar_name(worked: Path) -> None:
    async with visitor(worked) as client:
        found = await difference(client, path="workspace:/notes_old.md", before_path="source")
        assert found["before"]["path"] == TEXT
        kinds = await difference(client, path=TEXT, before_path=TABLE)
    assert kinds["difference"]["flaw"] == "A text and a table cannot be compared."


async def test_the_files_of_two_agents_are_compared(ran: Path) -> None:
    async with visitor(ran) as client:
        oracle, sprayer = "/api/episodes/0-0", "/api/episodes/0-1"
        steps = (await difference(client, oracle))["steps"]
        files = (await difference(client, f"{oracle}/state/{steps}/files"))["view"]["files"]
        made = next(file["path"] for file in files if file["path"].endswith("_fixed.md"))
        found = await difference(client, f"{oracle}/difference", path=made, before_episode="0-1")
        steps_of_other = (await difference(client, sprayer))["steps"]
    assert found["before"]["episode"] == "0-1"
    assert found["before"]["step"] == steps_of_other
    assert {line["kind"] for line in found["difference"]["lines"]} >= {"added"}


async def test_files_that_cannot_be_compared_are_reported_in_words(worked: Path) -> None:
    async with visitor(worked) as client:
        assert (await client.get(PLACE)).status_code == 400
        assert (await client.get(PLACE, params={"path": TEXT, "step": "99"})).status_code == 404
        other = {"path": TEXT, "before_episode": "7-7"}
        assert (await client.get(PLACE, params=other)).status_code == 404
        nothing = await difference(client, path="workspace:/none.md")
    assert nothing["difference"]["same"] is True
