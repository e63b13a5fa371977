"""The figures of a host's requests for Prometheus; needs the extra `serving`."""

from __future__ import annotations

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

_LATENCIES = (0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
"""Upper bounds in seconds of the histogram of requests."""


class RequestMetrics:
    """The metrics of one host, with a registry of its own."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        prefix = "trainee_bench_http"
        self._requests = Counter(
            f"{prefix}_requests", "Answered requests", ("status",), registry=self._registry
        )
        self._seconds = Histogram(
            f"{prefix}_request_seconds",
            "Time of a request",
            buckets=_LATENCIES,
            registry=self._registry,
        )
        self.open = Gauge(
            f"{prefix}_requests_open", "Requests in progress", registry=self._registry
        )
        self.draining = Gauge(
            f"{prefix}_draining", "1 while the server ends", registry=self._registry
        )

    def answered(self, status: int, seconds: float) -> None:
        """Count a request that was answered with *status* after *seconds*."""
        self._requests.labels(str(status)).inc()
        self._seconds.observe(seconds)

    def text(self) -> bytes:
        """Return the figures in Prometheus's format."""
        return generate_latest(self._registry)
