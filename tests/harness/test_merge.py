"""Runs of several machines become one: nothing is lost, doubled or chosen on the way."""

from __future__ import annotations

import errno
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.harness.runs import LINKS, MEETING, call, config, day, invoke, named, read
from trainee_bench.harness.batch.merged_plan import CannotMerge, RunPart, merge_plans
from trainee_bench.harness.batch.merged_run import MergeRecord, allow_open_files, opened_parts
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.records.begun_episodes import BegunEpisodes, EpisodeEvent, RecordedEvent
from trainee_bench.harness.records.plan import DaySequenceMode
from trainee_bench.harness.records.plan_part import PlanPart
from trainee_bench.harness.records.results import EpisodeResult, ResultFile
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.submissions.rules import is_whole_benchmark
from trainee_bench.meta_tasks.benchmark import parse_benchmark

AGENTS = named("nothing", "in_order")
FIRST = "a.day_1.nothing.1"


def benchmark(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return config(folder, a=[day(LINKS)], b=[day(LINKS)], c=[day(MEETING)])


def run(folder: Path, name: str, *options: object, exits: int = 0) -> Path:
    """The folder *name* of a run of that benchmark."""
    out = folder / name
    invoke("--config", benchmark(folder), *options, "--out", out, exits=exits)
    return out


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a whole run, and the same run in two parts."""
    folder = tmp_path_factory.mktemp("made")
    run(folder, "whole", *AGENTS)
    for number in (1, 2):
        run(folder, f"part{number}", *AGENTS, "--part", f"{number}/2")
    return folder


@pytest.fixture
def parts(made: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Copies of the two parts."""
    one, two = (Path(shutil.copytree(made / f"part{n}", tmp_path / f"part{n}")) for n in (1, 2))
    return one, two


def merge(tmp_path: Path, *runs: Path, exits: int = 0) -> str:
    """What merging *runs* into tmp_path/merged prints."""
    return call("merge", *runs, "--out", tmp_path / "merged", exits=exits).output


def refused(tmp_path: Path, *runs: Path) -> str:
    """Why *runs* are not merged; nothing is left of the try."""
    before = sorted(path.name for path in tmp_path.iterdir())
    said = merge(tmp_path, *runs, exits=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    return " ".join(said.split())


def told(folder: Path) -> dict[str, EpisodeResult]:
    """The results of a run without what differs between machines."""
    same = {"wall_seconds": 0.0}
    return {result.episode: result.model_copy(update=same) for result in read(folder)}


def test_the_merged_run_is_the_run_of_one_machine(
    made: Path, parts: tuple[Path, Path], tmp_path: Path
) -> None:
    said = merge(tmp_path, *parts)
    assert "6 of 6 episodes" in said
    merged = tmp_path / "merged"
    assert RunFolder.open(merged).plan() == RunFolder.open(made / "whole").plan()
    assert told(merged) == told(made / "whole")
    assert list(told(merged)) == [spec.id for spec in RunFolder.open(merged).plan().episode_specs()]
    assert (merged / "report.html").is_file()


def test_a_merged_run_verifies_and_compares(
    made: Path, parts: tuple[Path, Path], tmp_path: Path
) -> None:
    merge(tmp_path, *reversed(parts))
    merged = tmp_path / "merged"
    assert not RunFolder.open(merged).verified
    assert "6 agree, 0 differ, 0 have no result" in call("verify", merged).output
    assert RunFolder.open(merged).verified
    assert "in_order" in call("compare", merged).output
    call("compare", merged, made / "whole", "--agent", "in_order")


def test_a_merged_run_says_where_its_episodes_came_from(
    parts: tuple[Path, Path], tmp_path: Path
) -> None:
    merge(tmp_path, *parts)
    record = MergeRecord.model_validate_json((tmp_path / "merged/merged.json").read_bytes())
    assert [part.part for part in record.parts] == ["1/2", "2/2"]
    assert [part.folder for part in record.parts] == ["part1", "part2"]
    assert sorted(e for part in record.parts for e in part.episodes) == sorted(
        told(tmp_path / "merged")
    )


def test_parts_stay_as_they_are(parts: tuple[Path, Path], tmp_path: Path) -> None:
    def contents() -> dict[Path, bytes]:
        return {f: f.read_bytes() for part in parts for f in part.rglob("*") if f.is_file()}

    before = contents()
    merge(tmp_path, *parts)
    assert contents() == before


def test_a_missing_part_is_named_and_worked_later(parts: tuple[Path, Path], tmp_path: Path) -> None:
    assert "run --resume" in merge(tmp_path, parts[0], exits=1)
    merged = tmp_path / "merged"
    assert "3 have no result" in call("verify", merged, exits=1).output
    invoke("--resume", merged)
    call("verify", merged)


def test_runs_of_some_scenarios_or_agents_are_merged(tmp_path: Path) -> None:
    runs = [
        run(tmp_path, "ab", "--scenario", "a", "--scenario", "b", "--agent", "nothing"),
        run(tmp_path, "c", "--scenario", "c", "--agent", "nothing"),
    ]
    merge(tmp_path, *runs)
    call("verify", tmp_path / "merged")
    other = run(tmp_path, "other", "--agent", "in_order")
    call("merge", tmp_path / "merged", other, "--out", tmp_path / "both")
    assert len(told(tmp_path / "both")) == 6
    call("verify", tmp_path / "both")
    record = MergeRecord.model_validate_json((tmp_path / "both/merged.json").read_bytes())
    (again,) = (part for part in record.parts if part.folder == "merged")
    assert [part.folder for part in again.parts] == ["ab", "c"]


def test_scenarios_have_the_order_of_the_benchmark_however_runs_are_given(tmp_path: Path) -> None:
    runs = [
        run(tmp_path, "ac", "--scenario", "a", "--scenario", "c", "--agent", "nothing"),
        run(tmp_path, "b", "--scenario", "b", "--agent", "nothing"),
    ]
    whole = run(tmp_path, "whole", "--agent", "nothing")
    for number, given in enumerate((runs, runs[::-1])):
        out = tmp_path / f"merged{number}"
        call("merge", *given, "--out", out)
        assert RunFolder.open(out).plan() == RunFolder.open(whole).plan()
    records = [(tmp_path / f"merged{number}/merged.json").read_bytes() for number in (0, 1)]
    assert records[0] == records[1]


@pytest.mark.parametrize("count", range(1, 9))
def test_parts_cover_every_sequence_once(tmp_path: Path, count: int) -> None:
    options = RunOptions(config=benchmark(tmp_path), agent=["nothing", "in_order"], epochs=2)
    plan = build_plan(options)
    divided = [
        plan.model_copy(update={"part": PlanPart(number=number, count=count)})
        for number in range(1, count + 1)
    ]
    joined = [sequence for part in divided for sequence in part.day_sequences()]
    assert joined == list(plan.day_sequences())
    sizes = [len(list(part.day_sequences())) for part in divided]
    assert max(sizes) - min(sizes) <= 1


def test_a_part_without_days_is_a_run_and_can_be_merged(tmp_path: Path) -> None:
    options = ("--scenario", "a", "--agent", "nothing")
    runs = [run(tmp_path, f"part{n}", *options, "--part", f"{n}/2") for n in (1, 2)]
    assert sorted(len(read(part)) for part in runs) == [0, 1]
    merge(tmp_path, *runs)
    call("verify", tmp_path / "merged")


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "1/0", "-1/3", "1/3/5", ""])
def test_a_part_that_does_not_exist_is_refused(tmp_path: Path, text: str) -> None:
    out = tmp_path / "out"
    done = invoke("--config", benchmark(tmp_path), f"--part={text}", "--out", out, exits=2)
    assert "such as 3/16" in " ".join(done.output.split())
    assert not out.exists()


