"""The website's monitor as the page shows it."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel

from trainee_bench.harness.studio.views.app_view import AppView, Marks, ViewRequest
from trainee_bench.mcp_servers.monitor import (
    Alerts,
    HealthReport,
    LoadTimes,
    LoadTimeSummary,
    ServerLog,
    Services,
    monitor_check_health,
    monitor_get_load_times,
    monitor_get_summary,
    monitor_list_alerts,
    monitor_list_services,
    monitor_read_logs,
)
from trainee_bench.world.apps.monitor import Monitor
from trainee_bench.world.errors import NotFound
from trainee_bench.world.monitoring.website import PAGE_PATHS, TimeWindow
from trainee_bench.world.transaction import Transaction

_LOG_LINES = 60


class MonitorView(BaseModel):
    """The current readings, and the load times of the opened page or the log of the opened
    server."""

    now: datetime
    services: Services
    summary: LoadTimeSummary
    health: HealthReport
    alerts: Alerts
    load_times: LoadTimes | None
    log: ServerLog | None


def _show(tx: Transaction, request: ViewRequest) -> MonitorView:
    page = request.item if request.item.startswith("/") else "" if request.item else PAGE_PATHS[0]
    try:
        times = monitor_get_load_times(tx, page, TimeWindow.DAY).data if page else None
        log = None if page else monitor_read_logs(tx, request.item, _LOG_LINES).data
    except NotFound:
        times = log = None
    return MonitorView(
        now=tx.now,
        services=monitor_list_services(tx).data,
        summary=monitor_get_summary(tx).data,
        health=monitor_check_health(tx).data,
        alerts=monitor_list_alerts(tx).data,
        load_times=times,
        log=log,
    )


def _marks(tx: Transaction) -> Marks:
    """Return the servers in maintenance. Readings are left out because they change all the time."""
    return {server: since.isoformat() for server, since in Monitor(tx).maintenance().items()}


VIEW = AppView("monitor", _show, _marks)
