"""Every field of a result line is held against records, or named as not verified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harness.runs import call, invoke
from tests.harness.test_verify import (
    DONE,
    IDLE,
    POLITE_DAY,
    edit_line,
    missing_line,
    ran,
    run,
)
from trainee_bench.harness.episodes.verification import NOT_VERIFIED
from trainee_bench.harness.records.human_part import ForkPoint
from trainee_bench.harness.records.npc_fidelity import NpcFidelity
from trainee_bench.harness.records.provenance_figures import ProvenanceFigures
from trainee_bench.harness.records.results import DayResult, EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.session.limits import EndReason

__all__ = ["ran", "run"]

OTHERWISE: dict[str, object] = {
    "scenario": "two",
    "day": "day_2",
    "agent": "in_order",
    "attempt": 2,
    "seed": 4711,
    "score": 0.5,
    "success": True,
    "coverage": 0.5,
    "steps": 0,
    "tool_calls": 0,
    "failed_calls": 9,
    "refused_calls": 2,
    "tasks": (),
    "ended": EndReason.GAVE_UP,
    "agent_error": "ValueError: it was the weather",
    "error": "no task could be graded",
    "tries": 2,
    "faults": ("the disk was full",),
    "prompt_tokens": 1,
    "completion_tokens": 1,
    "cost_usd": 0.01,
    "incidents": {"bad_json": 1},
    "colleagues": NpcFidelity(model="mine"),
    "provenance": ProvenanceFigures(facts=(), questions=9, telling=9),
    "remembers": "one.day_0.in_order.1",
    "transport": "http",
    "digest": "0" * 64,
    "trajectory": None,
    "identity": None,
    "spec_digest": "0" * 64,
    "memory_digest": "0" * 64,
    "days": (
        DayResult(
            name="Monday", steps=1, tool_calls=1, failed_calls=0, ended="agent", due=1, score=1.0
        ),
    ),
    "forked_from": ForkPoint(run="other", episode="one", step=1),
}
"""Another value for each field of a line that plan, log, trajectory or world contradict."""
OF_THE_MOMENT = {"wall_seconds"}
"""What only the line says."""
TESTED_ELSEWHERE = {"episode", "world", "schedule"}
"""A line of another id is another line, one without a world claims nothing, and one without a
schedule is older."""


def test_every_field_of_a_line_is_verified_or_named_as_not_verified() -> None:
    known = {*OTHERWISE, *OF_THE_MOMENT, *TESTED_ELSEWHERE}
    assert known == set(EpisodeResult.model_fields)
    assert "wall_seconds" in NOT_VERIFIED


@pytest.mark.parametrize("field", OTHERWISE)
def test_a_line_that_says_otherwise_than_its_day_differs_whatever_the_field(
    run: Path, field: str
) -> None:
    edit_line(run, POLITE_DAY, lambda line: {field: OTHERWISE[field]})
    done = call("verify", run, exits=1)
    (said,) = [one for one in done.output.splitlines() if one.startswith(f"{POLITE_DAY}: ")]
    assert "actions, all the same" not in said
    assert "2 agree, 1 differs, 0 have no result." in done.output


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"ended": EndReason.STEP_LIMIT}, "the line says ended step_limit after "),
        ({"ended": EndReason.TIME_LIMIT}, "which its limits and its log rule out"),
        (
            {"ended": EndReason.AGENT_ERROR},
            "with agent_error None, which its limits and its log rule out",
        ),
        ({"tries": 2}, "the line says tries 2, but has 0 faults before"),
        ({"tries": 2, "faults": ("x",)}, "was begun 1 time by the run that ended it"),
        ({"memory_digest": "ab"}, "the line says memory_digest ab, memories/"),
        ({"trajectory": None}, "the line names no trajectory; its own is trajectories/"),
        ({"steps": 90}, "the line has 90 steps, its trajectory "),
    ],
)
def test_the_end_in_a_line_is_compared_with_the_records(
    run: Path, changes: dict[str, object], says: str
) -> None:
    edit_line(run, POLITE_DAY, lambda line: changes)
    assert says in call("verify", run, exits=1).output


def test_a_sandbox_on_a_day_without_a_terminal_is_named(run: Path) -> None:
    def changed(line: EpisodeResult) -> object:
        assert line.identity is not None
        return {"identity": line.identity.model_copy(update={"sandbox": "bubblewrap"})}

    edit_line(run, IDLE, changed)
    done = call("verify", run, exits=1)
    assert "the line's identity says sandbox bubblewrap, the spec None" in done.output


def test_a_trajectory_with_another_turn_differs(run: Path) -> None:
    file = run / "trajectories" / f"{DONE}.json"
    written = json.loads(file.read_text(encoding="utf-8"))
    (made,) = written["steps"][2]["tool_calls"]
    made["arguments"] = {"task": "T2"}
    file.write_text(json.dumps(written), encoding="utf-8")
    done = call("verify", run, exits=1)
    assert f"{DONE}: action " in done.output and "is not in the trajectory" in done.output


def test_verifying_says_what_it_cannot_verify_and_which_episodes_were_begun(run: Path) -> None:
    done = call("verify", run)
    assert "Begun: 3 episodes, 3 times in all; 0 repeated, 0 never finished." in done.output
    assert f"Not verified: {'; '.join(NOT_VERIFIED)}." in done.output


def test_the_content_of_a_line_is_printed_escaped_on_one_line(run: Path) -> None:
    edit_line(run, IDLE, lambda line: {"agent": "x\x1b[2J\n3 agree, 0 differ, 0 have no result."})
    done = call("verify", run, exits=1)
    assert "\x1b" not in done.output
    assert "3 agree, 0 differ, 0 have no result." not in done.output.splitlines()
    assert r"the line says agent x\x1b[2J\n3 agree, 0 differ" in done.output


def test_a_world_that_is_a_link_out_of_the_run_is_not_replayed(run: Path, tmp_path: Path) -> None:
    world = run / "worlds" / f"{IDLE}.world"
    world.rename(tmp_path / "elsewhere.world")
    world.symlink_to(tmp_path / "elsewhere.world")
    done = call("replay", run, "--episode", IDLE, exits=2)
    assert "is a link out of the run's folder" in done.output


def test_an_episode_that_was_left_before_its_end_is_counted_as_never_finished(run: Path) -> None:
    folder = RunFolder.open(run)
    spec = next(one for one in folder.plan().episode_specs() if one.id == IDLE)
    missing_line(run)
    folder.begun.begin(spec, 1)  # as by a process that was killed
    with (run / "begun.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"event":"en')
    invoke("--resume", run)
    done = call("verify", run)
    assert "Begun: 3 episodes, 5 times in all; 1 repeated, 1 never finished." in done.output
    assert f"{IDLE}: begun 3 times; it ended 0.0000, then 0.0000" in done.output
