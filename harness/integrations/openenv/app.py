"""The server as an importable name: ``uvicorn …openenv.app:app``."""

from trainee_bench.harness.integrations.openenv.server import create_office_app

app = create_office_app()
