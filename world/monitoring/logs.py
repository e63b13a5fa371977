"""The servers' error logs: everyday noise and the traces of incidents.

The log of the server at fault shows the cause. Other servers log only that they wait. Some everyday
lines are decoys that sound like a cause.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from trainee_bench.world.monitoring.readings import (
    RECOVERY_TIME,
    hashed_fraction,
    minute_of,
    severity,
    shuffled,
)
from trainee_bench.world.monitoring.website import (
    PAGE_PATHS,
    SERVER_NAMES,
    Incident,
    IncidentCause,
    _Data,
)

LOG_RETENTION = timedelta(hours=48)
"""How far back the logs reach."""
_SLOT = 20
"""Minutes in which a server writes at most one everyday line."""
_TRACE_SLOT = 9
"""Minutes in which an incident leaves one trace."""
_SYMPTOM_SLOT = 25

_EVERYDAY = (
    "WARN {page}: connection closed before the answer was complete",
    "WARN slow query, {n}00 ms: scheduled report",
    "ERROR outgoing mail refused, second attempt succeeded",
    "WARN certificate of the test domain expires in less than 30 days",
    "ERROR {page}: request without user agent refused",
    "WARN backup took {n} minutes longer than planned",
    "WARN disk check postponed, volume busy with the backup",
    "WARN {page}: entry larger than 1 MB not kept in the cache",
    "WARN release notes could not be fetched, showing the last ones",
    "WARN {page}: thumbnail older than its picture, thumbnail made again",
    "ERROR {page}: form sent twice within a second, second one dropped",
    "WARN clock corrected by {n} ms",
)
_OLD = (
    "ERROR no space left on the test volume; old test data removed, volume at 41 %",
    "ERROR deploy 4.7.2: step 2 failed, second attempt succeeded",
    "WARN cache emptied by hand, filled again after {n} minutes",
    "WARN {page}: asset of {n} MB found, replaced by a smaller one",
)
_TRACES: dict[IncidentCause, tuple[str, ...]] = {
    IncidentCause.FULL_DISK: (
        "ERROR {page}: temporary file not written, no space left on the data volume",
        "WARN {page}: waited {n}00 ms for free blocks on the data volume",
    ),
    IncidentCause.SLOW_ASSET: (
        "WARN {page}: /assets/intro-{n}.mp4 (3{n} MB) sent uncompressed, took {n} s",
        "WARN {page}: transfer of assets above the limit, 3{n} MB for one view",
    ),
    IncidentCause.CACHE_MISS: (
        "WARN {page}: not in the cache, rendered again in {n}00 ms",
        "WARN {page}: cache entry written with a lifetime of 0 s, dropped at once",
    ),
    IncidentCause.FAILED_DEPLOY: (
        "ERROR {page}: worker of release 4.8.0 stopped on start, request handed to the next one",
        "ERROR deploy 4.8.0: step 5 not finished, old and new workers run side by side",
    ),
}
_SYMPTOM = "WARN {page}: answered late, waited {n}00 ms for another server"
_RELIEVED: dict[IncidentCause, str] = {
    IncidentCause.FULL_DISK: "WARN maintenance: temporary files moved off the data volume",
    IncidentCause.SLOW_ASSET: "WARN maintenance: assets compressed again, large ones taken offline",
    IncidentCause.CACHE_MISS: "WARN maintenance: lifetimes restored, cache being filled",
    IncidentCause.FAILED_DEPLOY: "WARN maintenance: deploy rolled back to 4.7.2, workers restarted",
}


class LogLine(_Data):
    """A line of a server's error log."""

    at: datetime
    text: str


def log_lines(
    seed: str, incidents: tuple[Incident, ...], server: str, since: datetime, until: datetime
) -> tuple[LogLine, ...]:
    """Return the lines that *server* logged after *since* and until *until*, oldest first."""
    lines = _everyday(seed, server, since, until)
    for incident in incidents:
        lines += _of_incident(seed, incident, server, since, until)
    return tuple(sorted(lines, key=lambda line: (line.at, line.text)))


def _everyday(seed: str, server: str, since: datetime, until: datetime) -> list[LogLine]:
    lines = []
    for at, number in _slots(seed, f"everyday {server}", _SLOT, since, until):
        if hashed_fraction(seed, f"written {server}", number) < 0.35:
            lines.append(LogLine(at=at, text=_line(seed, f"everyday {server}", number, _EVERYDAY)))
    return lines


def _of_incident(
    seed: str, incident: Incident, server: str, since: datetime, until: datetime
) -> list[LogLine]:
    """Return traces on the server at fault, symptoms on two others, an old decoy on four more."""
    others = tuple(n for n in shuffled(seed, "symptoms", SERVER_NAMES) if n != incident.server)
    if server == incident.server:
        lines = _while_it_lasts(seed, incident, server, since, until, _TRACE_SLOT)
        if incident.relieved is not None and since < incident.relieved + RECOVERY_TIME / 3 <= until:
            at = incident.relieved + RECOVERY_TIME / 3
            lines.append(LogLine(at=at, text=_RELIEVED[incident.cause]))
        return lines
    if server in others[:2]:
        return _while_it_lasts(seed, incident, server, since, until, _SYMPTOM_SLOT)
    if server not in others[2:6]:
        return []
    number = others[2:6].index(server)
    at = incident.began - timedelta(
        hours=6 + int(14 * hashed_fraction(seed, f"old moment {server}"))
    )
    if since < at <= until:
        return [
            LogLine(at=at, text=_line(seed, f"old {server}", number, _OLD[number : number + 1]))
        ]
    return []


def _while_it_lasts(
    seed: str, incident: Incident, server: str, since: datetime, until: datetime, slot: int
) -> list[LogLine]:
    at_fault = server == incident.server
    texts = _TRACES[incident.cause] if at_fault else (_SYMPTOM,)
    name = f"trace {server}"
    return [
        LogLine(at=at, text=_line(seed, name, number, texts, incident.page))
        for at, number in _slots(seed, name, slot, max(since, incident.began), until)
        if severity(incident, at) > 0.3
    ]


def _slots(
    seed: str, name: str, length: int, since: datetime, until: datetime
) -> list[tuple[datetime, int]]:
    """Return a moment in each slot of *length* minutes within the period, with the slot's
    number."""
    first, last = minute_of(since) // length, minute_of(until) // length
    found = []
    for number in range(first, last + 1):
        minute = number * length + int(length * hashed_fraction(seed, f"moment {name}", number))
        at = until + timedelta(minutes=minute - minute_of(until))
        if since < at <= until:
            found.append((at.replace(second=0, microsecond=0), number))
    return found


def _line(seed: str, name: str, number: int, texts: tuple[str, ...], page: str = "") -> str:
    """Choose one of *texts* and fill in its placeholders."""
    template = texts[int(len(texts) * hashed_fraction(seed, f"text {name}", number))]
    page = page or PAGE_PATHS[int(len(PAGE_PATHS) * hashed_fraction(seed, f"page {name}", number))]
    return template.format(page=page, n=3 + int(6 * hashed_fraction(seed, f"n {name}", number)))
