"""Forges submissions, and tests that `submit verify` and `submit prepare` detect them.

    python benchmarks/forged_bundles.py [--count 5000] [--runs 500] [--seed 1] [--commands 100]

The script first works genuine submissions of very small days. Number and seed determine each
forgery. Verifying it must end soon, write nothing outside its temporary folder, open no file that
the forger names, and print no control characters. It may refuse the forgery. If it accepts it, it
must name each difference as not verified. `prepare` gets forged folders of runs and must pack
nothing from outside them. Exit code 1 if there is any fault.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

import forged_worlds as worlds
import forgeries as content
from forged_archives import forged_archive, packed
from forged_days import Genuine, genuine_bundles
from forged_runs import prepare_forged_run
from forged_verdicts import Verified, accepted, differences, faults_of
from forged_watch import Watch
from forgeries import Forgery
from typer.testing import CliRunner

from trainee_bench.harness.cli import app

LONGEST_SECONDS = 20.0
"""Processor time, and time without any, after which a command counts as hung.

The latter is long because other programs may keep the processors busy.
"""
_MEMORY = 6_000_000_000
_KINDS = (
    (content.forge_result, 22),
    (content.forge_counts, 14),
    (content.forge_line_order, 5),
    (content.forge_trajectory, 10),
    (content.forge_begun, 8),
    (content.forge_plan, 12),
    (content.forge_info, 4),
    (content.forge_memory, 2),
    (content.forge_bytes, 4),
    (worlds.forge_world, 14),
    (worlds.forge_tables, 6),
    (worlds.forge_scenario, 2),
    (worlds.exchange_worlds, 1),
)


@dataclass(frozen=True)
class Outcome:
    """The outcome of one forgery."""

    number: int
    base: str
    done: str
    end: str
    faults: tuple[str, ...]
    seconds: float
    output: str = ""


@dataclass
class Setting:
    """The setting that all forgeries share. ``watch`` records the files that the process opens."""

    genuine: list[Genuine]
    folder: Path
    seed: int
    watch: Watch
    verified: dict[str, Verified] = field(default_factory=dict)

    @property
    def bait(self) -> str:
        """A file that nothing may open."""
        return str(self.folder / "bait" / "secret.yaml")


def forge(setting: Setting, number: int) -> tuple[Genuine, Forgery, bytes]:
    """Return forgery *number*: its original, its changes, and its archive."""
    random = Random(f"{setting.seed}/{number}")
    base = random.choice(setting.genuine)
    forgery = Forgery(random, dict(base.entries), setting.bait)
    kind = random.random()
    if kind > 0.12:
        kinds, weights = zip(*_KINDS, strict=True)
        for forge_some in random.choices(kinds, weights, k=random.choice((1, 1, 1, 2))):
            try:
                forge_some(forgery)
            except (
                ValueError,
                KeyError,
                IndexError,
                TypeError,
                AttributeError,
                RecursionError,
                OverflowError,
            ):
                forgery.done.append("(another forgery was in the way)")
    plain = kind > 0.15
    return base, forgery, packed(forgery.entries) if plain else forged_archive(forgery)


def verify(setting: Setting, base: Genuine, archive: bytes) -> Verified:
    """Return the result of `submit verify` for *archive*."""
    path = setting.folder / "given.zip"
    path.write_bytes(archive)
    return _call(setting, "verify", str(path), "--config", str(base.config))


def _call(setting: Setting, *arguments: str) -> Verified:
    setting.watch.begin()
    done = CliRunner().invoke(app, ["submit", *arguments])
    crash = ""
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        where = traceback.extract_tb(done.exception.__traceback__)[-1]
        kind = type(done.exception).__name__
        crash = f"{kind} in {Path(where.filename).name}, {where.name}: {str(done.exception)[:80]}"
    return Verified(done.exit_code, done.output, crash)


def try_forgery(setting: Setting, number: int) -> Outcome:
    """Forge, verify and judge forgery *number*."""
    base, one, archive = forge(setting, number)
    began = time.process_time()
    now, was = verify(setting, base, archive), setting.verified[base.name]
    seconds = time.process_time() - began
    faults = [*faults_of(base.entries, archive, was, now), *setting.watch.end()]
    end = "refused"
    if accepted(was, now):
        end = "named" if differences(base.entries, archive) else "unchanged"
    return Outcome(number, base.name, "; ".join(one.done), end, tuple(faults), seconds, now.output)


def try_run(setting: Setting, number: int) -> Outcome:
    """Let `submit prepare` pack forged run *number*."""
    random = Random(f"{setting.seed}/run/{number}")
    base = random.choice(setting.genuine)
    began = time.monotonic()
    done, end, faults = prepare_forged_run(
        random, base, setting.folder, setting.bait, lambda *given: _call(setting, *given)
    )
    faults += setting.watch.end()
    return Outcome(number, base.name, done, end, tuple(faults), time.monotonic() - began)


def work(setting: Setting, pipe: Connection) -> None:
    """Try the requested forgeries, until the other side closes."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    setting.watch.start()
    while True:
        try:
            kind, number = pipe.recv()
        except EOFError:
            return
        pipe.send((try_forgery if kind == "bundle" else try_run)(setting, number))


