"""Codex in headless mode: its command ``exec``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trainee_bench.harness.parity.client_door import ClientTask, NpmDoor
from trainee_bench.harness.parity.scripted_model import MODEL

_SETTINGS = """\
model = "{model}"
model_provider = "scripted"
approval_policy = "never"

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"

"""


class CodexDoor(NpmDoor):
    """Over stdio, with responses."""

    name = "codex"
    packages = ("@openai/codex",)
    client_name = "codex"
    program = "codex"

    def client(self, task: ClientTask) -> tuple[Sequence[str], Mapping[str, str]]:
        """Return its command, with the scripted model as a custom provider."""
        file = task.home / ".codex" / "config.toml"
        file.parent.mkdir()
        file.write_text(_SETTINGS.format(model=MODEL, url=task.model), encoding="utf-8")
        self.connect(task, file)
        return [self.program_path(), "exec", "--skip-git-repo-check", task.prompt], {}
