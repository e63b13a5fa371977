"""The website: its pages, the servers behind it, and what can go wrong with them."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WebPage(_Data):
    """A page of the company's website."""

    path: str
    title: str


class MonitoredServer(_Data):
    """A server behind the website, and its role."""

    name: str
    role: str


class IncidentCause(StrEnum):
    """The reason why a page has become slow."""

    FULL_DISK = "full disk"
    SLOW_ASSET = "slow asset"
    CACHE_MISS = "cache miss"
    FAILED_DEPLOY = "failed deploy"


class Incident(_Data):
    """A page that has been slow since ``began`` because of ``cause`` on ``server``.

    ``relieved`` is when that server was put into maintenance mode. ``code`` opens this mode; None
    if it needs no code.
    """

    page: str
    cause: IncidentCause
    server: str
    began: datetime
    code: str | None
    relieved: datetime | None = None


PAGES = tuple(
    WebPage(path=path, title=title)
    for path, title in (
        ("/home", "Start page"),
        ("/products", "Products"),
        ("/pricing", "Prices"),
        ("/blog", "Blog"),
        ("/docs", "Documentation"),
        ("/support", "Support"),
        ("/careers", "Careers"),
        ("/login", "Customer login"),
    )
)
SERVERS = tuple(
    MonitoredServer(name=name, role=role)
    for name, role in (
        ("web-01", "delivers pages"),
        ("web-02", "delivers pages"),
        ("web-03", "delivers pages and downloads"),
        ("app-01", "builds pages, accounts and search"),
        ("app-02", "builds pages, forms and newsletters"),
        ("db-prod-01", "main database"),
        ("db-prod-02", "copy of the database for reports"),
        ("cache-01", "cache and pictures"),
    )
)
PAGE_PATHS = tuple(page.path for page in PAGES)
SERVER_NAMES = tuple(server.name for server in SERVERS)

_SERVING = tuple(name for name in SERVER_NAMES if not name.startswith("db-"))
SERVERS_BY_CAUSE: dict[IncidentCause, tuple[str, ...]] = {
    IncidentCause.FULL_DISK: SERVER_NAMES,
    IncidentCause.SLOW_ASSET: _SERVING,
    IncidentCause.CACHE_MISS: _SERVING,
    IncidentCause.FAILED_DEPLOY: _SERVING,
}
"""The servers on which each cause can occur. Databases deliver no files and cache no pages."""


class TimeWindow(StrEnum):
    """The period that a reading covers, up to now."""

    HOUR = "1h"
    SIX_HOURS = "6h"
    DAY = "24h"
    WEEK = "7d"

    @property
    def length(self) -> timedelta:
        """The period as a duration."""
        number = int(self.value[:-1])
        return timedelta(days=number) if self.value.endswith("d") else timedelta(hours=number)
