"""A rules engine as part of a process: the titles it hosts, their typed services, and EngineService for all of them."""

from __future__ import annotations

from collections.abc import Sequence

import grpc

from shared.clock import Clock, now
from shared.config import ConfigError, Settings
from shared.engine.internal import EngineService
from shared.engine.playing import Playing
from shared.engine.servicer import TitleServicer
from shared.engine.sessions import Sessions
from shared.engine.title_wire import TitleWire
from shared.engine.watching import Hub
from shared.eventlog.log import EventLog
from strata.engine.v1 import engine_pb2


class EngineApp:
    """Hosts titles; a `shared.server.Service`."""

    open_methods: tuple[str, ...] = ()

    def __init__(self, wires: Sequence[TitleWire], settings: Settings, log: EventLog, clock: Clock = now) -> None:
        """Host these titles over `log`; raises `ConfigError` when there is no key for chance."""
        if not settings.seed_keys:
            raise ConfigError("STRATA_SEED_KEYS must name at least one key, like k1:<32 hexadecimal digits or more>")
        self.playing: dict[str, Playing] = {}
        self._hubs: list[Hub] = []
        self._servicers: list[TitleServicer] = []
        for wire in wires:
            sessions = Sessions(wire, log, settings.cache_games)
            playing = self.playing[wire.title.id] = Playing(sessions, log, settings.seed_keys, clock)
            hub = Hub(sessions, log, settings.watch_limit)
            self._hubs.append(hub)
            self._servicers.append(TitleServicer(playing, hub))
        service = engine_pb2.DESCRIPTOR.services_by_name["EngineService"].full_name
        self.names = (*(wire.service.full_name for wire in wires), service)

    def attach(self, server: grpc.aio.Server) -> None:
        """Register the typed service of each title and EngineService."""
        server.add_generic_rpc_handlers(tuple(servicer.handlers() for servicer in self._servicers))
        EngineService(self.playing).attach(server)

    async def start(self) -> None:
        """Begin to follow the feed."""
        for hub in self._hubs:
            await hub.start()

    async def stop(self) -> None:
        """End every watch."""
        for hub in self._hubs:
            await hub.stop()
