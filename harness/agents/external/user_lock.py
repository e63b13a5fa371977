"""Locks that let only one run at a time use a user of this machine for its commands."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from trainee_bench.harness.records.plan import AgentConfig, PlanError
from trainee_bench.harness.support.file_lock import lock

LOCK_FOLDERS = (Path("/run"), Path("/var/run"))
"""Folders where only root can create files; only root can run commands as another user."""


@contextmanager
def locked_users(agents: Iterable[AgentConfig]) -> Iterator[None]:
    """Lock the users that run commands of *agents*, until the block is left or the process ends.

    Raises PlanError if another run uses one of them: the programs of both could read each other's
    address and token.
    """
    users = sorted({agent.isolated_user for agent in agents if agent.isolated_user is not None})
    with ExitStack() as held:
        for user in users:
            folder = next((path for path in LOCK_FOLDERS if path.is_dir()), LOCK_FOLDERS[0])
            path = folder / f"trainee-bench.{user}.lock"
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except OSError as error:
                raise PlanError(
                    f"--agent-isolation user:{user}: {path} cannot be written ({error.strerror}); "
                    "it keeps two runs from using this user at once. Use --agent-isolation sandbox."
                ) from None
            if not lock(held.enter_context(os.fdopen(descriptor, "rb+"))):
                raise PlanError(
                    f"--agent-isolation user:{user}: another run uses this user now, and programs "
                    "of one user can read each other's address. Wait until it is done, or name "
                    "another user."
                )
        yield
