"""The figures of a host's requests for Prometheus; needs the extra `serving`."""

from __future__ import annotations

from trainee_bench.mcp_servers.serving.prometheus import ServerFigures


class RequestMetrics(ServerFigures):
    """The metrics of one host."""

    prefix = "trainee_bench_http"

    def __init__(self) -> None:
        super().__init__()
        self._requests = self._counter("requests", "Answered requests", ("status",))
        self._times = self._seconds("request_seconds", "Time of a request")
        self.open = self._gauge("requests_open", "Requests in progress")
        self.draining = self._gauge("draining", "1 while the server ends")

    def answered(self, status: int, seconds: float) -> None:
        """Count a request that was answered with *status* after *seconds*."""
        self._requests.labels(str(status)).inc()
        self._times.observe(seconds)
