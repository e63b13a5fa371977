"""A language model as the agent, behind any OpenAI-compatible endpoint.

    python examples/model_agent.py

Needs no key: the "model" is a small server on this machine that answers from a script. For a
real model, write `api_config.json` with its name, key and address, and run
`trainee-bench run --model ALIAS`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the scripted endpoint belongs to the tests of the clone

from tests.scripted_endpoint import calls, says, scripted_server  # noqa: E402

SCRIPT = (
    says("First I read my tasks.", calls("desk_tasks")),
    says("Who works here?", calls("chat_list_people", {"department": "Marketing"})),
    says("This is too much for me.", calls("desk_finish_day")),
)
"""The model's replies, turn by turn; each turn calls one tool."""


def main() -> None:
    """Start the endpoint, describe it in an api_config.json, and run one day."""
    folder = Path(tempfile.mkdtemp())
    config, out = folder / "api_config.json", folder / "run"
    with scripted_server(*SCRIPT) as server:
        config.write_text(json.dumps(server.described("my-model")), encoding="utf-8")
        command = ["-m", "trainee_bench.harness", "run", "--limit", "1", "--model", "my-model"]
        options = ["--api-config", config, "--out", out]
        subprocess.run([sys.executable, *command, *options], cwd=ROOT, check=True)
    print(f"The model was asked {len(server.asked)} times.")
    tools = [tool["function"]["name"] for tool in server.asked[0]["tools"]]
    print(f"It was offered {len(tools)} tools, such as {', '.join(tools[:4])}.")


if __name__ == "__main__":
    main()
