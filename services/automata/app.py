"""The automata as part of a process: they say which brains there are, and play wherever one holds a seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import grpc

from services.automata.answering import Hosted
from services.automata.brains import brains_of
from services.automata.driver import Driver
from services.automata.submitting import Badge, Engine
from services.automata.thinking import Thinker
from shared.auth import caller
from shared.channel import connect
from shared.clock import Clock, now
from shared.config import ConfigError, Settings
from shared.engine.title_wire import TitleWire
from shared.errors import Fault, Problem
from shared.eventlog.log import EventLog
from strata.automata.v1 import automata_pb2, automata_pb2_grpc


class AutomataApp(automata_pb2_grpc.AutomataServiceServicer):
    """Plays the seats of automata; a `shared.server.Service`."""

    names: tuple[str, ...] = (automata_pb2.DESCRIPTOR.services_by_name["AutomataService"].full_name,)
    open_methods: tuple[str, ...] = ()

    def __init__(
        self,
        settings: Settings,
        log: EventLog,
        wires: Sequence[TitleWire],
        clock: Clock = now,
    ) -> None:
        """Play these titles; raises `ConfigError` when the settings do not say where the engine of one is."""
        missing = [wire.title.id for wire in wires if wire.title.id not in settings.engine_targets]
        if missing:
            raise ConfigError(
                f"STRATA_ENGINE_TARGETS must say where the engine of {missing[0]} is, {missing[0]}=host:port"
            )
        self._settings = settings
        self._log = log
        self._wires = {wire.title.id: wire for wire in wires}
        self._clock = clock
        self._thinker = Thinker(settings.auth_key)
        self._channels: list[grpc.aio.Channel] = []
        self._driver: Driver | None = None

    def attach(self, server: grpc.aio.Server) -> None:
        """Register the service."""
        automata_pb2_grpc.add_AutomataServiceServicer_to_server(self, server)

    async def start(self) -> None:
        """Begin to play."""
        badge = Badge(self._settings.auth_key, self._clock)
        hosted: dict[str, Hosted] = {}
        for title, wire in self._wires.items():
            channel = connect(self._settings.engine_targets[title])
            self._channels.append(channel)
            hosted[title] = Hosted(wire, Engine(wire, channel, badge))
        self._driver = Driver(self._log, hosted, self._thinker, self._settings.brain_delay_ms / 1000)
        self._driver.start()

    async def stop(self) -> None:
        """Stop playing at once."""
        if self._driver is not None:
            await self._driver.stop()
        self._thinker.close()
        for channel in self._channels:
            await channel.close()

    async def ListBrains(self, request: automata_pb2.ListBrainsRequest, _: Any) -> automata_pb2.ListBrainsResponse:
        """List the brains of a title, or of all."""
        caller()
        if request.title and request.title not in self._wires:
            raise Problem(Fault.UNKNOWN_TITLE, f"the automata here play {', '.join(self._wires)}, nothing else")
        titles = (request.title,) if request.title else tuple(self._wires)
        found = [(title, name, brain) for title in titles for name, brain in brains_of(title).items()]
        brains = [automata_pb2.Brain(title=title, brain=name, about=brain.about) for title, name, brain in found]
        return automata_pb2.ListBrainsResponse(brains=brains)
