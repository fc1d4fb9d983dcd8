"""Starting and stopping a gRPC server, the same for every service: health, reflection, interceptor, signals.

A process hosts one or more `Service`s on one port. Its health follows the store: NOT_SERVING while the log cannot be
reached, and every doubt about how the store is configured is logged loudly and sent along with each health answer as
`strata-warning` metadata.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
from collections.abc import AsyncIterator, Sequence
from typing import Any, Protocol, Self

import grpc
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer
from grpc_reflection.v1alpha import reflection

from shared.auth import Tokens
from shared.config import Settings
from shared.eventlog.log import EventLog, Unavailable
from shared.interceptor import Guard

_log = structlog.get_logger("server")
_PROBE_SECONDS = 1.0
_DRAIN_SECONDS = 5.0
_OPTIONS = (
    ("grpc.max_receive_message_length", 4_194_304),
    ("grpc.so_reuseport", 0),
    # Clients may ping every five seconds, as phones behind routers must; we ping too, so that a watcher that went away
    # without a word does not keep its place.
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
)
_SERVING = health_pb2.HealthCheckResponse.SERVING
_NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


class Service(Protocol):
    """One part of a process: gRPC services it answers for, and work it does on its own."""

    names: tuple[str, ...]
    open_methods: tuple[str, ...]

    def attach(self, server: grpc.aio.Server) -> None:
        """Register the gRPC handlers."""

    async def start(self) -> None:
        """Begin background work; called before the server answers."""

    async def stop(self) -> None:
        """End background work; watch streams end with SHUTTING_DOWN. Called before the server drains."""


class _Health(HealthServicer):
    """Health that also says what is doubtful about the store."""

    warnings: tuple[str, ...] = ()

    async def Check(self, request: Any, context: Any) -> Any:
        if self.warnings:
            context.set_trailing_metadata(tuple(("strata-warning", warning) for warning in self.warnings))
        return await super().Check(request, context)


class Server:
    """One listening process part; `async with Server(...)` starts and drains it. `port` is known once started."""

    def __init__(self, settings: Settings, log: EventLog, services: Sequence[Service]) -> None:
        """Host `services` as `settings` say, over `log`."""
        self._settings = settings
        self._log = log
        self._services = services
        self._health = _Health()
        self._probe: asyncio.Task[None] | None = None
        self.port = 0
        open_methods = tuple(method for service in services for method in service.open_methods)
        guard = Guard(Tokens(settings.auth_key), settings.message_limit, open_methods)
        self._server = grpc.aio.server(interceptors=(guard,), options=_OPTIONS)

    @property
    def names(self) -> tuple[str, ...]:
        """Full names of the hosted gRPC services."""
        return tuple(name for service in self._services for name in service.names)

    async def start(self) -> None:
        """Start the services, then listen; raises OSError when the address is taken."""
        for service in self._services:
            service.attach(self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        if self._settings.reflection:
            names = (*self.names, health_pb2.DESCRIPTOR.services_by_name["Health"].full_name, reflection.SERVICE_NAME)
            reflection.enable_server_reflection(names, self._server)
        try:
            self.port = self._server.add_insecure_port(self._settings.listen)
        except RuntimeError as error:
            raise OSError(f"cannot listen on {self._settings.listen}: is something else running there?") from error
        self._health.warnings = tuple(await self._log.check())
        for warning in self._health.warnings:
            _log.warning("store_may_lose_games", detail=warning)
        for service in self._services:
            await service.start()
        await self._server.start()
        await self._set_health(_SERVING)
        self._probe = asyncio.create_task(self._watch_store())

    async def stop(self) -> None:
        """Turn NOT_SERVING, end the services' own work, let running calls finish."""
        if self._probe:
            self._probe.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._probe
        await self._set_health(_NOT_SERVING)
        for service in reversed(self._services):
            await service.stop()
        await self._server.stop(_DRAIN_SECONDS)

    async def __aenter__(self) -> Self:
        """Start."""
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Drain."""
        await self.stop()

    async def _set_health(self, status: Any) -> None:
        for name in ("", *self.names):
            await self._health.set(name, status)

    async def _watch_store(self) -> None:
        """Let health follow the store."""
        serving = True
        while True:
            await asyncio.sleep(_PROBE_SECONDS)
            try:
                self._health.warnings = tuple(await self._log.check())
                reachable = True
            except Unavailable:
                reachable = False
            except Exception:  # noqa: BLE001 - whatever it was, the store must be asked again
                _log.exception("store_refused_a_question")
                continue
            if reachable != serving:
                serving = reachable
                _log.log(30 if not serving else 20, "store_reachable" if serving else "store_unreachable")
                await self._set_health(_SERVING if serving else _NOT_SERVING)


def settle() -> None:
    """Tell the garbage collector that what a process has loaded stays, and that cycles are rare.

    Folded games are many small structs without cycles; left to its defaults the collector looks at all of them again
    and again, for a fifth of a command's cost.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)


@contextlib.asynccontextmanager
async def stop_signals() -> AsyncIterator[asyncio.Event]:
    """Give an event that is set by Ctrl-C or SIGTERM."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    try:
        yield stopped
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
