"""Error logs: the cause is told by the server at fault alone, among everyday lines."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.world.monitoring.logs import LOG_RETENTION, log_lines
from trainee_bench.world.monitoring.website import SERVER_NAMES, Incident, IncidentCause

NOW = datetime(2025, 10, 1, 11)
BEGAN = datetime(2025, 9, 30, 23)
TELLING = {
    IncidentCause.FULL_DISK: ("data volume",),
    IncidentCause.SLOW_ASSET: ("/assets/", "transfer of assets"),
    IncidentCause.CACHE_MISS: ("not in the cache", "lifetime of 0 s"),
    IncidentCause.FAILED_DEPLOY: ("4.8.0",),
}


def incident(cause: IncidentCause, relieved: datetime | None = None) -> Incident:
    return Incident(
        page="/blog", cause=cause, server="web-02", began=BEGAN, code=None, relieved=relieved
    )


@pytest.mark.parametrize("cause", IncidentCause)
@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_traces_of_the_cause_stand_only_in_the_log_of_the_server_at_fault(
    cause: IncidentCause, seed: str
) -> None:
    told = {
        (server, telling)
        for server in SERVER_NAMES
        for line in log_lines(seed, (incident(cause),), server, NOW - LOG_RETENTION, NOW)
        for telling, words in TELLING.items()
        if any(word in line.text for word in words)
    }
    assert told == {("web-02", cause)}


@pytest.mark.parametrize("cause", IncidentCause)
def test_traces_name_the_slow_page_and_begin_with_the_incident(cause: IncidentCause) -> None:
    lines = log_lines("a", (incident(cause),), "web-02", NOW - LOG_RETENTION, NOW)
    traces = [line for line in lines if any(word in line.text for word in TELLING[cause])]
    assert len(traces) > 20
    assert min(line.at for line in traces) > BEGAN
    assert any("/blog" in line.text for line in traces)


def test_other_servers_notice_the_slow_page_without_knowing_why() -> None:
    waiting = [
        server
        for server in SERVER_NAMES
        for line in log_lines("a", (incident(IncidentCause.CACHE_MISS),), server, BEGAN, NOW)
        if "/blog: answered late" in line.text
    ]
    assert len(set(waiting)) == 2
    assert "web-02" not in waiting


@given(st.integers(0, 47 * 60), st.integers(0, 47 * 60))
def test_a_log_read_in_two_parts_is_the_log_read_at_once(one: int, two: int) -> None:
    start = NOW - LOG_RETENTION
    parts = [start, *sorted(start + timedelta(minutes=n) for n in (one, two)), NOW]
    faults = (incident(IncidentCause.FULL_DISK),)
    for server in ("web-01", "web-02"):
        whole = log_lines("a", faults, server, start, NOW)
        halves = [
            line
            for since, until in pairwise(parts)
            for line in log_lines("a", faults, server, since, until)
        ]
        assert whole == tuple(halves)


def test_relief_is_written_down_and_the_traces_end() -> None:
    relieved = incident(IncidentCause.CACHE_MISS, relieved=NOW - timedelta(hours=1))
    lines = log_lines("a", (relieved,), "web-02", NOW - timedelta(hours=1), NOW)
    assert any("lifetimes restored" in line.text for line in lines)
    late = [line for line in lines if line.at > NOW - timedelta(minutes=45)]
    assert not any("/blog: not in the cache" in line.text for line in late)
