"""Engines whose store, rivals or keys turn against them: a whole game goes on, a broken one stops and is reported."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import msgspec
import pytest
import redis
from grpc_health.v1 import health_pb2, health_pb2_grpc

from shared.clock import now
from shared.config import SeedKey
from shared.engine.app import EngineApp
from shared.engine.sessions import Sessions
from shared.errors import Problem, reason_of
from shared.eventlog import EmbeddedStore, RedisEventLog
from shared.eventlog.keys import Keys
from shared.eventlog.log import Entry, LogError, StreamKey, Unavailable
from shared.eventlog.memory import MemoryEventLog
from shared.server import Server
from strata.strange_world.v1 import service_pb2
from tests.service.calling import SETTINGS, metadata, refused
from tests.service.engine.conftest import WIRE, Engine, running

Code = grpc.StatusCode
_GONE = health_pb2.HealthCheckResponse.NOT_SERVING


class LateReplies(MemoryEventLog):
    """A log whose next read is answered by the store at once, but heard only when `hold` is set."""

    hold: asyncio.Event | None = None
    answered: asyncio.Event | None = None

    async def read(self, key: StreamKey, after: int = 0, limit: int | None = None) -> list[Entry]:
        """Read, and be late."""
        entries = await super().read(key, after, limit)
        hold, self.hold = self.hold, None
        if hold is not None:
            if self.answered is not None:
                self.answered.set()
            await hold.wait()
        return entries


class Refusing(MemoryEventLog):
    """A log whose `check` fails in whatever way it is told to."""

    failure: LogError | None = None

    async def check(self) -> list[str]:
        """Fail, if told so."""
        if self.failure is not None:
            raise self.failure
        return []


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    embedded = EmbeddedStore(tmp_path)
    embedded.start()
    yield embedded
    embedded.stop()


async def test_a_whole_game_is_not_halted_when_another_engine_moves_it_during_a_read() -> None:
    """The feed tells of version 2 while a read that the store answered at version 1 is under way: nothing is wrong."""
    log = LateReplies()
    async with running(log) as one, running(log) as two:
        game = await one.create(2)
        await two.view(game)
        action = (await one.legal(game, 0))[0]
        log.hold, log.answered = asyncio.Event(), asyncio.Event()
        held, answered = log.hold, log.answered
        looking = asyncio.create_task(two.view(game))
        await asyncio.wait_for(answered.wait(), 3)
        await one.act(game, 0, action)
        await asyncio.sleep(0.1)
        held.set()
        assert (await looking).version in {1, 2}
        assert (await two.view(game)).version == 2


async def test_one_request_with_two_bodies_at_two_engines_is_carried_out_once() -> None:
    """Whichever engine is first wins; the other one finds the request used for something else."""
    log = MemoryEventLog()
    async with running(log) as one, running(log) as two:
        game = await one.create(2)
        await two.view(game)
        first, second, *_ = await one.legal(game, 0)
        answers = await asyncio.gather(
            one.act(game, 0, first, "same"), two.act(game, 0, second, "same"), return_exceptions=True
        )
    (error,) = [answer for answer in answers if isinstance(answer, grpc.aio.AioRpcError)]
    assert reason_of(error) == "REQUEST_REUSED"
    assert len(await log.read(StreamKey("game", game))) == 2


async def test_the_times_of_a_game_do_not_go_back_with_the_clock() -> None:
    """An engine whose clock is an hour behind writes the time of the last commit again."""
    log = MemoryEventLog()
    async with running(log) as engine:
        game = await engine.create(2)
        await engine.play(game, 2)
    app = EngineApp((WIRE,), SETTINGS, log, lambda: now() - 3_600_000)
    async with (
        Server(SETTINGS, log, (app,)) as server,
        grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel,
    ):
        await Engine(server, channel).play(game, 2)
    times = [entry.at for entry in await log.read(StreamKey("game", game))]
    assert len(times) == 5
    assert times == sorted(times)


async def test_a_game_whose_acknowledged_end_was_removed_is_damaged_after_a_restart_too(store: EmbeddedStore) -> None:
    """The store knows that entry 4 was there; an engine that never saw it says DATA_LOSS, and not INTERNAL."""
    log = await RedisEventLog.open(store.url)
    async with running(log) as engine:
        game = await engine.create(2)
        await engine.play(game, 3)
    with redis.Redis(unix_socket_path=str(store.folder / "store.sock")) as raw:
        assert raw.xdel(Keys(16).stream(StreamKey("game", game)), "4-0") == 1
    async with running(log) as engine:
        with refused(Code.DATA_LOSS, "GAME_DAMAGED"):
            await engine.step(game)
    await log.close()


async def test_an_entry_of_another_title_in_the_middle_of_a_game_is_damage() -> None:
    """It is no race with other writers, which is what the engine calls it after sixteen attempts."""
    log = MemoryEventLog()
    async with running(log) as engine:
        game = await engine.create(2)
    key = StreamKey("game", game)
    (first,) = await log.read(key)
    forged = msgspec.structs.replace(first, version=2, schema="other.1", request="forged", before=first.digest())
    await log.append(key, "other", forged)
    async with running(log) as engine:
        with refused(Code.DATA_LOSS, "GAME_DAMAGED"):
            await engine.step(game)


async def test_a_game_is_unreadable_under_another_key_of_the_same_id() -> None:
    """A key that no longer gives the game's commitment draws nothing and, above all, is not revealed as its seed."""
    log = MemoryEventLog()
    async with running(log) as engine:
        game = await engine.create(2)
    lost = msgspec.structs.replace(SETTINGS, seed_keys=(SeedKey("k1", bytes(range(32))),))
    async with running(log, lost) as engine:
        with refused(Code.UNAVAILABLE, "GAME_UNREADABLE"):
            await engine.step(game)


