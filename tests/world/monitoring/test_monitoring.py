"""What the monitor shows: readings that move with the time, logs that tell the same."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.world.monitoring.logs import LOG_RETENTION, log_lines
from trainee_bench.world.monitoring.readings import Readings, severity
from trainee_bench.world.monitoring.website import (
    PAGE_PATHS,
    SERVER_NAMES,
    SERVERS_BY_CAUSE,
    Incident,
    IncidentCause,
    TimeWindow,
)

NOW = datetime(2025, 10, 1, 11)
BEGAN = datetime(2025, 9, 30, 23)
GAUGE = {
    IncidentCause.FULL_DISK: "disk_percent",
    IncidentCause.SLOW_ASSET: "output_mbit",
    IncidentCause.CACHE_MISS: "cache_hit_percent",
    IncidentCause.FAILED_DEPLOY: "errors_per_minute",
}
WEEK = timedelta(days=7)

incidents = st.builds(
    lambda page, fault, hours: Incident(
        page=page,
        cause=fault[0],
        server=fault[1],
        began=datetime(2025, 9, 30, 18) + timedelta(hours=hours),
        code="ABCD-1234",
    ),
    st.sampled_from(PAGE_PATHS),
    st.sampled_from(
        [(cause, server) for cause in IncidentCause for server in SERVERS_BY_CAUSE[cause]]
    ),
    st.integers(0, 8),
)
seeds = st.text("abcdef0123456789", min_size=1, max_size=8)


def incident(
    cause: IncidentCause = IncidentCause.CACHE_MISS, relieved: datetime | None = None
) -> Incident:
    return Incident(
        page="/blog", cause=cause, server="web-02", began=BEGAN, code=None, relieved=relieved
    )


def test_the_same_seed_and_minute_give_the_same_readings_and_others_do_not() -> None:
    one, same, other = Readings("a"), Readings("a"), Readings("b")
    assert one.health("web-01", NOW) == same.health("web-01", NOW)
    assert one.health("web-01", NOW) != other.health("web-01", NOW)
    assert one.load("/docs", NOW) == same.load("/docs", NOW) != other.load("/docs", NOW)


def test_readings_move_while_the_day_passes_but_never_by_jumps() -> None:
    readings = Readings("a")
    loads = [sum(readings.load("/docs", NOW + timedelta(minutes=n))) for n in range(120)]
    assert len(set(loads)) > 100
    steps = [abs(after / before - 1) for before, after in pairwise(loads)]
    assert max(steps) < 0.04
    assert max(loads) < 1.3 * min(loads)


@given(seeds, incidents)
def test_only_the_slow_page_differs_from_its_last_week(seed: str, fault: Incident) -> None:
    readings = Readings(seed, (fault,))
    for page in PAGE_PATHS:
        hour = readings.summary(page, TimeWindow.HOUR, NOW).median_ms
        week = readings.summary(page, TimeWindow.WEEK, NOW).median_ms
        assert hour / week > 2 if page == fault.page else 0.85 < hour / week < 1.2


@given(seeds, incidents)
def test_only_the_server_at_fault_differs_from_its_last_week_and_in_its_causes_gauge(
    seed: str, fault: Incident
) -> None:
    readings = Readings(seed, (fault,))
    for server in SERVER_NAMES:
        now, before = readings.health(server, NOW), readings.health(server, NOW - WEEK)
        for cause, gauge in GAUGE.items():
            moved = abs(getattr(now, gauge) / getattr(before, gauge) - 1)
            at_fault = server == fault.server and cause is fault.cause
            assert moved > 0.4 if at_fault else moved < 0.3 or gauge == "errors_per_minute"


@given(seeds, incidents)
def test_a_single_look_does_not_tell_the_server_at_fault(seed: str, fault: Incident) -> None:
    readings = Readings(seed, (fault,))
    healthy = [readings.health(server, NOW) for server in SERVER_NAMES if server != fault.server]
    assert max(health.disk_percent for health in healthy) > 89
    assert max(health.disk_wait_ms for health in healthy) > 30
    assert min(health.cache_hit_percent for health in healthy) < 56
    assert max(health.output_mbit for health in healthy) > 170
    assert max(health.errors_per_minute for health in healthy) > 5
    assert "4.8.0" in {health.release for health in healthy}


def test_a_slow_asset_shows_in_the_transfer_and_any_other_cause_in_the_first_byte() -> None:
    for cause in IncidentCause:
        ill, well = Readings("a", (incident(cause),)), Readings("a")
        first, transfer = (
            with_it - without
            for with_it, without in zip(
                ill.load("/blog", NOW), well.load("/blog", NOW), strict=True
            )
        )
        assert (transfer > 200) is (cause is IncidentCause.SLOW_ASSET)
        assert (first > 200) is (cause is not IncidentCause.SLOW_ASSET)


def test_an_incident_rises_lasts_and_goes_within_a_quarter_of_an_hour_after_relief() -> None:
    assert severity(incident(), BEGAN - timedelta(minutes=1)) == 0
    assert 0 < severity(incident(), BEGAN + timedelta(minutes=10)) < 1
    assert severity(incident(), NOW) == 1
    relieved = incident(relieved=NOW)
    severities = [severity(relieved, NOW + timedelta(minutes=n)) for n in range(0, 16, 5)]
    assert severities == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert severity(relieved, NOW - timedelta(hours=1)) == 1


def test_relief_of_a_rising_incident_never_makes_it_worse() -> None:
    early = incident(IncidentCause.FULL_DISK, relieved=BEGAN + timedelta(minutes=30))
    severities = [severity(early, BEGAN + timedelta(minutes=30 + n)) for n in range(20)]
    assert severities == sorted(severities, reverse=True)
    assert severities[-1] == 0


def test_the_course_of_a_page_ends_now_and_covers_the_window() -> None:
    readings = Readings("a", (incident(),))
    points = readings.load_times("/blog", TimeWindow.DAY, NOW)
    assert len(points) == 12
    assert points[-1].at == NOW
    assert points[0].at == NOW - timedelta(hours=22)
    assert all(p.load_ms == p.first_byte_ms + p.transfer_ms for p in points)
    assert points[-1].load_ms > 2 * points[0].load_ms


# logs -------------------------------------------------------------------------------------


TELLING = {
    IncidentCause.FULL_DISK: ("data volume",),
    IncidentCause.SLOW_ASSET: ("/assets/", "transfer of assets"),
    IncidentCause.CACHE_MISS: ("not in the cache", "lifetime of 0 s"),
    IncidentCause.FAILED_DEPLOY: ("4.8.0",),
}


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
