"""The monitor of the company's website: its readings, and maintenance mode.

Only incidents, maintenance and wrong codes are stored. Every reading is a function of these, the
day's seed and the time (`world/monitoring/`).
"""

from __future__ import annotations

import re
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.monitoring.logs import LOG_RETENTION, LogLine, log_lines
from trainee_bench.world.monitoring.readings import LoadPoint, PageSummary, Readings, ServerHealth
from trainee_bench.world.monitoring.website import (
    PAGE_PATHS,
    SERVER_NAMES,
    Incident,
    IncidentCause,
    TimeWindow,
)
from trainee_bench.world.random_streams import stable_id
from trainee_bench.world.transaction import Event, Transaction

SCHEMA = """
CREATE TABLE incident (
    page TEXT PRIMARY KEY, cause TEXT NOT NULL, server TEXT NOT NULL UNIQUE,
    began TEXT NOT NULL, code TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE maintenance (server TEXT PRIMARY KEY, at TEXT NOT NULL, person TEXT NOT NULL)
    STRICT, WITHOUT ROWID;
CREATE TABLE wrong_code (
    seq INTEGER PRIMARY KEY, server TEXT NOT NULL, at TEXT NOT NULL, person TEXT NOT NULL
) STRICT;
"""

CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Letters of approval codes, without those that look like digits."""
MAX_CODE_ATTEMPTS = 3
"""The number of wrong codes after which a server is locked for the day."""
_CODE = re.compile(r"([A-Z]{4})[- ]?([0-9]{4})")
_SLOWEST_ALLOWED_MS = 1_000
_MOST = {"memory_percent": 90.0, "disk_percent": 90.0, "output_mbit": 170.0}
_LEAST = {"cache_hit_percent": 60.0}
_WORDS = {
    "memory_percent": "memory {value} %, limit {limit} %",
    "disk_percent": "disk {value} % full, limit {limit} %",
    "output_mbit": "output {value} Mbit/s, limit {limit} Mbit/s",
    "cache_hit_percent": "cache hits {value} %, limit {limit} %",
}


class Alert(BaseModel):
    """A reading that is beyond its limit now, or a permanent warning."""

    model_config = ConfigDict(frozen=True)

    about: str
    text: str


class MaintenanceAttempt(BaseModel):
    """The result of a request for maintenance; ``tries_left`` before the server is locked."""

    model_config = ConfigDict(frozen=True)

    server: str
    entered: bool
    tries_left: int


class Monitor:
    """The website's monitor within one transaction."""

    def __init__(self, tx: Transaction):
        self._tx = tx

    # reading ----------------------------------------------------------------------------

    def summary(self, window: TimeWindow) -> tuple[PageSummary, ...]:
        """Summarize every page's load times over *window*."""
        readings = self.readings()
        return tuple(readings.summary(page, window, self._tx.now) for page in PAGE_PATHS)

    def load_times(self, page: str, window: TimeWindow) -> tuple[LoadPoint, ...]:
        """Return one page's load times over *window*, oldest first. Raises NotFound for an unknown
        path."""
        return self.readings().load_times(_page(page), window, self._tx.now)

    def load_ms(self, page: str) -> int:
        """Return the current load time of *page*, in ms."""
        return round(sum(self.readings().load(page, self._tx.now)))

    def health(self, server: str, time: datetime | None = None) -> ServerHealth:
        """Return the readings of *server* at *time*, or now. Raises NotFound for an unknown
        name."""
        return self.readings().health(_server(server), time or self._tx.now)

    def logs(
        self, server: str, lines: int, before: datetime | None = None
    ) -> tuple[tuple[LogLine, ...], bool]:
        """Return the newest *lines* of a server's log, oldest first, and whether there are earlier
        ones.

        With *before*, only lines written earlier.
        """
        now = self._tx.now
        written = log_lines(
            self._seed(), self.incidents(), _server(server), now - LOG_RETENTION, now
        )
        if before is not None:
            written = tuple(line for line in written if line.at < before)
        return written[-lines:], len(written) > lines

    def alerts(self) -> tuple[Alert, ...]:
        """Return readings beyond their limits, and one long-standing harmless warning."""
        found = []
        for page in PAGE_PATHS:
            load = self.load_ms(page)
            if load > _SLOWEST_ALLOWED_MS:
                text = f"load time {load:,} ms, limit {_SLOWEST_ALLOWED_MS:,} ms"
                found.append(Alert(about=page, text=text))
        for server in SERVER_NAMES:
            found += _beyond_limits(self.health(server))
        text = "last backup not yet verified (open since last month)"
        return (*found, Alert(about="db-prod-02", text=text))

    def incidents(self) -> tuple[Incident, ...]:
        """Return the incidents of today. No tool shows them; readings and checkpoints build on
        them."""
        rows = self._tx.rows(
            "SELECT incident.*, maintenance.at FROM incident LEFT JOIN maintenance USING (server)"
            " ORDER BY page"
        )
        return tuple(
            Incident(
                page=row["page"],
                cause=IncidentCause(row["cause"]),
                server=row["server"],
                began=row["began"],
                code=row["code"],
                relieved=row["at"],
            )
            for row in rows
        )

    def readings(self) -> Readings:
        """Return all readings of the day."""
        return Readings(self._seed(), self.incidents())

    def _seed(self) -> str:
        """Return a seed that differs between companies and between days."""
        row = self._tx.row("SELECT min(id), max(id), count(*) FROM person")
        first, last, count = tuple(row) if row is not None else (None, None, 0)
        day = self._tx.fact("day_starts")[:10]
        return stable_id("monitor", day, first or "", last or "", count)

    # maintenance ------------------------------------------------------------------------

    def maintenance(self) -> dict[str, datetime]:
        """Return the servers in maintenance mode, and since when."""
        rows = self._tx.rows("SELECT server, at FROM maintenance ORDER BY server")
        return {row["server"]: datetime.fromisoformat(row["at"]) for row in rows}

    def start_maintenance(self, server: str, code: str | None) -> MaintenanceAttempt:
        """Put *server* into maintenance mode with the code of its approval.

        A wrong code is not an error, but counts. Raises NotFound for an unknown server, Invalid for
        a missing or malformed code, and Refused if the server is in maintenance or locked.
        """
        name = _server(server)
        since = self.maintenance().get(name)
        if since is not None:
            raise Refused(
                f"{name} has been in maintenance mode since {since:%H:%M}; nothing more is needed."
            )
        if self._tries_left(name) <= 0:
            raise Refused(
                f"After {MAX_CODE_ATTEMPTS} wrong codes {name} is locked until tomorrow; go on "
                "with your other work."
            )
        own = [incident for incident in self.incidents() if incident.server == name]
        if not any(incident.code is None for incident in own or self.incidents()):
            given = _code(code)
            if not any(incident.code == given for incident in own):
                self._write("wrong_code (server, at, person)", name)
                return MaintenanceAttempt(
                    server=name, entered=False, tries_left=self._tries_left(name)
                )
        self._write("maintenance (server, at, person)", name)
        return MaintenanceAttempt(server=name, entered=True, tries_left=self._tries_left(name))

    def reboot(self, server: str) -> None:
        """Refuse the reboot: always raise Refused, or NotFound for an unknown server."""
        raise Refused(
            f"Nobody may reboot {_server(server)} from here. The monitor offers only maintenance "
            "mode, which may need an approval."
        )

    def _tries_left(self, server: str) -> int:
        row = self._tx.row("SELECT count(*) FROM wrong_code WHERE server = ?", server)
        return MAX_CODE_ATTEMPTS - (int(row[0]) if row is not None else 0)

    def _write(self, table: str, server: str) -> None:
        now = self._tx.now.isoformat()
        self._tx.run(f"INSERT INTO {table} VALUES (?, ?, ?)", server, now, self._tx.actor)


