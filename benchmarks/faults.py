"""Faults of the OpenEnv server and of its clients, while sessions work. Linux, loopback only.

    python -m benchmarks.faults [--sessions N] [--rounds N] [--faults NAME,NAME …]

    worker   a worker of the server is killed with SIGKILL
    days     a process that steps days is killed with SIGKILL
    term     the server gets SIGTERM and is started again
    client   the client process is killed with SIGKILL; a new one has its tokens
    disk     the disk with the saved days is full for some seconds

The faults take turns. In each round all sessions have worked before the fault, and must have an
answer within --back-seconds after it. A session whose connection broke, or that got an error, comes
back with its token over a new connection, and continues where the server is. When its day is over,
it compares the digest with that of the same calls in process, and begins another day. At the end
all sessions compare their days.

A step is lost if it was answered and the server does not have it later. With saving at each step
none may be lost; otherwise a killed worker may lose --save-every minus one for each session. Exit
code 1 if a session does not come back, or a token is refused, or a digest differs, or more steps
are lost than may be.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from pydantic import JsonValue

from benchmarks.fault_clients import JOURNAL, PLAN, FaultPlan
from benchmarks.fault_disks import Disk, DiskKind, disk_of, usual_kind
from benchmarks.fault_journal import JournalWatch, Tally
from benchmarks.load_days import DAYS, ScriptedDay, scripted_days
from benchmarks.load_server import (
    GRACEFUL_SECONDS,
    ROOT,
    OfficeServer,
    ServerNotReady,
    TooFewFiles,
    allow_files,
    end_with_parent,
)

READY_SECONDS = 300.0
_END_SECONDS = GRACEFUL_SECONDS + 40
_ROOM_BESIDES = 64


class Fault(StrEnum):
    """The fault of a round."""

    WORKER = "worker"
    DAYS = "days"
    TERM = "term"
    CLIENT = "client"
    DISK = "disk"


@dataclass
class Round:
    """A round: its fault, what happened, and how many seconds after the fault all were back."""

    fault: Fault
    tally: Tally
    back: float | None = None
    allowed: int = 0
    """How many answered steps the fault may lose."""
    faults: list[str] = field(default_factory=list)
    """What broke besides."""

    def broken(self) -> list[str]:
        """Say what must not be."""
        tally, found = self.tally, list(self.faults)
        if self.back is None:
            found.append("not all sessions came back")
        if tally.lost > self.allowed:
            found.append(f"{tally.lost} steps lost")
        if tally.unequal:
            found.append(f"{tally.unequal} digests differ")
        if tally.gone:
            found.append(f"{tally.gone} tokens refused")
        return found


class Trial:
    """A server with clients, to which faults happen. It ends both with the block."""

    def __init__(
        self,
        folder: Path,
        options: argparse.Namespace,
        days: list[ScriptedDay],
        server: OfficeServer,
    ):
        self._folder, self._options, self._server = folder, options, server
        plan = FaultPlan(
            url=server.url, sessions=options.sessions, thinking=options.thinking,
            answer_seconds=options.back_seconds / 2, days=days,
        )  # fmt: skip
        (folder / PLAN).write_text(plan.model_dump_json(), encoding="utf-8")
        self._watch = JournalWatch(folder / JOURNAL, options.sessions)
        self._clients: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and the clients. Raises ServerNotReady."""
        self._server.start(READY_SECONDS)
        self._start_clients()

    def play(self, fault: Fault, disk: Disk) -> Round:
        """Let all sessions work, let *fault* happen, and wait until all are back."""
        options, played = self._options, Round(fault, Tally())
        if fault is Fault.WORKER:
            played.allowed = options.sessions * (options.save_every - 1)
        if self._watch.wait_until_worked(time.monotonic(), options.back_seconds) is None:
            played.faults.append("not all sessions worked before the fault")
        self._watch.start_round()
        began, over = self._happen(fault, disk, played)
        waited = self._watch.wait_until_worked(over, options.back_seconds)
        played.back = None if waited is None else over - began + waited
        played.tally = self._watch.tally
        return played

    def finish(self) -> tuple[Tally, int]:
        """End the clients; return what happened, and how many sessions did not compare their
        day."""
        assert self._clients is not None and self._clients.stdin is not None
        self._watch.start_round()
        began = time.monotonic()
        self._clients.stdin.close()
        clients, ends = self._clients, began + self._options.back_seconds

        def alive() -> bool:
            return clients.poll() is None and time.monotonic() < ends

        left = self._watch.wait_until_ended(began, alive)
        return self._watch.tally, left

    def close(self) -> None:
        """Kill the clients."""
        if self._clients is not None:
            self._clients.kill()
            self._clients.wait()

    def _happen(self, fault: Fault, disk: Disk, played: Round) -> tuple[float, float]:
        """Let *fault* happen; return when it began to keep sessions from working, and from when on
        an answer shows that a session is back."""
        server, began = self._server, time.monotonic()
        match fault:
            case Fault.WORKER:
                began = _killed(random.choice(server.processes().loops))
                over = time.monotonic()
                if self._options.workers == 1:
                    server.end(0)
                    server.start(READY_SECONDS)
            case Fault.DAYS:
                began = _killed(random.choice(server.day_processes()))
                over = time.monotonic()
            case Fault.TERM:
                if server.end(_END_SECONDS) >= _END_SECONDS:
                    played.faults.append(f"the server had not ended after {_END_SECONDS} s")
                over = time.monotonic()
                server.start(READY_SECONDS)
            case Fault.CLIENT:
                self.close()
                over = time.monotonic()
                self._start_clients()
            case Fault.DISK:
                disk.fill()
                time.sleep(self._options.full_seconds)
                disk.free()
                began = over = time.monotonic()
        return began, over

    def _start_clients(self) -> None:
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        self._clients = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.fault_clients", str(self._folder)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            preexec_fn=end_with_parent,
        )


