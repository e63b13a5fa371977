"""The cost of the studio's page: drawing lists, jumping in a day, following live, memory.

    python benchmarks/studio.py [--rounds N] [--jumps N] [--seconds S] [--idle MINUTES]

The studio runs in a separate process. It shows an episode of 300 calls with 50 mails and a table of
5,000 rows, and a day of 150 steps. Another process works eight more days meanwhile. Further studios
show a day of 500 steps, a day of 700 calls with files of 140 kB, and ten days. A browser opens the
pages and measures times by its own clock:

- a list: from the arrival of its data to the frame that shows it
- a jump: from moving the slider to the frame that shows the step's call and state
- a first jump: the same in a studio that has just opened, as soon as there is a slider
- sorting: from a click on a heading of the table of 10,000 episodes to the frame with the new order
- live: from the commit of a call to the frame that shows it
- memory: the resident memory of the studio's process (VmRSS, and VmHWM as the highest), after ten
  days were opened one after the other, and after some idle minutes

CPU is the median CPU time of the page's main thread from the click on, which can be compared
between machines and loads. For a first jump, it is the studio's CPU time since the day was opened.

Needs Linux, ``pip install -e .[studio-test]`` and a chromium. Design targets, each for the 95th
percentile: a list 50 ms, a jump 100 ms, sorting 200 ms, live 250 ms, a first jump 1 s, with large
files 2 s. Design target for memory: 300 MB. The exit code is 1 if one is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from playwright.async_api import async_playwright
from pydantic import JsonValue
from studio_days import HEAVY_CALLS, LIVE_DAYS, STEPS, TABLE, WorkedDays, work_days
from studio_episodes import EPISODES, write_episodes
from studio_opening import first_jump, open_one_by_one

HERE = Path(__file__).parent
LIST_MS, JUMP_MS, SORT_MS, LIVE_MS, MEMORY_MB = 50.0, 100.0, 200.0, 250.0, 300.0
FIRST_MS, HEAVY_MS = 1_000.0, 2_000.0
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\?token=\S+")
WATCH = (HERE / "studio_watch.js").read_text(encoding="utf-8")


@asynccontextmanager
async def opened_studio(paths: Sequence[Path]) -> AsyncIterator[tuple[str, int]]:
    """The address of a studio of *paths* in a separate process, and the process's id."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "trainee_bench.harness", "studio", "--no-browser"),
        *map(str, paths),
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(HERE.parent), "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    try:
        async for line in process.stdout:
            if found := ADDRESS.search(line.decode()):
                yield found[0], process.pid
                break
        else:
            raise SystemExit("The studio did not open.")
    finally:
        process.terminate()
        await process.wait()


def note(text: str) -> None:
    """Print the progress on the terminal."""
    print(text, file=sys.stderr, flush=True)


def memory_mb(process: int) -> dict[str, float]:
    """The resident memory of *process* in megabytes, now and at its highest."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return {
        name: int(re.search(rf"^{name}:\s+(\d+)", status, re.MULTILINE)[1]) / 1024  # type: ignore[index]
        for name in ("VmRSS", "VmHWM")
    }


class Timed:
    """Runs functions of the page and measures each in ms: by its own clock, and in CPU time of the
    page's main thread."""

    def __init__(self, page: Any, metrics: Any):
        self._page = page
        self._metrics = metrics
        self.passed: list[float] = []
        self.cpu: list[float] = []

    async def run(self, function: str, given: JsonValue) -> None:
        """Run *function* and note its times."""
        before = await self._task_seconds()
        self.passed.append(await self._page.evaluate(function, given))
        self.cpu.append(1000 * (await self._task_seconds() - before))

    async def _task_seconds(self) -> float:
        found = (await self._metrics.send("Performance.getMetrics"))["metrics"]
        return float(next(metric["value"] for metric in found if metric["name"] == "TaskDuration"))


