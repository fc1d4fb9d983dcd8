"""What operators can count: calls, appends, folds and watchers, in the Prometheus format."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram, start_http_server

CALLS = Counter("strata_calls_total", "Finished calls", ("method", "code"))
CALL_SECONDS = Histogram(
    "strata_call_seconds",
    "Duration of unary calls",
    ("method",),
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5),
)
APPENDS = Counter("strata_appends_total", "Commits appended", ("title",))
CONFLICTS = Counter("strata_append_conflicts_total", "Appends that found another commit in their place", ("title",))
FOLDED = Counter("strata_games_folded_total", "Games rebuilt from their stream", ("title",))
CACHED = Gauge("strata_games_cached", "Games kept folded", ("title",))
WATCHERS = Gauge("strata_watchers", "Open watch streams", ("title",))
HALTED = Counter("strata_games_halted_total", "Games stopped because their stream is damaged", ("title",))


def serve(listen: str) -> None:
    """Offer the metrics over HTTP on host:port; nothing happens when `listen` is empty."""
    if listen:
        host, _, port = listen.rpartition(":")
        start_http_server(int(port), addr=host)
