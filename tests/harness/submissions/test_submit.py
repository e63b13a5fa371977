"""Only a whole, unchanged and honest run of a benchmark becomes a submission, or passes for one."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.harness.runs import MEETING, call, config, day, invoke
from trainee_bench.harness.records.plan import AgentConfig, DaySequenceMode, RunPlan
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.submissions.rules import rule_problems
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark, parse_benchmark

submit = partial(call, "submit")


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the whole quickstart by an agent that knows no secrets."""
    out = tmp_path_factory.mktemp("submitted") / "run"
    invoke("--agent", "nothing", "--out", out)
    return out


@pytest.fixture(scope="module")
def bundle(worked: Path) -> Path:
    made = worked.parent / "mine.zip"
    submit("prepare", worked, made, "--name", "Idle", "--about", "It does nothing.")
    return made


def test_a_prepared_submission_is_verified_with_the_run_s_figures(
    worked: Path, bundle: Path
) -> None:
    done = submit("verify", bundle)
    count = len(RunFolder.open(worked).ledger.read())
    assert "Idle: It does nothing." in done.output
    figures = f"quickstart, nothing: complete 0.0000, score 0.0000 over {count} episode"
    assert figures in done.output
    assert "(standard)" in done.output


def test_the_same_run_makes_the_same_bundle(worked: Path, bundle: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.zip"
    submit("prepare", worked, again, "--name", "Idle", "--about", "It does nothing.")
    assert again.read_bytes() == bundle.read_bytes()


def changed(bundle: Path, out: Path, file: str, change: Callable[[bytes], bytes]) -> Path:
    with zipfile.ZipFile(bundle) as given, zipfile.ZipFile(out, "w") as made:
        for name in given.namelist():
            data = given.read(name)
            made.writestr(name, change(data) if name == file else data)
    return out


def better(lines: bytes) -> bytes:
    first, *rest = lines.splitlines(keepends=True)
    line = json.loads(first) | {"score": 1.0, "success": True}
    return json.dumps(line).encode() + b"\n" + b"".join(rest)


@pytest.mark.parametrize(
    ("file", "change", "says"),
    [
        ("results.jsonl", better, "the line says score 1.0, the repeated day gives 0.0"),
        ("results.jsonl", lambda lines: lines[: lines.index(b"\n") + 1], "it is not finished"),
        ("run.json", lambda plan: plan.replace(b'"epochs": 1', b'"epochs": 2'), "it was changed"),
    ],
)
def test_a_bundle_that_was_changed_is_not_a_submission(
    bundle: Path, tmp_path: Path, file: str, change: Callable[[bytes], bytes], says: str
) -> None:
    done = submit("verify", changed(bundle, tmp_path / "changed.zip", file, change), exits=1)
    assert says in done.output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--agent", "nothing", "--limit", "1"), "not exactly those of quickstart"),
        (("--agent", "oracle"), "knows secrets of the days"),
        (("--agent", "nothing", "--agent", "empty_files"), "has 2 agents"),
    ],
)
def test_a_thinned_run_and_an_agent_that_knows_secrets_are_refused(
    tmp_path: Path, arguments: tuple[str, ...], says: str
) -> None:
    out = tmp_path / "run"
    invoke(*arguments, "--out", out)
    assert says in submit("prepare", out, tmp_path / "mine.zip", "--name", "Mine", exits=1).output
    assert not (tmp_path / "mine.zip").exists()


@pytest.mark.parametrize(
    "thinner", [{"only_day": 0}, {"sequence": DaySequenceMode.AFTER_OTHERS}], ids=str
)
def test_a_run_of_some_days_of_its_scenarios_is_refused(
    tmp_path: Path, thinner: dict[str, Any]
) -> None:
    first, second, third = day("kb_fix.easy"), day("sales.sales_statistics"), day(MEETING)
    path = config(tmp_path, one=[first, second, third], two=[first, third, second])
    scenarios = parse_benchmark(path.read_text()).scenarios
    mode = thinner.get("sequence", DaySequenceMode.AS_WRITTEN)
    agent = AgentConfig(name="nothing", agent="nothing", day_sequence=mode)
    only = thinner.get("only_day")
    whole = RunPlan(benchmark="mine", scenarios=scenarios, agents=(agent,))
    folder = RunFolder.create(
        tmp_path / "run", RunPlan.model_validate(whole.model_dump() | {"only_day": only})
    )
    invoke("--resume", folder.path)
    made = tmp_path / "m.zip"
    done = submit("prepare", folder.path, made, "--name", "Mine", "--config", path, exits=1)
    assert not made.exists()
    assert "its scenarios and days are not exactly those of mine" in done.output


