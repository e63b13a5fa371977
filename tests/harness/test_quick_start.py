"""``trainee-bench run`` alone: three days, agents that compare, and the costliest steps."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import Result

from tests.harness.runs import call
from tests.harness.test_compare import IDENTITY, entrant
from tests.printed_samples import ROOT, printed
from trainee_bench.harness.analysis.comparison.compared_run import ComparedRun, IncomparableRuns
from trainee_bench.harness.analysis.comparison.paired import compare_runs
from trainee_bench.harness.analysis.comparison.presentation import comparison_document
from trainee_bench.harness.documents.markdown import render_markdown
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.session.limits import EpisodeLimits

AGENTS = {"oracle", "sprayer", "scripted-fair"}
FOLDER = Path("runs") / "quickstart-001"


@pytest.fixture(scope="module", autouse=True)
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder in which the command is called."""
    before, folder = Path.cwd(), tmp_path_factory.mktemp("quick_start")
    os.chdir(folder)
    yield folder
    os.chdir(before)


@pytest.fixture(scope="module")
def ran(elsewhere: Path) -> Result:
    return call("run")


def results() -> list[EpisodeResult]:
    return RunFolder.open(FOLDER).ledger.read()


def test_agents_and_a_model_work_three_days_in_one_run(ran: Result) -> None:
    assert len(results()) == 9
    assert {result.agent for result in results()} == AGENTS
    assert {result.success for result in results() if result.agent == "oracle"} == {True}
    assert not any(result.success for result in results() if result.agent != "oracle")


def test_what_each_step_was_worth_is_computed_and_stands_in_the_report(ran: Result) -> None:
    folder = RunFolder.open(FOLDER)
    assert all(folder.worths.read(result) is not None for result in results())
    assert "## Points lost, by cause" in (FOLDER / "report.md").read_text(encoding="utf-8")


def test_the_last_lines_name_the_costliest_step_and_the_next_command(ran: Result) -> None:
    lines = ran.output.splitlines()
    assert lines[-1] == f"Next: trainee-bench studio {FOLDER}"
    heading = lines.index("Costliest step of each agent:")
    told = lines[heading + 1 : -1]
    assert [re.match(r"  ([\w-]+) · ", line)[1] for line in told] == ["scripted-fair", "sprayer"]
    assert "19:17, the day was finished: 0.50 of the score lost on T1" in told[0]


def test_it_prints_what_the_readme_shows(ran: Result) -> None:
    (sample,) = printed.samples_of(ROOT / "README.md", "trainee-bench run")
    assert printed.find_difference(sample, ran.output) is None


def test_the_costliest_step_of_an_agent_is_that_with_the_greatest_loss_of_its_days(
    ran: Result,
) -> None:
    folder = RunFolder.open(FOLDER)
    worths = [folder.worths.read(result) for result in results() if result.agent == "scripted-fair"]
    greatest = max(loss.lost for worth in worths if worth for loss in worth.losses)
    line = next(line for line in ran.output.splitlines() if line.startswith("  scripted-fair · "))
    assert f"{greatest:.2f} of the score lost" in line


def test_columns_that_say_nothing_are_left_to_the_report(ran: Result) -> None:
    heading = next(line for line in ran.output.splitlines() if line.startswith(" agent "))
    assert re.split(r" {2,}", heading.strip()) == [
        "agent", "complete", "score", "success", "steps", "calls", "episodes",
    ]  # fmt: skip
    schedule = next(line for line in ran.output.splitlines() if line.startswith(" schedule of "))
    assert "tasks late" not in schedule and "never handed in" in schedule
    report = (FOLDER / "report.md").read_text(encoding="utf-8")
    assert "| coverage |" in report and "| tasks late |" in report


def test_it_goes_on_where_it_was_interrupted_and_computes_what_is_missing(ran: Result) -> None:
    folder = RunFolder.open(FOLDER)
    every = results()
    lost = next(result for result in every if result.agent == "scripted-fair")
    folder.ledger.rewrite(result for result in every if result is not lost)
    again = call("run", "--resume", FOLDER)
    assert "[9/9] scripted-fair" in again.output
    assert again.output.splitlines()[-1] == f"Next: trainee-bench studio {FOLDER}"
    assert all(folder.worths.read(result) is not None for result in results())
    once_more = call("run", "--resume", FOLDER)
    assert "Computing" not in once_more.output, "all of it is stored"
    assert once_more.output.splitlines()[-1] == again.output.splitlines()[-1]


def test_a_mixed_run_is_verified(ran: Result) -> None:
    assert "9 agree, 0 differ" in call("verify", FOLDER).output


def test_a_mixed_run_is_compared_and_the_reader_told_what_agents_bring_with_them(
    ran: Result,
) -> None:
    done = call("compare", FOLDER)
    heading = next(line for line in done.output.splitlines() if line.startswith(" agent or run "))
    assert re.split(r" {2,}", heading.strip())[1:5] == [
        "rank by days complete", "complete", "rank by score", "score",
    ]  # fmt: skip
    said = " ".join(done.output.split())
    assert "limits.steps is 2000 for oracle and sprayer, 150 for scripted-fair" in said
    assert "isolation is insider for oracle and scripted-fair, none for sprayer" in said


def test_a_mixed_run_is_no_submission_and_says_what_would_be_one(ran: Result) -> None:
    done = call("submit", "prepare", FOLDER, "mine.zip", "--name", "mine", exits=1)
    said = "it has 3 agents (oracle, sprayer, scripted-fair); a submission has one: run it alone"
    assert said in done.output


def test_a_run_whose_agents_were_named_computes_no_worth(ran: Result) -> None:
    done = call("run", "--agent", "nothing", "--limit", 1, "--out", "named")
    assert not (Path("named") / "worth").exists()
    assert "Costliest" not in done.output
    assert done.output.splitlines()[-1] == "Next: trainee-bench studio named"


def own(agent: str, **more: object) -> ComparedRun:
    """An agent that brings its own conditions with it, in the run that all of these are from."""
    identity = IDENTITY.model_copy(update=more)
    return ComparedRun(
        agent, agent, entrant(agent, 1.0, identity=identity).results, origin=Path("results.jsonl")
    )


def test_agents_of_one_run_are_compared_whatever_they_bring_and_the_reader_is_told() -> None:
    found = compare_runs(
        [
            own("oracle", isolation="insider", limits=EpisodeLimits(steps=2_000)),
            own("model"),
            own("sprayer", limits=EpisodeLimits(steps=2_000)),
        ]
    )
    assert found.own_conditions == (
        "limits.steps is 2000 for oracle and sprayer, 150 for model",
        "isolation is insider for oracle, none for model and sprayer",
    )
    assert "limits.steps is 2000" in render_markdown(comparison_document(found))
    alike = compare_runs([own("one"), own("other")])
    assert alike.own_conditions == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [("results", "structured"), ("isolation", "sandbox"), ("guidance", 2), ("generator", 3)],
)
def test_what_an_agent_does_not_bring_with_it_is_refused_in_one_run_too(
    field: str, value: object
) -> None:
    with pytest.raises(IncomparableRuns, match=f"{field} is "):
        compare_runs([own("one"), own("other", **{field: value})])


def test_agents_of_different_runs_are_refused_for_what_they_bring() -> None:
    elsewhere = entrant("b", 1.0, identity=IDENTITY.model_copy(update={"isolation": "insider"}))
    with pytest.raises(IncomparableRuns, match="isolation is none and insider"):
        compare_runs([own("a"), elsewhere])
