from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from shared.eventlog import Closed, Conflict, EventLog, StreamKey
from tests.contract.entries import TITLE, entry, fill, game, game_in

LATER = 2_000_000_000_000


async def test_an_entry_is_read_back_with_every_field_as_it_was_written(log: EventLog) -> None:
    """No value is lost or changed: empty, absent, binary and non-ASCII ones included."""
    key = game()
    written = [
        entry(1, seat=None, waiting=(), deadline=None, before=b"", data=b""),
        entry(2, seat=0, waiting=(3,), deadline=1, caller="Zoë ☁", request="a:b c", data=bytes(range(256))),
        entry(3, seat=12, waiting=(0, 1, 2, 3), deadline=LATER, status="", data=b"x" * 100_000),
    ]
    for each in written:
        await log.append(key, TITLE, each)
    assert await log.read(key) == written


async def test_versions_follow_each_other(log: EventLog) -> None:
    """Entries are read in the order of their versions, and the head is the last of them."""
    key = game()
    written = await fill(log, key, 3)
    assert [each.version for each in await log.read(key)] == [1, 2, 3]
    assert await log.head(key) == written[2]


async def test_a_stream_that_does_not_exist_is_empty(log: EventLog) -> None:
    """Reading an unknown stream gives nothing, and it has no head."""
    assert await log.read(game()) == []
    assert await log.head(game()) is None


async def test_a_version_can_be_written_only_once(log: EventLog) -> None:
    """A second entry of the same version is refused with the head found, and the first one stays."""
    key = game()
    written = await fill(log, key, 2)
    for version in (1, 2):
        with pytest.raises(Conflict) as refused:
            await log.append(key, TITLE, entry(version, request="another"))
        assert refused.value.head == 2
    assert await log.read(key) == written


@pytest.mark.parametrize("existing", [0, 1, 3])
async def test_a_version_cannot_be_skipped(log: EventLog, existing: int) -> None:
    """An entry that would leave a gap is refused with the head found, and nothing is written."""
    key = game()
    await fill(log, key, existing)
    with pytest.raises(Conflict) as refused:
        await log.append(key, TITLE, entry(existing + 2))
    assert refused.value.head == existing
    assert len(await log.read(key)) == existing


async def test_a_refused_append_writes_nothing_at_all(log: EventLog) -> None:
    """After a conflict neither a stream, nor a feed entry, nor a deadline exists that was not there before."""
    key = game()
    heads = await log.feed_heads()
    with pytest.raises(Conflict):
        await log.append(key, TITLE, entry(2, deadline=5))
    assert [found async for found in log.streams("game")] == []
    assert await log.feed_heads() == heads
    assert await log.due(key.shard(log.shards), LATER) == []


async def test_of_fifty_appends_of_one_version_exactly_one_wins(log: EventLog) -> None:
    """Concurrent appends of the same version leave one entry, and everybody else is told the head."""
    key = game()
    await fill(log, key, 1)
    rivals = [entry(2, request=f"rival-{number}") for number in range(50)]
    outcomes = await asyncio.gather(*(log.append(key, TITLE, rival) for rival in rivals), return_exceptions=True)
    winners = [rival for rival, outcome in zip(rivals, outcomes, strict=True) if outcome is None]
    assert len(winners) == 1
    assert [outcome.head for outcome in outcomes if isinstance(outcome, Conflict)] == [2] * 49
    assert await log.read(key, after=1) == winners


async def test_concurrent_appends_to_many_streams_all_arrive(log: EventLog) -> None:
    """Two hundred streams appended to at the same time each get all of their entries."""
    keys = [game() for _ in range(200)]
    written = await asyncio.gather(*(fill(log, key, 3) for key in keys))
    assert [await log.read(key) for key in keys] == written


async def test_reading_starts_after_a_version_and_stops_at_a_limit(log: EventLog) -> None:
    """`after` and `limit` cut the stream; beyond the head there is nothing."""
    key = game()
    await fill(log, key, 5)

    async def versions(after: int, limit: int | None) -> list[int]:
        return [each.version for each in await log.read(key, after, limit)]

    assert await versions(0, 2) == [1, 2]
    assert await versions(3, None) == [4, 5]
    assert await versions(3, 1) == [4]
    assert await versions(2, 10) == [3, 4, 5]
    assert await versions(5, None) == []
    assert await versions(9, None) == []
    assert await versions(0, 0) == []


