"""The table service as part of a process: tables, the lobby, starting games, guest tokens."""

from __future__ import annotations

import grpc

from services.table.elsewhere import Elsewhere
from services.table.identity import IdentityService
from services.table.lobby import Lobby
from services.table.names import Names
from services.table.servicer import TableService
from services.table.starting import Starting
from services.table.tables import Tables
from shared.auth import Tokens
from shared.clock import Clock, now
from shared.config import Settings
from shared.eventlog.log import EventLog
from strata.identity.v1 import identity_pb2, identity_pb2_grpc
from strata.table.v1 import table_pb2, table_pb2_grpc

_IDENTITY = identity_pb2.DESCRIPTOR.services_by_name["IdentityService"].full_name
_TABLE = table_pb2.DESCRIPTOR.services_by_name["TableService"].full_name


class TableApp:
    """Gathers players and starts games; a `shared.server.Service`."""

    names: tuple[str, ...] = (_TABLE, _IDENTITY)
    open_methods: tuple[str, ...] = (f"/{_IDENTITY}/",)

    def __init__(self, settings: Settings, log: EventLog, clock: Clock = now) -> None:
        """Keep tables in `log`; engines and automata are where the settings say."""
        tables = Tables(log, clock)
        self._elsewhere = Elsewhere(settings, clock)
        self._lobby = Lobby(tables, log)
        self._starting = Starting(tables, self._lobby, self._elsewhere, clock)
        names = Names(settings.auth_key)
        self._tables = TableService(tables, self._lobby, self._starting, self._elsewhere, names, clock)
        self._identity = IdentityService(Tokens(settings.auth_key, clock), settings.token_seconds)

    def attach(self, server: grpc.aio.Server) -> None:
        """Register TableService and IdentityService."""
        table_pb2_grpc.add_TableServiceServicer_to_server(self._tables, server)
        identity_pb2_grpc.add_IdentityServiceServicer_to_server(self._identity, server)

    async def start(self) -> None:
        """Read the lobby, then look for starts to finish."""
        await self._lobby.start()
        await self._starting.start()

    async def stop(self) -> None:
        """End every watch and let go of the other services."""
        await self._starting.stop()
        await self._lobby.stop()
        await self._elsewhere.close()
