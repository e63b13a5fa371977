"""The overview of a run, and the table of all episodes."""

from __future__ import annotations

import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.harness.studio.many_episodes import write_run
from tests.harness.studio.shown import got, visitor
from trainee_bench.harness.analysis.report.worth_section import points_lost_grid
from trainee_bench.harness.analysis.scheduling.schedule_section import causes_section
from trainee_bench.harness.analysis.statistics.summary import breakdowns
from trainee_bench.harness.documents.document import Grid, Medium
from trainee_bench.harness.records.results import EpisodeResult, ResultFile
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.studio.opened_run import OpenedRun


async def test_each_cell_has_the_figures_of_the_report_and_counts_its_tasks(ran: Path) -> None:
    results = ResultFile(ran / "results.jsonl").read()
    (families,) = [kind for kind in breakdowns(results) if kind.title == "family"]
    async with visitor(ran) as client:
        overview = await got(client, "/api/runs/0/overview")
    assert overview["agents"] == ["oracle", "sprayer", "nothing"]
    assert overview["families"] == sorted(families.cells)
    assert len(overview["cells"]) == len(overview["families"]) * 3
    for cell in overview["cells"]:
        wanted = families.cells[cell["family"]][cell["agent"]]
        assert wanted.success is not None and wanted.score is not None
        assert (cell["tasks"], cell["ungraded"]) == (wanted.tasks, 0)
        assert abs(cell["share"] - wanted.success.mean) < 1e-12
        assert abs(cell["score"] - wanted.score.mean) < 1e-12
    oracle = [cell for cell in overview["cells"] if cell["agent"] == "oracle"]
    assert all((cell["share"], cell["complete"]) == (1.0, cell["tasks"]) for cell in oracle)


async def test_ungraded_tasks_are_counted_separately(copied: Path) -> None:
    file = ResultFile(copied / "results.jsonl")
    results = file.read()
    first, *others = results[0].tasks
    lost = first.model_copy(update={"score": None, "error": "the check broke"})
    file.rewrite([results[0].model_copy(update={"tasks": (lost, *others)}), *results[1:]])
    async with visitor(copied) as client:
        overview = await got(client, "/api/runs/0/overview")
    (cell,) = [
        cell
        for cell in overview["cells"]
        if (cell["agent"], cell["family"]) == (results[0].agent, first.family)
    ]
    assert (cell["tasks"], cell["ungraded"], cell["share"], cell["score"]) == (0, 1, None, None)


async def test_guided_and_forked_scores_are_marked_in_the_overview(tmp_path: Path) -> None:
    run = write_run(tmp_path / "forked", epochs=8, forked=True)
    async with visitor(run) as client:
        marks = (await got(client, "/api/runs/0/overview"))["marks"]
    assert "forked" in marks["oracle"] and any("guided" in of for of in marks.values())


async def test_the_tasks_behind_a_cell_begin_with_the_lowest_score(ran: Path) -> None:
    results = {result.agent: result for result in ResultFile(ran / "results.jsonl").read()}
    async with visitor(ran) as client:
        overview = await got(client, "/api/runs/0/overview")
        for cell in overview["cells"]:
            asked = {"agent": cell["agent"], "family": cell["family"]}
            tasks = (await got(client, "/api/runs/0/tasks", **asked))["tasks"]
            wanted = [t for t in results[cell["agent"]].tasks if t.family == cell["family"]]
            assert {task["task"] for task in tasks} == {task.task for task in wanted}
            scores = [task["score"] for task in tasks]
            assert scores == sorted(scores)
            shown = await got(client, f"/api/episodes/{tasks[0]['episode']}")
            assert shown["agent"] == cell["agent"]
        nothing = await got(client, "/api/runs/0/tasks", agent="oracle", family="no such")
    assert nothing == {"tasks": []}


