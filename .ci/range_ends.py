"""Install and test the lower end of every range of versions in pyproject.toml.

    python .ci/range_ends.py FOLDER     makes environments in FOLDER, which must not exist

With the lowest versions that we admit it runs `TELLING`, in the oldest Python that is tested; the
README's test command does so with the newest. With each other Python of `PYTHONS` on this machine
it runs `TELLING` with the newest versions. It reports the Pythons that are missing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.12", "3.13")
TELLING = (
    "tests/mcp_servers/serving", "tests/mcp_servers/test_stdio.py",
    "tests/mcp_servers/test_office.py", "tests/mcp_servers/llm", "tests/harness/clients",
    "tests/harness/episodes/test_transports.py", "tests/harness/models", "tests/harness/session",
    "tests/harness/test_cli.py", "tests/world/test_world.py", "tests/world/pictures",
    "tests/world/colleagues/understanding/test_word_vectors.py",
)  # fmt: skip
"""Tests that use our dependencies most: servers, transports, models, commands, files."""
RANGE = re.compile(r"(?P<name>[\w.-]+)(?P<bound>>=|==)(?P<floor>[\w.]+)")


def call(*command: str | Path) -> None:
    """Run a command at the root; stop here if it fails."""
    print("--", *command, flush=True)
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([str(part) for part in command], cwd=ROOT, env=plain, check=True)


def floors() -> list[str]:
    """Return the lowest version of each dependency, including extras.

    Stops at a dependency without one.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [name for extra in project["optional-dependencies"].values() for name in extra]
    lowest = []
    for requirement in [*project["dependencies"], *extras]:
        if requirement.startswith(project["name"]):
            continue
        found = RANGE.match(requirement)
        assert found, f"{requirement} has no lowest version, so an old version may be installed"
        lowest.append(f"{found['name']}=={found['floor']}")
    return lowest


def tested(python: Path, *constraints: str | Path) -> None:
    """Install the tests' environment around *python* and run `TELLING`."""
    limits = [word for path in constraints for word in ("--constraint", path)]
    call(python, "-m", "pip", "install", "--quiet", "--editable", ".[test]", *limits)
    quickstart = python.parent.parent / "quickstart"
    # Deprecations among old versions of others are not ours to fix.
    quietly = ("-W", "default::DeprecationWarning") if constraints else ()
    call(python, "-m", "pytest", "-q", "-n", "auto", *quietly, *TELLING)
    call(python, "-m", "trainee_bench.harness", "run", "--limit", "1", "--out", quickstart)


def other_python(version: str, folder: Path) -> Path | None:
    """Return the interpreter of a new environment of Python *version*; None if it is missing
    here."""
    program = shutil.which(f"python{version}")
    if program is None:
        return None
    made = subprocess.run([program, "-m", "venv", folder], capture_output=True, check=False)
    return folder / "bin" / "python" if made.returncode == 0 else None


def main() -> None:
    """Test the ends one after the other."""
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir()
    constraints = folder / "lowest.txt"
    constraints.write_text("\n".join(floors()) + "\n")
    venv.create(folder / "lowest", with_pip=True)
    print("with the lowest versions:", *floors())
    tested(folder / "lowest" / "bin" / "python", constraints)
    for version in PYTHONS:
        python = other_python(version, folder / version)
        if python is None:
            print(f"Python {version} is not on this machine, so nothing was run with it")
        else:
            tested(python)


if __name__ == "__main__":
    main()
