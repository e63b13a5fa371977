"""Runs in which thinking takes time: a wordy model loses, and readers of the run go on working."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.harness.own_agents import POLITE
from tests.harness.runs import LINKS, call, config, day, invoke, read, week_file
from tests.harness.test_verify import edit_line
from tests.scripted_endpoint import Answer, Json, calls, says, scripted_server
from trainee_bench.harness.batch.benchmarks import load_benchmark
from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason
from trainee_bench.harness.session.turns import Thought, ToolCall
from trainee_bench.harness.studio.call_lines import call_line
from trainee_bench.harness.testbench.staged_day import oracle_log
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.thinking import THINK
from trainee_bench.world.world import World

PACE = 300
TERSE, WORDY = 50, 30_000
"""Output tokens of a reply."""
IDS = {name: f"one.day_1.{name}.1" for name in ("terse", "wordy", "oracle")}
Player = Callable[[Json], Answer]


def scenario(path: Path) -> Scenario:
    return load_benchmark(path, None).scenarios[0]


@cache
def honest_calls(text: str) -> tuple[LogEntry, ...]:
    """The calls that do the day of the scenario in *text* right."""
    return tuple(anyio.run(oracle_log, compose_day(Scenario.model_validate_json(text))))


def player(log: Sequence[LogEntry], tokens: int) -> Player:
    """A model that makes the calls of *log*, one a reply, and writes so many tokens each time."""

    def reply(asked: Json) -> Answer:
        done = sum(message["role"] == "assistant" for message in asked["messages"])
        name = log[done].tool if done < len(log) else "desk_finish_day"
        arguments = log[done].arguments if done < len(log) else {}
        return says("", calls(name, arguments, id=f"call-{done}"), usage=(100, tokens))

    return reply


def run_models(folder: Path, path: Path, models: dict[str, Player], *options: object) -> Path:
    """The folder of a run of these models on the benchmark in *path*."""
    return worked_by(models, folder, "run", "--config", path, *options, "--out", folder / "out")


def worked_by(models: dict[str, Player], folder: Path, *words: object) -> Path:
    """Let a command work with *models*, which it names; return the folder of its results."""
    (name, reply), *others = models.items()
    with scripted_server(then=reply) as server:
        if others:
            return worked_by(dict(others), folder, *words, *described(folder, name, server))
        words = (*words, *described(folder, name, server), "--api-config", folder / "api.json")
        call(*words)
    return folder / "out"


def described(folder: Path, name: str, server: Any) -> tuple[str, ...]:
    """The option that names a model, which is added to the file of models."""
    api = folder / "api.json"
    known = json.loads(api.read_text(encoding="utf-8")) if api.exists() else {}
    api.write_text(json.dumps({**known, **server.described(name)}), encoding="utf-8")
    return ("--model", name)


def both(path: Path) -> dict[str, Player]:
    log = honest_calls(scenario(path).model_dump_json())
    return {"terse": player(log, TERSE), "wordy": player(log, WORDY)}


@pytest.fixture(name="ran", scope="module")
def _ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of a terse and a wordy model, and of the oracle, which writes none."""
    folder = tmp_path_factory.mktemp("thinking")
    path = config(folder, one=[day(LINKS)])
    return run_models(folder, path, both(path), "--agent", "oracle", "--thinking", PACE)


@pytest.fixture(name="run")
def _run(ran: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(ran, tmp_path / "run"))


def by_id(folder: Path) -> dict[str, EpisodeResult]:
    return {result.episode: result for result in read(folder)}


def log_of(folder: Path, agent: str) -> list[LogEntry]:
    async def entries() -> list[LogEntry]:
        async with await World.open(folder / "worlds" / f"{IDS[agent]}.world") as world:
            return await world.log()

    return anyio.run(entries)


def thoughts(log: Sequence[LogEntry]) -> list[LogEntry]:
    return [entry for entry in log if entry.tool == THINK]


# what it costs ----------------------------------------------------------------------------


