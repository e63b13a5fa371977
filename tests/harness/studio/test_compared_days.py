"""Two episodes beside each other: whether they are of one day, and how their scores are marked."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import httpx2

from tests.harness.studio.shown import visitor
from trainee_bench.harness.records.human_part import GivenGuidance, GuidanceKind
from trainee_bench.harness.records.results import ResultFile


async def told(client: httpx2.AsyncClient, path: str) -> Any:
    answer = await client.get(path)
    assert answer.status_code == 200, (path, answer.text)
    return answer.json()


async def test_tasks_of_two_agents_on_one_day_are_joined(ran: Path) -> None:
    async with visitor(ran) as client:
        compared = await told(client, "/api/compare?a=0-0&b=0-2")
        assert compared["same_day"] is True
        assert [task["a"]["task"] for task in compared["tasks"]] == ["T1", "T2"]
        assert all(task["a"]["rule"] == task["b"]["rule"] for task in compared["tasks"])


async def test_days_with_the_same_name_and_other_tasks_are_different_days(
    ran: Path, short: Path
) -> None:
    async with visitor(ran, short) as client:
        compared = await told(client, "/api/compare?a=0-0&b=1-0")
        assert compared["a"]["scenario"] == compared["b"]["scenario"]
        assert compared["a"]["day"] == compared["b"]["day"]
        assert compared["same_day"] is False
        assert all(task["a"] is None or task["b"] is None for task in compared["tasks"])
        cells = [
            cell for run in (0, 1) for cell in (await told(client, f"/api/runs/{run}"))["cells"]
        ]
        assert [cell["day_mark"] == cells[0]["day_mark"] for cell in cells] == [True] * 3 + [
            False
        ] * 3


async def test_differences_name_the_apps_in_which_a_call_changed_something(ran: Path) -> None:
    async with visitor(ran) as client:
        lines = (await told(client, "/api/compare?a=0-0&b=0-1"))["aligned"]["lines"]
        found = await told(client, "/api/compare/differences?a=0-0&b=0-1")
        differing = {n for n, line in enumerate(lines) if line["kind"] != "same"}
        assert {difference["line"] for difference in found["differences"]} == differing
        changing = [bool(difference["a"] or difference["b"]) for difference in found["differences"]]
        assert changing == sorted(changing, reverse=True) and sum(changing) == found["changing"] > 0
        first = found["differences"][0]
        for side, episode in (("a", "0-0"), ("b", "0-1")):
            if first[side]:
                step = await told(
                    client, f"/api/episodes/{episode}/steps/{lines[first['line']][side]}"
                )
                assert set(step["changes"]) == set(first[side])


async def test_a_guided_score_is_marked_in_the_table_and_with_its_episode(
    ran: Path, tmp_path: Path
) -> None:
    guide_first(shutil.copytree(ran, tmp_path / "a-run"))
    async with visitor(tmp_path / "a-run") as client:
        marks = [cell["marks"] for cell in (await told(client, "/api/runs/0"))["cells"]]
        assert marks == [["guided"], [], []]
        assert (await told(client, "/api/episodes/0-0"))["marks"] == ["guided"]
        compared = await told(client, "/api/compare?a=0-0&b=0-1")
        assert (compared["a"]["marks"], compared["b"]["marks"]) == (["guided"], [])


def guide_first(run: Path) -> None:
    """Let the oracle of *run* have been guided."""
    file = ResultFile(run / "results.jsonl")
    given = (GivenGuidance(seq=1, kind=GuidanceKind.MESSAGE),)
    results = []
    for result in file.read():
        if result.agent == "oracle" and result.identity is not None:
            identity = result.identity.model_copy(update={"guided": given})
            result = result.model_copy(update={"identity": identity})
        results.append(result)
    file.rewrite(results)
