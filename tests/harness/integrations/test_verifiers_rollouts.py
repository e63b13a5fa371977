"""Rollouts of verifiers work days of one seat: none is lost, closed early, or left open.

Needs verifiers: ``pip install 'trainee-bench[verifiers]'``.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from trainee_bench.harness.integrations.training.splits import describe_day
from trainee_bench.harness.parity.script import parity_scripts
from trainee_bench.harness.parity.scripted_model import MODEL, ScriptedModelServer, serve_in_thread
from trainee_bench.meta_tasks.scenario import ScenarioDay

vf = pytest.importorskip("verifiers.v1", reason="verifiers is not installed")

from verifiers.v1.trace import AgentInfo  # noqa: E402

from trainee_bench.harness.integrations.verifiers import calls_socket  # noqa: E402
from trainee_bench.harness.integrations.verifiers.calls_socket import (  # noqa: E402
    RolloutCall,
    SocketPathTooLong,
    ask_seat,
    socket_of,
)
from trainee_bench.harness.integrations.verifiers.env import OfficeEnv  # noqa: E402
from trainee_bench.harness.integrations.verifiers.harness import (  # noqa: E402
    OfficeHarness,
    OfficeHarnessConfig,
)
from trainee_bench.harness.integrations.verifiers.seat import (  # noqa: E402
    OfficeSeat,
    RolloutWithoutDay,
    close_seat,
    held_seat,
    office_seat,
)
from trainee_bench.harness.integrations.verifiers.taskset import (  # noqa: E402
    OfficeTask,
    OfficeTaskConfig,
    OfficeTaskset,
    OfficeTasksetConfig,
)
from trainee_bench.harness.integrations.verifiers.toolset import (  # noqa: E402
    CallNotMade,
    OfficeToolset,
    OfficeToolsetConfig,
)

# A framework's warnings are not ours to judge.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(300)]

VALID, MALFORMED, PICTURE = parity_scripts()
GIVEN = ScenarioDay(scenario=VALID.scenario, day=VALID.number)
CARD = describe_day("quickstart", 0, GIVEN)


@pytest.fixture
async def seat() -> AsyncIterator[OfficeSeat]:
    """A seat with room for one day."""
    made = office_seat(processes=1, most_open=1)
    yield made
    close_seat(made)


@pytest.fixture
def task() -> OfficeTask:
    """The first day of the quick start."""
    (task,) = OfficeTaskset(OfficeTasksetConfig(split="quickstart")).take(1)
    return task


def new_trace() -> Any:
    """Return the trace of a rollout that has just begun."""
    (task,) = OfficeTaskset(OfficeTasksetConfig(split="quickstart")).take(1)
    told = vf.TraceTask(type="OfficeTask", data=task.data, key=task.key, hash=task.hash)
    return vf.Trace(task=told, state=vf.State(), agent=AgentInfo(config=vf.AgentConfig()))


async def test_a_rollout_earns_the_score_and_the_digest_of_its_day(seat: OfficeSeat) -> None:
    trace = new_trace()
    await seat.begin(trace, GIVEN, CARD)
    for call in VALID.calls:
        await seat.call(trace.id, call.name, call.arguments)
    standing = await seat.finish(trace.id)
    expected = VALID.at_the_seat()
    assert (standing.digest, standing.score) == (expected.digest, expected.score)
    assert sum(standing.rewards.values()) == pytest.approx(standing.score)
    assert VALID.refused(standing.calls) == ()
    assert len(seat) == 0


async def test_a_rollout_waits_for_room_and_never_closes_a_running_one(seat: OfficeSeat) -> None:
    first, second = new_trace(), new_trace()
    await seat.begin(first, GIVEN, CARD)
    waiting = asyncio.create_task(seat.begin(second, GIVEN, CARD))
    await asyncio.sleep(1.5)
    assert not waiting.done()
    assert not (await seat.call(first.id, "desk_tasks", {})).failed
    await seat.finish(first.id)
    await waiting
    assert not (await seat.call(second.id, "desk_tasks", {})).failed
    with pytest.raises(RolloutWithoutDay, match="Task.setup"):
        await seat.call(first.id, "desk_tasks", {})


@pytest.mark.parametrize("how", ["failed", "forgotten"])
async def test_a_rollout_that_ended_without_finalize_gives_its_room_back(
    seat: OfficeSeat, how: str
) -> None:
    trace = new_trace()
    await seat.begin(trace, GIVEN, CARD)
    if how == "failed":
        trace.record_error(RuntimeError("the agent broke"))
        trace.is_completed = True
    else:
        del trace
        gc.collect()
    await asyncio.wait_for(seat.begin(new_trace(), GIVEN, CARD), 60)
    assert len(seat) == 1


async def test_a_stopped_rollout_keeps_its_day_until_finalize(seat: OfficeSeat) -> None:
    trace = new_trace()
    await seat.begin(trace, GIVEN, CARD)
    trace.stop("max_turns")
    waiting = asyncio.create_task(seat.begin(new_trace(), GIVEN, CARD))
    await asyncio.sleep(1.5)
    assert not waiting.done()
    assert (await seat.finish(trace.id)).score == 0
    await waiting


async def test_a_setup_that_is_cancelled_leaves_no_day(seat: OfficeSeat) -> None:
    beginning = asyncio.create_task(seat.begin(new_trace(), GIVEN, CARD))
    await asyncio.sleep(0.05)
    beginning.cancel()
    with pytest.raises(asyncio.CancelledError):
        await beginning
    await asyncio.wait_for(seat.begin(new_trace(), GIVEN, CARD), 60)


async def test_a_killed_worker_loses_no_call(seat: OfficeSeat) -> None:
    trace = new_trace()
    await seat.begin(trace, GIVEN, CARD)
    for place, call in enumerate(VALID.calls):
        if place == len(VALID.calls) // 2:
            (worker,) = {found.session.day.worker for found in seat._rollouts.values()}
            os.kill(worker.pid, signal.SIGKILL)  # type: ignore[attr-defined]
        await seat.call(trace.id, call.name, call.arguments)
    assert (await seat.finish(trace.id)).digest == VALID.at_the_seat().digest


async def test_a_cancelled_call_that_reached_the_day_is_among_the_calls_and_rewards(
    seat: OfficeSeat,
) -> None:
    trace = new_trace()
    await seat.begin(trace, GIVEN, CARD)
    for call in VALID.calls:
        cancelled = asyncio.create_task(seat.call(trace.id, call.name, call.arguments))
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # until it is sent
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
    standing = await seat.finish(trace.id)
    assert standing.digest == VALID.at_the_seat().digest
    assert len(standing.calls) == len(VALID.calls)
    assert sum(standing.rewards.values()) == pytest.approx(standing.score)


async def test_an_environment_that_ends_closes_its_own_seat_and_no_shared_one() -> None:
    trace = new_trace()
    with held_seat(processes=1, most_open=2) as shared:
        await shared.begin(trace, GIVEN, CARD)
        with (
            held_seat(processes=1, most_open=2) as same,
            held_seat(processes=1, most_open=3) as other,
        ):
            assert same is shared and other is not shared
        assert office_seat(processes=1, most_open=2) is shared
        assert not (await shared.call(trace.id, "desk_tasks", {})).failed
        replaced = office_seat(processes=1, most_open=3)
        assert replaced is not other
        close_seat(replaced)
    with pytest.raises(RolloutWithoutDay):
        await shared.call(trace.id, "desk_tasks", {})


class TestToolServer:
    """The tool server of programs that speak MCP."""

    async def test_it_passes_calls_and_pictures_on(
        self, seat: OfficeSeat, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        trace = new_trace()
        given = ScenarioDay(scenario=PICTURE.scenario, day=PICTURE.number)
        await seat.begin(trace, given, CARD)
        server = OfficeToolset(OfficeToolsetConfig(seat=socket_of(seat)))
        monkeypatch.setattr(server, "_rollout", lambda: trace.id)
        assert len(await server.list_tools()) == len(seat.tools(trace.id))
        results = [await server.call_tool(c.name, dict(c.arguments)) for c in PICTURE.calls]
        texts = {at: result.content[0].text for at, result in enumerate(results)}
        expected = PICTURE.at_the_seat()
        assert texts == expected.texts
        assert sum(len(result.content) - 1 for result in results) == expected.pictures == 1
        assert (await seat.finish(trace.id)).digest == expected.digest
        with pytest.raises(CallNotMade, match="no open day"):
            await server.call_tool("desk_tasks", {})

    async def test_a_call_of_no_rollout_is_refused(self) -> None:
        server = OfficeToolset(OfficeToolsetConfig())
        assert len(await server.list_tools()) > 50
        with pytest.raises(CallNotMade, match="belongs to no rollout"):
            await server.call_tool("desk_tasks", {})

    async def test_a_seat_that_is_gone_is_reported(
        self, seat: OfficeSeat, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        server = OfficeToolset(OfficeToolsetConfig(seat=socket_of(seat)))
        monkeypatch.setattr(server, "_rollout", lambda: "some")
        close_seat(seat)
        with pytest.raises(CallNotMade, match="did not answer"):
            await server.call_tool("desk_tasks", {})

    def test_it_cannot_run_elsewhere(self) -> None:
        with pytest.raises(ValidationError, match="env.agent.runtime.type"):
            OfficeToolsetConfig(runtime={"type": "docker"})


class ModelOf:
    """A model's server that gives these answers, one after the other."""

    def __init__(self, *answers: tuple[int, Mapping[str, Any]]):
        self.answers = list(answers)
        self.asked: list[Any] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Give the next answer."""
        from starlette.requests import Request

        self.asked.append(await Request(scope, receive).json())
        status, answer = self.answers.pop(0)
        await JSONResponse(answer, status_code=status)(scope, receive, send)


def reply(arguments: str | None) -> tuple[int, Mapping[str, Any]]:
    """Return a model's reply: a call of desk_tasks with *arguments*, or a text."""
    message: dict[str, Any] = {"role": "assistant", "content": "Done."}
    if arguments is not None:
        function = {"name": "desk_tasks", "arguments": arguments}
        message["tool_calls"] = [{"id": "1", "type": "function", "function": function}]
    return 200, {"choices": [{"message": message}]}


