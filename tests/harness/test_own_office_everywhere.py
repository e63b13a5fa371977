"""An own office beyond `run`: in parts, resumed, merged, compared, submitted, in pools, and two at
once. What cannot work names the remedy."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.runs import call
from tests.mcp_servers.sandbox.boxes import needs_bubblewrap
from trainee_bench.harness.environment.pool.day_pool import DayPool
from trainee_bench.harness.integrations.training.splits import SplitOptions
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.offices.opened import VARIABLE, OfficeUnavailable, open_office
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(autouse=True)
def _closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No office is open before a test, nor after it."""
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))


@pytest.fixture
def office(tmp_path: Path) -> Path:
    """An office on a path with a space and letters of another script."""
    made = tmp_path / "harbour"
    call("office", "new", made)
    folder = tmp_path / "das Büro 東"
    made.rename(folder)
    return folder


def close_offices() -> None:
    """Close all offices, as a new process begins."""
    os.environ[VARIABLE] = ""


def plain(text: str) -> str:
    return " ".join(text.split())


def benchmark(folder: Path, *tasks: dict[str, object], name: str = "mine") -> Path:
    day = {"tasks": list(tasks)}
    file = folder / f"{name}.json"
    scenario = {"name": name, "office": "harbour", "days": [day]}
    file.write_text(json.dumps({"name": name, "scenarios": [scenario]}), encoding="utf-8")
    return file


def change(office: Path) -> None:
    """Change a task, as somebody does while a run is paused."""
    task = office / "tasks" / "meeting_prep" / "task.yaml"
    text = task.read_text(encoding="utf-8")
    task.write_text(text.replace("Spring campaign", "Autumn campaign"), encoding="utf-8")


@pytest.fixture
def run(office: Path, tmp_path: Path) -> Path:
    """A run of all tasks, in which the agent did nothing. The office is closed again."""
    folder = tmp_path / "run"
    call("run", "--office", office, "--agent", "nothing", "--out", folder)
    close_offices()
    return folder


@pytest.fixture
def world(office: Path, tmp_path: Path) -> Path:
    """A staged world; the office is closed again."""
    path = tmp_path / "day.world"
    config = benchmark(tmp_path, {"rule": "harbour.customer_reply"})
    call("stage", config, "mine", path, "--office", office)
    close_offices()
    return path


def test_commands_that_need_a_closed_office_name_the_option_and_show_no_traceback(
    run: Path, world: Path, tmp_path: Path
) -> None:
    (tmp_path / "forks").mkdir()
    fork = ("--episode", "customer_reply.day_1.nothing.1", "--fork", tmp_path / "forks" / "f.world")
    for words in (
        ("grade", world),
        ("worth", run, "--jobs", 1),
        ("replay", run, *fork),
        ("run", "--resume", run, "--retry-broken"),
    ):
        told = call(*words, exits=None)
        if "No such option" in told.output:
            continue
        assert told.exit_code == 2, words
        assert told.exception is None or isinstance(told.exception, SystemExit), words
        assert "harbour is not open; name its folder with --office" in plain(told.output), words


def test_an_mcp_client_gets_the_office_that_its_new_day_needs(office: Path, tmp_path: Path) -> None:
    config = benchmark(tmp_path, {"rule": "harbour.customer_reply"})
    given = ("claude-desktop", "--config", config, "--world", tmp_path / "day.world")
    alone = call("connect", *given, exits=2)
    assert "name its folder with --office" in plain(alone.output)
    told = call("connect", *given, "--office", office)
    shown = json.loads(told.stdout)["mcpServers"]["office"]["args"]
    assert shown[shown.index("--office") + 1] == str(office)
    assert "--office" in told.output.partition("Grade the day:")[2]


def test_a_world_is_worked_and_forked_without_its_office_but_graded_with_it(
    world: Path, office: Path
) -> None:
    lines = json.dumps({"tool": "desk_tasks", "args": {}})
    assert "T1" in call("work", world, "call", given=lines + "\n").output
    assert "Score 0.00 over 1 task" in call("grade", world, "--office", office).output


