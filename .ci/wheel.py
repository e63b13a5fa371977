"""Test a wheel: it installs one package that works beside a user's own `world` and `harness`.

    python .ci/wheel.py FOLDER     builds and installs in FOLDER, which must not exist

It builds sdist and wheel, builds the wheel again from the sdist, and compares both wheels. Then it
installs the wheel into a fresh environment (FOLDER/venv) and runs it from a folder whose modules
have the same names.
"""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "trainee_bench"
THEIRS = ("world.py", "configs/__init__.py", "harness/__init__.py", "mcp_servers.py")
"""Modules of the user's own, in the folder in which our programs run."""


def call(*command: str | Path, cwd: Path) -> None:
    """Run a command; stop here if it fails."""
    print("--", *command, flush=True)
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([str(part) for part in command], cwd=cwd, env=plain, check=True)


def environment(folder: Path) -> Path:
    """Create an environment; return its programs' folder."""
    venv.create(folder, with_pip=True)
    return folder / ("Scripts" if os.name == "nt" else "bin")


def contents(wheel: Path) -> dict[str, bytes]:
    """Return every file of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def build(folder: Path) -> Path:
    """Build sdist and wheel, and the wheel from the sdist; return the wheel if both are the
    same."""
    builder = environment(folder / "builder") / "python"
    call(builder, "-m", "pip", "install", "--quiet", "hatchling>=1.27", cwd=folder)
    call(builder, "-m", "hatchling", "build", "-d", folder / "dist", cwd=ROOT)
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    again = folder / "again"
    call(builder, "-m", "hatchling", "build", "-t", "wheel", "-d", again, cwd=unpacked)
    (wheel,), (other,) = (folder / "dist").glob("*.whl"), again.glob("*.whl")
    one, two = contents(wheel), contents(other)
    differing = sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name))
    assert not differing, f"the sdist builds a different wheel: {differing[:10]}"
    return wheel


def check_one_name(wheel: Path) -> None:
    """Check that the wheel has one top-level name, with all of the package's files."""
    files = contents(wheel)
    (record,) = (text for name, text in files.items() if name.endswith(".dist-info/RECORD"))
    names = [row[0] for row in csv.reader(io.StringIO(record.decode()))]
    top = {name.partition("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == {PACKAGE}, top
    folders = ("configs", "harness", "mcp_servers", "meta_tasks", "world")
    here = {
        f"{PACKAGE}/{path.relative_to(ROOT).as_posix()}"
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    missing = (here | {f"{PACKAGE}/__init__.py", f"{PACKAGE}/py.typed"}) - set(names)
    assert not missing, f"the wheel lacks {sorted(missing)[:10]}"


def check_site_packages(python: Path, before: set[str], folder: Path) -> set[str]:
    """Check that only that name was added to site-packages; return what is there now."""
    listing = subprocess.run(
        [python, "-c", "import os, sysconfig; print(*os.listdir(sysconfig.get_path('purelib')))"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    now = set(listing.stdout.split())
    came = {name for name in now - before if not name.endswith(".dist-info")}
    if before:
        assert came == {PACKAGE}, f"these were added to site-packages: {sorted(came)}"
    return now


def main() -> None:
    """Build, install, run."""
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir()
    wheel = build(folder)
    check_one_name(wheel)
    programs = environment(folder / "venv")
    python = programs / "python"
    call(python, "-m", "pip", "install", "--quiet", wheel, cwd=folder)
    call(python, "-m", "pip", "uninstall", "--quiet", "--yes", "trainee-bench", cwd=folder)
    others = check_site_packages(python, set(), folder)
    call(python, "-m", "pip", "install", "--quiet", "--no-deps", wheel, cwd=folder)
    check_site_packages(python, others, folder)
    theirs = folder / "theirs"
    for name in THEIRS:
        (theirs / name).parent.mkdir(parents=True, exist_ok=True)
        (theirs / name).write_text(f"raise ImportError('{name} is not Trainee-Bench')\n")
    run = ("--limit", "1", "--agent", "nothing", "--out")
    call(programs / "trainee-bench", "run", *run, "by_script", cwd=theirs)
    call(python, "-m", "trainee_bench.harness.run", *run, "by_module", cwd=theirs)
    for name in ("by_script", "by_module"):
        assert (theirs / name / "results.jsonl").stat().st_size > 0, name
    print(f"{wheel.name} installs {PACKAGE} alone, and works beside {', '.join(THEIRS)}")


if __name__ == "__main__":
    main()