def test_games_that_are_watched_do_not_keep_all_others_in_memory() -> None:
    """With 64 old games that somebody watches, the thousand after them still share the places that are left."""
    sessions = Sessions(WIRE, MemoryEventLog(), 100)
    for number in range(64):
        sessions.session(f"watched-{number}").watchers = 1
    for number in range(1000):
        sessions.session(f"other-{number}")
    assert len(sessions.all()) <= 164


async def test_a_game_that_somebody_waits_for_is_not_dropped() -> None:
    """Between two holders of its lock a session is free for a moment; whoever waits for it would hear no news of it."""
    sessions = Sessions(WIRE, MemoryEventLog(), 1)
    session = sessions.session("waited-for")

    async def wait_for_a_turn() -> None:
        async with session:
            pass

    async with session:
        waiting = asyncio.create_task(wait_for_a_turn())
        await asyncio.sleep(0)
    sessions.session("other")
    assert sessions.cached("waited-for") is session
    await waiting


async def test_a_damaged_game_that_is_asked_for_again_and_again_costs_no_memory() -> None:
    """A refusal that is kept and raised anew must not gather the frames of every call it ever refused."""
    sessions = Sessions(WIRE, MemoryEventLog(), 10)
    session = sessions.session("damaged")
    with pytest.raises(Problem):
        sessions.halt(session, "for the test")
    for _ in range(200):
        with pytest.raises(Problem) as refusal:
            await sessions.refresh(session)
    assert len(refusal.traceback) < 20


async def test_health_still_follows_the_store_after_it_refused_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal that nobody foresaw must not end the probe: a store that is gone later is still noticed."""
    monkeypatch.setattr("shared.server._PROBE_SECONDS", 0.02)
    log = Refusing()
    async with running(log) as engine:
        log.failure = LogError("the store refused a command: NOPERM")
        await asyncio.sleep(0.1)
        log.failure = Unavailable("the store is away")
        stub: Any = health_pb2_grpc.HealthStub(engine.channel)
        watch = stub.Watch(health_pb2.HealthCheckRequest())
        async with asyncio.timeout(2):
            async for answer in watch:
                if answer.status == health_pb2.HealthCheckResponse.NOT_SERVING:
                    break
        watch.cancel()


@pytest.mark.parametrize("bytes_sent", [b"\xff\xff", b"\x0a\x02\xff\xfe"], ids=["garbage", "bad-utf8"])
async def test_bytes_that_are_no_message_are_bad_input(bytes_sent: bytes) -> None:
    """They get the status and the reason of bad input like any other, and no word of our program."""
    async with running(MemoryEventLog()) as engine:
        call: Any = engine.channel.unary_unary("/strata.strange_world.v1.StrangeWorldService/GetView")
        with refused(Code.INVALID_ARGUMENT, "BAD_REQUEST"):
            await call(bytes_sent, metadata=metadata("x"))


async def test_a_stranger_learns_nothing_about_the_seats_of_a_private_game() -> None:
    """Whichever seat a stranger names, whether there is one or not, the answer is the same."""
    async with running(MemoryEventLog()) as engine:
        game = await engine.create(3, private=True)
        said = {await _answer_to_stranger(engine, game, seat) for seat in (0, 2, 3, -1)}
    assert len(said) == 1, said


async def _answer_to_stranger(engine: Engine, game: str, seat: int) -> tuple[grpc.StatusCode, str]:
    """Return status and sentence, without the seat that was asked for."""
    request = service_pb2.ListLegalActionsRequest(game_id=game, seat=seat)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await engine.titles.ListLegalActions(request, metadata=metadata("stranger"))
    return caught.value.code(), (caught.value.details() or "").replace(f"seat {seat}", "seat")