class Worker:
    """A process that tries forgeries, and is replaced when it hangs or dies."""

    def __init__(self, setting: Setting):
        self._setting = setting
        self._start()

    def _start(self) -> None:
        self._pipe, other = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=work, args=(self._setting, other))
        self._process.start()
        other.close()

    def attempt(self, kind: str, number: int) -> Outcome:
        """Try forgery *number* and return its outcome."""
        began = time.monotonic()
        self._pipe.send((kind, number))
        try:
            if self._answers():
                outcome: Outcome = self._pipe.recv()
                return outcome
            fault = "hung"
        except EOFError:
            fault = f"the process died: {self._process.exitcode}"
        self.close()
        shutil.rmtree(self._setting.watch.temporary)
        Path(self._setting.watch.temporary).mkdir()
        self._start()
        done = "; ".join(forge(self._setting, number)[1].done) if kind == "bundle" else ""
        return Outcome(number, "", done, "hung", (fault,), time.monotonic() - began)

    def _answers(self) -> bool:
        """Whether the process answers before it has hung."""
        began = used = self._used()
        moved = time.monotonic()
        while not self._pipe.poll(0.5):
            now = self._used()
            if now > used:
                used, moved = now, time.monotonic()
            if used - began > LONGEST_SECONDS or time.monotonic() - moved > LONGEST_SECONDS:
                return False
        return True

    def _used(self) -> float:
        """The processor time that the process has used, in seconds."""
        stat = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii")
        fields = stat.rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End the process."""
        self._pipe.close()
        self._process.kill()
        self._process.join()


def compare_with_command(setting: Setting, numbers: Sequence[int]) -> list[str]:
    """Return a line on each forgery for which the command and its function end differently."""
    differing = []
    for number in numbers:
        base, _, archive = forge(setting, number)
        path = setting.folder / "given.zip"
        path.write_bytes(archive)
        command = [
            "-m",
            "trainee_bench.harness",
            "submit",
            "verify",
            str(path),
            "--config",
            base.config,
        ]
        done = subprocess.run(
            [sys.executable, *map(str, command)],
            capture_output=True,
            check=False,
            cwd=setting.folder / "cwd",
            timeout=30 * LONGEST_SECONDS,
        )
        now = verify(setting, base, archive)
        if done.returncode != now.code:
            differing.append(f"{number}: {done.returncode} and {now.code}; {done.stderr[-300:]!r}")
    return differing


def report(outcomes: Sequence[Outcome], title: str) -> bool:
    """Print all outcomes; return True if there is a fault."""
    kinds = Counter(fault for outcome in outcomes for fault in outcome.faults)
    ends = Counter(outcome.end for outcome in outcomes)
    slowest = max((outcome.seconds for outcome in outcomes), default=0)
    print(
        f"{title}: {len(outcomes)}; {dict(ends)}; slowest {slowest:.1f} s; faults {kinds.total()}"
    )
    for fault, count in kinds.most_common():
        first = next(outcome for outcome in outcomes if fault in outcome.faults)
        print(f"  {count:5} {fault}\n        e.g. {first.number}, {first.base}: {first.done[:150]}")
    return bool(kinds)


def main() -> int:
    """Forge, verify, report; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=5_000)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--commands", type=int, default=100)
    parser.add_argument("--only", type=int, help="try only this forgery, and print the messages")
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="forged-") as made:
        folder = Path(made)
        for name in ("bait", "cwd", "temporary", "genuine"):
            (folder / name).mkdir()
        genuine = genuine_bundles(folder / "genuine")
        setting = Setting(genuine, folder, given.seed, Watch(folder))
        Path(setting.bait).write_text("mine:\n  key: SECRET\n", encoding="utf-8")
        os.chdir(folder / "cwd")
        tempfile.tempdir = str(folder / "temporary")
        os.environ["TMPDIR"] = tempfile.tempdir
        for base in genuine:
            setting.verified[base.name] = verify(setting, base, packed(base.entries))
        return _try_all(setting, given, began)


def _try_all(setting: Setting, given: argparse.Namespace, began: float) -> int:
    worker = Worker(setting)
    try:
        if given.only is not None:
            print(worker.attempt("bundle", given.only))
            return 0
        bundles = [worker.attempt("bundle", number) for number in range(given.count)]
        bad = report(bundles, "forged bundles")
        runs = [worker.attempt("run", number) for number in range(given.runs)]
        bad |= report(runs, "forged runs")
    finally:
        worker.close()
    step = max(1, given.count // max(1, given.commands))
    differing = compare_with_command(setting, range(0, given.count, step)[: given.commands])
    print(f"commands: {given.commands}; different from the function {len(differing)}")
    print("".join(f"  {difference}\n" for difference in differing), end="")
    print(f"seed {given.seed}, {time.monotonic() - began:.0f} s")
    return int(bad or bool(differing))


if __name__ == "__main__":
    sys.exit(main())
