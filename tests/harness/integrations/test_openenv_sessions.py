"""An OpenEnv server loses no answered step, keeps tenants apart, and survives what clients send.

Needs OpenEnv: see docs/integrations/openenv.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from trainee_bench.harness.integrations.openenv.options import OpenEnvOptions
from trainee_bench.harness.parity.script import parity_scripts

for _module in ("openenv", "fsspec", "prometheus_client"):
    pytest.importorskip(_module, reason=f"{_module} is not installed")

from starlette.testclient import TestClient, WebSocketDenialResponse  # noqa: E402
from starlette.websockets import WebSocketDisconnect  # noqa: E402

from trainee_bench.harness.integrations.openenv.server import create_office_app  # noqa: E402

VALID = parity_scripts()[0]
TENANTS = {"one": "key-of-tenant-one", "two": "key-of-tenant-two"}
ONE, TWO = ({"authorization": f"Bearer {key}"} for key in TENANTS.values())
RESET = {"type": "reset", "data": {"index": 0}}
Serve = Callable[..., Any]


def server(store: Path, **options: Any) -> Any:
    """Return a server over *store*, which runs while it is entered."""
    chosen = OpenEnvOptions(split="quickstart", store=str(store), **options)
    return TestClient(create_office_app(chosen))


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts one more server over the same store."""
    with ExitStack() as running:
        yield lambda **options: running.enter_context(server(tmp_path, **options))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server without tenants."""
    with server(tmp_path_factory.mktemp("days")) as client:
        yield client


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A server of two tenants with room for one session each."""
    store = tmp_path_factory.mktemp("days")
    with server(store, tenants=TENANTS, max_sessions=2) as client:
        yield client


def ask(socket: Any, kind: str, **data: Any) -> dict[str, Any]:
    socket.send_json({"type": kind, "data": data})
    answer: dict[str, Any] = socket.receive_json()
    return answer


