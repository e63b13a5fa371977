"""An episode of a week: one world, a new agent each morning, one result with its days' figures."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

import pytest

from tests.harness.own_agents import COUNTING, STUBBORN, Counting
from tests.harness.runs import call, day, invoke, read, run_day, week_file
from tests.harness.test_verify import edit_line
from trainee_bench.harness.agents.runtime.in_process_episode import (
    run_agent_on_day,
    run_in_process,
)
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.scheduling import reference
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason
from trainee_bench.harness.session.turns import Thought
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Scenario

LINKS, SALES, MEETING = "kb_fix.easy", "sales.top_sales_employee", "meeting_attend.sum.u1"
WEEK = [day(SALES, MEETING), day(LINKS), day(SALES)]
ORACLE, NOTHING = "one.week.oracle.1", "one.week.nothing.1"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of a week by the oracle and by nobody."""
    folder = tmp_path_factory.mktemp("week")
    agents = ("--agent", "oracle", "--agent", "nothing")
    invoke("--config", week_file(folder, *WEEK), *agents, "--out", folder / "out")
    return folder / "out"


@pytest.fixture
def run(ran: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    return Path(shutil.copytree(ran, tmp_path / "run"))


def by_id(folder: Path) -> dict[str, EpisodeResult]:
    return {result.episode: result for result in read(folder)}


# the result and its record ----------------------------------------------------------------


def test_a_week_is_one_result_with_figures_of_each_day(ran: Path) -> None:
    worked = by_id(ran)[ORACLE]
    assert (worked.score, worked.success, worked.day) == (1.0, True, "week")
    assert [one.task for one in worked.tasks] == ["T1", "T2", "T3", "T4"]
    assert [(one.name, one.due, one.score) for one in worked.days] == [
        ("Monday", 2, 1.0),
        ("Tuesday", 1, 1.0),
        ("Wednesday", 1, 1.0),
    ]
    assert sum(one.steps for one in worked.days) == worked.steps
    assert all(one.steps > 5 and one.ended is EndReason.AGENT for one in worked.days)
    assert worked.schedule is None
    values = [one.schedule.value for one in worked.days if one.schedule and one.schedule.value]
    assert [(one.optimum, one.lost) for one in values] == [(2, 0), (1, 0), (1, 0)]


def test_its_trajectory_begins_each_day_with_a_prompt(ran: Path) -> None:
    path = ran / "trajectories" / f"{ORACLE}.json"
    steps = json.loads(path.read_text(encoding="utf-8"))["steps"]
    assert [step["step_id"] for step in steps] == list(range(1, len(steps) + 1))
    prompts = [step["message"] for step in steps if step["source"] == "user"]
    weekdays = [said.partition("It is ")[2].split(",")[0] for said in prompts]
    assert weekdays == ["Monday", "Tuesday", "Wednesday"]


def test_the_report_draws_each_of_its_days(ran: Path) -> None:
    page = (ran / "report.html").read_text(encoding="utf-8")
    assert page.count('<svg class="day" role="img"') == 6
    assert "Tuesday · 1 task due, score 1.00" in page
    tables = (ran / "report.md").read_text(encoding="utf-8")
    assert "Days of the week" in tables and "| nothing | 0.00 / 0 | 0.00 / 0 | 0.00 / 0 |" in tables


def test_the_report_shows_each_day_s_schedule_above_the_optimal_one(ran: Path) -> None:
    page = (ran / "report.html").read_text(encoding="utf-8")
    assert page.count('<svg class="day plan" role="img"') == 6
    tables = (ran / "report.md").read_text(encoding="utf-8")
    own = [line.split(" | ")[:2] for line in tables.splitlines() if line.startswith("| one · ")]
    lost = {"Monday": 2, "Tuesday": 1, "Wednesday": 1, "week": 4}
    assert own[4:] == [[f"| one · {day}", f"{lost[day]:.2f} (0.00)"] for day in lost]
    assert own[:4] == [[f"| one · {day}", "0.00 (0.00)"] for day in lost]


def test_a_second_report_does_not_work_the_oracle_s_week_again(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [file.name for file in (run / "optimal").iterdir()] == ["one.week.json"]
    before = (run / "report.html").read_text(encoding="utf-8")
    (run / "report.html").unlink()
    monkeypatch.setattr(reference, "reference_days", None)
    invoke("--resume", run)
    assert (run / "report.html").read_text(encoding="utf-8") == before


def test_verifying_trusts_no_optimal_week_that_lies_beside_the_run(run: Path) -> None:
    (file,) = (run / "optimal").iterdir()
    sound = file.read_text(encoding="utf-8")
    forged = json.loads(sound)
    forged["days"] = re.sub(r'"idle_minutes":\d+', '"idle_minutes":555', forged["days"])
    forged["content"] = sha256(forged["days"].encode()).hexdigest()
    file.write_text(json.dumps(forged), encoding="utf-8")
    invoke("--resume", run)
    assert "(555)" in (run / "report.md").read_text(encoding="utf-8")
    call("verify", run)
    assert "(555)" not in (run / "report.md").read_text(encoding="utf-8")
    assert file.read_text(encoding="utf-8") == sound


def test_results_from_before_weeks_had_schedules_are_read_and_verified(run: Path) -> None:
    def change(line: EpisodeResult) -> object:
        return {"days": tuple(one.model_copy(update={"schedule": None}) for one in line.days)}

    for episode in (ORACLE, NOTHING):
        edit_line(run, episode, change)
    assert '"schedule":{' not in (run / "results.jsonl").read_text(encoding="utf-8")
    invoke("--resume", run)
    assert "## Scheduling" not in (run / "report.md").read_text(encoding="utf-8")
    page = (run / "report.html").read_text(encoding="utf-8")
    assert page.count('<svg class="day plan" role="img"') == 6, "drawn from the worlds"
    call("verify", run)


def test_an_ordinary_day_has_no_figures_of_days(tmp_path: Path) -> None:
    out = run_day(tmp_path, "--agent", "nothing")
    assert '"days"' not in (out / "results.jsonl").read_text(encoding="utf-8")


# replaying, verifying, grading, going on --------------------------------------------------


def test_a_week_is_replayed_and_verified_through_its_nights(run: Path) -> None:
    assert "2 agree" in call("verify", run).output


def test_a_week_is_forked_on_any_day_and_graded(run: Path, tmp_path: Path) -> None:
    fork = tmp_path / "fork.world"
    call("replay", run, "--episode", NOTHING, "--to", 2, "--fork", fork)
    assert "Score 0.00 over 4 tasks" in call("grade", fork).output


@pytest.mark.parametrize(
    ("named", "changed"), [("score", {"score": 1.0}), ("steps", {"steps": 1}), ("due", {"due": 9})]
)
def test_a_changed_figure_of_a_day_is_found(
    run: Path, named: str, changed: dict[str, object]
) -> None:
    def change(line: EpisodeResult) -> object:
        first, *others = line.days
        return {"days": (first.model_copy(update=changed), *others)}

    edit_line(run, NOTHING, change)
    assert named in call("verify", run, exits=1).output


def test_a_changed_schedule_of_a_day_is_found(run: Path) -> None:
    def change(line: EpisodeResult) -> object:
        first, second, *others = line.days
        assert second.schedule is not None
        schedule = second.schedule.model_copy(update={"idle_minutes": 0})
        return {"days": (first, second.model_copy(update={"schedule": schedule}), *others)}

    edit_line(run, NOTHING, change)
    done = call("verify", run, exits=1)
    assert "Tuesday: the line's schedule says idle_minutes 0" in " ".join(done.output.split())


def test_a_run_that_was_killed_within_a_week_begins_that_week_anew(
    run: Path, tmp_path: Path
) -> None:
    before, half = by_id(run), tmp_path / "half.world"
    to = before[ORACLE].days[0].steps + 3
    call("replay", run, "--episode", ORACLE, "--to", to, "--fork", half)
    shutil.copy(half, run / "worlds" / f"{ORACLE}.world")
    lines = (run / "results.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if f'"{ORACLE}"' not in line]
    (run / "results.jsonl").write_text("".join(kept), encoding="utf-8")
    invoke("--resume", run)
    again = by_id(run)
    assert again[ORACLE].model_dump(exclude={"wall_seconds"}) == before[ORACLE].model_dump(
        exclude={"wall_seconds"}
    )


# the agent of a morning -------------------------------------------------------------------


class Learning:
    """Remembers all feedback."""

    had: ClassVar[list[str]] = []
    memory = ""

    async def work(self, session: AgentSession) -> None:
        self.had.append(self.memory)

    async def reflect(self, feedback: str) -> Sequence[Thought]:
        self.memory += feedback
        return ()


@pytest.fixture(autouse=True)
def _nothing_seen() -> None:
    for seen in (Counting.seen, Counting.told, Learning.had):
        seen.clear()


def works(agent: str, folder: Path, *options: str) -> EpisodeResult:
    """What comes of the week when *agent* works it."""
    out = folder / "out"
    invoke("--config", week_file(folder, *WEEK), "--agent", agent, "--out", out, *options)
    (result,) = read(out)
    return result


def test_the_agent_of_the_second_morning_has_no_history(tmp_path: Path) -> None:
    works(COUNTING, tmp_path)
    assert Counting.seen == [1, 1, 1]


def test_a_morning_tells_of_the_week_and_nothing_of_tasks_that_come_later(tmp_path: Path) -> None:
    works(COUNTING, tmp_path)
    listed = json.loads((tmp_path / "mine.json").read_text(encoding="utf-8"))["scenarios"][0]
    composed = compose_day(Scenario.model_validate(listed))
    for place, said in enumerate(Counting.told):
        for task in composed.tasks:
            shown = f"{task.id}: {task.instance.told.title}" in said
            assert shown == (task.published_place == place)
            assert task.instance.told.objective in said or not shown
        assert "without any memory of the days before" in said
    assert "lasts until Wednesday, 2025-10-08" in Counting.told[0]
    assert "last day of your working week" in Counting.told[2]


def test_an_agent_stopped_by_the_step_limit_works_again_the_next_day(tmp_path: Path) -> None:
    result = works(STUBBORN, tmp_path, "--max-steps", "4")
    assert [(one.steps, one.ended) for one in result.days] == [(4, EndReason.STEP_LIMIT)] * 3
    assert result.ended is EndReason.STEP_LIMIT
    call("verify", tmp_path / "out")


def test_a_learning_agent_has_each_morning_the_feedback_on_the_tasks_due_before(
    tmp_path: Path,
) -> None:
    works(f"{__name__}:Learning", tmp_path)
    first, second, third = Learning.had
    assert first == ""
    assert "T1: 0.00" in second and "T2: 0.00" in second and "T3" not in second
    assert third.startswith(second) and "T3: 0.00" in third and "T4" not in third


async def test_a_submitted_task_is_not_worked_again_on_a_later_morning() -> None:
    carried = {"rule": SALES, "due_day": 2}
    scenario = Scenario.model_validate(
        {"name": "w", "week": True, "days": [{"tasks": [carried]}, {"tasks": []}, {"tasks": []}]}
    )
    for agent in ("oracle", "in_order", "oracle_without_notes"):
        done = await run_in_process(agent, compose_day(scenario))
        assert done.grade.success
        assert done.handed_in["T1"] is not None and done.handed_in["T1"].day == 6


async def test_a_task_that_is_done_on_monday_and_due_on_wednesday_is_no_failure() -> None:
    carried = {"rule": LINKS, "due_day": 2}
    days = [{"tasks": [carried]}, {"tasks": []}, {"tasks": []}]
    scenario = Scenario.model_validate({"name": "w", "seed": 3, "week": True, "days": days})
    day = await stage_day(compose_day(scenario))
    async with day.world:
        await run_agent_on_day("oracle", day)
        assert [grade.success for grade in await day.grades()] == [True]