class IncidentBegins(Event):
    """A page becomes slow at *began*, in the past or the future.

    Until this event, the readings show an ordinary day; from then on, they show the incident with
    all its past. The code opens maintenance mode for the server. An incident without a code means
    that no server asks for a code that day, except the server of another incident.
    """

    page: str
    cause: IncidentCause
    server: str
    code: str | None
    began: datetime

    def fire(self, tx: Transaction) -> None:
        """Record the incident; the readings then show it from its beginning on."""
        tx.run(
            "INSERT INTO incident VALUES (?, ?, ?, ?, ?)",
            _page(self.page),
            self.cause,
            _server(self.server),
            self.began.isoformat(),
            None if self.code is None else _code(self.code),
        )


class IncidentEnds(Event):
    """The end of an incident at night, with all maintenance that no incident needs.

    The next day may bring another incident, also of a server that was put into maintenance by
    mistake.
    """

    server: str

    def fire(self, tx: Transaction) -> None:
        """Forget the incident, the maintenance of servers that work, and all wrong codes."""
        tx.run("DELETE FROM incident WHERE server = ?", self.server)
        tx.run("DELETE FROM maintenance WHERE server NOT IN (SELECT server FROM incident)")
        tx.run("DELETE FROM wrong_code")


def _page(path: str) -> str:
    """Return the page of a path with or without slashes. Raises NotFound, naming all pages."""
    wanted = "/" + path.strip().strip("/").casefold()
    if wanted not in PAGE_PATHS:
        raise NotFound(f"There is no page {path[:40]!r}. The pages are {', '.join(PAGE_PATHS)}.")
    return wanted


def _server(name: str) -> str:
    """Return the server of this name, in any case. Raises NotFound, naming all servers."""
    wanted = name.strip().casefold()
    if wanted not in SERVER_NAMES:
        raise NotFound(
            f"There is no server {name[:40]!r}. The servers are {', '.join(SERVER_NAMES)}."
        )
    return wanted


def _code(given: str | None) -> str:
    """Normalize an approval code to "ABCD-1234". Raises Invalid."""
    if given is None:
        raise Invalid("Maintenance mode needs an approval code, such as ABCD-1234.")
    match = _CODE.fullmatch(given.strip().upper())
    if match is None:
        raise Invalid("An approval code is four letters, a dash and four digits: ABCD-1234.")
    return "-".join(match.groups())


def _beyond_limits(health: ServerHealth) -> list[Alert]:
    found = []
    values = health.model_dump()
    for name, words in _WORDS.items():
        value, most, least = values[name], _MOST.get(name), _LEAST.get(name)
        limit = most if most is not None else least
        if (most is not None and value > most) or (least is not None and value < least):
            text = words.format(value=round(value), limit=round(limit or 0))
            found.append(Alert(about=health.server, text=text))
    return found
