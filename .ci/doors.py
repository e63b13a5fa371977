"""Run the parity test of every door, each in a separate virtual environment, and print a table.

    python .ci/doors.py FOLDER [NAME …]    makes environments in FOLDER; NAME is a door's file

An environment is made from harness/parity/requirements/NAME.txt: requirements for pip, and comments
of these forms.

    #: python 3.12         it needs this Python or a newer one
    #: npm PACKAGE         a package for npm
    #: no-deps PACKAGE     installed after the rest, without its dependencies
    #: tests PATH          tests that need these packages

A door without such a file needs nothing. Exit code 1 if a door differs from the seat, or its tests
fail. Doors that cannot be installed are not run, and the table says so.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.parity.check import DoorReport, parity_document
from trainee_bench.harness.parity.door import Door, find_doors

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "harness" / "parity" / "requirements"
NEWER_PYTHONS = ("3.12", "3.13")
WIDTH = 160
"""Width of the tables, in characters."""
INSTALLING, PLAYING = 1800, 1800
"""Seconds after which an installation, or all doors of a file, are given up."""


class NotInstalled(Exception):
    """A door's requirements are not available here; the message says why."""


@dataclass
class Needs:
    """Requirements of a door besides those for pip."""

    pip: bool = False
    """Whether the door has requirements for pip."""
    python: str = ""
    npm: tuple[str, ...] = ()
    without_dependencies: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()

    @classmethod
    def read(cls, file: Path) -> Needs:
        """Return the comments in *file*; without a file nothing is needed."""
        needs = cls()
        if not file.exists():
            return needs
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("#: "):
                match line[3:].split():
                    case ["python", version]:
                        needs.python = version
                    case ["npm", *packages]:
                        needs.npm += tuple(packages)
                    case ["no-deps", *packages]:
                        needs.without_dependencies += tuple(packages)
                    case ["tests", *paths]:
                        needs.tests += tuple(paths)
                    case _:
                        sys.exit(f"{file}: {line} is of no known form")
            elif line.strip() and not line.startswith("#"):
                needs.pip = True
        return needs


def main() -> None:
    """Install and run the doors, file by file."""
    folder, *names = sys.argv[1:]
    environments = Path(folder).resolve()
    by_file: dict[str, list[Door]] = {}
    for door in find_doors(names):
        by_file.setdefault(door.file(), []).append(door)
    reports: list[DoorReport] = []
    failed: list[str] = []
    for file, doors in by_file.items():
        print(f"\n-- {file}", flush=True)
        try:
            python = installed(file, environments, apart=doors[0].apart)
        except NotInstalled as why:
            print(why)
            reports += [DoorReport(door=door.name, not_run=str(why)) for door in doors]
            continue
        reports += played(file, doors, python, environments)
        if not tests_pass(file, python):
            failed.append(file)
    print_document(parity_document(reports), Console(width=WIDTH))
    if any(not report.same for report in reports if not report.not_run):
        sys.exit("not every door gives the same as the seat")
    if failed:
        sys.exit(f"tests fail: {', '.join(failed)}")


def installed(file: str, environments: Path, *, apart: bool) -> str:
    """Make the environment of the doors in *file*; return the interpreter that runs them.

    Raises NotInstalled.
    """
    requirements = REQUIREMENTS / f"{file}.txt"
    needs = Needs.read(requirements)
    environment = environments / file
    python = sys.executable
    if not (needs.pip or needs.npm or needs.without_dependencies):
        return python
    own = f"{ROOT}[test]" if needs.tests else ROOT
    wanted: list[str | Path] = [] if apart else ["--editable", own]
    wanted += ["--requirement", requirements] if needs.pip else []
    if wanted:
        call(python_for(needs.python), "-m", "venv", environment)
        python = str(environment / "bin" / "python")
        call(python, "-m", "pip", "install", "--quiet", *wanted)
    if needs.without_dependencies:
        call(python, "-m", "pip", "install", "--quiet", "--no-deps", *needs.without_dependencies)
    if needs.npm:
        if shutil.which("npm") is None:
            raise NotInstalled("npm is not on this machine")
        call("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", environment,
             *needs.npm)  # fmt: skip
    return sys.executable if apart else python


def python_for(version: str) -> str:
    """Return an interpreter of *version* or newer, this one if "". Raises NotInstalled."""
    if tuple(map(int, version.split(".") if version else ())) <= sys.version_info:
        return sys.executable
    for newer in NEWER_PYTHONS[NEWER_PYTHONS.index(version) :]:
        for found in (shutil.which(f"python{newer}"), from_pyenv(newer)):
            if found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0:
                return found
    raise NotInstalled(f"Python {version} is not on this machine")


def from_pyenv(version: str) -> str | None:
    """Return the interpreter of *version* that pyenv has, if any.

    Its command on the path works only for selected versions.
    """
    if shutil.which("pyenv") is None:
        return None
    ask = ["pyenv", "whence", f"python{version}"]
    there = subprocess.run(ask, capture_output=True, text=True, check=False).stdout.split()
    for name in reversed(there):
        prefix = subprocess.run(
            ["pyenv", "prefix", name], capture_output=True, text=True, check=False
        )
        if prefix.returncode == 0:
            return f"{prefix.stdout.strip()}/bin/python{version}"
    return None


def call(*command: str | Path) -> None:
    """Run a part of an installation. Raises NotInstalled with the end of its output."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words, cwd=ROOT, env=plain(), capture_output=True, text=True, timeout=INSTALLING
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalled(f"{words[0]}: {error}") from None
    if done.returncode:
        output = (done.stderr or done.stdout).strip().rpartition("\n")[2]
        raise NotInstalled(f"its installation failed: {output[:300]}")


def played(file: str, doors: list[Door], python: str, environments: Path) -> list[DoorReport]:
    """Return the reports of the doors in *file*. A program that fails counts as a difference."""
    told = environments / f"{file}.json"
    command = [python, "-m", "trainee_bench.harness", "parity", file, "--json", str(told),
               "--environments", str(environments)]  # fmt: skip
    try:
        subprocess.run(command, cwd=environments, env=plain(), check=False, timeout=PLAYING)
    except subprocess.TimeoutExpired:
        print(f"it did not end within {PLAYING} s")
    if not told.exists():
        sys.exit(f"the doors of {file} ended without a table")
    reports = [DoorReport.model_validate(report) for report in json.loads(told.read_text())]
    assert {report.door for report in reports} == {door.name for door in doors}
    return reports


def tests_pass(file: str, python: str) -> bool:
    """Whether the tests pass that need the packages of the doors of *file*."""
    tests = Needs.read(REQUIREMENTS / f"{file}.txt").tests
    if not tests:
        return True
    command = [python, "-m", "pytest", "-q", "-m", "sweep or not sweep", *tests]
    return subprocess.run(command, cwd=ROOT, env=plain(), check=False).returncode == 0


def plain() -> dict[str, str]:
    """Return this environment without variables that would affect those of doors."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**kept, "COLUMNS": str(WIDTH)}


if __name__ == "__main__":
    main()
