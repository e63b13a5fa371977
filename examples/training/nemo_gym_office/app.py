"""NeMo Gym: a resources server whose sessions are days of our OpenEnv server.

Copy this folder to `resources_servers/trainee_bench` of a clone of NeMo Gym. It imports nothing of
Trainee-Bench, because NeMo Gym requires another Python and `mcp<2`. docs/integrations/nemo_gym.md
explains the rest.
"""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, HTTPException, Request
from nemo_gym.base_resources_server import (
    BaseResourcesServerConfig,
    BaseSeedSessionRequest,
    BaseSeedSessionResponse,
    BaseVerifyRequest,
    BaseVerifyResponse,
    SimpleResourcesServer,
)
from nemo_gym.server_utils import SESSION_ID_KEY
from office_day import OfficeDay, OfficeRefused
from pydantic import ConfigDict, PrivateAttr
from starlette.responses import PlainTextResponse


class OfficeConfig(BaseResourcesServerConfig):
    """The address of the days."""

    office_url: str = "ws://localhost:8000/ws"


class OfficeSeedRequest(BaseSeedSessionRequest):
    """A row: which day to begin."""

    model_config = ConfigDict(extra="ignore")

    split: str
    index: int


class OfficeVerifyRequest(BaseVerifyRequest):
    """A row with the agent's response."""

    model_config = ConfigDict(extra="allow")


class OfficeVerifyResponse(BaseVerifyResponse):
    """The same with the reward."""

    model_config = ConfigDict(extra="allow")


class OfficeResourcesServer(SimpleResourcesServer):
    """Sessions of NeMo Gym, each with a day."""

    config: OfficeConfig
    _days: dict[str, OfficeDay] = PrivateAttr(default_factory=dict)

    def setup_webserver(self) -> FastAPI:
        """Serve each tool under its name."""
        app = super().setup_webserver()
        app.post("/{tool}")(self.call)
        return app

    async def seed_session(
        self, request: Request, body: OfficeSeedRequest
    ) -> BaseSeedSessionResponse:
        """Begin the day of a row."""
        try:
            day = await OfficeDay.begin(self.config.office_url, body.split, body.index)
        except OfficeRefused as why:
            raise HTTPException(400, str(why)) from None
        self._days[request.session[SESSION_ID_KEY]] = day
        return BaseSeedSessionResponse()

    async def call(self, tool: str, request: Request, body: dict[str, Any]) -> PlainTextResponse:
        """Make a call and answer with its text."""
        return PlainTextResponse(await self._day(request).call(tool, body))

    async def verify(self, request: Request, body: OfficeVerifyRequest) -> OfficeVerifyResponse:
        """Return the score and free the day."""
        day = self._day(request)
        score = await day.score()
        del self._days[request.session[SESSION_ID_KEY]]
        await day.close()
        return OfficeVerifyResponse(**body.model_dump(), reward=score)

    def _day(self, request: Request) -> OfficeDay:
        day = self._days.get(request.session[SESSION_ID_KEY])
        if day is None:
            raise HTTPException(400, "no day has begun; call /seed_session first")
        return day


if __name__ == "__main__":
    OfficeResourcesServer.run_webserver()
