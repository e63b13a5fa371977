"""The day that the tests of sessions serve."""

from __future__ import annotations

from typing import Any

from tests.harness.environment.test_day import SCENARIO
from trainee_bench.harness.integrations.training.serving.served_session import ServedSession
from trainee_bench.harness.integrations.training.serving.sessions import Sessions
from trainee_bench.harness.integrations.training.splits import describe_day
from trainee_bench.meta_tasks.scenario import ScenarioDay

GIVEN = ScenarioDay(scenario=SCENARIO, day=0)
CARD = describe_day("quickstart", 0, GIVEN)


async def begin(at: Sessions, tenant: str = "", **more: Any) -> ServedSession:
    return await at.begin(GIVEN, CARD, "mine", tenant, **more)