async def test_the_causes_of_lost_points_are_worded_as_in_the_report(
    ran: Path, all_valued: Path, tmp_path: Path
) -> None:
    shutil.copytree(ran, tmp_path / "plain")  # other tests may store values in the run itself
    shutil.rmtree(tmp_path / "plain" / "worth", ignore_errors=True)
    folder = RunFolder(all_valued / "a-run")
    read = [folder.worths.read(result) for result in folder.ledger.read()]
    steps = points_lost_grid([worth for worth in read if worth is not None])
    (causes,) = causes_section(folder.ledger.read(), {})
    assert steps is not None and isinstance(causes.blocks[0], Grid)
    async with visitor(folder.path, tmp_path / "plain") as client:
        for run, grid in enumerate((steps, causes.blocks[0])):
            (lost,) = (await got(client, f"/api/runs/{run}/overview"))["lost"]
            page = grid.shown_in(Medium.HTML)
            assert lost["titles"] == list(page.titles)
            assert lost["rows"] == [list(row) for row in page.rows] and lost["notes"]


async def test_values_that_are_stored_meanwhile_are_shown_next_time(
    copied: Path, all_valued: Path
) -> None:
    shutil.rmtree(copied / "worth", ignore_errors=True)
    async with visitor(copied) as client:
        (before,) = (await got(client, "/api/runs/0/overview"))["lost"]
        shutil.copytree(all_valued / "a-run" / "worth", copied / "worth")
        (after,) = (await got(client, "/api/runs/0/overview"))["lost"]
    assert before["heading"] == "Value lost, by cause"
    assert after["heading"] == "Points lost, by cause"


async def test_a_single_world_file_has_no_overview(hostile_world: Path) -> None:
    async with visitor(hostile_world) as client:
        for place in ("overview", "tasks", "flags"):
            refused = await got(client, f"/api/runs/0/{place}", 404)
            assert "a single world file" in refused["error"]


async def test_a_run_without_results_has_an_empty_overview(tmp_path: Path) -> None:
    run = write_run(tmp_path / "fresh", epochs=1, waiting=2)
    async with visitor(run) as client:
        overview = await got(client, "/api/runs/0/overview")
    assert (overview["over"], overview["cells"], overview["lost"]) == (0, [], [])
    assert overview["episodes"] == 2


async def rows_of(client: httpx2.AsyncClient) -> list[dict[str, Any]]:
    table = await got(client, "/api/episodes")
    return [dict(zip(table["fields"], row, strict=True)) for row in table["rows"]]


async def test_each_episode_of_every_run_has_a_row_with_the_figures_of_its_result(
    ran: Path, tmp_path: Path
) -> None:
    many = write_run(tmp_path / "many", epochs=2)
    results = {result.agent: result for result in ResultFile(ran / "results.jsonl").read()}
    async with visitor(ran, many) as client:
        rows = await rows_of(client)
        assert [row["episode"] for row in rows] == [
            *(f"0-{n}" for n in range(3)),
            *(f"1-{n}" for n in range(4)),
        ]
        for row in rows[:3]:
            result = results[row["agent"]]
            assert (row["score"], row["success"], row["steps"], row["seconds"]) == (
                result.score,
                result.success,
                result.steps,
                result.wall_seconds,
            )
            assert (row["complete"], row["tasks"]) == (
                sum(task.success for task in result.tasks),
                len(result.tasks),
            )
        third = rows[5]
        assert (third["agent"], third["attempt"], third["score"]) == ("oracle", 2, 0.5)
        assert (third["tokens"], third["cost_usd"], third["seconds"]) == (2000, 0.02, 120.0)
        assert (third["ended"], third["state"]) == ("step_limit", "done")


