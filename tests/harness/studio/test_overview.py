"""The overview of a run: the figures and words of its report, and the tasks behind each cell."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.harness.studio.many_episodes import write_run
from tests.harness.studio.shown import visitor
from tests.harness.studio.test_endpoints import told
from trainee_bench.harness.analysis.report.worth_section import points_lost_grid
from trainee_bench.harness.analysis.scheduling.schedule_section import causes_section
from trainee_bench.harness.analysis.statistics.summary import breakdowns
from trainee_bench.harness.documents.document import Grid, Medium
from trainee_bench.harness.records.results import ResultFile
from trainee_bench.harness.records.run_folder import RunFolder


async def test_each_cell_has_the_figures_of_the_report_and_counts_its_tasks(ran: Path) -> None:
    results = ResultFile(ran / "results.jsonl").read()
    (families,) = [kind for kind in breakdowns(results) if kind.title == "family"]
    async with visitor(ran) as client:
        overview = await told(client, "/api/runs/0/overview")
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


async def test_what_could_not_be_graded_is_counted_apart(ran: Path, tmp_path: Path) -> None:
    shutil.copytree(ran, tmp_path / "copy")
    file = ResultFile(tmp_path / "copy" / "results.jsonl")
    results = file.read()
    first, *others = results[0].tasks
    lost = first.model_copy(update={"score": None, "error": "the check broke"})
    file.rewrite([results[0].model_copy(update={"tasks": (lost, *others)}), *results[1:]])
    async with visitor(tmp_path / "copy") as client:
        overview = await told(client, "/api/runs/0/overview")
    (cell,) = [
        one
        for one in overview["cells"]
        if (one["agent"], one["family"]) == (results[0].agent, first.family)
    ]
    assert (cell["tasks"], cell["ungraded"], cell["share"], cell["score"]) == (0, 1, None, None)


async def test_guided_and_forked_scores_are_marked_in_the_overview(tmp_path: Path) -> None:
    run = write_run(tmp_path / "forked", epochs=8, forked=True)
    async with visitor(run) as client:
        marks = (await told(client, "/api/runs/0/overview"))["marks"]
    assert "forked" in marks["oracle"] and any("guided" in of for of in marks.values())


async def test_the_tasks_behind_a_cell_are_told_the_lowest_score_first(ran: Path) -> None:
    results = {one.agent: one for one in ResultFile(ran / "results.jsonl").read()}
    async with visitor(ran) as client:
        overview = await told(client, "/api/runs/0/overview")
        for cell in overview["cells"]:
            asked = {"agent": cell["agent"], "family": cell["family"]}
            tasks = (await told(client, "/api/runs/0/tasks", **asked))["tasks"]
            wanted = [t for t in results[cell["agent"]].tasks if t.family == cell["family"]]
            assert {task["task"] for task in tasks} == {task.task for task in wanted}
            scores = [task["score"] for task in tasks]
            assert scores == sorted(scores)
            shown = await told(client, f"/api/episodes/{tasks[0]['episode']}")
            assert shown["agent"] == cell["agent"]
        nothing = await told(client, "/api/runs/0/tasks", agent="oracle", family="no such")
    assert nothing == {"tasks": []}


async def test_what_points_were_lost_to_is_told_as_the_report_tells_it(
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
            (lost,) = (await told(client, f"/api/runs/{run}/overview"))["lost"]
            page = grid.shown_in(Medium.HTML)
            assert lost["titles"] == list(page.titles)
            assert lost["rows"] == [list(row) for row in page.rows] and lost["notes"]


async def test_values_that_are_stored_meanwhile_are_told_at_the_next_look(
    ran: Path, all_valued: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(ran, run)
    shutil.rmtree(run / "worth", ignore_errors=True)
    async with visitor(run) as client:
        (before,) = (await told(client, "/api/runs/0/overview"))["lost"]
        shutil.copytree(all_valued / "a-run" / "worth", run / "worth")
        (after,) = (await told(client, "/api/runs/0/overview"))["lost"]
    assert before["heading"] == "By what value was lost"
    assert after["heading"] == "What points were lost to"


async def test_a_world_by_itself_has_no_overview(hostile_world: Path) -> None:
    async with visitor(hostile_world) as client:
        for place in ("overview", "tasks", "flags"):
            answer = await client.get(f"/api/runs/0/{place}")
            assert answer.status_code == 404 and "a world by itself" in answer.json()["error"]


async def test_a_run_without_results_has_an_empty_overview(tmp_path: Path) -> None:
    run = write_run(tmp_path / "fresh", epochs=1, waiting=2)
    async with visitor(run) as client:
        overview = await told(client, "/api/runs/0/overview")
    assert (overview["over"], overview["cells"], overview["lost"]) == (0, [], [])
    assert overview["episodes"] == 2
