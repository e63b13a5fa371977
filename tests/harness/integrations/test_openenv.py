"""An OpenEnv environment works days of splits; the options say what a server offers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from trainee_bench.harness.integrations.openenv.options import (
    OPTIONS_VARIABLE,
    InvalidServerOptions,
    OpenEnvOptions,
    split_type,
)
from trainee_bench.harness.integrations.training.splits import UnknownSplit
from trainee_bench.harness.parity.script import parity_scripts

KEY = "1a2b3c4d5e6f7a8b"
TWO = {"one": KEY, "two": KEY + "2"}
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
        ('{"tenants": {"one": ""}}', "the key of tenant one: a token has at least 16"),
        ('{"tenants": {"one": "  "}}', "the key of tenant one: a token has at least 16"),
        ('{"tenants": {"one": "two words"}}', "the key of tenant one"),
        (f'{{"tenants": {{"one": "{KEY}", "two": "{KEY}"}}}}', "one and two have the same key"),
        (f'{{"tenants": {{"": "{KEY}"}}}}', "the name '' of a tenant"),
        (
            json.dumps({"tenants": TWO, "max_sessions": 1}),
            "more than max_sessions=1",
        ),
        (
            json.dumps({"tenants": TWO, "max_sessions": 8, "tenant_sessions": 5}),
            "lower",
        ),
        ('{"keep_seconds": 1000}', "would delete sessions that are in use"),
    ],
)
def test_wrong_options_are_named(written: str, why: str) -> None:
    with pytest.raises(InvalidServerOptions, match=why):
        OpenEnvOptions.from_environment({OPTIONS_VARIABLE: written})


def test_each_tenant_has_an_equal_part_of_the_room_unless_told_otherwise() -> None:
    assert OpenEnvOptions(tenants=TWO, max_sessions=9).tenant_limit == 4
    assert OpenEnvOptions(tenants=TWO, max_sessions=9, tenant_sessions=3).tenant_limit == 3
    assert OpenEnvOptions(max_sessions=9).tenant_limit == 9


def test_no_error_shows_a_key() -> None:
    with pytest.raises(ValueError) as refused:
        OpenEnvOptions(tenants={"one": "secret-key-of-16", "two": "secret-key-of-16"})
    assert "secret-key-of-16" not in str(refused.value)


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


class TestServer:
    """The web socket and the operators' addresses, through Starlette's client. Needs OpenEnv."""

    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        for module in ("openenv", "fsspec", "prometheus_client"):
            pytest.importorskip(module, reason=f"{module} is not installed")

    @pytest.fixture
    def serve(self, tmp_path: Path) -> Iterator[Callable[..., Any]]:
        from starlette.testclient import TestClient

        from trainee_bench.harness.integrations.openenv.server import create_office_app

        with ExitStack() as running:

            def start(**options: Any) -> Any:
                chosen = OpenEnvOptions(split="quickstart", store=str(tmp_path), **options)
                return running.enter_context(TestClient(create_office_app(chosen)))

            yield start

    @staticmethod
    def ask(socket: Any, kind: str, **data: Any) -> dict[str, Any]:
        socket.send_json({"type": kind, "data": data})
        answer: dict[str, Any] = socket.receive_json()
        return answer

    def step(self, socket: Any, tool: str, **arguments: Any) -> dict[str, Any]:
        call = {"type": "call_tool", "tool_name": tool, "arguments": arguments}
        return self.ask(socket, "step", **call)["data"]

    def test_a_day_over_the_socket_has_the_digest_and_score_of_the_seat(
        self, serve: Callable[..., Any]
    ) -> None:
        with serve().websocket_connect("/ws") as socket:
            self.ask(socket, "reset", index=0)
            rewards = [
                self.step(socket, call.name, **dict(call.arguments))["reward"]
                for call in VALID.calls
            ]
            state = self.ask(socket, "state")["data"]
        assert sum(rewards) == pytest.approx(state["score"]) == 1
        assert state["digest"] == SEAT.digest

    def test_a_client_whose_connection_broke_goes_on_with_its_token_also_after_a_restart(
        self, serve: Callable[..., Any]
    ) -> None:
        first = serve()
        with first.websocket_connect("/ws") as socket:
            token = self.ask(socket, "reset", index=0)["data"]["observation"]["token"]
            for call in VALID.calls[:20]:
                self.step(socket, call.name, **dict(call.arguments))
        with serve().websocket_connect("/ws") as socket:
            morning = self.ask(socket, "reset", token=token)["data"]["observation"]
            assert morning["token"] == token
            assert self.ask(socket, "state")["data"]["step_count"] == 20
            for call in VALID.calls[20:]:
                self.step(socket, call.name, **dict(call.arguments))
            assert self.ask(socket, "state")["data"]["digest"] == SEAT.digest

    def test_a_full_server_refuses_before_it_accepts_and_says_when_to_come_again(
        self, serve: Callable[..., Any]
    ) -> None:
        from starlette.testclient import WebSocketDenialResponse

        client = serve(max_sessions=1)
        with client.websocket_connect("/ws") as socket:
            self.ask(socket, "reset", index=0)
            with (
                pytest.raises(WebSocketDenialResponse) as refused,
                client.websocket_connect("/ws"),
            ):
                pass
            assert refused.value.status_code == 503
            assert 1 <= int(refused.value.headers["retry-after"]) <= 60

    def test_a_tenant_needs_its_key_and_cannot_go_on_with_anothers_day(
        self, serve: Callable[..., Any]
    ) -> None:
        from starlette.testclient import WebSocketDenialResponse

        tenants = {"one": "key-of-tenant-one", "two": "key-of-tenant-two"}
        client = serve(tenants=tenants)
        known = tenants | {"three": "another-key-of-nobody"}
        keys = {name: {"authorization": f"Bearer {key}"} for name, key in known.items()}
        with client.websocket_connect("/ws", headers=keys["one"]) as socket:
            token = self.ask(socket, "reset", index=0)["data"]["observation"]["token"]
        with client.websocket_connect("/ws", headers=keys["two"]) as socket:
            refused = self.ask(socket, "reset", token=token)
            assert (
                refused["data"]["message"] == "this token belongs to no session; reset begins one"
            )
        for headers in (keys["three"], {}):
            with (
                pytest.raises(WebSocketDenialResponse) as denied,
                client.websocket_connect("/ws", headers=headers),
            ):
                pass
            assert denied.value.status_code == 401

    @pytest.mark.parametrize(
        ("message", "code"),
        [
            ("{", "INVALID_JSON"),
            ("[]", "UNKNOWN_TYPE"),
            ('{"type": "dance"}', "UNKNOWN_TYPE"),
            ('{"type": "reset", "data": {"index": "x"}}', "VALIDATION_ERROR"),
            ('{"type": "reset", "data": {"index": 99}}', "EXECUTION_ERROR"),
            ('{"type": "reset", "data": {"token": "none"}}', "EXECUTION_ERROR"),
            (
                '{"type": "step", "data": {"type": "call_tool", "tool_name": "x"}}',
                "EXECUTION_ERROR",
            ),
            ('{"type": "step", "data": {"type": "call_tool"}}', "VALIDATION_ERROR"),
        ],
    )
    def test_a_wrong_message_is_an_error_and_the_connection_goes_on(
        self, serve: Callable[..., Any], message: str, code: str
    ) -> None:
        with serve().websocket_connect("/ws") as socket:
            socket.send_text(message)
            answer = socket.receive_json()
            assert (answer["type"], answer["data"]["code"]) == ("error", code)
            assert self.ask(socket, "reset", index=0)["type"] == "observation"

    def test_clients_of_several_servers_with_one_store_never_get_the_same_day(
        self, serve: Callable[..., Any]
    ) -> None:
        found = []
        for client in (serve(), serve()):
            for _ in range(3):
                with client.websocket_connect("/ws") as socket:
                    reset = self.ask(socket, "reset", split="core-50")
                    found.append(reset["data"]["observation"]["day"]["index"])
        assert len(set(found)) == 6

    def test_operators_see_health_readiness_and_figures(self, serve: Callable[..., Any]) -> None:
        client = serve(max_sessions=3)
        with client.websocket_connect("/ws") as socket:
            self.ask(socket, "reset", index=0)
            self.step(socket, "desk_tasks")
            assert client.get("/healthz").text == "ok"
            assert client.get("/readyz").text == "ready"
            figures = client.get("/metrics").text
        for line in ("sessions_open 1.0", "sessions_limit 3.0", "days_staged_total 1.0",
                     "step_seconds_count 1.0"):  # fmt: skip
            assert f"trainee_bench_{line}" in figures
