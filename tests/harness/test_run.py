"""Running a batch: one command, every episode's line, and an exit code that tells the truth."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client

from tests.harness.own_agents import COUNTING, POLITE, STUBBORN
from tests.harness.runs import LINKS, MEETING, config, day, invoke, read, run_day
from trainee_bench.harness.episodes.transports import InMemoryServers
from trainee_bench.harness.records.results import UNSUPPORTED
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.meta_task import MetaTask, TaskInstance
from trainee_bench.meta_tasks.task_context import TaskContext

HERE = "tests.harness.test_run"


class Clumsy:
    """An agent whose own code breaks after its first call."""

    async def work(self, session: AgentSession) -> None:
        await session.call("desk_tasks")
        raise ZeroDivisionError("one step too far")


def test_a_line_says_what_the_file_promises_and_names_what_lies_beside_it(tmp_path: Path) -> None:
    agents = ("--agent", "oracle", "--agent", "nothing")
    out = run_day(tmp_path, *agents, rules=(MEETING, LINKS))
    lines = (out / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2
    for line in map(json.loads, lines):
        assert {
            "scenario", "day", "agent", "attempt", "score", "error", "success", "steps",
            "tool_calls", "tasks", "digest", "identity",
        } <= set(line)  # fmt: skip
        assert {task["rule"] for task in line["tasks"]} == {MEETING, LINKS}
        for task in line["tasks"]:
            assert 0 <= task["score"] <= 1
            assert {"name", "passed", "seen"} <= set(task["checkpoints"][0])
        assert (out / line["world"]).is_file()
        trajectory = json.loads((out / line["trajectory"]).read_text(encoding="utf-8"))
        assert len(trajectory["steps"]) == line["steps"] + 1
    assert sorted(file.suffix for file in (out / "worlds").iterdir()) == [".world", ".world"]


def test_anybodys_own_agent_runs_by_module_and_class(tmp_path: Path) -> None:
    out = run_day(tmp_path, "--agent", POLITE)
    (result,) = read(out)
    assert (result.score, result.steps, result.ended) == (0, 1, "agent")
    assert result.identity is not None
    assert result.identity.isolation == "none"


def test_an_agent_that_breaks_is_graded_as_the_world_stands(tmp_path: Path) -> None:
    out = tmp_path / "out"
    path = config(tmp_path, one=[day(LINKS)])
    done = invoke("--config", path, "--agent", f"{HERE}:Clumsy", "--out", out)
    (result,) = read(out)
    assert (result.score, result.error, result.ended) == (0, None, "agent_error")
    assert result.agent_error == "ZeroDivisionError: one step too far"
    assert "one step too far" in done.output


def test_an_agent_that_never_stops_is_stopped_and_graded(tmp_path: Path) -> None:
    out = run_day(tmp_path, "--agent", STUBBORN)
    (result,) = read(out)
    assert (result.ended, result.steps, result.score) == ("step_limit", 150, 0)


def test_an_episode_that_breaks_is_tried_again_recorded_and_leaves_the_others_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = []
    really = InMemoryServers.connect

    @asynccontextmanager
    async def fragile(self: InMemoryServers, world: Path, person: str) -> AsyncIterator[Client]:
        begun.append(world.name)
        if world.name.startswith("two"):
            raise ConnectionError("the line is dead")
        async with really(self, world, person) as client:
            yield client

    monkeypatch.setattr(InMemoryServers, "connect", fragile)
    out = tmp_path / "out"
    path = config(tmp_path, one=[day(LINKS)], two=[day(LINKS)], three=[day(MEETING)])
    done = invoke("--config", path, "--agent", "oracle", "--out", out, exits=1)
    results = {result.scenario: result for result in read(out)}
    assert {name: result.score for name, result in results.items()} == {
        "one": 1, "two": None, "three": 1,
    }  # fmt: skip
    assert begun.count("two.day_1.oracle.1.world") == results["two"].tries == 2
    assert results["two"].error == "ConnectionError: the line is dead"
    assert "the line is dead" in done.output
    assert "Traceback" in (out / "faults" / "two.day_1.oracle.1.txt").read_text(encoding="utf-8")
    assert not (out / "worlds" / "two.day_1.oracle.1.world").exists()


def test_a_day_that_does_not_go_together_is_named_and_the_other_scenarios_run(
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    slow = "website_analysis.slow_page"
    path = config(tmp_path, one=[day(LINKS)], two=[day(LINKS), day(slow, slow)])
    done = invoke("--config", path, "--agent", "nothing", "--out", out, exits=1)
    assert "two, day_2: " in done.output
    assert [result.scenario for result in read(out)] == ["one"]
    alone = ("--config", path, "--agent", "nothing", "--out", tmp_path / "alone")
    invoke(*alone, "--scenario", "one")


def test_a_family_that_breaks_while_its_scene_is_made_breaks_its_own_days_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def generate(self: MetaTask[object], context: TaskContext) -> TaskInstance[object]:
        raise LookupError("a bug of the family")

    monkeypatch.setattr(all_rules()[LINKS].meta_task.family_class, "generate", generate)
    out = tmp_path / "out"
    path = config(tmp_path, one=[day(LINKS)], two=[day(MEETING)])
    invoke("--config", path, "--agent", "oracle", "--out", out, exits=1)
    results = {result.scenario: result for result in read(out)}
    assert results["one"].error == "LookupError: a bug of the family"
    assert [task.error for task in results["one"].tasks] == ["the episode broke"]
    assert results["two"].score == 1


def test_published_tasks_not_built_are_listed_and_counted_while_the_others_score(
    tmp_path: Path,
) -> None:
    document = {
        "scenarios": [
            {
                "name": "old",
                "days": [
                    {
                        "name": "day_1",
                        "tasks": [
                            {"name": "KB Link Fix",
                             "arguments": {"task_params": {"difficulty": "easy"}},
                             "deadline": "2025-10-01T20:00:00"},
                            {"name": "Moon Landing", "arguments": None, "deadline": None},
                        ],
                    },
                    {"name": "day_2", "tasks": [{"name": "Moon Landing"}]},
                ],
            }
        ]
    }  # fmt: skip
    path = tmp_path / "old.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    out = tmp_path / "out"
    done = invoke("--config", path, "--agent", "oracle", "--out", out, exits=1)
    assert "Moon Landing: 2" in done.output
    first, second = read(out)
    assert (first.score, first.success, first.coverage) == (1, False, 0.5)
    assert [task.error for task in first.tasks] == [None, UNSUPPORTED]
    assert (second.score, second.coverage) == (None, 0)
    assert "no family of this day's tasks is built" in (second.error or "")
    (row,) = [line.split() for line in done.output.splitlines() if line.startswith(" oracle ")][:1]
    assert row[:4] == ["oracle", "–", "1.00", "0.25"], (
        "no day was graded in full; the score, and that with what is missing as 0"
    )


def test_two_days_are_two_episodes_worked_by_one_agent(tmp_path: Path) -> None:
    out = tmp_path / "out"
    path = config(tmp_path, one=[day(LINKS), day(LINKS, MEETING)])
    invoke("--config", path, "--agent", COUNTING, "--out", out)
    first, second = read(out)
    assert (first.day, second.day) == ("day_1", "day_2")
    assert (first.steps, second.steps) == (1, 2)
    assert first.digest != second.digest


def test_epochs_repeat_each_day_from_the_same_seed(tmp_path: Path) -> None:
    out = run_day(tmp_path, "--agent", "nothing", "--epochs", 3)
    results = read(out)
    assert sorted(result.attempt for result in results) == [1, 2, 3]
    assert len({result.digest for result in results}) == 1
    assert "task pass^k" in (out / "report.md").read_text(encoding="utf-8")


class KeepsCount:
    """Its class remembers how often it has worked, whoever is made of it."""

    worked = 0

    async def work(self, session: AgentSession) -> None:
        KeepsCount.worked += 1
        for _ in range(KeepsCount.worked):
            await session.call("desk_now")


def test_a_users_agent_may_not_attempt_a_day_twice_in_one_process(
    tmp_path: Path,
) -> None:
    path, out = config(tmp_path, one=[day(LINKS)]), tmp_path / "out"
    asked = ("--config", path, "--agent", f"{HERE}:KeepsCount", "--epochs", 2, "--out", out)
    assert "may remember it" in invoke(*asked, "--executor", "async", exits=2).output
    assert not out.exists()


@pytest.mark.sweep  # each attempt starts a process
def test_each_attempt_of_a_users_agent_begins_in_a_process_of_its_own(tmp_path: Path) -> None:
    path, out = config(tmp_path, one=[day(LINKS)]), tmp_path / "out"
    asked = ("--config", path, "--agent", f"{HERE}:KeepsCount", "--epochs", 2, "--out", out)
    invoke(*asked, "--workers", 1, "--max-concurrency", 1)
    assert sorted((one.attempt, one.steps) for one in read(out)) == [(1, 1), (2, 1)]


def test_the_listing_order_of_the_tasks_does_not_matter(tmp_path: Path) -> None:
    digests = set()
    for number, listed in enumerate(([MEETING, LINKS], [LINKS, MEETING])):
        out = tmp_path / f"out{number}"
        path = config(tmp_path, one=[day(*listed)])
        invoke("--config", path, "--agent", "oracle", "--out", out)
        digests |= {result.digest for result in read(out)}
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--config", "missing.json"], "no such file"),
        (["--agent", "orakel"], "There is no agent 'orakel'"),
        (["--agent", ":"], "your own is named as module:Class"),
        (["--scenario", "first_dya"], "first_day"),
        (["--resume", "nowhere"], "There is no run in nowhere"),
        (["--resume", "nowhere", "--seed", "3"], "--max-concurrency"),
        (["--transport", "pigeon"], "pigeon"),
        (["--limit", "0"], "limit"),
    ],
)
def test_wrong_use_is_exit_2_with_what_would_be_right(arguments: list[str], says: str) -> None:
    assert says in invoke(*arguments, exits=2).output


def test_a_config_nested_beyond_reason_is_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text("[" * 100_000)
    assert "cannot be read as JSON" in invoke("--config", tmp_path / "deep.json", exits=2).output


def test_a_folder_that_cannot_be_made_is_wrong_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").write_text("a file where the folder of all runs should be")
    for out in ((), ("--out", tmp_path / "runs" / "mine")):
        done = invoke("--agent", "nothing", "--limit", "1", *out, exits=2)
        assert "give --out another folder" in done.output


def test_a_folder_that_holds_a_run_is_refused_naming_resume(tmp_path: Path) -> None:
    out = tmp_path / "out"
    path = config(tmp_path, one=[day(LINKS)])
    invoke("--config", path, "--agent", "nothing", "--out", out)
    before = (out / "results.jsonl").read_bytes()
    again = invoke("--config", path, "--agent", "nothing", "--out", out, exits=2)
    assert "--resume" in again.output
    assert (out / "results.jsonl").read_bytes() == before