def test_a_resumed_part_stays_that_part(made: Path, tmp_path: Path) -> None:
    part = Path(shutil.copytree(made / "part2", tmp_path / "part2"))
    ResultFile(part / "results.jsonl").rewrite(read(part)[:1])
    invoke("--resume", part)
    assert set(told(part)) == set(told(made / "part2"))
    call("verify", part)


def test_a_copied_part_is_refused(parts: tuple[Path, Path], tmp_path: Path) -> None:
    copy = Path(shutil.copytree(parts[0], tmp_path / "copy"))
    said = refused(tmp_path, *parts, copy)
    assert f"{FIRST} is in {parts[0]} and in {copy}" in said and "the same result in both" in said
    assert "is given twice" in refused(tmp_path, parts[0], parts[0] / ".." / parts[0].name)


def test_nobody_chooses_the_better_of_two_tries(parts: tuple[Path, Path], tmp_path: Path) -> None:
    again = run(tmp_path, "again", *AGENTS, "--part", "1/2")
    said = refused(tmp_path, *parts, again)
    first, second = (ResultFile(part / "results.jsonl").lines()[0] for part in (parts[0], again))
    state = "the same result" if first == second else "different results"  # fast tries may agree
    assert f"{FIRST} is in {parts[0]} and in {again}" in said and state in said


