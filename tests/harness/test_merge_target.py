"""A merged run appears whole or not at all, wherever it is to go, and a merge can be repeated."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.runs import LINKS, call, config, day, invoke
from trainee_bench.harness.batch import merge_target, merged_run
from trainee_bench.harness.batch.merge_target import draft_of
from trainee_bench.harness.commands import merge as command
from trainee_bench.harness.records.results import ResultFile
from trainee_bench.harness.support.file_lock import lock


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run in two parts."""
    folder = tmp_path_factory.mktemp("made")
    path = config(folder, a=[day(LINKS)], b=[day(LINKS)])
    for number in (1, 2):
        options = ("--config", path, "--agent", "nothing", "--part", f"{number}/2")
        invoke(*options, "--out", folder / f"part{number}")
    return folder


@pytest.fixture
def parts(made: Path, tmp_path: Path) -> list[Path]:
    """Copies of the two parts."""
    return [Path(shutil.copytree(made / f"part{n}", tmp_path / f"part{n}")) for n in (1, 2)]


def said(*words: object, exits: int = 2) -> str:
    """What the command prints, in one line."""
    return " ".join(call("merge", *words, exits=exits).output.split())


def listed(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_current_folder_a_mount_point_and_a_folder_of_a_part_are_refused(
    parts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {part: listed(part) for part in parts}
    assert "part1, and a run to merge must stay" in said(*parts, "--out", parts[0] / "deep/merged")
    assert "name a folder beside it" in said(*parts, "--out", parts[1])
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    assert "the current folder" in said(*parts, "--out", ".")
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as mounted:
        mounted.setattr(Path, "is_mount", lambda path: path.name == "empty")
        assert "a mount point" in said(*parts, "--out", "empty")
    assert {part: listed(part) for part in parts} == before and listed(empty) == []


def test_an_empty_folder_is_filled(parts: list[Path], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "2 of 2 episodes" in said(*parts, "--out", tmp_path / "empty", exits=0)
    assert "run.json" in listed(tmp_path / "empty")
    assert listed(tmp_path) == ["empty", "part1", "part2"]


def test_an_interrupted_merge_tells_whether_the_run_is_whole(
    parts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    out = tmp_path / "merged"
    with monkeypatch.context() as writing:
        writing.setattr(merged_run, "_write", interrupt)
        assert "Merge them again" in said(*parts, "--out", out, exits=130)
    assert listed(tmp_path) == ["part1", "part2"]
    with monkeypatch.context() as publishing:
        publishing.setattr(command, "print_and_publish", interrupt)
        told = said(*parts, "--out", out, exits=130)
    assert "is whole" in told and f"verify {out}" in told
    call("verify", out)


def test_a_repeated_merge_finds_its_run_and_a_changed_part_is_refused(
    parts: list[Path], tmp_path: Path
) -> None:
    out = tmp_path / "merged"
    said(*parts, "--out", out, exits=0)
    plan = (out / "run.json").stat().st_mtime_ns
    assert "2 of 2 episodes" in said(*reversed(parts), "--out", out, exits=0)
    assert (out / "run.json").stat().st_mtime_ns == plan
    assert "merged from other runs" in said(parts[0], "--out", out)
    ResultFile(parts[0] / "results.jsonl").rewrite([])
    shutil.rmtree(parts[0] / "worlds")
    (parts[0] / "begun.jsonl").unlink()
    assert "these have changed since" in said(*parts, "--out", out)


def test_only_drafts_of_dead_processes_are_removed(
    parts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, host = tmp_path / "merged", merge_target._host()
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    dead = tmp_path / f".merged.{host}.{ended.pid}.draft"
    kept = [
        tmp_path / f".merged.{host}.{os.getppid()}.draft",  # runs
        tmp_path / f".merged.{host}x.{ended.pid}.draft",  # runs on another machine, perhaps
        tmp_path / f".other.{host}.{ended.pid}.draft",  # of another run
    ]
    for draft in (dead, *kept):
        draft.mkdir()
        (draft / "run.json").touch()
    with (dead / "run.json").open("rb+") as written:
        assert lock(written)  # in another container
        said(*parts, "--out", out, exits=0)
        assert dead.is_dir()
    said(*parts, "--out", tmp_path / "second", exits=0)
    assert dead.is_dir()
    shutil.rmtree(out)
    said(*parts, "--out", out, exits=0)
    assert not dead.exists() and all(draft.is_dir() for draft in kept)
    monkeypatch.setattr(socket, "gethostname", lambda: "node.1.example")
    assert draft_of(out).name == f".merged.node-1-example.{os.getpid()}.draft"


def test_a_draft_with_this_process_number_is_removed_unless_another_container_writes_it(
    parts: list[Path], tmp_path: Path
) -> None:
    out = tmp_path / "merged"
    draft = draft_of(out)
    draft.mkdir()
    (draft / "run.json").touch()
    with (draft / "run.json").open("rb+") as written:
        assert lock(written)
        assert "another merge is writing it; wait for its end" in said(*parts, "--out", out)
        assert draft.is_dir() and not out.exists()
    (draft / "left.txt").touch()
    said(*parts, "--out", out, exits=0)
    assert not draft.exists() and not (out / "left.txt").exists()


def test_a_merge_without_a_folder_removes_the_draft_of_a_killed_one(
    parts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said(*parts, exits=0)
    (made,) = (tmp_path / "runs").iterdir()
    left, other = (draft_of(made.with_name(name)) for name in (made.name, f"{made.name}-other"))
    left.mkdir()
    other.mkdir()
    said(*parts, exits=0)
    assert not left.exists() and other.is_dir()


@pytest.mark.parametrize("name", ["circle", "circle/merged", "file/merged"])
def test_a_folder_that_cannot_exist_is_named_as_it_was_given(
    parts: list[Path], tmp_path: Path, name: str
) -> None:
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "file").touch()
    before = listed(tmp_path)
    told = said(*parts, "--out", tmp_path / name)
    assert f"--out {tmp_path / name}" in told and "give --out another folder" in told
    assert ".draft" not in told and listed(tmp_path) == before


def test_a_link_in_a_circle_is_no_run(parts: list[Path], tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    assert "There is no run" in said(parts[0], tmp_path / "circle", "--out", tmp_path / "merged")


def test_a_picture_that_cannot_be_copied_is_named(
    parts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (result,) = ResultFile(parts[0] / "results.jsonl").lines()
    assert result.trajectory is not None
    pictures = (parts[0] / result.trajectory).with_suffix(".pictures")
    (pictures / "deep").mkdir(parents=True)
    (pictures / "deep/1.png").write_bytes(b"picture")
    said(*parts, "--out", tmp_path / "merged", exits=0)
    copied = tmp_path / "merged" / pictures.relative_to(parts[0]) / "deep/1.png"
    assert copied.read_bytes() == b"picture"
    copy = shutil.copyfile

    def failing(source: Path, target: Path) -> None:
        if Path(source).suffix == ".png":
            raise OSError(28, "No space left on device", str(target))
        copy(source, target)

    monkeypatch.setattr(shutil, "copyfile", failing)
    told = said(*parts, "--out", tmp_path / "other")
    assert "1.png cannot be written: No space left on device" in told and "None" not in told
