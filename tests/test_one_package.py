"""Everything is imported as ``trainee_bench``, once, however it was started.

What a wheel installs is checked by `.ci/wheel.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import trainee_bench

ROOT = Path(__file__).parent.parent
FOLDERS = ("configs", "harness", "mcp_servers", "meta_tasks", "world")
PROGRAM = """
import runpy, sys
sys.argv = ["run", "--limit", "1", "--agent", "nothing", "--out", sys.argv[1]]
try:
    runpy.run_module("harness.run", run_name="__main__", alter_sys=True)
except SystemExit as ended:
    assert not ended.code, ended.code
print(*sorted(name for name in sys.modules if name.partition(".")[0] in sys.argv0))
"""


def test_a_module_that_is_run_from_the_repository_is_imported_under_one_name(
    tmp_path: Path,
) -> None:
    program = PROGRAM.replace("sys.argv0", repr(FOLDERS))
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "run")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].split() == ["harness"], "the package that was named, empty"
    assert (tmp_path / "run" / "results.jsonl").is_file()


def test_the_package_has_every_folder_as_a_link_and_nothing_else() -> None:
    package = ROOT / "trainee_bench"
    links = {path.name for path in package.iterdir() if path.is_symlink()}
    assert links == set(FOLDERS)
    assert all((package / name).resolve() == ROOT / name for name in FOLDERS)
    files = {path.name for path in package.iterdir() if path.is_file()}
    assert files == {"__init__.py", "py.typed"}


def test_the_wheel_is_made_of_that_package_alone() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        targets = tomllib.load(file)["tool"]["hatch"]["build"]["targets"]
    assert targets["wheel"]["packages"] == [trainee_bench.__name__]
