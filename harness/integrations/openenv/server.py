"""The OpenEnv server of the office.

uvicorn trainee_bench.harness.integrations.openenv.app:app
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING

from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.mcp_types import CallToolAction

from trainee_bench.harness.integrations.openenv.environment import (
    OpenEnvAnswer,
    OpenEnvMorning,
    OpenEnvOffice,
    OpenEnvState,
)
from trainee_bench.harness.integrations.openenv.options import OpenEnvOptions

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["ENVIRONMENT_NAME", "create_office_app"]

ENVIRONMENT_NAME = "trainee_bench"


def create_office_app(options: OpenEnvOptions | None = None) -> FastAPI:
    """Return the server as an ASGI app. Without *options*, read them from the environment variable
    TRAINEE_BENCH_OPENENV. Raises InvalidServerOptions."""
    chosen = options or OpenEnvOptions.from_environment()
    return create_app(
        partial(OpenEnvOffice, chosen, itertools.count()),
        CallToolAction,
        OpenEnvAnswer,
        env_name=ENVIRONMENT_NAME,
        max_concurrent_envs=chosen.max_sessions,
        state_cls=OpenEnvState,
        reset_observation_cls=OpenEnvMorning,
    )
