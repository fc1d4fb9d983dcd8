"""How our own clients connect: services to each other, the command line to a server."""

from __future__ import annotations

import grpc

PING_SECONDS = 20
OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    # A peer that went away without a word is noticed, also while nothing is said.
    ("grpc.keepalive_time_ms", PING_SECONDS * 1_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    # Views and pages of history may exceed the default of 4 MiB.
    ("grpc.max_receive_message_length", 64 << 20),
    # A machine's web proxy has no business between this process and a server that was named by address.
    ("grpc.enable_http_proxy", 0),
)


def connect(target: str) -> grpc.aio.Channel:
    """Return a channel to host:port, in plain text; it connects when it is first used."""
    return grpc.aio.insecure_channel(target, options=OPTIONS)
