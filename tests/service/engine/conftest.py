"""A rules engine in this process, spoken to over real gRPC on a loopback port."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from services.strange_world.app import wire as strange_world_wire
from shared.auth import Role
from shared.config import Settings
from shared.engine.app import EngineApp
from shared.engine.title_wire import Commit
from shared.eventlog.log import Entry, EventLog, StreamKey
from shared.eventlog.memory import MemoryEventLog
from shared.ids import new_id
from shared.server import Server
from strata.common.v1 import common_pb2
from strata.engine.v1 import engine_pb2, engine_pb2_grpc
from strata.strange_world.v1 import actions_pb2, service_pb2, service_pb2_grpc
from tests.service.calling import SETTINGS, metadata

TITLE = "strange_world"
WIRE = strange_world_wire()


class Engine:
    """One engine process: a server and the stubs that speak to it."""

    def __init__(self, server: Server, channel: grpc.aio.Channel) -> None:
        """Speak to `server` over `channel`."""
        self.server = server
        self.channel = channel
        self.titles: Any = service_pb2_grpc.StrangeWorldServiceStub(channel)
        self.internal: Any = engine_pb2_grpc.EngineServiceStub(channel)

    async def create(
        self, seats: int, game_id: str = "", *, private: bool = False, options: dict[str, str] | None = None
    ) -> str:
        """Start a game for players p0, p1 … and return its id."""
        game_id = game_id or new_id()
        request = engine_pb2.CreateGameRequest(
            title=TITLE,
            game_id=game_id,
            table_id="t1",
            seats=[
                common_pb2.Seat(seat=seat, player=common_pb2.Player(player_id=f"p{seat}", display_name=f"P{seat}"))
                for seat in range(seats)
            ],
            options=options,
            key_id="k1",
            entropies=[b"%d" % seat for seat in range(seats)],
            private=private,
        )
        await self.internal.CreateGame(request, metadata=metadata("table", Role.SERVICE))
        return game_id

    async def view(self, game_id: str, seat: int | None = None, version: int | None = None, who: str = "") -> Any:
        """Return GetView's answer, as the holder of the seat or a stranger."""
        request = service_pb2.GetViewRequest(game_id=game_id, seat=seat, version=version)
        return await self.titles.GetView(request, metadata=metadata(who or ("x" if seat is None else f"p{seat}")))

    async def legal(self, game_id: str, seat: int) -> list[actions_pb2.Action]:
        """Return a seat's legal actions."""
        request = service_pb2.ListLegalActionsRequest(game_id=game_id, seat=seat)
        return list((await self.titles.ListLegalActions(request, metadata=metadata(f"p{seat}"))).actions)

    async def act(self, game_id: str, seat: int, action: Any, request_id: str = "", **more: Any) -> Any:
        """Submit an action as the holder of the seat."""
        request = service_pb2.SubmitActionRequest(
            game_id=game_id, seat=seat, action=action, request_id=request_id or new_id(), **more
        )
        return await self.titles.SubmitAction(request, metadata=metadata(f"p{seat}"))

    async def step(self, game_id: str) -> Any:
        """Let the first seat that must act take its first legal action; None when the game is over."""
        decision = (await self.view(game_id)).decision
        if not decision.seats:
            return None
        seat = decision.seats[0]
        return await self.act(game_id, seat, (await self.legal(game_id, seat))[0])

    async def play(self, game_id: str, steps: int = 1_000) -> int:
        """Play on with first legal actions, at most so many; return how many were played."""
        for done in range(steps):
            if await self.step(game_id) is None:
                return done
        return steps


@contextlib.asynccontextmanager
async def running(log: EventLog, settings: Settings = SETTINGS) -> AsyncIterator[Engine]:
    """Run an engine over a log."""
    app = EngineApp((WIRE,), settings, log)
    server = Server(settings, log, (app,))
    async with server, contextlib.AsyncExitStack() as stack:
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(f"127.0.0.1:{server.port}"))
        yield Engine(server, channel)


@pytest.fixture
def log() -> MemoryEventLog:
    """An empty log."""
    return MemoryEventLog()


@pytest.fixture
async def engine(log: MemoryEventLog) -> AsyncIterator[Engine]:
    """An engine over `log`."""
    async with running(log) as engine:
        yield engine


async def append_platform_event(log: MemoryEventLog, game: str, event: Any) -> None:
    """Write a commit of the platform's to a game, as the table will."""
    entries = await log.read(StreamKey("game", game))
    last = entries[-1]
    commit: Any = Commit(
        version=last.version + 1, at=last.at, seat=None, events=(), platform_events=(event,), action=None, draws=()
    )
    entry = Entry(
        version=last.version + 1,
        at=last.at,
        action="replace_seat",
        seat=None,
        caller="service:table",
        request=f"replace-{last.version}",
        body=b"",
        schema=WIRE.schema,
        status="playing",
        waiting=last.waiting,
        deadline=None,
        before=last.digest(),
        data=WIRE.stored(commit),
    )
    await log.append(StreamKey("game", game), "strange_world", entry)
