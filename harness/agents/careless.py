"""The honest solver with a slip of the pen in about half of what it writes.

It has grades between nothing and everything, so that a change of the grading shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Self

from pydantic import JsonValue

from harness.agents.oracle import Desk, Oracle
from harness.certificate.mutants import wrong_mutants
from harness.scheduler import run_oracles
from harness.workplace import Workplace
from meta_tasks.composition import Composition
from meta_tasks.hands import Answer
from world.streams import stream

HOW_OFTEN = 0.5
_WRITES = "files_write"


class Careless(Oracle):
    """Does all work as the oracle does, and spoils some of the files; always the same ones."""

    name = "careless"
    seed: tuple[str | int, ...] = ()

    @classmethod
    async def for_day(cls, composition: Composition) -> Self:
        """The careless solver of this day."""
        made = await super().for_day(composition)
        scenario = composition.resolved.scenario
        made.seed = (scenario.name, scenario.seed, composition.resolved.day)
        return made

    async def work(self, office: Workplace) -> None:
        """Work as the oracle does; what one task's oracle cannot do is left."""
        costs = {tool.name: tool.minutes for tool in office.tools}
        desk = _CarelessDesk(office, stream("careless", *self.seed))
        work = {task: family.oracle for task, family in self.families.items()}
        await run_oracles(desk, costs, work)


class _CarelessDesk(Desk):
    """A desk at which the pen slips."""

    def __init__(self, office: Workplace, draws: Random):
        super().__init__(office)
        self._draws = draws

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> Answer:
        """A turn of one call, perhaps with another text than was meant. Raises ToolFailed."""
        slips, place = self._draws.random() < HOW_OFTEN, self._draws.random()
        if tool != _WRITES or not slips:
            return await super().call(tool, arguments)
        others = [mutant.text for mutant in wrong_mutants(str(arguments["text"]))]
        spoiled = {**arguments, "text": others[int(place * len(others))]}
        return await super().call(tool, spoiled)
