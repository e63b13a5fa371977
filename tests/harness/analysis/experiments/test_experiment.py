"""One command for each of the paper's experiments: it runs, resumes, and reuses earlier runs."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from functools import partial
from inspect import signature
from pathlib import Path

import pytest
from typer.testing import Result

from tests.harness.runs import call, config, day
from tests.scripted_endpoint import KEY, calls, says, scripted_server
from trainee_bench.harness.agents.scripted import GRADED_MODELS
from trainee_bench.harness.analysis.experiments.execution import EXPERIMENTS
from trainee_bench.harness.analysis.experiments.folder import ExperimentFolder
from trainee_bench.harness.analysis.experiments.measures import agents_by_score
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.commands import experiment, run
from trainee_bench.harness.records.plan import DaySequenceMode, RunPlan
from trainee_bench.harness.records.results import EpisodeResult, ResultFile
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.catalog import all_rules

EASY, HARD = "kb_fix.easy", "kb_fix.hard"


invoke = partial(call, "experiment")


def said(done: Result) -> str:
    return " ".join(done.output.split())


def read(folder: Path, run: str = "run") -> list[EpisodeResult]:
    return ResultFile(folder / run / "results.jsonl").read()


def plan_of(folder: Path, run: str = "run") -> RunPlan:
    return RunPlan.model_validate_json((folder / run / "run.json").read_bytes())


@pytest.fixture(name="benchmark")
def _benchmark(tmp_path: Path) -> Path:
    return config(tmp_path, one=[day(EASY)], two=[day(EASY, HARD)])


@pytest.fixture(name="worked", scope="module")
def _worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment that was run once, to be copied."""
    folder = tmp_path_factory.mktemp("worked")
    path, out = config(folder, one=[day(EASY)], two=[day(EASY, HARD)]), folder / "main"
    agents = ("--agent", "nothing", "--agent", "every_candidate")
    invoke("main", "--config", path, *agents, "--out", out)
    return out


@pytest.fixture(name="main")
def _main(tmp_path: Path, worked: Path) -> Path:
    return Path(shutil.copytree(worked, tmp_path / "main"))


