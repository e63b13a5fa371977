"""The oracle with an error in about half of the files it writes.

Its scores are between 0 and 1, so they show a change of the grading.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Self

from pydantic import JsonValue

from trainee_bench.harness.agents.builtin.oracle import Oracle, SessionToolBackend, costs_in
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.testbench.slips import takes_whole_file, with_slip
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.tool_client import ToolResponse
from trainee_bench.world.random_streams import random_stream

ERROR_RATE = 0.5


class Careless(Oracle):
    """Agent that works as the oracle does and makes seeded errors in some of the files."""

    name = "careless"
    seed: tuple[str | int, ...] = ()

    @classmethod
    async def for_day(cls, composition: ComposedDay) -> Self:
        """Return the agent for this day; its seed is the scenario's."""
        made = await super().for_day(composition)
        scenario = composition.scenario_day.scenario
        made.seed = (scenario.name, scenario.seed, composition.scenario_day.day)
        return made

    async def work(self, session: AgentSession) -> None:
        """Work as the oracle does; skip tasks that cannot be done."""
        await self.work_with(_MutatingToolBackend(session, self.seed), costs_in(session))


class _MutatingToolBackend(SessionToolBackend):
    """Backend that makes the session's calls, some of them with an error in the written text.

    Only a file's path decides whether it gets an error, not the order of the oracle's work.
    """

    def __init__(self, session: AgentSession, seed: tuple[str | int, ...]):
        super().__init__(session)
        self._seed = seed
        self._draws: dict[str, Random] = {}

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        """Make a turn of one call, perhaps with a changed text. Raises ToolFailed."""
        if takes_whole_file(tool):
            path = str(arguments["path"])
            if path not in self._draws:
                self._draws[path] = random_stream("careless", *self._seed, path)
            slips, place = self._draws[path].random() < ERROR_RATE, self._draws[path].random()
            if slips:
                arguments = with_slip(tool, arguments, place)
        return await super().call(tool, arguments)
