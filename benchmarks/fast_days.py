"""The cost of training on days in process: calls, rewards, copies and memory, as ratios.

    python benchmarks/fast_days.py [--peer PYTHON] [--mails N] [--many N] [--days N] [--rounds N]

Figures are medians of CPU time. Rounds alternate between the two sides of a ratio, so that other
load affects both. The noise is the interquartile range of the rounds, divided by the median.
PYTHON is the interpreter of an environment with ARE (see `peer_are.py`).
"""

from __future__ import annotations

import argparse
import gc
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import anyio
from pydantic import JsonValue

from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.environment.snapshot import DayState
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.benchmark import find_scenario, load_shipped_benchmark
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.email.mailbox import Mailbox
from trainee_bench.world.email.message import address_of
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.trial import complete
from trainee_bench.world.world import World, WorldConfig

BODY = ("We looked at the figures again and found that most of them hold. " * 7)[:400]
TIMES = {"list": 200, "read": 200, "search": 30, "send": 50, "snapshot": 3}
PEER_WANTED = {"list": 1.0, "read": 1.0, "search": 5.0, "send": 1.0, "snapshot": 100.0}
READS = frozenset({"files_read", "files_list", "mail_list", "mail_read", "chat_read_history"})
MANY_WANTED = 1.5
REWARD_WANTED = 2.0
CALLS_WANTED, WHOLE_WANTED = 2_500, 1_000
COPY_WANTED_MS = 1.0
WORLDS, GIGABYTES = 5_000, 3.0

Rounds = list[float]


def crowded_day(mails: int) -> Day:
    """A day with that many mails in the inbox, on which mail takes no time."""
    scenario = find_scenario()
    composition = compose_day(scenario)
    names = ("mail_list", "mail_read", "mail_search", "mail_send", "mail_label")
    config = WorldConfig(
        **{**vars(composition.world_config()), "minutes_by_tool": dict.fromkeys(names, 0)}
    )

    def furnish(tx: Transaction) -> None:
        composition.populate(tx)
        mailbox, directory = Mailbox(tx), Directory(tx)
        sender = address_of(composition.company.people[5])
        me = address_of(directory.person(tx.employee))
        for number in range(mails):
            id = mailbox.add_message(sender, [me], [], f"Subject {number}", BODY, [], None).id
            mailbox.add_labels(tx.employee, id, ("all", "inbox", "unread"))

    world = complete(World.create_inline(config, furnish))
    day = Day(scenario)
    day.set_state(DayState(complete(world.serialize()), {}, 0.0, config.starts))
    complete(world.close())
    return day


