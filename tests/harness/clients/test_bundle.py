"""A bundle for desktop clients and an entry for the registry, as their published schemas want them.

The schemas here are our own: they hold what the published ones demand of the fields that we write.
"""

from __future__ import annotations

import json
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import Result
from typer.testing import CliRunner

from trainee_bench.harness.cli import app
from trainee_bench.mcp_servers.__main__ import main as serve

TEXT = {"type": "string", "minLength": 1}
NAME = "io.github.somebody/trainee-bench"


def closed(**properties: Any) -> dict[str, Any]:
    """An object with all of these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


OPTION = {
    "type": "object",
    "properties": {
        "type": {"enum": ["string", "number", "boolean", "directory", "file"]},
        "title": TEXT,
        "description": TEXT,
        "required": {"type": "boolean"},
        "default": TEXT,
    },
    "required": ["type", "title", "description"],
    "additionalProperties": False,
}
MANIFEST = closed(
    manifest_version={"const": "0.4"},
    name=TEXT,
    display_name=TEXT,
    version=TEXT,
    description=TEXT,
    author=closed(name=TEXT),
    license=TEXT,
    keywords={"type": "array", "items": TEXT},
    server=closed(
        type={"const": "uv"},
        entry_point=TEXT,
        mcp_config=closed(command=TEXT, args={"type": "array", "items": TEXT}),
    ),
    tools_generated={"type": "boolean"},
    user_config={"type": "object", "additionalProperties": OPTION},
    compatibility=closed(
        platforms={"type": "array", "items": {"enum": ["darwin", "win32", "linux"]}},
        runtimes=closed(python=TEXT),
    ),
)
ARGUMENT = {
    "anyOf": [
        closed(type={"const": "positional"}, value=TEXT),
        {
            "type": "object",
            "properties": {
                "type": {"const": "named"},
                "name": {"type": "string", "pattern": "^--"},
                "format": {"enum": ["string", "number", "boolean", "filepath"]},
                "isRequired": {"type": "boolean"},
                "default": {"type": "string"},
            },
            "required": ["type", "name"],
        },
    ]
}
ENTRY = {
    **closed(
        **{"$schema": {"type": "string", "pattern": "2025-12-11/server.schema.json$"}},
        name={"type": "string", "maxLength": 200, "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"},
        title={"type": "string", "minLength": 1, "maxLength": 100},
        description={"type": "string", "minLength": 1, "maxLength": 100},
        version={"type": "string", "maxLength": 255, "pattern": r"^\d[^x*^~<>=]*$"},
        packages={
            "type": "array",
            "items": closed(
                registryType={"const": "pypi"},
                identifier={"const": "trainee-bench"},
                version=TEXT,
                runtimeHint={"const": "uvx"},
                transport=closed(type={"const": "stdio"}),
                packageArguments={"type": "array", "items": ARGUMENT},
            ),
        },
    )
}


def bundle(*options: object) -> Result:
    return CliRunner().invoke(app, ["bundle", *map(str, options)])


def test_the_bundle_installs_the_published_package_and_starts_its_server(tmp_path: Path) -> None:
    done = bundle(tmp_path / "new", "--version", "1.2.3")
    assert done.exit_code == 0, done.output
    (made,) = (tmp_path / "new").iterdir()
    with zipfile.ZipFile(made) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    manifest = json.loads(files["manifest.json"])
    jsonschema.Draft202012Validator(MANIFEST).validate(manifest)
    assert manifest["version"] == "1.2.3" and manifest["server"]["entry_point"] in files
    assert tomllib.loads(files["pyproject.toml"])["project"]["dependencies"] == [
        "trainee-bench==1.2.3"
    ]
    compile(files["src/server.py"], "server.py", "exec")
    before = made.read_bytes()
    assert bundle(tmp_path / "new", "--version", "1.2.3").exit_code == 0
    assert made.read_bytes() == before


def test_the_registry_is_told_how_to_start_the_published_package(tmp_path: Path) -> None:
    assert bundle(tmp_path, "--version", "1.2.3", "--registry-name", NAME).exit_code == 0
    entry = json.loads((tmp_path / "server.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(ENTRY).validate(entry)
    assert (entry["name"], entry["version"], entry["packages"][0]["version"]) == (
        NAME, "1.2.3", "1.2.3",
    )  # fmt: skip


def test_bundle_and_entry_use_options_that_the_server_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle(tmp_path, "--version", "1.2.3", "--registry-name", NAME)
    with pytest.raises(SystemExit):
        serve(["--help"])
    known = capsys.readouterr().out
    with zipfile.ZipFile(tmp_path / "trainee-bench.mcpb") as archive:
        manifest = json.loads(archive.read("manifest.json"))
    entry = json.loads((tmp_path / "server.json").read_text("utf-8"))
    words = manifest["server"]["mcp_config"]["args"]
    used = [word for word in words[words.index("src/server.py") :] if word.startswith("--")]
    used += [one["name"] for one in entry["packages"][0]["packageArguments"] if "name" in one]
    assert set(used) == {"--world", "--scenario"} and all(word in known for word in used)
    for word in words:
        for name in word.split("${user_config.")[1:]:
            assert name.partition("}")[0] in manifest["user_config"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--version", "latest"], "'latest' is no version that is published"),
        (["--version", "0+checkout"], "is no version that is published"),
        (["--version", "1.0", "--registry-name", "trainee-bench"], "no name of the registry"),
        (["--version", "1.0", "--author", " "], "needs an author"),
    ],
)
def test_what_would_be_invalid_is_refused(tmp_path: Path, options: list[str], why: str) -> None:
    done = bundle(tmp_path / "out", *options)
    assert done.exit_code == 2 and why in done.stderr
    assert not (tmp_path / "out").exists()
