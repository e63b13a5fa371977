"""The monitor server: readings from the website's monitoring, and maintenance mode."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import BaseModel, Field

from trainee_bench.mcp_servers.serving.toolbox import Toolbox
from trainee_bench.world.apps.monitor import Alert, MaintenanceAttempt, Monitor
from trainee_bench.world.monitoring.logs import LogLine
from trainee_bench.world.monitoring.readings import LoadPoint, PageSummary, ServerHealth
from trainee_bench.world.monitoring.website import (
    PAGES,
    SERVERS,
    MonitoredServer,
    TimeWindow,
    WebPage,
)
from trainee_bench.world.transaction import Result, Transaction

TOOLS = Toolbox(
    "monitor",
    "The company's website: load times, servers, logs, maintenance mode.",
    opt_in=False,
)

ServerName = Annotated[str, Field(description="e.g. web-01")]
_AGO = {"now": 0, "1h": 1, "24h": 24, "7d": 24 * 7}
"""The moments at which one server's readings are compared, in hours ago."""
_COLUMNS = {
    "cpu %": "cpu_percent",
    "mem %": "memory_percent",
    "disk %": "disk_percent",
    "disk wait ms": "disk_wait_ms",
    "cache hits %": "cache_hit_percent",
    "out Mbit/s": "output_mbit",
    "errors/min": "errors_per_minute",
    "release": "release",
}


class Services(BaseModel):
    """The website's pages and servers, and since when servers have been in maintenance mode."""

    pages: list[WebPage]
    servers: list[MonitoredServer]
    maintenance: dict[str, datetime]


class HealthReport(BaseModel):
    """Readings: of all servers now, or of one server now and before."""

    readings: list[ServerHealth]
    maintenance: dict[str, datetime]


class LoadTimes(BaseModel):
    """A page's load times over a window, oldest first."""

    page: str
    window: TimeWindow
    points: list[LoadPoint]


class LoadTimeSummary(BaseModel):
    """All pages' load times over a window."""

    window: TimeWindow
    pages: list[PageSummary]


class ServerLog(BaseModel):
    """Lines of a server's log, oldest first; ``more`` says whether there are earlier ones."""

    server: str
    lines: list[LogLine]
    more: bool


class OnCall(BaseModel):
    """The title of the person who keeps the on-call roster."""

    kept_by: str


class Alerts(BaseModel):
    """Readings beyond their limits."""

    alerts: list[Alert]


class RebootResult(BaseModel):
    """Never returned: reboots are always refused."""

    server: str


@TOOLS.tool(read_only=True)
def monitor_list_services(tx: Transaction) -> Result[Services]:
    """List the website's pages and servers and what they are for."""
    maintenance = Monitor(tx).maintenance()
    lines = ["Pages: " + ", ".join(f"{page.path} ({page.title})" for page in PAGES), "Servers:"]
    for server in SERVERS:
        since = maintenance.get(server.name)
        state = f", in maintenance since {since:%H:%M}" if since else ""
        lines.append(f"{server.name}: {server.role}{state}")
    data = Services(pages=list(PAGES), servers=list(SERVERS), maintenance=maintenance)
    return Result("\n".join(lines), data)


@TOOLS.tool(read_only=True)
def monitor_get_summary(
    tx: Transaction,
    window: Annotated[TimeWindow, Field(description="How far back to look")] = TimeWindow.DAY,
) -> Result[LoadTimeSummary]:
    """Show all pages' load times over a window. Compare windows to see what has changed."""
    pages = Monitor(tx).summary(window)
    lines = [f"Last {window}, in ms: page, median (first byte + transfer), 95th percentile"]
    lines += [
        f"{p.page} {p.median_ms} ({p.first_byte_ms} + {p.transfer_ms}), {p.p95_ms}" for p in pages
    ]
    return Result("\n".join(lines), LoadTimeSummary(window=window, pages=list(pages)))


@TOOLS.tool(read_only=True)
def monitor_get_load_times(
    tx: Transaction,
    page: Annotated[str, Field(description="e.g. /blog")],
    window: Annotated[TimeWindow, Field(description="How far back to look")] = TimeWindow.DAY,
) -> Result[LoadTimes]:
    """Show how one page's load time has changed over a window."""
    points = Monitor(tx).load_times(page, window)
    path = "/" + page.strip().strip("/").casefold()
    lines = [f"{path}, last {window}, in ms: end of interval, median (first byte + transfer)"]
    lines += [f"{p.at:%a %H:%M} {p.load_ms} ({p.first_byte_ms} + {p.transfer_ms})" for p in points]
    return Result("\n".join(lines), LoadTimes(page=path, window=window, points=list(points)))


