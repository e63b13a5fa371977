"""Claude Code in headless mode: its command line with a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trainee_bench.harness.parity.client_door import ClientTask, NpmDoor
from trainee_bench.mcp_servers.office import OFFICE


class ClaudeCodeDoor(NpmDoor):
    """Over stdio, with Anthropic's messages."""

    name = "claude_code"
    packages = ("@anthropic-ai/claude-code",)
    client_name = "claude-code"
    program = "claude"

    def client(self, task: ClientTask) -> tuple[Sequence[str], Mapping[str, str]]:
        """Return its command, with our tools and without its own."""
        file = task.home / ".mcp.json"
        self.connect(task, file)
        command = [
            self.program_path(), "-p", task.prompt, "--mcp-config", str(file),
            "--strict-mcp-config", "--allowedTools", f"mcp__{OFFICE}", "--tools", "",
        ]  # fmt: skip
        return command, {
            "ANTHROPIC_BASE_URL": task.model,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "MCP_TIMEOUT": "60000",
        }
