"""The supported MCP clients: where each keeps its servers, and in what form.

To support another client, add an entry to `CLIENTS`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import JsonValue

START_SECONDS = 60
"""The seconds that clients wait for the server, which may start slowly on a busy machine."""


class ConfigFormat(StrEnum):
    """The format of a client's configuration file."""

    JSON = "json"
    TOML = "toml"


@dataclass(frozen=True)
class McpClient:
    """One client: its *servers* are under this key of its file, each rendered by *entry*.

    ``hint`` says what the file cannot express, "" for nothing.
    """

    title: str
    file: Callable[[], Path]
    servers: str
    entry: Callable[[list[str]], dict[str, JsonValue]]
    format: ConfigFormat = ConfigFormat.JSON
    hint: str = ""


def application_folder(
    platform: str = sys.platform, environment: Mapping[str, str] = os.environ
) -> Path:
    """Return the settings folder of desktop applications on *platform*."""
    if platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if platform == "win32":
        return Path(environment.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    return _config_home(environment)


def server_command(
    world: Path,
    config: Path | None = None,
    scenario: str | None = None,
    office: Path | None = None,
) -> list[str]:
    """Return the command line that serves *world*, for a client without our environment and working
    directory. *office* is the folder of the day's own office, if it is in one. With -P, no module
    in a client's folder replaces one of ours."""
    line = [sys.executable, "-P", "-m", "trainee_bench.mcp_servers", "--world", str(world)]
    if config is not None:
        line += ["--config", str(config.absolute())]
    if office is not None:
        line += ["--office", str(office)]
    return line if scenario is None else [*line, "--scenario", scenario]


def _config_home(environment: Mapping[str, str] = os.environ) -> Path:
    return Path(environment.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def _command_and_args(command: list[str]) -> dict[str, JsonValue]:
    return {"command": command[0], "args": list(command[1:])}


def _typed(command: list[str]) -> dict[str, JsonValue]:
    return {"type": "stdio", **_command_and_args(command)}


def _codex(command: list[str]) -> dict[str, JsonValue]:
    return {
        **_command_and_args(command),
        # If not required, the first turns of a session are sent before the tools are there.
        "required": True,
        "startup_timeout_sec": START_SECONDS,
        # Otherwise it asks before each call that overwrites something, and refuses the call if
        # there is nobody to ask. All of it happens in a simulated company.
        "default_tools_approval_mode": "approve",
    }


def _opencode(command: list[str]) -> dict[str, JsonValue]:
    return {"type": "local", "command": list(command), "timeout": START_SECONDS * 1000}


CLIENTS: Mapping[str, McpClient] = {
    "claude-desktop": McpClient(
        title="Claude Desktop",
        file=lambda: application_folder() / "Claude" / "claude_desktop_config.json",
        servers="mcpServers",
        entry=_command_and_args,
        hint="Restart Claude Desktop: it reads the file when it starts.",
    ),
    "claude-code": McpClient(
        title="Claude Code",
        file=lambda: Path.cwd() / ".mcp.json",
        servers="mcpServers",
        entry=_typed,
        hint="Start it in this folder and approve the server: "
        f"MCP_TIMEOUT={START_SECONDS * 1000} claude",
    ),
    "codex": McpClient(
        title="Codex CLI",
        file=lambda: Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "config.toml",
        servers="mcp_servers",
        entry=_codex,
        format=ConfigFormat.TOML,
    ),
    "gemini": McpClient(
        title="Gemini CLI",
        file=lambda: Path.home() / ".gemini" / "settings.json",
        servers="mcpServers",
        entry=_command_and_args,
        hint="Start it in a folder that it trusts; elsewhere it disables all servers. After some "
        "thirty calls it may ask whether it is in a loop; let it continue.",
    ),
    "opencode": McpClient(
        title="opencode",
        file=lambda: _config_home() / "opencode" / "opencode.json",
        servers="mcp",
        entry=_opencode,
    ),
    "vscode": McpClient(
        title="VS Code",
        file=lambda: Path.cwd() / ".vscode" / "mcp.json",
        servers="servers",
        entry=_typed,
        hint="Open this folder in VS Code, and start the server from the file or by asking for it.",
    ),
    "cursor": McpClient(
        title="Cursor",
        file=lambda: Path.home() / ".cursor" / "mcp.json",
        servers="mcpServers",
        entry=_typed,
    ),
}
"""The clients by the name that ``trainee-bench connect`` takes."""
