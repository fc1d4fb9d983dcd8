"""When the store fails or lies: the game concerned stops, nothing else does, and what can come back does."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import grpc
import msgspec
from grpc_health.v1 import health_pb2, health_pb2_grpc

from shared.eventlog.log import Entry, StreamKey, Unavailable
from shared.eventlog.memory import MemoryEventLog
from strata.strange_world.v1 import service_pb2
from tests.service.calling import metadata, refused
from tests.service.engine.conftest import WIRE, Engine, running

Code = grpc.StatusCode


class Shaky(MemoryEventLog):
    """A log that can be away, can be doubtful, and whose past can be changed."""

    def __init__(self) -> None:
        """Start healthy."""
        super().__init__()
        self.away = False
        self.doubts: list[str] = []

    async def append(self, key: StreamKey, title: str, entry: Entry) -> None:
        """Write, unless away."""
        self._refuse_if_away()
        await super().append(key, title, entry)

    async def read(self, key: StreamKey, after: int = 0, limit: int | None = None) -> list[Entry]:
        """Read, unless away."""
        self._refuse_if_away()
        return await super().read(key, after, limit)

    async def check(self) -> list[str]:
        """Say what is doubtful, unless away."""
        self._refuse_if_away()
        return self.doubts

    def rewrite(self, game: str, entries: Sequence[Entry]) -> None:
        """Put other entries in the place of a game's."""
        self._streams[StreamKey("game", game)] = list(entries)

    def _refuse_if_away(self) -> None:
        if self.away:
            raise Unavailable("the store is away")


async def health(engine: Engine) -> int:
    """Return the server's health."""
    stub: Any = health_pb2_grpc.HealthStub(engine.channel)
    return int((await stub.Check(health_pb2.HealthCheckRequest())).status)


async def until(engine: Engine, status: int) -> None:
    """Wait until the server's health is this."""
    for _ in range(100):
        if await health(engine) == status:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"health did not become {status}")


async def test_a_store_that_goes_and_comes_back() -> None:
    """Calls are UNAVAILABLE and health NOT_SERVING while it is away; afterwards nothing is lost or repeated."""
    log = Shaky()
    async with running(log) as engine:
        game = await engine.create(2)
        action = (await engine.legal(game, 0))[0]
        log.away = True
        with refused(Code.UNAVAILABLE, "STORE_UNAVAILABLE"):
            await engine.act(game, 0, action, "once")
        with refused(Code.UNAVAILABLE, "STORE_UNAVAILABLE"):
            await engine.view(game)
        await until(engine, health_pb2.HealthCheckResponse.NOT_SERVING)
        log.away = False
        await until(engine, health_pb2.HealthCheckResponse.SERVING)
        assert (await engine.act(game, 0, action, "once")).commit.version == 2


async def test_a_doubtful_store_is_told_with_health() -> None:
    """What the store's settings put at risk comes with each health answer."""
    log = Shaky()
    log.doubts = ["it keeps nothing on disk"]
    async with running(log) as engine:
        stub: Any = health_pb2_grpc.HealthStub(engine.channel)
        call = stub.Check(health_pb2.HealthCheckRequest())
        assert (await call).status == health_pb2.HealthCheckResponse.SERVING
        assert ("strata-warning", "it keeps nothing on disk") in tuple(await call.trailing_metadata())


async def test_a_torn_entry_stops_that_game_alone() -> None:
    """Bytes that are no commit are DATA_LOSS for their game; another game is not touched."""
    log = Shaky()
    async with running(log) as engine:
        bad, good = await engine.create(2), await engine.create(2)
        entries = await log.read(StreamKey("game", bad))
        log.rewrite(bad, [msgspec.structs.replace(entries[0], data=b"\xff\xff\xff")])
    async with running(log) as engine:
        with refused(Code.DATA_LOSS, "GAME_DAMAGED"):
            await engine.view(bad)
        assert await engine.play(good) > 0


