"""Load times of pages and health of servers as functions of the time.

An incident changes one kind of reading on its server (`failing`). For each kind, a harmless decoy
on another server is as high or as low all day. So the current values alone do not reveal the cause.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from statistics import median

from trainee_bench.world.monitoring.website import (
    PAGE_PATHS,
    SERVER_NAMES,
    Incident,
    IncidentCause,
    TimeWindow,
    _Data,
)
from trainee_bench.world.random_streams import stable_id

_EPOCH = datetime(2000, 1, 1)
_DIGITS = 12
_PERIOD = 18
"""Minutes between two interpolation points of a drift."""
_TRAFFIC = (
    0.35, 0.28, 0.24, 0.22, 0.24, 0.32, 0.48, 0.68, 0.88, 1.0, 1.04, 1.0,
    0.92, 0.96, 1.02, 1.04, 1.0, 0.92, 0.86, 0.84, 0.8, 0.72, 0.58, 0.45,
)  # fmt: skip
"""The website's traffic at each full hour, relative to a usual working hour."""


def minute_of(time: datetime) -> int:
    """Return the number of whole minutes since a fixed moment long ago."""
    return (time - _EPOCH) // timedelta(minutes=1)


@lru_cache(maxsize=65_536)
def hashed_fraction(seed: str, name: str, number: int = 0) -> float:
    """Return a value in [0, 1) that depends only on the arguments."""
    return float(int(stable_id(seed, name, number, length=_DIGITS), 16)) / float(16**_DIGITS)


def hashed_between(low: float, high: float, seed: str, name: str) -> float:
    """Return a value in [low, high) that depends only on the arguments."""
    return low + (high - low) * hashed_fraction(seed, name)


def drift(seed: str, name: str, time: datetime) -> float:
    """Return a value in [-1, 1] that changes smoothly over time, with a little jitter."""
    minute = minute_of(time)
    step, rest = divmod(minute, _PERIOD)
    part = rest / _PERIOD
    part = part * part * (3 - 2 * part)
    here, there = hashed_fraction(seed, name, step), hashed_fraction(seed, name, step + 1)
    jitter = hashed_fraction(seed, f"{name} jitter", minute)
    return 0.8 * (2 * (here + (there - here) * part) - 1) + 0.2 * (2 * jitter - 1)


def traffic(time: datetime) -> float:
    """Return the website's usual traffic at this time of day; 1.0 is a usual working hour."""
    here, there = _TRAFFIC[time.hour], _TRAFFIC[(time.hour + 1) % 24]
    return here + (there - here) * time.minute / 60


@lru_cache(maxsize=1_024)
def shuffled(seed: str, name: str, items: tuple[str, ...]) -> tuple[str, ...]:
    """Return *items* in an order that depends only on the arguments."""
    return tuple(sorted(items, key=lambda item: (hashed_fraction(seed, f"{name} {item}"), item)))


RECOVERY_TIME = timedelta(minutes=15)
"""The time from an incident's relief until all readings are normal again."""
_ONSET = {cause: timedelta(minutes=25) for cause in IncidentCause} | {
    IncidentCause.FULL_DISK: timedelta(minutes=300)
}
_RELEASE, _NEW_RELEASE = "4.7.2", "4.8.0"
_SAMPLES = 24


class LoadPoint(_Data):
    """A page's median load time in ms over the span that ends at ``at``.

    Its two parts are the time to the first byte, and the transfer of the page with its files.
    """

    at: datetime
    load_ms: int
    first_byte_ms: int
    transfer_ms: int


class PageSummary(_Data):
    """A page's load times over a window, in ms."""

    page: str
    median_ms: int
    p95_ms: int
    first_byte_ms: int
    transfer_ms: int


class ServerHealth(_Data):
    """A server's readings at a time."""

    server: str
    at: datetime
    cpu_percent: float
    memory_percent: float
    disk_percent: float
    disk_wait_ms: float
    cache_hit_percent: float
    output_mbit: float
    errors_per_minute: float
    release: str


Span = tuple[float, float]


@dataclass(frozen=True)
class _Gauge:
    """The ranges of one kind of reading: usual, on the decoy's server (``odd``), and at the height
    of an incident (``failing``).

    ``noise`` is the amplitude of its random part, ``busy`` the share that follows the traffic,
    ``most`` its maximum.
    """

    usual: Span
    odd: Span | None = None
    failing: Mapping[IncidentCause, Span] = field(default_factory=dict)
    noise: float = 1.0
    busy: float = 0.0
    most: float = 100.0


_GAUGES = {
    "cpu_percent": _Gauge(
        (20, 38),
        failing={IncidentCause.CACHE_MISS: (48, 60), IncidentCause.FAILED_DEPLOY: (42, 55)},
        noise=4,
        busy=0.5,
    ),
    "memory_percent": _Gauge((45, 75), odd=(91, 95)),
    "disk_percent": _Gauge(
        (36, 68), odd=(90, 94), failing={IncidentCause.FULL_DISK: (96.5, 98.5)}, noise=0.3
    ),
    "disk_wait_ms": _Gauge(
        (2, 5), odd=(32, 48), failing={IncidentCause.FULL_DISK: (35, 50)}, noise=0.8, most=1_000
    ),
    "cache_hit_percent": _Gauge(
        (87, 96), odd=(42, 54), failing={IncidentCause.CACHE_MISS: (16, 34)}
    ),
    "output_mbit": _Gauge(
        (30, 60),
        odd=(230, 280),
        failing={IncidentCause.SLOW_ASSET: (180, 270)},
        noise=3,
        busy=0.3,
        most=1_000,
    ),
    "errors_per_minute": _Gauge(
        (0.2, 0.7),
        odd=(6, 12),
        failing={IncidentCause.FAILED_DEPLOY: (6, 14)},
        noise=0.1,
        most=1_000,
    ),
}
_ODD = (*(name for name, gauge in _GAUGES.items() if gauge.odd), "release")
"""Kinds of readings with a decoy. Each kind has a different server, as far as there are enough."""


