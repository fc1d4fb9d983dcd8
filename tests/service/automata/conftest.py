"""Automata and a rules engine over one log, spoken to over real gRPC on loopback ports."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec
import pytest

from services.automata.answering import Hosted
from services.automata.brains import Brain
from services.automata.driver import Driver
from services.automata.submitting import Badge, Engine
from services.automata.thinking import Thinker
from shared.auth import Role
from shared.channel import connect
from shared.clock import now
from shared.engine.game import Game, replay
from shared.engine.platform import Status
from shared.eventlog.log import Entry, EventLog, StreamKey
from shared.eventlog.memory import MemoryEventLog
from strata.common.v1 import common_pb2
from strata.engine.v1 import engine_pb2
from tests.service.calling import AUTH_KEY, SETTINGS, metadata
from tests.service.engine.conftest import TITLE, WIRE, running
from tests.service.engine.conftest import Engine as Server

Brains = Mapping[str, Brain]


async def create(server: Server, *seats: str, game_id: str) -> StreamKey:
    """Start a game; a seat is the name of a brain, or "" for player p<seat>."""
    request = engine_pb2.CreateGameRequest(
        title=TITLE,
        game_id=game_id,
        table_id="t1",
        seats=[_seat(number, brain) for number, brain in enumerate(seats)],
        key_id="k1",
        entropies=[b"%d" % number for number in range(len(seats))],
    )
    await server.internal.CreateGame(request, metadata=metadata("table", Role.SERVICE))
    return StreamKey("game", game_id)


def _seat(number: int, brain: str) -> common_pb2.Seat:
    if brain:
        return common_pb2.Seat(seat=number, automaton=common_pb2.Automaton(brain=brain))
    return common_pb2.Seat(seat=number, player=common_pb2.Player(player_id=f"p{number}", display_name=f"P{number}"))


@contextlib.asynccontextmanager
async def driving(
    log: EventLog, target: str, brains: Brains | None = None, delay: float = 0.0, idle: float = 5.0
) -> AsyncIterator[Driver]:
    """Run one driver, as a process of its own would; leaving it is as sudden as a crash, but for the connection."""
    thinker = Thinker(AUTH_KEY, None if brains is None else {TITLE: brains})
    async with connect(target) as channel:
        hosted = {TITLE: Hosted(WIRE, Engine(WIRE, channel, Badge(AUTH_KEY, now)))}
        driver = Driver(log, hosted, thinker, delay, idle)
        driver.start()
        try:
            yield driver
        finally:
            await driver.stop()
            thinker.close()


async def until(reached: Callable[[], Awaitable[Any]], seconds: float = 30.0) -> Any:
    """Wait until `reached` gives something true, and return it."""
    async with asyncio.timeout(seconds):
        while not (found := await reached()):  # noqa: ASYNC110 - what is waited for may be in another process
            await asyncio.sleep(0.01)
        return found


async def folded(log: EventLog, key: StreamKey) -> Game:
    """Return a game as its stream has it."""
    return replay(WIRE, await log.read(key))


async def finished(log: EventLog, key: StreamKey) -> list[Entry]:
    """Wait for a game to end and return its stream."""

    async def over() -> bool:
        head = await log.head(key)
        return head is not None and head.status == Status.OVER.value

    await until(over)
    return await log.read(key)


def played(entries: Sequence[Entry]) -> list[tuple[int | None, bytes]]:
    """Return what was played: seat and commit of every entry, without times."""
    return [(entry.seat, entry.data) for entry in entries]


@pytest.fixture
def log() -> MemoryEventLog:
    """An empty log."""
    return MemoryEventLog()


@pytest.fixture
async def server(log: MemoryEventLog) -> AsyncIterator[Server]:
    """An engine over `log`."""
    async with running(log) as server:
        yield server


@pytest.fixture
def target(server: Server) -> str:
    """Where the engine listens."""
    return f"127.0.0.1:{server.server.port}"


def settings_for(target: str) -> Any:
    """Return settings of a process whose engine is at `target`."""
    return msgspec.structs.replace(SETTINGS, engine_targets={TITLE: target})