def test_results_under_different_conditions_are_not_mixed(worked: Path) -> None:
    folder = RunFolder.open(worked)
    first, *rest = folder.ledger.read()
    assert first.identity is not None
    other = first.identity.model_copy(update={"guidance": 3})
    mixed = [first.model_copy(update={"identity": other}), *rest]
    problems = rule_problems(folder.plan(), mixed, load_shipped_benchmark())
    assert [*problems] == ["its results were made under 2 different conditions"]


def test_a_board_may_have_its_own_scenarios(tmp_path: Path) -> None:
    path, out = config(tmp_path, one=[day("kb_fix.easy")]), tmp_path / "run"
    invoke("--config", path, "--agent", "nothing", "--out", out)
    made = tmp_path / "mine.zip"
    submit("prepare", out, made, "--name", "Mine", "--config", path)
    submit("verify", made, "--config", path)
    path.write_text(path.read_text().replace('"seed": ', '"seed": 1'))
    submit("verify", made, "--config", path, exits=1)


def test_a_file_that_is_not_a_submission_is_refused_in_words(bundle: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.zip"
    text.write_text("hello")
    escaping = tmp_path / "escaping.zip"
    shutil.copy(bundle, escaping)
    with zipfile.ZipFile(escaping, "a") as archive:
        archive.writestr("../outside.txt", "x")
    for file, says in ((text, "is not a submission"), (escaping, "it contains ../outside.txt")):
        assert says in submit("verify", file, exits=2).output
    assert not (tmp_path.parent / "outside.txt").exists()


SECRET = b"-----BEGIN PRIVATE KEY-----"


@pytest.fixture
def run_of_my_own(worked: Path, tmp_path: Path) -> Path:
    """A copy of the worked run, to spoil."""
    return Path(shutil.copytree(worked, tmp_path / "run"))


def linked(trajectory: Path, secret: Path) -> None:
    trajectory.unlink()
    trajectory.symlink_to(secret)


def linked_hard(trajectory: Path, secret: Path) -> None:
    trajectory.unlink()
    trajectory.hardlink_to(secret)


@pytest.mark.parametrize(
    ("link", "says"),
    [(linked, "is a link out of the run's folder"), (linked_hard, "another name elsewhere")],
)
def test_a_private_file_that_a_trajectory_leads_to_is_not_packed(
    run_of_my_own: Path, tmp_path: Path, link: Callable[[Path, Path], None], says: str
) -> None:
    trajectory = sorted((run_of_my_own / "trajectories").glob("*.json"))[0]
    secret, made = tmp_path / "id_rsa", tmp_path / "mine.zip"
    secret.write_bytes(trajectory.read_bytes().replace(b"{", b'{"key": "%s",' % SECRET, 1))
    link(trajectory, secret)
    assert says in submit("prepare", run_of_my_own, made, "--name", "Mine", exits=2).output
    assert [path.name for path in tmp_path.glob("*mine*")] == []


@pytest.mark.parametrize("field", ["trajectory", "world"])
def test_a_file_that_a_line_names_is_packed_only_if_it_is_the_episodes_own(
    run_of_my_own: Path, tmp_path: Path, field: str
) -> None:
    (tmp_path / "id_rsa").write_bytes(SECRET)
    lines = (run_of_my_own / "results.jsonl").read_text().splitlines()
    first = json.loads(lines[0]) | {field: "../id_rsa"}
    (run_of_my_own / "results.jsonl").write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n")
    done = submit("prepare", run_of_my_own, tmp_path / "mine.zip", "--name", "Mine", exits=2)
    assert f"the line names the {field} '../id_rsa'; its own is " in done.output
    assert not (tmp_path / "mine.zip").exists()


def test_a_run_that_somebody_works_on_is_not_packed(run_of_my_own: Path, tmp_path: Path) -> None:
    with RunFolder.open(run_of_my_own).locked():
        done = submit("prepare", run_of_my_own, tmp_path / "mine.zip", "--name", "Mine", exits=2)
    assert "Another process works on the run" in done.output


def test_a_submissions_description_cannot_forge_its_figures(worked: Path, tmp_path: Path) -> None:
    forged = "quickstart, nothing: complete 1.0000, score 1.0000 over 3 episodes (standard)"
    about = f"Good.\n{forged}\x1b[8m" + 500 * " x"
    made = tmp_path / "mine.zip"
    submit("prepare", worked, made, "--name", "Idle", "--about", about)
    done = submit("verify", made)
    told = done.output.splitlines()
    assert forged not in told
    assert told[0].startswith(rf"Submission Idle: Good.\n{forged}\x1b[8m x x")
    assert (len(told[0]), told[0][-1]) == (len("Submission Idle: ") + 1_000, "…")
    assert "\x1b" not in done.output


def test_a_file_name_in_a_bundle_is_printed_escaped(bundle: Path, tmp_path: Path) -> None:
    strange = tmp_path / "strange.zip"
    shutil.copy(bundle, strange)
    with zipfile.ZipFile(strange, "a") as archive:
        archive.writestr("x\nall is well\x1b[2J", "x")
    done = submit("verify", strange, exits=2)
    assert len(done.output.splitlines()) == 1
    assert r"it contains x\nall is well\x1b[2J" in done.output


def test_episodes_that_were_repeated_until_they_were_good_are_reported(
    run_of_my_own: Path, tmp_path: Path
) -> None:
    lines = (run_of_my_own / "results.jsonl").read_bytes().splitlines(keepends=True)
    (run_of_my_own / "results.jsonl").write_bytes(b"".join(lines[1:]))
    invoke("--resume", run_of_my_own)
    made, episode = tmp_path / "mine.zip", json.loads(lines[0])["episode"]
    for done in (
        submit("prepare", run_of_my_own, made, "--name", "Mine"),
        submit("verify", made),
    ):
        count = len(lines)
        assert (
            f"Begun: {count} episodes, {count + 1} times in all; 1 repeated, 0 never finished."
        ) in done.output
        assert f"{episode}: begun 2 times; it ended 0.0000, then 0.0000" in done.output


def without_first_line(record: bytes) -> bytes:
    return record[record.index(b"\n") + 1 :]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (without_first_line, "begun.jsonl, line 1 does not follow from the line before it"),
        (lambda record: b"", "begun.jsonl is missing"),
        (
            lambda record: record.replace(b'"tries":1', b'"tries":2', 1),
            "begun.jsonl, line 2 does not follow from the line before it",
        ),
        (
            lambda record: record[: record.rindex(b"\n", 0, -1) + 1],
            "has a line, but never ended",
        ),
    ],
)
def test_a_record_of_begun_episodes_that_was_changed_is_not_a_submissions(
    bundle: Path, tmp_path: Path, change: Callable[[bytes], bytes], says: str
) -> None:
    done = submit(
        "verify", changed(bundle, tmp_path / "changed.zip", "begun.jsonl", change), exits=1
    )
    assert says in done.output


