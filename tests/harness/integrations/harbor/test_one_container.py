"""Tasks of one container: all days have the same environment, and each gives its day at the start.

These tests read the exported files, and need neither root nor the image.
"""

from __future__ import annotations

import json
import os
import pwd
import subprocess
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.harness.runs import call
from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.integrations.harbor import container
from trainee_bench.harness.integrations.harbor.given_day import DayRefused, GivenDay
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec

LINKS = TaskSpec(rule="kb_fix.easy")
SEED = 86_420
TWO_DAYS = Scenario(
    name="two's days",
    seed=SEED,
    days=(DaySpec(name="day_1", tasks=(LINKS,)), DaySpec(name="day_2", tasks=(LINKS,))),
)
DAYS = ("two-s-days.day_1", "two-s-days.day_2")

export = partial(call, "export", "harbor", "--one-container")


def written(folder: Path) -> Path:
    path = folder / "mine.json"
    listed = [TWO_DAYS.model_dump(mode="json")]
    path.write_text(json.dumps({"name": "mine", "scenarios": listed}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    told = export(written(folder), folder / "tasks", "--image", "registry.example/office:7").output
    assert "seed (task.toml)" in told
    return folder / "tasks"


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def settings(task: Path) -> dict[str, Any]:
    return tomllib.loads((task / "task.toml").read_text(encoding="utf-8"))


def word(task: Path) -> str:
    echo, given, *rest = settings(task)["environment"]["healthcheck"]["command"].split()
    assert (echo, rest) == ("echo", ["|", container.PROGRAM, "start"])
    return str(given)


def test_all_days_have_the_same_environment_and_verifier_so_a_provider_builds_one(
    tasks: Path,
) -> None:
    first, second = (files(tasks / day) for day in DAYS)
    shared = [path for path in first if path.startswith(("environment/", "tests/"))]
    assert sorted(shared) == ["environment/Dockerfile", "tests/test.sh"]
    assert [first[path] for path in shared] == [second[path] for path in shared]
    lines = first["environment/Dockerfile"].decode().splitlines()
    assert [line for line in lines if not line.startswith("#")] == [
        "FROM registry.example/office:7",
        "USER root",
        "WORKDIR /workspace",
    ]
    assert sorted(path for path in first if path not in shared) == [
        "instruction.md", "solution/calls.jsonl", "solution/play.py", "solution/solve.sh",
        "task.toml",
    ]  # fmt: skip


def test_root_starts_and_grades_and_the_agent_is_another_user(tasks: Path) -> None:
    read = settings(tasks / DAYS[1])
    assert read["agent"]["user"] == container.AGENT
    assert read["verifier"]["user"] == "root"
    assert read["verifier"]["environment_mode"] == "shared"
    assert "artifacts" not in read and "collect" not in read["verifier"]
    (server,) = read["environment"]["mcp_servers"]
    assert server["url"] == container.URL and "//127.0.0.1:" in container.URL
    assert container.URL in (tasks / DAYS[1] / "solution/solve.sh").read_text(encoding="utf-8")
    verifier = (tasks / DAYS[1] / "tests/test.sh").read_text(encoding="utf-8")
    assert f"exec {container.PROGRAM} grade" in verifier


def test_only_the_settings_give_the_day_and_they_give_it_to_the_first_command_alone(
    tasks: Path,
) -> None:
    for number, day in enumerate(DAYS):
        given = word(tasks / day)
        assert GivenDay.decode(given) == GivenDay.of(TWO_DAYS, number)
        holding = [
            path
            for path, content in files(tasks / day).items()
            if given.encode() in content or str(SEED).encode() in content
        ]
        assert holding == ["task.toml"]
        read = settings(tasks / day)
        del read["environment"]["healthcheck"]
        assert given not in json.dumps(read) and str(SEED) not in json.dumps(read)
        assert "env" not in read["environment"]


def test_the_instruction_has_the_prompt_of_the_day_and_the_solution_solves_it(tasks: Path) -> None:
    day = Day(TWO_DAYS, 1)
    prompt = day.reset().prompt.partition("Your tasks:")[2]
    assert prompt in (tasks / DAYS[1] / "instruction.md").read_text(encoding="utf-8")
    lines = (tasks / DAYS[1] / "solution/calls.jsonl").read_text(encoding="utf-8").splitlines()
    day.step([ToolCall(made["tool"], made["args"]) for made in map(json.loads, lines)])
    assert day.grade().score == 1


def test_the_default_image_is_the_one_that_deploy_builds(tmp_path: Path) -> None:
    export(written(tmp_path), tmp_path / "tasks")
    made = (tmp_path / "tasks" / DAYS[0] / "environment/Dockerfile").read_text(encoding="utf-8")
    build = (Path(__file__).parents[4] / "deploy/image/build").read_text(encoding="utf-8")
    name = made.partition("FROM ")[2].split()[0]
    assert f"name={name.removesuffix(':latest')}\n" in build


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--one-container", "--image", "a b"), "this is not the name of an image"),
        (("--one-container", "--image", "a\nRUN"), "this is not the name of an image"),
        (("--image", "office:7"), "--one-container; add it"),
        (("--one-container", "--wheel", "mine.json"), "build the image with it"),
    ],
    ids=["space", "line", "alone", "wheel"],
)
def test_options_that_do_not_fit_are_refused_before_anything_is_written(
    options: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path)
    done = call("export", "harbor", path, tmp_path / "tasks", *options, exits=2)
    assert said in " ".join(done.output.split())
    assert {left.name for left in tmp_path.iterdir()} == {"mine.json"}