def test_a_day_that_two_runs_began_is_refused(parts: tuple[Path, Path], tmp_path: Path) -> None:
    begun = Path(shutil.copytree(parts[0], tmp_path / "begun"))
    (begun / "results.jsonl").unlink()
    (begun / "begun.jsonl").unlink()
    spec = next(iter(RunFolder.open(begun).plan().episode_specs()))
    BegunEpisodes(begun).begin(spec, 1)
    said = refused(tmp_path, begun, *parts)
    assert f"{FIRST} is in " in said and f" in {begun}" in said and f" in {parts[0]}" in said
    assert "0 of 6 episodes" in merge(tmp_path, begun, exits=1)


def test_scenarios_of_one_name_with_other_content_are_refused(tmp_path: Path) -> None:
    one = run(tmp_path, "one", "--scenario", "a", "--agent", "nothing")
    two = run(tmp_path, "two", "--agent", "nothing", "--seed", 6)
    said = refused(tmp_path, one, two)
    assert "The scenario a" in said and "differ in seed (5 and 6)" in said


def test_other_settings_are_refused(parts: tuple[Path, Path], tmp_path: Path) -> None:
    other = run(tmp_path, "other", *AGENTS, "--part", "2/2", "--max-steps", 9)
    assert "differ in limits" in refused(tmp_path, parts[0], other)
    other = run(tmp_path, "more", *AGENTS, "--part", "2/3")
    assert "is part 1/2 and" in refused(tmp_path, parts[0], other)
    other = run(tmp_path, "alone", "--agent", "nothing", "--part", "2/2")
    assert "parts of different runs" in refused(tmp_path, parts[0], other)


def test_execution_may_differ_between_machines(parts: tuple[Path, Path], tmp_path: Path) -> None:
    options = ("--part", "2/2", "--max-concurrency", 1)
    merge(tmp_path, parts[0], run(tmp_path, "slow", *AGENTS, *options))
    call("verify", tmp_path / "merged")


def test_changed_lines_and_records_are_refused(parts: tuple[Path, Path], tmp_path: Path) -> None:
    file = ResultFile(parts[0] / "results.jsonl")
    lines = file.lines()
    file.rewrite([lines[0].model_copy(update={"score": 0.25}), *lines[1:]])
    assert "is not in order" in refused(tmp_path, *parts)
    file.rewrite([*lines, lines[0]])
    assert "has several lines" in refused(tmp_path, *parts)
    file.rewrite(lines)
    record = parts[0] / "begun.jsonl"
    record.write_bytes(b"".join(record.read_bytes().splitlines(keepends=True)[1:]))
    assert "does not follow" in refused(tmp_path, *parts)


def test_a_changed_plan_is_refused(parts: tuple[Path, Path], tmp_path: Path) -> None:
    plan = json.loads((parts[0] / "run.json").read_text(encoding="utf-8"))
    plan["part"] = {"number": 2, "count": 2}
    (parts[0] / "run.json").write_text(json.dumps(plan), encoding="utf-8")
    assert "was changed" in refused(tmp_path, *parts)


def test_a_missing_world_is_named(parts: tuple[Path, Path], tmp_path: Path) -> None:
    (parts[0] / f"worlds/{FIRST}.world").unlink()
    assert f"worlds/{FIRST}.world is missing" in refused(tmp_path, *parts)


def test_a_swapped_world_is_found_by_verifying(parts: tuple[Path, Path], tmp_path: Path) -> None:
    worlds = parts[0] / "worlds"
    shutil.copyfile(worlds / "a.day_1.in_order.1.world", worlds / f"{FIRST}.world")
    merge(tmp_path, *parts)
    assert "1 differs" in call("verify", tmp_path / "merged", exits=1).output


def test_a_link_out_of_a_part_is_refused(parts: tuple[Path, Path], tmp_path: Path) -> None:
    (parts[0] / "logs").symlink_to(tmp_path)
    assert "link out of the run's folder" in refused(tmp_path, *parts)


