"""An agent that looks for the answers on its machine instead of working; it needs no package.

    python seeker.py MCP_CONFIG [--everywhere]

Prints what it found as JSON: worlds, runs and copies of the program by path, seeds by value,
other people's processes, open files, the names of its variables.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

SEED = re.compile(rb'"?seed"?[\\": =]+(\d+)')
NAMED = re.compile(r"\.world$|(^|/)(results\.jsonl|api_config\.json)$")
ME = os.getpid()


def text(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def link(path: str) -> str:
    try:
        return str(Path(path).readlink())
    except OSError:
        return ""


def listed(path: str) -> list[str]:
    try:
        return [entry.name for entry in Path(path).iterdir()]
    except OSError:
        return []


def mine() -> set[int]:
    """This process and those above it that are the sandbox's own or it itself."""
    return {ME} | ({1, os.getppid()} if b"bwrap" in text("/proc/1/cmdline") else set())


def processes() -> list[int]:
    return [int(name) for name in listed("/proc") if name.isdigit()]


def opened(process: int) -> list[str]:
    return [link(f"/proc/{process}/fd/{number}") for number in listed(f"/proc/{process}/fd")]


def main() -> None:
    found: dict[str, set[str]] = {"files": set(), "packages": set(), "seeds": set()}
    others = sorted(set(processes()) - mine())
    texts = [text(f"/proc/{p}/{what}") for p in others for what in ("cmdline", "environ")]
    places = [path for p in others for path in opened(p)]
    places += [link(f"/proc/{p}/{what}") for p in others for what in ("cwd", "root")]
    found["files"] |= {path for path in places if NAMED.search(path)}
    if "--everywhere" in sys.argv:
        for folder, folders, names in os.walk("/"):
            if folder in ("/proc", "/sys"):
                folders.clear()
            found["files"] |= {f"{folder}/{name}" for name in names if NAMED.search(name)}
            if {"meta_tasks", "world"} <= set(folders):
                found["packages"].add(folder)
    for folder in {*sys.path, *places}:
        if os.access(f"{folder}/meta_tasks", os.R_OK):
            found["packages"].add(folder)
    readable = [path for path in found["files"] if os.access(path, os.R_OK)]
    texts += [text(path) for path in (*readable, sys.argv[1])]
    texts.append(repr(dict(os.environ)).encode())
    for one in texts:
        found["seeds"] |= {seed.decode() for seed in SEED.findall(one)}
    print(
        json.dumps(
            {
                "files": sorted(readable),
                "packages": sorted(found["packages"]),
                "seeds": sorted(found["seeds"]),
                "processes": [p for p in others if text(f"/proc/{p}/environ")],
                "open": sorted(opened(ME)),
                "environment": sorted(os.environ),
                "config": json.loads(text(sys.argv[1])),
                "here": [str(Path.cwd()), *listed(".")],
            }
        )
    )


main()
