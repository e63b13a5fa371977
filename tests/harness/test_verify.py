"""A run is verified from its plan and its worlds: whatever was changed afterwards is named."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.harness.own_agents import POLITE
from tests.harness.runs import call, config, day, invoke, run_day
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult, ResultFile
from trainee_bench.harness.records.run_folder import RunFolder

RULE = "kb_fix.easy"
IDLE, DONE = "one.day_1.nothing.1", "one.day_1.in_order.1"
POLITE_DAY = "one.day_1.tests-harness-own_agents-Polite.1"
Change = Callable[[Path], None]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of three agents."""
    folder = tmp_path_factory.mktemp("run")
    agents = ("--agent", "in_order", "--agent", "nothing", "--agent", POLITE)
    return run_day(folder, *agents)


@pytest.fixture
def run(ran: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    return Path(shutil.copytree(ran, tmp_path / "run"))


def edit_line(run: Path, episode: str, change: Callable[[EpisodeResult], object]) -> None:
    """Replace what *change* gives of the line of *episode*: fields and their values."""
    lines = [
        one.model_copy(update=dict(change(one))) if one.episode == episode else one  # type: ignore[call-overload]
        for one in ResultFile(run / "results.jsonl").lines()
    ]
    ResultFile(run / "results.jsonl").rewrite(lines)


def better_score(run: Path) -> None:
    edit_line(run, IDLE, lambda line: {"score": 1.0, "success": True})


def passed_checkpoint(run: Path) -> None:
    def changed(line: EpisodeResult) -> object:
        (task,) = line.tasks
        first = task.checkpoints[0].model_copy(update={"passed": True})
        return {"tasks": (task.model_copy(update={"checkpoints": (first, *task.checkpoints[1:])}),)}

    edit_line(run, IDLE, changed)


def tighter_limits(run: Path) -> None:
    def changed(line: EpisodeResult) -> object:
        assert line.identity is not None
        limits = line.identity.limits.model_copy(update={"steps": 10})
        return {"identity": line.identity.model_copy(update={"limits": limits})}

    edit_line(run, IDLE, changed)


def other_tools(run: Path) -> None:
    def changed(line: EpisodeResult) -> object:
        assert line.identity is not None and line.identity.frozen is not None
        shown = line.identity.frozen.model_copy(update={"tools": "0" * 64})
        return {"identity": line.identity.model_copy(update={"frozen": shown})}

    edit_line(run, IDLE, changed)


def fewer_calls(run: Path) -> None:
    edit_line(run, DONE, lambda line: {"tool_calls": 1, "failed_calls": 0})


def less_idle(run: Path) -> None:
    def changed(line: EpisodeResult) -> object:
        assert line.schedule is not None
        return {"schedule": line.schedule.model_copy(update={"idle_minutes": 0})}

    edit_line(run, IDLE, changed)


def one_more_question(run: Path) -> None:
    def changed(line: EpisodeResult) -> object:
        assert line.provenance is not None
        return {"provenance": line.provenance.model_copy(update={"questions": 1})}

    edit_line(run, IDLE, changed)


def exchanged_world(run: Path) -> None:
    shutil.copy(run / "worlds" / f"{DONE}.world", run / "worlds" / f"{IDLE}.world")


def world_of_another_day(run: Path) -> None:
    other = config(run, two=[day("sales.sales_statistics")])
    invoke("--config", other, "--agent", "nothing", "--out", run / "other")
    shutil.copy(run / "other/worlds/two.day_1.nothing.1.world", run / "worlds" / f"{IDLE}.world")


def written_past_the_tools(run: Path) -> None:
    with closing(sqlite3.connect(run / "worlds" / f"{IDLE}.world")) as db, db:
        db.execute("UPDATE person SET department = 'Elsewhere'")


def logged_past_the_tools(run: Path) -> None:
    with closing(sqlite3.connect(run / "worlds" / f"{DONE}.world")) as db, db:
        db.execute("UPDATE action SET text = 'Something else.' WHERE seq = 3")


def another_plan(run: Path) -> None:
    plan = json.loads((run / "run.json").read_text(encoding="utf-8"))
    plan["limits"]["steps"] = 500
    (run / "run.json").write_text(json.dumps(plan), encoding="utf-8")


def unreadable_plan(run: Path) -> None:
    (run / "run.json").write_text("{}", encoding="utf-8")


def unreadable_line(run: Path) -> None:
    with (run / "results.jsonl").open("a", encoding="utf-8") as file:
        file.write("{}\n")


def another_plan_sealed_anew(run: Path) -> None:
    another_plan(run)
    plan = RunPlan.model_validate_json((run / "run.json").read_bytes())
    (run / "run.json").write_text(plan.sealed().model_dump_json(), encoding="utf-8")


def missing_line(run: Path) -> None:
    file = ResultFile(run / "results.jsonl")
    file.rewrite([line for line in file.lines() if line.episode != IDLE])


def second_line(run: Path) -> None:
    file = ResultFile(run / "results.jsonl")
    (idle,) = [line for line in file.lines() if line.episode == IDLE]
    file.append(idle.model_copy(update={"score": 1.0}))


def missing_world(run: Path) -> None:
    (run / "worlds" / f"{IDLE}.world").unlink()


def test_a_run_in_order_is_verified_and_its_report_and_comparisons_say_so(run: Path) -> None:
    assert "Not verified" in (run / "report.md").read_text(encoding="utf-8")
    compared = (run, "--agent", "nothing", "--agent", POLITE)
    assert f"Not verified: nothing, {POLITE}." in call("compare", *compared).output
    assert "3 agree, 0 differ, 0 have no result." in call("verify", run).output
    assert "Not verified" not in (run / "report.md").read_text(encoding="utf-8")
    assert "Verified" in (run / "report.md").read_text(encoding="utf-8")
    assert "Not verified" not in call("compare", *compared).output
    better_score(run)
    assert "Not verified" in call("compare", *compared).output


def test_the_report_of_a_run_draws_each_schedule_above_the_optimal_one(ran: Path) -> None:
    page = (ran / "report.html").read_text(encoding="utf-8")
    drawn = [
        picture
        for picture in re.findall(r'<svg class="day plan" role="img".*?</svg>', page)
        if 'aria-label="How the day can be worked' not in picture
    ]
    assert len(drawn) == 3
    assert all('class="own"' in one and 'class="best"' in one for one in drawn)
    assert "| optimal day |" in (ran / "report.md").read_text(encoding="utf-8")


def test_a_line_of_an_older_version_without_a_schedule_is_read_and_verified(run: Path) -> None:
    file = ResultFile(run / "results.jsonl")
    lines = [line.model_dump(mode="json", exclude={"schedule"}) for line in file.lines()]
    file.path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert [line.schedule for line in file.read()] == [None, None, None]
    call("verify", run)


def test_a_line_of_an_older_version_without_provenance_is_read_and_verified(run: Path) -> None:
    file = ResultFile(run / "results.jsonl")
    assert all(line.provenance is not None for line in file.read())
    file.rewrite([line.model_copy(update={"provenance": None}) for line in file.lines()])
    assert "provenance" not in file.path.read_text(encoding="utf-8")
    call("verify", run)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (better_score, f"{IDLE}: the line says score 1.0, the repeated day gives 0.0"),
        (passed_checkpoint, "the line's checkpoints differ from the repeated day's at "),
        (tighter_limits, "the line's identity says limits steps=10"),
        (other_tools, "the line's identity says frozen world="),
        (fewer_calls, "calls, the line only 1"),
        (less_idle, "the line's schedule says idle_minutes 0, the repeated day gives 720"),
        (one_more_question, "the line's provenance says questions 1, the repeated day gives 0"),
        (exchanged_world, f"{IDLE}: the line has the digest "),
        (world_of_another_day, "the world is that of another day than the plan's"),
        (
            written_past_the_tools,
            "every result is the same, but after action 0 the world's digest is",
        ),
        (logged_past_the_tools, f"{DONE}: action 3"),
        (another_plan, "run.json is not the plan that this run began with"),
        (another_plan_sealed_anew, "the line was made under another plan"),
        (missing_line, f"{IDLE}: it has no result"),
        (second_line, "it has 2 lines that differ; the first one counts"),
        (missing_world, "There is no world file"),
    ],
)
def test_a_change_after_the_run_is_named(run: Path, change: Change, says: str) -> None:
    change(run)
    assert says in call("verify", run, exits=1).output
    assert not RunFolder.open(run).verified


