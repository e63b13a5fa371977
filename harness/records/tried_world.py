"""The world of a trial, by which it is opened again: a task's day at a seed, and what differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trainee_bench.meta_tasks.scenario import Variation


@dataclass(frozen=True)
class TriedWorld:
    """The day of one task at a seed.

    Nobody tells the ``withheld`` clues ("T1/ready"), and those with an offset in ``secrets`` have
    another secret. ``policy`` has the values of an own office's rules that were changed, by name,
    as texts state them.
    """

    seed: int
    policy: Mapping[str, str] = field(default_factory=dict)
    withheld: tuple[str, ...] = ()
    secrets: Mapping[str, int] = field(default_factory=dict)

    @property
    def variation(self) -> Variation:
        """The variation with which its day is composed."""
        return Variation(secret_seed_offsets=dict(self.secrets), withheld=self.withheld)
