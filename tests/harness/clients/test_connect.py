"""Clients get a working configuration, or a bundle that fits the published schemas.

The schemas here are our own, with the requirements of the published ones.
"""

from __future__ import annotations

import json
import sys
import tomllib
import zipfile
from asyncio import to_thread
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.harness.runs import call
from trainee_bench.harness.clients.client_table import (
    CLIENTS,
    ConfigFormat,
    application_folder,
)
from trainee_bench.mcp_servers.__main__ import main as serve
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.world import World

JSON_CLIENTS = [name for name, client in CLIENTS.items() if client.format is ConfigFormat.JSON]
CODEX_FILE = """\
# my own settings
model = "o4"   # not the large one

[mcp_servers.docs]
command = "docs"
args = [
  "a",  # the first
]
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home and working directory, in which no client has been used."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(folder))
    for name in ("XDG_CONFIG_HOME", "APPDATA", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(folder)
    return folder


connect = partial(call, "connect")


def read(client: str, text: str) -> dict[str, Any]:
    if CLIENTS[client].format is ConfigFormat.TOML:
        return tomllib.loads(text)
    config: dict[str, Any] = json.loads(text)
    return config


def command_line(entry: dict[str, Any]) -> list[str]:
    command = entry["command"]
    return [*command] if isinstance(command, list) else [command, *entry["args"]]


@pytest.mark.parametrize("client", CLIENTS)
def test_the_printed_configuration_is_the_written_one_and_names_programs_and_files_in_full(
    client: str, home: Path
) -> None:
    shown = connect(client)
    path = CLIENTS[client].file()
    assert not path.exists()
    written = connect(client, "--write")
    assert path.is_relative_to(home)
    assert path.read_text("utf-8") == shown.stdout and written.stdout == ""
    assert str(path) in shown.stderr and "was added" in written.stderr
    entry = read(client, shown.stdout)[CLIENTS[client].servers]["office"]
    program, *arguments = command_line(entry)
    assert program == sys.executable
    assert arguments[-2:] == ["--world", str(home / "first_day.world")]
    again = connect(client, "--write")
    assert "nothing was changed" in again.stderr and path.read_text("utf-8") == shown.stdout


async def test_the_command_line_serves_the_scenario_to_a_client_that_has_nothing_of_ours(
    home: Path,
) -> None:
    (home / "trainee_bench.py").write_text("raise ImportError('not ours')\n")
    done = await to_thread(connect, "claude-desktop", "--scenario", "a_slow_morning")
    line = command_line(json.loads(done.stdout)["mcpServers"]["office"])
    root = str(Path(__file__).parents[3])
    parameters = StdioServerParameters(
        command=line[0], args=line[1:], cwd=home, env={"PYTHONPATH": root}
    )
    async with Client(stdio_client(parameters)) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        tasks = await client.call_tool("desk_tasks")
    assert "desk_tasks" in names and not tasks.is_error and tasks.structured_content is None
    async with await World.open(home / "a_slow_morning.world") as world:
        assert [entry.tool for entry in await world.log()] == ["desk_tasks"]


def test_time_outs_and_flags_that_clients_need_are_there() -> None:
    codex = tomllib.loads(connect("codex").stdout)["mcp_servers"]["office"]
    assert (codex["required"], codex["startup_timeout_sec"]) == (True, 60)
    assert codex["default_tools_approval_mode"] == "approve"
    assert json.loads(connect("opencode").stdout)["mcp"]["office"]["timeout"] == 60_000
    assert "MCP_TIMEOUT=60000 claude" in connect("claude-code").stderr


@pytest.mark.parametrize("client", JSON_CLIENTS)
def test_other_servers_and_settings_stay_and_our_own_entry_is_brought_up_to_date(
    client: str,
) -> None:
    key, path = CLIENTS[client].servers, CLIENTS[client].file()
    theirs = {"theme": "žlutá", "n": [1, 2.5, None], key: {"docs": {"command": "docs"}}, "z": {}}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(theirs, indent="\t", ensure_ascii=False), encoding="utf-8")
    assert "was added" in connect(client, "--write").stderr
    first = json.loads(path.read_text("utf-8"))
    assert "\n\t" in path.read_text("utf-8")
    ours = first[key].pop("office")
    assert first == theirs and list(first) == list(theirs)
    kept = {**theirs, key: {**theirs[key], "office": {**ours, "env": {"A": "b"}}}}  # type: ignore[dict-item]
    path.write_text(json.dumps(kept), encoding="utf-8")
    moved = connect(client, "--write", "--world", "other.world")
    assert "was brought up to date" in moved.stderr
    last = json.loads(path.read_text("utf-8"))
    assert command_line(last[key]["office"])[-1].endswith("other.world")
    assert last[key]["office"]["env"] == {"A": "b"} and last[key]["docs"] == {"command": "docs"}


def test_a_toml_file_keeps_its_comments_and_its_form_to_the_byte(home: Path) -> None:
    path = home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(CODEX_FILE, encoding="utf-8")
    connect("codex", "--write")
    written = path.read_text("utf-8")
    assert written.startswith(CODEX_FILE)
    assert set(tomllib.loads(written)["mcp_servers"]) == {"docs", "office"}
    path.write_text(f"{written}\n[after]\nx = 1 # kept\n", encoding="utf-8")
    moved = connect("codex", "--write", "--world", "other.world")
    assert "was brought up to date" in moved.stderr
    last = path.read_text("utf-8")
    assert last.startswith(CODEX_FILE) and last.endswith("\n[after]\nx = 1 # kept\n")
    assert tomllib.loads(last)["mcp_servers"]["office"]["args"][-1].endswith("other.world")


@pytest.mark.parametrize(
    ("client", "text", "why"),
    [
        ("vscode", '{"servers": {}, // mine\n}', "this is not plain JSON"),
        ("vscode", '{"a": 1, "a": 2}', "a key occurs twice"),
        ("vscode", '{"a": NaN}', "this is not plain JSON"),
        ("vscode", '{"servers": []}', "servers is not an object"),
        ("vscode", "[]", "servers is not an object"),
        ("vscode", '{"servers": {"office": {"command": "word"}}}', "choose another --name"),
        ("codex", "model = ", "this is not TOML"),
        ("codex", "mcp_servers = 1", "mcp_servers is not a table"),
        ("codex", "mcp_servers = {}", "in a form that cannot be extended"),
        ("codex", '[mcp_servers.office]\ncommand = "word"', "choose another --name"),
        (
            "codex",
            '[mcp_servers.office]\ncommand = "trainee_bench" # mine\nargs = []',
            "was changed by hand",
        ),
    ],
)
def test_a_file_that_cannot_be_changed_without_loss_is_named_and_left_alone(
    client: str, text: str, why: str
) -> None:
    path = CLIENTS[client].file()
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    done = connect(client, "--write", exits=2)
    assert str(path) in done.stderr and why in done.stderr and "Nothing was changed" in done.stderr
    assert path.read_text("utf-8") == text
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_file_behind_a_link_is_changed_where_it_is_with_the_rights_that_it_has(
    home: Path,
) -> None:
    real = home / "dotfiles.json"
    real.write_text("", encoding="utf-8")
    real.chmod(0o600)
    link = home / "link.json"
    link.symlink_to(real)
    connect("cursor", "--write", "--file", link, "--name", "work-day")
    assert link.is_symlink() and real.stat().st_mode & 0o777 == 0o600
    assert set(json.loads(real.read_text("utf-8"))["mcpServers"]) == {"work-day"}


async def test_a_configuration_that_would_not_work_is_refused_before_anything_is_written(
    home: Path,
) -> None:
    await (await create_world(home / "there.world", find_scenario())).close()
    wrong = {
        ("emacs",): "it may be claude-desktop, claude-code, codex",
        ("cursor", "--scenario", "doomsday"): "it has first_day",
        ("cursor", "--config", "none.json"): "No such file",
        ("cursor", "--name", "my office"): "at most 32 letters",
        ("cursor", "--world", "no/such/day.world"): "There is no folder",
        ("cursor", "--world", "there.world", "--scenario", "a_slow_morning"): "holds the scenario",
    }
    for arguments, said in wrong.items():
        done = await to_thread(partial(connect, *arguments, "--write", exits=2))
        assert said in done.stderr, done.stderr
    assert not CLIENTS["cursor"].file().exists()
    await to_thread(connect, "cursor", "--world", "there.world")


def test_desktop_applications_keep_their_settings_where_their_platform_has_them(home: Path) -> None:
    assert application_folder("darwin", {}) == home / "Library" / "Application Support"
    assert application_folder("win32", {"APPDATA": "C:/Roaming"}) == Path("C:/Roaming")
    assert application_folder("linux", {}) == home / ".config"


TEXT = {"type": "string", "minLength": 1}
NAME = "io.github.somebody/trainee-bench"


def closed(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object with all of these properties and no others."""
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