def test_a_wordy_model_misses_the_deadline_that_a_terse_one_meets_with_the_same_calls(
    ran: Path,
) -> None:
    results = by_id(ran)
    terse, wordy = results[IDS["terse"]], results[IDS["wordy"]]
    assert (terse.score, terse.success) == (1.0, True)
    assert wordy.score is not None and wordy.score < 0.5
    assert wordy.ended is EndReason.DAY_OVER


def test_the_minutes_of_a_day_are_those_of_its_tokens_and_come_before_the_calls(ran: Path) -> None:
    log = log_of(ran, "terse")
    turns = sum(bool(entry.actor) for entry in log)
    minutes = sum((entry.until - entry.at).seconds // 60 for entry in thoughts(log))
    assert minutes == turns * TERSE // PACE > 1
    # six replies of 50 tokens fill the first minute, which passes before the sixth call
    assert [entry.tool == THINK for entry in log[:7]] == [False] * 5 + [True, False]


def test_it_is_off_and_said_so_for_an_agent_whose_tokens_nobody_reports(ran: Path) -> None:
    plan = RunPlan.model_validate_json((ran / "run.json").read_bytes())
    assert plan.limits.tokens_per_minute == PACE
    assert {agent.name: agent.reports_tokens for agent in plan.agents} == {
        "terse": True, "wordy": True, "oracle": False,
    }  # fmt: skip
    told = "one minute for every 300 output tokens; off for oracle, whose tokens nobody reports"
    assert told in (ran / "report.md").read_text(encoding="utf-8")
    oracle = by_id(ran)[IDS["oracle"]]
    assert oracle.identity is not None and oracle.identity.limits.tokens_per_minute is None
    assert not thoughts(log_of(ran, "oracle"))


def test_resuming_says_it_again(run: Path) -> None:
    done = invoke("--resume", run)
    said = " ".join(done.output.split())
    assert "Thinking takes time: one minute for every 300 output tokens; off for oracle" in said


# what is recorded -------------------------------------------------------------------------


def test_schedules_and_trajectories_have_thinking_apart_from_calls_and_waiting(ran: Path) -> None:
    wordy = by_id(ran)[IDS["wordy"]]
    assert wordy.schedule is not None
    assert wordy.schedule.thinking_minutes > 600
    assert wordy.schedule.waiting_minutes + wordy.schedule.thinking_minutes <= 720
    (file,) = (ran / "trajectories").glob("*wordy*.json")
    steps = json.loads(file.read_text(encoding="utf-8"))["steps"]
    assert steps[1]["extra"] == {"thinking_minutes": WORDY // PACE}
    assert "thinking" in (ran / "report.html").read_text(encoding="utf-8")
    assert "thinking min" in (ran / "report.md").read_text(encoding="utf-8")


def test_the_studio_lists_thinking_apart_from_apps_and_from_the_world(ran: Path) -> None:
    shown = [call_line(entry) for entry in log_of(ran, "wordy")]
    thought = [line for line in shown if line.tool == THINK]
    assert {line.app for line in thought} == {"thinking"}
    assert all(line.until > line.at for line in thought)
    assert "thinking" not in {line.app for line in shown if line.tool != THINK}


def test_it_is_verified_and_replayed_without_the_models(ran: Path) -> None:
    assert "3 agree" in call("verify", ran).output
    assert "differs" not in call("replay", ran).output


def other_pace(run: Path) -> None:
    def changed(line: EpisodeResult) -> object:
        assert line.identity is not None
        limits = line.identity.limits.model_copy(update={"tokens_per_minute": 3_000})
        return {"identity": line.identity.model_copy(update={"limits": limits})}

    edit_line(run, IDS["terse"], changed)


def more_tokens(run: Path) -> None:
    """Let the first turn have written as much as the whole day."""
    path = run / "trajectories" / f"{IDS['terse']}.json"
    written = json.loads(path.read_text(encoding="utf-8"))
    written["steps"][1]["metrics"]["completion_tokens"] = 9_000
    path.write_text(json.dumps(written), encoding="utf-8")


def no_schedule_of_it(run: Path) -> None:
    def changed(line: EpisodeResult) -> object:
        assert line.schedule is not None
        return {"schedule": line.schedule.model_copy(update={"thinking_minutes": 0})}

    edit_line(run, IDS["terse"], changed)


@pytest.mark.parametrize(
    ("change", "says_what"),
    [
        (other_pace, "identity says limits"),
        (more_tokens, "min of thinking, but the tokens of the trajectory take"),
        (no_schedule_of_it, "schedule says thinking_minutes 0"),
    ],
)
def test_what_was_changed_afterwards_is_named(
    run: Path, change: Callable[[Path], None], says_what: str
) -> None:
    change(run)
    assert says_what in " ".join(call("verify", run, exits=1).output.split())


def test_a_log_with_thinking_of_an_agent_without_it_is_from_another_day(run: Path) -> None:
    names = [run / "worlds" / f"{IDS[name]}.world" for name in ("terse", "oracle")]
    shutil.copy(*names)
    said = call("verify", run, exits=1).output
    assert "thinking takes no time for its agent" in " ".join(said.split())


@pytest.fixture(name="valued", scope="module")
def _valued(ran: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A copy of the run with the worth of each step of the wordy day, and how it is told."""
    run = Path(shutil.copytree(ran, tmp_path_factory.mktemp("valued") / "run"))
    told = call("worth", run, "--episode", IDS["wordy"], "--jobs", 1).output
    return run, " ".join(told.split())


def test_what_a_thought_cost_is_named(valued: tuple[Path, str]) -> None:
    _, said = valued
    assert "thought until" in said
    assert "deadline passed while thinking" in said


def test_a_day_is_forked_in_the_middle_of_its_thinking(run: Path, tmp_path: Path) -> None:
    first = thoughts(log_of(run, "wordy"))[0]
    fork = tmp_path / "fork.world"
    call("replay", run, "--episode", IDS["wordy"], "--to", first.seq, "--fork", fork)

    async def now() -> bool:
        async with await World.open(fork) as world:
            return await world.now() == first.until

    assert anyio.run(now)


def test_turns_have_their_rewards_with_the_thoughts_before_them(
    valued: tuple[Path, str], tmp_path: Path
) -> None:
    run, _ = valued
    out = tmp_path / "sft.jsonl"
    call("export", "sft", run, out, "--rewards", "--agent", "wordy", "--least-score", 0)
    (line,) = out.read_text(encoding="utf-8").splitlines()
    wordy = json.loads(line)
    assert sum(wordy["rewards"]) == pytest.approx(wordy["score"] - 1.0)


# whom it is compared with -----------------------------------------------------------------


def test_runs_of_another_pace_are_not_compared(ran: Path, tmp_path: Path) -> None:
    path = config(tmp_path, one=[day(LINKS)])
    other = run_models(tmp_path, path, {"terse": both(path)["terse"]})
    done = call("compare", ran, other, "--agent", "terse", exits=2)
    said = " ".join(done.output.split())
    assert "limits.tokens_per_minute is 300 and none" in said
    assert "tokens_per_minute" not in (other / "results.jsonl").read_text(encoding="utf-8")
    assert "reports_tokens" not in (other / "run.json").read_text(encoding="utf-8")


def test_agents_of_one_run_are_not_compared_if_only_one_of_them_pays_for_its_thinking(
    ran: Path,
) -> None:
    done = call("compare", ran, "--agent", "terse", "--agent", "oracle", exits=2)
    assert "limits.tokens_per_minute is none and 300" in " ".join(done.output.split())


def test_an_interrupted_run_goes_on_with_the_same_result(ran: Path, tmp_path: Path) -> None:
    path = config(tmp_path, one=[day(LINKS)])
    left = Path(shutil.copytree(ran, tmp_path / "out"))
    before = by_id(left)
    lines = (left / "results.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line)["agent"] != "terse"]
    (left / "results.jsonl").write_text("".join(kept), encoding="utf-8")
    models, folder = both(path), Path(str(ran)).parent
    with scripted_server(then=models["terse"]) as server:
        api = folder / "api.json"
        known = json.loads(api.read_text(encoding="utf-8"))
        api.write_text(json.dumps({**known, **server.described("terse")}), encoding="utf-8")
        invoke("--resume", left)
    again = by_id(left)[IDS["terse"]]
    assert again.digest == before[IDS["terse"]].digest
    assert again.schedule == before[IDS["terse"]].schedule


# agents without tokens --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--agent", "oracle"), "(oracle)"),
        (("--model", "scripted-fair"), "(scripted-fair)"),
        (("--agent-command", "true {url} {token}"), "(command)"),
        (("--agent", POLITE), "own_agents-Polite"),
    ],
)
def test_a_run_in_which_nobody_reports_tokens_is_refused(
    tmp_path: Path, options: tuple[str, str], named: str
) -> None:
    path = config(tmp_path, one=[day(LINKS)])
    done = invoke("--config", path, *options, "--thinking", 300, "--out", tmp_path / "o", exits=2)
    said = " ".join(done.output.split())
    assert "no agent reports the tokens of its replies" in said and "--thinking" in said
    assert not (tmp_path / "o").exists()


class Reporting:
    """An agent of somebody's own that says what each of its turns took."""

    reports_tokens = True

    async def work(self, session: AgentSession) -> None:
        await session.turn([ToolCall("desk_now")], Thought("Hm.", completion_tokens=700))
        await session.turn([ToolCall("desk_now")], Thought(completion_tokens=200))
        await session.turn([ToolCall("desk_finish_day")] * 2, Thought(completion_tokens=0))


def test_an_agent_of_ones_own_that_reports_tokens_is_charged(tmp_path: Path) -> None:
    path = config(tmp_path, one=[day(LINKS)])
    invoke("--config", path, "--agent", f"{__name__}:Reporting", "--thinking", 300,
           "--out", tmp_path / "out")  # fmt: skip
    (result,) = read(tmp_path / "out")
    assert result.schedule is not None and result.schedule.thinking_minutes == 3
    assert "1 agrees" in call("verify", tmp_path / "out").output


# weeks ------------------------------------------------------------------------------------


def test_each_morning_begins_without_tokens_of_the_day_before(tmp_path: Path) -> None:
    def leaves(asked: Json) -> Answer:
        return says("", calls("desk_finish_day", id="call-1"), usage=(100, 200))

    week = week_file(tmp_path, day(LINKS), day(LINKS), day(LINKS))
    out = run_models(tmp_path, week, {"brief": leaves}, "--thinking", 300)
    (result,) = read(out)
    assert [day.schedule.thinking_minutes for day in result.days if day.schedule] == [0, 0, 0]
    assert "1 agrees" in call("verify", out).output


# training ---------------------------------------------------------------------------------


def test_the_training_environment_charges_the_same_turns_to_the_same_world(
    ran: Path, tmp_path: Path
) -> None:
    given = scenario(config(tmp_path, one=[day(LINKS)]))
    made = [entry for entry in log_of(ran, "terse") if entry.actor]
    worked = Day(given, tokens_per_minute=PACE)
    start = worked.reset()
    assert "one minute for every 300 tokens" in start.prompt
    for entry in made[:10]:
        worked.step([ToolCall(entry.tool, entry.arguments)], TERSE)
    kept = worked.snapshot()
    for entry in made[10:]:
        worked.step([ToolCall(entry.tool, entry.arguments)], TERSE)
    assert worked.digest() == by_id(ran)[IDS["terse"]].digest
    restored = Day.from_snapshot(kept)
    for entry in made[10:]:
        restored.step([ToolCall(entry.tool, entry.arguments)], TERSE)
    assert restored.digest() == worked.digest()
