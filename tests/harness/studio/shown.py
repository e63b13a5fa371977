"""A studio over some runs, and clients that are let in or not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
from starlette.types import ASGIApp

from trainee_bench.harness.studio.application import StudioServer, build_studio
from trainee_bench.harness.studio.guard import StudioKey
from trainee_bench.harness.studio.history import EpisodeHistories
from trainee_bench.harness.studio.runs import ShownRuns


def unfinished(run: Path) -> Callable[[], None]:
    """Take the result of the first episode out of the folder *run*, as if it were being worked;
    what puts it there, as its run would."""
    results = run / "results.jsonl"
    lines = results.read_text(encoding="utf-8").splitlines(keepends=True)
    first = next(line for line in lines if ".oracle.1" in line)
    results.write_text("".join(line for line in lines if line != first), encoding="utf-8")

    def finish() -> None:
        with results.open("a", encoding="utf-8") as file:
            file.write(first)

    return finish


KEY = StudioKey(port=8999, token="the-token", session="the-session")
HERE = f"http://127.0.0.1:{KEY.port}"


def application(*paths: Path) -> ASGIApp:
    """The application, without a port."""
    return build_studio(ShownRuns(paths), EpisodeHistories(), KEY)


@asynccontextmanager
async def visitor(*paths: Path, let_in: bool = True) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of the application over *paths*, with the cookie if it is *let_in*."""
    histories = EpisodeHistories()
    app = build_studio(ShownRuns(paths), histories, KEY)
    headers = {"cookie": f"{KEY.cookie}={KEY.session}"} if let_in else {}
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app), base_url=HERE, headers=headers
    ) as client:
        yield client
    histories.close()


@asynccontextmanager
async def served(*paths: Path) -> AsyncIterator[tuple[StudioServer, httpx2.AsyncClient]]:
    """A studio on a port of its own, and a client that is let in."""
    async with StudioServer(ShownRuns(paths)) as studio:
        base = f"http://127.0.0.1:{studio.key.port}"
        headers = {"cookie": f"{studio.key.cookie}={studio.key.session}"}
        async with httpx2.AsyncClient(base_url=base, headers=headers, trust_env=False) as client:
            yield studio, client