@dataclass(frozen=True)
class Readings:
    """All readings of one day, as functions of the time."""

    seed: str
    incidents: tuple[Incident, ...] = ()

    # pages ------------------------------------------------------------------------------

    def load(self, page: str, time: datetime) -> tuple[float, float]:
        """Return the time to the first byte and the transfer time of *page* at *time*, in ms."""
        base = self._usual_load(page)
        swing = (0.92 + 0.14 * traffic(time)) * (1 + 0.06 * drift(self.seed, f"load {page}", time))
        first_byte, transfer = 0.45 * base * swing, 0.55 * base * swing
        for incident in self.incidents:
            if incident.page == page:
                extra = base * hashed_between(2.2, 3.2, self.seed, f"strength {page}")
                extra *= severity(incident, time) * swing
                if incident.cause is IncidentCause.SLOW_ASSET:
                    transfer += extra
                else:
                    first_byte += extra
        return first_byte, transfer

    def load_times(self, page: str, window: TimeWindow, now: datetime) -> tuple[LoadPoint, ...]:
        """Return the load times of *page* over *window*, oldest first."""
        points = 14 if window is TimeWindow.WEEK else 12
        span = window.length / points
        return tuple(
            self._point(page, now - span * (points - 1 - number), span) for number in range(points)
        )

    def summary(self, page: str, window: TimeWindow, now: datetime) -> PageSummary:
        """Summarize the load times of *page* over *window*."""
        step = window.length / _SAMPLES
        loads = [self.load(page, now - step * number) for number in range(_SAMPLES)]
        totals = sorted(first + transfer for first, transfer in loads)
        return PageSummary(
            page=page,
            median_ms=round(median(totals)),
            p95_ms=round(totals[-2]),
            first_byte_ms=round(median(first for first, _ in loads)),
            transfer_ms=round(median(transfer for _, transfer in loads)),
        )

    def _point(self, page: str, at: datetime, span: timedelta) -> LoadPoint:
        loads = [self.load(page, at - span * part / 5) for part in range(5)]
        first_byte = round(median(first for first, _ in loads))
        transfer = round(median(transfer for _, transfer in loads))
        at = at.replace(second=0, microsecond=0)
        return LoadPoint(
            at=at, load_ms=first_byte + transfer, first_byte_ms=first_byte, transfer_ms=transfer
        )

    def _usual_load(self, page: str) -> float:
        ailing = {incident.page for incident in self.incidents}
        heavy = next(p for p in shuffled(self.seed, "heavy", PAGE_PATHS) if p not in ailing)
        low, high = (1150.0, 1500.0) if page == heavy else (340.0, 580.0)
        return hashed_between(low, high, self.seed, f"usual {page}")

    # servers ----------------------------------------------------------------------------

    def health(self, server: str, time: datetime) -> ServerHealth:
        """Return the readings of *server* at *time*."""
        values = {name: self._gauge(server, name, gauge, time) for name, gauge in _GAUGES.items()}
        return ServerHealth(server=server, at=time, release=self._release(server, time), **values)

    def _gauge(self, server: str, name: str, gauge: _Gauge, time: datetime) -> float:
        """Return one reading: its usual value, changed by incidents, traffic and noise."""
        place = f"{name} {server}"
        odd = gauge.odd is not None and self._odd(name) == server
        low, high = gauge.odd if odd and gauge.odd else gauge.usual
        value = hashed_between(low, high, self.seed, place)
        if gauge.busy:
            value *= 1 - gauge.busy + gauge.busy * traffic(time)
        for incident in self.incidents:
            if incident.server == server and incident.cause in gauge.failing:
                failing = hashed_between(
                    *gauge.failing[incident.cause], self.seed, f"failing {place}"
                )
                value += (failing - value) * severity(incident, time)
        value += gauge.noise * drift(self.seed, place, time)
        return round(min(max(value, 0.0), gauge.most), 1)

    def _release(self, server: str, time: datetime) -> str:
        """Return the release that a server runs: the new one after a failed deploy and on the
        decoy."""
        failed = any(
            incident.cause is IncidentCause.FAILED_DEPLOY
            and incident.server == server
            and severity(incident, time) > 0
            for incident in self.incidents
        )
        return _NEW_RELEASE if failed or self._odd("release") == server else _RELEASE

    def _odd(self, name: str) -> str:
        """Return the server of the decoy for the reading *name*, never one with an incident."""
        ailing = {incident.server for incident in self.incidents}
        healthy = [
            server for server in shuffled(self.seed, "odd", SERVER_NAMES) if server not in ailing
        ]
        return healthy[_ODD.index(name) % len(healthy)]


def severity(incident: Incident, time: datetime) -> float:
    """Return the severity of an incident at *time*, from 0 (before and after it) to 1 (at its
    height)."""
    risen = min(max((time - incident.began) / _ONSET[incident.cause], 0.0), 1.0)
    if incident.relieved is None or time <= incident.relieved:
        return risen
    left = max(1 - (time - incident.relieved) / RECOVERY_TIME, 0.0)
    return min(risen, severity(incident, incident.relieved)) * left
