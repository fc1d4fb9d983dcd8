"""The streams of a Redis log: appending a commit, reading commits back, and what is due.

Appending is append.lua, whose version check makes it safe to send again after a lost reply. Reading decodes straight
from the store's reply, because replay speed is felt everywhere; an entry whose id is not the next version, or whose
fields are not those a commit has, is `Torn`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final

from shared.eventlog.keys import Keys, key_in, key_of, member, pattern
from shared.eventlog.log import FIELDS, Closed, Conflict, Entry, StreamKey, Torn, Unavailable
from shared.eventlog.script import Script
from shared.eventlog.store import Refused, Store

PAGE: Final = 1000
"""Entries fetched by one command."""

NAMES: Final = list(FIELDS)


APPEND: Final = Script("append.lua")


class RedisStreams:
    """Appends to and reads from the streams of a store."""

    def __init__(self, store: Store, keys: Keys, feed_length: int, patience: float) -> None:
        """Use `store`; keep about `feed_length` entries a feed; fight lost replies for `patience` seconds."""
        self._store = store
        self._keys = keys
        self._feed_length = feed_length
        self._patience = patience

    async def append(self, key: StreamKey, title: str, entry: Entry) -> None:
        """Write `entry` as `entry.version`; see `EventLog.append`."""
        arguments = self._arguments(key, title, entry)
        try:
            head = await self._call_append(arguments)
        except Closed:
            raise
        except Unavailable as lost:
            head = await self._append_again(key, entry, arguments, lost)
        if head is not None:
            raise Conflict(head)

    async def read(self, key: StreamKey, after: int = 0, limit: int | None = None) -> list[Entry]:
        """Return the entries after `after`, at most `limit`; raises `Torn` on a gap or a torn entry."""
        name = self._keys.stream(key)
        entries: list[Entry] = []
        while limit is None or len(entries) < limit:
            version = after + len(entries)
            count = PAGE if limit is None else min(PAGE, limit - len(entries))
            page = await self._store.ask(("XRANGE", name, f"({version}-0", "+", "COUNT", count))
            entries += [decode(expected, item) for expected, item in enumerate(page, version + 1)]
            if len(page) < count:
                break
        return entries

    async def head(self, key: StreamKey) -> Entry | None:
        """Return the last entry of a stream, or None if there is no such stream."""
        last = await self._store.ask(("XREVRANGE", self._keys.stream(key), "+", "-", "COUNT", 1))
        return decode(version_of(last[0][0]), last[0]) if last else None

    async def streams(self, kind: str) -> AsyncIterator[StreamKey]:
        """Walk over the keys of all streams of one kind, in no order, each once."""
        seen: set[bytes] = set()
        async for name in self._store.scan(pattern(kind)):
            if name not in seen:
                seen.add(name)
                yield key_in(name)

    async def due(self, shard: int, now: int, limit: int = 100) -> list[tuple[StreamKey, int]]:
        """Return (stream, deadline) pairs whose deadline is at or before `now`, the earliest first."""
        slots = await self._store.ask(
            ("ZRANGEBYSCORE", self._keys.deadlines(shard), "-inf", now, "WITHSCORES", "LIMIT", 0, limit)
        )
        return [(key_of(slots[place]), int(slots[place + 1])) for place in range(0, len(slots), 2)]

    def _arguments(self, key: StreamKey, title: str, entry: Entry) -> tuple[str | bytes | int, ...]:
        """Return keys and arguments in the order of append.lua."""
        shard, version = self._keys.shard(key), entry.version
        names = (self._keys.stream(key), self._keys.feed(shard), self._keys.deadlines(shard))
        before, current = b"%d-0" % (version - 1), b"%d-0" % version
        return (*names, before, current, self._feed_length, member(key), title, *entry.values())

    async def _call_append(self, arguments: tuple[str | bytes | int, ...]) -> int | None:
        """Run the script; returns the head found if it refused."""
        try:
            head: int | None = await APPEND.run(self._store.write, 3, *arguments)
        except Refused as refused:
            if "equal or smaller" in str(refused):
                raise Torn("entries were removed from the end of the stream: nothing can be appended") from None
            raise
        return head

    async def _append_again(
        self, key: StreamKey, entry: Entry, arguments: tuple[str | bytes | int, ...], lost: Unavailable
    ) -> int | None:
        """Repeat an append whose reply was lost until its outcome is known or patience ends.

        The lost command may still be executed after the repeated one; the version check refuses it then.
        """
        clock = asyncio.get_running_loop().time
        end, pause = clock() + self._patience, 0.01
        while clock() + pause < end:
            await asyncio.sleep(pause)
            pause = min(2 * pause, 0.5)
            try:
                head = await self._call_append(arguments)
                written = (
                    head is not None and head >= entry.version and await self.read(key, entry.version - 1, 1) == [entry]
                )
            except Closed:
                raise
            except Unavailable as again:
                lost = again
            else:
                return None if written else head
        raise lost


def decode(version: int, item: list[Any]) -> Entry:
    """Return the entry that the store gave for `version`; raises `Torn` when it is another one or not whole."""
    identity, fields = item
    if identity != b"%d-0" % version:
        raise Torn(f"where version {version} should follow, the stream has {identity.decode()}")
    if fields[::2] == NAMES:
        return Entry.from_values(version, fields[1::2])
    return Entry.from_fields(version, dict(zip(fields[::2], fields[1::2], strict=True)))


def version_of(identity: bytes) -> int:
    """Return the version whose stream id this is; raises `Torn` if it is none."""
    version, _, rest = identity.partition(b"-")
    if rest != b"0":
        raise Torn(f"the stream has {identity.decode()}, which is no version")
    return int(version)
