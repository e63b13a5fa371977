"""opencode in headless mode: its command line with a prompt."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from trainee_bench.harness.parity.client_door import ClientTask, NpmDoor
from trainee_bench.harness.parity.scripted_model import MODEL

_PROVIDER = "scripted"
_MODALITIES = {"input": ["text", "image"], "output": ["text"]}
"""Without them, it does not show pictures to a custom model."""


class OpencodeDoor(NpmDoor):
    """Over stdio, with chat completions."""

    name = "opencode"
    packages = ("opencode-ai",)
    client_name = "opencode"
    program = "opencode"

    def client(self, task: ClientTask) -> tuple[Sequence[str], Mapping[str, str]]:
        """Return its command, with the scripted model as a custom provider."""
        file = task.home / ".config" / "opencode" / "opencode.json"
        file.parent.mkdir(parents=True)
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{task.model}/v1", "apiKey": "none"},
            "models": {MODEL: {"attachment": True, "modalities": _MODALITIES}},
        }
        settings = {"provider": {_PROVIDER: provider}, "autoupdate": False, "share": "disabled"}
        file.write_text(json.dumps(settings), encoding="utf-8")
        self.connect(task, file)
        command = [self.program_path(), "run", "--model", f"{_PROVIDER}/{MODEL}", task.prompt]
        return command, {"OPENCODE_DISABLE_MODELS_FETCH": "1"}