def test_a_part_in_use_is_refused(parts: tuple[Path, Path], tmp_path: Path) -> None:
    with RunFolder.open(parts[0]).locked():
        assert "Another process works on the run" in refused(tmp_path, *parts)


def test_a_folder_that_is_no_run_and_a_taken_one_are_refused(
    parts: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    assert "There is no run" in refused(tmp_path, *parts, tmp_path / "empty")
    (tmp_path / "merged").mkdir()
    (tmp_path / "merged/mine.txt").touch()
    assert "it exists already" in refused(tmp_path, *parts)
    (tmp_path / "merged/mine.txt").unlink()
    merge(tmp_path, *parts)


def test_a_full_disk_leaves_nothing_behind(
    parts: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(target))

    monkeypatch.setattr(shutil, "copyfile", full)
    assert "No space left on device" in refused(tmp_path, *parts)


def test_other_conditions_of_a_machine_are_refused(parts: tuple[Path, Path]) -> None:
    with opened_parts(parts) as (one, two):
        changed = []
        for result in two.results:
            assert result.identity is not None
            identity = result.identity.model_copy(update={"npc_brain": "a model"})
            changed.append(result.model_copy(update={"identity": identity}))
        other = RunPart(two.folder, two.plan, tuple(changed), two.events)
        with pytest.raises(CannotMerge, match="other conditions .* npc_brain is a model"):
            merge_plans([one, other])


def test_badges_of_own_offices_are_joined_and_count_only_where_all_runs_agree(
    parts: tuple[Path, Path],
) -> None:
    with opened_parts(parts) as (one, two):
        left = {"x.first": "stated · 1 seed · 1 claim", "x.both": "stated · 3 seeds · 1 claim"}
        right = {"x.both": "not certified", "x.second": "not certified"}
        joined = merge_plans(
            [
                replace(one, plan=one.plan.model_copy(update={"badges": left})),
                replace(two, plan=two.plan.model_copy(update={"badges": right})),
            ]
        )
    assert joined.badges == {
        "x.both": "not certified on every machine",
        "x.first": "stated · 1 seed · 1 claim",
        "x.second": "not certified",
    }


def test_days_that_depend_on_other_scenarios_are_refused(
    parts: tuple[Path, Path], tmp_path: Path
) -> None:
    two_days = {"a": [day(LINKS)] * 2, "b": [day(LINKS)] * 2, "c": [day(MEETING)] * 2}
    two_days["d"] = two_days["c"]
    whole = build_plan(RunOptions(config=config(tmp_path, **two_days), agent=["nothing"]))
    agent = whole.agents[0].model_copy(update={"day_sequence": DaySequenceMode.AFTER_OTHERS})

    def part(*names: str) -> RunPart:
        """A run of scenarios that began the last day of one, which follows a day of another."""
        chosen = tuple(scenario for scenario in whole.scenarios if scenario.name in names)
        plan = whole.model_copy(update={"scenarios": chosen, "agents": (agent,)})
        spec = next(s for s in plan.episode_specs() if s.id.startswith(f"{names[-1]}.day_2"))
        began = RecordedEvent(
            event=EpisodeEvent.BEGUN, episode=spec.id, digest=spec.digest, tries=1, previous=""
        )
        return RunPart(RunFolder(parts[0]), plan, (), (began,))

    other = replace(part("a", "b", "d", "c"), events=())
    merge_plans([part("b", "c")])
    with pytest.raises(CannotMerge, match="would be another episode"):
        merge_plans([other, part("b", "c")])


def test_a_part_is_no_submission_even_with_every_day(tmp_path: Path) -> None:
    path = benchmark(tmp_path)
    plan = build_plan(RunOptions(config=path, agent=["nothing"], epochs=2, part="1/2"))
    assert {spec.attempt for spec in plan.episode_specs()} == {1}
    assert not is_whole_benchmark(plan, parse_benchmark(path.read_text(encoding="utf-8")))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_many_runs_raise_the_limit_of_open_files_or_are_refused() -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (300, hard))
        allow_open_files(20)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 300
        allow_open_files(700)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= 956
        if hard != resource.RLIM_INFINITY:
            with pytest.raises(CannotMerge, match="in groups"):
                allow_open_files(hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
