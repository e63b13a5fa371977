"""Tasks in an own office carry it along: the office and the verifier can read it, the agent
cannot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from tests.harness.runs import call
from trainee_bench.harness.integrations.harbor import container
from trainee_bench.harness.integrations.harbor.image import ImageFile
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.meta_tasks.offices.opened import VARIABLE, OfficeUnavailable, open_office
from trainee_bench.meta_tasks.scenario import Scenario

pytestmark = pytest.mark.timeout(300)
DAY = "mine.day_1"


@pytest.fixture(autouse=True)
def _closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))


@pytest.fixture
def office(tmp_path: Path) -> Path:
    folder = tmp_path / "harbour"
    call("office", "new", folder)
    (folder / ".notes").write_text("hidden files are no part of an office", encoding="utf-8")
    return folder


@pytest.fixture
def scenario() -> Scenario:
    rules = ("harbour.travel_expenses", "kb_fix.easy")
    days = [{"tasks": [{"rule": rule} for rule in rules]}]
    return Scenario.model_validate({"name": "mine", "office": "harbour", "days": days})


@pytest.fixture
def config(tmp_path: Path, scenario: Scenario) -> Path:
    file = tmp_path / "mine.json"
    listed = [scenario.model_dump(mode="json")]
    file.write_text(json.dumps({"name": "mine", "scenarios": listed}), encoding="utf-8")
    return file


def exported(config: Path, office: Path, *options: str) -> Path:
    """Export the day, close the office, and return the folder of the task."""
    folder = config.parent / "tasks"
    call("export", "harbor", config, folder, "--office", office, *options)
    os.environ[VARIABLE] = ""
    return folder / DAY


def carried(folder: Path, office: Path) -> None:
    """Check that *folder* has the contents of *office*, and nothing else."""
    there = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    mine = {str(p.relative_to(office)): p.read_bytes() for p in office.rglob("*") if p.is_file()}
    del mine[".notes"]
    assert there == mine


def test_without_its_office_a_day_is_not_exported(config: Path, tmp_path: Path) -> None:
    told = call("export", "harbor", config, tmp_path / "tasks", exits=2)
    assert "name its folder with --office" in " ".join(told.output.split())
    assert not (tmp_path / "tasks").exists()


def test_the_images_of_the_office_and_of_the_verifier_have_it_and_the_agents_has_not(
    config: Path, office: Path, tmp_path: Path
) -> None:
    task = exported(config, office)
    for number, image in enumerate(("environment/office", "tests")):
        root = tmp_path / f"root{number}"
        ImageFile.read(task / image).lay_out(root)
        carried(root / "office/own_office", office)
    assert "COPY" not in (task / "environment/Dockerfile").read_text(encoding="utf-8")
    assert (task / "environment/.dockerignore").read_text(encoding="utf-8").endswith("*\n")
    assert "answer.py" not in (task / "instruction.md").read_text(encoding="utf-8")
    told = (task.parent / "README.md").read_text(encoding="utf-8")
    assert open_office(office).reference in told


def test_both_scripts_open_the_office_that_lies_in_their_image(config: Path, office: Path) -> None:
    task = exported(config, office)
    for script in ("environment/office/serve.sh", "tests/test.sh"):
        _, after = (task / script).read_text(encoding="utf-8").split("set -eu\n")
        assert after.startswith(f"export {VARIABLE}=/office/own_office\n")


def test_a_task_without_an_own_office_names_none(tmp_path: Path) -> None:
    day = {"tasks": [{"rule": "kb_fix.easy"}]}
    file = tmp_path / "plain.json"
    written = {"name": "plain", "scenarios": [{"name": "mine", "days": [day]}]}
    file.write_text(json.dumps(written), encoding="utf-8")
    call("export", "harbor", file, tmp_path / "tasks")
    texts = [path.read_text("utf-8") for path in (tmp_path / "tasks").rglob("*") if path.is_file()]
    assert not [text for text in texts if "own_office" in text or VARIABLE in text]


def test_the_verifier_grades_with_the_carried_office_alone(
    config: Path, office: Path, scenario: Scenario, tmp_path: Path
) -> None:
    task = exported(config, office)
    world = tmp_path / "final.world"
    open_office(office)
    anyio.run(_staged, world, scenario)
    rewards = tmp_path / "rewards"
    rewards.mkdir()
    places = {**os.environ, VARIABLE: str(task / "tests/own_office")}
    subprocess.run(
        [sys.executable, "-m", "trainee_bench.harness.integrations.harbor.reward", world, rewards],
        env=places, check=True,
    )  # fmt: skip
    given = json.loads((rewards / "reward.json").read_text(encoding="utf-8"))
    assert given == {"reward": 0.0, "success": 0, "graded": 1.0, "T1": 0.0, "T2": 0.0}


async def _staged(path: Path, scenario: Scenario) -> None:
    await (await create_world(path, scenario)).close()


def test_in_one_container_the_agents_user_cannot_read_the_office(
    config: Path, office: Path
) -> None:
    task = exported(config, office, "--one-container")
    carried(task / "environment/own_office", office)
    lines = (task / "environment/Dockerfile").read_text(encoding="utf-8").splitlines()
    assert f"COPY own_office {container.OWN_OFFICE}" in lines
    (protect,) = [line for line in lines if line.startswith("RUN")]
    assert f"chown -R {container.OFFICE} {container.OWN_OFFICE}" in protect
    assert f"chmod -R u=rX,go= {container.OWN_OFFICE}" in protect
    assert not list((task / "tests").rglob("own_office"))


def test_one_container_grades_with_the_office_in_its_image_and_opens_no_other(
    office: Path, scenario: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(container, "kill_processes_of", lambda user: None)
    machine = container.Machine(tmp_path / "home", tmp_path / "logs", office)
    machine.home.mkdir()
    machine.logs.mkdir()
    open_office(office)
    anyio.run(_staged, machine.world, scenario)
    os.environ[VARIABLE] = str(tmp_path / "foreign")
    container.grade(machine)
    given = json.loads((machine.logs / "reward.json").read_text(encoding="utf-8"))
    assert given["graded"] == 1.0
    open_office(office)
    with pytest.raises(OfficeUnavailable):  # its own image has none, whatever the variable names
        container.grade(container.Machine(machine.home, machine.logs, tmp_path / "none"))