async def test_a_changed_past_is_noticed() -> None:
    """Changing any field of an old entry breaks the chain of digests."""
    log = Shaky()
    async with running(log) as engine:
        game = await engine.create(2)
        await engine.play(game, 3)
    entries = await log.read(StreamKey("game", game))
    for change in ({"seat": 1}, {"at": 1}, {"caller": "player:eve"}, {"request": "x"}, {"data": entries[0].data}):
        log.rewrite(game, [entries[0], msgspec.structs.replace(entries[1], **change), *entries[2:]])
        async with running(log) as engine:
            with refused(Code.DATA_LOSS, "GAME_DAMAGED"):
                await engine.view(game)


async def test_an_unknown_event_stops_that_game_alone() -> None:
    """An event of a newer version is UNAVAILABLE here; the game opens again once it is known."""
    log = Shaky()
    async with running(log) as engine:
        game, other = await engine.create(2), await engine.create(2)
        entries = await log.read(StreamKey("game", game))
        newer = WIRE.message("Commit").FromString(entries[0].data)
        newer.events.add().MergeFromString(b"\xba\x3e\x00")  # type: ignore[attr-defined] # field 999 of the union
        log.rewrite(game, [msgspec.structs.replace(entries[0], data=newer.SerializeToString())])
    async with running(log) as engine:
        with refused(Code.UNAVAILABLE, "GAME_UNREADABLE"):
            await engine.view(game)
        assert (await engine.view(other)).version == 1
        log.rewrite(game, entries)
        assert (await engine.view(game)).version == 1


async def test_a_head_that_went_back_halts_the_game() -> None:
    """A store that lost acknowledged commits is found out by the process that remembers them: no version is reused."""
    log = Shaky()
    async with running(log) as engine:
        game = await engine.create(2)
        first = (await engine.legal(game, 0))[0]
        await engine.act(game, 0, first)
        second = (await engine.legal(game, 1))[0]
        log.rewrite(game, (await log.read(StreamKey("game", game)))[:1])
        with refused(Code.DATA_LOSS, "GAME_DAMAGED"):
            await engine.act(game, 1, second)
        with refused(Code.DATA_LOSS, "GAME_DAMAGED"):
            await engine.act(game, 1, second)
        assert len(await log.read(StreamKey("game", game))) == 1


async def test_a_stream_that_ends_before_what_the_feed_told_halts_the_game() -> None:
    """A process that heard of version 2 from the feed and finds the stream at version 1 does not go on from there."""
    log = Shaky()
    async with running(log) as one, running(log) as two:
        game = await one.create(2)
        assert (await two.view(game)).version == 1
        whole = await log.read(StreamKey("game", game))
        await one.act(game, 0, (await one.legal(game, 0))[0])
        log.rewrite(game, whole)
        second = (await one.legal(game, 1))[0]
        await asyncio.sleep(0.1)
        with refused(Code.DATA_LOSS, "GAME_DAMAGED"):
            await two.act(game, 1, second)


async def test_watchers_of_a_damaged_game_are_told() -> None:
    """A watch stream ends with DATA_LOSS when its game is halted."""
    log = Shaky()
    async with running(log) as engine:
        game = await engine.create(2)
        stream = engine.titles.WatchGame(service_pb2.WatchGameRequest(game_id=game), metadata=metadata("x"))
        await anext(aiter(stream))
        action = (await engine.legal(game, 0))[0]
        await engine.act(game, 0, action)
        await anext(aiter(stream))
        second = (await engine.legal(game, 1))[0]
        log.rewrite(game, (await log.read(StreamKey("game", game)))[:1])
        with refused(Code.DATA_LOSS, "GAME_DAMAGED"):
            await engine.act(game, 1, second)
        with refused(Code.DATA_LOSS, "GAME_DAMAGED"):
            await asyncio.wait_for(anext(aiter(stream)), 5)
