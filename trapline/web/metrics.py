"""Metrics for Prometheus: requests, pending work, annotations, the library."""

import time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from db.library.library import Counts

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Metrics of one application."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self.requests = Counter(
            "trapline_requests", "Requests answered.", ("method", "route", "status"), registry=self._registry
        )
        self.seconds = Histogram(
            "trapline_request_seconds",
            "Time to the end of an answer.",
            ("route",),
            buckets=SECONDS,
            registry=self._registry,
        )
        self.waiting = Gauge(
            "trapline_questions_waiting", "Questions that wait or are worked on.", registry=self._registry
        )
        self.annotations = Gauge(
            "trapline_annotations_running", "Uploads that are being annotated.", registry=self._registry
        )
        self.games = Counter("trapline_annotated_games", "Games read in uploads.", registry=self._registry)
        self.positions = Counter(
            "trapline_annotated_positions", "Positions judged in uploads.", registry=self._registry
        )
        self.library = Gauge(
            "trapline_library_rows", "How much the library has of something.", ("what",), registry=self._registry
        )

    def render(self, counts: Counts | None) -> bytes:
        """Metrics in Prometheus's text format; without those of the library if ``counts`` is None."""
        self.library.clear()
        if counts is not None:
            for what in ("traps", "proved", "refuted", "undecided", "games", "positions", "occurrences", "sightings"):
                self.library.labels(what).set(getattr(counts, what))
        return generate_latest(self._registry)


class MetricsMiddleware:
    """ASGI middleware that counts and times the responses of an application."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, and record its status and duration."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 500

        async def recording(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, recording)
        finally:
            # The template of the route, and one name for unknown paths: the number of labels must stay bounded.
            route = getattr(scope.get("route"), "path", "none")
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._metrics.requests.labels(method, route, str(status)).inc()
            self._metrics.seconds.labels(route).observe(time.perf_counter() - began)


_METHODS = ("GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH")