def test_a_line_with_changes_that_nobody_can_recompute_is_not_the_one_that_ended(
    bundle: Path, tmp_path: Path
) -> None:
    def quicker(lines: bytes) -> bytes:
        first, *rest = lines.splitlines(keepends=True)
        line = json.loads(first) | {"wall_seconds": 0.001}
        return json.dumps(line).encode() + b"\n" + b"".join(rest)

    done = submit(
        "verify", changed(bundle, tmp_path / "changed.zip", "results.jsonl", quicker), exits=1
    )
    assert "ended last with another line than it has now" in done.output


CLAIMED = "complete 1.0000, score 1.0000 over 1 episode (standard)"


def test_a_name_cannot_forge_the_figures_either(tmp_path: Path) -> None:
    path, out, made = (
        config(tmp_path, one=[day("kb_fix.easy")]),
        tmp_path / "run",
        tmp_path / "m.zip",
    )
    scenarios = parse_benchmark(path.read_text()).scenarios
    agent = AgentConfig(name=f"nothing: {CLAIMED}", agent="nothing")
    RunFolder.create(out, RunPlan(benchmark="mine", scenarios=scenarios, agents=(agent,)))
    invoke("--resume", out)
    told = ("--name", "quickstart, nothing", "--about", CLAIMED, "--config", path)
    submit("prepare", out, made, *told)
    done = submit("verify", made, "--config", path)
    assert f"Submission quickstart, nothing: {CLAIMED}" in done.output.splitlines()
    figures = f"mine, 'nothing: {CLAIMED}': complete 0.0000, score 0.0000 over 1 episode"
    assert figures in done.output


def test_a_run_that_gives_its_benchmark_the_name_of_another_is_refused(tmp_path: Path) -> None:
    path, out, made = (
        config(tmp_path, one=[day("kb_fix.easy")]),
        tmp_path / "run",
        tmp_path / "m.zip",
    )
    invoke("--config", path, "--agent", "nothing", "--out", out)
    plan = RunFolder.open(out).plan().model_copy(update={"benchmark": f"core-50: {CLAIMED}"})
    (out / "run.json").write_text(plan.sealed().model_dump_json())
    done = submit("prepare", out, made, "--name", "Mine", "--config", path, exits=1)
    assert not made.exists()
    assert f"its benchmark is core-50: {CLAIMED}, not mine" in done.output
