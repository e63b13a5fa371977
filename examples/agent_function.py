"""An agent is one async function: it gets a session and works the day through tool calls.

    python examples/agent_function.py

Runs the function below on the first day of the quickstart and prints the table and the report's
path. The same from a shell, in this folder: `trainee-bench run --agent agent_function:look_around`.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.turns import ToolCall

EXAMPLES = Path(__file__).parent


async def look_around(session: AgentSession) -> None:
    """Read every file that a task names, write an empty answer, and submit everything."""
    print(session.prompt.splitlines()[0])
    tasks = (await session.call("desk_tasks")).data["tasks"]
    for task in tasks:
        for path in re.findall(r"drive:/[\w./-]*\.\w+", task["objective"]):
            page = await session.call("files_read", path=path)
            print(f"{task['id']}: read {path}, it is {page.time:%H:%M}")
        # Several calls may go into one turn; a turn is one step of the step limit.
        await session.turn(
            [
                ToolCall("desk_write_note", {"text": f"{task['id']}: I know too little"}),
                ToolCall("desk_submit", {"task": task["id"]}),
            ]
        )
    await session.call("desk_finish_day")


def main() -> None:
    """Let the harness run the agent, as the command line would."""
    out = Path(tempfile.mkdtemp()) / "run"
    agent = f"{Path(__file__).stem}:look_around"
    command = ["-m", "trainee_bench.harness", "run", "--limit", "1", "--agent", agent]
    subprocess.run([sys.executable, *command, "--out", out], cwd=EXAMPLES, check=True)


if __name__ == "__main__":
    main()
