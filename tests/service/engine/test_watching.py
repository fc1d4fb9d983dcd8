"""Watching: what was missed, then what happens, nothing twice, for as long as one may look."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import msgspec
import pytest

from shared import server
from shared.engine.platform import Automaton, Seat, SeatReplaced
from shared.eventlog.memory import MemoryEventLog
from strata.strange_world.v1 import service_pb2
from tests.service.calling import SETTINGS, metadata, refused
from tests.service.engine.conftest import Engine, append_platform_event, running

Code = grpc.StatusCode


def watch(engine: Engine, game: str, who: str, seat: int | None = None, **more: Any) -> AsyncIterator[Any]:
    """Open a watch stream."""
    request = service_pb2.WatchGameRequest(game_id=game, seat=seat, **more)
    return aiter(engine.titles.WatchGame(request, metadata=metadata(who)))


async def collect(stream: AsyncIterator[Any]) -> list[Any]:
    """Read a stream to its end."""
    return [message async for message in stream]


def versions(messages: list[Any]) -> list[int]:
    """Return the versions of all commits in some messages."""
    return [commit.version for message in messages for commit in message.commits]


async def test_a_watcher_sees_every_commit_once(engine: Engine) -> None:
    """A stream opened before the first action ends with the game and holds versions 1 … n without gap or repeat."""
    game = await engine.create(2)
    watching = asyncio.create_task(collect(watch(engine, game, "p0", 0)))
    played = await engine.play(game)
    messages = await asyncio.wait_for(watching, 10)
    assert versions(messages) == list(range(1, played + 2))
    assert messages[-1].result.standings


async def test_a_watcher_resumes_by_version(engine: Engine) -> None:
    """Who saw version 5 asks for what came after it and gets 6, 7, …"""
    game = await engine.create(2)
    played = await engine.play(game, 9)
    stream = watch(engine, game, "x", after_version=5)
    first = await anext(stream)
    assert versions([first]) == list(range(6, played + 2))
    await engine.step(game)
    assert versions([await anext(stream)]) == [played + 2]


async def test_a_watcher_elsewhere_sees_a_commit_made_here(log: MemoryEventLog) -> None:
    """A commit made in one engine process reaches a watcher on another."""
    async with running(log) as one, running(log) as two:
        game = await one.create(2)
        stream = watch(two, game, "x", after_version=1)
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0.05)
        await one.step(game)
        assert versions([await asyncio.wait_for(waiting, 5)]) == [2]


async def test_the_view_comes_along_if_asked_for(engine: Engine) -> None:
    """Each message's view is the one GetView gives at the message's last version."""
    game = await engine.create(2)
    stream = watch(engine, game, "p1", 1, include_view=True)
    message = await anext(stream)
    assert message.view == (await engine.view(game, 1, version=1)).view
    await engine.step(game)
    message = await anext(stream)
    assert message.view == (await engine.view(game, 1)).view
    assert message.decision == (await engine.view(game, 1)).decision


async def test_a_finished_game_is_told_and_over(engine: Engine) -> None:
    """Watching a finished game gives its whole record and ends."""
    game = await engine.create(1)
    played = await engine.play(game)
    messages = await asyncio.wait_for(collect(watch(engine, game, "x")), 5)
    assert versions(messages) == list(range(1, played + 2))


async def test_the_former_holder_of_a_seat_sees_no_more(engine: Engine, log: MemoryEventLog) -> None:
    """When somebody else takes a seat over, the stream of who held it ends with NOT_YOUR_SEAT."""
    game = await engine.create(2)
    stream = watch(engine, game, "p0", 0)
    assert versions([await anext(stream)]) == [1]
    await append_platform_event(log, game, SeatReplaced(Seat(0, Automaton("random"))))
    with refused(Code.PERMISSION_DENIED, "NOT_YOUR_SEAT"):
        await asyncio.wait_for(anext(stream), 5)
    with refused(Code.PERMISSION_DENIED, "NOT_YOUR_SEAT"):
        await engine.view(game, 0)


async def test_a_private_game_is_not_for_strangers(engine: Engine) -> None:
    """Only holders of a seat may look at a private game, as the seat or as spectators."""
    game = await engine.create(2, private=True)
    with refused(Code.PERMISSION_DENIED, "NOT_ALLOWED"):
        await engine.view(game, who="x")
    with refused(Code.PERMISSION_DENIED, "NOT_ALLOWED"):
        await anext(watch(engine, game, "x"))
    assert (await engine.view(game, who="p1")).version == 1


async def test_watch_streams_are_counted(log: MemoryEventLog) -> None:
    """With room for two watchers the third is TOO_MANY; when one goes, another may come."""
    async with running(log, msgspec.structs.replace(SETTINGS, watch_limit=2)) as engine:
        game = await engine.create(2)
        calls = [
            engine.titles.WatchGame(service_pb2.WatchGameRequest(game_id=game), metadata=metadata("x")) for _ in "ab"
        ]
        for call in calls:
            await anext(aiter(call))
        with refused(Code.RESOURCE_EXHAUSTED, "TOO_MANY"):
            await anext(watch(engine, game, "x"))
        calls[0].cancel()
        await asyncio.sleep(0.1)
        assert versions([await anext(watch(engine, game, "x"))]) == [1]


async def test_a_stopping_server_says_so(log: MemoryEventLog) -> None:
    """Streams that are open when a server stops end with SHUTTING_DOWN, so that clients go elsewhere."""
    async with running(log) as engine:
        game = await engine.create(2)
        stream = watch(engine, game, "x")
        await anext(stream)
        ending = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0.05)
        await engine.server.stop()
        with refused(Code.UNAVAILABLE, "SHUTTING_DOWN"):
            await asyncio.wait_for(ending, 5)


async def test_one_caller_cannot_take_every_place(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has as many streams open as one caller may is TOO_MANY; somebody else still may watch."""
    monkeypatch.setattr("shared.engine.watching._STREAMS_PER_CALLER", 2)
    game = await engine.create(2)
    streams = [watch(engine, game, "x"), watch(engine, game, "x")]
    for stream in streams:
        await anext(stream)
    with refused(Code.RESOURCE_EXHAUSTED, "TOO_MANY"):
        await anext(watch(engine, game, "x"))
    assert versions([await anext(watch(engine, game, "y"))]) == [1]


def test_a_watcher_may_ping() -> None:
    """Clients may ping every five seconds while they wait; gRPC's own default is five minutes."""
    options = dict(server._OPTIONS)
    assert options["grpc.http2.min_ping_interval_without_data_ms"] <= 5_000
    assert options["grpc.keepalive_permit_without_calls"] == 1
