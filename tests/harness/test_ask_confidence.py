"""Runs that ask how sure agents are: the answers are recorded, and all else stays the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harness.runs import LINKS, call, config, day, invoke, named, read
from trainee_bench.harness.agents.confidence import CHEAT_CONFIDENCE, HONEST_CONFIDENCE
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import EpisodeResult, TaskResult
from trainee_bench.mcp_servers.desk import ASKING_CONFIDENCE

AGENTS = ("oracle", "in_order", "careless", "canned_replies", "nothing")


@pytest.fixture(name="runs", scope="module")
def _runs(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Path]:
    """A run of the same day that asks, and one that does not."""
    folder = tmp_path_factory.mktemp("asked")
    path = config(folder, one=[day(LINKS)])
    options = ("--config", path, *named(*AGENTS), "--model", "scripted-expert")
    outs = {asks: folder / f"asks-{asks}" for asks in (True, False)}
    for asks, out in outs.items():
        invoke(*options, *(["--ask-confidence"] if asks else []), "--out", out)
    return outs


def tasks(folder: Path) -> dict[str, TaskResult]:
    return {result.agent: result.tasks[0] for result in read(folder)}


def test_agents_say_how_sure_they_are_only_where_it_is_asked(runs: dict[bool, Path]) -> None:
    said = {agent: task.sure for agent, task in tasks(runs[True]).items() if task.submitted}
    scripted = said.pop("scripted-expert", None)
    assert said == {
        **dict.fromkeys(("oracle", "in_order", "careless"), HONEST_CONFIDENCE),
        "canned_replies": CHEAT_CONFIDENCE,
    }
    assert scripted is None or 50 < scripted < 100, "its own chance of success"
    assert {task.sure for task in tasks(runs[False]).values()} == {None}


def test_asking_changes_no_score_and_no_other_call(runs: dict[bool, Path]) -> None:
    def shown(result: EpisodeResult) -> tuple[object, ...]:
        return result.agent, result.score, result.success, result.steps, result.tool_calls

    asked, usual = (sorted(map(shown, read(runs[asks]))) for asks in (True, False))
    assert asked == usual


def test_lines_of_runs_that_do_not_ask_have_no_such_field(runs: dict[bool, Path]) -> None:
    written = {asks: (out / "results.jsonl").read_text() for asks, out in runs.items()}
    assert '"sure":95' in written[True]
    assert '"sure"' not in written[False]
    assert "variants" not in (runs[False] / "run.json").read_text()


def test_that_it_was_asked_is_part_of_the_plan_and_of_what_was_shown(
    runs: dict[bool, Path],
) -> None:
    plans = {
        asks: RunPlan.model_validate_json((out / "run.json").read_bytes())
        for asks, out in runs.items()
    }
    assert plans[True].scenarios[0].variants == ASKING_CONFIDENCE
    frozen = [
        {r.identity.frozen.tools for r in read(out) if r.identity and r.identity.frozen}
        for out in runs.values()
    ]
    assert all(len(tools) == 1 for tools in frozen) and frozen[0].isdisjoint(frozen[1])
    both = call("compare", *runs.values(), "--agent", "oracle", exits=2)
    assert "variants" in both.output or "tools" in both.output


def test_the_answers_are_verified(runs: dict[bool, Path]) -> None:
    call("verify", runs[True])


def test_the_report_shows_whether_agents_are_right_as_often_as_they_say(
    runs: dict[bool, Path],
) -> None:
    text = (runs[True] / "report.md").read_text(encoding="utf-8")
    (row,) = [line for line in text.splitlines() if line.startswith("| canned_replies | 1 |")]
    assert "over-claims" in text and row.rstrip("| ").endswith("1.00")
    assert "How sure the agents said they were" in text
    assert "How sure" not in (runs[False] / "report.md").read_text(encoding="utf-8")


def test_a_variant_that_does_not_exist_is_named_before_anything_runs(tmp_path: Path) -> None:
    path = config(tmp_path, one=[day(LINKS)])
    written = json.loads(path.read_text(encoding="utf-8"))
    written["scenarios"][0]["variants"] = {"desk_submit": "certain"}
    path.write_text(json.dumps(written), encoding="utf-8")
    done = invoke("--config", path, *named("nothing"), "--out", tmp_path / "out", exits=2)
    said = " ".join(done.output.split())
    assert "the tool 'desk_submit' has no variant 'certain'; there are" in said
    assert "desk_submit: sure" in said


def test_generated_scenarios_ask_if_they_should(tmp_path: Path) -> None:
    made = {}
    for asks in (True, False):
        out = tmp_path / f"{asks}.json"
        options = ["--ask-confidence"] if asks else []
        call(
            "generate", "--scenarios", 1, "--tasks", 1, "--rules", LINKS, "--seed", 3,
            "--name", "mine", "--jobs", 1, *options, "--out", out,
        )  # fmt: skip
        (made[asks],) = json.loads(out.read_text(encoding="utf-8"))["scenarios"]
    assert made[True].pop("variants") == ASKING_CONFIDENCE
    assert made[True] == made[False]
