"""The web socket of an OpenEnv server: one session for each connection, all on one event loop.

OpenEnv's own endpoint gives each session a thread, and threads fight for the interpreter. Here the
loop only reads and writes messages, and `DayPool` steps the days in processes of their own. A
client that sends the token of its morning with `reset` goes on with its day.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from openenv.core.env_server.mcp_types import CallToolAction, ListToolsAction
from openenv.core.env_server.serialization import deserialize_action, serialize_observation
from openenv.core.env_server.types import (
    Observation,
    WSErrorCode,
    WSErrorResponse,
    WSObservationResponse,
    WSStateResponse,
)
from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError
from pydantic_core import from_json
from starlette.websockets import WebSocket, WebSocketDisconnect

from trainee_bench.harness.environment.day import NeedsEventLoop
from trainee_bench.harness.environment.pool.day_pool import WorkerLost
from trainee_bench.harness.integrations.openenv.environment import (
    DayNotReset,
    OpenEnvMorning,
    OpenEnvState,
    answer_observation,
    day_index,
    list_tools_observation,
)
from trainee_bench.harness.integrations.openenv.options import OpenEnvOptions
from trainee_bench.harness.integrations.openenv.tenants import full_response, tenant_of
from trainee_bench.harness.integrations.training.episode import EpisodeStep
from trainee_bench.harness.integrations.training.serving.day_store import SessionTakenOver
from trainee_bench.harness.integrations.training.serving.open_sessions import StoreFailed
from trainee_bench.harness.integrations.training.serving.room import Room, ServerFull
from trainee_bench.harness.integrations.training.serving.saved_session import (
    NotSavable,
    UnreadableSession,
)
from trainee_bench.harness.integrations.training.serving.served_session import (
    NoSuchSession,
    ServedSession,
    SessionFull,
)
from trainee_bench.harness.integrations.training.serving.sessions import Sessions
from trainee_bench.harness.integrations.training.splits import DayCard, UnknownSplit, describe_day
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.harness.support.worker_processes import ReplacedProcess
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.grade import score_with_all
from trainee_bench.meta_tasks.scenario import ScenarioDay
from trainee_bench.meta_tasks.task_context import CompositionError

__all__ = ["OfficeSockets"]


class WrongAction(Exception):
    """A step has no action that can be read."""


_TELLABLE = (
    UnknownSplit, IndexError, DayNotReset, NoSuchSession, UnreadableSession, SessionTakenOver,
    SessionFull, NotSavable, StoreFailed, WorkerLost, CompositionError,
    UnknownRuleError, NeedsEventLoop, WrongAction,
)  # fmt: skip
"""Errors that the client can correct; any other is a bug of the server."""
_IDLE_CLOSE = 1001
"""The code with which a web socket ends because its server goes away."""
_NOTHING_BEGUN = "no day is open on this connection; connect again and reset"
_BUG = "The server has a bug and could not do this."
_LOGGER = logging.getLogger(__name__)


class ResetRequest(BaseModel):
    """The arguments of `reset`: see `OpenEnvOffice.reset`. *token* goes on with a day."""

    model_config = ConfigDict(extra="ignore")

    seed: int | None = None
    episode_id: str | None = None
    split: str | None = None
    index: int | None = None
    token: str | None = None


class OfficeSockets:
    """Serves the sessions of *options*; *drawing* makes the days of generated splits."""

    def __init__(
        self,
        options: OpenEnvOptions,
        sessions: Sessions,
        drawing: ReplacedProcess,
    ):
        self._options, self._sessions = options, sessions
        self._drawing = drawing
        # some clients connect before there is room for them, and then ask for it again
        places, of_tenant = 2 * options.max_sessions, 2 * options.tenant_limit
        self._idle = Room(places, of_tenant, "connections with no day")

    async def serve(self, socket: WebSocket) -> None:
        """Serve one connection until it ends. Without room, it is refused before it is accepted.

        A connection without an open day is closed after ``idle_seconds`` without a message.
        """
        tenant = tenant_of(socket.scope)
        try:
            self._sessions.check_room(tenant)
            self._idle.check(tenant)
        except ServerFull as full:
            await socket.send_denial_response(full_response(full))
            return
        connection = _Connection(self, tenant)
        self._idle.take(tenant)
        counted = True
        try:
            await socket.accept()
            while (text := await self._received(socket, connection)) is not None:
                if not connection.takes(text):
                    break
                answer = await connection.answer()
                if counted and connection.has_session:
                    self._idle.give_back(tenant)
                    counted = False
                await socket.send_text(answer)
        except WebSocketDisconnect:  # while it was answered
            pass
        finally:
            if counted:
                self._idle.give_back(tenant)
            await asyncio.shield(connection.leave())

    async def _received(self, socket: WebSocket, connection: _Connection) -> str | bytes | None:
        """Return the next message; None if the connection ends, or is closed for being idle."""
        while True:
            try:
                async with asyncio.timeout(self._options.idle_seconds):
                    message = await socket.receive()
            except TimeoutError:
                if connection.has_open_session:
                    continue
                await socket.close(_IDLE_CLOSE, _NOTHING_BEGUN)
                return None
            if message["type"] == "websocket.disconnect":
                return None
            text: str | bytes | None = message.get("text")
            return text if text is not None else message["bytes"]

    async def begin(
        self, tenant: str, wanted: ResetRequest, replacing: ServedSession | None
    ) -> ServedSession:
        """Begin the day that `OpenEnvOffice.reset` would, or go on with that of its token.

        The connection then leaves the session *replacing*, whose room counts as free.
        """
        if wanted.token is not None:
            return await self._sessions.resume(wanted.token, tenant, replacing=replacing)
        self._sessions.check_room(tenant, replacing)  # before a number of a day is used up
        chosen, index, seed = (
            self._options.find(wanted.split or self._options.split),
            wanted.index,
            wanted.seed,
        )
        if index is None:
            number = await self._sessions.next_number() if seed is None else seed
            index = day_index(chosen, number)
        if chosen.generated:
            drawn = self._options.model_copy(update={"split": chosen.name})
            given, card = await self._drawing.run(_drawn_day, drawn, index)
        else:
            given = chosen.day(index)
            card = describe_day(chosen.name, index, given)
        name = wanted.episode_id or card.id
        return await self._sessions.begin(given, card, name, tenant, replacing=replacing)

    @property
    def sessions(self) -> Sessions:
        """All sessions of the server."""
        return self._sessions


class _Connection:
    """One connection: its tenant, its session once a day has begun, and the message to answer."""

    def __init__(self, server: OfficeSockets, tenant: str):
        self._server, self._tenant = server, tenant
        self._session: ServedSession | None = None
        self._message: Any = None
        self._closed = False

    @property
    def has_session(self) -> bool:
        """Whether a day has begun on this connection."""
        return self._session is not None

    @property
    def has_open_session(self) -> bool:
        """Whether the day of this connection is open on the server."""
        return self._session is not None and self._session in self._server.sessions

    def takes(self, text: str | bytes) -> bool:
        """Read the message *text*; whether an answer is due, because the client did not close."""
        if isinstance(text, bytes):
            self._message = ValueError("send messages as text frames, not as binary ones")
            return True
        try:
            self._message = from_json(text, allow_inf_nan=False)
        except ValueError as error:  # also for lone surrogates, deep nesting and endless numbers
            self._message = error
        self._closed = isinstance(self._message, dict) and self._message.get("type") == "close"
        return not self._closed

    async def answer(self) -> str:
        """Return the answer to the message as JSON."""
        message = self._message
        if isinstance(message, ValueError):
            return _error(f"Invalid JSON: {message}", WSErrorCode.INVALID_JSON)
        kind = message.get("type") if isinstance(message, dict) else None
        data = message.get("data", {}) if isinstance(message, dict) else None
        try:
            match kind:
                case "reset" if isinstance(data, dict):
                    return _observation(await self._reset(data))
                case "step" if isinstance(data, dict):
                    return _observation(await self._step(data))
                case "state":
                    state = await self._state()
                    return WSStateResponse(data=state.model_dump()).model_dump_json()
            return _error(f"Unknown message type: {kind}", WSErrorCode.UNKNOWN_TYPE)
        except ValidationError as error:
            return _error(
                "Invalid message",
                WSErrorCode.VALIDATION_ERROR,
                errors=error.errors(include_url=False, include_context=False, include_input=False),
            )
        except ServerFull as full:
            retry = full.retry_after
            return _error(str(full), WSErrorCode.EXECUTION_ERROR, retry_after=retry)
        except _TELLABLE as error:
            return _error(str(error), WSErrorCode.EXECUTION_ERROR)
        except Exception:
            _LOGGER.exception("%s broke", kind)
            return _error(_BUG, WSErrorCode.EXECUTION_ERROR)

    async def leave(self) -> None:
        """Give the session up. A day that the client did not finish can be gone on with."""
        if self._session is not None:
            session, self._session = self._session, None
            await self._left(session, finished=self._closed)

    async def _left(self, session: ServedSession, *, finished: bool) -> None:
        """Delete *session* if its day is over and the client has *finished* it, else keep it."""
        await self._server.sessions.leave(session, keep=not (finished and session.day.done))

    async def _reset(self, data: dict[str, JsonValue]) -> OpenEnvMorning:
        wanted = ResetRequest.model_validate(data)
        before = self._session
        self._session = session = await self._server.begin(self._tenant, wanted, before)
        if before is not None and before.token != session.token:
            await self._left(before, finished=True)
        return OpenEnvMorning(
            prompt=session.day.start.prompt,
            time=session.day.now.isoformat(),
            day=session.card,
            token=session.token,
            reward=0.0,
        )

    async def _step(self, data: dict[str, JsonValue]) -> Observation:
        if not isinstance(data.get("type", ""), str):  # what OpenEnv looks up there is hashed
            raise WrongAction("the type of an action must be a text, such as call_tool")
        action = deserialize_action(data, CallToolAction)
        session = self._session
        if isinstance(action, ListToolsAction):
            return list_tools_observation(session.day.start.tools if session else None)
        if session is None:
            raise DayNotReset("no day has begun; reset begins one")
        call = ToolCall(action.tool_name, action.arguments)
        turn = await self._server.sessions.step(session, [call])
        return answer_observation(
            action.tool_name, EpisodeStep(turn.answers[0], turn.reward, turn.done)
        )

    async def _state(self) -> OpenEnvState:
        session = self._session
        if session is None:
            return OpenEnvState()
        grade, digest = await self._server.sessions.grade(session)
        return OpenEnvState(
            episode_id=session.name,
            step_count=len(session.steps),
            day=session.card,
            score=score_with_all(grade.score, grade.tasks),
            success=grade.success,
            done=session.day.done,
            digest=digest,
        )


def _drawn_day(options: OpenEnvOptions, index: int) -> tuple[ScenarioDay, DayCard]:
    """Day *index* of the generated split of *options*; a process of its own runs this."""
    given = options.open().day(index)
    return given, describe_day(options.split, index, given)


def _observation(observation: Observation) -> str:
    return WSObservationResponse(data=serialize_observation(observation)).model_dump_json()


def _error(text: str, code: WSErrorCode, **more: object) -> str:
    return WSErrorResponse(data={"message": text, "code": code, **more}).model_dump_json()
