"""The same mailbox in ARE, for `fast_days.py`; it needs a separate environment.

    pip install meta-agents-research-environments==1.2.0

It reads the name of an operation and a count from stdin, and prints the seconds of CPU time per
operation.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from are.simulation.apps.email_client import (  # type: ignore[import-not-found]
    Email,
    EmailClientApp,
    EmailFolderName,
)
from are.simulation.environment import (  # type: ignore[import-not-found]
    Environment,
    EnvironmentConfig,
)


def main(mails: int, body: str) -> None:
    """Answer until stdin ends."""
    app = EmailClientApp()
    for number in range(mails):
        app.folders[EmailFolderName.INBOX].add_email(
            Email(
                sender="sender@company.com",
                recipients=["me@company.com"],
                subject=f"Subject {number}",
                content=body,
                email_id=f"mail{number}",
                timestamp=number,
            )
        )
    world = Environment(EnvironmentConfig(start_time=0, duration=None, verbose=False))
    world.register_apps([app])
    tools: dict[str, Any] = {tool.name.split("__")[-1]: tool for tool in world.get_tools()}
    acts: dict[str, Callable[[], Any]] = {
        "list": lambda: tools["list_emails"](folder_name="INBOX", offset=0, limit=10),
        "read": lambda: tools["get_email_by_id"](email_id="mail1000", folder_name="INBOX"),
        "search": lambda: tools["search_emails"](query=f"Subject {mails - 1}", folder_name="INBOX"),
        "send": lambda: tools["send_email"](
            recipients=["you@company.com"], subject="A report", content=body
        ),
        "snapshot": world.get_state,
    }
    print("ready", flush=True)
    for line in sys.stdin:
        name, times = line.split()
        began = time.process_time()
        for _ in range(int(times)):
            acts[name]()
        print((time.process_time() - began) / int(times), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
