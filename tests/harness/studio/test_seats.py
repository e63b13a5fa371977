"""A person's seat: each call once, its own answers only, no score before the end, then a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.harness.runs import config, day, invoke
from tests.harness.studio.conftest import RULES, week_of_two_days
from tests.harness.studio.shown import (
    beside,
    got,
    next_day,
    over,
    sent,
    studio,
    taken,
)
from trainee_bench.harness.analysis.comparison.compared_run import (
    IncomparableRuns,
    load_compared_runs,
)
from trainee_bench.harness.analysis.comparison.paired import compare_runs
from trainee_bench.harness.batch.verified_run import missing_episodes, verify_lines
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.world.world import World

ANSWERS = {"experience": "two days", "aids": "a calculator"}


async def test_days_of_shipped_and_of_given_benchmarks_may_be_chosen(
    mine: Path, tmp_path: Path
) -> None:
    async with studio(tmp_path, mine) as client:
        found = (await got(client, "/api/seats/choices"))["benchmarks"]
        assert [benchmark["name"] for benchmark in found][:2] == ["mine", "quickstart"]
        (scenario,) = found[0]["scenarios"]
        assert scenario["days"] == [{"number": 0, "name": "day_1", "tasks": 2, "seen": False}]


async def test_a_seat_knows_the_prompt_the_costs_and_its_own_answers_alone(
    mine: Path, tmp_path: Path
) -> None:
    async with studio(tmp_path, mine) as client:
        seat = await taken(client)
        morning = await got(client, seat)
        assert "You are Robin Hale" in morning["prompt"] and morning["calls"] == []
        assert "in one turn" not in morning["prompt"] and "desk_finish_day" not in morning["prompt"]
        assert (morning["steps"], morning["steps_limit"]) == (0, 150)
        costs = {tool["name"]: tool for tool in morning["tools"]}
        assert costs["mail_send"]["minutes"] == 5 and costs["files_write"]["destructive"]
        made = await sent(client, f"{seat}/call", tool="desk_tasks", arguments={}, n=1)
        assert made["call"]["data"]["tasks"][0]["id"] == "T1"
        assert made["call"]["at"] < made["call"]["until"] == made["state"]["now"]
        later = await got(client, seat)
        assert [call["tool"] for call in later["calls"]] == ["desk_tasks"]
        assert later["score"] is None and later["episode"] == ""


async def test_a_call_that_is_sent_twice_is_made_once(mine: Path, tmp_path: Path) -> None:
    async with studio(tmp_path, mine) as client:
        seat = await taken(client)
        note: dict[str, Any] = {"tool": "desk_write_note", "arguments": {"text": "once"}, "n": 1}
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(lambda: sent(client, f"{seat}/call", **note))
        assert (await sent(client, f"{seat}/call", **note))["call"]["n"] == 1
        assert (await got(client, seat))["steps"] == 1
        other = note | {"arguments": {"text": "another"}}
        assert (
            "Call 1 was a different one"
            in (await sent(client, f"{seat}/call", 409, **other))["error"]
        )
        jumped = await sent(client, f"{seat}/call", 409, **(note | {"n": 3}))
        assert "next call is number 2" in jumped["error"]
        failed = await sent(client, f"{seat}/call", tool="mail_read", arguments={"mail": 99}, n=2)
        assert failed["call"]["failed"] and failed["call"]["data"] is None


async def test_nobody_is_shown_a_day_that_a_person_works_and_it_has_no_score_before_the_end(
    mine: Path, tmp_path: Path
) -> None:
    async with studio(tmp_path, mine) as client:
        seat = await taken(client, person="anna")
        await sent(client, f"{seat}/call", tool="desk_now", arguments={}, n=1)
        (line,) = (await got(client, "/api/runs"))["runs"]
        refused = await got(client, f"/api/episodes/{line['run']}-0", 409)
        assert "A person is working" in refused["error"]
        table = f"/api/runs/{line['run']}"
        assert [cell["taken"] for cell in (await got(client, table))["cells"]] == [True]
        await sent(client, f"{seat}/call", tool="desk_finish_day", arguments={}, n=2)
        asked = await got(client, seat)
        assert (asked["status"], asked["score"]) == ("asked", None)
        late = await sent(client, f"{seat}/call", 409, tool="desk_now", arguments={}, n=3)
        assert "The day is over" in late["error"]
        await sent(client, f"{seat}/finish", **ANSWERS)
        done = await over(client, seat)
        assert (done["status"], done["score"]) == ("over", 0.0)
        facts = await got(client, f"/api/episodes/{done['episode']}")
        assert (facts["agent"], facts["ended"]) == ("person-anna", "agent")
        assert [cell["taken"] for cell in (await got(client, table))["cells"]] == [False]
        assert facts["identity"]["isolation"] == "person"
        assert "The day is over" in (await sent(client, f"{seat}/finish", 409))["error"]


async def test_a_day_that_was_shown_is_refused_or_marked(ran: Path, tmp_path: Path) -> None:
    home, file = beside(ran, tmp_path)
    async with studio(home, file) as client:
        wish = {"benchmark": "mine", "scenario": "one"}
        await got(client, "/api/episodes/0-0")
        (scenario,) = (await got(client, "/api/seats/choices"))["benchmarks"][0]["scenarios"]
        assert scenario["days"][0]["seen"]
        refused = await sent(client, "/api/seats", 409, **wish)
        assert "has shown this day" in refused["error"]
        state = await sent(client, "/api/seats", **wish, seen=True)
        assert state["person"] == "person-seen"


async def test_wishes_that_cannot_be_granted_say_why(mine: Path, tmp_path: Path) -> None:
    async with studio(tmp_path, mine) as client:
        seats = "/api/seats"
        assert (
            "no benchmark"
            in (await sent(client, seats, 404, benchmark="none", scenario="one"))["error"]
        )
        assert (
            "no scenario 'two'"
            in (await sent(client, seats, 400, benchmark="mine", scenario="two"))["error"]
        )
        assert (
            "no day 3"
            in (await sent(client, seats, 400, benchmark="mine", scenario="one", day=2))["error"]
        )
        assert (
            "person's id"
            in (await sent(client, seats, 400, benchmark="mine", scenario="one", person="../x"))[
                "error"
            ]
        )
        assert "scenario" in (await sent(client, seats, 400, benchmark="mine"))["error"]
        assert "no such seat" in (await got(client, f"{seats}/9", 404))["error"]
        seat = await taken(client)
        assert "n:" in (await sent(client, f"{seat}/call", 400, tool="desk_now", n=0))["error"]


async def test_a_worked_day_is_a_run_that_replays_verifies_and_compares(
    ran: Path, mine: Path, tmp_path: Path
) -> None:
    """The person makes the oracle's calls, and gets its score and its digest."""
    async with await World.open(ran / "worlds" / "one.day_1.oracle.1.world") as world:
        log = [entry for entry in await world.log() if entry.actor]
    async with studio(tmp_path, mine) as client:
        seat = await taken(client)
        for n, entry in enumerate(log, start=1):
            call = {"tool": entry.tool, "arguments": entry.arguments, "n": n}
            made = await sent(client, f"{seat}/call", **call)
            assert made["call"]["failed"] is not entry.ok
        await sent(client, f"{seat}/finish", **ANSWERS)
        done = await over(client, seat)
        assert (done["status"], done["score"], done["error"]) == ("over", 1.0, "")
        assert [task["task"] for task in done["results"]] == ["T1", "T2"]
        assert all(
            checkpoint["passed"] for task in done["results"] for checkpoint in task["checkpoints"]
        )
        state = await got(client, f"/api/episodes/{done['episode']}/state/{len(log)}/desk")
        assert all(task["submitted"] for task in state["view"]["tasks"])
    folder = RunFolder.open(tmp_path / "mine-person-001")
    (result,) = folder.ledger.read()
    (theirs,) = (r for r in RunFolder.open(ran).ledger.read() if r.agent == "oracle")
    assert (result.digest, result.steps) == (theirs.digest, len(log))
    async for verified in verify_lines(folder, folder.plan()):
        assert verified.problems == (), verified
    trajectory = json.loads(folder.trajectory(next(folder.plan().episode_specs())).read_text())
    assert "Aids: a calculator" in trajectory["extra"]["asides"][0]["message"]
    comparison = compare_runs(load_compared_runs([ran, folder.path], ["nothing", "person"]))
    assert comparison.pairs
    with pytest.raises(IncomparableRuns, match="isolation is insider and person"):
        compare_runs(load_compared_runs([ran, folder.path], ["oracle", "person"]))
    assert folder.report.is_file() and (folder.path / "report.html").is_file()