@TOOLS.tool(read_only=True)
def monitor_check_health(
    tx: Transaction,
    server: Annotated[str | None, Field(description="e.g. web-01; default: all")] = None,
) -> Result[HealthReport]:
    """Show the current readings of all servers. With a server: only its own, now and 1 h, 24 h and
    7 days ago."""
    monitor = Monitor(tx)
    maintenance = monitor.maintenance()
    if server is None:
        readings = [monitor.health(known.name) for known in SERVERS]
        heads = [f"{r.server}*" if r.server in maintenance else r.server for r in readings]
        title = f"server: {', '.join(_COLUMNS)}"
        note = ["* in maintenance"] if maintenance else []
    else:
        times = [tx.now - timedelta(hours=hours) for hours in _AGO.values()]
        readings = [monitor.health(server, time) for time in times]
        heads = ["now", *(f"{ago} ago" for ago in list(_AGO)[1:])]
        title = f"{readings[0].server}: {', '.join(_COLUMNS)}"
        since = maintenance.get(readings[0].server)
        note = [f"in maintenance since {since:%H:%M}"] if since else []
    rows = [f"{head}: {_row(reading)}" for head, reading in zip(heads, readings, strict=True)]
    data = HealthReport(readings=readings, maintenance=maintenance)
    return Result("\n".join([title, *rows, *note]), data)


@TOOLS.tool(read_only=True)
def monitor_read_logs(
    tx: Transaction,
    server: ServerName,
    lines: Annotated[int, Field(ge=1, le=60, description="Maximum lines")] = 20,
    before: Annotated[datetime | None, Field(description="Only earlier lines")] = None,
) -> Result[ServerLog]:
    """Show a server's latest warnings and errors, oldest first. They are kept for 48 hours. The
    last line of the result says how to continue."""
    found, more = Monitor(tx).logs(server, lines, before and before.replace(tzinfo=None))
    name = server.strip().casefold()
    text = "\n".join(f"{line.at:%m-%d %H:%M} {line.text}" for line in found) or "No lines."
    if more:
        text += (
            f"\n(there are earlier lines of {name}; continue with before={found[0].at.isoformat()})"
        )
    return Result(text, ServerLog(server=name, lines=list(found), more=more))


@TOOLS.tool(read_only=True)
def monitor_list_alerts(tx: Transaction) -> Result[Alerts]:
    """List readings that are beyond their limits right now. Not all of them matter."""
    alerts = Monitor(tx).alerts()
    text = "\n".join(f"{alert.about}: {alert.text}" for alert in alerts)
    return Result(text, Alerts(alerts=list(alerts)))


@TOOLS.tool(read_only=True)
def monitor_get_on_call(tx: Transaction) -> Result[OnCall]:
    """Show who keeps the on-call roster of the website; ask them who is on call today."""
    text = (
        "A different colleague is on call for the website each day. Ask the HR Manager, who keeps"
    )
    return Result(f"{text} the roster.", OnCall(kept_by="HR Manager"))


@TOOLS.tool(once="server")
def monitor_start_maintenance(
    tx: Transaction,
    server: ServerName,
    code: Annotated[
        str | None,
        Field(
            description="Code of the approval, e.g. ABCD-1234; if one is needed, the error says so"
        ),
    ] = None,
) -> Result[MaintenanceAttempt]:
    """Put a server into maintenance mode, in which it repairs itself. It may need an approval.
    It ends by itself. Three wrong codes lock the server for the day."""
    outcome = Monitor(tx).start_maintenance(server, code)
    if outcome.entered:
        text = (
            f"{outcome.server} is in maintenance mode, which ends by itself. Load times adjust "
            "within 15 minutes."
        )
    else:
        text = f"Wrong code for {outcome.server}. Tries left: {outcome.tries_left}."
    return Result(text, outcome)


@TOOLS.tool(destructive=True)
def monitor_reboot_server(tx: Transaction, server: ServerName) -> Result[RebootResult]:
    """Ask for a reboot. Most requests are refused; the error says what to do instead."""
    Monitor(tx).reboot(server)
    return Result("", RebootResult(server=server))


def _row(health: ServerHealth) -> str:
    values = health.model_dump()
    return ", ".join(str(values[field]) for field in _COLUMNS.values())