bundle = partial(call, "bundle")


def test_the_bundle_installs_the_published_package_and_starts_its_server(tmp_path: Path) -> None:
    bundle(tmp_path / "new", "--version", "1.2.3")
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
    bundle(tmp_path / "new", "--version", "1.2.3")
    assert made.read_bytes() == before


def test_the_registry_is_told_how_to_start_the_published_package(tmp_path: Path) -> None:
    bundle(tmp_path, "--version", "1.2.3", "--registry-name", NAME)
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
    used += [
        argument["name"]
        for argument in entry["packages"][0]["packageArguments"]
        if "name" in argument
    ]
    assert set(used) == {"--world", "--scenario"} and all(word in known for word in used)
    for word in words:
        for name in word.split("${user_config.")[1:]:
            assert name.partition("}")[0] in manifest["user_config"]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--version", "latest"], "'latest' is not a published version"),
        (["--version", "0+checkout"], "is not a published version"),
        (["--version", "1.0", "--registry-name", "trainee-bench"], "not a registry name"),
        (["--version", "1.0", "--author", " "], "needs an author"),
    ],
)
def test_an_invalid_bundle_is_refused(tmp_path: Path, options: list[str], why: str) -> None:
    assert why in bundle(tmp_path / "out", *options, exits=2).stderr
    assert not (tmp_path / "out").exists()
