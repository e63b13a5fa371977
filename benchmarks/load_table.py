"""The figures of `benchmarks/load.py`, and the table that it prints.

This module needs neither the server nor a web socket: docs.pictures draws the figures.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

FULL = 0.9
"""From this share of a processor on, it limits the row."""


class ClientResult(BaseModel):
    """The figures of the clients. Times are in seconds."""

    begun: int = 0
    begin_seconds: float = 0.0
    window: float = 0.0
    """How long the sessions worked."""
    steps: int = 0
    """Steps answered in the window."""
    answered: int = 0
    """All steps answered, also those after the window."""
    median: float = 0.0
    p99: float = 0.0
    longest: float = 0.0
    cpu: float = 0.0
    """CPU time of this process in the window."""
    lag: float = 0.0
    """By how much its event loop was late, 99 of 100 times, in the window."""
    lost: int = 0
    """Steps that were answered and that the server does not have."""
    differing: int = 0
    """Days whose digest is not that of the same calls in process."""
    unchecked: int = 0
    """Sessions that could not be checked."""
    broken: int = 0
    """Sessions whose connection broke or that got an error."""
    said: list[str] = Field(default_factory=list)
    """The first errors."""


class Cell(BaseModel):
    """How many sessions work, how many seconds each thinks before a step, and the workers."""

    sessions: int
    thinking: float
    workers: int


class Settings(BaseModel):
    """The values that all cells share. Times are in seconds."""

    seconds: float = 30.0
    """How long the sessions of a cell work."""
    steps: int = 10_000
    """The most steps of one session."""
    at_once: int = 32
    """How many sessions begin or are checked at the same time."""
    processes: int = 1
    """Processes that step the days, for each worker of the server."""
    save_every: int = 1
    limit: float = 420.0
    """After so long a cell is stopped."""


class Row(BaseModel):
    """The figures of a cell. CPU figures are processors in use on average while sessions worked."""

    cell: Cell
    stopped: str = ""
    """Why there are no figures, or they are not complete; empty otherwise."""
    rate: float = 0.0
    """Steps answered a second."""
    clients: ClientResult = ClientResult()
    megabytes: float = 0.0
    """Memory of all processes of the server: proportional shares, after the work."""
    server: float = 0.0
    busiest_loop: float = 0.0
    busiest_days: float = 0.0
    """The busiest process that steps days."""
    client: float = 0.0
    elsewhere: float = 0.0
    """Processors used by other programs."""
    processors: int = 0
    limit: str = ""
    """The limit of the row."""
    whole_seconds: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether all sessions worked, were checked, and lost nothing."""
        told = self.clients
        return not (self.stopped or told.broken or told.unchecked or told.lost or told.differing)


class Conditions(BaseModel):
    """The machine, the versions and the settings with which a table was measured."""

    measured: str
    commit: str
    generator_version: int
    score_version: int
    python: str
    packages: dict[str, str]
    processors: int
    megabytes: int
    load: float
    """The load average of the last minute before the first cell."""
    split: str
    calls: dict[str, int]
    """How often the days of the mix call each tool."""
    settings: Settings


class LoadTable(BaseModel):
    """The rows of a table and how they were measured."""

    conditions: Conditions
    rows: list[Row] = []


def limit_of(row: Row) -> str:
    """Say what limits *row*: the process or the processors that are in use all the time, or the
    waiting of the sessions themselves."""
    if row.stopped:
        return "stopped"
    cell, told = row.cell, row.clients
    if row.client >= FULL:
        return f"the client ({row.client:.0%} of a processor)"
    if row.busiest_days >= FULL:
        return f"a day process ({row.busiest_days:.0%})"
    if row.busiest_loop >= FULL:
        return f"an event loop ({row.busiest_loop:.0%})"
    used = row.server + row.client
    if used + row.elsewhere >= FULL * row.processors:
        others = f", other programs {row.elsewhere:.1f}" if row.elsewhere > 0.1 else ""
        return (
            f"{row.processors} processors: server {row.server:.1f}, client {row.client:.1f}{others}"
        )
    if cell.thinking and row.rate >= FULL * cell.sessions / (cell.thinking + told.median):
        return "thinking"
    return "waiting for each other: no process is busy all the time"


def markdown(rows: Sequence[Row]) -> str:
    """Return the table of *rows*."""
    heads = (
        "sessions", "thinking, s", "workers", "steps/s", "P50, ms", "P99, ms", "lost",
        "memory, MB", "processors: server", "client", "what limits this row",
    )  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", f"|{'---:|' * (len(heads) - 1)}---|"]
    lines += [f"| {' | '.join(row_cells(row))} |" for row in rows]
    return "\n".join(lines)


def row_cells(row: Row) -> list[str]:
    """Return the cells of *row* in the table."""
    cell, told = row.cell, row.clients
    names = [f"{cell.sessions:,}", f"{cell.thinking:g}", str(cell.workers)]
    if row.stopped:
        return [*names, *("–" * 7), f"not complete: {row.stopped.splitlines()[0]}"]
    faults = {
        "broke": told.broken, "not checked": told.unchecked, "digests differ": told.differing
    }  # fmt: skip
    more = "".join(f"; {count} {what}" for what, count in faults.items() if count)
    return [
        *names,
        f"{row.rate:,.0f}",
        f"{1000 * told.median:,.1f}",
        f"{1000 * told.p99:,.1f}",
        str(told.lost),
        f"{row.megabytes:,.0f}",
        f"{row.server:.2f}",
        f"{row.client:.2f}",
        f"{row.limit}{more}",
    ]