def mail_acts(day: Day, mails: int) -> dict[str, Callable[[], object]]:
    """The operations on a mailbox, by name."""
    somebody = day.composition.company.people[5].id
    arguments: dict[str, tuple[str, dict[str, JsonValue]]] = {
        "list": ("mail_list", {}),
        "read": ("mail_read", {"mail": mails // 2}),
        "search": ("mail_search", {"query": f"Subject {mails - 1}"}),
        "send": ("mail_send", {"to": [somebody], "subject": "A report", "body": BODY}),
    }

    def making(call: ToolCall) -> Callable[[], object]:
        def make() -> None:
            (answer,) = day.step([call]).answers
            assert not answer.failed, answer.text

        return make

    acts = {name: making(ToolCall(*call)) for name, call in arguments.items()}
    return {**acts, "snapshot": day.state}


def seconds(act: Callable[[], object], times: int) -> float:
    """CPU time of *act*, on average over so many *times*."""
    began = time.process_time()
    for _ in range(times):
        act()
    return (time.process_time() - began) / times


def noise(rounds: Rounds) -> float:
    """The interquartile range of *rounds*, divided by their median."""
    low, middle, high = statistics.quantiles(rounds, n=4)
    return (high - low) / middle


def row(what: str, value: float, wanted: float, rounds: Rounds, *, most: bool = False) -> None:
    """Print one row; *most* says that the wanted value is an upper limit."""
    held = value <= wanted if most else value >= wanted
    sign, verdict = "<=" if most else ">=", "held" if held else "MISSED"
    print(f"{what:<52} {value:>9.2f} {sign} {wanted:<7g} {verdict:<6} {noise(rounds):>6.0%}")


@contextmanager
def peer(python: str, mails: int) -> Iterator[Callable[[str, int], float]]:
    """Asks ARE, in a separate process, for the seconds of an operation."""
    script = str(Path(__file__).with_name("peer_are.py"))
    with subprocess.Popen(
        [python, script, str(mails), BODY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        line = process.stdout.readline()
        while line and line.strip() != "ready":  # output of the package during its import
            line = process.stdout.readline()
        if not line:
            sys.exit("the peer did not start; see what it said above")

        def ask(name: str, times: int) -> float:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(f"{name} {times}\n")
            process.stdin.flush()
            return float(process.stdout.readline())

        yield ask
        process.stdin.close()


def against_peer(python: str, day: Day, mails: int, rounds: int) -> None:
    """The rows that compare our rate with the peer's."""
    acts = mail_acts(day, mails)
    with peer(python, mails) as ask:
        for name, wanted in PEER_WANTED.items():
            for _ in range(1 if name == "snapshot" else 3):  # first searches fill the index
                seconds(acts[name], TIMES[name])
                ask(name, 1 if name == "snapshot" else TIMES[name])
            ours: Rounds = []
            theirs: Rounds = []
            for _ in range(rounds):
                ours.append(seconds(acts[name], TIMES[name]))
                theirs.append(ask(name, 1 if name == "snapshot" else TIMES[name]))
            ratio = statistics.median(theirs) / statistics.median(ours)
            row(f"{name}: our rate, in ARE's", ratio, wanted, ours)


def at_both_sizes(few: Day, fewer: int, mails: int, rounds: int) -> None:
    """The rows that compare a call among many mails with the same call among few."""
    many = crowded_day(mails)
    small, large = mail_acts(few, fewer), mail_acts(many, mails)
    began = time.process_time()
    for _ in range(mails // 2_000 + 1):
        large["search"]()
    print(
        f"{'filling the index of ' + str(mails) + ' mails, s':<52} "
        f"{time.process_time() - began:>9.2f}"
    )
    for name in ("list", "read", "send", "search"):
        pairs = [
            (seconds(small[name], TIMES[name]), seconds(large[name], TIMES[name]))
            for _ in range(rounds)
        ]
        ratio = statistics.median(b for _, b in pairs) / statistics.median(a for a, _ in pairs)
        row(
            f"{name}: among {mails} in that among {fewer}",
            ratio,
            MANY_WANTED,
            [a for a, _ in pairs],
            most=True,
        )
    many.close()


def oracle_calls(scenario: Scenario) -> list[ToolCall]:
    """The oracle's calls on the day."""
    done = anyio.run(run_in_process, "oracle", compose_day(scenario))
    return [ToolCall(entry.tool, entry.arguments) for entry in done.log if entry.actor]


def worked_days(count: int, rounds: int) -> None:
    """The rows of days worked with the oracle's calls: rates, and the cost of rewards."""
    scenarios = load_shipped_benchmark("core-50").scenarios[:count]
    logs = [oracle_calls(scenario) for scenario in scenarios]
    calls = sum(map(len, logs))
    plain, rewarded = ([Day(s, rewards=on) for s in scenarios] for on in (False, True))
    taken: dict[str, Rounds] = {"call": [], "reward": [], "whole": [], "copy": []}
    for _ in range(rounds):
        worked = whole = with_rewards = copies = 0.0
        reads: Rounds = []
        for day, other, log in zip(plain, rewarded, logs, strict=True):
            staging = seconds(day.reset, 1)
            other.reset()
            took = [seconds(partial(day.step, [call]), 1) for call in log]
            own = sum(took)
            reads += [t for call, t in zip(log, took, strict=True) if call.name in READS]
            with_rewards += sum(seconds(partial(other.step, [call]), 1) for call in log)
            worked, whole = worked + own, whole + staging + own + seconds(day.grade, 1)
            copies += seconds(partial(fork_and_close, day), 5) / count
        taken["call"].append(worked / calls)
        taken["reward"].append((with_rewards - worked) / calls / statistics.mean(reads))
        taken["whole"].append(whole / calls)
        taken["copy"].append(copies)
    at = {name: statistics.median(values) for name, values in taken.items()}
    row("calls a second, oracle's mix", 1 / at["call"], CALLS_WANTED, taken["call"])
    row("calls a second, with staging and grading", 1 / at["whole"], WHOLE_WANTED, taken["whole"])
    row("a reward, in the price of a read", at["reward"], REWARD_WANTED, taken["reward"], most=True)
    row("a fork of a worked day, ms", at["copy"] * 1000, COPY_WANTED_MS, taken["copy"], most=True)


def fork_and_close(day: Day) -> None:
    """Make a copy and free it again."""
    day.fork().close()


def open_days(count: int, rounds: int) -> None:
    """The rows of the memory that open days take, as begun."""
    scenarios = load_shipped_benchmark("core-50").scenarios
    kept = []  # so that no room is used twice
    for rewards in (False, True):
        held = [Day(scenario, rewards=rewards) for scenario in scenarios]
        for day in held:
            day.reset()
        each: Rounds = []
        for _ in range(rounds):
            gc.collect()
            before = resident_bytes()
            for number in range(count):
                held.append(Day(scenarios[number % len(scenarios)], rewards=rewards))
                held[-1].reset()
            gc.collect()
            each.append((resident_bytes() - before) / count)
        needed = statistics.median(each) * WORLDS / 1e9
        what = f"{WORLDS} open days{' with rewards' if rewards else ''}, GB"
        row(what, needed, GIGABYTES, each, most=True)
        kept.append(held)
    for day in (day for held in kept for day in held):
        day.close()


def resident_bytes() -> int:
    """The memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", metavar="PYTHON")
    parser.add_argument("--mails", type=int, default=2_000)
    parser.add_argument("--many", type=int, default=200_000)
    parser.add_argument("--days", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    print(f"{'what':<52} {'value':>9} wanted            noise")
    open_days(100, max(3, chosen.rounds // 2))
    day = crowded_day(chosen.mails)
    if chosen.peer:  # before the worked days, whose objects the garbage collector would visit here
        against_peer(chosen.peer, day, chosen.mails, chosen.rounds)
    else:
        print("no peer: give --peer the Python of an environment with ARE")
    worked_days(chosen.days, chosen.rounds)
    at_both_sizes(day, chosen.mails, chosen.many, chosen.rounds)


if __name__ == "__main__":
    main()
