"""People guide an agent: it waits for them and hears them, and the day replays without anybody."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from tests.harness.studio.acting import acting
from trainee_bench.harness.analysis.comparison.comparability import check_comparable
from trainee_bench.harness.analysis.comparison.compared_run import ComparedRun, IncomparableRuns
from trainee_bench.harness.episodes.replay import read_recorded_day, replay_day
from trainee_bench.harness.episodes.verification import verify_result
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.studio.guidance import EpisodeControl, Pace
from trainee_bench.harness.submissions.rules import rule_problems
from trainee_bench.meta_tasks.benchmark import find_scenario, load_shipped_benchmark
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.world import World

ASK_WRITES = [{"pattern": "files_write", "action": "ask"}]


async def finished(path: Path) -> tuple[RunFolder, EpisodeResult]:
    folder = RunFolder.open(path)
    (result,) = folder.ledger.read()
    return folder, result


async def problems(folder: RunFolder) -> tuple[str, ...]:
    """Return the problems that verifying the only episode finds."""
    (spec,), (result,) = tuple(folder.plan().episode_specs()), folder.ledger.read()
    return (await verify_result(spec, result, folder.path)).problems


async def replayed(folder: RunFolder) -> object:
    """Return the difference between a replay and the record of the only episode."""
    (spec,) = folder.plan().episode_specs()
    recorded = await read_recorded_day(folder.world(spec))
    composed = recorded.composition
    async with await World.create(None, composed.world_config(), composed.populate) as world:
        return await replay_day(recorded, world)


async def test_a_hint_that_is_requested_many_times_at_once_is_given_once(tmp_path: Path) -> None:
    async with acting(tmp_path) as person:
        episode = await person.start(attendance={"paused": True}, max_seconds=60)
        task = (await person.until(episode, "held"))["tasks"][0]["task"]
        answers: list[int] = []

        async def give() -> None:
            body = {"task": task, "tier": 1}
            done = await person.client.post(f"/api/live/{episode}/hint", json=body)
            answers.append(done.status_code)

        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(give)
        assert sorted(answers) == [200] + [409] * 7
        await person.post(f"/api/live/{episode}/hint", {"task": task, "tier": 2})
        given = (await person.guidance(episode))["given"]
        assert [hint["tier"] for hint in given] == [1, 2]
        await person.post("/api/jobs/0/stop", {})


async def test_a_guided_day_is_logged_replayed_exactly_and_part_of_the_result(
    tmp_path: Path,
) -> None:
    async with acting(tmp_path) as person:
        episode = await person.start(
            attendance={"policy": ASK_WRITES, "paused": True}, max_seconds=60
        )
        live = f"/api/live/{episode}"
        facts = await person.until(episode, "held")
        assert facts["control"]["pace"] == "pause"
        assert facts["given"] == []
        first = facts["tasks"][0]
        await person.post(f"{live}/hint", {"task": first["task"], "tier": 2}, 409)
        await person.post(f"{live}/hint", {"task": first["task"], "tier": 1})
        await person.post(f"{live}/hint", {"task": first["task"], "tier": 1}, 409)
        await person.post(f"{live}/hint", {"task": "T99", "tier": 1}, 409)
        await person.post(f"{live}/say", {"text": "Ask before you change a link."})
        await person.post(f"{live}/say", {"text": "  "}, 409)
        await person.post(f"{live}/control", {"do": "step"})
        await person.until(episode, "held")
        log = (await person.get(f"/api/episodes/{episode}/log"))["calls"]
        assert [call["tool"] for call in log if call["actor"] != "mentor"] == [log[-1]["tool"]]
        assert {call["actor"] for call in log[:-1]} == {"mentor"}
        assert all(call["at"] == call["until"] for call in log[:-1])  # it took no time
        told = await person.get(f"/api/episodes/{episode}/steps/{len(log)}")
        said = [notice["text"] for notice in told["notices"] if notice["kind"] == "guidance"]
        assert said[0].startswith(f"Hint on {first['task']} (strategy): ")
        assert said[1] == "Your mentor says: Ask before you change a link."
        await person.post(f"{live}/control", {"do": "go"})
        asked = (await person.until(episode, "asks"))["control"]["asks"][0]
        assert asked["tool"] == "files_write"
        answer = {"ask": asked["ask"], "allow": False, "why": "Ask the owner first"}
        await person.post(f"{live}/answer", answer)
        await person.post(f"{live}/answer", answer, 409)
        await _approve_all(person, episode)
        line = await person.over()
        assert (line["state"], line["finished"]) == ("done", 1)
        given = (await person.guidance(episode))["given"]
    kinds = [act["kind"] for act in given]
    assert kinds[:3] == ["hint", "message", "refused"]
    assert set(kinds[3:]) <= {"approved"}
    assert given[2]["text"] == "Not approved: Ask the owner first."
    folder, result = await finished(next(tmp_path.glob("quickstart-*")))
    assert result.identity is not None
    guided = result.identity.guided
    assert [act.kind for act in guided] == kinds
    assert (guided[0].task, guided[0].tier) == (first["task"], 1)
    assert (folder.path / "report.html").is_file()
    assert await replayed(folder) is None
    assert await problems(folder) == ()
    alone = _counts_apart(folder, result)
    (spec,) = folder.plan().episode_specs()
    (found,) = (await verify_result(spec, alone, folder.path)).problems
    assert found.startswith("the line's identity says guided ()")


async def _approve_all(person: Any, episode: str) -> None:
    while True:
        facts = await person.guidance(episode)
        for asked in facts["control"]["asks"]:
            await person.client.post(
                f"/api/live/{episode}/answer", json={"ask": asked["ask"], "allow": True}
            )
        if not facts["control"]["working"]:
            return
        await anyio.sleep(0.02)


def _counts_apart(folder: RunFolder, result: EpisodeResult) -> EpisodeResult:
    """Check that *result* is neither compared with others nor submitted, and return it without its
    guidance, with which it would be."""
    assert result.identity is not None
    alone = result.model_copy(
        update={"identity": result.identity.model_copy(update={"guided": ()})}
    )
    runs = [ComparedRun(name, "oracle", (shown,)) for name, shown in (("a", result), ("b", alone))]
    with pytest.raises(IncomparableRuns, match="guided"):
        check_comparable(runs)
    check_comparable(runs, apart_from={"guided"})
    plan, benchmark = folder.plan(), load_shipped_benchmark()
    assert "people guided its agent" in tuple(rule_problems(plan, [result], benchmark))
    assert "people guided its agent" not in tuple(rule_problems(plan, [alone], benchmark))
    return alone


async def test_a_day_that_nobody_guided_says_nothing_of_it_and_is_guided_no_more(
    tmp_path: Path,
) -> None:
    async with acting(tmp_path) as person:
        episode = await person.start(agents=["nothing"], attendance={"policy": ASK_WRITES})
        await person.over()
        assert (await person.guidance(episode))["given"] == []
        await person.post(f"/api/live/{episode}/say", {"text": "Too late."}, 409)
        await person.post(f"/api/live/{episode}/control", {"do": "pause"}, 409)
    folder, result = await finished(next(tmp_path.glob("quickstart-*")))
    assert result.identity is not None and result.identity.guided == ()
    assert "guided" not in result.model_dump(mode="json")["identity"]
    assert await problems(folder) == ()


async def test_a_rule_refuses_with_its_reason_and_asks_nobody(tmp_path: Path) -> None:
    rules = [
        {"pattern": "files_*", "action": "allow"},
        {"pattern": "desk_submit", "action": "refuse", "why": "Nothing is handed in today"},
        {"pattern": "*_submit", "action": "ask"},
    ]
    async with acting(tmp_path) as person:
        episode = await person.start(attendance={"policy": rules})
        line = await person.over()
        assert line["state"] == "done"
        given = (await person.guidance(episode))["given"]
        assert given and {(act["kind"], act["tool"], act["text"]) for act in given} == {
            ("refused", "desk_submit", "Not approved: Nothing is handed in today.")
        }
        step = await person.get(f"/api/episodes/{episode}/steps/{given[0]['step']}")
        assert step["refused_by"] == step["text"] == given[0]["text"]
    folder, result = await finished(next(tmp_path.glob("quickstart-*")))
    assert not any(task.submitted for task in result.tasks)
    assert await replayed(folder) is None
    assert await problems(folder) == ()


async def test_an_episode_of_another_process_can_only_be_watched(tmp_path: Path, ran: Path) -> None:
    (tmp_path / "a-run").symlink_to(ran)
    async with acting(tmp_path) as person:
        facts = await person.get("/api/live/0-0/guidance")
        assert facts["control"] is None
        for what, body in (
            ("control", {"do": "pause"}),
            ("say", {"text": "Hello"}),
            ("answer", {"ask": 1, "allow": True}),
        ):
            said = await person.post(f"/api/live/0-0/{what}", body, 409)
            assert "you can only watch it" in said["error"]
        await person.post("/api/live/0-0/control", {"do": "explode"}, 400)
        await person.post("/api/live/7-0/control", {"do": "go"}, 404)


async def test_waiting_for_a_person_is_measured_and_nothing_else() -> None:
    control = EpisodeControl(paused=True)
    async with await create_world(None, find_scenario()) as world, control.attending(world):
        assert control.waited == 0
        async with anyio.create_task_group() as group:
            group.start_soon(control.arrive, "desk_now")
            while not control.snapshot().held:
                await anyio.lowlevel.checkpoint()
            assert 0 < control.waited < control.waited  # it grows while the agent is held
            await control.set_pace(Pace.GO)
        total = control.waited
        assert total > 0
        await control.arrive("desk_now")
        assert control.waited == total


async def test_the_overview_says_which_episodes_wait_for_a_person(tmp_path: Path) -> None:
    async with acting(tmp_path) as person:
        asks = {"policy": [{"pattern": "desk_tasks", "action": "ask"}]}
        episode = await person.start(attendance=asks)
        waiting = await person.until(episode, "asks")
        async with person.client.stream("GET", "/api/live/events") as stream:
            lines = stream.aiter_lines()

            async def overview() -> dict[str, str]:
                while not (line := await anext(lines)).startswith("data: "):
                    pass
                told = json.loads(line.removeprefix("data: "))["episodes"]
                return {shown["episode"]: shown["waits_for"] for shown in told}

            while (await overview()).get(episode) != "approval of desk_tasks":
                pass
            ask = waiting["control"]["asks"][0]["ask"]
            await person.post(f"/api/live/{episode}/answer", {"ask": ask, "allow": True})
            while (await overview())[episode]:
                pass
