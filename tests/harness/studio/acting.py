"""A studio that starts runs in a separate folder, and a client that acts like its page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2

from tests.harness.studio.shown import got
from trainee_bench.harness.studio.application import StudioServer
from trainee_bench.harness.studio.runs import ShownRuns

HANGS = 240
"""Seconds after which a test that waits has failed."""
ONE_DAY: dict[str, Any] = {"config": "quickstart", "scenarios": ["first_day"], "agents": ["oracle"]}


@dataclass(frozen=True)
class Actor:
    """The actions of a page at the studio whose runs are in ``home``."""

    client: httpx2.AsyncClient
    home: Path

    async def get(self, path: str) -> Any:
        """Return the JSON at *path*."""
        return await got(self.client, path)

    async def post(self, path: str, body: object, status: int = 200) -> Any:
        """Post *body*, check the *status*, and return the JSON answer."""
        answer = await self.client.post(path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def start(self, **wanted: object) -> str:
        """Start a run of one day, and return its episode."""
        return str((await self.post("/api/start", {**ONE_DAY, **wanted}))["episode"])

    async def guidance(self, episode: str) -> Any:
        """Return the guidance of *episode*, as soon as it has begun."""
        while True:
            answer = await self.client.get(f"/api/live/{episode}/guidance")
            if answer.status_code == 200:
                return answer.json()
            await anyio.sleep(0.02)

    async def until(self, episode: str, holds: str) -> Any:
        """Return the guidance of *episode*, once *holds* is set in its control or in itself."""
        while True:
            facts = await self.guidance(episode)
            if (facts["control"] or {}).get(holds) or facts.get(holds):
                return facts
            await anyio.sleep(0.02)

    async def over(self, job: int = 0) -> Any:
        """Return the run number *job*, once it is over."""
        while True:
            line = (await self.get("/api/jobs"))["jobs"][job]
            if line["state"] != "running":
                return line
            await anyio.sleep(0.02)

    async def worth(self, episode: str) -> Any:
        """Return the worth that the page of *episode* shows, once nothing is computing it."""
        while True:
            shown = await self.get(worth_of(episode))
            if shown["job"] is None or shown["job"]["state"] != "running":
                return shown
            await anyio.sleep(0.2)  # asking slows down the computation


def worth_of(episode: str) -> str:
    """Return the address of the worth of the steps of *episode*."""
    return f"/api/episodes/{episode}/worth"


@asynccontextmanager
async def acting(home: Path) -> AsyncIterator[Actor]:
    """Yield a person at a studio that shows and starts runs in *home*."""
    async with StudioServer(ShownRuns([home])) as studio:
        base = f"http://127.0.0.1:{studio.key.port}"
        headers = {"cookie": f"{studio.key.cookie}={studio.key.session}", "origin": base}
        async with httpx2.AsyncClient(
            base_url=base, headers=headers, trust_env=False, timeout=HANGS
        ) as client:
            with anyio.fail_after(HANGS):
                yield Actor(client, home)
