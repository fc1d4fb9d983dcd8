"""Table, engine and automata in this process, each behind its own port as in real life."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import grpc
import msgspec
import pytest

from services.automata.app import AutomataApp
from services.table.app import TableApp
from shared.engine.app import EngineApp
from shared.eventlog.log import EventLog
from shared.eventlog.memory import MemoryEventLog
from shared.ids import new_id
from shared.server import Server
from strata.identity.v1 import identity_pb2_grpc
from strata.table.v1 import table_pb2, table_pb2_grpc
from tests.service.calling import SETTINGS, metadata
from tests.titles import WIRES

TITLE = "strange_world"


class Front:
    """The table service as clients call it."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        """Call over `channel`."""
        self.tables: Any = table_pb2_grpc.TableServiceStub(channel)
        self.identity: Any = identity_pb2_grpc.IdentityServiceStub(channel)

    async def call(self, name: str, who: str, **fields: Any) -> Any:
        """Make one call as a player; calls that change something get a fresh request id unless one is given."""
        request = getattr(table_pb2, f"{name}Request")(**fields)
        if "request_id" in request.DESCRIPTOR.fields_by_name and not fields.get("request_id"):
            request.request_id = new_id()
        return await getattr(self.tables, name)(request, metadata=metadata(who))

    async def open(self, who: str = "ann", seats: int = 2, **fields: Any) -> str:
        """Open a table and return its id."""
        answer = await self.call("CreateTable", who, title=TITLE, seat_count=seats, **fields)
        return str(answer.table.table_id)

    async def table(self, table_id: str, who: str = "ann") -> Any:
        """Return a table as a player sees it."""
        return (await self.call("GetTable", who, table_id=table_id)).table


class Elsewhere:
    """The services that the table calls, and where they are."""

    def __init__(self, engine: Server, automata: Server) -> None:
        """Know where they listen."""
        self.settings = msgspec.structs.replace(
            SETTINGS,
            engine_targets={TITLE: f"127.0.0.1:{engine.port}"},
            automata_target=f"127.0.0.1:{automata.port}",
        )


@contextlib.asynccontextmanager
async def front(log: EventLog, elsewhere: Elsewhere) -> AsyncIterator[Front]:
    """Run a table service over a log."""
    server = Server(elsewhere.settings, log, (TableApp(elsewhere.settings, log),))
    async with server, contextlib.AsyncExitStack() as stack:
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(f"127.0.0.1:{server.port}"))
        yield Front(channel)


@pytest.fixture
def log() -> MemoryEventLog:
    """An empty log."""
    return MemoryEventLog()


@pytest.fixture
async def elsewhere(log: MemoryEventLog) -> AsyncIterator[Elsewhere]:
    """An engine and the automata over `log`."""
    wires = tuple(WIRES.values())
    async with Server(SETTINGS, log, (EngineApp(wires, SETTINGS, log),)) as engine:
        settings = msgspec.structs.replace(SETTINGS, engine_targets={TITLE: f"127.0.0.1:{engine.port}"})
        async with Server(settings, log, (AutomataApp(settings, log, wires),)) as automata:
            yield Elsewhere(engine, automata)


@pytest.fixture
async def tables(log: MemoryEventLog, elsewhere: Elsewhere) -> AsyncIterator[Front]:
    """A table service over `log`."""
    async with front(log, elsewhere) as found:
        yield found