async def test_a_person_is_shown_only_the_chosen_one_of_several_days_and_the_run_has_no_other(
    tmp_path: Path,
) -> None:
    file = config(tmp_path, one=[day(RULES[0]), day(RULES[1]), day(RULES[0])])
    async with studio(tmp_path, file) as client:
        state = await sent(client, "/api/seats", benchmark="mine", scenario="one", day=1)
        assert (state["day"], state["status"]) == ("day_2", "working")
        await got(client, "/api/runs")
        table = await got(client, "/api/runs/0")
        assert [cell["episode"] for cell in table["cells"]] == ["0-0"]
        assert "day_1" not in json.dumps(table) and "day_3" not in json.dumps(table)
        seat = f"/api/seats/{state['seat']}"
        await sent(client, f"{seat}/finish")
        assert (await over(client, seat))["status"] == "over"
    folder = RunFolder.open(tmp_path / "mine-person-001")
    assert missing_episodes(folder, folder.plan()) == []
    (result,) = folder.ledger.read()
    assert (result.episode, result.error) == ("one.day_2.person.1", None)


async def test_a_week_has_a_morning_for_each_day_and_asks_at_its_end(tmp_path: Path) -> None:
    file = week_of_two_days(tmp_path)
    async with studio(tmp_path, file) as client:
        seat = await taken(client)
        first = await got(client, seat)
        await sent(client, f"{seat}/call", tool="desk_finish_day", arguments={}, n=1)
        second = await next_day(client, seat)
        assert first["now"] < second["now"] and first["prompt"] != second["prompt"]
        await sent(client, f"{seat}/call", tool="desk_finish_day", arguments={}, n=2)
        assert (await got(client, seat))["status"] == "asked"
        await sent(client, f"{seat}/finish")
        done = await over(client, seat)
        assert (done["status"], done["score"], len(done["calls"])) == ("over", 0.0, 2)


async def test_a_run_cannot_be_given_a_person_and_says_where_people_work(
    mine: Path, tmp_path: Path
) -> None:
    done = await anyio.to_thread.run_sync(
        lambda: invoke("--config", mine, "--agent", "person", "--out", tmp_path / "r", exits=2)
    )
    assert "trainee-bench play" in done.output