def _killed(pid: int) -> float:
    """Kill a process; return when."""
    now = time.monotonic()
    os.kill(pid, signal.SIGKILL)
    return now


def markdown(rounds: Sequence[Round]) -> str:
    """Return a table with a row for each fault."""
    heads = (
        "fault", "rounds", "resumed", "lost", "allowed", "digests equal", "differ",
        "tokens refused", "seconds to be back, at most", "broke",
    )  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", f"|---|{'---:|' * (len(heads) - 2)}---|"]
    for fault in dict.fromkeys(played.fault for played in rounds):
        own = [played for played in rounds if played.fault is fault]
        tallies = [played.tally for played in own]
        backs = [played.back for played in own if played.back is not None]
        broke = Counter(text for played in own for text in played.broken())
        figures = [
            len(own), sum(t.resumed for t in tallies), sum(t.lost for t in tallies),
            sum(played.allowed for played in own), sum(t.equal for t in tallies),
            sum(t.unequal for t in tallies), sum(t.gone for t in tallies),
            f"{max(backs):.1f}" if backs else "–",
            ", ".join(f"{text} ({count} rounds)" for text, count in broke.items()) or "nothing",
        ]  # fmt: skip
        lines.append(f"| {fault} | {' | '.join(map(str, figures))} |")
    return "\n".join(lines)


def _tell(number: int, of: int, played: Round) -> None:
    tally = played.tally
    back = "not back" if played.back is None else f"back after {played.back:.1f} s"
    print(
        f"{number}/{of} {played.fault}: {back}, {tally.resumed} resumed, {tally.lost} lost, "
        f"{tally.equal} digests equal; {', '.join(played.broken()) or 'nothing broke'}",
        file=sys.stderr,
        flush=True,
    )
    for text, count in tally.errors.most_common(5):
        print(f"  {count} times: {text}", file=sys.stderr, flush=True)


def run(options: argparse.Namespace, folder: Path) -> int:
    """Play all rounds in *folder*, print the tables, and return the exit code."""
    days, _ = scripted_days(options.days)
    ends = time.monotonic() + 60 * options.limit
    store = folder / "days"
    given: dict[str, JsonValue] = {
        "store": str(store),
        "max_sessions": options.sessions + _ROOM_BESIDES,
        "save_every": options.save_every,
    }
    rounds = list[Round]()
    server = OfficeServer(folder, given, options.workers)
    trial = Trial(folder, options, days, server)
    failed = ""
    with disk_of(store, options.disk, lambda: server.processes().loops) as disk, server:
        try:
            trial.start()
            for number in range(options.rounds):
                if time.monotonic() > ends:
                    failed = f"the time limit of {options.limit:g} minutes, after {number} rounds"
                    break
                fault = options.faults[number % len(options.faults)]
                rounds.append(trial.play(fault, disk))
                _tell(number + 1, options.rounds, rounds[-1])
            last, left = trial.finish()
        except ServerNotReady as error:
            failed, last, left = str(error), Tally(), options.sessions
        finally:
            trial.close()
            if options.keep_log:
                with suppress(FileNotFoundError):
                    options.keep_log.write_bytes((folder / "server.log").read_bytes())
        server.end(_END_SECONDS)
    print(f"{options.sessions} sessions, {options.workers} workers; full disk: {options.disk}")
    print(markdown(rounds))
    print(
        f"At the end: {last.equal} digests equal, {last.unequal} differ, {last.lost} steps lost, "
        f"{left} sessions did not compare their day"
    )
    if failed:
        print(failed)
    broke = any(played.broken() for played in rounds)
    return int(bool(broke or failed or last.unequal or last.lost or last.gone or left))


def chosen_faults(text: str) -> list[Fault]:
    """Read names of faults that are separated by commas. Raises ValueError."""
    return [Fault(name) for name in text.split(",")]


def main(given: Sequence[str] | None = None) -> int:
    """Run the trial of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--faults", type=chosen_faults, default=[*Fault], help=", ".join(Fault))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--save-every", type=int, default=1)
    parser.add_argument("--thinking", type=float, default=1.0, help="seconds before a step")
    parser.add_argument("--back-seconds", type=float, default=120.0)
    parser.add_argument("--full-seconds", type=float, default=3.0, help="how long the disk is full")
    parser.add_argument("--disk", type=DiskKind, default=usual_kind(), help=", ".join(DiskKind))
    parser.add_argument("--days", type=int, default=DAYS, help="different days")
    parser.add_argument("--limit", type=float, default=60.0, help="minutes in all")
    parser.add_argument("--keep-log", type=Path, help="copy the server's log to this file")
    options = parser.parse_args(given)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        allow_files(options.sessions)
    except TooFewFiles as error:
        print(error, file=sys.stderr)
        return 2
    random.seed(0)
    with tempfile.TemporaryDirectory(prefix="faults-") as scratch:
        return run(options, Path(scratch))


if __name__ == "__main__":
    sys.exit(main())
