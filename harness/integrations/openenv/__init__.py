"""For OpenEnv: the office as an environment server, with splits and tasks to choose from."""

from trainee_bench.harness.integrations.openenv.environment import OpenEnvOffice
from trainee_bench.harness.integrations.openenv.options import OpenEnvOptions
from trainee_bench.harness.integrations.openenv.server import create_office_app

__all__ = ["OpenEnvOffice", "OpenEnvOptions", "create_office_app"]
