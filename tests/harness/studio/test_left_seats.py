"""Seats that continue something: a day that a person left, and another agent's day."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.harness.studio.conftest import week_of_two_days
from tests.harness.studio.shown import beside, got, next_day, over, sent, studio, taken
from trainee_bench.harness.analysis.comparison.compared_run import (
    IncomparableRuns,
    load_compared_runs,
)
from trainee_bench.harness.batch.person_run import resume_person_run
from trainee_bench.harness.batch.verified_run import verify_lines
from trainee_bench.harness.records.human_part import ForkPoint
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.world import World


async def oracle_log(ran: Path) -> Sequence[LogEntry]:
    async with await World.open(ran / "worlds" / "one.day_1.oracle.1.world") as world:
        return [entry for entry in await world.log() if entry.actor]


async def make(
    client: httpx2.AsyncClient, seat: str, log: Sequence[LogEntry], first: int = 1
) -> None:
    """Make the calls of *log*, the first of them as number *first*."""
    for n, entry in enumerate(log, start=first):
        call: dict[str, Any] = {"tool": entry.tool, "arguments": entry.arguments, "n": n}
        await sent(client, f"{seat}/call", **call)


async def resumed(client: httpx2.AsyncClient) -> str:
    """Resume the only seat that was left, and return its address."""
    (left,) = (await got(client, "/api/seats"))["left"]
    state = await sent(client, "/api/seats/resume", episode=left["episode"])
    assert (await got(client, "/api/seats"))["left"] == []
    return f"/api/seats/{state['seat']}"


async def problems(folder: RunFolder) -> list[str]:
    return [p async for line in verify_lines(folder, folder.plan()) for p in line.problems]


async def test_a_day_that_was_left_continues_as_if_it_had_never_been_left(
    ran: Path, mine: Path, tmp_path: Path
) -> None:
    log, middle = await oracle_log(ran), 6
    async with studio(tmp_path, mine) as client:
        seat = await taken(client, person="anna")
        assert (await got(client, "/api/seats"))["left"] == []
        await make(client, seat, log[:middle])
        before = await got(client, seat)
    async with studio(tmp_path, mine) as client:
        (left,) = (await got(client, "/api/seats"))["left"]
        states = (await got(client, "/api/runs"))["runs"][0]["states"]
        assert (states["left"], states["running"]) == (1, 0)
        assert "left" in (await got(client, f"/api/episodes/{left['episode']}", 409))["error"]
        assert (left["person"], left["calls"], left["at"]) == (
            "person-anna",
            middle,
            before["now"],
        )
        seat = await resumed(client)
        states = (await got(client, "/api/runs"))["runs"][0]["states"]
        assert (states["left"], states["running"]) == (0, 1)
        assert await got(client, seat) == before
        again = await sent(
            client, f"{seat}/call", tool=log[0].tool, arguments=log[0].arguments, n=1
        )
        assert again["call"] == before["calls"][0]
        await make(client, seat, log[middle:], middle + 1)
        await sent(client, f"{seat}/finish")
        assert (await over(client, seat))["score"] == 1.0
    folder = RunFolder.open(tmp_path / "mine-person-anna-001")
    (result,) = folder.ledger.read()
    (oracle,) = (r for r in RunFolder.open(ran).ledger.read() if r.agent == "oracle")
    assert (result.digest, result.steps, result.tool_calls, result.failed_calls) == (
        oracle.digest,
        len(log),
        len(log),
        oracle.failed_calls,
    )
    assert await problems(folder) == []
    assert [file.suffix for file in (folder.path / "trajectories").iterdir()] == [".json"]


async def test_a_call_whose_answer_was_lost_with_the_process_was_made_once(
    ran: Path, mine: Path, tmp_path: Path
) -> None:
    log = await oracle_log(ran)
    async with studio(tmp_path, mine) as client:
        await make(client, seat := await taken(client), log[:3])
        before = await got(client, seat)
    (journal,) = tmp_path.glob("mine-person-001/trajectories/*.turns.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])
    async with studio(tmp_path, mine) as client:
        seat = await resumed(client)
        assert await got(client, seat) == before
        await make(client, seat, log[3:4], 4)
    async with studio(tmp_path, mine) as client:
        state = await got(client, await resumed(client))
        assert [call["tool"] for call in state["calls"]] == [entry.tool for entry in log[:4]]


async def test_a_week_that_was_left_continues_with_the_current_day(tmp_path: Path) -> None:
    file = week_of_two_days(tmp_path)
    async with studio(tmp_path, file) as client:
        seat = await taken(client)
        await sent(client, f"{seat}/call", tool="desk_finish_day", arguments={}, n=1)
        second = await next_day(client, seat)
        await sent(client, f"{seat}/call", tool="desk_tasks", arguments={}, n=2)
    async with studio(tmp_path, file) as client:
        seat = await resumed(client)
        again = await got(client, seat)
        assert again["prompt"] == second["prompt"] and again["day_starts"] == second["day_starts"]
        assert [call["tool"] for call in again["calls"]] == ["desk_finish_day", "desk_tasks"]
        await sent(client, f"{seat}/call", tool="desk_finish_day", arguments={}, n=3)
        await sent(client, f"{seat}/finish")
        done = await over(client, seat)
        assert (done["status"], done["score"]) == ("over", 0.0)
    folder = RunFolder.open(tmp_path / "mine-person-001")
    (result,) = folder.ledger.read()
    assert [(worked.ended, worked.tool_calls) for worked in result.days] == [
        ("agent", 1),
        ("agent", 2),
    ]
    assert await problems(folder) == []


async def test_a_left_day_is_refused_where_it_was_shown_meanwhile_or_is_worked_elsewhere(
    ran: Path, tmp_path: Path
) -> None:
    plan = RunFolder.open(ran).plan()
    file = tmp_path / "mine.json"
    own = {"name": "mine", "scenarios": [plan.scenarios[0].model_dump(mode="json")]}
    file.write_text(json.dumps(own), encoding="utf-8")
    home = tmp_path / "home"
    home.mkdir()
    async with studio(home, file) as client:
        await sent(client, f"{await taken(client)}/call", tool="desk_now", arguments={}, n=1)
        async with studio(home, file) as other:
            (left,) = (await got(other, "/api/seats"))["left"]
            busy = await sent(other, "/api/seats/resume", 409, episode=left["episode"])
            assert "Another process works" in busy["error"]
            nobody = await sent(other, "/api/seats/resume", 404, episode="0-7")
            assert "no such unfinished day" in nobody["error"]
    (home / "z-run").symlink_to(ran)
    async with studio(home, file) as client:
        await got(client, "/api/episodes/1-0")
        (left,) = (await got(client, "/api/seats"))["left"]
        seen = await sent(client, "/api/seats/resume", 409, episode=left["episode"])
        assert "since it was left" in seen["error"]


async def test_while_a_person_works_a_day_nobody_is_shown_the_work_of_others_on_it(
    ran: Path, tmp_path: Path
) -> None:
    home, file = beside(ran, tmp_path)
    async with studio(home, file) as client:
        seat = await taken(client)
        await sent(client, f"{seat}/call", tool="desk_now", arguments={}, n=1)
        other = "/api/episodes/0-0"
        for path in ("", "/log", "/steps/1", "/state/1/desk", "/timeline", "/worth"):
            assert (
                "has not seen this day is working it now"
                in (await got(client, other + path, 409))["error"]
            )
        assert (
            "has not seen this day is working it now"
            in (await got(client, "/api/live/0-0/guidance", 409))["error"]
        )
        await got(client, "/api/compare?a=0-0&b=0-1", 409)
        await sent(client, f"{other}/worth", 409)
        await sent(client, f"{other}/fork", 409, step=1, agents=["oracle"])
        await sent(client, "/api/seats/go-on", 409, episode="0-0", step=1)
        (cell, *_) = (await got(client, "/api/runs/0"))["cells"]
        assert cell["score"] == 1.0
        await sent(client, f"{seat}/finish")
        assert (await over(client, seat))["person"] == "person"
        await got(client, other)


async def test_a_person_who_knows_the_day_already_may_look_at_it_meanwhile(
    ran: Path, tmp_path: Path
) -> None:
    home, file = beside(ran, tmp_path)
    async with studio(home, file) as client:
        await got(client, "/api/episodes/0-0")
        await taken(client, seen=True)
        await got(client, "/api/episodes/0-0")


async def test_later_studios_and_the_terminal_know_that_a_left_day_was_shown(
    ran: Path, tmp_path: Path
) -> None:
    home, file = beside(ran, tmp_path)
    async with studio(home, file) as client:
        await sent(client, f"{await taken(client)}/call", tool="desk_now", arguments={}, n=1)
    async with studio(home, file) as client:
        await got(client, "/api/episodes/0-0")
    async with studio(home, file) as client:
        (left,) = (await got(client, "/api/seats"))["left"]
        seen = await sent(client, "/api/seats/resume", 409, episode=left["episode"])
        assert "since it was left" in seen["error"]
    with pytest.raises(PlanError, match="since it was left"):
        await resume_person_run(home / "mine-person-001")


async def test_the_results_of_others_are_shown_once_the_day_is_over(
    ran: Path, tmp_path: Path
) -> None:
    home, file = beside(ran, tmp_path)
    async with studio(home, file) as client:
        seat = await taken(client)
        early = await got(client, f"{seat}/others", 409)
        assert "once your day is over" in early["error"]
        await sent(client, f"{seat}/finish")
        own = (await over(client, seat))["episode"]
        told = await got(client, f"{seat}/others")
        found = [
            (result["agent"], result["run_name"], result["score"]) for result in told["results"]
        ]
        theirs = {result.agent: result.score for result in RunFolder.open(ran).ledger.read()}
        ordered = sorted(theirs.items(), key=lambda pair: (-(pair[1] or 0), pair[0]))
        assert found == [(agent, ran.name, score) for agent, score in ordered]
        assert own not in [result["episode"] for result in told["results"]]
        assert told["start"] is None  # only shipped benchmarks can be started


async def test_a_person_who_works_elsewhere_closes_the_day_here_too(
    ran: Path, tmp_path: Path
) -> None:
    home, file = beside(ran, tmp_path)
    async with studio(home, file) as client:
        await sent(client, f"{await taken(client)}/call", tool="desk_now", arguments={}, n=1)
        async with studio(home, file) as other:
            assert (
                "has not seen this day is working it now"
                in (await got(other, "/api/episodes/0-0", 409))["error"]
            )


async def test_a_person_continues_from_a_step_and_is_never_pooled(
    ran: Path, tmp_path: Path
) -> None:
    log, step = await oracle_log(ran), 4
    (tmp_path / "a-run").symlink_to(ran)
    async with studio(tmp_path) as client:
        cells = (await got(client, "/api/runs/0"))["cells"]
        source = next(cell["episode"] for cell in cells if cell["agent"] == "oracle")
        wish = {"episode": source, "step": step, "person": "anna"}
        missing = await sent(client, "/api/seats/go-on", 404, **(wish | {"step": 999}))
        assert "steps so far" in missing["error"]
        assert not list(tmp_path.glob("fork-*"))
        state = await sent(client, "/api/seats/go-on", **wish)
        assert (state["calls"], state["steps"]) == ([], 0)
        assert state["now"] == log[step].at.isoformat()
        earlier = [(call["tool"], call["data"], call["until"]) for call in state["earlier"]]
        assert earlier == [(e.tool, e.data, e.until.isoformat()) for e in log[:step]]
        await sent(client, f"/api/seats/{state['seat']}/call", tool="desk_now", arguments={}, n=1)
    async with studio(tmp_path) as client:  # a fork may be left, too
        seat = await resumed(client)
        state = await got(client, seat)
        assert (len(state["earlier"]), len(state["calls"])) == (step, 1)
        await make(client, seat, log[step:], 2)
        await sent(client, f"{seat}/finish")
        done = await over(client, seat)
        facts = await got(client, f"/api/episodes/{done['episode']}")
        assert facts["forked_from"]["step"] == step and facts["agent"] == "person-anna"
    (path,) = tmp_path.glob("fork-*")
    folder = RunFolder.open(path)
    (result,) = folder.ledger.read()
    assert result.forked_from == ForkPoint(run="a-run", episode="one.day_1.oracle.1", step=step)
    assert result.error is None and result.tool_calls == len(log) - step + 1
    assert await problems(folder) == []
    with pytest.raises(IncomparableRuns, match="another run"):
        load_compared_runs([folder.path])
