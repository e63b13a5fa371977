"""A program that searches its machine for the answers finds nothing, or its result says that it
could have."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.harness.runs import LINKS, config, day, invoke, read
from tests.mcp_servers.sandbox.boxes import ROOT, needs_bubblewrap
from trainee_bench.harness.agents.external import isolation_checks
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.records.plan import ExecutorName, PlanError
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.mcp_servers.sandbox.bubblewrap import visible_folders

SEEKER = Path(__file__).parent / "programs" / "seeker.py"
SEED = 918_273_645
NOBODY = "nobody"
LINE = "true {mcp_config}"

needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or not any(user.pw_name == NOBODY for user in pwd.getpwall()),
    reason="only root can be somebody else",
)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder with the program, which any user can enter."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    shutil.copy(SEEKER, folder / "seeker.py")
    (folder / "seeker.py").chmod(0o644)
    yield folder
    shutil.rmtree(folder)


def found(folder: Path, place: Path, *more: str) -> tuple[EpisodeResult, dict[str, Any]]:
    """What the seeker finds in a day on whose worlds and configuration stands the seed."""
    path, out = config(folder, one=[day(LINKS)]), folder / "out"
    path.write_text(path.read_text().replace('"seed": 5', f'"seed": {SEED}'))
    everywhere = ("--everywhere",) if "sandbox" in more else ()
    line = " ".join((visible_folders()[1], f"{place}/seeker.py", "{mcp_config}", *everywhere))
    invoke("--config", path, "--agent-command", line, *more, "--out", out)
    (result,) = read(out)
    printed = (out / "logs" / f"{result.episode}.txt").read_text(encoding="utf-8")
    assert result.agent_error is None, printed
    seen: dict[str, Any] = json.loads(printed)
    return result, seen


def isolation(result: EpisodeResult) -> str:
    assert result.identity is not None
    return result.identity.isolation


@needs_bubblewrap
def test_without_isolation_the_answers_are_found_and_the_result_says_none(
    tmp_path: Path, place: Path
) -> None:
    result, seen = found(tmp_path, place)
    assert isolation(result) == "none"
    assert any(file.endswith(".world") for file in seen["files"])
    assert str(SEED) in seen["seeds"]


@needs_bubblewrap
def test_in_a_sandbox_nothing_is_found_anywhere(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-not-for-it")
    allowed = ("--agent-allow", str(place))
    result, seen = found(tmp_path, place, "--agent-isolation", "sandbox", *allowed)
    assert isolation(result) == "sandbox"
    assert (seen["files"], seen["packages"], seen["seeds"], seen["processes"]) == ([], [], [], [])
    assert {name.split(":")[0] for name in seen["open"]} <= {"/dev/null", "pipe", ""} | {
        name for name in seen["open"] if name.startswith("/proc/")
    }
    assert set(seen["environment"]) <= {"HOME", "LANG", "LC_CTYPE", "PATH", "PWD", "TERM"}
    assert seen["here"] == ["/office/home"]
    (server,) = seen["config"]["mcpServers"].values()
    assert set(server) == {"type", "url", "headers"} and list(server["headers"]) == [
        "Authorization"
    ]


@needs_root
@needs_bubblewrap
def test_another_user_can_read_neither_the_run_nor_our_process(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        isolation_checks, "PROJECT_ROOT", tmp_path
    )  # as if this program were closed to others
    tmp_path.chmod(0o755)
    result, seen = found(tmp_path, place, "--agent-isolation", f"user:{NOBODY}")
    assert isolation(result) == "user"
    assert (seen["files"], seen["seeds"]) == ([], [])
    ours = Path(f"/proc/{os.getpid()}")
    assert os.getpid() not in seen["processes"] and ours.exists()
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o700


# what would not hold is refused --------------------------------------------------------------


@needs_root
def test_another_user_who_could_read_this_program_or_its_seeds_is_refused(tmp_path: Path) -> None:
    program = Path(tempfile.mkdtemp())
    program.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolation_checks, "PROJECT_ROOT", program)
        for package in ("world", "harness", "meta_tasks"):
            folder = program / "trainee_bench" / package
            folder.mkdir(parents=True)
            (folder / "__init__.py").touch(0o644)
        asked = RunOptions(agent_command=[LINE], agent_isolation=f"user:{NOBODY}")
        with pytest.raises(PlanError, match=rf"could read {program}.*isolation sandbox"):
            build_plan(asked)
        program.chmod(0o700)
        plan = build_plan(asked)
        assert (plan.agents[0].isolation, plan.max_concurrency) == ("user:nobody", 1)
        public = Path(tempfile.mkdtemp())
        public.chmod(0o755)
        path = config(public, one=[day(LINKS)])
        path.chmod(0o644)
        with pytest.raises(PlanError, match=f"could read {path}"):
            build_plan(
                RunOptions(config=path, agent_command=[LINE], agent_isolation=f"user:{NOBODY}")
            )
    shutil.rmtree(program)
    shutil.rmtree(public)


@pytest.mark.parametrize(
    "asked, why",
    [
        (RunOptions(agent_isolation="user:no-such-user"), "no such user"),
        (RunOptions(agent_isolation="user:root"), "can read everything|only root"),
        (RunOptions(agent_isolation=f"user:{NOBODY}", seed=7), "--seed can be read by every user"),
    ],
)
def test_users_that_would_be_no_isolation_are_refused(asked: RunOptions, why: str) -> None:
    with pytest.raises(PlanError, match=why):
        build_plan(
            RunOptions(agent_command=[LINE], agent_isolation=asked.agent_isolation, seed=asked.seed)
        )


def test_programs_of_one_user_may_not_run_at_the_same_time_for_they_see_each_other() -> None:
    asked = RunOptions(agent_command=[LINE], agent_isolation="user:somebody", max_concurrency=2)
    with pytest.raises(PlanError, match="can read each other's address"):
        build_plan(asked)


@needs_bubblewrap
@pytest.mark.parametrize("allowed", [ROOT, ROOT.parent, ROOT / "world", Path("/")])
def test_a_sandbox_that_would_show_this_program_is_refused(allowed: Path) -> None:
    with pytest.raises(PlanError, match="would show the agent this program"):
        build_plan(
            RunOptions(agent_command=[LINE], agent_isolation="sandbox", agent_allow=[allowed])
        )


@needs_bubblewrap
@pytest.mark.parametrize("allowed", ["/proc", "/proc/1", "/run", "their scratch folders"])
def test_a_sandbox_that_would_show_other_programs_is_refused(
    allowed: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not allowed.startswith("/"):
        monkeypatch.setattr(tempfile, "tempdir", str(place / "tmp"))
        allowed = str(place)
    with pytest.raises(PlanError, match="what other programs are doing"):
        build_plan(
            RunOptions(agent_command=[LINE], agent_isolation="sandbox", agent_allow=[Path(allowed)])
        )


@needs_bubblewrap
def test_no_isolation_is_promised_beside_a_cluster_that_obeys_everybody(tmp_path: Path) -> None:
    plan = build_plan(RunOptions(agent_command=[LINE], agent_isolation="sandbox"))
    isolation_checks.check_run_hidden(tmp_path, plan)
    with pytest.raises(PlanError, match="would not hold with --executor ray"):
        isolation_checks.check_run_hidden(
            tmp_path, plan.model_copy(update={"executor": ExecutorName.RAY})
        )


@needs_bubblewrap
def test_a_sandbox_that_would_show_another_copy_of_this_program_is_refused(place: Path) -> None:
    (place / "lib/python3.11/site-packages/trainee_bench/meta_tasks").mkdir(parents=True)
    with pytest.raises(PlanError, match="separate environment"):
        build_plan(RunOptions(agent_command=[LINE], agent_isolation="sandbox", agent_allow=[place]))


@needs_bubblewrap
def test_a_run_that_would_lie_where_the_command_looks_is_refused(place: Path) -> None:
    options = ("--agent-isolation", "sandbox", "--agent-allow", place)
    for out in (place, place / "runs" / "one"):
        done = invoke("--agent-command", LINE, *options, "--out", out, exits=2)
        assert "the command sees" in done.output
    assert [file.name for file in place.iterdir()] == ["seeker.py"]


@needs_bubblewrap
def test_a_program_that_the_sandbox_does_not_have_is_refused_with_what_to_allow(
    tmp_path: Path,
) -> None:
    program = tmp_path / "agent"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    line = f"{program} {{mcp_config}}"
    with pytest.raises(PlanError, match=r"cannot be run there.*--agent-allow"):
        build_plan(RunOptions(agent_command=[line], agent_isolation="sandbox"))


def test_without_bubblewrap_a_sandbox_is_refused_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agent").write_text("#!/bin/sh\n")
    (tmp_path / "agent").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PlanError, match="apt-get install bubblewrap"):
        build_plan(RunOptions(agent_command=["agent {mcp_config}"], agent_isolation="sandbox"))