@pytest.mark.parametrize(
    ("change", "code"),
    [(another_plan, 1), (better_score, 1), (unreadable_plan, 2), (unreadable_line, 2)],
)
def test_reports_do_not_call_a_run_verified_that_has_changed_since(
    run: Path, change: Change, code: int
) -> None:
    call("verify", run)
    reports = [run / "report.md", run / "report.html"]
    assert all("Verified: " in report.read_text(encoding="utf-8") for report in reports)
    change(run)
    call("verify", run, exits=code)
    for report in reports:
        text = report.read_text(encoding="utf-8")
        assert "Not verified: " in text and "Verified: " not in text
    assert not (run / "verified.json").exists()


def test_the_last_sentence_counts_what_agrees_what_differs_and_what_has_no_result(
    run: Path,
) -> None:
    missing_line(run)
    assert "2 agree, 0 differ, 1 has no result." in call("verify", run, exits=1).output
    fewer_calls(run)
    assert "1 agrees, 1 differs, 1 has no result." in call("verify", run, exits=1).output


def test_help_names_the_run_and_what_it_is_compared_with() -> None:
    text = " ".join(call("verify", "--help").output.split())
    assert " RUN" in text
    assert "Repeat every episode from its log, grade it again, and compare with" in text


def test_replay_and_verify_end_alike_for_a_changed_plan(run: Path) -> None:
    another_plan(run)
    assert call("replay", run, exits=1).output == call("verify", run, exits=1).output


def test_a_replay_grades_again_and_names_an_edited_line(run: Path) -> None:
    better_score(run)
    done = call("replay", run, "--episode", IDLE, exits=1)
    assert "the line says score 1.0, the repeated day gives 0.0" in done.output
    call("replay", run, "--episode", DONE)


@pytest.mark.parametrize("change", [another_plan, another_plan_sealed_anew])
def test_a_run_is_not_continued_under_another_plan(run: Path, change: Change) -> None:
    missing_line(run)
    change(run)
    before = (run / "results.jsonl").read_bytes()
    assert "plan" in invoke("--resume", run, exits=2).output
    assert (run / "results.jsonl").read_bytes() == before


def test_a_line_given_twice_counts_once(run: Path) -> None:
    file = ResultFile(run / "results.jsonl")
    file.append(file.lines()[0])
    assert len(file.lines()) == 4
    assert [result.episode for result in file.read()] == [line.episode for line in file.lines()[:3]]
    call("verify", run)
