"""A studio over some runs, clients with or without access, and requests to it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
from starlette.types import ASGIApp

from trainee_bench.harness.batch.benchmarks import load_benchmark
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.studio.application import StudioServer, build_studio
from trainee_bench.harness.studio.guard import StudioKey
from trainee_bench.harness.studio.history import EpisodeHistories
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.seats import Seats


def unfinished(run: Path) -> Callable[[], None]:
    """Remove the result of the first episode from the folder *run*, as if it were being worked.
    Return a function that puts it back, as the run would."""
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
    """Return the application, without a port."""
    return build_studio(ShownRuns(paths), EpisodeHistories(), KEY)


@asynccontextmanager
async def visitor(*paths: Path, let_in: bool = True) -> AsyncIterator[httpx2.AsyncClient]:
    """Yield a client of the application over *paths*, with the cookie if it is *let_in*."""
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
    """Yield a studio on a separate port, and a client with access."""
    async with StudioServer(ShownRuns(paths)) as studio:
        base = f"http://127.0.0.1:{studio.key.port}"
        headers = {"cookie": f"{studio.key.cookie}={studio.key.session}"}
        async with httpx2.AsyncClient(base_url=base, headers=headers, trust_env=False) as client:
            yield studio, client


async def got(client: httpx2.AsyncClient, path: str, /, status: int = 200, **query: object) -> Any:
    """Return the JSON at *path*, and check the *status*."""
    params = {name: str(value) for name, value in query.items()}
    answer = await client.get(path, params=params or None)
    assert answer.status_code == status, (path, answer.text)
    return answer.json()


async def sent(client: httpx2.AsyncClient, path: str, /, status: int = 200, **body: object) -> Any:
    """Send *body* to *path* as the studio's own page does, check the *status*, and return the
    JSON."""
    origin = {"origin": str(client.base_url).rstrip("/")}
    answer = await client.post(path, json=body, headers=origin)
    assert answer.status_code == status, (path, answer.text)
    return answer.json()


@asynccontextmanager
async def studio(shown: Path | list[Path], *configs: Path) -> AsyncIterator[httpx2.AsyncClient]:
    """Yield a client of a studio that shows *shown*, in which people may take seats on the days of
    *configs*."""
    runs = ShownRuns(shown if isinstance(shown, list) else [shown])
    histories = EpisodeHistories()
    seats = Seats(runs, [load_benchmark(file, None) for file in configs])
    app = build_studio(runs, histories, KEY, seats=seats)
    headers = {"cookie": f"{KEY.cookie}={KEY.session}", "origin": HERE}
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app), base_url=HERE, headers=headers
    ) as client:
        yield client
    await seats.close()
    histories.close()


async def taken(client: httpx2.AsyncClient, **more: object) -> str:
    """Take a new seat on the small day, and return its address."""
    state = await sent(client, "/api/seats", benchmark="mine", scenario="one", **more)
    assert state["status"] == "working", state
    return f"/api/seats/{state['seat']}"


async def over(client: httpx2.AsyncClient, seat: str) -> Any:
    """Return the state of *seat* once it has its score."""
    return await reached(client, seat, "over", "broken")


async def next_day(client: httpx2.AsyncClient, seat: str) -> Any:
    """Return the state of *seat* once the next day of its week has begun."""
    state = await reached(client, seat, "working", "asked", "over", "broken")
    assert state["status"] == "working", state
    return state


async def reached(client: httpx2.AsyncClient, seat: str, *ends: str) -> Any:
    """Return the state of *seat* once its status is one of *ends*."""
    with anyio.fail_after(60):
        while True:
            state = await got(client, seat)
            if state["status"] in ends:
                return state
            await anyio.sleep(0.02)


def beside(ran: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Return a folder of runs with *ran* in it, and a benchmark of its day."""
    plan = RunFolder.open(ran).plan()
    own = {"name": "mine", "scenarios": [plan.scenarios[0].model_dump(mode="json")]}
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(own), encoding="utf-8")
    home = tmp_path / "home"
    home.mkdir()
    (home / "a-run").symlink_to(ran)
    return home, file
