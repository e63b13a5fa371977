"""An OpenEnv environment works days of splits; the options say what a server offers."""

from __future__ import annotations

import pytest

from trainee_bench.harness.integrations.openenv.options import (
    OPTIONS_VARIABLE,
    InvalidServerOptions,
    OpenEnvOptions,
    split_type,
)
from trainee_bench.harness.integrations.training.splits import UnknownSplit
from trainee_bench.harness.parity.script import parity_scripts

QUICKSTART = OpenEnvOptions(split="quickstart")
VALID = parity_scripts()[0]
SEAT = VALID.at_the_seat()


def test_a_server_offers_generated_splits_and_the_benchmarks_of_days() -> None:
    offered = OpenEnvOptions(split="dev", size=7, max_sessions=2).splits
    assert [*offered][:3] == ["dev", "train", "test"]
    assert {"quickstart", "core-50"} < {*offered}
    assert not any(name.startswith("week") for name in offered)
    assert (offered["train"].size, offered["core-50"].size) == (7, 7)
    assert [split_type(name) for name in ("train", "dev", "test", "core-50")] == [
        "train", "validation", "test", "test",
    ]  # fmt: skip


def test_no_client_reaches_a_file_that_is_not_offered() -> None:
    with pytest.raises(UnknownSplit, match="use quickstart, train"):
        QUICKSTART.find("/etc/hostname")


def test_options_are_read_from_the_environment() -> None:
    given = {OPTIONS_VARIABLE: '{"split": "core-50", "max_sessions": 3}'}
    assert OpenEnvOptions.from_environment(given) == OpenEnvOptions(split="core-50", max_sessions=3)
    assert OpenEnvOptions.from_environment({}) == OpenEnvOptions()


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("{", "the whole text"),
        ('{"max_sessions": 0}', "max_sessions"),
        ('{"splitt": "train"}', "splitt"),
        ('{"split": "trian"}', "There is no split"),
        ('{"tasks": "x"}', "write a number"),
    ],
)
def test_wrong_options_are_named(written: str, why: str) -> None:
    with pytest.raises(InvalidServerOptions, match=why):
        OpenEnvOptions.from_environment({OPTIONS_VARIABLE: written})


class TestEnvironment:
    """Needs OpenEnv: see docs/integrations/openenv.md."""

    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("openenv", reason="OpenEnv is not installed")

    async def test_a_client_works_the_day_that_it_chose_and_is_rewarded_call_by_call(self) -> None:
        from openenv.core.env_server.mcp_types import CallToolAction, ListToolsAction

        from trainee_bench.harness.integrations.openenv.environment import (
            DayNotReset,
            OpenEnvOffice,
        )

        office = OpenEnvOffice(QUICKSTART)
        with pytest.raises(DayNotReset, match="reset"):
            office.step(CallToolAction(tool_name="desk_tasks"))
        assert len(office.step(ListToolsAction()).tools) > 50
        morning = office.reset(index=0)
        assert morning.day.index == 0 and "Your tasks:" in morning.prompt
        rewards = [
            office.step(CallToolAction(tool_name=c.name, arguments=dict(c.arguments))).reward
            for c in VALID.calls
        ]
        state = office.state
        assert sum(rewards) == pytest.approx(state.score) == 1
        assert (state.success, state.digest) == (True, SEAT.digest)
        assert state.step_count == len(VALID.calls)
        office.close()

    async def test_a_client_that_names_no_day_gets_the_next_and_a_seed_names_one(self) -> None:
        from trainee_bench.harness.integrations.openenv.environment import OpenEnvOffice

        office = OpenEnvOffice(QUICKSTART)
        assert [office.reset().day.index for _ in range(4)] == [0, 1, 2, 0]
        assert office.reset(seed=5).day.index == 2
        with pytest.raises(IndexError):
            office.reset(index=3)
        with pytest.raises(UnknownSplit):
            office.reset(split="none")

    async def test_tasks_are_listed_by_their_cards(self) -> None:
        from fastapi import HTTPException

        from trainee_bench.harness.integrations.openenv.environment import OpenEnvOffice

        office = OpenEnvOffice(QUICKSTART)
        assert {"name": "dev", "type": "validation"} in office.list_splits()
        assert office.num_tasks("quickstart") == 3
        assert office.num_tasks("train") == 10**9
        cards = await office.list_tasks("quickstart")
        assert await office.get_task_range("quickstart", 1) == cards[1:]
        assert await office.get_task("quickstart", 2) == cards[2]
        with pytest.raises(HTTPException, match="404"):
            await office.get_task("none", 0)
