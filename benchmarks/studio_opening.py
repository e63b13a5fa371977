"""Measurements of opening days for `studio.py`: the first jump on each, and the memory of ten."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from trainee_bench.world.world import World

_PATIENCE_MS = 300_000


async def first_jump(page: Any, address: str, process: int, step: int) -> tuple[float, float]:
    """Return the duration of the first jump and the CPU time of *process* meanwhile, in ms.

    *process* is a studio that has just started, with a single day. The jump lasts from moving the
    slider, as soon as it is there, to the frame with the call and the state. The CPU time includes
    opening the day.
    """
    page.set_default_timeout(_PATIENCE_MS)
    await page.goto(address)
    before = _cpu_ms(process)
    took = await _open_and_jump(page, address.partition("?")[0], 0, step)
    return took, _cpu_ms(process) - before


async def open_one_by_one(page: Any, address: str, days: Sequence[Path]) -> None:
    """Open *days*, all days of the studio, and read each to its last step."""
    page.set_default_timeout(_PATIENCE_MS)
    await page.goto(address)
    for number, day in enumerate(days):
        async with await World.open(day) as world:
            steps = len(await world.log())
        await page.goto("about:blank")
        await _open_and_jump(page, address.partition("?")[0], number, steps)
        await page.evaluate("watch.untilThere", [".calls .call", 1])
        await page.evaluate("watch.jump", steps // 2)
    await page.goto("about:blank")


async def _open_and_jump(page: Any, base: str, number: int, step: JsonValue) -> float:
    await page.goto(f"{base}#/episode/{number}-0?step=0")
    took: float = await page.evaluate("watch.firstJump", step)
    return took


def _cpu_ms(process: int) -> float:
    """Return the CPU time of *process* so far, in ms."""
    status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return 1000 * (int(status[11]) + int(status[12])) / os.sysconf("SC_CLK_TCK")