def test_an_experiment_leaves_its_runs_and_its_page_in_one_folder(main: Path) -> None:
    assert len(read(main)) == 4
    text = (main / "experiment.md").read_text(encoding="utf-8")
    assert "| nothing | 0.00 |" in text and "(figure.svg)" in text
    assert (main / "figure.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "<svg" in (main / "experiment.html").read_text(encoding="utf-8")
    assert (main / "run" / "report.md").exists()


@pytest.mark.parametrize("name", ["workload", "difficulty"])
def test_the_results_of_a_run_serve_another_experiment_and_nothing_is_run_anew(
    tmp_path: Path, main: Path, name: str
) -> None:
    before = (main / "run" / "results.jsonl").read_bytes()
    for number, source in enumerate((main, main / "run")):
        out = tmp_path / f"out-{number}"
        invoke(name, "--from", source, "--out", out)
        assert not list(out.glob("*/results.jsonl"))
        assert (out / "experiment.md").exists()
        invoke(name, "--resume", out)
    assert (main / "run" / "results.jsonl").read_bytes() == before


def test_an_interrupted_experiment_goes_on_where_it_was(main: Path) -> None:
    whole = (main / "run" / "results.jsonl").read_bytes()
    page = (main / "experiment.md").read_bytes()
    lines = whole.splitlines(keepends=True)
    (main / "run" / "results.jsonl").write_bytes(b"".join(lines[:1]))
    (main / "experiment.md").unlink()
    done = invoke("main", "--resume", main)
    pages = f"Page: {main / 'experiment.html'}, as text: {main / 'experiment.md'}"
    assert pages in done.output.splitlines()
    assert (main / "run" / "results.jsonl").read_bytes().startswith(lines[0])
    assert (main / "experiment.md").read_bytes() == page
    assert len(read(main)) == 4


def test_a_run_without_all_its_episodes_is_said_to_be_incomplete(
    tmp_path: Path, main: Path
) -> None:
    ledger = ResultFile(main / "run" / "results.jsonl")
    ledger.rewrite(ledger.read()[:3])
    invoke("difficulty", "--from", main, "--out", tmp_path / "out", exits=1)
    assert "Incomplete" in (tmp_path / "out" / "experiment.md").read_text(encoding="utf-8")


def test_guidance_runs_the_same_scenarios_with_each_tier_of_hints(
    tmp_path: Path, benchmark: Path
) -> None:
    out = tmp_path / "out"
    invoke("guidance", "--config", benchmark, "-n", 1, "--agent", "nothing", "--out", out)
    seen = [read(out, f"tier-{tier}") for tier in range(4)]
    guidance = [
        result.identity.guidance for results in seen for result in results if result.identity
    ]
    assert guidance == [0, 1, 2, 3]
    assert len({(result.scenario, result.seed) for results in seen for result in results}) == 1


def test_continual_works_each_scenario_in_every_day_sequence(tmp_path: Path) -> None:
    path = config(
        tmp_path,
        one=[day(EASY), day(EASY)],
        two=[day("meeting_attend.sum.u1"), day("meeting_attend.sum.u1")],
    )
    out = tmp_path / "out"
    invoke("continual", "--config", path, "--agent", "nothing", "--out", out)
    assert {agent.day_sequence for agent in plan_of(out).agents} == set(DaySequenceMode)
    assert len(read(out)) == 2 * 2 * len(DaySequenceMode)
    text = (out / "experiment.md").read_text(encoding="utf-8")
    assert "| nothing | overall | +0.00 |" in text
    assert "was not run" not in text
    assert "other rules uses 2 of 2 scenarios" in text


def test_feedback_on_another_rule_of_the_same_family_is_no_control(tmp_path: Path) -> None:
    path = config(tmp_path, one=[day(EASY), day(EASY)], two=[day(HARD), day(HARD)])
    out = tmp_path / "out"
    invoke("continual", "--config", path, "--agent", "nothing", "--out", out)
    text = (out / "experiment.md").read_text(encoding="utf-8")
    assert "other rules uses 0 of 2 scenarios" in text
    assert "| nothing | overall | +0.00 | +0.00 | +0.00 | – | +0.00 |" in text


def test_a_quick_look_at_continual_leaves_out_the_control_that_needs_more(tmp_path: Path) -> None:
    path, out = config(tmp_path, one=[day(EASY), day(EASY)]), tmp_path / "out"
    invoke("continual", "--config", path, "--agent", "nothing", "--out", out)
    text = (out / "experiment.md").read_text(encoding="utf-8")
    assert "control with other rules was not run" in text


def test_a_quick_look_at_workload_takes_days_of_every_size(tmp_path: Path) -> None:
    sizes = {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2}
    path = config(tmp_path, **{name: [day(*(EASY, HARD)[:size])] for name, size in sizes.items()})
    out = tmp_path / "out"
    invoke("workload", "--config", path, "-n", 2, "--agent", "nothing", "--out", out)
    assert [scenario.name for scenario in plan_of(out).scenarios] == ["a", "d"]


def test_a_dry_run_tells_what_each_run_would_take_and_writes_nothing(
    tmp_path: Path, benchmark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    done = invoke("guidance", "--config", benchmark, "--model", "scripted-fair", "--dry-run")
    assert [f"guidance: tier-{tier}" in done.output for tier in range(4)] == [True] * 4
    assert said(done).count("scripted-fair") >= 4
    assert sorted(tmp_path.iterdir()) == before


def test_scripted_stands_for_models_of_different_skill_and_in_continual_for_those_that_learn() -> (
    None
):
    asked = RunOptions(model=["scripted"], limit=3)
    (plan,) = EXPERIMENTS["main"].plans(asked).values()
    assert [agent.name for agent in plan.agents] == list(GRADED_MODELS)
    (plan,) = EXPERIMENTS["continual"].plans(asked).values()
    assert {agent.agent for agent in plan.agents} == {"learner"}
    plain = [
        agent.name for agent in plan.agents if agent.day_sequence is DaySequenceMode.AS_WRITTEN
    ]
    assert plain == ["scripted-learner", "scripted-memoriser"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ("main", "--agent", "nothing", "--dry-run", "--resume", "MAIN"),
            "does not combine with --out",
        ),
        (("main",), "--model scripted needs no key"),
        (("main", "--model", "scripted", "--agent", "no_such_agent"), "no_such_agent"),
        (("guidance", "--from", "MAIN"), "--from uses the results of a run"),
        (("workload", "--from", "MAIN", "--limit", "2"), "combines only with --out"),
        (("workload", "--from", "NOWHERE"), "There is no run"),
        (("workload", "--resume", "MAIN"), "holds the experiment main"),
        (("main", "--resume", "MAIN", "--epochs", "2"), "combines only with"),
        (("main", "--resume", "NOWHERE"), "There is no experiment"),
        (("main", "--agent", "nothing", "--out", "MAIN"), "is taken"),
        (("continual", "--agent", "nothing", "--config", "core-50"), "scenarios of two days"),
    ],
)
def test_wrong_use_is_answered_with_what_would_be_right(
    tmp_path: Path, main: Path, arguments: tuple[str, ...], says: str
) -> None:
    before = {file: file.read_bytes() for file in main.rglob("*") if file.is_file()}
    places = {"MAIN": str(main), "NOWHERE": str(tmp_path / "nowhere")}
    given = [places.get(argument, argument) for argument in arguments]
    if "--out" not in given:
        given += ["--out", str(tmp_path / "out")] if "--resume" not in given else []
    done = invoke(*given, exits=2)
    assert says in said(done)
    assert {file: file.read_bytes() for file in main.rglob("*") if file.is_file()} == before
    assert not (tmp_path / "out").exists()


