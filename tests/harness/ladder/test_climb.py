"""Climbs, from the command line: rounds, limits, resuming, and what a changed climb shows."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.harness.runs import LINKS, MEETING, call, config, day, read
from trainee_bench.harness.agents.builtin.oracle import Oracle
from trainee_bench.harness.episodes.transports import InMemoryServers
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import ResultFile
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.session.agent_session import AgentSession

UP_TO_ONE = "tests.harness.ladder.test_climb:UpToOne"


class UpToOne(Oracle):
    """Completes worlds of one task, and none of more."""

    async def work(self, session: AgentSession) -> None:
        """Work one day."""
        if len(self.composition.tasks) == 1:
            await super().work(session)


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark with four worlds of one task and four of two."""
    small = {f"small_{number}": [day(LINKS)] for number in range(4)}
    large = {f"large_{number}": [day(LINKS, MEETING)] for number in range(4)}
    return config(tmp_path_factory.mktemp("worlds"), **small, **large)


@pytest.fixture(scope="module")
def climbed(benchmark: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a climb of two rounds of two worlds, and what it printed."""
    out = tmp_path_factory.mktemp("climbed") / "climb"
    words = ("--config", benchmark, "--agent", UP_TO_ONE, "--batch", 2, "--episodes", 4)
    return out, ladder(*words, "--out", out)


@pytest.fixture
def climb(climbed: tuple[Path, str], tmp_path: Path) -> Path:
    """A copy of that folder."""
    return Path(shutil.copytree(climbed[0], tmp_path / "climb"))


def ladder(*words: object, exits: int | None = 0) -> str:
    return call("ladder", *words, exits=exits).output


def plan_of(folder: Path) -> RunPlan:
    return RunFolder.open(folder).plan()


def sizes_of(folder: Path) -> list[int]:
    return [len(spec.tasks) for spec in plan_of(folder).episode_specs()]


def test_a_climb_shows_each_world_and_reports_the_capacity(climbed: tuple[Path, str]) -> None:
    out, printed = climbed
    assert "Round 1: working on 2 worlds, tasks: 1, 2" in printed
    assert "1 task: complete" in printed and "2 tasks: 0 of 2 right · capacity" in printed
    record = json.loads((out / "ladder.json").read_text(encoding="utf-8"))
    assert record["stop"] == "episodes" and len(record["worlds"]) == 4
    assert record["low"] < record["capacity"] < 2
    assert record["told"] in printed
    assert "<svg" in (out / "ladder.html").read_text(encoding="utf-8")
    assert "![" in (out / "ladder.md").read_text(encoding="utf-8")


def test_an_agent_that_completes_everything_gets_a_lower_bound(
    benchmark: Path, tmp_path: Path
) -> None:
    out = tmp_path / "climb"
    printed = ladder("--config", benchmark, "--agent", "oracle", "--out", out)
    assert "at least" in printed and "The benchmark has no worlds left." in printed
    assert sorted(sizes_of(out)) == [1, 1, 1, 1, 2, 2, 2, 2]


def test_the_same_climb_gives_the_same_worlds_whether_or_not_it_was_interrupted(
    benchmark: Path, tmp_path: Path
) -> None:
    words = ("--config", benchmark, "--agent", UP_TO_ONE, "--batch", 2)
    ladder(*words, "--episodes", 6, "--out", tmp_path / "whole")
    ladder(*words, "--episodes", 2, "--out", tmp_path / "parts")
    ladder("--resume", tmp_path / "parts", "--episodes", 6)
    whole, parts = plan_of(tmp_path / "whole"), plan_of(tmp_path / "parts")
    assert whole.scenarios == parts.scenarios and whole.climb == parts.climb
    scores = [{r.episode: r.score for r in read(tmp_path / name)} for name in ("whole", "parts")]
    assert scores[0] == scores[1]


def test_a_round_that_was_cut_short_is_worked_again_before_the_next(climb: Path) -> None:
    ResultFile(climb / "results.jsonl").rewrite(read(climb)[:3])
    printed = ladder("--resume", climb)
    assert len(read(climb)) == 4
    assert "Begun more than once: 1" in printed
    verified = call("verify", climb).output
    assert "1 repeated" in verified


def test_a_whole_climb_is_verified_and_a_world_of_another_size_is_named(climb: Path) -> None:
    call("verify", climb)
    plan = plan_of(climb)
    changed = plan.model_copy(update={"scenarios": plan.scenarios[::-1], "seal": ""})
    (climb / "run.json").write_text(changed.sealed().model_dump_json(), encoding="utf-8")
    assert "follow" in call("verify", climb, exits=1).output
    assert "follow" in ladder("--resume", climb, exits=2)


def test_a_left_out_round_is_named_because_its_episodes_were_begun(climb: Path) -> None:
    plan = plan_of(climb)
    assert plan.climb is not None
    shorter = plan.model_copy(
        update={
            "scenarios": plan.scenarios[:2],
            "climb": plan.climb.model_copy(update={"rounds": (2,)}),
            "seal": "",
        }
    )
    (climb / "run.json").write_text(shorter.sealed().model_dump_json(), encoding="utf-8")
    ResultFile(climb / "results.jsonl").rewrite(read(climb)[:2])
    assert "is not an episode of the plan" in call("verify", climb, exits=1).output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Choose the agent"),
        (("--agent", "oracle", "--agent", "nothing"), "one agent, not 2"),
        (("--agent", "oracle", "--max-tokens", 10), "not visible"),
        (("--agent", "oracle", "--salt", "xyz"), "--salt"),
        (("--agent", "oracle", "--beside", "nowhere"), "no run in nowhere"),
    ],
)
def test_what_cannot_be_climbed_is_refused_before_anything_is_worked(
    benchmark: Path, tmp_path: Path, words: tuple[object, ...], said: str
) -> None:
    printed = ladder("--config", benchmark, *words, "--out", tmp_path / "climb", exits=2)
    assert said in printed
    assert not (tmp_path / "climb").exists()


def test_a_round_of_more_worlds_than_the_recorded_batch_is_named(climb: Path) -> None:
    plan = plan_of(climb)
    assert plan.climb is not None
    other = plan.climb.model_copy(update={"batch": 1})
    changed = plan.model_copy(update={"climb": other, "seal": ""})
    (climb / "run.json").write_text(changed.sealed().model_dump_json(), encoding="utf-8")
    assert "round 1 has 2 worlds" in call("verify", climb, exits=1).output


def test_a_world_that_belongs_to_no_round_is_named(climb: Path) -> None:
    plan = plan_of(climb)
    assert plan.climb is not None
    other = plan.climb.model_copy(update={"rounds": (2, 1)})
    changed = plan.model_copy(update={"climb": other, "seal": ""})
    (climb / "run.json").write_text(changed.sealed().model_dump_json(), encoding="utf-8")
    verified = call("verify", climb, exits=1)
    assert "its rounds have 3 worlds, but its plan has 4" in verified.output
    assert isinstance(verified.exception, SystemExit)


def test_the_report_of_a_climb_as_a_run_says_that_its_means_compare_no_agents(climb: Path) -> None:
    call("verify", climb)
    assert "It is a climb" in (climb / "report.md").read_text(encoding="utf-8")


def test_verify_leaves_no_figure_in_the_report_that_does_not_follow_from_the_results(
    climb: Path,
) -> None:
    names = ("ladder.json", "ladder.md", "ladder.html", "ladder.svg")
    written = {name: (climb / name).read_text(encoding="utf-8") for name in names}
    for name in names:
        (climb / name).write_text("Capacity: 128", encoding="utf-8")
    call("verify", climb)
    assert {name: (climb / name).read_text(encoding="utf-8") for name in names} == written


def test_a_report_that_cannot_be_written_leaves_the_one_before(
    climb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = (climb / "ladder.json").read_text(encoding="utf-8")
    really = Path.write_text

    def half(self: Path, data: str, *args: Any, **kwargs: Any) -> int:
        if not self.name.startswith("ladder.json"):
            return really(self, data, *args, **kwargs)
        really(self, data[: len(data) // 2], *args, **kwargs)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", half)
    assert "cannot be written" in ladder("--resume", climb, exits=2)
    assert (climb / "ladder.json").read_text(encoding="utf-8") == written
    assert not list(climb.glob("*.draft"))


def test_a_round_that_cannot_be_recorded_leaves_the_plan_before(
    climb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (climb / "run.json").read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        assert "No space left" in ladder("--resume", climb, "--episodes", 6, exits=2)
    assert (climb / "run.json").read_bytes() == before
    assert [file.name for file in climb.glob("run.json*")] == ["run.json"]
    ladder("--resume", climb, "--episodes", 6)
    assert len(read(climb)) == 6


def test_an_interrupt_names_the_folder_that_resumes_the_climb(
    benchmark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*given: object) -> None:
        raise KeyboardInterrupt

    words = ("--config", benchmark, "--agent", "nothing", "--out", tmp_path / "climb")
    with monkeypatch.context() as patched:
        patched.setattr("trainee_bench.harness.ladder.climb.execute", interrupt)
        printed = ladder(*words, "--episodes", 1, exits=130)
    assert f"ladder --resume {tmp_path / 'climb'}" in printed
    with monkeypatch.context() as patched:
        patched.setattr("trainee_bench.harness.ladder.climb.create_run", interrupt)
        printed = ladder(*words[:-1], tmp_path / "other", exits=130)
    assert "nothing was written" in printed


def test_a_run_is_not_resumed_as_a_climb(benchmark: Path, tmp_path: Path) -> None:
    call(
        "run", "--config", benchmark, "--agent", "nothing", "--limit", 1, "--out", tmp_path / "run"
    )
    assert "is no climb" in ladder("--resume", tmp_path / "run", exits=2)


def test_climbs_are_shown_beside_each_other_and_are_not_merged(
    benchmark: Path, tmp_path: Path
) -> None:
    words = ("--config", benchmark, "--batch", 2, "--episodes", 2)
    ladder(*words, "--agent", "nothing", "--out", tmp_path / "other")
    printed = ladder(
        *words, "--agent", UP_TO_ONE, "--out", tmp_path / "own", "--beside", tmp_path / "other"
    )
    assert "nothing" in printed
    again = ladder("--resume", tmp_path / "own", "--beside", tmp_path / "own")
    assert f"{UP_TO_ONE} in own" in again
    refused = call("merge", tmp_path / "own", tmp_path / "other", "--out", tmp_path / "m", exits=2)
    assert "--beside" in refused.output


def test_a_broken_episode_stops_the_climb_and_is_worked_again_when_it_is_resumed(
    benchmark: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = InMemoryServers.connect

    @asynccontextmanager
    async def fragile(self: InMemoryServers, world: Path, person: str) -> AsyncIterator[Client]:
        if world.name.startswith("large"):
            raise ConnectionError("the line is dead")
        async with really(self, world, person) as client:
            yield client

    out = tmp_path / "climb"
    words = ("--config", benchmark, "--agent", UP_TO_ONE, "--batch", 2, "--episodes", 2)
    with monkeypatch.context() as patched:
        patched.setattr(InMemoryServers, "connect", fragile)
        printed = ladder(*words, "--out", out, exits=1)
    assert "broken (ConnectionError: the line is dead)" in printed
    record = json.loads((out / "ladder.json").read_text(encoding="utf-8"))
    assert record["stop"] == "broken"
    assert [world["complete"] for world in record["worlds"]] == [True, None]
    ladder("--resume", out)
    assert sorted(result.success for result in read(out)) == [False, True]
    assert "1 repeated" in call("verify", out).output
