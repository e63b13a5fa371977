"""Nodes of a cluster that cannot work, clusters that are not reached, and files that travel."""

from __future__ import annotations

import importlib
import logging
from functools import partial
from pathlib import Path

import anyio
import pytest

from tests.harness.batch.executors.test_executors import left_behind, meaning
from tests.harness.clusters import RAY_MARKS, cluster_of
from tests.harness.runs import LINKS, MEETING, config, day, invoke, named, read
from trainee_bench.harness.batch.executors import ray_executor
from trainee_bench.harness.batch.executors.executor import WorkerTask
from trainee_bench.harness.batch.executors.ray_executor import RayWorker
from trainee_bench.harness.batch.executors.shipped_files import (
    BegunElsewhere,
    record_begun,
    sent_files,
    store_files,
    unwrapped,
)
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import ResultFileError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.support.ray_cluster import ClusterError, check_reachable, connected

PICKY = "tests.harness.batch.executors.picky:Agent"


def on_ray(path: Path, out: Path, *agents: str, exits: int = 0) -> str:
    spread = ("--executor", "ray", "--workers", "2")
    return invoke("--config", path, "--out", out, *named(*agents), *spread, exits=exits).output


@pytest.mark.parametrize("_", [pytest.param(0, marks=RAY_MARKS)])
def test_a_node_that_cannot_work_is_left_out_with_one_warning(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    _: int,
) -> None:
    path = config(tmp_path, one=[day(LINKS), day(LINKS)], two=[day(MEETING)])
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    invoke("--config", path, "--out", tmp_path / "here", *named(PICKY, "oracle"))
    with cluster_of(2) as cluster:
        bad = cluster.add_node(num_cpus=2, env_vars={"NODE_WITHOUT_DATA": "1"})
        monkeypatch.setenv("RAY_ADDRESS", cluster.address)
        with caplog.at_level(logging.WARNING):
            assert "6/6" in on_ray(path, tmp_path / "out", PICKY, "oracle")
        (warning,) = (text for text in caplog.messages if "left out" in text)
        assert bad.node_id[:8] in warning
        assert "this node has no data for the agent" in warning
        assert meaning(read(tmp_path / "out")) == meaning(read(tmp_path / "here"))
        assert left_behind(tmp_path / "out") == []
        cluster.remove_node(cluster.nodes[0], allow_graceful=False)
        said = on_ray(path, tmp_path / "none", PICKY, exits=2)
        assert "No node of the Ray cluster can work" in said


@pytest.mark.parametrize("_", [pytest.param(0, marks=RAY_MARKS)])
def test_a_cluster_that_is_not_reached_ends_the_run_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, _: int
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")
    monkeypatch.setattr(ray_executor, "connected", partial(connected, seconds=4))
    said = on_ray(config(tmp_path, one=[day(LINKS)]), tmp_path / "out", "nothing", exits=2)
    assert "The Ray cluster at 127.0.0.1:9 was not reached within 4 seconds" in said


def test_an_address_of_ray_client_is_refused_at_once() -> None:
    with pytest.raises(ClusterError, match="which cannot stream results"):
        check_reachable("ray://head:10001")


async def worked_elsewhere(folder: RunFolder, episodes: tuple[EpisodeSpec, ...]) -> None:
    """Work *episodes* in a worker without the run's folder, as an actor does."""
    by_id = {spec.id: spec for spec in episodes}
    worker = RayWorker()
    task = WorkerTask(sequence=0, episodes=episodes).model_dump_json()
    async for message in worker.work(task, sent_files(folder, episodes[0])):
        if isinstance(message, BegunElsewhere):
            record_begun(folder, by_id[message.episode], message)
        else:
            result = unwrapped(message).unwrap()
            store_files(folder, by_id[result.episode], message.files)
            folder.add_result(result)
    await worker.end()


def test_a_worker_without_the_folder_leaves_the_same_run(tmp_path: Path) -> None:
    """Each day begins with the memory of the one before, which another worker has written."""
    path = config(tmp_path, one=[day(LINKS)] * 3)
    agent = "tests.harness.batch.executors.test_ray_nodes:Learner"
    options = RunOptions(config=path, agent=[agent], executor=None)
    invoke("--config", path, "--out", tmp_path / "here", "--agent", agent)
    plan = build_plan(options)
    (episodes,) = plan.day_sequences()
    folder = RunFolder.create(tmp_path / "out", plan)
    folder.prepare_results()
    for spec in episodes:
        anyio.run(worked_elsewhere, folder, (spec,))
    here = RunFolder(tmp_path / "here")
    assert meaning(read(tmp_path / "out")) == meaning(read(tmp_path / "here"))
    assert [event.event for event in folder.begun.read()] == [e.event for e in here.begun.read()]
    assert folder.memories.read(episodes[1].id) == here.memories.read(episodes[1].id) == "xx"
    for file in (tmp_path / "here" / "trajectories").iterdir():
        assert file.read_bytes() == (tmp_path / "out" / "trajectories" / file.name).read_bytes()
    assert [one for one in left_behind(tmp_path / "out") if "memories" not in one] == []


class Learner:
    """Remembers how many days it has worked."""

    memory = ""

    async def work(self, session: object) -> None:
        assert isinstance(self.memory, str)

    async def reflect(self, feedback: str) -> None:
        self.memory += "x"


def test_files_of_something_else_and_full_disks_are_refused(tmp_path: Path) -> None:
    plan = build_plan(RunOptions(config=config(tmp_path, one=[day(LINKS)]), agent=["nothing"]))
    folder = RunFolder.create(tmp_path / "out", plan)
    folder.prepare_results()
    (spec,) = plan.episode_specs()
    for name in ("results.jsonl", "../away", f"trajectories/{spec.id}.pictures/../../run.json"):
        with pytest.raises(ValueError, match="which is no file of"):
            store_files(folder, spec, ((name, b""),))
    folder.world(spec).mkdir()
    with pytest.raises(ResultFileError, match="--resume"):
        store_files(folder, spec, ((f"worlds/{spec.id}.world", b"x"),))


def test_ray_is_not_imported_before_a_cluster_is_asked_for() -> None:
    assert "ray" not in vars(importlib.import_module(ray_executor.__name__))
