from __future__ import annotations

import asyncio
import time

import pytest

from shared.eventlog import Closed, EventLog, Moved, Trimmed
from tests.contract.conftest import Opener
from tests.contract.entries import TITLE, entry, fill, game, game_in

BEGINNING = "0-0"


async def test_each_append_is_told_in_the_feed_of_its_shard(log: EventLog) -> None:
    """The feed says which stream moved to which version, its title, its status and whom it waits for."""
    key = game_in(2, log.shards)
    await log.append(key, "empyreal", entry(1, status="running", waiting=(0, 3)))
    await log.append(key, "empyreal", entry(2, status="finished", waiting=()))
    moves = await log.watch_feed(dict.fromkeys(range(log.shards), BEGINNING), 0)
    assert [(shard, moved) for shard, _, moved in moves] == [
        (2, Moved(key, "empyreal", 1, "running", (0, 3))),
        (2, Moved(key, "empyreal", 2, "finished", ())),
    ]


async def test_a_feed_has_the_order_in_which_streams_moved(log: EventLog) -> None:
    """Appends made one after the other to streams of one shard are told in that order."""
    one, two = game_in(0, log.shards), game_in(0, log.shards)
    for key, version in ((one, 1), (two, 1), (two, 2), (one, 2)):
        await log.append(key, TITLE, entry(version))
    moves = await log.watch_feed({0: BEGINNING}, 0)
    assert [(moved.key, moved.version) for _, _, moved in moves] == [(one, 1), (two, 1), (two, 2), (one, 2)]


async def test_a_reader_goes_on_where_its_cursor_is(log: EventLog) -> None:
    """Moving the cursor to the last id read shows each entry exactly once."""
    key = game_in(1, log.shards)
    await fill(log, key, 3)
    cursors = {1: BEGINNING}
    first = await log.watch_feed(cursors, 0)
    cursors[1] = first[1][1]
    assert [moved.version for _, _, moved in await log.watch_feed(cursors, 0)] == [3]
    cursors[1] = first[2][1]
    assert await log.watch_feed(cursors, 0) == []


async def test_feed_heads_are_where_news_begin(log: EventLog) -> None:
    """From the heads of all shards a reader sees nothing old and everything new."""
    old = [game_in(shard, log.shards) for shard in range(log.shards)]
    for key in old[:2]:
        await fill(log, key, 2)
    heads = await log.feed_heads()
    assert sorted(heads) == list(range(log.shards))
    assert await log.watch_feed(heads, 0) == []
    for key in old:
        await log.append(key, TITLE, entry(3 if key in old[:2] else 1))
    assert {moved.key for _, _, moved in await _watch_all(log, heads, len(old))} == set(old)


async def test_waiting_ends_as_soon_as_something_moves(log: EventLog) -> None:
    """A reader that waits is told of an append at once, whichever shard it was in."""
    heads = await log.feed_heads()
    for shard in (3, 0):
        reader = asyncio.create_task(log.watch_feed(heads, 20))
        await asyncio.sleep(0.1)
        key = game_in(shard, log.shards)
        started = time.monotonic()
        await log.append(key, TITLE, entry(1))
        [(moved_in, identity, moved)] = await reader
        assert time.monotonic() - started < 2
        assert (moved_in, moved.key) == (shard, key)
        heads[shard] = identity


async def test_waiting_ends_after_the_time_given(log: EventLog) -> None:
    """A reader that nothing is told waits as long as it said and gets nothing."""
    heads = await log.feed_heads()
    started = time.monotonic()
    assert await log.watch_feed(heads, 0.2) == []
    assert 0.15 < time.monotonic() - started < 2


async def test_a_reader_that_was_cancelled_can_read_again(log: EventLog) -> None:
    """Giving up a wait costs nothing: the next read sees what came meanwhile."""
    heads = await log.feed_heads()
    reader = asyncio.create_task(log.watch_feed(heads, 20))
    await asyncio.sleep(0.05)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    key = game()
    await log.append(key, TITLE, entry(1))
    assert [moved.key for _, _, moved in await log.watch_feed(heads, 5)] == [key]


async def test_many_readers_see_the_same(log: EventLog) -> None:
    """Plain reads do not take anything from each other."""
    heads = await log.feed_heads()
    readers = [asyncio.create_task(_watch_all(log, heads, 3)) for _ in range(3)]
    await asyncio.sleep(0.05)
    key = game()
    await fill(log, key, 3)
    for moves in await asyncio.gather(*readers):
        assert [moved.version for _, _, moved in moves] == [1, 2, 3]


async def test_a_reader_whose_entries_were_trimmed_is_told_so(opener: Opener) -> None:
    """Whoever is so far behind that entries after its cursor were dropped gets `Trimmed`, naming the shard."""
    log = await opener(feed_length=10)
    behind, other = game_in(1, log.shards), game_in(2, log.shards)
    await fill(log, behind, 2)
    await fill(log, other, 1)
    cursors = await log.feed_heads()
    for version in range(3, 400):
        await log.append(behind, TITLE, entry(version))
    with pytest.raises(Trimmed) as told:
        await log.watch_feed(cursors, 0)
    assert told.value.shards == (1,)
    fresh = await log.feed_heads()
    await log.append(behind, TITLE, entry(400))
    assert [moved.version for _, _, moved in await log.watch_feed(fresh, 0)] == [400]


async def test_a_feed_trimmed_before_the_cursor_is_no_loss(opener: Opener) -> None:
    """A reader that kept up is not told of trimming, even where the entry at its cursor is gone meanwhile."""
    log = await opener(feed_length=10)
    key = game_in(1, log.shards)
    cursors = {1: BEGINNING}
    seen: list[int] = []
    for version in range(1, 301):
        await log.append(key, TITLE, entry(version))
        if version % 7 == 0 or version == 300:
            moves = await log.watch_feed(cursors, 0)
            seen += [moved.version for _, _, moved in moves]
            cursors[1] = moves[-1][1]
    assert seen == list(range(1, 301))


async def test_closing_ends_a_wait(log: EventLog) -> None:
    """A reader that waits does not hold up a shutdown: it gets `Closed` when the log is closed."""
    heads = await log.feed_heads()
    readers = [asyncio.create_task(log.watch_feed(heads, 30)), asyncio.create_task(log.claim("g", "c", [0, 1], 30))]
    await asyncio.sleep(0.1)
    async with asyncio.timeout(5):
        await log.close()
        outcomes = await asyncio.gather(*readers, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [Closed, Closed], outcomes


async def _watch_all(log: EventLog, heads: dict[int, str], wanted: int) -> list[tuple[int, str, Moved]]:
    """Read from the heads on until that many moves are seen."""
    cursors, moves = dict(heads), list[tuple[int, str, Moved]]()
    async with asyncio.timeout(10):
        while len(moves) < wanted:
            for shard, identity, moved in await log.watch_feed(cursors, 5):
                cursors[shard] = identity
                moves.append((shard, identity, moved))
    return moves
