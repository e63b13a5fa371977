"""The data for the page: runs, episodes, steps, states, comparisons; and clear errors."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import httpx2
import pytest

from tests.harness.studio.hostile import HOSTILE, LONG, SCRIPT
from tests.harness.studio.shown import got, visitor
from trainee_bench.harness.records.results import ResultFile
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.world.world import World

ORACLE, SPRAYER, NOTHING = "0-0", "0-1", "0-2"
TABLE = "workspace:/table.xlsx"


async def test_runs_are_listed_and_shown_as_a_table_of_scores(ran: Path) -> None:
    async with visitor(ran.parent) as client:
        (line,) = (await got(client, "/api/runs"))["runs"]
        assert (line["name"], line["benchmark"], line["episodes"]) == ("a-run", "mine", 3)
        assert line["states"]["done"] == 3 and line["error"] == ""
        table = await got(client, "/api/runs/0")
        assert table["agents"] == ["oracle", "sprayer", "nothing"]
        assert table["days"] == [["one", "day_1"]]
        oracle, sprayer, nothing = table["cells"]
        assert (oracle["score"], oracle["success"], nothing["score"]) == (1.0, True, 0.0)
        assert all(not task["missed"] for task in oracle["tasks"])
        assert all(not task["passed"] or task["missed"] for task in nothing["tasks"])
        assert sprayer["calls"] > 50 and sprayer["ended"] != ""


async def test_a_broken_day_has_no_score_in_the_table_and_0_in_the_second_mean(
    copied: Path,
) -> None:
    file = ResultFile(copied / "results.jsonl")
    lost = {"score": None, "error": "the line was dead"}
    file.rewrite(
        result.model_copy(update=lost) if result.agent == "oracle" else result
        for result in file.read()
    )
    async with visitor(copied) as client:
        oracle, sprayer, _ = (await got(client, "/api/runs/0"))["cells"]
    assert (oracle["state"], oracle["score"], oracle["broken_as_0"]) == ("broken", None, 0.0)
    assert sprayer["broken_as_0"] == sprayer["score"]


async def test_an_episode_tells_its_result_its_calls_and_each_call_in_full(ran: Path) -> None:
    async with await World.open(ran / "worlds" / "one.day_1.oracle.1.world") as world:
        log = await world.log()
    async with visitor(ran) as client:
        facts = await got(client, f"/api/episodes/{ORACLE}")
        assert (facts["agent"], facts["score"], facts["steps"]) == ("oracle", 1.0, len(log))
        assert facts["tasks"][0]["checkpoints"][0]["sentence"]
        calls = await got(client, f"/api/episodes/{ORACLE}/log")
        assert [call["tool"] for call in calls["calls"]] == [entry.tool for entry in log]
        rest = await got(client, f"/api/episodes/{ORACLE}/log", after=len(log) - 2)
        assert [call["step"] for call in rest["calls"]] == [len(log) - 1, len(log)]
        for entry in log[:5]:
            step = await got(client, f"/api/episodes/{ORACLE}/steps/{entry.seq}")
            assert (step["arguments"], step["text"]) == (entry.arguments, entry.text)


async def test_the_thought_of_the_turn_is_beside_a_call(copied: Path) -> None:
    path = copied / "trajectories" / "one.day_1.oracle.1.json"
    trajectory = json.loads(path.read_text(encoding="utf-8"))
    worked = [step for step in trajectory["steps"] if step.get("tool_calls")]
    worked[1]["message"] = "Zwölf Boxkämpfer jagen Viktor."
    refused = {"tool_call_id": "x", "function_name": "desk_now", "arguments": {"never": "made"}}
    worked[0]["tool_calls"].insert(0, refused)  # a limit refused it, so it is not in the log
    path.write_text(json.dumps(trajectory), encoding="utf-8")
    async with visitor(copied) as client:
        step = await got(client, f"/api/episodes/{ORACLE}/steps/2")
        assert (step["thought"]["message"], step["thought"]["turn"]) == (
            "Zwölf Boxkämpfer jagen Viktor.",
            2,
        )
        found = await got(client, f"/api/episodes/{ORACLE}/found", q="boxkämpfer ZWÖLF")
        assert found["steps"] == [2]


async def test_search_finds_calls_by_words_of_arguments_answers_and_tools(
    hostile_world: Path,
) -> None:
    async with visitor(hostile_world) as client:
        found = f"/api/episodes/{ORACLE}/found"
        assert (await got(client, found, q="table.xlsx"))["steps"] == [7, 8]
        assert (await got(client, found, q="received AT"))["steps"] == [10]
        assert (await got(client, found, q="", tool="files_"))["steps"] == [5, 6]
        assert (await got(client, found, q="nowhere at all"))["steps"] == []


async def test_an_app_is_shown_after_a_step_with_the_steps_changes(hostile_world: Path) -> None:
    async with visitor(hostile_world) as client:
        state = f"/api/episodes/{ORACLE}/state"
        before = await got(client, f"{state}/0/mail")
        assert before["view"]["mails"] == [] and before["changed"] == {}
        mail = await got(client, f"{state}/1/mail", item=1)
        assert mail["changed"] == {"1": "added"} and mail["view"]["mail"]["subject"] == HOSTILE
        assert mail["view"]["mail"]["text"] == LONG
        table = await got(client, f"{state}/8/sheets", item=TABLE)
        assert table["within"] == ["A2", "B2"]
        assert table["view"]["book"]["rows"][1] == [SCRIPT, 7]
        note = await got(client, f"{state}/9/desk")
        assert note["view"]["notes"][0]["text"] == LONG
        meeting = await got(client, f"{state}/4/calendar", item=1)
        assert meeting["view"]["meeting"]["meeting"]["title"] == " ".join(HOSTILE.split())
        file = await got(client, f"{state}/6/files", item="workspace:/drawing.svg")
        assert file["view"]["file"]["lines"] == [f"<svg>{SCRIPT}</svg>"]
        assert not file["view"]["file"]["picture"]
        gone = await got(client, f"{state}/3/files", item="workspace:/drawing.svg")
        assert gone["view"]["file"] is None


async def test_long_texts_and_sheets_are_given_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "day.world"
    rows = "\n".join(f"{number},{number * 2}" for number in range(1, 5001))
    async with await create_world(path, find_scenario()) as world:
        calls = ToolDispatcher(world, "robin.hale", default_toolboxes().values())
        await calls.call("files_write", {"path": "workspace:/long.csv", "text": rows})
    item = "workspace:/long.csv"
    async with visitor(path) as client:
        state = f"/api/episodes/{ORACLE}/state/1"
        book = (await got(client, f"{state}/sheets", item=item))["view"]["book"]
        assert (book["rows_used"], len(book["rows"]), book["top"]) == (5000, book["at_once"], 1)
        book = (await got(client, f"{state}/sheets", item=item, top=4990))["view"]["book"]
        assert book["rows"][0] == [4990, 9980] and len(book["rows"]) == 11
        file = (await got(client, f"{state}/files", item=item, top=251))["view"]["file"]
        assert (file["lines"][0], file["total_lines"]) == ("251,502", 5000)
        assert len(file["lines"]) == file["at_once"]


async def test_an_item_leads_back_to_the_step_that_changed_it(hostile_world: Path) -> None:
    async with visitor(hostile_world) as client:
        origin = f"/api/episodes/{ORACLE}/origin"
        for query, step in (
            ({"app": "sheets", "item": TABLE}, 8),
            ({"app": "sheets", "item": TABLE, "part": "A2"}, 8),
            ({"app": "sheets", "item": TABLE, "part": "A1"}, 7),
            ({"app": "sheets", "item": TABLE, "before": 7}, 7),
            ({"app": "mail", "item": "1"}, 1),
            ({"app": "desk", "item": "T2"}, None),
        ):
            assert (await got(client, origin, **query))["step"] == step, query


async def test_the_timeline_has_tasks_and_submissions(ran: Path) -> None:
    async with visitor(ran) as client:
        oracle = await got(client, f"/api/episodes/{ORACLE}/timeline")
        assert [task["task"] for task in oracle["tasks"]] == ["T1", "T2"]
        assert all(task["submitted"] for task in oracle["tasks"])
        nothing = await got(client, f"/api/episodes/{NOTHING}/timeline")
        assert not any(task["submitted"] for task in nothing["tasks"])


async def test_two_episodes_are_aligned_and_their_first_difference_is_named(ran: Path) -> None:
    async with visitor(ran) as client:
        same = await got(client, "/api/compare", a=ORACLE, b=ORACLE)
        assert same["aligned"]["first_difference"] is None
        other = await got(client, "/api/compare", a=ORACLE, b=SPRAYER)
        lines = other["aligned"]["lines"]
        for side, facts in (("a", other["a"]), ("b", other["b"])):
            steps = [line[side] for line in lines if line[side] is not None]
            assert steps == list(range(1, facts["steps"] + 1))
        first = other["aligned"]["first_difference"]
        assert all(line["kind"] == "same" for line in lines[:first])
        assert lines[first]["kind"] != "same"


async def test_a_picture_is_served_as_a_picture_and_nothing_else_is(tmp_path: Path) -> None:
    spec = DaySpec(tasks=(TaskSpec(rule="event_planning.A1"),))
    path = tmp_path / "day.world"
    await (await create_world(path, Scenario(name="one", seed=1, days=(spec,)))).close()
    async with visitor(path) as client:
        base = f"/api/episodes/{ORACLE}/state/0/files"
        files = (await got(client, base))["view"]["files"]
        picture = next(file["path"] for file in files if file["kind"] == "picture")
        answer = await client.get(f"{base}/picture", params={"item": picture})
        assert answer.headers["content-type"] == "image/png" and answer.content[:4] == b"\x89PNG"
        text = next(file["path"] for file in files if file["kind"] == "text")
        for item in (text, "workspace:/none.png", "../../etc/passwd", ""):
            assert (await client.get(f"{base}/picture", params={"item": item})).status_code == 404


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/api/runs/7", 404, "no run 7"),
        ("/api/runs/x", 404, "nothing at this address"),
        ("/api/episodes/0-99", 404, "no episode 99"),
        ("/api/episodes/..%2F..%2Fetc", 404, "nothing at this address"),
        ("/api/episodes/0-0x", 404, "no such episode"),
        ("/api/episodes/0-0/steps/0", 404, "steps so far"),
        ("/api/episodes/0-0/steps/9999", 404, "steps so far"),
        ("/api/episodes/0-0/state/9999/mail", 404, "steps so far"),
        ("/api/episodes/0-0/state/1/terminal", 404, "shows no app"),
        ("/api/episodes/0-0/state/1/sheets?top=1e9", 400, "whole number"),
        ("/api/episodes/0-0/log?after=-1", 400, "whole number"),
        ("/api/compare?a=0-0", 404, "no such episode"),
        ("/api/nothing", 404, "nothing at this address"),
    ],
)
async def test_missing_things_are_reported_in_words(
    path: str, status: int, words: str, ran: Path
) -> None:
    async with visitor(ran) as client:
        answer = await client.get(path)
    assert answer.status_code == status and words in answer.json()["error"]


async def test_a_run_or_a_world_that_cannot_be_read_says_why_and_hides_no_other(
    ran: Path, tmp_path: Path
) -> None:
    shutil.copytree(ran, tmp_path / "a")
    shutil.copytree(ran, tmp_path / "b")
    (tmp_path / "a" / "run.json").write_text("{}")
    (tmp_path / "b" / "worlds" / "one.day_1.oracle.1.world").write_text("no world")
    (tmp_path / "b" / "worlds" / "one.day_1.nothing.1.world").unlink()
    async with visitor(tmp_path) as client:
        first, second = (await got(client, "/api/runs"))["runs"]
        assert "not a plan" in first["error"] and second["error"] == ""
        damaged = await client.get("/api/episodes/1-0")
        assert damaged.status_code == 409 and "not a world file" in damaged.json()["error"]
        assert (await got(client, "/api/episodes/1-1"))["agent"] == "sprayer"
        missing = await client.get("/api/episodes/1-2")
        assert missing.status_code == 409 and "no longer in the folder" in missing.json()["error"]


async def test_results_are_read_as_they_are_added_and_again_when_a_run_is_resumed(
    copied: Path,
) -> None:
    results = copied / "results.jsonl"

    async def states(client: httpx2.AsyncClient) -> list[str]:
        return [cell["state"] for cell in (await got(client, "/api/runs/0"))["cells"]]

    async with visitor(copied) as client:
        assert await states(client) == ["done", "done", "done"]
        whole = results.read_text(encoding="utf-8")
        draft = results.with_suffix(".draft")
        draft.write_text("".join(line for line in whole.splitlines(True) if "nothing" in line))
        draft.replace(results)
        assert await states(client) == ["running", "running", "done"]
        sprayer = next(line for line in whole.splitlines(True) if ".sprayer." in line)
        with results.open("a", encoding="utf-8") as file:
            file.write(sprayer[:100])  # a line is written in two parts
            file.flush()
            assert await states(client) == ["running", "running", "done"]
            file.write(sprayer[100:])
            file.flush()
            assert await states(client) == ["running", "done", "done"]


async def test_a_run_that_begins_later_is_found_and_numbers_stay(ran: Path, tmp_path: Path) -> None:
    shutil.copytree(ran, tmp_path / "m")
    async with visitor(tmp_path) as client:
        assert len((await got(client, "/api/runs"))["runs"]) == 1
        shutil.copytree(ran, tmp_path / "a")
        names = [run["name"] for run in (await got(client, "/api/runs"))["runs"]]
        assert names == ["m", "a"]
