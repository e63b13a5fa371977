"""What a careful worker does in every office, whatever complications a task has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from trainee_bench.meta_tasks.authoring.converters import CLOCK, FULL_NAME
from trainee_bench.meta_tasks.authoring.text_template import ValueTemplate
from trainee_bench.meta_tasks.patience import LOOK_FOR_AWAY
from trainee_bench.meta_tasks.work.asking import Answered, Successors
from trainee_bench.meta_tasks.work.habits import Around, Habit, Inner
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import PersonCalled
from trainee_bench.meta_tasks.work.sources import Inbox, ReadMessage

DEPUTY = ValueTemplate("Please turn to {value} (", FULL_NAME)
"""How the automatic reply of somebody who is away names the deputy."""
BACK = ValueTemplate("is away until {value} today.", CLOCK)
"""How it says when they are back."""


@dataclass(frozen=True)
class DeputyOf(Need[str]):
    """The full name of whoever stands in for a person today; "" if nobody does."""

    person: str

    async def satisfy(self, work: Work) -> str:
        """Look whether an automatic reply names somebody."""
        for message in await work(Inbox()):
            if message.automatic and message.sender == self.person:
                deputy = DEPUTY.search(message.text)
                if deputy is not None:
                    return deputy
        return ""


class TurnsToDeputies(Habit):
    """Turns to the deputy whom the automatic reply of an absent colleague names."""

    name: ClassVar[str] = "turns to deputies"

    def ways(self) -> Mapping[type[Need[Any]], Around]:
        """Around who answers in somebody's place."""
        return {Successors: self._successors}

    async def _successors(
        self, work: Work, need: Successors, inner: Inner[tuple[str, ...]]
    ) -> tuple[str, ...]:
        known, deputy = await inner(), await work(DeputyOf(need.person))
        return (*known, (await work(PersonCalled(deputy))).id) if deputy else known


class ComesBackLater(Habit):
    """Looks only now and then for the answer of somebody who is away, until they are back."""

    name: ClassVar[str] = "comes back later"

    def ways(self) -> Mapping[type[Need[Any]], Around]:
        """Around waiting for answers."""
        return {Answered: self._answered}

    async def _answered(self, work: Work, need: Answered, inner: Inner[ReadMessage]) -> ReadMessage:
        if not work.worker.trusts_notices:  # else one is told
            for message in await work(Inbox()):
                if message.automatic and message.sender == need.person:
                    back = BACK.search(message.text)
                    if back is not None:
                        await work.pause(datetime.combine(need.sent.at, back), LOOK_FOR_AWAY)
        return await inner()


HABITS: tuple[Habit, ...] = (TurnsToDeputies(), ComesBackLater())
"""These, beside the habits of all complications."""