async def test_runs_are_named_by_their_path_from_here_and_as_given_elsewhere(
    ran: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = write_run(tmp_path / "runs" / "first", epochs=1)
    monkeypatch.chdir(tmp_path)
    async with visitor(below, ran) as client:
        paths = {row["path"] for row in await rows_of(client)}
        assert paths == {"runs/first", str(ran)}
        assert (await got(client, "/api/runs/0"))["path"] == "runs/first"


async def test_guided_forked_broken_and_waiting_episodes_are_told_apart(tmp_path: Path) -> None:
    write_run(tmp_path / "a", epochs=6, waiting=1)
    write_run(tmp_path / "b", epochs=4, forked=True)
    async with visitor(tmp_path) as client:
        rows = await rows_of(client)
    whole, forked = rows[:12], rows[12:]
    assert [n for n, row in enumerate(whole) if row["guided"]] == [6]
    assert not any(row["forked"] for row in whole) and all(row["forked"] for row in forked)
    broken, waiting = whole[9], whole[11]
    assert (broken["state"], broken["ended"], broken["score"]) == ("broken", "broken", None)
    assert (broken["broken"], broken["broken_as_0"]) == (True, 0.0)
    assert (waiting["state"], waiting["ended"], waiting["steps"]) == ("waiting", "", None)
    assert (waiting["broken_as_0"], waiting["complete"], waiting["tokens"]) == (None, None, None)


async def test_a_run_that_cannot_be_read_says_why_and_hides_no_other(
    ran: Path, tmp_path: Path
) -> None:
    shutil.copytree(ran, tmp_path / "good")
    shutil.copytree(ran, tmp_path / "bad")
    (tmp_path / "bad" / "run.json").write_text("{}", encoding="utf-8")
    async with visitor(tmp_path) as client:
        assert len(await rows_of(client)) == 3
        (flaw,) = (await got(client, "/api/episodes"))["flaws"]
        assert flaw["path"].endswith("bad") and flaw["error"]


async def test_a_single_world_file_is_a_row_without_a_result(hostile_world: Path) -> None:
    async with visitor(hostile_world) as client:
        (row,) = await rows_of(client)
        assert (row["scenario"], row["agent"], row["score"]) == ("hostile", "", None)
        assert (row["state"], row["complete"]) == ("running", None)


async def test_a_run_whose_folder_is_gone_says_so_and_has_no_rows(tmp_path: Path) -> None:
    run = write_run(tmp_path / "a-run", epochs=2)
    async with visitor(run) as client:
        assert len(await rows_of(client)) == 4
        run.rename(tmp_path / "away")
        table = await got(client, "/api/episodes")
        assert table["rows"] == [] and "There is no run in" in table["flaws"][0]["error"]
        assert "There is no run in" in (await got(client, "/api/runs"))["runs"][0]["error"]


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
@pytest.mark.parametrize("damaged", [False, True])
async def test_a_name_that_is_not_text_keeps_no_other_run_from_being_shown(
    tmp_path: Path, damaged: bool
) -> None:
    home = tmp_path / "home"
    write_run(home / "good", epochs=1)
    odd = write_run(home / os.fsdecode(b"odd\xff\xe2\x80\xae"), epochs=1)
    if damaged:
        (odd / "run.json").write_text("{}", encoding="utf-8")
    async with visitor(home) as client:
        runs = (await got(client, "/api/runs"))["runs"]
        assert [run["name"] for run in runs] == ["good", "odd\\udcff\\u202e"]
        assert "is not a" in runs[1]["error"] or not damaged
        assert len(await rows_of(client)) == (2 if damaged else 4)
        for place in ("/api/runs/1", "/api/runs/1/overview", "/api/runs/1/flags"):
            await got(client, place)
        assert (await client.get("/api/episodes/1-0/flags")).status_code in (404, 409)


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
async def test_a_world_file_whose_name_is_not_text_is_shown(
    hostile_world: Path, tmp_path: Path
) -> None:
    world = tmp_path / os.fsdecode(b"odd\xff.world")
    shutil.copy(hostile_world, world)
    async with visitor(world) as client:
        (row,) = await rows_of(client)
        assert row["scenario"] == "odd\\udcff"
        for place in ("/api/runs", "/api/runs/0", "/api/episodes/0-0"):
            await got(client, place)


def test_results_that_are_read_in_several_threads_at_once_are_all_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "a-run", epochs=20)
    read = EpisodeResult.model_validate_json

    def slowly(line: bytes) -> EpisodeResult:
        time.sleep(0.001)
        return read(line)

    monkeypatch.setattr(EpisodeResult, "model_validate_json", slowly)
    opened = OpenedRun(0, run)
    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(lambda: len(opened.results())) for _ in range(4)]
    assert [answer.result() for answer in asked] == [40] * 4
