"""Following a world in which another process works: its actions, as soon as they are committed.

SQLite tells a connection when another one has committed, in whatever process; asking takes some
microseconds. So a follower asks often, and reads only when there is something to read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from trainee_bench.world.action_log import LogEntry, read_log
from trainee_bench.world.connection import damaged
from trainee_bench.world.errors import WorldFileError

_NOTHING_READ = -1


class WorldFollower:
    """Reads what others do in the world at *path*; it changes nothing and keeps nobody waiting.

    One thread may use it. Raises WorldFileError if there is no world, also in `news`.
    """

    def __init__(self, path: Path):
        self.path = path
        try:
            # Not "mode=ro": whoever closes a world last tidies its files up, and may be this one.
            self._db = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None
            )
        except sqlite3.Error:
            raise WorldFileError(f"There is no world file {path.name}.") from None
        self._db.row_factory = sqlite3.Row
        self._db.execute("PRAGMA query_only = ON")
        self._seen = _NOTHING_READ

    def news(self, after: int) -> Sequence[LogEntry]:
        """The actions with higher numbers than *after*, in order; empty, without looking at the
        log, if nobody has committed since this was last asked."""
        try:
            version: int = self._db.execute("PRAGMA data_version").fetchone()[0]
            if version == self._seen:
                return ()
            entries = read_log(self._db, after)
        except sqlite3.DatabaseError as error:
            raise damaged(self.path.name, str(error)) from error
        self._seen = version
        return entries

    def close(self) -> None:
        """Stop following."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
