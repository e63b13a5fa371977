"""The example for NeMo Gym without NeMo Gym: its rows, and its client of our OpenEnv server."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from trainee_bench.harness.integrations.training.episode import usual_tools
from trainee_bench.harness.parity.script import parity_scripts

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "training" / "nemo_gym_office"
VALID = parity_scripts()[0]
SEAT = VALID.at_the_seat()


@pytest.fixture(autouse=True)
def _beside_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import the example's modules as its own programs do."""
    monkeypatch.syspath_prepend(str(FOLDER))


def test_the_rows_have_the_prompt_the_tools_and_the_place_of_each_day(
    capsys: pytest.CaptureFixture[str],
) -> None:
    import_module("write_rows").main("quickstart", "2")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["split"], row["index"]) for row in rows] == [("quickstart", 0), ("quickstart", 1)]
    for row in rows:
        (message,) = row["responses_create_params"]["input"]
        assert message["role"] == "user" and "Your tasks:" in message["content"]
    tools = rows[0]["responses_create_params"]["tools"]
    assert [tool["name"] for tool in tools] == [tool.name for tool in usual_tools()]
    assert all(tool["type"] == "function" and "properties" in tool["parameters"] for tool in tools)


class TestClient:
    """Needs OpenEnv: see docs/integrations/openenv.md."""

    @pytest.fixture
    async def address(self, tmp_path: Path) -> AsyncIterator[str]:
        for module in ("openenv", "aiohttp", "fsspec", "prometheus_client"):
            pytest.importorskip(module, reason=f"{module} is not installed")
        from trainee_bench.harness.integrations.openenv.options import OpenEnvOptions
        from trainee_bench.harness.integrations.openenv.server import create_office_app

        options = OpenEnvOptions(split="quickstart", max_sessions=2, store=str(tmp_path))
        server = uvicorn.Server(uvicorn.Config(create_office_app(options), log_level="critical"))
        with socket.create_server(("127.0.0.1", 0)) as listener:
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            yield f"ws://127.0.0.1:{listener.getsockname()[1]}/ws"
            server.should_exit = True
            await serving

    @pytest.fixture
    def client(self, address: str) -> Any:
        return import_module("office_day")

    async def test_the_oracles_calls_earn_the_score_of_the_seat(
        self, client: Any, address: str
    ) -> None:
        day = await client.OfficeDay.begin(address, "quickstart", 0)
        texts = [await day.call(call.name, dict(call.arguments)) for call in VALID.calls]
        assert await day.score() == pytest.approx(1)
        assert texts == [SEAT.texts[at] for at in range(len(texts))]
        await day.close()

    async def test_calls_at_once_are_made_one_after_the_other(
        self, client: Any, address: str
    ) -> None:
        day = await client.OfficeDay.begin(address, "quickstart", 0)
        made = [day.call(call.name, dict(call.arguments)) for call in VALID.calls[:5]]
        assert await asyncio.gather(*made) == [SEAT.texts[at] for at in range(5)]
        await day.close()

    async def test_a_day_that_is_given_up_makes_room_for_another(
        self, client: Any, address: str
    ) -> None:
        for _ in range(4):
            day = await client.OfficeDay.begin(address, "quickstart", 0)
            assert await day.score() == 0
            await day.close()

    @pytest.mark.parametrize(("split", "index"), [("none", 0), ("quickstart", 3)])
    async def test_a_row_of_no_day_is_refused(
        self, client: Any, address: str, split: str, index: int
    ) -> None:
        with pytest.raises(client.OfficeRefused):
            await client.OfficeDay.begin(address, split, index)