def test_days_that_are_compared_have_the_same_names(tmp_path: Path) -> None:
    days = [{**day(EASY), "name": name} for name in ("monday", "tuesday", "friday")]
    benchmark = config(tmp_path, one=days[:2], two=[days[0], days[2]])
    done = invoke("continual", "--agent", "nothing", "--config", benchmark, exits=2)
    assert "two has monday, friday; others have monday, tuesday" in said(done)


def test_the_record_of_an_experiment_must_be_ours(tmp_path: Path, main: Path) -> None:
    (main / "experiment.json").write_text(json.dumps({"experiment": "main"}), encoding="utf-8")
    done = invoke("main", "--resume", main, exits=2)
    assert "is not a valid record of an experiment" in said(done)


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_every_experiments_benchmark_is_shipped(name: str) -> None:
    assert load_shipped_benchmark(EXPERIMENTS[name].config).scenarios


def test_the_scenarios_of_guidance_hold_a_hard_task_of_both_kinds() -> None:
    for scenario in load_shipped_benchmark("guidance-20").scenarios:
        used = [all_rules()[task.rule] for day in scenario.days for task in day.tasks]
        assert {rule.meta_task.family_class.family for rule in used} == {
            "ads_strategy",
            "event_planning",
        }
        assert all(rule.difficulty == "hard" for rule in used)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [6, pytest.param(8, marks=pytest.mark.sweep)])
def test_the_rehearsal_ranks_the_scripted_models_by_their_skill(tmp_path: Path, count: int) -> None:
    path, out = tmp_path / "mine.json", tmp_path / "out"
    scenarios = [
        {"name": f"s{n}", "seed": n, "days": [{"name": "day_1", **day(EASY, HARD)}]}
        for n in range(count)
    ]
    path.write_text(json.dumps({"name": "mine", "scenarios": scenarios}), encoding="utf-8")
    invoke("main", "--config", path, "--model", "scripted", "--out", out)
    found = ExperimentFolder.open(out).read_results()
    assert agents_by_score(found.all) == list(GRADED_MODELS), "from the best to the worst"
    text = (out / "experiment.md").read_text(encoding="utf-8")
    (told,) = (line for line in text.splitlines() if "expert – scripted-novice | score" in line)
    assert "scripted-expert is better" in told


def test_an_experiment_takes_the_options_of_a_run_but_for_hints_and_its_part() -> None:
    theirs, ours = (set(signature(command.command).parameters) for command in (run, experiment))
    assert theirs - ours == {"guidance", "part"}


def test_which_scenarios_with_which_seed_and_pictures_is_for_the_caller_to_say(
    tmp_path: Path,
) -> None:
    path, out = config(tmp_path, a=[day("kb_fix.easy")], b=[day("kb_fix.easy")]), tmp_path / "out"
    asked = ["--scenario", "b", "--seed", 5, "--modality", "tables", "--agent", "nothing"]
    words = ["experiment", "main", "--config", path, *asked, "--out", out]
    call(*list(map(str, words)))
    (made,) = RunPlan.model_validate_json((out / "run" / "run.json").read_bytes()).scenarios
    assert (made.name, made.seed, made.modality) == ("b", 5, "tables")


def test_an_agent_that_is_gone_is_asked_for_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "there"
    there.mkdir()
    text = "class Idle:\n    async def work(self, session):\n        pass\n"
    (there / "idle_agent_of_mine.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(there)
    path, out = config(tmp_path, one=[day("kb_fix.easy")]), tmp_path / "out"
    invoke("main", "--config", path, "--agent", "idle_agent_of_mine:Idle", "--out", out)
    (there / "idle_agent_of_mine.py").unlink()
    monkeypatch.delitem(sys.modules, "idle_agent_of_mine")
    importlib.invalidate_caches()
    assert "no module" in invoke("main", "--resume", out, exits=2).output


def test_a_key_that_is_gone_is_asked_for_before_anything_is_run_and_only_if_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = config(tmp_path, one=[day("kb_fix.easy")]), tmp_path / "out"
    models = tmp_path / "api_config.json"
    with scripted_server(then=says("", calls("desk_finish_day"))) as server:
        models.write_text(json.dumps(server.described("mine", "MINE_API_KEY")), encoding="utf-8")
        monkeypatch.setenv("MINE_API_KEY", KEY)
        options = ("--config", path, "--model", "mine", "--api-config", models, "--epochs", 2)
        invoke("main", *options, "--out", out)
        monkeypatch.delenv("MINE_API_KEY")
        invoke("main", "--resume", out)
        ledger = ResultFile(out / "run" / "results.jsonl")
        ledger.rewrite(ledger.read()[:1])
        asked = len(server.asked)
        assert "MINE_API_KEY" in invoke("main", "--resume", out, exits=2).output
    assert len(ledger.read()) == 1
    assert len(server.asked) == asked