async def draw_lists(page: Any, metrics: Any, rounds: int) -> dict[str, Timed]:
    """The drawing times of each list, *rounds* times each."""
    day = "#/episode/0-0?step=300&app=desk"
    places: dict[str, tuple[str, str, str, int]] = {
        "an episode of 300 calls": ("#/none", day, ".calls .call", 15),
        "50 mails": (day, "#/episode/0-0?step=300&app=mail", ".mail .list .item", 50),
        "a window of 5,000 rows": (
            day,
            f"#/episode/0-0?step=300&app=sheets&item={TABLE}",
            ".grid tbody tr",
            50,
        ),
        "the tiles of ten days": ("#/none", "#/live", ".tile", LIVE_DAYS + 2),
    }
    took: dict[str, Timed] = {}
    for name, (before, place, rows, least) in places.items():
        note(f"drawing: {name}")
        timed = took[name] = Timed(page, metrics)
        for number in range(rounds + 1):
            await page.evaluate("(place) => { location.hash = place; }", before)
            await page.evaluate("watch.untilGone", [rows, 1])
            await timed.run("watch.open", [place, rows, least])
            if not number:  # computes the states, and warms the page up
                await page.evaluate("watch.untilThere", [rows, least])
                timed.passed.clear()
                timed.cpu.clear()
    return took


async def jump(page: Any, metrics: Any, jumps: int) -> tuple[Timed, Timed]:
    """The times of the first jump on the day of 150 steps, to its end, and of all others."""
    note("jumping")
    await page.evaluate("location.hash = '#/episode/1-0?step=0'")
    await page.evaluate("watch.untilThere", [".track input", 1])
    first, others = Timed(page, metrics), Timed(page, metrics)
    await first.run("watch.jump", 150)
    for number in range(jumps):
        await others.run("watch.jump", 1 + (number * 67) % 149)
    return first, others


async def sort_episodes(browser: Any, run: Path, rounds: int) -> Timed:
    """The times of sorting the table of *run* by each of its columns in turn."""
    note(f"sorting {EPISODES:,} episodes")
    async with opened_studio([run]) as (address, _), new_page(browser) as page:
        page.set_default_timeout(60_000)
        metrics = await page.context.new_cdp_session(page)
        await metrics.send("Performance.enable", {"timeDomain": "threadTicks"})
        await page.goto(address)
        await page.goto(f"{address.partition('?')[0]}#/episodes")
        await page.evaluate("watch.untilThere", [".episode-table tbody tr", 15])
        timed = Timed(page, metrics)
        for number in range(rounds):
            await timed.run("watch.sort", number)
    return timed


async def follow(page: Any, base: str, place: str, seconds: float) -> list[float]:
    """The times from the commit of a live call to its frame, in ms."""
    note(f"following {place}")
    await page.goto("about:blank")
    await page.goto(f"{base}{place}")
    await page.evaluate("watch.untilThere", [".tile, .calls .call", 1])
    delays: list[float] = await page.evaluate("watch.live", seconds * 1000)
    return delays


