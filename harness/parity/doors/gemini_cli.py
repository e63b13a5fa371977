"""Gemini CLI in headless mode: its command line with a prompt."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from trainee_bench.harness.parity.client_door import ClientTask, NpmDoor


class GeminiCliDoor(NpmDoor):
    """Over stdio, with Gemini's dialect."""

    name = "gemini_cli"
    packages = ("@google/gemini-cli",)
    client_name = "gemini"
    program = "gemini"

    def client(self, task: ClientTask) -> tuple[Sequence[str], Mapping[str, str]]:
        """Return its command, set to make all calls without asking."""
        file = task.home / ".gemini" / "settings.json"
        file.parent.mkdir()
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"disableAutoUpdate": True},
        }
        file.write_text(json.dumps(settings), encoding="utf-8")
        self.connect(task, file)
        command = [self.program_path(), "-p", task.prompt, "--approval-mode", "yolo"]
        return command, {
            "GEMINI_API_KEY": "none",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GOOGLE_GEMINI_BASE_URL": task.model,
        }
