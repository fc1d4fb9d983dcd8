from __future__ import annotations

import asyncio
import time

import pytest

from shared.eventlog import Delivery, EventLog, Trimmed
from tests.contract.conftest import Opener
from tests.contract.entries import TITLE, entry, fill, game, game_in

GROUP = "automata"


async def test_a_new_group_begins_at_the_beginning_of_the_feed(log: EventLog) -> None:
    """The first claim of a group gets what was told before the group existed."""
    key = game_in(1, log.shards)
    await fill(log, key, 2)
    claimed = await log.claim(GROUP, "one", range(log.shards), 0)
    assert [(each.shard, each.attempts, each.moved.version) for each in claimed] == [(1, 1, 1), (1, 1, 2)]
    assert claimed[0].moved.key == key


async def test_an_entry_goes_to_one_consumer_of_a_group(log: EventLog) -> None:
    """Two consumers of a group share the entries; another group gets all of them."""
    key = game_in(0, log.shards)
    await fill(log, key, 3)
    first = await log.claim(GROUP, "one", [0], 0, limit=2)
    second = await log.claim(GROUP, "two", [0], 0)
    assert [each.moved.version for each in first] == [1, 2]
    assert [each.moved.version for each in second] == [3]
    assert await log.claim(GROUP, "one", [0], 0) == []
    assert len(await log.claim("others", "one", [0], 0)) == 3


async def test_a_claim_takes_no_more_than_its_limit_from_each_shard(log: EventLog) -> None:
    """The limit holds for each shard by itself."""
    for shard in (0, 1):
        await fill(log, game_in(shard, log.shards), 3)
    claimed: list[Delivery] = []
    while len(claimed) < 6:
        latest = await log.claim(GROUP, "one", [0, 1], 2, limit=2)
        assert all([each.shard for each in latest].count(shard) <= 2 for shard in (0, 1))
        claimed += latest
    assert sorted((each.shard, each.moved.version) for each in claimed) == [
        *((0, version) for version in (1, 2, 3)),
        *((1, version) for version in (1, 2, 3)),
    ]


async def test_a_claim_waits_for_news(log: EventLog) -> None:
    """A consumer that waits gets an entry as soon as it is told."""
    claim = asyncio.create_task(log.claim(GROUP, "one", range(log.shards), 20))
    await asyncio.sleep(0.2)
    key = game()
    started = time.monotonic()
    await log.append(key, TITLE, entry(1))
    assert [each.moved.key for each in await claim] == [key]
    assert time.monotonic() - started < 2


async def test_a_claim_with_no_news_ends_after_the_time_given(log: EventLog) -> None:
    """A consumer that nothing is told waits as long as it said and gets nothing."""
    started = time.monotonic()
    assert await log.claim(GROUP, "one", [0, 1], 0.2) == []
    assert 0.15 < time.monotonic() - started < 2


async def test_what_a_dead_consumer_left_is_taken_over(log: EventLog) -> None:
    """An entry that was not acknowledged goes to whoever reclaims it after its idle time, and counts its attempts."""
    key = game_in(2, log.shards)
    await fill(log, key, 2)
    [first, second] = await log.claim(GROUP, "dead", [2], 0)
    await log.ack(GROUP, first)
    assert await log.reclaim(GROUP, "heir", [2], 60) == []
    await asyncio.sleep(0.06)
    taken = await log.reclaim(GROUP, "heir", range(log.shards), 0.05)
    assert taken == [Delivery(2, second.id, 2, second.moved)]
    assert await log.reclaim(GROUP, "another", [2], 0.05) == []
    await asyncio.sleep(0.06)
    assert [each.attempts for each in await log.reclaim(GROUP, "another", [2], 0.05)] == [3]


async def test_an_acknowledged_entry_is_never_handed_out_again(log: EventLog) -> None:
    """After `ack` neither claim nor reclaim gives the entry, whoever acknowledged it."""
    await fill(log, game_in(0, log.shards), 1)
    [delivery] = await log.claim(GROUP, "one", [0], 0)
    [again] = await log.reclaim(GROUP, "two", [0], 0)
    await log.ack(GROUP, delivery)
    assert await log.reclaim(GROUP, "three", [0], 0) == []
    assert await log.claim(GROUP, "three", [0], 0) == []
    await log.ack(GROUP, again)


