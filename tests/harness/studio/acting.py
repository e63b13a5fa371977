"""A studio that starts runs in a folder of its own, and a client that acts as its page does."""

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
    """What a page does at the studio whose runs lie in ``home``."""

    client: httpx2.AsyncClient
    home: Path

    async def get(self, path: str) -> Any:
        """The JSON at *path*."""
        return await got(self.client, path)

    async def post(self, path: str, body: object, status: int = 200) -> Any:
        """The JSON with which *body* is answered, with this *status*."""
        answer = await self.client.post(path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def start(self, **wanted: object) -> str:
        """Start a run of one day; its episode."""
        return str((await self.post("/api/start", {**ONE_DAY, **wanted}))["episode"])

    async def guidance(self, episode: str) -> Any:
        """The guidance of *episode*, as soon as it has begun."""
        while True:
            answer = await self.client.get(f"/api/live/{episode}/guidance")
            if answer.status_code == 200:
                return answer.json()
            await anyio.sleep(0.02)

    async def until(self, episode: str, holds: str) -> Any:
        """The guidance of *episode*, once its control or it has something in *holds*."""
        while True:
            facts = await self.guidance(episode)
            if (facts["control"] or {}).get(holds) or facts.get(holds):
                return facts
            await anyio.sleep(0.02)

    async def over(self, job: int = 0) -> Any:
        """The run number *job*, once it is over."""
        while True:
            line = (await self.get("/api/jobs"))["jobs"][job]
            if line["state"] != "running":
                return line
            await anyio.sleep(0.02)

    async def worth(self, episode: str) -> Any:
        """What the page of *episode* knows of the worth of its steps, once nobody computes it."""
        while True:
            shown = await self.get(worth_of(episode))
            if shown["job"] is None or shown["job"]["state"] != "running":
                return shown
            await anyio.sleep(0.2)  # asking takes time from what is computed


def worth_of(episode: str) -> str:
    """The address of the worth of the steps of *episode*."""
    return f"/api/episodes/{episode}/worth"


@asynccontextmanager
async def acting(home: Path) -> AsyncIterator[Actor]:
    """Somebody at a studio that shows and starts runs in *home*."""
    async with StudioServer(ShownRuns([home])) as studio:
        base = f"http://127.0.0.1:{studio.key.port}"
        headers = {"cookie": f"{studio.key.cookie}={studio.key.session}", "origin": base}
        async with httpx2.AsyncClient(
            base_url=base, headers=headers, trust_env=False, timeout=HANGS
        ) as client:
            with anyio.fail_after(HANGS):
                yield Actor(client, home)
