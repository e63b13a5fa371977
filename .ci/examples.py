"""The commands that the documentation shows: print one of the README's two, or run all others.

    python .ci/examples.py --show test    print the README's command that runs the tests
    python .ci/examples.py --run          run every block, each document in a fresh folder

A comment `<!-- ci: NAME -->` names the fenced block after it. Every other block fenced as `sh` or
`python` is run, in the order of the document, with this environment's programs on the path.
Blocks of other kinds are not run.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(
    r"(?:<!-- ci: (?P<name>\w+) -->\n)?```(?P<kind>\w*)\n(?P<body>.*?)```", re.DOTALL
)


def documents() -> list[Path]:
    """The README and all documents, in a fixed order."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def show(name: str) -> str:
    """The README's command of this name."""
    for block in BLOCK.finditer((ROOT / "README.md").read_text()):
        if block["name"] == name:
            return block["body"].strip()
    sys.exit(f"README.md has no block after <!-- ci: {name} -->")


def run_all() -> None:
    """Run every example; stops at the first that fails."""
    programs = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "COLUMNS": "100"}
    for document in documents():
        blocks = [b for b in BLOCK.finditer(document.read_text()) if not b["name"]]
        with tempfile.TemporaryDirectory() as folder:
            for block in blocks:
                command = {
                    "sh": ["bash", "-euo", "pipefail", "-c", block["body"]],
                    "python": [sys.executable, "-c", block["body"]],
                }.get(block["kind"])
                if command is None:
                    continue
                print(f"-- {document.name}: {block['body'].strip()}", flush=True)
                subprocess.run(command, cwd=folder, env=environment, check=True)


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
