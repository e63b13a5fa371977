"""The bundle that desktop clients install with a click, and the entry for the MCP registry.

    NAME.mcpb      a zip: manifest.json (layout 0.4), pyproject.toml, src/server.py
    server.json    the registry's entry (schema of 2025-12-11)

Both refer to the published package, which ``uv`` installs on the client's machine.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping

from pydantic import JsonValue

PACKAGE = "trainee-bench"
MANIFEST_VERSION = "0.4"
"""The first manifest version whose servers uv may start."""
REGISTRY_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
ABOUT = "A simulated company in which an AI agent works its first days, graded by code."
"""At most 100 characters, for the registry."""
_LICENSE = "Apache-2.0"
_PYTHON = ">=3.11"
_KEYWORDS: list[JsonValue] = ["agents", "benchmark", "evaluation", "simulation"]
_REGISTRY_NAME = re.compile(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+")
_VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?")
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the bundle, so that equal bundles have equal bytes."""
_SERVER = '''"""Serve the day whose world the client names."""

from trainee_bench.mcp_servers.__main__ import main

if __name__ == "__main__":
    main()
'''


class CannotBundle(Exception):
    """Raised for arguments that make no valid bundle; the message says what would."""


def registry_entry(name: str, version: str) -> dict[str, JsonValue]:
    """Return the content of server.json for the published *version*. *name* has the form
    OWNER/SERVER with an owner such as ``io.github.USER``. Raises CannotBundle."""
    _check_version(version)
    if not _REGISTRY_NAME.fullmatch(name) or len(name) > 200:
        raise CannotBundle(f"{name!r} is not a registry name, such as io.github.USER/{PACKAGE}.")
    serve: dict[str, JsonValue] = {"type": "positional", "value": "serve"}
    world: dict[str, JsonValue] = {
        "type": "named",
        "name": "--world",
        "description": "World file of the day; created if it does not exist",
        "format": "filepath",
        "isRequired": True,
    }
    scenario: dict[str, JsonValue] = {
        "type": "named",
        "name": "--scenario",
        "description": "Scenario whose first day is created",
        "default": "first_day",
    }
    package: dict[str, JsonValue] = {
        "registryType": "pypi",
        "identifier": PACKAGE,
        "version": version,
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": [serve, world, scenario],
    }
    return {
        "$schema": REGISTRY_SCHEMA,
        "name": name,
        "title": "Trainee-Bench",
        "description": ABOUT,
        "version": version,
        "packages": [package],
    }


def manifest(version: str, author: str) -> dict[str, JsonValue]:
    """Return the content of the bundle's manifest.json. Raises CannotBundle."""
    _check_version(version)
    if not author.strip():
        raise CannotBundle("A bundle needs an author.")
    arguments: list[JsonValue] = [
        "run", "--directory", "${__dirname}", "src/server.py",
        "--world", "${user_config.folder}/${user_config.scenario}.world",
        "--scenario", "${user_config.scenario}",
    ]  # fmt: skip
    folder: dict[str, JsonValue] = {
        "type": "directory",
        "title": "Folder",
        "description": "Folder for the world file of each scenario; it must exist.",
        "default": "${DOCUMENTS}",
        "required": True,
    }
    scenario: dict[str, JsonValue] = {
        "type": "string",
        "title": "Scenario",
        "description": "Scenario whose first day to work, such as first_day.",
        "default": "first_day",
        "required": True,
    }
    return {
        "manifest_version": MANIFEST_VERSION,
        "name": PACKAGE,
        "display_name": "Trainee-Bench",
        "version": version,
        "description": ABOUT,
        "author": {"name": author},
        "license": _LICENSE,
        "keywords": _KEYWORDS,
        "server": {
            "type": "uv",
            "entry_point": "src/server.py",
            "mcp_config": {"command": "uv", "args": arguments},
        },
        "tools_generated": True,
        "user_config": {"folder": folder, "scenario": scenario},
        "compatibility": {
            "platforms": ["darwin", "linux", "win32"],
            "runtimes": {"python": _PYTHON},
        },
    }


def bundle_bytes(version: str, author: str) -> bytes:
    """Return the whole .mcpb file; equal arguments give equal bytes. Raises CannotBundle."""
    project = (
        "[project]\n"
        f'name = "{PACKAGE}-bundle"\n'
        f'version = "{version}"\n'
        f'requires-python = "{_PYTHON}"\n'
        f'dependencies = ["{PACKAGE}=={version}"]\n'
    )
    files = {
        "manifest.json": json_text(manifest(version, author)),
        "pyproject.toml": project,
        "src/server.py": _SERVER,
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in files.items():
            info = zipfile.ZipInfo(name, _LONG_AGO)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, text)
    return made.getvalue()


def json_text(value: Mapping[str, JsonValue]) -> str:
    """Return *value* as a file's text."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _check_version(version: str) -> None:
    if not _VERSION.fullmatch(version):
        raise CannotBundle(
            f"{version!r} is not a published version. Install a release, or give --version."
        )