def test_a_run_is_not_resumed_after_its_office_has_changed(office: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    call("run", "--office", office, "--agent", "nothing", "--out", folder)
    results = folder / "results.jsonl"
    lines = results.read_text(encoding="utf-8").splitlines(keepends=True)
    results.write_text("".join(lines[:-1]), encoding="utf-8")
    close_offices()
    change(office)
    told = call("run", "--resume", folder, "--office", office, exits=2)
    assert "the office harbour in" in plain(told.output) and "has changed" in plain(told.output)


def test_an_interrupted_run_is_resumed_with_its_office(office: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    call("run", "--office", office, "--agent", "nothing", "--out", folder)
    results = folder / "results.jsonl"
    lines = results.read_text(encoding="utf-8").splitlines(keepends=True)
    results.write_text("".join(lines[:-1]), encoding="utf-8")
    close_offices()
    alone = call("run", "--resume", folder, exits=2)
    assert "name its folder with --office" in plain(alone.output)
    call("run", "--resume", folder, "--office", office)
    assert len(results.read_text(encoding="utf-8").splitlines()) == 3


@needs_bubblewrap
def test_a_program_in_a_sandbox_that_shows_the_office_is_refused(
    office: Path, tmp_path: Path
) -> None:
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are private
        public = Path(name)
        public.chmod(0o755)
        shutil.copytree(office, public / "office")
        allowed = ("--agent-isolation", "sandbox", "--agent-allow", public)
        given = ("--agent-command", "/bin/true {mcp_config}", *allowed, "--out", tmp_path / "run")
        told = call("run", "--office", public / "office", *given, exits=2)
        assert f"the command could read {public}/office/office.yaml" in plain(told.output)


def test_parts_of_a_run_are_merged_without_the_office(office: Path, tmp_path: Path) -> None:
    parts = [tmp_path / "one", tmp_path / "two"]
    for number, part in enumerate(parts, 1):
        given = ("--agent", "nothing", "--part", f"{number}/2", "--out", part)
        call("run", "--office", office, *given)
    close_offices()
    told = call("merge", *parts, "--out", tmp_path / "whole")
    assert "3 of 3 episodes" in plain(told.output)
    merged = (tmp_path / "whole" / "report.md").read_text(encoding="utf-8")
    assert "harbour.travel_expenses" in merged


def test_runs_over_different_contents_are_neither_compared_nor_merged(
    office: Path, run: Path, tmp_path: Path
) -> None:
    change(office)
    second = tmp_path / "second"
    call("run", "--office", office, "--agent", "nothing", "--out", second)
    for words in (("compare", run, second), ("merge", run, second)):
        assert call(*words, exits=None).exit_code != 0, words


def test_a_report_names_the_contents_of_the_office(office: Path, run: Path) -> None:
    name, _, digest = open_office(office).reference.partition("@")
    report = (run / "report.md").read_text(encoding="utf-8")
    assert f"{name}: contents {digest}" in report.replace("**", "").replace("`", "")
    assert "harbour.travel_expenses" in report


def test_a_task_with_complications_is_listed_as_not_certified(office: Path, tmp_path: Path) -> None:
    config = benchmark(tmp_path, {"rule": "harbour.travel_expenses+receipt_wanted"})
    folder = tmp_path / "run"
    given = ("--config", config, "--agent", "nothing", "--out", folder)
    call("run", "--office", office, *given)
    badges = json.loads((folder / "run.json").read_text(encoding="utf-8"))["badges"]
    assert badges == {"harbour.travel_expenses+receipt_wanted": "not certified"}


def test_a_submission_is_verified_only_where_its_office_is_open(
    run: Path, office: Path, tmp_path: Path
) -> None:
    packed = tmp_path / "mine.zip"
    call("submit", "prepare", run, packed, "--name", "mine", "--office", office)
    close_offices()
    alone = call("submit", "verify", packed, exits=2)
    assert "harbour is not open; name its folder with --office" in plain(alone.output)
    assert "over 3 episodes" in call("submit", "verify", packed, "--office", office).output
    close_offices()
    change(office)
    changed = call("submit", "verify", packed, "--office", office, exits=2)
    assert "has changed" in plain(changed.output)


def test_a_submission_of_a_benchmark_file_in_an_own_office_is_whole(
    office: Path, tmp_path: Path
) -> None:
    config = benchmark(tmp_path, {"rule": "harbour.customer_reply"}, {"rule": "kb_fix.easy"})
    folder, opened = tmp_path / "run", ("--office", office)
    call("run", "--config", config, *opened, "--agent", "nothing", "--out", folder)
    packed = tmp_path / "mine.zip"
    given = ("--name", "mine", "--config", config)
    call("submit", "prepare", folder, packed, *given, *opened)
    assert "over 1 episode" in call("submit", "verify", packed, "--config", config, *opened).output


@pytest.fixture
def second(tmp_path: Path) -> Path:
    folder = tmp_path / "quay"
    call("office", "new", folder)
    return folder


def test_two_open_offices_need_a_benchmark_file_and_then_work_side_by_side(
    office: Path, second: Path, tmp_path: Path
) -> None:
    opened = ("--office", office, "--office", second)
    told = call("run", *opened, "--agent", "nothing", exits=2)
    assert "2 offices are open (harbour, quay): name a benchmark file" in plain(told.output)
    told = call("generate", *opened, "--scenarios", 1, "--out", tmp_path / "g.json", exits=2)
    assert "open only that one" in plain(told.output)
    config = tmp_path / "both.json"
    scenarios = [
        {"name": name, "office": name, "days": [{"tasks": [{"rule": f"{name}.customer_reply"}]}]}
        for name in ("harbour", "quay")
    ]
    config.write_text(json.dumps({"name": "both", "scenarios": scenarios}), encoding="utf-8")
    given = ("--config", config, "--agent", "oracle", "--out", tmp_path / "run")
    call("run", *opened, *given)
    lines = (tmp_path / "run" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["score"] for line in lines] == [1.0, 1.0]


def test_a_task_on_a_day_of_another_office_is_refused_by_name(
    office: Path, second: Path, tmp_path: Path
) -> None:
    config = benchmark(tmp_path, {"rule": "quay.customer_reply"})
    opened = ("--office", office, "--office", second)
    told = call("run", "--config", config, *opened, "--agent", "nothing", exits=2)
    assert "quay.customer_reply is a task of the office quay" in plain(told.output)


def test_generated_weeks_do_not_ignore_an_office(office: Path, tmp_path: Path) -> None:
    given = ("--weeks", 1, "--name", "w", "--out", tmp_path / "w.json")
    told = call("generate", *given, "--office", office, exits=2)
    assert "generated weeks are in the built-in company" in plain(told.output)


def test_a_folder_that_is_named_in_the_variable_but_missing_is_an_error_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "gone"))
    told = call("run", "--agent", "nothing", exits=2)
    assert "gone: it has no office.yaml" in plain(told.output)


@pytest.fixture
def pool() -> Iterator[DayPool]:
    with DayPool(1) as pool:
        yield pool


def test_a_pool_begins_days_of_an_office_that_was_opened_after_it(
    office: Path, pool: DayPool
) -> None:
    task = TaskSpec(rule="harbour.customer_reply")
    scenario = Scenario(name="one", office="harbour", days=(DaySpec(tasks=(task,)),))
    with pytest.raises(OfficeUnavailable, match="not open"):
        pool.reset_many([scenario])
    open_office(office)
    (day,) = pool.reset_many([scenario])
    pool.step_many([(day, [ToolCall("desk_tasks", {})])])
    (restored,) = pool.restore_many(pool.snapshot_many([day]))
    assert restored.now == day.now
    assert pool.grade_many([restored])[0].score == 0.0


def test_a_training_split_has_the_digest_of_its_office(office: Path, tmp_path: Path) -> None:
    config = benchmark(tmp_path, {"rule": "harbour.customer_reply"})
    with pytest.raises(OfficeUnavailable, match="not open"):
        SplitOptions(split=str(config)).open()
    reference = open_office(office).reference
    assert SplitOptions(split=str(config)).open().day(0).scenario.office == reference
