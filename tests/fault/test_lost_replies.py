from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shared.eventlog import Conflict, EmbeddedStore, Moved, RedisEventLog, StreamKey, Unavailable
from tests.contract.entries import TITLE, entry, fill, game
from tests.fault.proxy import Fault, Proxy, is_append

SHARDS = 2


@pytest.fixture
async def proxy(tmp_path: Path) -> AsyncIterator[Proxy]:
    store = EmbeddedStore(tmp_path)
    store.start()
    async with Proxy(store.url).running() as between:
        yield between
    store.stop()


@pytest.fixture
async def log(proxy: Proxy) -> AsyncIterator[RedisEventLog]:
    log = await RedisEventLog.open(proxy.url, SHARDS)
    yield log
    await log.close()


@pytest.mark.parametrize("fault", Fault)
async def test_an_append_whose_connection_breaks_is_written_once(
    proxy: Proxy, log: RedisEventLog, fault: Fault
) -> None:
    """Whether the command or only its reply was lost, the append succeeds and stands once in stream and feed."""
    key = game()
    written = await fill(log, key, 1)
    proxy.lose_once(fault)
    await log.append(key, TITLE, entry(2))
    assert proxy.faults == 1
    assert await log.read(key) == [*written, entry(2)]
    assert await _told(log) == {key: [1, 2]}


@pytest.mark.parametrize("fault", Fault)
async def test_a_version_that_somebody_else_took_meanwhile_is_a_conflict(
    proxy: Proxy, log: RedisEventLog, fault: Fault
) -> None:
    """When another entry stands where the lost one should, the caller is told the head, and the other one stays."""
    key = game()
    await fill(log, key, 1)
    rival = await RedisEventLog.open(proxy.url, SHARDS)
    await rival.append(key, TITLE, entry(2, request="rival"))
    proxy.lose_once(fault)
    with pytest.raises(Conflict) as refused:
        await log.append(key, TITLE, entry(2))
    assert refused.value.head == 2
    assert [each.request for each in await log.read(key)] == ["request-1", "rival"]
    await rival.close()


async def test_an_append_that_others_have_built_upon_is_recognised(proxy: Proxy, log: RedisEventLog) -> None:
    """When the lost append was written and the stream has moved on since, it still counts as a success."""
    key = game()
    await fill(log, key, 1)
    rival = await RedisEventLog.open(proxy.url, SHARDS)
    proxy.lose_once(Fault.REPLY_LOST)

    cursors = await rival.feed_heads()

    async def build_upon() -> None:
        await rival.watch_feed(cursors, 5)
        await rival.append(key, TITLE, entry(3))

    await asyncio.gather(log.append(key, TITLE, entry(2)), build_upon())
    assert await log.read(key) == [entry(1), entry(2), entry(3)]
    await rival.close()


async def test_all_appends_of_a_broken_batch_are_settled(proxy: Proxy, log: RedisEventLog) -> None:
    """A hundred appends that travelled together when the connection broke are each written once."""
    keys = [game() for _ in range(100)]
    proxy.lose_once(Fault.REPLY_LOST)
    await asyncio.gather(*(log.append(key, TITLE, entry(1)) for key in keys))
    assert proxy.faults == 1
    assert await _told(log) == {key: [1] for key in keys}


async def test_under_random_faults_nothing_is_lost_and_nothing_is_there_twice(proxy: Proxy, log: RedisEventLog) -> None:
    """Thirty streams grow at the same time while connections keep breaking: each gets exactly its entries."""
    chance = random.Random(7)  # noqa: S311  # repeatable, not secret
    proxy.plan = lambda piece: chance.choice(list(Fault)) if is_append(piece) and chance.random() < 0.2 else None
    keys = [game() for _ in range(30)]
    written = await asyncio.gather(*(fill(log, key, 12) for key in keys))
    proxy.plan = lambda _piece: None
    assert proxy.faults > 5
    assert [await log.read(key) for key in keys] == written
    assert await _told(log) == {key: list(range(1, 13)) for key in keys}


async def test_an_append_that_cannot_get_through_is_unavailable_in_the_end(proxy: Proxy) -> None:
    """When every reply is lost the caller is told so after its patience; the entry is there once."""
    log = await RedisEventLog.open(proxy.url, SHARDS, patience=0.5)
    key = game()
    await fill(log, key, 1)
    proxy.plan = lambda piece: Fault.REPLY_LOST if is_append(piece) else None
    async with asyncio.timeout(5):
        with pytest.raises(Unavailable, match="cannot be reached"):
            await log.append(key, TITLE, entry(2))
    assert proxy.faults > 1
    assert await log.read(key) == [entry(1), entry(2)]
    await log.close()


async def _told(log: RedisEventLog) -> dict[StreamKey, list[int]]:
    """Return the versions that the feeds tell of each stream, in their order."""
    cursors = dict.fromkeys(range(SHARDS), "0-0")
    told: dict[StreamKey, list[int]] = {}
    moves: list[tuple[int, str, Moved]] = await log.watch_feed(cursors, 0)
    while moves:
        for shard, identity, moved in moves:
            cursors[shard] = identity
            told.setdefault(moved.key, []).append(moved.version)
        moves = await log.watch_feed(cursors, 0)
    return told