def step(socket: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    return ask(socket, "step", type="call_tool", tool_name=tool, arguments=arguments)


def finish(socket: Any) -> None:
    """Do all the work of the day, and end it."""
    for call in VALID.calls:
        step(socket, call.name, **dict(call.arguments))
    step(socket, "desk_finish_day")


class TestMessages:
    @pytest.mark.parametrize(
        "value",
        [r'"\ud800"', "NaN", "-Infinity", "1e999", "9" * 5_000, "[" * 400 + "]" * 400,
         "[" * 50_000 + "]" * 50_000],
        ids=["surrogate", "nan", "infinity", "overflow", "digits", "nested", "very nested"],
    )  # fmt: skip
    def test_what_cannot_be_saved_is_refused_and_the_session_goes_on(
        self, plain: Any, value: str
    ) -> None:
        with plain.websocket_connect("/ws") as socket:
            token = ask(socket, "reset", index=0)["data"]["observation"]["token"]
            step(socket, "desk_tasks")
            before = ask(socket, "state")["data"]
            call = '{"type": "call_tool", "tool_name": "desk_tasks", "arguments": {"x": %s}}'
            for place in (
                f'{{"type": "step", "data": {call}}}',
                '{"type": "step", "data": {"type": %s}}',
                '{"type": %s}',
                '{"type": "reset", "data": {"split": %s, "episode_id": %s}}',
            ):
                socket.send_text(place.replace("%s", value))
                assert socket.receive_json()["type"] == "error"
            assert ask(socket, "state")["data"] == before
            assert step(socket, "desk_tasks")["type"] == "observation"
        with plain.websocket_connect("/ws") as socket:
            ask(socket, "reset", token=token)
            assert ask(socket, "state")["data"]["step_count"] == 2

    def test_a_binary_message_and_an_action_without_a_name_are_refused(self, plain: Any) -> None:
        with plain.websocket_connect("/ws") as socket:
            socket.send_bytes(b'{"type": "state"}')
            assert "text frames" in socket.receive_json()["data"]["message"]
            for kind in ([], {}, 1, None):
                answer = ask(socket, "step", type=kind)["data"]
                assert "such as call_tool" in answer["message"]
            assert ask(socket, "state")["type"] == "state"

    def test_twice_as_many_connections_as_days_may_have_no_day(self, serve: Serve) -> None:
        client = serve(max_sessions=2)
        with ExitStack() as open_:
            first, *_ = (open_.enter_context(client.websocket_connect("/ws")) for _ in range(4))
            for begun in (False, True):
                if begun:
                    ask(first, "reset", index=0)
                    open_.enter_context(client.websocket_connect("/ws"))
                with (
                    pytest.raises(WebSocketDenialResponse) as denied,
                    client.websocket_connect("/ws"),
                ):
                    pass
                assert (denied.value.status_code, "no day" in denied.value.text) == (503, True)
        with client.websocket_connect("/ws") as another:
            assert ask(another, "state")["type"] == "state"

    def test_a_connection_without_a_day_is_closed_when_it_idles(self, serve: Serve) -> None:
        client = serve(idle_seconds=0.5)
        with client.websocket_connect("/ws") as waiting, client.websocket_connect("/ws") as begun:
            token = ask(begun, "reset", index=0)["data"]["observation"]["token"]
            for socket in (waiting, begun):
                with pytest.raises(WebSocketDisconnect) as closed:
                    socket.receive_json()
                assert "connect again" in closed.value.reason
        with client.websocket_connect("/ws") as again:
            assert ask(again, "reset", token=token)["type"] == "observation"

    def test_a_client_of_a_full_server_can_reset_its_own_day(self, serve: Serve) -> None:
        with serve(max_sessions=1).websocket_connect("/ws") as socket:
            indexes = [
                ask(socket, "reset", index=index)["data"]["observation"]["day"]["index"]
                for index in (0, 1, 2)
            ]
        assert indexes == [0, 1, 2]

    def test_a_session_that_goes_on_elsewhere_answers_no_step_here(self, serve: Serve) -> None:
        with (
            serve(save_every=5).websocket_connect("/ws") as here,
            serve(save_every=5).websocket_connect("/ws") as there,
        ):
            token = ask(here, "reset", index=0)["data"]["observation"]["token"]
            step(here, "desk_tasks")
            ask(there, "reset", token=token)
            assert "another connection" in step(here, "desk_tasks")["data"]["message"]
            assert step(there, "desk_tasks")["type"] == "observation"


class TestDeletion:
    """A server that has ended has finished what its clients began."""

    @pytest.mark.parametrize("how", ["close", "reset"])
    def test_a_day_that_is_over_and_given_up_is_deleted(self, tmp_path: Path, how: str) -> None:
        with server(tmp_path) as client, client.websocket_connect("/ws") as socket:
            ask(socket, "reset", index=0)
            finish(socket)
            assert ask(socket, "state")["data"]["done"]
            if how == "close":
                socket.send_json({"type": "close"})
            else:
                ask(socket, "reset", index=1)
        assert len(list(tmp_path.glob("sessions/*/steps-*"))) == (0 if how == "close" else 1)

    def test_a_day_whose_connection_broke_is_kept_although_it_is_over(self, tmp_path: Path) -> None:
        with server(tmp_path) as client, client.websocket_connect("/ws") as socket:
            ask(socket, "reset", index=0)
            finish(socket)
        assert len(list(tmp_path.glob("sessions/*/steps-*"))) == 1

    def test_a_session_has_a_size(self, serve: Serve) -> None:
        with serve(session_steps=1).websocket_connect("/ws") as socket:
            ask(socket, "reset", index=0)
            step(socket, "desk_tasks")
            assert "at most 1 steps" in step(socket, "desk_tasks")["data"]["message"]
            assert ask(socket, "state")["data"]["step_count"] == 1


class TestTenants:
    @pytest.mark.parametrize(
        ("method", "path"),
        [("POST", "/reset"), ("POST", "/step"), ("GET", "/state"), ("GET", "/schema"),
         ("GET", "/metadata"), ("POST", "/mcp"), ("GET", "/trainee_bench/splits"),
         ("GET", "/web"), ("GET", "/docs"), ("GET", "/openapi.json"), ("GET", "//reset")],
    )  # fmt: skip
    def test_every_address_but_the_operators_needs_a_key(
        self, shared: Any, method: str, path: str
    ) -> None:
        for headers in ({}, {"authorization": "Bearer "},
                        {"authorization": "Bearer key-of-nobody-else"},
                        {"authorization": "key-of-tenant-one"}):  # fmt: skip
            assert shared.request(method, path, json={}, headers=headers).status_code == 401
        for open_to_all in ("/healthz", "/readyz", "/metrics", "/health"):
            assert shared.get(open_to_all).status_code == 200

    def test_with_its_key_a_tenant_is_served(self, shared: Any) -> None:
        assert shared.post("/reset", json={"index": 0}, headers=ONE).status_code == 200
        assert shared.get("/schema", headers=TWO).status_code == 200
        assert shared.get("/trainee_bench/splits", headers=TWO).status_code == 200

    def test_sessions_that_belong_to_no_tenant_are_not_offered(self, shared: Any) -> None:
        assert shared.post("/mcp", json={}, headers=ONE).status_code == 403
        with (
            pytest.raises(WebSocketDenialResponse) as denied,
            shared.websocket_connect("/mcp", headers=ONE),
        ):
            pass
        assert denied.value.status_code == 403

    def test_without_tenants_every_address_is_offered(self, plain: Any) -> None:
        assert plain.post("/reset", json={"index": 0}).status_code == 200
        assert plain.post("/mcp", json={}).status_code == 200

    def test_one_tenant_cannot_take_the_places_of_another(self, shared: Any) -> None:
        with shared.websocket_connect("/ws", headers=ONE) as first:
            ask(first, "reset", index=0)
            with (
                pytest.raises(WebSocketDenialResponse) as full,
                shared.websocket_connect("/ws", headers=ONE),
            ):
                pass
            assert full.value.status_code == 503
            refused = shared.post("/reset", json={"index": 0}, headers=ONE)
            assert (refused.status_code, "retry-after" in refused.headers) == (503, True)
            with shared.websocket_connect("/ws", headers=TWO) as second:
                assert ask(second, "reset", index=0)["type"] == "observation"
            assert shared.post("/reset", json={"index": 0}, headers=TWO).status_code == 200

    def test_no_tenant_goes_on_with_a_day_of_another(self, shared: Any) -> None:
        with shared.websocket_connect("/ws", headers=ONE) as socket:
            token = ask(socket, "reset", index=0)["data"]["observation"]["token"]
            step(socket, "desk_tasks")
            with shared.websocket_connect("/ws", headers=TWO) as other:
                assert ask(other, "reset", token=token)["type"] == "error"
            assert step(socket, "desk_tasks")["type"] == "observation"


def test_a_message_is_answered_after_any_wrong_one(plain: Any) -> None:
    with plain.websocket_connect("/ws") as socket:
        for wrong in ({"type": ["reset"]}, {"type": "reset", "data": {"seed": "x" * 100}}, 7):
            socket.send_text(json.dumps(wrong))
            assert socket.receive_json()["type"] == "error"
        assert ask(socket, "reset", index=0)["type"] == "observation"


class TestRefusedResets:
    def test_a_reset_without_room_says_when_to_come_again(self, serve: Serve) -> None:
        client = serve(max_sessions=1)
        with client.websocket_connect("/ws") as first, client.websocket_connect("/ws") as second:
            assert ask(first, "reset", index=0)["type"] == "observation"
            refused = ask(second, "reset", index=0)["data"]
            assert "all 1 sessions are in use" in refused["message"]
            assert 1 <= refused["retry_after"] <= 60

    def test_a_store_that_fails_to_number_days_is_no_bug_of_the_server(
        self, serve: Serve, tmp_path: Path
    ) -> None:
        (tmp_path / "claimed").write_text("a file in the place of the folder")
        with serve().websocket_connect("/ws") as socket:
            assert "the store of sessions failed" in ask(socket, "reset")["data"]["message"]
