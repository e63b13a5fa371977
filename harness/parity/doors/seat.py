"""The seat itself: `Day.step` on the caller's thread, a turn for each call."""

from __future__ import annotations

from pathlib import Path

from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.parity.door import Door, DoorRun
from trainee_bench.harness.parity.script import ParityScript


class SeatDoor(Door):
    """A day in this process, as training code steps it."""

    name = "seat"

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        """Step the day call by call."""
        day = Day(script.scenario, script.number, rewards=True)
        day.reset()
        try:
            for call in script.calls:
                day.step([call])
            return DoorRun(day.digest(), day.grade().score)
        finally:
            day.close()
