"""The memory twin of the log: the same contract, kept in this process, gone with it.

For tests and for games that need not outlive the process. Where the Redis log may answer in several ways (how much
a feed keeps beyond its length, say) the twin takes the strictest.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from shared.eventlog.keys import BEGINNING
from shared.eventlog.log import Closed, Conflict, Delivery, Entry, Moved, StreamKey, Trimmed

WATCHED: Final = 500


class Pending(Struct):
    """A delivery that is not acknowledged."""

    consumer: str
    since: float
    attempts: int


class Group(Struct):
    """A consumer group of one feed: the number of the last entry delivered, and what is pending by number."""

    delivered: int = 0
    pending: dict[int, Pending] = {}


class Feed(Struct):
    """A feed: how many entries were dropped from its beginning, and those that are left."""

    dropped: int = 0
    kept: list[Moved] = []
    groups: dict[str, Group] = {}

    def head(self) -> int:
        """Return the number of the last entry; the first is 1."""
        return self.dropped + len(self.kept)

    def after(self, number: int, limit: int) -> list[tuple[int, Moved]]:
        """Return the entries after a number, with their own."""
        start = max(number, self.dropped)
        chosen = self.kept[start - self.dropped : start - self.dropped + limit]
        return list(enumerate(chosen, start + 1))


class MemoryEventLog:
    """A log in memory; see `EventLog` for what its methods promise."""

    def __init__(self, shards: int = 16, *, feed_length: int = 10_000) -> None:
        """Start empty, with `shards` shards whose feeds keep `feed_length` entries."""
        self.shards = shards
        self._feed_length = feed_length
        self._streams: dict[StreamKey, list[Entry]] = {}
        self._feeds = [Feed() for _ in range(shards)]
        self._deadlines: list[dict[StreamKey, int]] = [{} for _ in range(shards)]
        self._moved = asyncio.Event()
        self._closed = False

    async def append(self, key: StreamKey, title: str, entry: Entry) -> None:
        """Write `entry` with its feed entry and deadline, or nothing."""
        self._refuse_if_closed()
        head = len(self._streams.get(key, ()))
        if head != entry.version - 1:
            raise Conflict(head)
        self._streams.setdefault(key, []).append(entry)
        self._tell(key.shard(self.shards), Moved(key, title, entry.version, entry.status, entry.waiting))
        self._set_deadline(key, entry.deadline)

    async def read(self, key: StreamKey, after: int = 0, limit: int | None = None) -> list[Entry]:
        """Return the entries after `after`, at most `limit`."""
        self._refuse_if_closed()
        return self._streams.get(key, [])[after : None if limit is None else after + limit]

    async def head(self, key: StreamKey) -> Entry | None:
        """Return the last entry of a stream, or None if there is no such stream."""
        self._refuse_if_closed()
        entries = self._streams.get(key)
        return entries[-1] if entries else None

    async def streams(self, kind: str) -> AsyncIterator[StreamKey]:
        """Walk over the keys of all streams of one kind."""
        self._refuse_if_closed()
        for key in [key for key in self._streams if key.kind == kind]:
            yield key

    async def feed_heads(self) -> dict[int, str]:
        """Return the last feed id of every shard."""
        self._refuse_if_closed()
        return {shard: _identity(feed.head()) for shard, feed in enumerate(self._feeds)}

    async def watch_feed(self, cursors: Mapping[int, str], wait: float) -> list[tuple[int, str, Moved]]:
        """Return what the feeds got after the cursors; raises `Trimmed` when some of it is gone."""

        def news() -> list[tuple[int, str, Moved]]:
            lost = [shard for shard, cursor in cursors.items() if _number(cursor) < self._feeds[shard].dropped]
            if lost:
                raise Trimmed(lost)
            return [
                (shard, _identity(number), moved)
                for shard, cursor in cursors.items()
                for number, moved in self._feeds[shard].after(_number(cursor), WATCHED)
            ]

        await self._until(lambda: bool(news()), wait)
        return news()

    async def claim(
        self, group: str, consumer: str, shards: Sequence[int], wait: float, limit: int = 16
    ) -> list[Delivery]:
        """Take new feed entries for `consumer` of `group`."""
        groups = {shard: self._feeds[shard].groups.setdefault(group, Group()) for shard in shards}
        await self._until(lambda: any(self._feeds[s].head() > g.delivered for s, g in groups.items()), wait)
        deliveries: list[Delivery] = []
        for shard, members in groups.items():
            for number, moved in self._feeds[shard].after(members.delivered, limit):
                members.pending[number] = Pending(consumer, time.monotonic(), 1)
                members.delivered = number
                deliveries.append(Delivery(shard, _identity(number), 1, moved))
        return deliveries

    async def reclaim(
        self, group: str, consumer: str, shards: Sequence[int], idle: float, limit: int = 16
    ) -> list[Delivery]:
        """Take over entries left unacknowledged for `idle` seconds; raises `Trimmed` when some are gone."""
        self._refuse_if_closed()
        known = [(shard, self._feeds[shard]) for shard in shards if group in self._feeds[shard].groups]
        lost = [shard for shard, feed in known if _forget_dropped(feed, feed.groups[group])]
        if lost:
            raise Trimmed(lost)
        return [
            Delivery(shard, _identity(number), pending.attempts, feed.kept[number - feed.dropped - 1])
            for shard, feed in known
            for number, pending in _take_over(feed.groups[group], consumer, idle, limit)
        ]

    async def renew(self, group: str, consumer: str, delivery: Delivery) -> bool:
        """Reset a delivery's idle time; False when it is no longer this consumer's."""
        self._refuse_if_closed()
        members = self._feeds[delivery.shard].groups.get(group, Group())
        pending = members.pending.get(_number(delivery.id))
        if pending is None or pending.consumer != consumer:
            return False
        pending.since = time.monotonic()
        return True

    async def ack(self, group: str, delivery: Delivery) -> None:
        """Say that a delivery needs no more work."""
        self._refuse_if_closed()
        self._feeds[delivery.shard].groups.get(group, Group()).pending.pop(_number(delivery.id), None)

    async def due(self, shard: int, now: int, limit: int = 100) -> list[tuple[StreamKey, int]]:
        """Return (stream, deadline) pairs whose deadline is at or before `now`, the earliest first."""
        self._refuse_if_closed()
        slots = [(key, at) for key, at in self._deadlines[shard].items() if at <= now]
        return sorted(slots, key=lambda slot: (slot[1], slot[0].kind, slot[0].id))[:limit]

    async def check(self) -> list[str]:
        """Say that everything is lost with the process."""
        self._refuse_if_closed()
        return ["the log is kept in memory and is gone when the process ends"]

    async def close(self) -> None:
        """Refuse everything from now on; whoever still waits gets `Unavailable`."""
        self._closed = True
        self._wake()

    def _refuse_if_closed(self) -> None:
        """Raise `Unavailable` after `close`."""
        if self._closed:
            raise Closed

    def _tell(self, shard: int, moved: Moved) -> None:
        """Write a feed entry, drop what is too old and wake those who wait."""
        feed = self._feeds[shard]
        feed.kept.append(moved)
        excess = len(feed.kept) - self._feed_length
        if excess > 0:
            del feed.kept[:excess]
            feed.dropped += excess
        self._wake()

    def _set_deadline(self, key: StreamKey, deadline: int | None) -> None:
        """Set or clear a stream's deadline slot."""
        slots = self._deadlines[key.shard(self.shards)]
        if deadline is None:
            slots.pop(key, None)
        else:
            slots[key] = deadline

    def _wake(self) -> None:
        """Wake everybody who waits, once."""
        self._moved.set()
        self._moved = asyncio.Event()

    async def _until(self, there_is_news: Callable[[], bool], wait: float) -> None:
        """Wait until there is news, at most `wait` seconds."""
        self._refuse_if_closed()
        try:
            async with asyncio.timeout(max(wait, 0)):
                while not there_is_news():
                    await self._moved.wait()
                    self._refuse_if_closed()
        except TimeoutError:
            return


def _identity(number: int) -> str:
    """Return the feed id of an entry's number."""
    return f"{number}-0" if number else BEGINNING


def _number(identity: str) -> int:
    """Return the number of the entry with this feed id."""
    return int(identity.partition("-")[0])


def _forget_dropped(feed: Feed, group: Group) -> bool:
    """Forget pending entries that the feed dropped; says whether there were any, or unread ones were dropped."""
    gone = [number for number in group.pending if number <= feed.dropped]
    for number in gone:
        del group.pending[number]
    return bool(gone) or group.delivered < feed.dropped


def _take_over(group: Group, consumer: str, idle: float, limit: int) -> list[tuple[int, Pending]]:
    """Give the oldest idle entries to `consumer`."""
    now = time.monotonic()
    taken = [(number, pending) for number, pending in sorted(group.pending.items()) if now - pending.since >= idle]
    for _, pending in taken[:limit]:
        pending.consumer, pending.since, pending.attempts = consumer, now, pending.attempts + 1
    return taken[:limit]