async def first_jumps(browser: Any, day: Path, steps: int) -> list[tuple[float, float]]:
    """The times in ms of first jumps on *day*, to three places, each in a new studio, and the
    studio's CPU time."""
    took = []
    for step in (steps // 4, steps // 2, steps):
        note(f"first jump to step {step} of {steps}")
        async with opened_studio([day]) as (address, process), new_page(browser) as page:
            took.append(await first_jump(page, address, process, step))
    return took


async def ten_days(browser: Any, days: WorkedDays, minutes: float) -> list[float]:
    """The highest memory of a studio in MB while ten days are opened, and its memory after
    *minutes* without a request."""
    note("opening ten days")
    async with opened_studio(days.ten) as (address, process), new_page(browser) as page:
        await open_one_by_one(page, address, days.ten)
        highest = memory_mb(process)["VmHWM"]
        await anyio.sleep(60 * minutes)
        return [highest, memory_mb(process)["VmRSS"]]


@asynccontextmanager
async def new_page(browser: Any) -> AsyncIterator[Any]:
    """A page with the script that measures the times."""
    context = await browser.new_context(viewport={"width": 1440, "height": 900})
    page = await context.new_page()
    await page.add_init_script(WATCH)
    yield page
    await context.close()


def say(
    what: str,
    values: Sequence[float],
    cpu: Sequence[float] = (),
    *,
    target: float,
    unit: str = "ms",
) -> bool:
    """Print a line of the table; True if the target is met."""
    ordered = sorted(values)
    slow = ordered[max(0, -(-95 * len(ordered) // 100) - 1)]
    met = slow <= target
    figures = f"{statistics.median(ordered):.0f} | {slow:.0f} | {ordered[-1]:.0f}"
    own = f"{statistics.median(cpu):.0f}" if cpu else ""
    print(f"| {what} | {figures} | {own} | {target:.0f} {unit} | {'yes' if met else '**no**'} |")
    return met


async def main(rounds: int, jumps: int, seconds: float, minutes: float) -> int:
    """Print the table; 1 if a target is missed."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    load = os.getloadavg()
    with tempfile.TemporaryDirectory() as folder:
        note("working the days")
        days = await work_days(Path(folder))
        async with (
            opened_studio([days.long, days.short, *days.live]) as (address, process),
            async_playwright() as engine,
        ):
            browser = await engine.chromium.launch(executable_path=executable)
            page = await browser.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(60_000)
            metrics = await page.context.new_cdp_session(page)
            await metrics.send("Performance.enable", {"timeDomain": "threadTicks"})
            await page.add_init_script(WATCH)
            await page.goto(address)
            base = address.partition("?")[0]
            worker = await asyncio.create_subprocess_exec(
                sys.executable,
                str(HERE / "studio_days.py"),
                *map(str, days.live),
                env=os.environ | {"PYTHONPATH": str(HERE.parent)},
            )
            try:
                lists = await draw_lists(page, metrics, rounds)
                first, jumped = await jump(page, metrics, jumps)
                tiles = await follow(page, base, "#/live", seconds)
                episode = await follow(page, base, "#/episode/2-0", seconds)
                pages = [await browser.new_page() for _ in range(3)]
                for number, other_page in enumerate(pages):
                    await other_page.goto(address)
                    await other_page.goto(f"{base}#/episode/{number + 3}-0")
                await anyio.sleep(5)
                memory = memory_mb(process)
            finally:
                worker.terminate()
                await worker.wait()
            many = write_episodes(Path(folder) / "many")
            ordered = await sort_episodes(browser, many, rounds)
            firsts = await first_jumps(browser, days.steps, STEPS)
            heavy = await first_jumps(browser, days.heavy, HEAVY_CALLS)
            highest, left = await ten_days(browser, days, minutes)
            await browser.close()
    print(f"Load averages before and after: {load[0]:.1f}, {os.getloadavg()[0]:.1f}.\n")
    print("| what | median | 95 of 100 | slowest | CPU | wanted | held |")
    print("|---|---:|---:|---:|---:|---:|---|")
    met = [
        say(f"drawing: {name}", took.passed, took.cpu, target=LIST_MS)
        for name, took in lists.items()
    ]
    met.append(say("a jump on a day of 150 steps", jumped.passed, jumped.cpu, target=JUMP_MS))
    what = f"sorting {EPISODES:,} episodes"
    met.append(say(what, ordered.passed, ordered.cpu, target=SORT_MS))
    for what, jumps_of, target in (
        ("a first jump on a day of 500 steps", firsts, FIRST_MS),
        ("a first jump among files of 140 kB", heavy, HEAVY_MS),
    ):
        took, cpu = zip(*jumps_of, strict=True)
        met.append(say(what, took, cpu, target=target))
    met.append(say("live, in the overview of ten", tiles, target=LIVE_MS))
    met.append(say("live, in an episode beside nine", episode, target=LIVE_MS))
    met.append(say("memory of the studio", [memory["VmHWM"]], target=MEMORY_MB, unit="MB"))
    met.append(say("memory while ten days are opened", [highest], target=MEMORY_MB, unit="MB"))
    met.append(say(f"memory {minutes:g} min later", [left], target=MEMORY_MB, unit="MB"))
    print(f"\nThe first jump, with 150 states to compute: {first.passed[0]:.0f} ms.")
    print(f"Memory at the end: {memory['VmRSS']:.0f} MB.")
    return 0 if all(met) else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="number of drawings of each list")
    parser.add_argument("--jumps", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=15.0, help="seconds to follow each page")
    parser.add_argument(
        "--idle", type=float, default=30.0, help="idle minutes after ten opened days"
    )
    given = parser.parse_args()
    sys.exit(asyncio.run(main(given.rounds, given.jumps, given.seconds, given.idle)))
