"""How a new world begins: whose it is, on which days, and what it was made from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from trainee_bench.world.week import LaterDay, write_later_days


@dataclass(frozen=True)
class WorldConfig:
    """The configuration of a new world: whose day it is, its start and end (of several days those
    of the first), and its origin."""

    employee: str
    starts: datetime
    ends: datetime
    scenario: str = "{}"
    """The resolved scenario, JSON; no tool reads it."""
    identity: str = "{}"
    """Versions of what made this world, JSON."""
    verbosity: str = "all"
    minutes_by_tool: Mapping[str, int] | None = None
    """Minutes of each tool whose cost the scenario changes."""
    offered_apps: Sequence[str] | None = None
    """The apps that this day offers the employee; None means all except opt-in apps."""
    worth_counts: bool = False
    """Whether there is more work than hours, so that the worth of what is done counts."""
    tasks_until: datetime | None = None
    """Until when further tasks may come; None means that all are there from the start."""
    later_days: Sequence[LaterDay] = ()
    """The working days after the first, which `World.begin_next_day` begins."""

    def facts(self) -> dict[str, str]:
        """What a new world stores of it, by name; what only some worlds have is left out of the
        others."""
        facts = {
            "now": self.starts.isoformat(),
            "day_starts": self.starts.isoformat(),
            "day_ends": self.ends.isoformat(),
            "employee": self.employee,
            "verbosity": self.verbosity,
            "minutes": json.dumps(dict(self.minutes_by_tool or {}), sort_keys=True),
            "tools": json.dumps(None if self.offered_apps is None else sorted(self.offered_apps)),
            "scenario": self.scenario,
            "identity": self.identity,
        }
        if self.tasks_until is not None:
            facts["tasks_until"] = self.tasks_until.isoformat()
        if self.worth_counts:
            facts["worth_counts"] = "yes"
        if self.later_days:
            facts["later_days"] = write_later_days(self.later_days)
        return facts