def test_a_container_refuses_the_day_of_another_version_and_a_damaged_one() -> None:
    given = GivenDay.of(TWO_DAYS, 0)
    other = given.model_copy(update={"version": "0.0.1"})
    with pytest.raises(DayRefused, match=r"exported by 0\.0\.1\. Build the image of that version"):
        GivenDay.decode(other.encode())
    for damaged in ("", "!", given.encode()[:-8], given.model_copy(update={"number": 2}).encode()):
        with pytest.raises(DayRefused, match="damaged; export the task again"):
            GivenDay.decode(damaged)


def test_a_refused_day_ends_the_start_with_2_before_it_changes_anything(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin.read", lambda: "damaged", raising=False)
    with pytest.raises(SystemExit) as ended:
        container.main("start")
    assert ended.value.code == 2
    assert "export the task again" in capsys.readouterr().err


@pytest.fixture
def no_killing(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Take the place of the killing, which would reach processes of this machine."""
    killed: list[str] = []
    monkeypatch.setattr(container, "kill_processes_of", killed.append)
    return killed


def test_grading_first_ends_the_agent_then_removes_what_it_left_and_follows_no_link(
    tmp_path: Path, no_killing: list[str]
) -> None:
    machine = container.Machine(tmp_path / "home", tmp_path / "logs")
    machine.home.mkdir()
    machine.logs.mkdir()

    async def stage() -> None:
        await (await create_world(machine.world, TWO_DAYS, 0)).close()

    anyio.run(stage)
    mine = tmp_path / "mine.txt"
    mine.write_text("kept", encoding="utf-8")
    for name in ("reward.json", "grade.json", "final.world"):
        (machine.logs / name).symlink_to(mine)
    (machine.logs / "reward.txt").mkdir()
    (machine.logs / "test-stdout.txt").touch()
    container.grade(machine)
    assert no_killing == [container.AGENT]
    assert mine.read_text(encoding="utf-8") == "kept"
    given = json.loads((machine.logs / "reward.json").read_text(encoding="utf-8"))
    assert given == {"reward": 0.0, "success": 0, "graded": 1.0, "T1": 0.0}
    assert {path.name for path in machine.logs.iterdir()} == {
        "reward.json", "grade.json", "final.world", "test-stdout.txt",
    }  # fmt: skip


def test_without_a_world_nothing_is_graded_and_the_reward_is_0(
    tmp_path: Path, no_killing: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "logs").mkdir()
    container.grade(container.Machine(tmp_path / "home", tmp_path / "logs"))
    given = json.loads((tmp_path / "logs/reward.json").read_text(encoding="utf-8"))
    assert given == {"reward": 0.0, "success": 0, "graded": 0.0}
    assert "day.world" in capsys.readouterr().err


def test_processes_of_root_are_never_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    def as_root(name: str) -> pwd.struct_passwd:
        return pwd.struct_passwd((name, "x", 0, 0, "", "/", "/bin/sh"))

    monkeypatch.setattr(pwd, "getpwnam", as_root)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: os._exit(1))
    with pytest.raises(ValueError, match="has to be a user of its own"):
        container.kill_processes_of("agent")
