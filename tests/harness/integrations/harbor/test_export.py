"""Exported tasks have everything that Harbor needs, a correct solution, and no secret on the
agent's machine. These tests do not need Harbor itself; see test_harbor.py."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import metadata
from pathlib import Path

import anyio
import pytest
from anyio.from_thread import start_blocking_portal

from tests.harness.runs import call
from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.integrations.harbor import play, reward
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.mcp_servers.office import build_office_server
from trainee_bench.mcp_servers.serving.http import HttpHost
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.benchmark import parse_benchmark
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.world.world import World

LINKS = TaskSpec(rule="kb_fix.easy")
SEED = 86_420
TWO_DAYS = Scenario(
    name="two days",
    seed=SEED,
    days=(
        DaySpec(name="day_1", tasks=(LINKS,)),
        DaySpec(name="day_2", tasks=(LINKS,)),
    ),
)
TOO_MUCH = Scenario(
    name="too_much",
    days=(
        DaySpec(
            tasks=(
                TaskSpec(rule="kb_fix.easy", worth=30),
                TaskSpec(rule="resume_select.pool6", worth=10),
            ),
            best=("kb_fix.easy",),
        ),
    ),
)
WEEK = Scenario(name="a_week", week=True, days=(DaySpec(tasks=(LINKS,)), DaySpec(tasks=())))
TERMINAL = Scenario(name="shell", days=(DaySpec(tasks=(LINKS,)),), tools=("desk", "terminal"))
SECOND = "two-days.day_2"


export = partial(call, "export", "harbor")


def written(folder: Path, *scenarios: Scenario) -> Path:
    """Return the path of a benchmark file with *scenarios*."""
    listed = [scenario.model_dump(mode="json") for scenario in scenarios]
    path = folder / "mine.json"
    path.write_text(json.dumps({"name": "mine", "scenarios": listed}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    assert "Do not publish" in export(written(folder, TWO_DAYS, TOO_MUCH), folder / "tasks").output
    return folder / "tasks"


def calls(task: Path) -> list[ToolCall]:
    lines = (task / "solution/calls.jsonl").read_text(encoding="utf-8").splitlines()
    return [ToolCall(call["tool"], call["args"]) for call in map(json.loads, lines)]


def test_each_day_is_a_task_with_the_files_that_harbor_reads(tasks: Path) -> None:
    assert {path.name for path in tasks.iterdir()} == {
        "README.md", "two-days.day_1", SECOND, "too_much.day_1",
    }  # fmt: skip
    there = {str(path.relative_to(tasks / SECOND)) for path in (tasks / SECOND).rglob("*.*")}
    assert {"task.toml", "instruction.md", "environment/docker-compose.yaml"} <= there
    for script in ("environment/office/serve.sh", "tests/test.sh", "solution/solve.sh"):
        assert (tasks / SECOND / script).stat().st_mode & 0o111


def test_the_settings_name_the_server_the_snapshot_and_a_separate_verifier(tasks: Path) -> None:
    settings = tomllib.loads((tasks / SECOND / "task.toml").read_text(encoding="utf-8"))
    assert settings["task"]["name"] == f"trainee-bench/{SECOND}"
    (server,) = settings["environment"]["mcp_servers"]
    assert server["url"] == "http://office:8000/mcp"
    assert settings["verifier"]["environment_mode"] == "separate"
    (artifact,) = settings["artifacts"]
    (hook,) = settings["verifier"]["collect"]
    assert artifact["source"] in hook["command"]
    assert settings["metadata"]["day"] == 2
    assert settings["metadata"]["rules"] == ["kb_fix.easy"]


def test_the_instruction_is_the_prompt_of_that_day(tasks: Path) -> None:
    told = (tasks / SECOND / "instruction.md").read_text(encoding="utf-8")
    day = Day(TWO_DAYS, 1)
    tasks_of_day = day.reset().prompt.partition("Your tasks:")[2]
    assert tasks_of_day in told
    assert "turns" not in told


def test_the_seed_lies_with_the_office_and_nowhere_else(tasks: Path) -> None:
    holding = [
        str(path.relative_to(tasks / SECOND))
        for path in (tasks / SECOND).rglob("*.*")
        if path.is_file() and str(SEED) in path.read_text(encoding="utf-8")
    ]
    assert holding == ["environment/office/benchmark.json"]
    agent = (tasks / SECOND / "environment/Dockerfile").read_text(encoding="utf-8")
    assert "COPY" not in agent and "ADD" not in agent
    ignored = (tasks / SECOND / "environment/.dockerignore").read_text(encoding="utf-8")
    assert ignored.splitlines()[-1] == "*"
    kept = (tasks / SECOND / "environment/office/benchmark.json").read_text(encoding="utf-8")
    assert parse_benchmark(kept).scenarios == (TWO_DAYS,)


def test_images_begin_with_a_digest_and_install_what_the_export_was_tried_with(
    tasks: Path,
) -> None:
    images = sorted(tasks.rglob("Dockerfile"))
    assert len(images) == 9
    for image in images:
        text = image.read_text(encoding="utf-8")
        assert re.search(r"^FROM \S+:[\d.]+\S*@sha256:[0-9a-f]{64}$", text, re.MULTILINE)
        assert ("pip install" in text) == (image.parent.name != "environment")
    pinned = (tasks / SECOND / "tests/constraints.txt").read_text(encoding="utf-8").splitlines()
    for name in ("pydantic", "mcp", "wordllama", "pydantic_core"):
        assert f"{name}=={metadata.version(name)}" in pinned
    assert not [line for line in pinned if line.startswith("trainee")]


@pytest.mark.parametrize(
    ("name", "scenario", "number"),
    [(SECOND, TWO_DAYS, 1), ("too_much.day_1", TOO_MUCH, 0)],
)
def test_the_solution_earns_full_score_even_where_not_everything_can_be_done(
    tasks: Path, name: str, scenario: Scenario, number: int
) -> None:
    day = Day(scenario, number)
    day.reset()
    assert day.grade().score == 0
    day.step(calls(tasks / name))
    assert day.grade().score == 1


@contextmanager
def served(path: Path) -> Iterator[str]:
    """Yield the URL at which another thread serves the world at *path*, like the office of a
    task."""

    async def serve(send: anyio.Event, *, task_status: anyio.abc.TaskStatus[str]) -> None:
        async with (
            await World.open(path) as world,
            HttpHost() as host,
            host.mount(await build_office_server(world), "/mcp", with_token=False) as endpoint,
        ):
            task_status.started(endpoint.url)
            await send.wait()

    with start_blocking_portal() as portal:
        over = portal.call(anyio.Event)
        running, url = portal.start_task(serve, over)
        try:
            yield url
        finally:
            portal.call(over.set)
            running.result()


def test_the_solutions_program_makes_the_same_calls_over_http_as_at_the_seat(
    tasks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, file = tmp_path / "day.world", tmp_path / "calls.jsonl"
    malformed = [{"tool": "desk_teleport", "args": {}}, {"tool": "mail_read", "args": {"id": None}}]
    lines = (tasks / SECOND / "solution/calls.jsonl").read_text(encoding="utf-8")
    first = "".join(f"{json.dumps(call)}\n" for call in malformed)
    file.write_text(first + lines, encoding="utf-8")

    anyio.run(stage, path)
    with served(path) as url:
        play.main(str(file), url)
    day = Day(TWO_DAYS, 1)
    day.reset()
    day.step([ToolCall(call["tool"], call["args"]) for call in malformed] + calls(tasks / SECOND))
    assert anyio.run(digest, path) == day.digest()
    said = capsys.readouterr().out.splitlines()
    assert [line.partition(" ")[0] for line in said if "(refused)" in line] == [
        "desk_teleport:",
        "mail_read:",
    ]
    assert len(said) == len(malformed) + len(calls(tasks / SECOND))

    told = reward.write_rewards(path, tmp_path / "logs")
    given = json.loads((tmp_path / "logs/reward.json").read_text(encoding="utf-8"))
    assert given == {"reward": 1.0, "success": 1, "graded": 1.0, "T1": 1.0}
    assert told.endswith("Score 1.00 over 1 task, 1 of them complete.")


async def stage(path: Path) -> None:
    await (await create_world(path, TWO_DAYS, 1)).close()


async def digest(path: Path) -> str:
    async with await World.open(path) as world:
        return await world.digest()


def test_doing_nothing_is_rewarded_with_nothing_and_says_what_was_missed(tmp_path: Path) -> None:
    anyio.run(stage, tmp_path / "day.world")
    told = reward.write_rewards(tmp_path / "day.world", tmp_path)
    given = json.loads((tmp_path / "reward.json").read_text(encoding="utf-8"))
    assert given == {"reward": 0.0, "success": 0, "graded": 1.0, "T1": 0.0}
    assert json.loads((tmp_path / "grade.json").read_text(encoding="utf-8"))["score"] == 0
    assert "T1" in told


def test_a_world_that_cannot_be_graded_is_rewarded_with_0_and_says_that_it_was_not_graded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "final.world").write_text("not a world", encoding="utf-8")
    reward.main(str(tmp_path / "final.world"), str(tmp_path / "logs"))
    assert "final.world" in capsys.readouterr().err
    given = json.loads((tmp_path / "logs/reward.json").read_text(encoding="utf-8"))
    assert given == {"reward": 0.0, "success": 0, "graded": 0.0}


def test_a_task_whose_check_broke_keeps_its_points_and_is_graded() -> None:
    def graded(id: str, score: float, error: str | None) -> TaskGrade:
        return TaskGrade(
            task=id, rule="kb_fix.easy", score=score, success=error is None, checkpoints=(),
            harm=(), error=error,
        )  # fmt: skip

    tasks = (graded("T1", 1.0, None), graded("T2", 0.25, "right: KeyError"))
    day = DayGrade(score=0.625, success=False, score_version=1, tasks=tasks)
    assert reward.rewards(day) == {
        "reward": 0.625, "success": 0, "graded": 1.0, "T1": 1.0, "T2": 0.25
    }  # fmt: skip


@pytest.mark.parametrize(
    ("scenarios", "said"),
    [
        ((TOO_MUCH, WEEK), "a_week is a week"),
        ((TERMINAL,), "shell offers the app terminal"),
        ((TOO_MUCH.model_copy(update={"name": "b c"}), TOO_MUCH.model_copy(update={"name": "b-c"})),
         "two days would be called b-c.day_1"),
    ],
    ids=["week", "terminal", "names"],
)  # fmt: skip
def test_a_day_that_cannot_be_a_task_is_refused_before_anything_is_written(
    scenarios: tuple[Scenario, ...], said: str, tmp_path: Path
) -> None:
    assert said in export(written(tmp_path, *scenarios), tmp_path / "tasks", exits=2).output
    assert {path.name for path in tmp_path.iterdir()} == {"mine.json"}


def test_an_existing_folder_and_a_foreign_wheel_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, TWO_DAYS)
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks/mine.txt").touch()
    (tmp_path / "other-1.0-py3-none-any.whl").touch()
    full = export(path, tmp_path / "tasks", exits=2)
    foreign = export(
        path, tmp_path / "new", "--wheel", tmp_path / "other-1.0-py3-none-any.whl", exits=2
    )
    assert "is not empty; name a new folder" in full.output
    assert "this is not trainee_bench-" in foreign.output
    assert not (tmp_path / "new").exists()


def test_a_wheel_goes_into_both_images_and_is_what_they_install(tmp_path: Path) -> None:
    wheel = tmp_path / f"trainee_bench-{metadata.version('trainee-bench')}-py3-none-any.whl"
    wheel.write_bytes(b"packed")
    export(written(tmp_path, TWO_DAYS), tmp_path / "tasks", "--wheel", wheel)
    for folder in ("environment/office", "tests"):
        context = tmp_path / "tasks" / SECOND / folder
        assert (context / wheel.name).read_bytes() == b"packed"
        text = (context / "Dockerfile").read_text(encoding="utf-8")
        assert f"constraints.txt ./{wheel.name}" in text
        assert f"COPY constraints.txt {wheel.name} ./" in text
