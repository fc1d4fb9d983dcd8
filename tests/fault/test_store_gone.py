from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from shared.eventlog import Conflict, EmbeddedStore, Entry, EventLog, RedisEventLog, StreamKey, Unavailable
from tests.contract.entries import TITLE, entry, fill, game

SHARDS = 2


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    embedded = EmbeddedStore(tmp_path)
    embedded.start()
    yield embedded
    embedded.stop()


@pytest.fixture
async def log(store: EmbeddedStore) -> AsyncIterator[RedisEventLog]:
    log = await RedisEventLog.open(store.url, SHARDS, patience=0.3, lost_after=0.5)
    yield log
    await log.close()


async def test_no_acknowledged_entry_is_lost_when_the_store_is_killed(store: EmbeddedStore, log: RedisEventLog) -> None:
    """The store is killed three times while twenty streams grow and starts again: every acknowledged entry is there."""
    keeper = asyncio.create_task(store.supervise())
    writers = [asyncio.create_task(_grow(log, game())) for _ in range(20)]
    for _ in range(3):
        await asyncio.sleep(0.4)
        os.kill(_pid(store), signal.SIGKILL)
        await asyncio.sleep(1)
    for writer in writers:
        writer.cancel()
    stories = await asyncio.gather(*writers)
    await _until_it_answers(log)
    keeper.cancel()
    for story in stories:
        stream = await log.read(story.key)
        assert [each.version for each in stream] == list(range(1, len(stream) + 1))
        assert story.entries.items() <= {each.version: each for each in stream}.items()
        assert len({each.request for each in stream}) == len(stream)
    assert sum(len(story.entries) for story in stories) > 200


async def _until_it_answers(log: RedisEventLog) -> None:
    """Wait until a store that was started again has read its file; on a busy machine that takes some seconds."""
    async with asyncio.timeout(30):
        while True:
            with contextlib.suppress(Unavailable):
                await log.check()
                return
            await asyncio.sleep(0.1)


async def test_a_store_that_is_gone_is_unavailable_and_comes_back_by_itself(
    store: EmbeddedStore, log: RedisEventLog
) -> None:
    """While the store is down everything says so within its patience; when it is up again the same log works."""
    key = game()
    written = await fill(log, key, 2)
    store.stop()
    async with asyncio.timeout(5):
        for call in (log.append(key, TITLE, entry(3)), log.read(key), log.check(), log.claim("g", "c", [0], 1)):
            with pytest.raises(Unavailable, match="cannot be reached"):
                await call
    store.start()
    assert await log.read(key) == written
    await log.append(key, TITLE, entry(3))
    assert [each.moved.version for each in await log.claim("g", "c", [key.shard(SHARDS)], 1)] == [1, 2, 3]


async def test_an_append_outlasts_a_short_absence(store: EmbeddedStore) -> None:
    """An append made while the store restarts waits for it and succeeds."""
    log = await RedisEventLog.open(store.url, SHARDS, patience=10)
    key = game()
    await fill(log, key, 1)
    store.stop()
    append = asyncio.create_task(log.append(key, TITLE, entry(2)))
    await asyncio.sleep(0.3)
    assert not append.done()
    store.start()
    await append
    assert await log.read(key) == [entry(1), entry(2)]
    await log.close()


async def test_waiting_readers_hear_that_the_store_died(store: EmbeddedStore, log: RedisEventLog) -> None:
    """Whoever waits for news when the store dies is told at once instead of waiting on."""
    heads = await log.feed_heads()
    readers = [asyncio.create_task(log.watch_feed(heads, 30)), asyncio.create_task(log.claim("g", "c", [0], 30))]
    await asyncio.sleep(0.2)
    os.kill(_pid(store), signal.SIGKILL)
    async with asyncio.timeout(3):
        outcomes = await asyncio.gather(*readers, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [Unavailable, Unavailable]


async def test_a_store_that_hangs_does_not_hang_us(store: EmbeddedStore, log: RedisEventLog) -> None:
    """A stopped store is given up after the time a command may take, does not hold up closing, and is used again."""
    key = game()
    await fill(log, key, 1)
    os.kill(_pid(store), signal.SIGSTOP)
    started = time.monotonic()
    with pytest.raises(Unavailable):
        await log.append(key, TITLE, entry(2))
    with pytest.raises(Unavailable):
        await log.read(key)
    with pytest.raises(Unavailable):
        await log.watch_feed({0: "0-0"}, 0.2)
    second = await _opened_before_the_hang(store)
    assert second is None
    assert time.monotonic() - started < 5
    os.kill(_pid(store), signal.SIGCONT)
    stream = await log.read(key)
    assert stream in ([entry(1)], [entry(1), entry(2)])
    await log.append(key, TITLE, entry(len(stream) + 1))


async def test_closing_does_not_wait_for_a_store_that_hangs(store: EmbeddedStore) -> None:
    """A log can be closed at once while the store does not answer."""
    log = await RedisEventLog.open(store.url, SHARDS)
    key = game()
    await fill(log, key, 1)
    os.kill(_pid(store), signal.SIGSTOP)
    calls = [asyncio.create_task(log.append(key, TITLE, entry(2))), asyncio.create_task(log.watch_feed({0: "0-0"}, 30))]
    await asyncio.sleep(0.1)
    async with asyncio.timeout(2):
        await log.close()
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(outcome, Unavailable) for outcome in outcomes)
    os.kill(_pid(store), signal.SIGCONT)


async def test_what_a_group_was_handed_survives_the_store(store: EmbeddedStore, log: RedisEventLog) -> None:
    """Deliveries that nobody acknowledged are still pending after the store was killed and started again."""
    key = game()
    await fill(log, key, 2)
    shard = key.shard(SHARDS)
    [first, second] = await log.claim("g", "one", [shard], 0)
    await log.ack("g", first)
    os.kill(_pid(store), signal.SIGKILL)
    store.stop()
    store.start()
    assert [each.id for each in await log.reclaim("g", "two", [shard], 0)] == [second.id]


class Story:
    """What a writer was told about its stream: the entries whose append was acknowledged."""

    def __init__(self, key: StreamKey) -> None:
        self.key = key
        self.entries: dict[int, Entry] = {}


async def _grow(log: EventLog, key: StreamKey) -> Story:
    """Append until cancelled; after a failure read where the stream is, as an engine does."""
    story, version, number = Story(key), 1, 0
    with contextlib.suppress(asyncio.CancelledError):
        while True:
            number += 1
            each = entry(version, request=f"{key.id}-{number}")
            try:
                await log.append(key, TITLE, each)
                story.entries[version] = each
                version += 1
            except (Unavailable, Conflict):
                with contextlib.suppress(Unavailable):
                    head = await log.head(key)
                    version = head.version + 1 if head else 1
                await asyncio.sleep(0.02)
            await asyncio.sleep(0)
    return story


async def _opened_before_the_hang(store: EmbeddedStore) -> RedisEventLog | None:
    """Try to open a log; None if the store does not answer in time."""
    try:
        return await RedisEventLog.open(store.url, SHARDS, lost_after=0.5)
    except Unavailable:
        return None


def _pid(store: EmbeddedStore) -> int:
    """Return the process id of the running store, waiting for it if it is being started."""
    end = time.monotonic() + 5
    while store.pid is None and time.monotonic() < end:
        time.sleep(0.01)
    assert store.pid is not None
    return store.pid
