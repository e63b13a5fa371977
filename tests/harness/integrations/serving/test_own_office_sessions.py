"""Sessions of a server whose days are in an own office: saved, resumed, and refused over other
contents."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.runs import call
from trainee_bench.harness.environment.pool.day_pool import DayPool
from trainee_bench.harness.integrations.training.serving.day_store import DayStore
from trainee_bench.harness.integrations.training.serving.served_session import ServedSession
from trainee_bench.harness.integrations.training.serving.sessions import Sessions
from trainee_bench.harness.integrations.training.splits import describe_day
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.offices.opened import VARIABLE, OfficeUnavailable, open_office
from trainee_bench.meta_tasks.scenario import Scenario, ScenarioDay

pytest.importorskip("fsspec", reason="the extra serving is not installed")
pytest.importorskip("prometheus_client", reason="the extra serving is not installed")
pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))
    folder = tmp_path / "harbour"
    call("office", "new", folder)
    open_office(folder)
    return folder


@pytest.fixture
def pool(office: Path) -> Iterator[DayPool]:
    with DayPool(1) as made:
        yield made


async def begun(sessions: Sessions) -> ServedSession:
    """Begin a day in the office, make a call, and leave it as a server does that ends."""
    rules = ({"rule": "harbour.customer_reply"}, {"rule": "kb_fix.easy"})
    days = [{"tasks": rules}]
    scenario = Scenario.model_validate({"name": "mine", "office": "harbour", "days": days})
    given = ScenarioDay(scenario=scenario, day=0)
    session = await sessions.begin(given, describe_day("mine", 0, given), "mine")
    await sessions.step(session, [ToolCall("desk_tasks", {})])
    await sessions.leave(session, keep=True)
    return session


def serving(pool: DayPool, store: Path) -> Sessions:
    return Sessions(pool, DayStore(str(store)), limit=8, save_every=1)


async def test_a_session_goes_on_in_another_worker_that_has_the_office(
    pool: DayPool, tmp_path: Path
) -> None:
    session = await begun(serving(pool, tmp_path / "store"))
    with DayPool(1) as other:
        again = await serving(other, tmp_path / "store").resume(session.token)
        assert len(again.steps) == 1
        assert again.day.now == session.day.now


async def test_a_session_is_not_resumed_over_a_changed_office(
    pool: DayPool, office: Path, tmp_path: Path
) -> None:
    session = await begun(serving(pool, tmp_path / "store"))
    with (office / "people.csv").open("a", encoding="utf-8") as people:
        people.write("Ada Brook,Controller,Finance,Ines Albrecht,,\n")
    open_office(office)
    with DayPool(1) as other:
        at = serving(other, tmp_path / "store")
        with pytest.raises(OfficeUnavailable, match="the office harbour in .* has changed"):
            await at.resume(session.token)