async def test_a_long_stream_is_read_whole(log: EventLog) -> None:
    """A stream longer than one page of the store's answers is read without a seam."""
    key = game()
    await fill(log, key, 2001)
    assert [each.version for each in await log.read(key)] == list(range(1, 2002))
    assert [each.version for each in await log.read(key, 500, 1200)] == list(range(501, 1701))


async def test_streams_walks_over_one_kind_only(log: EventLog) -> None:
    """Each stream of a kind is named once, whatever is in its id; other kinds are not."""
    keys = {game(f"g{number}") for number in range(60)} | {game("a:b"), game("*[x]?"), game("Zoë"), game("feed")}
    for key in keys:
        await log.append(key, TITLE, entry(1))
    await log.append(StreamKey("table", "g1"), TITLE, entry(1))
    await log.append(StreamKey("games", "g1"), TITLE, entry(1))
    found = [key async for key in log.streams("game")]
    assert len(found) == 64
    assert set(found) == keys
    assert [key async for key in log.streams("table")] == [StreamKey("table", "g1")]
    assert [key async for key in log.streams("player")] == []


async def test_the_same_id_in_two_kinds_is_two_streams(log: EventLog) -> None:
    """A table and a game may have the same id and do not touch each other."""
    await fill(log, StreamKey("game", "same"), 2)
    await fill(log, StreamKey("table", "same"), 1)
    assert len(await log.read(StreamKey("game", "same"))) == 2
    assert len(await log.read(StreamKey("table", "same"))) == 1


def test_a_stream_lies_in_the_shard_that_the_checksum_of_its_id_names() -> None:
    """The CRC-32 of "123456789" is 0xCBF43926, the published check value: its last hexadecimal digit is 6."""
    assert StreamKey("game", "123456789").shard(16) == 6
    assert StreamKey("table", "123456789").shard(16) == 6


async def test_a_deadline_is_due_when_its_moment_has_come(log: EventLog) -> None:
    """A stream is listed with its deadline from that millisecond on, the earliest first, at most `limit`."""
    late, early = game_in(1, log.shards), game_in(1, log.shards)
    await log.append(late, TITLE, entry(1, deadline=LATER))
    await log.append(early, TITLE, entry(1, deadline=LATER - 1))
    assert await log.due(1, LATER - 2) == []
    assert await log.due(1, LATER - 1) == [(early, LATER - 1)]
    assert await log.due(1, LATER) == [(early, LATER - 1), (late, LATER)]
    assert await log.due(1, LATER, limit=1) == [(early, LATER - 1)]
    assert await log.due(0, LATER) == []


async def test_each_append_moves_or_clears_the_deadline(log: EventLog) -> None:
    """A stream has the deadline of its last entry and no other."""
    key = game()
    shard = key.shard(log.shards)
    await log.append(key, TITLE, entry(1, deadline=1000))
    await log.append(key, TITLE, entry(2, deadline=2000))
    assert await log.due(shard, 1999) == []
    assert await log.due(shard, 2000) == [(key, 2000)]
    await log.append(key, TITLE, entry(3, deadline=2000))
    assert await log.due(shard, 2000) == [(key, 2000)]
    await log.append(key, TITLE, entry(4, deadline=None))
    assert await log.due(shard, LATER) == []


async def test_a_cancelled_append_leaves_the_others_alone(log: EventLog) -> None:
    """Appends that travel with a cancelled one arrive; the cancelled one is there whole or not at all."""
    keys = [game() for _ in range(40)]
    for turns in (0, 1, 2, 3):
        tasks = [asyncio.create_task(log.append(key, TITLE, entry(turns + 1))) for key in keys]
        for _ in range(turns):
            await asyncio.sleep(0)
        tasks[7].cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert [outcome for place, outcome in enumerate(outcomes) if place != 7] == [None] * 39
        stream = await log.read(keys[7])
        assert stream in ([entry(version) for version in range(1, turns + 1 + extra)] for extra in (0, 1))
        if len(stream) == turns:
            await log.append(keys[7], TITLE, entry(turns + 1))


async def test_a_closed_log_refuses_everything(log: EventLog) -> None:
    """After `close` every method says that the log is unavailable, at once."""
    await log.close()
    key = game()
    calls: tuple[Coroutine[Any, Any, object], ...] = (
        log.append(key, TITLE, entry(1)),
        log.read(key),
        log.head(key),
        log.feed_heads(),
        log.watch_feed({0: "0-0"}, 5),
        log.claim("group", "one", [0], 5),
        log.reclaim("group", "one", [0], 5),
        log.due(0, LATER),
        log.check(),
    )
    for call in calls:
        with pytest.raises(Closed):
            async with asyncio.timeout(1):
                await call
