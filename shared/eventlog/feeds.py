"""The feeds of a Redis log: plain reads with a cursor, and consumer groups with reclaim.

A feed entry names the one before it. By that a plain reader knows at no cost whether it missed any, and a group
whether the feed was trimmed past what it had read. Feeds are hints, never the truth: an entry that was dropped is
made good by rereading the heads of the streams.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Final

from shared.eventlog.feed_entry import Item, before_of, moved_of, order
from shared.eventlog.group_commit import Command
from shared.eventlog.keys import BEGINNING, Keys
from shared.eventlog.log import Delivery, Moved, Trimmed
from shared.eventlog.script import Script
from shared.eventlog.standing import StandingReads
from shared.eventlog.store import Refused, Store

logger = logging.getLogger(__name__)

WATCHED: Final = 500
"""Entries a plain read takes from one feed at a time."""

PENDING: Final = 1000
"""Entries pending for one consumer among which those just taken over are looked up."""

RENEW: Final = Script("renew.lua")


class RedisFeeds:
    """Reads the feeds of a store."""

    def __init__(self, store: Store, keys: Keys) -> None:
        """Use `store`."""
        self._store = store
        self._keys = keys
        self._standing = StandingReads(store)
        self._swept: dict[tuple[str, int], bytes] = {}
        self._joined: set[str] = set()

    async def feed_heads(self) -> dict[int, str]:
        """Return the last feed id of every shard, `0-0` where the feed is empty."""
        shards = range(self._keys.shards)
        lasts = await asyncio.gather(
            *(self._store.ask(("XREVRANGE", self._keys.feed(shard), "+", "-", "COUNT", 1)) for shard in shards)
        )
        return {shard: last[0][0].decode() if last else BEGINNING for shard, last in zip(shards, lasts, strict=True)}

    async def watch_feed(self, cursors: Mapping[int, str], wait: float) -> list[tuple[int, str, Moved]]:
        """Return what the feeds got after the cursors; see `EventLog.watch_feed`."""
        commands: list[Command] = [
            ("XREAD", "COUNT", WATCHED, *_block(wait), "STREAMS", *feeds, *(cursors[shard] for shard in shards))
            for shards, feeds in self._spans(list(cursors))
        ]
        got = await self._read(commands, wait)
        lost = [shard for shard, items in got.items() if before_of(items[0]) != cursors[shard]]
        moves = [(shard, item[0].decode(), moved_of(item)) for shard, items in got.items() for item in items]
        lost += [shard for shard, _, moved in moves if moved is None]
        if lost:
            raise Trimmed(sorted(set(lost)))
        return [(shard, identity, moved) for shard, identity, moved in moves if moved is not None]

    async def claim(
        self, group: str, consumer: str, shards: Sequence[int], wait: float, limit: int = 16
    ) -> list[Delivery]:
        """Take new feed entries; see `EventLog.claim`."""
        prefix = ("XREADGROUP", "GROUP", group, consumer, "COUNT", limit, *_block(wait), "STREAMS")
        commands: list[Command] = [(*prefix, *feeds, *(">" for _ in feeds)) for _, feeds in self._spans(shards)]
        for _ in range(len(commands) + 1):
            try:
                got = await self._read(commands, wait)
            except Refused as refused:
                if not _group_is_gone(refused):
                    raise
                await asyncio.gather(*(self._create_group(group, shard) for shard in shards))
                if group in self._joined:
                    # Somebody deleted the group or its whole feed: what was in it and not claimed is not known here.
                    self._joined.discard(group)
                    raise Trimmed(list(shards)) from refused
            else:
                self._joined.add(group)
                handed = [await self._deliveries(group, shard, items, {}) for shard, items in got.items()]
                return [delivery for deliveries in handed for delivery in deliveries]
        return []

    async def reclaim(
        self, group: str, consumer: str, shards: Sequence[int], idle: float, limit: int = 16
    ) -> list[Delivery]:
        """Take over what was left unacknowledged; see `EventLog.reclaim`."""
        sweeps = await asyncio.gather(
            *(self._sweep(group, consumer, shard, idle=int(idle * 1000), limit=limit) for shard in shards)
        )
        lost = [shard for shard, (_, complete) in zip(shards, sweeps, strict=True) if not complete]
        if lost:
            raise Trimmed(lost)
        return [delivery for deliveries, _ in sweeps for delivery in deliveries]

    async def renew(self, group: str, consumer: str, delivery: Delivery) -> bool:
        """Reset a delivery's idle time; False when it is no longer this consumer's."""
        feed = self._keys.feed(delivery.shard)
        try:
            return bool(await RENEW.run(self._store.ask, 1, feed, group, consumer, delivery.id))
        except Refused as refused:
            if _group_is_gone(refused):
                return False
            raise

    async def ack(self, group: str, delivery: Delivery) -> None:
        """Say that a delivery needs no more work, whoever holds it now."""
        await self._store.ask(("XACK", self._keys.feed(delivery.shard), group, delivery.id))

    def _spans(self, shards: Sequence[int]) -> list[tuple[Sequence[int], list[str]]]:
        """Return which shards one command may read, with the names of their feeds."""
        spans = [shards] if self._store.spans_shards else [[shard] for shard in shards]
        return [(span, [self._keys.feed(shard) for shard in span]) for span in spans]

    async def _read(self, commands: list[Command], wait: float) -> dict[int, list[Item]]:
        """Run XREADs or XREADGROUPs and return the new items of each shard that has some."""
        replies = await self._standing.read(commands, wait)
        return {self._keys.shard_of_feed(name): items for reply in replies for name, items in reply or () if items}

    async def _create_group(self, group: str, shard: int) -> None:
        """Create a group at the beginning of a feed, unless it is there."""
        try:
            await self._store.ask(("XGROUP CREATE", self._keys.feed(shard), group, BEGINNING, "MKSTREAM"))
        except Refused as refused:
            if "BUSYGROUP" not in str(refused.cause):
                raise

    async def _sweep(
        self, group: str, consumer: str, shard: int, *, idle: int, limit: int
    ) -> tuple[list[Delivery], bool]:
        """Take over idle entries of one shard, going on where the last sweep stopped.

        `idle` is in milliseconds. Returns the deliveries, and whether the feed still has all that the group has not
        read or not acknowledged.
        """
        feed, place = self._keys.feed(shard), (group, shard)
        start = self._swept.get(place, BEGINNING.encode())
        try:
            outrun, (self._swept[place], items, deleted) = await asyncio.gather(
                self._is_outrun(group, feed),
                self._store.ask(("XAUTOCLAIM", feed, group, consumer, idle, start, "COUNT", limit)),
            )
            attempts = await self._attempts(group, consumer, feed, items)
        except Refused as refused:
            if _group_is_gone(refused):
                return [], True
            raise
        return await self._deliveries(group, shard, items, attempts), not (deleted or outrun)

    async def _deliveries(
        self, group: str, shard: int, items: list[Item], attempts: Mapping[bytes, int]
    ) -> list[Delivery]:
        """Return feed entries as they are handed to a consumer; what is not ours is acknowledged and left out."""
        moves = [(item[0], moved_of(item)) for item in items]
        foreign = [identity for identity, moved in moves if moved is None]
        if foreign:
            logger.warning("feed %s has entries that are not its own: %s", self._keys.feed(shard), foreign)
            await self._store.ask(("XACK", self._keys.feed(shard), group, *foreign))
        return [
            Delivery(shard, identity.decode(), attempts.get(identity, 1), moved)
            for identity, moved in moves
            if moved is not None
        ]

    async def _attempts(self, group: str, consumer: str, feed: str, items: list[Item]) -> dict[bytes, int]:
        """Return how often each of these items was delivered."""
        if not items:
            return {}
        span = (items[0][0], items[-1][0])
        pending = await self._store.ask(("XPENDING", feed, group, *span, PENDING, consumer))
        return {identity: count for identity, _, _, count in pending}

    async def _is_outrun(self, group: str, feed: str) -> bool:
        """Say whether the feed no longer has the entry that follows the last one delivered to the group."""
        groups, first = await asyncio.gather(
            self._store.ask(("XINFO GROUPS", feed)), self._store.ask(("XRANGE", feed, "-", "+", "COUNT", 1))
        )
        for fields in groups:
            found = dict(zip(fields[::2], fields[1::2], strict=True))
            if found[b"name"] == group.encode() and first:
                return order(before_of(first[0])) > order(found[b"last-delivered-id"].decode())
        return False


def _block(wait: float) -> tuple[str | int, ...]:
    """Return the BLOCK option; none when nothing is to be waited for, as BLOCK 0 would wait for ever."""
    return ("BLOCK", max(1, int(wait * 1000))) if wait > 0 else ()


def _group_is_gone(refused: Refused) -> bool:
    """Say whether a command failed because there is no such group, or it was deleted while the command waited."""
    said = str(refused.cause)
    return "NOGROUP" in said or "UNBLOCKED" in said or "no such key" in said
