"""Run the documentation's commands: print one of the README's two, or run all others.

    python .ci/examples.py --show test    print the README's command that runs the tests
    python .ci/examples.py --run          run every block, each document in a fresh folder

A comment `<!-- ci: NAME -->` names the fenced block after it. Every other block fenced as `sh` or
`python` is run, in the order of the document, with this environment's programs on the path. Samples
of output (`printed.py`) are compared with the output of their command. Other blocks are not run.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from printed import BLOCK, ROOT, command_of, documents, find_difference, is_sample


def show(name: str) -> str:
    """Return the README's command of this name."""
    for block in BLOCK.finditer((ROOT / "README.md").read_text()):
        if block["name"] == name:
            return block["body"].strip()
    sys.exit(f"README.md has no block after <!-- ci: {name} -->")


def run_all() -> None:
    """Run every example and compare every sample; stop at the first that fails."""
    for document in documents():
        blocks = list(BLOCK.finditer(document.read_text(encoding="utf-8")))
        with tempfile.TemporaryDirectory() as folder:
            printed = ""
            for block in blocks:
                if is_sample(block["name"]):
                    command = command_of(block["name"])
                    if command is not None:
                        printed = run(document, ["bash", "-euo", "pipefail", "-c", command], folder)
                    compare(document, block["body"], printed)
                elif not block["name"] and (command_line := runnable(block)) is not None:
                    printed = run(document, command_line, folder)


def runnable(block: re.Match[str]) -> list[str] | None:
    """Return the command line that runs *block*; None for a block that is not run."""
    return {
        "sh": ["bash", "-euo", "pipefail", "-c", block["body"]],
        "python": [sys.executable, "-c", block["body"]],
    }.get(block["kind"])


def run(document: Path, command: list[str], folder: str) -> str:
    """Run *command* of *document* in *folder*; show and return its output."""
    programs = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "COLUMNS": "100"}
    print(f"-- {document.name}: {command[-1].strip()}", flush=True)
    lines = []
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    if process.returncode:
        sys.exit(f"{document.name}: exit code {process.returncode} from {command[-1].strip()}")
    return "".join(lines)


def compare(document: Path, sample: str, printed: str) -> None:
    """End the program if *sample* differs from the output *printed*."""
    if (difference := find_difference(sample, printed)) is not None:
        sys.exit(f"{document.name}: a sample differs from what is printed now: {difference}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--show", metavar="NAME")
    group.add_argument("--run", action="store_true")
    options = parser.parse_args()
    if options.show:
        print(show(options.show))
    else:
        run_all()


if __name__ == "__main__":
    main()
