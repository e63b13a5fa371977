"""An ASGI app on a port of this machine, in a thread of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import uvicorn
from starlette.types import ASGIApp

from trainee_bench.mcp_servers.serving.embedded import EmbeddedUvicorn, listening_socket

_LAST_REQUESTS = 2
"""Seconds that pending requests have to finish."""


@contextmanager
def serve_in_thread(app: ASGIApp, *, web_sockets: bool = False) -> Iterator[str]:
    """The address of *app*, such as ``http://127.0.0.1:4711``, while the block lasts. For
    *web_sockets*, the package of that name must be installed."""
    with listening_socket("127.0.0.1", 0) as listener:
        config = uvicorn.Config(
            app, log_level="critical", access_log=False, lifespan="off", interface="asgi3",
            ws="auto" if web_sockets else "none", timeout_graceful_shutdown=_LAST_REQUESTS,
        )  # fmt: skip
        server = EmbeddedUvicorn(config)
        thread = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