class TestHarness:
    """The chat program without a process."""

    @pytest.fixture(autouse=True)
    def _quick(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(
            "trainee_bench.harness.integrations.verifiers.harness._FIRST_PAUSE", 0.01
        )

    async def played(self, seat: OfficeSeat, model: ModelOf) -> Any:
        """Return the result of a rollout with *model*; its day stays open."""
        trace = new_trace()
        await seat.begin(trace, GIVEN, CARD)
        harness = OfficeHarness(OfficeHarnessConfig(id="trainee-bench"))
        ctx: Any = type("Context", (), {"model": MODEL})
        data = trace.task.data
        with serve_in_thread(model) as address:
            result = await harness.launch(ctx, trace, None, f"{address}/v1", "key", {}, data)  # type: ignore[arg-type]
        self.steps = (await seat.finish(trace.id)).calls
        return result

    async def test_arguments_that_are_no_object_reach_no_day(self, seat: OfficeSeat) -> None:
        model = ModelOf(reply("[1]"), reply("{}"), reply(None))
        assert (await self.played(seat, model)).exit_code == 0
        told = [message["content"] for message in model.asked[-1]["messages"][2::2]]
        assert "not a JSON object" in told[0] and "not a JSON object" not in told[1]
        assert len(self.steps) == 1

    async def test_it_asks_again_when_the_model_is_out_of_breath(self, seat: OfficeSeat) -> None:
        model = ModelOf((503, {}), (429, {}), reply(None))
        assert (await self.played(seat, model)).exit_code == 0

    async def test_it_tells_why_a_model_refused(self, seat: OfficeSeat) -> None:
        result = await self.played(seat, ModelOf((400, {"error": "no such model"})))
        assert result.exit_code == 1 and "no such model" in result.stderr

    async def test_a_full_context_ends_the_work(self, seat: OfficeSeat) -> None:
        full = {"error": {"message": "maximum context length is 8 tokens"}}
        assert (await self.played(seat, ModelOf(reply("{}"), (400, full)))).exit_code == 0
        assert len(self.steps) == 1

    async def test_a_task_of_another_taskset_is_refused(self) -> None:
        harness = OfficeHarness(OfficeHarnessConfig(id="trainee-bench"))
        trace = new_trace()
        with pytest.raises(RolloutWithoutDay):
            await harness.launch(None, trace, None, "", "", {}, trace.task.data)  # type: ignore[arg-type]


@pytest.fixture
def model() -> Iterator[str]:
    """The address of a model that works the day as the oracle does."""
    with serve_in_thread(ScriptedModelServer(VALID.calls)) as address:
        yield f"{address}/v1"


async def test_simultaneous_rollouts_of_the_real_loop_all_earn_the_score(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from verifiers.v1.utils.loaders import load_environment, resolve_env_config

    monkeypatch.setenv("NO_KEY", "none")
    config = resolve_env_config({
        "taskset": {"id": "trainee-bench", "split": "quickstart", "task": {"most_open": 3}},
        "agent": {"runtime": {"type": "subprocess"}},
    })  # fmt: skip
    env = load_environment(config)
    assert isinstance(env, OfficeEnv)
    names = [f"{VALID.scenario.name}.day_1"]
    (task,) = env.taskset.include(names=names)
    client = vf.EvalClientConfig(base_url=model, api_key_var="NO_KEY")
    ctx = vf.ModelContext(client=client, model=MODEL, sampling=vf.SamplingConfig())
    thresholds = gc.get_threshold()
    async with env.serving():
        done = await asyncio.gather(*[env.run_slot(slot, ctx) for slot in env.slots(task, 6)])
        assert len(OfficeTaskConfig(most_open=3).seat()) == 0
    assert gc.get_threshold() == thresholds
    for trace in [trace for episode in done for trace in episode.traces]:
        assert trace.ok, trace.errors
        assert trace.info["digest"] == VALID.at_the_seat().digest
        assert trace.rewards["day_score"].score == VALID.at_the_seat().score
        assert trace.metrics["calls"] == len(VALID.calls)


class TestLongTemporaryFolder:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """Let the folder for temporary files have a path that is too long for a socket."""
        folder = tmp_path / ("x" * 120)
        folder.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        return folder

    async def test_calls_reach_the_seat_all_the_same(self, seat: OfficeSeat) -> None:
        reply = await ask_seat(socket_of(seat), RolloutCall(rollout="none"))
        assert reply.error is not None
        assert "has no open day" in reply.error

    async def test_without_a_shorter_folder_the_error_names_what_to_do(
        self, seat: OfficeSeat, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(calls_socket, "SHORT_FOLDER", str(folder))
        with pytest.raises(SocketPathTooLong, match="set TMPDIR"):
            socket_of(seat)