async def test_a_renewed_delivery_is_not_idle(log: EventLog) -> None:
    """Renewing keeps an entry from being taken over, and does not count as an attempt."""
    await fill(log, game_in(0, log.shards), 1)
    [delivery] = await log.claim(GROUP, "one", [0], 0)
    await asyncio.sleep(0.3)
    assert await log.renew(GROUP, "one", delivery)
    assert await log.reclaim(GROUP, "two", [0], 0.25) == []
    await asyncio.sleep(0.3)
    assert [each.attempts for each in await log.reclaim(GROUP, "two", [0], 0.25)] == [2]


async def test_a_delivery_that_somebody_else_holds_cannot_be_renewed(log: EventLog) -> None:
    """Renewing answers False, and changes nothing, once the entry was taken over or acknowledged."""
    await fill(log, game_in(0, log.shards), 1)
    [delivery] = await log.claim(GROUP, "one", [0], 0)
    [taken] = await log.reclaim(GROUP, "two", [0], 0)
    assert not await log.renew(GROUP, "one", delivery)
    assert await log.renew(GROUP, "two", taken)
    await log.ack(GROUP, taken)
    assert not await log.renew(GROUP, "two", taken)
    assert not await log.renew("nobody", "two", taken)


async def test_reclaiming_for_a_group_that_does_not_exist_gives_nothing(log: EventLog) -> None:
    """A group that never claimed has nothing to take over."""
    await fill(log, game(), 1)
    assert await log.reclaim(GROUP, "one", range(log.shards), 0) == []


async def test_a_reclaim_takes_no_more_than_its_limit_and_comes_to_all_in_the_end(log: EventLog) -> None:
    """Many entries left behind are taken over in several calls, each entry once."""
    await fill(log, game_in(0, log.shards), 40)
    claimed = await log.claim(GROUP, "dead", [0], 0, limit=100)
    assert len(claimed) == 40
    await asyncio.sleep(1.1)
    taken: list[str] = []
    for _ in range(20):
        deliveries = await log.reclaim(GROUP, "heir", [0], 1.0, limit=10)
        assert len(deliveries) <= 10
        taken += [each.id for each in deliveries]
        if len(taken) == 40:
            break
    assert sorted(taken) == sorted(each.id for each in claimed)


async def test_a_group_whose_unread_entries_were_trimmed_is_told_so(opener: Opener) -> None:
    """When the feed dropped what a group had not read, reclaiming says so, until the group has read on."""
    log = await opener(feed_length=10)
    key = game_in(0, log.shards)
    await fill(log, key, 1)
    [first] = await log.claim(GROUP, "one", [0], 0)
    await log.ack(GROUP, first)
    for version in range(2, 400):
        await log.append(key, TITLE, entry(version))
    with pytest.raises(Trimmed) as told:
        await log.reclaim(GROUP, "one", range(log.shards), 60)
    assert told.value.shards == (0,)
    rest = await log.claim(GROUP, "one", [0], 0, limit=1000)
    assert rest[-1].moved.version == 399
    assert await log.reclaim(GROUP, "one", [0], 60) == []


async def test_a_group_whose_pending_entries_were_trimmed_is_told_so(opener: Opener) -> None:
    """When the feed dropped what a consumer holds, reclaiming says so once and the entry is forgotten."""
    log = await opener(feed_length=10)
    key = game_in(0, log.shards)
    await fill(log, key, 1)
    await log.claim(GROUP, "dead", [0], 0)
    for version in range(2, 400):
        await log.append(key, TITLE, entry(version))
        for delivery in await log.claim(GROUP, "one", [0], 0):
            await log.ack(GROUP, delivery)
    with pytest.raises(Trimmed):
        await log.reclaim(GROUP, "heir", [0], 0)
    assert await log.reclaim(GROUP, "heir", [0], 0) == []
